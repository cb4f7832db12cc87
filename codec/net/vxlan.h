// Virtual eXtensible LAN, over UDP: RFC 7348, 5; the group policy fields: draft-smith-vxlan-group-policy. An Ethernet
// header follows.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/types.h"

namespace rdmawire::net {

inline constexpr UdpPort vxlan_port{4789};

struct Vxlan {
  bool group_policy{};  // G: the group policy ID counts
  std::uint8_t reserved3{};
  bool vni_valid{};  // I: always set
  std::uint8_t reserved4{};
  bool dont_learn{};  // D
  std::uint8_t reserved2{};
  bool policy_applied{};  // A
  std::uint8_t reserved3b{};
  std::uint16_t group_policy_id{};
  std::uint32_t vni{};  // VXLAN network identifier
  std::uint8_t reserved8{};
};

constexpr auto layout(std::type_identity<Vxlan>) {
  return Layout(Layer::vxlan,  //
                whole("vxlan.flags", "Flags", 16), field<&Vxlan::group_policy, 1>("vxlan.flag_g", "Group policy"),
                field<&Vxlan::reserved3, 3>("rdma.vxlan.reserved3", "Reserved (3 bits)").reserved(),
                field<&Vxlan::vni_valid, 1>("vxlan.flag_i", "Network identifier valid"),
                field<&Vxlan::reserved4, 4>("rdma.vxlan.reserved4", "Reserved (4 bits)").reserved(),
                field<&Vxlan::dont_learn, 1>("vxlan.flag_d", "Don't learn"),
                field<&Vxlan::reserved2, 2>("rdma.vxlan.reserved2", "Reserved (2 bits)").reserved(),
                field<&Vxlan::policy_applied, 1>("vxlan.flag_a", "Policy applied"),
                field<&Vxlan::reserved3b, 3>("rdma.vxlan.reserved3b", "Reserved (last 3 bits)").reserved(),
                field<&Vxlan::group_policy_id, 16>("vxlan.gbp", "Group policy ID"),
                field<&Vxlan::vni, 24>("vxlan.vni", "VXLAN network identifier"),
                field<&Vxlan::reserved8, 8>("vxlan.reserved8", "Reserved (8 bits)").reserved());
}
static_assert(header_size<Vxlan> == 8);

}  // namespace rdmawire::net
