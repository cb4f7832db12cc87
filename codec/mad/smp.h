// Subnet management packets: IBTA vol. 1, 14.2.1.1 (LID routed) and 14.2.1.2 (directed route). Attributes: 14.2.5.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::mad {

// Guards the attributes of a port: 14.2.4.
using MKey = Identifier<struct MKeyTag, std::uint64_t>;

// 14.2.5, those with a layout here.
enum class SmpAttribute : std::uint16_t {
  notice = 0x0002,
  node_description = 0x0010,
  node_info = 0x0011,
  switch_info = 0x0012,
  guid_info = 0x0014,
  port_info = 0x0015,
  pkey_table = 0x0016,
  sl_to_vl = 0x0017,
  vl_arbitration = 0x0018,
  linear_forwarding = 0x0019,
  multicast_forwarding = 0x001B,
  sm_info = 0x0020,
};

inline constexpr std::array smp_attribute_names{
    Name{SmpAttribute::notice, "Notice"},
    Name{SmpAttribute::node_description, "NodeDescription"},
    Name{SmpAttribute::node_info, "NodeInfo"},
    Name{SmpAttribute::switch_info, "SwitchInfo"},
    Name{SmpAttribute::guid_info, "GUIDInfo"},
    Name{SmpAttribute::port_info, "PortInfo"},
    Name{SmpAttribute::pkey_table, "P_KeyTable"},
    Name{SmpAttribute::sl_to_vl, "SLtoVLMappingTable"},
    Name{SmpAttribute::vl_arbitration, "VLArbitrationTable"},
    Name{SmpAttribute::linear_forwarding, "LinearForwardingTable"},
    Name{SmpAttribute::multicast_forwarding, "MulticastForwardingTable"},
    Name{SmpAttribute::sm_info, "SMInfo"},
};

constexpr std::string_view name_of(SmpAttribute value) { return find_name(smp_attribute_names, value); }

// After the common header of a LID routed SMP; 64 octets of attribute follow, and 128 reserved ones.
struct SmpLid {
  MKey m_key{};
  std::array<std::uint8_t, 32> reserved8{};
};

constexpr auto layout(std::type_identity<SmpLid>) {
  return Layout(Layer::smp_lid,  //
                field<&SmpLid::m_key, 64>("infiniband.smplid.mkey", "Management key").as(Display::hex),
                field<&SmpLid::reserved8, 256>("rdma.smp_lid.reserved8", "Reserved (32 octets)").reserved());
}
static_assert(header_size<SmpLid> == 40);

// What a directed route SMP has in place of the common header's status and class-specific field (octets 4 to 7).
struct SmpDrStatus {
  bool direction{};  // false outbound, true inbound
  std::uint16_t status{};
  std::uint8_t hop_pointer{};
  std::uint8_t hop_count{};  // links of the directed part
};

constexpr auto layout(std::type_identity<SmpDrStatus>) {
  return Layout(
      Layer::smp_dr_status,  //
      field<&SmpDrStatus::direction, 1>("infiniband.smpdirected.d", "Direction").as(Display::hex, 8),
      field<&SmpDrStatus::status, 15>("infiniband.smpdirected.smpstatus", "Status").as(Display::hex),
      field<&SmpDrStatus::hop_pointer, 8>("infiniband.smpdirected.hoppointer", "Hop pointer").as(Display::hex),
      field<&SmpDrStatus::hop_count, 8>("infiniband.smpdirected.hopcount", "Hop count").as(Display::hex));
}
static_assert(header_size<SmpDrStatus> == 4);

// After the common header of a directed route SMP; 64 octets of attribute follow, then SmpDrPaths.
struct SmpDr {
  MKey m_key{};
  Lid dr_slid{};  // 0xFFFF: no LID routed part there
  Lid dr_dlid{};
  std::array<std::uint8_t, 28> reserved12{};
};

constexpr auto layout(std::type_identity<SmpDr>) {
  return Layout(
      Layer::smp_dr,  //
      field<&SmpDr::m_key, 64>("infiniband.smplid.mkey", "Management key").as(Display::hex),
      field<&SmpDr::dr_slid, 16>("infiniband.smpdirected.drslid", "Directed route source LID").as(Display::hex),
      field<&SmpDr::dr_dlid, 16>("infiniband.smpdirected.drdlid", "Directed route destination LID").as(Display::hex),
      field<&SmpDr::reserved12, 224>("rdma.smp_dr.reserved12", "Reserved (28 octets)").reserved());
}
static_assert(header_size<SmpDr> == 40);

// The ports that a directed route SMP leaves by; entry 0 is unused.
struct SmpDrPaths {
  std::array<std::uint8_t, 64> initial_path{};
  std::array<std::uint8_t, 64> return_path{};
};

constexpr auto layout(std::type_identity<SmpDrPaths>) {
  return Layout(Layer::smp_dr_paths,  //
                field<&SmpDrPaths::initial_path, 512>("infiniband.smpdirected.initialpath", "Initial path"),
                field<&SmpDrPaths::return_path, 512>("infiniband.smpdirected.returnpath", "Return path"));
}
static_assert(header_size<SmpDrPaths> == 128);

}  // namespace rdmawire::mad
