// Internet Protocol version 4: RFC 791, 3.1. Its checksum: checksum.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/net/types.h"

namespace rdmawire::net {

struct Ipv4 {
  std::uint8_t version{};  // 4
  std::uint8_t ihl{};      // words of 4 octets with the options; 5 and more
  TrafficClass traffic_class{};
  std::uint16_t total_length{};  // octets from the first of this header
  std::uint16_t identification{};
  bool reserved_flag{};
  bool dont_fragment{};
  bool more_fragments{};
  std::uint16_t fragment_offset{};  // units of 8 octets
  std::uint8_t time_to_live{};
  IpProtocol protocol{};
  std::uint16_t checksum{};
  Ipv4Address source{};
  Ipv4Address destination{};

  constexpr bool is_fragment() const { return more_fragments || fragment_offset != 0; }
};

constexpr auto layout(std::type_identity<Ipv4>) {
  return Layout(
      Layer::ipv4,  //
      field<&Ipv4::version, 4>("ip.version", "Version"),
      field<&Ipv4::ihl, 4>("rdma.ip.ihl", "Internet header length, in words"),
      field<&Ipv4::traffic_class, 8>("ip.dsfield", "Differentiated services field").as(Display::hex),
      part("ip.dsfield.dscp", "Differentiated services codepoint", 0, 6),
      part("ip.dsfield.ecn", "Explicit congestion notification", 6, 2).named([](std::uint64_t raw) {
        return name_of(static_cast<Ecn>(raw));
      }),
      field<&Ipv4::total_length, 16>("ip.len", "Total length"),
      field<&Ipv4::identification, 16>("ip.id", "Identification").as(Display::hex), whole("ip.flags", "Flags", 3),  //
      field<&Ipv4::reserved_flag, 1>("ip.flags.rb", "Reserved bit").reserved(),
      field<&Ipv4::dont_fragment, 1>("ip.flags.df", "Don't fragment"),
      field<&Ipv4::more_fragments, 1>("ip.flags.mf", "More fragments"),
      field<&Ipv4::fragment_offset, 13>("ip.frag_offset", "Fragment offset"),
      field<&Ipv4::time_to_live, 8>("ip.ttl", "Time to live"), field<&Ipv4::protocol, 8>("ip.proto", "Protocol"),
      field<&Ipv4::checksum, 16>("ip.checksum", "Header checksum").as(Display::hex),
      field<&Ipv4::source, 32>("ip.src", "Source address"),
      field<&Ipv4::destination, 32>("ip.dst", "Destination address"));
}
static_assert(header_size<Ipv4> == 20);

// Octets of the header with its options, by its own length field; less than header_size<Ipv4> if that is wrong.
constexpr std::size_t full_size(const Ipv4& header) { return 4U * header.ihl; }

}  // namespace rdmawire::net
