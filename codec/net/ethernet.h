// Ethernet header: IEEE 802.3, 3.1.1.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/net/types.h"

namespace rdmawire::net {

struct Ethernet {
  MacAddress destination{};
  MacAddress source{};
  EtherType type{};  // or the length of what follows, see is_length
};

constexpr auto layout(std::type_identity<Ethernet>) {
  return Layout(
      Layer::ethernet,  //
      field<&Ethernet::destination, 48>("eth.dst", "Destination"), field<&Ethernet::source, 48>("eth.src", "Source"),
      field<&Ethernet::type, 16>("eth.type", "Type").as(Display::hex).when([](std::uint64_t raw) {
        return raw >= min_ethertype;
      }),
      part("eth.len", "Length", 0, 16).when([](std::uint64_t raw) { return raw <= max_802_3_length; }),
      part("eth.invalid_lentype", "Neither length nor type", 0, 16).as(Display::hex).when([](std::uint64_t raw) {
        return raw > max_802_3_length && raw < min_ethertype;
      }));
}
static_assert(header_size<Ethernet> == 14);

}  // namespace rdmawire::net
