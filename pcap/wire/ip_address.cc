#include "pcap/wire/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "codec/ib/gid.h"

namespace rdmawire::wire {
namespace {

constexpr std::uint8_t mapped_bits = 96;  // of a GID, before an IPv4 address

}  // namespace

std::optional<Gid> parse_ip(std::string_view text) {
  const std::string copy(text);
  Ipv4Address four;
  if (inet_pton(AF_INET, copy.c_str(), four.octets.data()) == 1) return ib::gid_of(four);
  Gid six;
  if (inet_pton(AF_INET6, copy.c_str(), six.octets.data()) == 1) return six;
  return std::nullopt;
}

std::string ip_text(const Gid& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_ipv4_mapped(address)) {
    inet_ntop(AF_INET, address.octets.data() + mapped_bits / 8, text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, address.octets.data(), text.data(), text.size());
  }
  return text.data();
}

SocketAddress socket_address(const Gid& address, std::uint16_t port) {
  sockaddr_storage out{};
  if (is_ipv4_mapped(address)) {
    auto& four = reinterpret_cast<sockaddr_in&>(out);
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    std::memcpy(&four.sin_addr, address.octets.data() + mapped_bits / 8, 4);
    return {out, sizeof four};
  }
  auto& six = reinterpret_cast<sockaddr_in6&>(out);
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  std::memcpy(&six.sin6_addr, address.octets.data(), 16);
  return {out, sizeof six};
}

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

bool IpPrefix::has(const Gid& other) const {
  for (unsigned bit = 0; bit < length; bit += 8) {
    const unsigned rest = std::min(8U, length - bit);
    const unsigned mask = 0xFFU << (8 - rest) & 0xFFU;
    if (((address.octets[bit / 8] ^ other.octets[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

std::optional<IpPrefix> parse_prefix(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = parse_ip(text.substr(0, slash));
  if (!address) return std::nullopt;
  const bool four = is_ipv4_mapped(*address);
  unsigned length = four ? 24 : 64;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || length > (four ? 32U : 128U)) {
      return std::nullopt;
    }
  }
  return IpPrefix{*address, static_cast<std::uint8_t>(length + (four ? mapped_bits : 0U))};
}

std::optional<MacAddress> parse_mac(std::string_view text) {
  MacAddress out;
  if (text.size() != 17) return std::nullopt;
  for (std::size_t i = 0; i < out.octets.size(); ++i) {
    const char* at = text.data() + 3 * i;
    const auto read = std::from_chars(at, at + 2, out.octets[i], 16);
    if (read.ec != std::errc{} || read.ptr != at + 2) return std::nullopt;
    if (i + 1 < out.octets.size() && at[2] != ':' && at[2] != '-') return std::nullopt;
  }
  return out;
}

std::string mac_text(const MacAddress& mac) {
  const auto& o = mac.octets;
  std::array<char, 18> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", o[0], o[1], o[2], o[3], o[4], o[5]);
  return text.data();
}

}  // namespace rdmawire::wire
