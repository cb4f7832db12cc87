// The Internet checksum (RFC 1071) and where IPv4, UDP and TCP use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/bytes.h"
#include "codec/base/types.h"
#include "codec/net/types.h"

namespace rdmawire::net {

// The ones' complement sum of 16-bit words, of octets that come in pieces of any length, odd ones too.
class InternetChecksum {
 public:
  constexpr void add(Bytes data) {
    std::uint64_t sum = 0;
    const std::uint8_t* p = data.data();
    std::size_t left = data.size();
    // 2^16 is 1 in this arithmetic, so wider words give the same sum.
    for (; left >= 8; left -= 8, p += 8) sum += load_be<4>(p) + load_be<4>(p + 4);
    for (; left >= 2; left -= 2, p += 2) sum += load_be<2>(p);
    if (left == 1) sum += std::uint64_t{*p} << 8;
    // After an odd number of octets each lands in the other half of its word (RFC 1071, 2 (B)).
    const std::uint16_t part = fold(sum);
    sum_ += odd_ ? __builtin_bswap16(part) : part;
    odd_ = odd_ != (data.size() % 2 != 0);
  }
  // A word of a pseudo header; only after an even number of octets.
  constexpr void add_word(std::uint16_t word) { sum_ += word; }

  // Of octets that contain their own right checksum this is 0xFFFF.
  constexpr std::uint16_t sum() const { return fold(sum_); }
  // What goes into the checksum field, which was zero.
  constexpr std::uint16_t checksum() const { return static_cast<std::uint16_t>(~sum()); }

 private:
  static constexpr std::uint16_t fold(std::uint64_t sum) {
    sum = (sum >> 32) + (sum & 0xFFFFFFFF);
    sum = (sum >> 16) + (sum & 0xFFFF);
    sum = (sum >> 16) + (sum & 0xFFFF);
    sum = (sum >> 16) + (sum & 0xFFFF);
    return static_cast<std::uint16_t>(sum);
  }

  std::uint64_t sum_ = 0;
  bool odd_ = false;
};

enum class ChecksumStatus : std::uint8_t { good, bad, absent };

constexpr std::string_view name_of(ChecksumStatus status) {
  switch (status) {
    case ChecksumStatus::good:
      return "good";
    case ChecksumStatus::bad:
      return "bad";
    case ChecksumStatus::absent:
      return "absent";
  }
  return {};
}

namespace detail {

// The sum as if the 16-bit field at the given even offset were zero. The caller has checked that it lies in data.
constexpr void add_without(InternetChecksum& sum, Bytes data, std::size_t field) {
  sum.add(data.first(field));
  sum.add(data.subspan(field + 2));
}

// RFC 768, RFC 9293 3.1, RFC 8200 8.1: the same sum for both sizes of address.
template <class Address>
constexpr InternetChecksum pseudo_header(const Address& source, const Address& destination, IpProtocol protocol,
                                         std::size_t length) {
  InternetChecksum sum;
  sum.add(source.octets);
  sum.add(destination.octets);
  sum.add_word(static_cast<std::uint16_t>(length >> 16));
  sum.add_word(static_cast<std::uint16_t>(length));
  sum.add_word(static_cast<std::uint16_t>(protocol));
  return sum;
}

inline constexpr std::size_t ipv4_checksum_at = 10;
inline constexpr std::size_t udp_checksum_at = 6;
inline constexpr std::size_t tcp_checksum_at = 16;

}  // namespace detail

// The header checksum that an IPv4 header should have (RFC 791, 3.1). header: all of it, options included, at least
// 20 octets; what its checksum field holds does not count.
constexpr std::uint16_t ipv4_checksum(Bytes header) {
  InternetChecksum sum;
  detail::add_without(sum, header, detail::ipv4_checksum_at);
  return sum.checksum();
}

// good or bad; header as above.
constexpr ChecksumStatus check_ipv4(Bytes header) {
  InternetChecksum sum;
  sum.add(header);
  return sum.sum() == 0xFFFF ? ChecksumStatus::good : ChecksumStatus::bad;
}

// The checksum that a UDP datagram should have. Address: Ipv4Address or Ipv6Address. datagram: header and payload,
// exactly as many octets as its length field says, at least 8; what its checksum field holds does not count. Never 0.
template <class Address>
constexpr std::uint16_t udp_checksum(const Address& source, const Address& destination, Bytes datagram) {
  auto sum = detail::pseudo_header(source, destination, IpProtocol::udp, datagram.size());
  detail::add_without(sum, datagram, detail::udp_checksum_at);
  const std::uint16_t checksum = sum.checksum();
  return checksum == 0 ? 0xFFFF : checksum;
}

// absent if the field is 0: allowed over IPv4, and over IPv6 only in tunnels (RFC 6935) and RoCEv2 (IBTA A17).
template <class Address>
constexpr ChecksumStatus check_udp(const Address& source, const Address& destination, Bytes datagram) {
  if (load_be<2>(datagram.data() + detail::udp_checksum_at) == 0) return ChecksumStatus::absent;
  auto sum = detail::pseudo_header(source, destination, IpProtocol::udp, datagram.size());
  sum.add(datagram);
  return sum.sum() == 0xFFFF ? ChecksumStatus::good : ChecksumStatus::bad;
}

// The checksum that a TCP segment should have: header, options and payload, at least 20 octets; what its checksum
// field holds does not count.
template <class Address>
constexpr std::uint16_t tcp_checksum(const Address& source, const Address& destination, Bytes segment) {
  auto sum = detail::pseudo_header(source, destination, IpProtocol::tcp, segment.size());
  detail::add_without(sum, segment, detail::tcp_checksum_at);
  return sum.checksum();
}

// good or bad; segment as above.
template <class Address>
constexpr ChecksumStatus check_tcp(const Address& source, const Address& destination, Bytes segment) {
  auto sum = detail::pseudo_header(source, destination, IpProtocol::tcp, segment.size());
  sum.add(segment);
  return sum.sum() == 0xFFFF ? ChecksumStatus::good : ChecksumStatus::bad;
}

}  // namespace rdmawire::net
