// VLAN tag, after an EtherType that is_vlan: IEEE 802.1Q, 9.6. Service tags (802.1ad) have the same form.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/net/types.h"

namespace rdmawire::net {

struct Vlan {
  std::uint8_t priority{};  // PCP
  bool drop_eligible{};     // DEI; CFI before 2011
  std::uint16_t id{};       // VID; 0 says priority only
  EtherType type{};         // of what follows, or its length, see is_length
};

constexpr auto layout(std::type_identity<Vlan>) {
  return Layout(Layer::vlan,  //
                field<&Vlan::priority, 3>("vlan.priority", "Priority"),
                field<&Vlan::drop_eligible, 1>("vlan.dei", "Drop eligible indicator"),
                field<&Vlan::id, 12>("vlan.id", "VLAN identifier"),
                field<&Vlan::type, 16>("vlan.etype", "Type").as(Display::hex).when([](std::uint64_t raw) {
                  return raw > max_802_3_length;
                }),
                part("vlan.len", "Length", 0, 16).when([](std::uint64_t raw) { return raw <= max_802_3_length; }));
}
static_assert(header_size<Vlan> == 4);

}  // namespace rdmawire::net
