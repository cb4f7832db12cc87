// The CRCs at a packet's end as they lie on the wire: IBTA vol. 1, 7.8. Their values: icrc.h.
// They are sent least significant octet first; as numbers they are shown in the order of the wire, as Wireshark does.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct Icrc {
  std::uint32_t crc{};
};

constexpr auto layout(std::type_identity<Icrc>) {
  return Layout(Layer::icrc, field<&Icrc::crc, 32>("infiniband.invariant.crc", "Invariant CRC").as(Display::hex));
}
static_assert(header_size<Icrc> == 4);

struct Vcrc {
  std::uint16_t crc{};
};

constexpr auto layout(std::type_identity<Vcrc>) {
  return Layout(Layer::vcrc, field<&Vcrc::crc, 16>("infiniband.variant.crc", "Variant CRC").as(Display::hex));
}
static_assert(header_size<Vcrc> == 2);

}  // namespace rdmawire::ib
