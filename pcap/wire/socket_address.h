// Addresses of sockets, and what the operating system refuses, as values.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace rdmawire::wire {

// os_error is an errno (of a name that cannot be resolved: EADDRNOTAVAIL). What the caller does about it is the same
// for all: it tells, and gives up this socket.
struct SocketError {
  std::string_view action;  // what was refused: "connect", "listen", ...
  int os_error = 0;
  friend bool operator==(const SocketError&, const SocketError&) = default;
};

// One line for people: "connect: Connection refused".
std::string to_string(const SocketError& error);

template <class T>
using SocketResult = tl::expected<T, SocketError>;

// An IPv4 or IPv6 address and a port.
class SocketAddress {
 public:
  SocketAddress() = default;
  SocketAddress(const sockaddr_storage& storage, socklen_t size) : storage_(storage), size_(size) {}

  // host: an address, with a zone if it needs one ("fe80::1%eth0"), or a name, which may take the resolver's time.
  static SocketResult<SocketAddress> resolve(const std::string& host, std::uint16_t port);
  // "192.0.2.1:7174", "[2001:db8::1]:7174", "host.example:7174"; otherwise EINVAL.
  static SocketResult<SocketAddress> parse(std::string_view text);

  bool is_ipv6() const { return storage_.ss_family == AF_INET6; }
  std::uint16_t port() const;
  // As parse() reads it.
  std::string text() const;

  int family() const { return storage_.ss_family; }
  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

}  // namespace rdmawire::wire
