// RoCEv2 by a UDP socket on port 4791 of an address that this machine has: what an ordinary user may do. The frames'
// headers are made up from what the socket tells.
//
// What it costs: packets leave from that port alone, so that a network with several paths sees one flow. And of IPv4's
// identification, which the ICRC covers, the socket tells nothing. What is sent has 0, as Linux gives it to datagrams
// that may not be fragmented (and the frames that come here have). What is received gets the identification with which
// the ICRC is right; where there is none, the packet is damaged. So 15 bits of the ICRC's 32 are left to find that out.
// IPv6 has no identification.
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "codec/frame.h"
#include "pcap/wire/frame_wires.h"
#include "pcap/wire/ip_address.h"
#include "pcap/wire/ip_frames.h"

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

tl::unexpected<SocketError> refused(std::string_view action) { return tl::unexpected(SocketError{action, errno}); }

// Of one message: room for the two numbers that go, or come, beside a datagram.
struct Beside {
  alignas(cmsghdr) std::array<std::uint8_t, 2 * CMSG_SPACE(sizeof(int))> octets{};
};

// What the options are called, of each family.
struct Names {
  int level;
  int traffic_class;
  int hop_limit;
  int receive_traffic_class;
  int receive_hop_limit;
  int discover_mtu;
  int never_fragment;
};
constexpr Names names_of(IpFamily family) {
  if (family == IpFamily::four) {
    return {IPPROTO_IP, IP_TOS, IP_TTL, IP_RECVTOS, IP_RECVTTL, IP_MTU_DISCOVER, IP_PMTUDISC_DO};
  }
  return {IPPROTO_IPV6,      IPV6_TCLASS,       IPV6_HOPLIMIT,   IPV6_RECVTCLASS,
          IPV6_RECVHOPLIMIT, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO};
}

class UdpWire final : public Wire {
 public:
  UdpWire(Descriptor socket, const Gid& own)
      : socket_(std::move(socket)), own_(own), family_(is_ipv4_mapped(own) ? IpFamily::four : IpFamily::six) {}

  IoResult send(Bytes frame, Time) override {
    const auto path = udp_path_of(frame, family_);
    // What is no packet of this family (ARP, solicitation) the system does itself.
    if (!path) return {Status::done, frame.size(), {}};
    const SocketAddress to = socket_address(path->destination, rocev2_port);
    Bytes payload = frame.subspan(payload_at());
    iovec data{const_cast<std::uint8_t*>(payload.data()), payload.size()};
    Beside beside;
    msghdr message{};
    message.msg_name = const_cast<sockaddr*>(to.data());
    message.msg_namelen = to.size();
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = beside.octets.data();
    message.msg_controllen = beside.octets.size();
    const Names names = names_of(family_);
    cmsghdr* one = CMSG_FIRSTHDR(&message);
    const auto add = [&](int type, int value) {
      one->cmsg_level = names.level;
      one->cmsg_type = type;
      one->cmsg_len = CMSG_LEN(sizeof value);
      std::memcpy(CMSG_DATA(one), &value, sizeof value);
      one = CMSG_NXTHDR(&message, one);
    };
    add(names.traffic_class, path->traffic_class.value);
    add(names.hop_limit, path->hop_limit);
    return outcome_of_send(sendmsg(socket_.number(), &message, 0), frame.size(), num_too_long_);
  }

  IoResult receive(MutableBytes out, Time) override {
    if (out.size() < payload_at()) return {};
    for (;;) {
      sockaddr_storage from{};
      const MutableBytes room = out.subspan(payload_at());
      iovec data{room.data(), room.size()};
      Beside beside;
      msghdr message{};
      message.msg_name = &from;
      message.msg_namelen = sizeof from;
      message.msg_iov = &data;
      message.msg_iovlen = 1;
      message.msg_control = beside.octets.data();
      message.msg_controllen = beside.octets.size();
      const ssize_t got = recvmsg(socket_.number(), &message, 0);
      // Of a packet that was sent before: nobody was there.
      if (got < 0 && (errno == EINTR || errno == ECONNREFUSED || errno == EHOSTUNREACH || errno == ENETUNREACH))
        continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
      if (got < 0) return {Status::failed, 0, {"receive a packet", errno}};
      return {Status::done,
              complete(out, SocketAddress(from, message.msg_namelen), message, static_cast<std::size_t>(got)),
              {}};
    }
  }

  int descriptor() const override { return socket_.number(); }
  std::optional<MadeUpLink> made_up_link() const override {
    MadeUpLink out = made_up;
    out.udp_source_port = UdpPort{rocev2_port};
    return out;
  }
  std::uint64_t num_too_long() const override { return num_too_long_; }
  std::string text() const override { return "UDP port 4791 of " + ip_text(own_); }

 private:
  std::size_t payload_at() const { return link_len + ip_len(family_) + udp_len; }

  // Writes the headers before the payload; the octets of the frame.
  std::size_t complete(MutableBytes out, const SocketAddress& from, msghdr& message, std::size_t payload_len) const {
    IpPath path{gid_of(from), own_};
    const Names names = names_of(family_);
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
      if (one->cmsg_level != names.level) continue;
      // IPv4's traffic class comes as an octet, all else as an int.
      int value = 0;
      if (one->cmsg_len == CMSG_LEN(1)) {
        value = *CMSG_DATA(one);
      } else {
        std::memcpy(&value, CMSG_DATA(one), sizeof value);
      }
      if (one->cmsg_type == names.traffic_class) path.traffic_class = {static_cast<std::uint8_t>(value)};
      if (one->cmsg_type == names.hop_limit) path.hop_limit = static_cast<std::uint8_t>(value);
    }
    write_link(out, made_up.peers, made_up.own, family_);
    write_ip(out, path, net::IpProtocol::udp, family_, udp_len + payload_len);
    net::Udp udp;
    udp.source_port = {from.port()};
    udp.destination_port = {rocev2_port};
    udp.length = static_cast<std::uint16_t>(udp_len + payload_len);
    encode(udp, out.subspan(payload_at() - udp_len).first<udp_len>());
    const std::size_t size = payload_at() + payload_len;
    if (family_ == IpFamily::four) find_identification(out.first(size));
    return size;
  }

  Descriptor socket_;
  Gid own_;
  IpFamily family_;
  std::uint64_t num_too_long_ = 0;
};

}  // namespace

OpenedWire open_udp_wire(const std::string& text) {
  const auto own = parse_ip(text);
  if (!own) return tl::unexpected(SocketError{"read the IP address", EINVAL});
  const IpFamily family = is_ipv4_mapped(*own) ? IpFamily::four : IpFamily::six;
  Descriptor socket(
      ::socket(family == IpFamily::four ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return refused("open a UDP socket");
  struct Option {
    int level;
    int name;
    int value;
  };
  const Names names = names_of(family);
  std::vector<Option> options{{names.level, names.receive_traffic_class, 1},
                              {names.level, names.receive_hop_limit, 1},
                              {names.level, names.discover_mtu, names.never_fragment}};
  // No checksum of UDP, which IPv6's sockets would insist on.
  //= V2-15
  if (family == IpFamily::four) {
    options.push_back({SOL_SOCKET, SO_NO_CHECK, 1});
  } else {
    options.push_back({IPPROTO_UDP, UDP_NO_CHECK6_TX, 1});
    options.push_back({IPPROTO_UDP, UDP_NO_CHECK6_RX, 1});
  }
  for (const Option& option : options) {
    if (setsockopt(socket.number(), option.level, option.name, &option.value, sizeof option.value) != 0) {
      return refused("prepare the UDP socket");
    }
  }
  enlarge_buffers(socket.number());
  const SocketAddress at = socket_address(*own, rocev2_port);
  if (bind(socket.number(), at.data(), at.size()) != 0) return refused("take UDP port 4791");
  return std::make_unique<UdpWire>(std::move(socket), *own);
}

}  // namespace rdmawire::wire
