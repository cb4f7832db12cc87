#include "pcap/wire/socket_address.h"

#include <netdb.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

namespace rdmawire::wire {

std::string to_string(const SocketError& error) {
  return std::string(error.action) + ": " + std::generic_category().message(error.os_error);
}

SocketResult<SocketAddress> SocketAddress::resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) {
    return tl::unexpected(SocketError{"resolve the address", failed == EAI_SYSTEM ? errno : EADDRNOTAVAIL});
  }
  SocketAddress out;
  std::memcpy(&out.storage_, found->ai_addr, found->ai_addrlen);
  out.size_ = found->ai_addrlen;
  freeaddrinfo(found);
  return out;
}

SocketResult<SocketAddress> SocketAddress::parse(std::string_view text) {
  const tl::unexpected wrong(SocketError{"read the address", EINVAL});
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') != host.ends_with(']')) return wrong;
  if (host.starts_with('[')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return wrong;  // an IPv6 address: what is its last group, and what the port?
  }
  std::uint16_t port = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (host.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return wrong;
  return resolve(std::string(host), port);
}

std::uint16_t SocketAddress::port() const {
  if (is_ipv6()) return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
}

std::string SocketAddress::text() const {
  std::array<char, NI_MAXHOST> host{};
  if (getnameinfo(data(), size_, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "?";
  const std::string digits = std::to_string(port());
  return is_ipv6() ? "[" + std::string(host.data()) + "]:" + digits : std::string(host.data()) + ":" + digits;
}

}  // namespace rdmawire::wire
