// Internet Protocol version 6: RFC 8200, 3.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/net/types.h"

namespace rdmawire::net {

struct Ipv6 {
  std::uint8_t version{};  // 6
  TrafficClass traffic_class{};
  std::uint32_t flow_label{};
  std::uint16_t payload_length{};  // octets after this header, extension headers included
  IpProtocol next_header{};
  std::uint8_t hop_limit{};
  Ipv6Address source{};
  Ipv6Address destination{};
};

constexpr auto layout(std::type_identity<Ipv6>) {
  return Layout(Layer::ipv6,  //
                field<&Ipv6::version, 4>("ipv6.version", "Version"),
                field<&Ipv6::traffic_class, 8>("ipv6.tclass", "Traffic class").as(Display::hex, 4),
                part("ipv6.tclass.dscp", "Differentiated services codepoint", 0, 6),
                part("ipv6.tclass.ecn", "Explicit congestion notification", 6, 2).named([](std::uint64_t raw) {
                  return name_of(static_cast<Ecn>(raw));
                }),
                field<&Ipv6::flow_label, 20>("ipv6.flow", "Flow label").as(Display::hex),
                field<&Ipv6::payload_length, 16>("ipv6.plen", "Payload length"),
                field<&Ipv6::next_header, 8>("ipv6.nxt", "Next header"),
                field<&Ipv6::hop_limit, 8>("ipv6.hlim", "Hop limit"),
                field<&Ipv6::source, 128>("ipv6.src", "Source address"),
                field<&Ipv6::destination, 128>("ipv6.dst", "Destination address"));
}
static_assert(header_size<Ipv6> == 40);

}  // namespace rdmawire::net
