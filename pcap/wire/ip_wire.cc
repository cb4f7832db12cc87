// IP packets of RoCEv2 through the operating system's own addresses and routes, as Ethernet frames with link headers
// that this wire makes up. The ICRC covers IPv4's identification, which no UDP socket lets its user choose or see: so
// packets go and come by raw sockets. A UDP socket has the port besides, so that the system does not refuse it.
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "codec/frame.h"
#include "codec/ib/gid.h"
#include "codec/net/net.h"
#include "pcap/wire/frame_wires.h"
#include "pcap/wire/ip_address.h"

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

constexpr std::size_t link_len = header_size<net::Ethernet>;
constexpr std::size_t ip4_len = header_size<net::Ipv4>;
constexpr std::size_t ip6_len = header_size<net::Ipv6>;

tl::unexpected<SocketError> refused(std::string_view action) { return tl::unexpected(SocketError{action, errno}); }

sockaddr_storage address_of(const Gid& gid, std::uint16_t port, socklen_t& size) {
  sockaddr_storage out{};
  if (is_ipv4_mapped(gid)) {
    auto& four = reinterpret_cast<sockaddr_in&>(out);
    four.sin_family = AF_INET;
    four.sin_port = __builtin_bswap16(port);
    std::memcpy(&four.sin_addr, gid.octets.data() + 12, 4);
    size = sizeof four;
  } else {
    auto& six = reinterpret_cast<sockaddr_in6&>(out);
    six.sin6_family = AF_INET6;
    six.sin6_port = __builtin_bswap16(port);
    std::memcpy(&six.sin6_addr, gid.octets.data(), 16);
    size = sizeof six;
  }
  return out;
}

class IpWire final : public Wire {
 public:
  IpWire(Descriptor raw, Descriptor claim, const Gid& own)
      : raw_(std::move(raw)), claim_(std::move(claim)), own_(own), four_(is_ipv4_mapped(own)) {}

  IoResult send(Bytes frame, Time) override {
    const std::size_t ip_len = four_ ? ip4_len : ip6_len;
    // What is no packet of this family (ARP, solicitation) the system does itself.
    if (frame.size() < link_len + ip_len + 8) return {Status::done, frame.size(), {}};
    const auto type = decode<net::Ethernet>(frame.first<link_len>()).type;
    if (type != (four_ ? net::EtherType::ipv4 : net::EtherType::ipv6)) return {Status::done, frame.size(), {}};
    Gid to;
    if (four_) {
      const auto ip = decode<net::Ipv4>(frame.subspan(link_len).first<ip4_len>());
      if (ip.protocol != net::IpProtocol::udp) return {Status::done, frame.size(), {}};
      to = ib::gid_of(ip.destination);
    } else {
      const auto ip = decode<net::Ipv6>(frame.subspan(link_len).first<ip6_len>());
      if (ip.next_header != net::IpProtocol::udp) return {Status::done, frame.size(), {}};
      const int traffic_class = ip.traffic_class.value;
      static_cast<void>(setsockopt(raw_.number(), IPPROTO_IPV6, IPV6_TCLASS, &traffic_class, sizeof traffic_class));
      to = ib::gid_of(ip.destination);
    }
    socklen_t size = 0;
    const sockaddr_storage address = address_of(to, 0, size);
    // The header is this wire's own for IPv4 (IP_HDRINCL), the system's for IPv6, where the ICRC covers nothing that
    // it chooses.
    const Bytes packet = frame.subspan(link_len + (four_ ? 0 : ip6_len));
    const ssize_t sent =
        sendto(raw_.number(), packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&address), size);
    if (sent >= 0) return {Status::done, frame.size(), {}};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {};
    if (errno == ENETDOWN || errno == EPERM) return {Status::failed, 0, {"send a packet", errno}};
    return {Status::done, frame.size(), {}};
  }

  IoResult receive(MutableBytes out, Time) override {
    for (;;) {
      drop_claimed();
      const std::size_t room_at = link_len + (four_ ? 0 : ip6_len);
      if (out.size() < room_at) return {};
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      const MutableBytes room = out.subspan(room_at);
      const ssize_t got =
          recvfrom(raw_.number(), room.data(), room.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
      if (got < 0) return {Status::failed, 0, {"receive a packet", errno}};
      const auto length = static_cast<std::size_t>(got);
      if (!four_) write_ipv6(out, from, length);
      net::Ethernet link;
      link.destination = made_up_link_addresses.own;
      link.source = made_up_link_addresses.peers;
      link.type = four_ ? net::EtherType::ipv4 : net::EtherType::ipv6;
      encode(link, std::span<std::uint8_t, link_len>(out.data(), link_len));
      return {Status::done, room_at + length, {}};
    }
  }

  int descriptor() const override { return raw_.number(); }
  std::optional<MadeUpLink> made_up_link() const override { return made_up_link_addresses; }
  std::string text() const override { return "IP address " + ip_text(own_); }

 private:
  void write_ipv6(MutableBytes out, const sockaddr_storage& from, std::size_t length) const {
    net::Ipv6 ip;
    ip.version = 6;
    ip.payload_length = static_cast<std::uint16_t>(length);
    ip.next_header = net::IpProtocol::udp;
    ip.hop_limit = 64;
    std::memcpy(ip.source.octets.data(), &reinterpret_cast<const sockaddr_in6&>(from).sin6_addr, 16);
    ip.destination = {own_.octets};
    encode(ip, std::span<std::uint8_t, ip6_len>(out.data() + link_len, ip6_len));
  }
  // What the UDP socket gets of the same packets.
  void drop_claimed() const {
    std::array<std::uint8_t, 1> octet;
    while (recv(claim_.number(), octet.data(), octet.size(), MSG_TRUNC) >= 0) {
    }
  }

  Descriptor raw_;
  Descriptor claim_;
  Gid own_;
  bool four_;
};

// Only what is for the port comes up: otherwise each datagram of the machine would.
bool filter_port(int descriptor, std::uint32_t port_at) {
  std::array<sock_filter, 4> program{{
      {BPF_LD | BPF_H | BPF_ABS, 0, 0, port_at},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, rocev2_port},
      {BPF_RET | BPF_K, 0, 0, 0xFFFFFFFF},
      {BPF_RET | BPF_K, 0, 0, 0},
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

}  // namespace

OpenedWire open_ip_wire(const std::string& text) {
  const auto own = parse_ip(text);
  if (!own) return tl::unexpected(SocketError{"read the IP address", EINVAL});
  const bool four = is_ipv4_mapped(*own);
  const int family = four ? AF_INET : AF_INET6;
  Descriptor raw(socket(family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP));
  if (!raw.is_open()) return refused("open a raw socket");
  const int on = 1;
  if (four && setsockopt(raw.number(), IPPROTO_IP, IP_HDRINCL, &on, sizeof on) != 0) {
    return refused("send headers of its own");
  }
  const int buffer_len = 8 << 20;
  static_cast<void>(setsockopt(raw.number(), SOL_SOCKET, SO_RCVBUFFORCE, &buffer_len, sizeof buffer_len));
  // The port stands behind an IPv4 header without options, or at the UDP header's third octet.
  if (!filter_port(raw.number(), (four ? std::uint32_t{ip4_len} : 0U) + 2)) return refused("filter the port");
  socklen_t size = 0;
  const sockaddr_storage at = address_of(*own, 0, size);
  if (bind(raw.number(), reinterpret_cast<const sockaddr*>(&at), size) != 0) return refused("bind to the address");
  Descriptor claim(socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!claim.is_open()) return refused("open a UDP socket");
  const sockaddr_storage with_port = address_of(*own, rocev2_port, size);
  if (bind(claim.number(), reinterpret_cast<const sockaddr*>(&with_port), size) != 0) {
    return refused("take UDP port 4791");
  }
  return std::make_unique<IpWire>(std::move(raw), std::move(claim), *own);
}

}  // namespace rdmawire::wire
