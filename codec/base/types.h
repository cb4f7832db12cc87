// Numbers with types: what is counted, and how many bits it has on the wire.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace rdmawire {

// A sequence number of so many bits that wraps (IBTA vol. 1, 9.7.1: PSN; 9.7.7.1: MSN; RFC 5041, 4.3: MSN). There is
// no operator<: order only exists inside a window, so say which one: precedes, distance or in_window.
//= PSN-01, MSN-08
template <class Tag, unsigned bits>
struct Sequence {
  static_assert(bits >= 2 && bits <= 32);
  static constexpr std::uint64_t modulus = std::uint64_t{1} << bits;
  static constexpr std::uint32_t mask = static_cast<std::uint32_t>(modulus - 1);

  std::uint32_t value{};

  friend constexpr bool operator==(Sequence, Sequence) = default;

  constexpr Sequence operator+(std::uint32_t n) const { return {(value + n) & mask}; }
  constexpr Sequence operator-(std::uint32_t n) const { return {(value - n) & mask}; }
  constexpr Sequence& operator++() { return *this = *this + 1; }

  // How far to go forward from here to reach other: 0 .. 2^bits - 1.
  constexpr std::uint32_t forward_to(Sequence other) const { return (other.value - value) & mask; }
  // Signed distance from here to other: -2^(bits-1) .. 2^(bits-1) - 1.
  //= PSN-02
  constexpr std::int32_t distance_to(Sequence other) const {
    const std::int64_t d = forward_to(other);
    return static_cast<std::int32_t>(
        d < static_cast<std::int64_t>(modulus / 2) ? d : d - static_cast<std::int64_t>(modulus));
  }
  // True if this comes before other in the half of the number space that ends at other.
  constexpr bool precedes(Sequence other) const { return distance_to(other) > 0; }
  // True if this is one of the count numbers that begin with first.
  constexpr bool in_window(Sequence first, std::uint32_t count) const { return first.forward_to(*this) < count; }
};

using Psn = Sequence<struct PsnTag, 24>;
using Msn = Sequence<struct MsnTag, 24>;
//= DDP-5041-4.3-07
using DdpMsn = Sequence<struct DdpMsnTag, 32>;  // of one queue and direction; the first message has 1

// A number that is only compared, never computed with.
template <class Tag, class Raw>
struct Identifier {
  Raw value{};
  friend constexpr auto operator<=>(Identifier, Identifier) = default;
};

using Qpn = Identifier<struct QpnTag, std::uint32_t>;              // 24 bits; 0 SMI, 1 GSI, 0xFFFFFF multicast
using EeContext = Identifier<struct EeContextTag, std::uint32_t>;  // 24 bits, reliable datagram
using Srqn = Identifier<struct SrqnTag, std::uint32_t>;            // 24 bits, XRC shared receive queue
using QKey = Identifier<struct QKeyTag, std::uint32_t>;
using Lid = Identifier<struct LidTag, std::uint16_t>;
using Guid = Identifier<struct GuidTag, std::uint64_t>;
using CommunicationId = Identifier<struct CommunicationIdTag, std::uint32_t>;
using ServiceId = Identifier<struct ServiceIdTag, std::uint64_t>;
using VirtualAddress = Identifier<struct VirtualAddressTag, std::uint64_t>;
using TaggedOffset = Identifier<struct TaggedOffsetTag, std::uint64_t>;  // octets, in the buffer that an STag names
using QueueNumber = Identifier<struct QueueNumberTag, std::uint32_t>;    // of DDP's untagged buffers
using UdpPort = Identifier<struct UdpPortTag, std::uint16_t>;
using TcpPort = Identifier<struct TcpPortTag, std::uint16_t>;
using SctpPort = Identifier<struct SctpPortTag, std::uint16_t>;

// Partition key: bit 15 says full member, the rest is the partition (IBTA vol. 1, 10.9.1).
struct PKey {
  std::uint16_t value{};
  friend constexpr auto operator<=>(PKey, PKey) = default;
  constexpr bool full_member() const { return (value & 0x8000U) != 0; }
};

// Remote key: a 24-bit index that the device gives and 8 bits of key that the consumer may change.
struct RKey {
  std::uint32_t value{};
  friend constexpr auto operator<=>(RKey, RKey) = default;
  constexpr std::uint32_t index() const { return value >> 8; }
  constexpr std::uint8_t key() const { return static_cast<std::uint8_t>(value); }
};

// Steering tag: like an RKey (RFC 5040, 1.3; the split into index and key: RFC 5042, 6.1.1, and the verbs).
struct Stag {
  std::uint32_t value{};
  friend constexpr auto operator<=>(Stag, Stag) = default;
  constexpr std::uint32_t index() const { return value >> 8; }
  constexpr std::uint8_t key() const { return static_cast<std::uint8_t>(value); }
};

template <class Tag, std::size_t N>
struct Address {
  std::array<std::uint8_t, N> octets{};
  friend constexpr auto operator<=>(const Address&, const Address&) = default;
};

using MacAddress = Address<struct MacAddressTag, 6>;
using Ipv4Address = Address<struct Ipv4AddressTag, 4>;
using Ipv6Address = Address<struct Ipv6AddressTag, 16>;
using Gid = Address<struct GidTag, 16>;

// True for ::ffff:a.b.c.d, the form a RoCE port's GID has for an IPv4 address (IBTA A17.4.1).
constexpr bool is_ipv4_mapped(const Gid& gid) {
  for (std::size_t i = 0; i < 10; ++i) {
    if (gid.octets[i] != 0) return false;
  }
  return gid.octets[10] == 0xFF && gid.octets[11] == 0xFF;
}

}  // namespace rdmawire
