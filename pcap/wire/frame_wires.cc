#include "pcap/wire/frame_wires.h"

#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

// What a burst of a whole window takes, with the system's own overhead for each frame.
constexpr int socket_buffer_len = 8 << 20;

tl::unexpected<SocketError> refused(std::string_view action) { return tl::unexpected(SocketError{action, errno}); }

// What an error of send or receive means: a frame that got lost, as frames may, or the end of the wire.
bool is_passing(int error) {
  return error == ECONNREFUSED || error == ENOBUFS || error == ENOMEM || error == EINTR || error == EMSGSIZE ||
         error == EHOSTUNREACH || error == ENETUNREACH;
}

// One that reads and writes a frame with each system call.
class DescriptorWire : public Wire {
 public:
  // ends: no octets may be the other side's end, and not an empty datagram.
  DescriptorWire(Descriptor descriptor, std::string text, bool ends = false)
      : descriptor_(std::move(descriptor)), text_(std::move(text)), ends_(ends) {}

  IoResult send(Bytes frame, Time) override {
    const ssize_t sent = write(descriptor_.number(), frame.data(), frame.size());
    if (sent >= 0) return {Status::done, frame.size(), {}};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {};
    num_too_long_ += errno == EMSGSIZE;
    if (is_passing(errno)) return {Status::done, frame.size(), {}};
    return {Status::failed, 0, {"send a frame", errno}};
  }
  IoResult receive(MutableBytes out, Time) override {
    for (;;) {
      const ssize_t got = read(descriptor_.number(), out.data(), out.size());
      if (got > 0) return {Status::done, static_cast<std::size_t>(got), {}};
      if (got == 0) {
        if (ends_ && has_ended()) return {Status::failed, 0, {"receive a frame", ECONNRESET}};
        continue;  // a datagram that says nothing
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {};
      if (!is_passing(errno)) return {Status::failed, 0, {"receive a frame", errno}};
    }
  }
  int descriptor() const override { return descriptor_.number(); }
  std::uint64_t num_too_long() const override { return num_too_long_; }
  std::string text() const override { return text_; }

 private:
  bool has_ended() const {
    pollfd one{descriptor_.number(), POLLRDHUP, 0};
    return poll(&one, 1, 0) > 0 && one.revents != 0;
  }

 protected:
  Descriptor descriptor_;
  std::string text_;
  bool ends_;
  std::uint64_t num_too_long_ = 0;
};

class PacketWire final : public DescriptorWire {
 public:
  using DescriptorWire::DescriptorWire;

  IoResult receive(MutableBytes out, Time) override {
    for (;;) {
      sockaddr_ll from{};
      socklen_t size = sizeof from;
      const ssize_t got =
          recvfrom(descriptor_.number(), out.data(), out.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
      if (got < 0) return {Status::failed, 0, {"receive a frame", errno}};
      // What this machine sends itself, this wire included.
      if (from.sll_pkttype == PACKET_OUTGOING) continue;
      return {Status::done, static_cast<std::size_t>(got), {}};
    }
  }
};

bool set_nonblocking(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

bool copy_name(const std::string& interface, ifreq& request) {
  if (interface.size() >= sizeof request.ifr_name) {
    errno = ENODEV;
    return false;
  }
  std::ranges::copy(interface, request.ifr_name);
  return true;
}

}  // namespace

void enlarge_buffers(int descriptor) {
  for (const auto& [forced, plain] : {std::pair{SO_RCVBUFFORCE, SO_RCVBUF}, std::pair{SO_SNDBUFFORCE, SO_SNDBUF}}) {
    // As much as the system allows is enough to work with.
    if (setsockopt(descriptor, SOL_SOCKET, forced, &socket_buffer_len, sizeof socket_buffer_len) == 0) continue;
    static_cast<void>(setsockopt(descriptor, SOL_SOCKET, plain, &socket_buffer_len, sizeof socket_buffer_len));
  }
}

OpenedWire open_packet_wire(const std::string& interface) {
  const unsigned index = if_nametoindex(interface.c_str());
  if (index == 0) return refused("look for the interface");
  Descriptor descriptor(socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor.is_open()) return refused("open a packet socket");
  const int on = 1;
  static_cast<void>(setsockopt(descriptor.number(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on));
  enlarge_buffers(descriptor.number());
  // The own MAC address is none of the interface's.
  packet_mreq promiscuous{};
  promiscuous.mr_ifindex = static_cast<int>(index);
  promiscuous.mr_type = PACKET_MR_PROMISC;
  if (setsockopt(descriptor.number(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous) != 0) {
    return refused("receive frames for other addresses");
  }
  sockaddr_ll at{};
  at.sll_family = AF_PACKET;
  at.sll_protocol = __builtin_bswap16(ETH_P_ALL);
  at.sll_ifindex = static_cast<int>(index);
  if (bind(descriptor.number(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) {
    return refused("bind to the interface");
  }
  return std::make_unique<PacketWire>(std::move(descriptor), "interface " + interface);
}

OpenedWire open_tap_wire(const std::string& interface) {
  Descriptor descriptor(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor.is_open()) return refused("open /dev/net/tun");
  ifreq request{};
  if (!copy_name(interface, request)) return refused("make the TAP device");
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (ioctl(descriptor.number(), TUNSETIFF, &request) != 0) return refused("make the TAP device");
  const Descriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (ioctl(control.number(), SIOCGIFFLAGS, &request) != 0) return refused("ask for the TAP device");
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  if (ioctl(control.number(), SIOCSIFFLAGS, &request) != 0) return refused("set the TAP device up");
  return std::make_unique<DescriptorWire>(std::move(descriptor), "TAP device " + interface);
}

OpenedWire open_datagram_wire(std::string_view local, std::string_view remote) {
  const auto at = SocketAddress::parse(local);
  if (!at) return tl::unexpected(at.error());
  const auto to = SocketAddress::parse(remote);
  if (!to) return tl::unexpected(to.error());
  Descriptor descriptor(socket(at->family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor.is_open()) return refused("open a datagram socket");
  enlarge_buffers(descriptor.number());
  if (bind(descriptor.number(), at->data(), at->size()) != 0) return refused("bind");
  if (connect(descriptor.number(), to->data(), to->size()) != 0) return refused("connect");
  return std::make_unique<DescriptorWire>(std::move(descriptor), "datagrams to " + to->text());
}

std::unique_ptr<Wire> datagram_wire(Descriptor descriptor, std::string text) {
  int domain = 0;
  socklen_t size = sizeof domain;
  const bool known = getsockopt(descriptor.number(), SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0;
  return std::make_unique<DescriptorWire>(std::move(descriptor), std::move(text), known && domain == AF_UNIX);
}

OpenedWire adopt_datagram_wire(int number) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return refused("use the descriptor");
  // Frames have no length of their own: a stream would join them.
  if (type == SOCK_STREAM) return tl::unexpected(SocketError{"use the descriptor as a datagram socket", EPROTOTYPE});
  if (!set_nonblocking(number)) return refused("use the descriptor");
  enlarge_buffers(number);
  return datagram_wire(Descriptor(number), "descriptor " + std::to_string(number));
}

}  // namespace rdmawire::wire
