// One TCP connection with iWARP, its segments as the input chooses: in any order, again, in part, or never. What comes
// out is held against the streams as they were sent.
//
// Octet 0: CRC (bit 0), Markers to the responder (1), to the initiator (2), SYNs captured (3), some segments carry
// other octets than were sent (4), the start-up frames are left out (5). Octets 1 and 2: where the sequence numbers
// begin. Octets 3 and 4: FPDUs of each direction; then two octets for the length of each. Then the segments, 4 octets
// each: kind, two for where in the stream, one for how long. Kind: direction (bit 0), FIN (1), RST (2), no ACK (3),
// acknowledges more than has come (4), sequence number from anywhere (5), other octets (6, with bit 4 of octet 0), a
// length eight times as long (7).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "codec/frame.h"
#include "codec/net/net.h"
#include "fuzz/check_fields.h"
#include "fuzz/iwarp_checks.h"
#include "fuzz/marked_fpdu.h"
#include "fuzz/stream_input.h"
#include "pcap/reassembly/iwarp_streams.h"

namespace {

using namespace rdmawire;
using fuzz::require;

// What one end sends, and what of it was captured.
struct Direction {
  std::vector<std::uint8_t> octets;
  std::map<std::uint64_t, std::uint32_t> pdus;  // offset: length
  std::vector<bool> captured;
  std::uint32_t first_sequence = 0;

  void append(Bytes pdu) {
    pdus[octets.size()] = static_cast<std::uint32_t>(pdu.size());
    octets.insert(octets.end(), pdu.begin(), pdu.end());
  }
  bool has(std::uint64_t begin, std::uint64_t len) const {
    return std::all_of(captured.begin() + static_cast<std::ptrdiff_t>(begin),
                       captured.begin() + static_cast<std::ptrdiff_t>(begin + len), [](bool there) { return there; });
  }
};

void append_startup(Direction& direction, const iwarp::MpaKey& key, bool markers, bool crc) {
  iwarp::MpaStartup frame;
  frame.key = key;
  frame.markers = markers;
  frame.crc = crc;
  frame.revision = 1;
  std::array<std::uint8_t, header_size<iwarp::MpaStartup>> octets;
  encode(frame, std::span(octets));
  direction.append(octets);
}

// RDMA Writes whose payload is noise, so that no FPDU is found in it by chance.
void append_fpdu(Direction& direction, std::uint16_t len, bool markers, bool crc, std::uint64_t begin) {
  std::vector<std::uint8_t> ulpdu{0xC1, 0x40, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, 0, 0};
  store_be<4>(ulpdu.data() + 10, direction.octets.size());
  std::uint32_t noise = static_cast<std::uint32_t>(direction.octets.size()) * 2654435761U + 1;
  while (ulpdu.size() < 14U + len) {
    noise ^= noise << 13;
    noise ^= noise >> 17;
    noise ^= noise << 5;
    ulpdu.push_back(static_cast<std::uint8_t>(noise >> 24));
  }
  fuzz::MarkedFpdu made = fuzz::make_fpdu(ulpdu, markers, direction.octets.size() - begin);
  if (!crc) std::fill(made.octets.end() - iwarp::mpa_crc_size, made.octets.end(), std::uint8_t{0});
  direction.append(made.octets);
}

// An IPv4 packet. 10.0.0.1 is the initiator.
std::vector<std::uint8_t> packet_of(bool from_initiator, net::Tcp tcp, Bytes payload) {
  constexpr std::size_t tcp_at = header_size<net::Ipv4>;
  constexpr std::size_t payload_at = tcp_at + header_size<net::Tcp>;
  std::vector<std::uint8_t> out(payload_at + payload.size());
  net::Ipv4 ip;
  ip.version = 4;
  ip.ihl = 5;
  ip.total_length = static_cast<std::uint16_t>(out.size());
  ip.time_to_live = 64;
  ip.protocol = net::IpProtocol::tcp;
  ip.source = {{10, 0, 0, static_cast<std::uint8_t>(from_initiator ? 1 : 2)}};
  ip.destination = {{10, 0, 0, static_cast<std::uint8_t>(from_initiator ? 2 : 1)}};
  tcp.source_port = {static_cast<std::uint16_t>(from_initiator ? 40000 : 20049)};
  tcp.destination_port = {static_cast<std::uint16_t>(from_initiator ? 20049 : 40000)};
  tcp.data_offset = 5;
  tcp.window = 0xFFFF;
  encode(ip, MutableBytes(out).first<header_size<net::Ipv4>>());
  encode(tcp, MutableBytes(out).subspan<tcp_at, header_size<net::Tcp>>());
  std::ranges::copy(payload, out.begin() + payload_at);
  return out;
}

// Holds what it is told to the contract.
class Sink final : public reassembly::PduSink {
 public:
  struct Seen {
    std::uint64_t offset;
    std::uint32_t wire_len;
    std::vector<std::uint8_t> octets;
    bool startup;
    CrcStatus crc;
  };
  struct Told {
    std::vector<Seen> pdus;
    std::uint64_t end = 0;     // of the last PDU
    bool gaps_agree = true;    // each lost_before says how far the PDU before ended
    bool first_known = false;  // a PDU came
  };

  void pdu(const reassembly::StreamPdu& found) override {
    require(found.last_frame == current || kept_.contains(found.last_frame));
    require(found.octets.size() <= found.wire_len && !found.octets.empty());
    require((found.fpdu == nullptr) == (found.pdu.kind != iwarp::PduKind::fpdu));
    std::uint32_t len = found.wire_len;
    if (found.fpdu != nullptr) {
      len = iwarp::fpdu_header_size + std::uint32_t{found.fpdu->ulpdu_len};
    } else if (found.pdu.error) {
      // Of a start-up frame of which nothing can come, only the header is taken.
      len = found.pdu.payload_offset + found.pdu.payload_len;
    }
    fuzz::check_pdu(found.pdu, len);
    // Who the initiator is may become known late. So a direction is told by who sent the frame.
    const bool sent_by_initiator = senders.at(found.last_frame);
    if (initiator_known) require(found.from_initiator == sent_by_initiator);
    Told& told = told_[{found.conversation, sent_by_initiator}];
    require(!told.first_known || found.stream_offset >= told.end);
    const std::uint64_t lost = found.lost_before.missing_len + found.lost_before.skipped_len;
    if (told.first_known && found.stream_offset - told.end != lost) told.gaps_agree = false;
    told.first_known = true;
    told.end = found.stream_offset + found.wire_len;
    told.pdus.push_back({found.stream_offset,
                         found.wire_len,
                         {found.octets.begin(), found.octets.end()},
                         found.fpdu == nullptr,
                         found.fpdu == nullptr ? CrcStatus::absent : found.fpdu->crc.status});
  }
  void keep(std::uint64_t frame) override {
    require(frame == current);
    require(kept_.insert(frame).second);
  }
  void release(std::uint64_t frame) override { require(kept_.erase(frame) == 1); }
  void lost(std::uint32_t, bool, const Loss& loss) override { require(static_cast<bool>(loss)); }

  bool keeps_nothing() const { return kept_.empty(); }
  const std::map<std::pair<std::uint32_t, bool>, Told>& told() const { return told_; }

  std::uint64_t current = 0;              // the frame being added
  std::map<std::uint64_t, bool> senders;  // of frames: the initiator?
  bool initiator_known = false;

 private:
  std::set<std::uint64_t> kept_;
  std::map<std::pair<std::uint32_t, bool>, Told> told_;
};

class Connection {
 public:
  explicit Connection(fuzz::Input& input) {
    const std::uint8_t flags = input.octet();
    crc_ = (flags & 1U) != 0;
    markers_ = {(flags & 2U) != 0, (flags & 4U) != 0};
    syns_ = (flags & 8U) != 0;
    lies_ = (flags & 16U) != 0;
    startups_ = (flags & 32U) == 0;
    const std::array<std::uint8_t, 2> sequences{input.octet(), input.octet()};
    const std::array<std::uint8_t, 2> num_fpdus{input.octet(), input.octet()};
    for (std::size_t i = 0; i < 2; ++i) {
      Direction& direction = directions_[i];
      direction.first_sequence = sequences[i] * 0x01000000U + 0x00FFFC00U;  // all wrap soon after 255
      if (startups_)
        append_startup(direction, i == 0 ? iwarp::mpa_request_key : iwarp::mpa_reply_key, markers_[1 - i], crc_);
      const std::uint64_t begin = direction.octets.size();
      for (unsigned n = num_fpdus[i] % 24U; n > 0; --n) {
        append_fpdu(direction, input.word() % 3000U, markers_[i], crc_, begin);
      }
      direction.captured.assign(direction.octets.size(), false);
    }
  }

  void run(fuzz::Input& input) {
    reassembly::IwarpStreams streams({}, sink_);
    sink_.initiator_known = syns_ && !lies_;
    if (syns_) {
      for (const bool from_initiator : {true, false}) {
        net::Tcp tcp;
        tcp.syn = true;
        tcp.ack = !from_initiator;
        tcp.sequence = direction_of(from_initiator).first_sequence - 1;
        tcp.acknowledgment = direction_of(!from_initiator).first_sequence;
        add(streams, from_initiator, packet_of(from_initiator, tcp, {}));
      }
    }
    while (input.rest().size() >= 4 && sink_.current < max_frames) segment(streams, input);
    const std::uint64_t last = sink_.current;
    sink_.current = 0;
    streams.finish();
    require(sink_.keeps_nothing());
    const reassembly::StreamCounts counts = streams.counts();
    require(counts.num_segments == last && counts.num_fragments == 0 && counts.num_forgotten == 0);
    if (!lies_ && !wild_) check();
  }

 private:
  // Before anything missing is given up.
  static constexpr std::uint64_t max_frames = reassembly::IwarpStreams::reorder_frames - 2;

  Direction& direction_of(bool from_initiator) { return directions_[from_initiator ? 0 : 1]; }

  void add(reassembly::IwarpStreams& streams, bool from_initiator, const std::vector<std::uint8_t>& packet) {
    sink_.senders[++sink_.current] = from_initiator;
    const Frame frame = parse_frame(LinkType::raw_ip, packet, static_cast<std::uint32_t>(packet.size()));
    require(frame.find(Layer::tcp) != nullptr);
    streams.add(frame, sink_.current);
  }

  void segment(reassembly::IwarpStreams& streams, fuzz::Input& input) {
    const std::uint8_t kind = input.octet();
    const std::uint16_t place = input.word();
    const std::size_t wanted = input.octet() * std::size_t{(kind & 0x80U) != 0 ? 64U : 8U};
    const bool from_initiator = (kind & 1U) == 0;
    Direction& direction = direction_of(from_initiator);
    const std::size_t at = place % (direction.octets.size() + 1);
    const std::size_t len = std::min(wanted, direction.octets.size() - at);
    std::vector<std::uint8_t> payload(direction.octets.begin() + static_cast<std::ptrdiff_t>(at),
                                      direction.octets.begin() + static_cast<std::ptrdiff_t>(at + len));
    net::Tcp tcp;
    tcp.sequence = direction.first_sequence + static_cast<std::uint32_t>(at);
    tcp.fin = (kind & 2U) != 0 && at + len == direction.octets.size();
    tcp.rst = (kind & 4U) != 0;
    wild_ = wild_ || tcp.rst;
    tcp.ack = (kind & 8U) == 0;
    const Direction& other = direction_of(!from_initiator);
    const auto first_missing = std::ranges::find(other.captured, false) - other.captured.begin();
    tcp.acknowledgment = other.first_sequence +
                         static_cast<std::uint32_t>((kind & 16U) != 0 ? static_cast<std::ptrdiff_t>(other.octets.size())
                                                                      : first_missing);
    if ((kind & 32U) != 0) {
      tcp.sequence += std::uint32_t{place} << 16;
      wild_ = true;
    }
    if (lies_ && (kind & 64U) != 0) {
      for (std::uint8_t& octet : payload) octet ^= 0x55;
    }
    std::fill_n(direction.captured.begin() + static_cast<std::ptrdiff_t>(at), len, true);
    add(streams, from_initiator, packet_of(from_initiator, tcp, payload));
  }

  // Every PDU that came out was sent, and those that must come out did.
  void check() {
    const bool both_started = startups_ && syns_ && directions_[0].has(0, iwarp::startup_header_size) &&
                              directions_[1].has(0, iwarp::startup_header_size);
    for (const auto& [key, told] : sink_.told()) {
      const auto& [conversation, from_initiator] = key;
      require(conversation == 0);
      require(told.gaps_agree);
      if (!both_started) continue;
      const Direction& direction = direction_of(from_initiator);
      for (const Sink::Seen& seen : told.pdus) {
        const auto sent = direction.pdus.find(seen.offset);
        require(sent != direction.pdus.end() && sent->second == seen.wire_len);
        require(direction.has(seen.offset, seen.octets.size()));
        require(std::equal(seen.octets.begin(), seen.octets.end(),
                           direction.octets.begin() + static_cast<std::ptrdiff_t>(seen.offset)));
        if (seen.octets.size() == seen.wire_len && !seen.startup) {
          require(seen.crc == (crc_ ? CrcStatus::good : CrcStatus::disabled));
        }
      }
    }
    if (!both_started) return;
    for (const bool from_initiator : {true, false}) {
      const auto told = sink_.told().find({0, from_initiator});
      require(told != sink_.told().end());
      const Direction& direction = direction_of(from_initiator);
      std::size_t num = 0;
      for (const auto& [offset, len] : direction.pdus) {
        if (!direction.has(offset, len)) break;
        require(num < told->second.pdus.size());
        const Sink::Seen& seen = told->second.pdus[num++];
        require(seen.offset == offset && seen.octets.size() == len);
      }
    }
  }

  std::array<Direction, 2> directions_;  // the initiator's and the responder's
  bool crc_ = false;
  std::array<bool, 2> markers_{};  // in what each sends
  bool syns_ = false;
  bool lies_ = false;
  bool startups_ = false;
  bool wild_ = false;
  Sink sink_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 600) return 0;
  fuzz::Input input({data, size});
  Connection connection(input);
  connection.run(input);
  return 0;
}
