// IP packets of RoCEv2 through the operating system's own addresses and routes, as Ethernet frames with link headers
// that this wire makes up. The ICRC covers IPv4's identification, which no UDP socket shows (udp_wire.cc does without):
// so packets go and come by raw sockets. A UDP socket has the port besides, so that the system does not refuse it.
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "codec/frame.h"
#include "pcap/wire/frame_wires.h"
#include "pcap/wire/ip_address.h"
#include "pcap/wire/ip_frames.h"

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

tl::unexpected<SocketError> refused(std::string_view action) { return tl::unexpected(SocketError{action, errno}); }

class IpWire final : public Wire {
 public:
  IpWire(Descriptor raw, Descriptor claim, const Gid& own)
      : raw_(std::move(raw)),
        claim_(std::move(claim)),
        own_(own),
        family_(is_ipv4_mapped(own) ? IpFamily::four : IpFamily::six) {}

  IoResult send(Bytes frame, Time) override {
    const auto path = udp_path_of(frame, family_);
    // What is no packet of this family (ARP, solicitation) the system does itself.
    if (!path) return {Status::done, frame.size(), {}};
    if (family_ == IpFamily::six) {
      const int traffic_class = path->traffic_class.value;
      static_cast<void>(setsockopt(raw_.number(), IPPROTO_IPV6, IPV6_TCLASS, &traffic_class, sizeof traffic_class));
    }
    const SocketAddress to = socket_address(path->destination, 0);
    const Bytes packet = frame.subspan(packet_at());
    const ssize_t sent = sendto(raw_.number(), packet.data(), packet.size(), 0, to.data(), to.size());
    return outcome_of_send(sent, frame.size(), num_too_long_);
  }

  IoResult receive(MutableBytes out, Time) override {
    for (;;) {
      drop_claimed();
      if (out.size() < packet_at()) return {};
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      const MutableBytes room = out.subspan(packet_at());
      const ssize_t got =
          recvfrom(raw_.number(), room.data(), room.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
      if (got < 0) return {Status::failed, 0, {"receive a packet", errno}};
      const auto length = static_cast<std::size_t>(got);
      write_link(out, made_up.peers, made_up.own, family_);
      if (family_ == IpFamily::six) {
        write_ip(out, {gid_of(SocketAddress(from, size)), own_}, net::IpProtocol::udp, family_, length);
      }
      return {Status::done, packet_at() + length, {}};
    }
  }

  int descriptor() const override { return raw_.number(); }
  std::optional<MadeUpLink> made_up_link() const override { return made_up; }
  std::uint64_t num_too_long() const override { return num_too_long_; }
  std::string text() const override { return "IP address " + ip_text(own_); }

 private:
  // Of a frame: what the raw socket takes and gives. The header is this wire's own for IPv4 (IP_HDRINCL), the system's
  // for IPv6, where the ICRC covers nothing that it chooses.
  std::size_t packet_at() const { return link_len + (family_ == IpFamily::four ? 0 : ip_len(family_)); }
  // What the UDP socket gets of the same packets.
  void drop_claimed() const {
    std::array<std::uint8_t, 1> octet;
    while (recv(claim_.number(), octet.data(), octet.size(), MSG_TRUNC) >= 0) {
    }
  }

  Descriptor raw_;
  Descriptor claim_;
  Gid own_;
  IpFamily family_;
  std::uint64_t num_too_long_ = 0;
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
  enlarge_buffers(raw.number());
  // The port stands behind an IPv4 header without options, or at the UDP header's third octet.
  const auto udp_at = static_cast<std::uint32_t>(four ? ip_len(IpFamily::four) : 0);
  if (!filter_port(raw.number(), udp_at + 2)) return refused("filter the port");
  const SocketAddress at = socket_address(*own, 0);
  if (bind(raw.number(), at.data(), at.size()) != 0) return refused("bind to the address");
  Descriptor claim(socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!claim.is_open()) return refused("open a UDP socket");
  const SocketAddress with_port = socket_address(*own, rocev2_port);
  if (bind(claim.number(), with_port.data(), with_port.size()) != 0) return refused("take UDP port 4791");
  return std::make_unique<IpWire>(std::move(raw), std::move(claim), *own);
}

}  // namespace rdmawire::wire
