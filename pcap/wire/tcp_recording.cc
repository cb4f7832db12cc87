#include "pcap/wire/tcp_recording.h"

#include <algorithm>
#include <cerrno>
#include <span>

#include "codec/ib/gid.h"
#include "pcap/wire/ip_address.h"
#include "pcap/wire/ip_frames.h"

namespace rdmawire::wire {
namespace {

constexpr std::uint16_t window = 0xFFFF;
// NOP and the largest Window scale (RFC 7323, 2.2): no reader takes the peer's window for full.
constexpr std::array<std::uint8_t, 4> syn_options{1, 3, 3, 14};

// segment: with its header's other fields encoded.
template <class Address>
void put_checksum(net::Tcp& tcp, const Address& source, const Address& destination, MutableBytes segment) {
  tcp.checksum = net::tcp_checksum(source, destination, segment);
  encode(tcp, segment.first<header_size<net::Tcp>>());
}

}  // namespace

void TcpRecording::begin(const Stream& stream) {
  if (recorder_ == nullptr || standing_) return;
  const auto own = stream.local_address();
  const auto peers = stream.peer_address();
  if (!own || !peers) return;
  own_ = gid_of(*own);
  peers_ = gid_of(*peers);
  own_port_ = {own->port()};
  peers_port_ = {peers->port()};
  standing_ = true;
  // Others than those of a connection that has had these ports before.
  for (Direction& d : directions_) d.next = static_cast<std::uint32_t>(recorder_->num_frames() << 16);

  const Way way = opened_by_ == OpenedBy::here ? Way::out : Way::in;
  net::Tcp tcp;
  tcp.syn = true;
  put(way, tcp, syn_options, {});
  ++of(way).next;
  tcp.ack = true;
  put(other(way), tcp, syn_options, {});
  ++of(other(way)).next;
  tcp.syn = false;
  put(way, tcp, {}, {});
}

void TcpRecording::add(Way way, Bytes octets, std::size_t segment_len, std::string_view comment) {
  if (!standing_) return;
  segment_len = std::clamp<std::size_t>(segment_len, 1, max_segment_len);
  while (!octets.empty()) {
    const Bytes segment = octets.first(std::min(segment_len, octets.size()));
    octets = octets.subspan(segment.size());
    net::Tcp tcp;
    tcp.ack = true;
    tcp.psh = octets.empty();
    put(way, tcp, {}, segment, comment);
    of(way).next += static_cast<std::uint32_t>(segment.size());
  }
}

void TcpRecording::end(Way way) {
  if (!standing_ || of(way).ended) return;
  net::Tcp tcp;
  tcp.ack = true;
  tcp.fin = true;
  put(way, tcp, {}, {});
  ++of(way).next;
  of(way).ended = true;
  if (!of(other(way)).ended) return;
  tcp.fin = false;
  put(other(way), tcp, {}, {});
  standing_ = false;
}

void TcpRecording::reset(Way way) {
  if (!standing_) return;
  net::Tcp tcp;
  tcp.ack = true;
  tcp.rst = true;
  put(way, tcp, {}, {});
  standing_ = false;
}

void TcpRecording::fail(const SocketError& error) {
  if (error.os_error == ECONNRESET || error.os_error == EPIPE) reset(Way::in);
}

void TcpRecording::put(Way way, net::Tcp tcp, Bytes options, Bytes payload, std::string_view comment) {
  const bool sent = way == Way::out;
  const IpFamily family = is_ipv4_mapped(own_) && is_ipv4_mapped(peers_) ? IpFamily::four : IpFamily::six;
  const std::size_t tcp_at = link_len + ip_len(family);
  const std::size_t segment_len = header_size<net::Tcp> + options.size() + payload.size();
  frame_.resize(tcp_at + segment_len);
  const MutableBytes frame(frame_);
  const MutableBytes segment = frame.subspan(tcp_at);
  std::copy(options.begin(), options.end(), segment.begin() + header_size<net::Tcp>);
  std::copy(payload.begin(), payload.end(), frame.end() - static_cast<std::ptrdiff_t>(payload.size()));

  const IpPath path = sent ? IpPath{own_, peers_} : IpPath{peers_, own_};
  write_link(frame, sent ? made_up.own : made_up.peers, sent ? made_up.peers : made_up.own, family);
  write_ip(frame, path, net::IpProtocol::tcp, family, segment_len);
  tcp.source_port = sent ? own_port_ : peers_port_;
  tcp.destination_port = sent ? peers_port_ : own_port_;
  tcp.sequence = of(way).next;
  tcp.acknowledgment = tcp.ack ? of(other(way)).next : 0;
  tcp.data_offset = static_cast<std::uint8_t>((header_size<net::Tcp> + options.size()) / 4);
  tcp.window = window;
  encode(tcp, segment.first<header_size<net::Tcp>>());
  if (family == IpFamily::four) {
    put_checksum(tcp, ib::ipv4_of(path.source), ib::ipv4_of(path.destination), segment);
  } else {
    put_checksum(tcp, Ipv6Address{path.source.octets}, Ipv6Address{path.destination.octets}, segment);
  }
  recorder_->add(frame, way, comment);
}

}  // namespace rdmawire::wire
