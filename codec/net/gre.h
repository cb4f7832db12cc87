// Generic Routing Encapsulation, IP protocol 47: RFC 2784 and RFC 2890; the other flags: RFC 1701.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/net/types.h"

namespace rdmawire::net {

// After it, in this order and each only if its flag says so: GreChecksum, GreKey, GreSequence.
struct Gre {
  bool checksum_present{};     // C
  bool routing_present{};      // R, RFC 1701 only
  bool key_present{};          // K
  bool sequence_present{};     // S
  bool strict_source_route{};  // s, RFC 1701 only
  std::uint8_t recursion_control{};
  std::uint8_t reserved5{};  // its first bit is A in version 1 (PPTP, RFC 2637)
  std::uint8_t version{};    // 0
  EtherType protocol{};
};

constexpr auto layout(std::type_identity<Gre>) {
  return Layout(Layer::gre,  //
                whole("gre.flags_and_version", "Flags and version", 16),
                field<&Gre::checksum_present, 1>("gre.flags.checksum", "Checksum present"),
                field<&Gre::routing_present, 1>("gre.flags.routing", "Routing present"),
                field<&Gre::key_present, 1>("gre.flags.key", "Key present"),
                field<&Gre::sequence_present, 1>("gre.flags.sequence_number", "Sequence number present"),
                field<&Gre::strict_source_route, 1>("gre.flags.strict_source_route", "Strict source route"),
                field<&Gre::recursion_control, 3>("gre.flags.recursion_control", "Recursion control"),
                field<&Gre::reserved5, 5>("gre.flags.reserved", "Reserved (5 bits)").reserved(),
                field<&Gre::version, 3>("gre.flags.version", "Version"),
                field<&Gre::protocol, 16>("gre.proto", "Protocol type").as(Display::hex));
}
static_assert(header_size<Gre> == 4);

struct GreChecksum {
  std::uint16_t checksum{};   // InternetChecksum over the GRE header and its payload
  std::uint16_t reserved1{};  // RFC 1701: offset of the active source route entry
};

constexpr auto layout(std::type_identity<GreChecksum>) {
  return Layout(Layer::gre,  //
                field<&GreChecksum::checksum, 16>("gre.checksum", "Checksum").as(Display::hex),
                field<&GreChecksum::reserved1, 16>("gre.offset", "Reserved (16 bits), once offset").reserved());
}
static_assert(header_size<GreChecksum> == 4);

struct GreKey {
  std::uint32_t key{};
};

constexpr auto layout(std::type_identity<GreKey>) {
  return Layout(Layer::gre, field<&GreKey::key, 32>("gre.key", "Key").as(Display::hex));
}
static_assert(header_size<GreKey> == 4);

struct GreSequence {
  std::uint32_t sequence{};
};

constexpr auto layout(std::type_identity<GreSequence>) {
  return Layout(Layer::gre, field<&GreSequence::sequence, 32>("gre.sequence_number", "Sequence number"));
}
static_assert(header_size<GreSequence> == 4);

// True if full_size knows where the payload begins: version 0 without RFC 1701's source routes, which are as long
// as they like and no longer sent.
constexpr bool is_supported(const Gre& header) { return header.version == 0 && !header.routing_present; }

// Octets of the header with the optional words that its flags announce.
constexpr std::size_t full_size(const Gre& header) {
  return header_size<Gre> + (header.checksum_present ? header_size<GreChecksum> : 0) +
         (header.key_present ? header_size<GreKey> : 0) + (header.sequence_present ? header_size<GreSequence> : 0);
}

}  // namespace rdmawire::net
