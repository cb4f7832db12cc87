#include "bench/iwarp_capture.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <vector>

#include "bench/pcap_file.h"
#include "codec/iwarp/mpa.h"
#include "codec/iwarp/rdmap.h"
#include "codec/net/net.h"

namespace rdmawire::bench {
namespace {

constexpr std::uint32_t unaligned_segment_len = 1448;
constexpr std::uint32_t fpdus_per_message = 32;

enum class Direction : std::uint8_t { to_responder, to_initiator };

// xorshift64*
class Random {
 public:
  std::uint8_t octet() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint8_t>(state_ * 2685821657736338717U >> 56);
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15;
};

// Two ends that talk TCP over IPv4 over Ethernet.
class Connection {
 public:
  explicit Connection(PcapFile& file) : file_(file) {
    ends_[0] = {{{2, 0, 0, 0, 0, 0xAA}}, {{10, 0, 0, 1}}, {40000}, 1000, 1};
    ends_[1] = {{{2, 0, 0, 0, 0, 0xBB}}, {{10, 0, 0, 2}}, {20049}, 50000, 1};
  }

  void handshake() {
    net::Tcp tcp;
    tcp.syn = true;
    segment(Direction::to_responder, tcp, {});
    tcp.ack = true;
    segment(Direction::to_initiator, tcp, {});
    acknowledge(Direction::to_responder);
  }
  void acknowledge(Direction direction) {
    net::Tcp tcp;
    tcp.ack = true;
    segment(direction, tcp, {});
  }
  void send(Direction direction, Bytes payload) {
    net::Tcp tcp;
    tcp.ack = true;
    tcp.psh = true;
    segment(direction, tcp, payload);
  }

 private:
  struct End {
    MacAddress mac;
    Ipv4Address address;
    TcpPort port;
    std::uint32_t next_sequence;
    std::uint16_t next_identification;
  };

  void segment(Direction direction, net::Tcp tcp, Bytes payload) {
    constexpr std::size_t ip_at = header_size<net::Ethernet>;
    constexpr std::size_t tcp_at = ip_at + header_size<net::Ipv4>;
    constexpr std::size_t payload_at = tcp_at + header_size<net::Tcp>;
    End& from = ends_[direction == Direction::to_responder ? 0 : 1];
    const End& to = ends_[direction == Direction::to_responder ? 1 : 0];

    net::Ethernet ethernet;
    ethernet.source = from.mac;
    ethernet.destination = to.mac;
    ethernet.type = net::EtherType::ipv4;

    net::Ipv4 ip;
    ip.version = 4;
    ip.ihl = header_size<net::Ipv4> / 4;
    ip.total_length = static_cast<std::uint16_t>(payload_at - ip_at + payload.size());
    ip.identification = from.next_identification++;
    ip.dont_fragment = true;
    ip.time_to_live = 64;
    ip.protocol = net::IpProtocol::tcp;
    ip.source = from.address;
    ip.destination = to.address;

    tcp.source_port = from.port;
    tcp.destination_port = to.port;
    tcp.sequence = from.next_sequence;
    tcp.acknowledgment = tcp.ack ? to.next_sequence : 0;
    tcp.data_offset = header_size<net::Tcp> / 4;
    tcp.window = 0xFFFF;
    from.next_sequence += static_cast<std::uint32_t>(payload.size()) + (tcp.syn ? 1 : 0);

    const MutableBytes frame = MutableBytes(frame_).first(payload_at + payload.size());
    std::ranges::copy(payload, frame.begin() + payload_at);
    encode(ethernet, frame.first<header_size<net::Ethernet>>());
    encode(ip, frame.subspan<ip_at, header_size<net::Ipv4>>());
    ip.checksum = net::ipv4_checksum(frame.subspan(ip_at, header_size<net::Ipv4>));
    encode(ip, frame.subspan<ip_at, header_size<net::Ipv4>>());
    encode(tcp, frame.subspan<tcp_at, header_size<net::Tcp>>());
    tcp.checksum = net::tcp_checksum(ip.source, ip.destination, frame.subspan(tcp_at));
    encode(tcp, frame.subspan<tcp_at, header_size<net::Tcp>>());
    file_.add(frame);
  }

  PcapFile& file_;
  std::array<End, 2> ends_;
  std::array<std::uint8_t, 2048> frame_;
};

// The initiator's stream, cut into segments.
class Writer {
 public:
  Writer(PcapFile& file, const IwarpTraffic& traffic) : connection_(file), traffic_(traffic), fpdus_(traffic) {}

  void start_up() {
    connection_.handshake();
    for (const Direction direction : {Direction::to_responder, Direction::to_initiator}) {
      iwarp::MpaStartup terms;
      terms.key = direction == Direction::to_responder ? iwarp::mpa_request_key : iwarp::mpa_reply_key;
      terms.markers = traffic_.markers;
      terms.crc = true;
      terms.revision = 1;
      std::array<std::uint8_t, header_size<iwarp::MpaStartup>> frame;
      encode(terms, std::span(frame));
      connection_.send(direction, frame);
    }
    connection_.acknowledge(Direction::to_responder);
  }
  void write() {
    fpdus_.append(stream_);
    if (traffic_.unaligned) {
      std::size_t done = 0;
      for (; stream_.size() - done >= unaligned_segment_len; done += unaligned_segment_len) {
        segment(Bytes(stream_).subspan(done, unaligned_segment_len));
      }
      stream_.erase(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(done));
    } else {
      segment(stream_);
      stream_.clear();
    }
  }
  void finish() {
    if (!stream_.empty()) segment(stream_);
  }

 private:
  void segment(Bytes octets) {
    connection_.send(Direction::to_responder, octets);
    if (++num_segments_ % 2 == 0) connection_.acknowledge(Direction::to_initiator);
  }

  Connection connection_;
  IwarpTraffic traffic_;
  IwarpFpdus fpdus_;
  std::vector<std::uint8_t> stream_;  // what no segment has yet
  std::uint32_t num_segments_ = 0;
};

}  // namespace

IwarpFpdus::IwarpFpdus(const IwarpTraffic& traffic)
    : payload_len_(iwarp_payload_len(traffic)), framer_(traffic.markers, true) {
  Random random;
  for (std::uint8_t& octet : data_) octet = random.octet();
}

void IwarpFpdus::append(std::vector<std::uint8_t>& stream) {
  const std::uint32_t in_message = num_fpdus_ % fpdus_per_message;
  iwarp::DdpTagged ddp;
  ddp.last = in_message + 1 == fpdus_per_message;
  ddp.stag = {0x1234};
  ddp.tagged_offset = {0x1000'0000 + std::uint64_t{num_fpdus_} * payload_len_};
  iwarp::RdmapControl rdmap;
  rdmap.opcode = iwarp::Opcode::RDMA_WRITE;
  encode(rdmap, std::span(ddp.rsvd_ulp));
  std::array<std::uint8_t, header_size<iwarp::DdpTagged>> header;
  encode(ddp, std::span(header));
  const std::array<Bytes, 2> ulpdu{header, Bytes(data_).subspan(in_message * 8, payload_len_)};
  const std::size_t before = stream.size();
  stream.resize(before + framer_.fpdu_len(static_cast<std::uint32_t>(header.size()) + payload_len_));
  // A buffer of the right size and a ULPDU that fits one segment: it can't fail.
  if (!framer_.frame(ulpdu, MutableBytes(stream).subspan(before))) std::abort();
  ++num_fpdus_;
}

bool write_iwarp_capture(const std::string& path, const IwarpTraffic& traffic) {
  PcapFile file(path);
  Writer writer(file, traffic);
  writer.start_up();
  for (std::uint32_t i = 0; i < traffic.num_fpdus; ++i) writer.write();
  writer.finish();
  return file.close();
}

}  // namespace rdmawire::bench
