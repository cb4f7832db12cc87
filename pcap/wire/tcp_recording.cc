#include "pcap/wire/tcp_recording.h"

#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "codec/ib/gid.h"
#include "pcap/wire/wire.h"

namespace rdmawire::wire {
namespace {

constexpr std::uint8_t hop_limit = 64;
constexpr std::uint16_t window = 0xFFFF;
// NOP and the largest Window scale (RFC 7323, 2.2): no reader takes the peer's window for full.
constexpr std::array<std::uint8_t, 4> syn_options{1, 3, 3, 14};

Gid gid_of(const SocketAddress& address) {
  if (address.is_ipv6()) {
    Gid out;
    std::memcpy(out.octets.data(), &reinterpret_cast<const sockaddr_in6*>(address.data())->sin6_addr, 16);
    return out;
  }
  Ipv4Address four;
  std::memcpy(four.octets.data(), &reinterpret_cast<const sockaddr_in*>(address.data())->sin_addr, 4);
  return ib::gid_of(four);
}

template <Header T>
void encode_at(MutableBytes frame, std::size_t at, const T& header) {
  encode(header, frame.subspan(at).first<header_size<T>>());
}

// segment: with its header's other fields encoded.
template <class Address>
void put_checksum(net::Tcp& tcp, const Address& source, const Address& destination, MutableBytes segment) {
  tcp.checksum = net::tcp_checksum(source, destination, segment);
  encode_at(segment, 0, tcp);
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
  const bool four = is_ipv4_mapped(own_) && is_ipv4_mapped(peers_);
  constexpr std::size_t ip_at = header_size<net::Ethernet>;
  const std::size_t tcp_at = ip_at + (four ? header_size<net::Ipv4> : header_size<net::Ipv6>);
  const std::size_t options_at = tcp_at + header_size<net::Tcp>;
  const std::size_t segment_len = header_size<net::Tcp> + options.size() + payload.size();
  frame_.resize(tcp_at + segment_len);
  const MutableBytes frame(frame_);
  std::copy(options.begin(), options.end(), frame.begin() + static_cast<std::ptrdiff_t>(options_at));
  std::copy(payload.begin(), payload.end(), frame.end() - static_cast<std::ptrdiff_t>(payload.size()));

  net::Ethernet link;
  link.destination = sent ? made_up_link_addresses.peers : made_up_link_addresses.own;
  link.source = sent ? made_up_link_addresses.own : made_up_link_addresses.peers;
  link.type = four ? net::EtherType::ipv4 : net::EtherType::ipv6;
  encode_at(frame, 0, link);

  tcp.source_port = sent ? own_port_ : peers_port_;
  tcp.destination_port = sent ? peers_port_ : own_port_;
  tcp.sequence = of(way).next;
  tcp.acknowledgment = tcp.ack ? of(other(way)).next : 0;
  tcp.data_offset = static_cast<std::uint8_t>((header_size<net::Tcp> + options.size()) / 4);
  tcp.window = window;
  encode_at(frame, tcp_at, tcp);

  const Gid& source = sent ? own_ : peers_;
  const Gid& destination = sent ? peers_ : own_;
  if (four) {
    net::Ipv4 ip;
    ip.version = 4;
    ip.ihl = header_size<net::Ipv4> / 4;
    ip.total_length = static_cast<std::uint16_t>(header_size<net::Ipv4> + segment_len);
    ip.dont_fragment = true;
    ip.time_to_live = hop_limit;
    ip.protocol = net::IpProtocol::tcp;
    ip.source = ib::ipv4_of(source);
    ip.destination = ib::ipv4_of(destination);
    encode_at(frame, ip_at, ip);
    ip.checksum = net::ipv4_checksum(frame.subspan(ip_at, header_size<net::Ipv4>));
    encode_at(frame, ip_at, ip);
    put_checksum(tcp, ip.source, ip.destination, frame.subspan(tcp_at));
  } else {
    net::Ipv6 ip;
    ip.version = 6;
    ip.payload_length = static_cast<std::uint16_t>(segment_len);
    ip.next_header = net::IpProtocol::tcp;
    ip.hop_limit = hop_limit;
    ip.source = {source.octets};
    ip.destination = {destination.octets};
    encode_at(frame, ip_at, ip);
    put_checksum(tcp, ip.source, ip.destination, frame.subspan(tcp_at));
  }
  recorder_->add(frame, way, comment);
}

}  // namespace rdmawire::wire
