// SwitchInfo: IBTA vol. 1, 14.2.5.4.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct SwitchInfo {
  std::uint16_t linear_fdb_cap{};     // entries
  std::uint16_t random_fdb_cap{};     // entries
  std::uint16_t multicast_fdb_cap{};  // entries
  std::uint16_t linear_fdb_top{};
  std::uint8_t default_port{};
  std::uint8_t default_multicast_primary_port{};
  std::uint8_t default_multicast_not_primary_port{};
  std::uint8_t lifetime_value{};  // 4.096 us * 2^n; over 19: no limit
  bool port_state_change{};
  std::uint8_t optimized_sl_to_vl{};
  std::uint16_t lids_per_port{};
  std::uint16_t partition_enforcement_cap{};  // entries
  bool inbound_enforcement_cap{};
  bool outbound_enforcement_cap{};
  bool filter_raw_inbound_cap{};
  bool filter_raw_outbound_cap{};
  bool enhanced_port0{};
  std::uint8_t reserved16{};
  std::uint8_t reserved17{};
  std::uint16_t multicast_fdb_top{};
};

constexpr auto layout(std::type_identity<SwitchInfo>) {
  return Layout(
      Layer::switch_info,  //
      field<&SwitchInfo::linear_fdb_cap, 16>("infiniband.switchinfo.linearfdbcap", "Linear forwarding table capacity")
          .as(Display::hex),
      field<&SwitchInfo::random_fdb_cap, 16>("infiniband.switchinfo.randomfdbcap", "Random forwarding table capacity")
          .as(Display::hex),
      field<&SwitchInfo::multicast_fdb_cap, 16>("infiniband.switchinfo.multicastfdbcap",
                                                "Multicast forwarding table capacity")
          .as(Display::hex),
      field<&SwitchInfo::linear_fdb_top, 16>("infiniband.switchinfo.linearfdbtop", "Top of the linear forwarding table")
          .as(Display::hex),
      field<&SwitchInfo::default_port, 8>("infiniband.switchinfo.defaultport", "Default port").as(Display::hex),
      field<&SwitchInfo::default_multicast_primary_port, 8>("infiniband.switchinfo.defaultmulticastprimaryport",
                                                            "Default multicast primary port")
          .as(Display::hex),
      field<&SwitchInfo::default_multicast_not_primary_port, 8>("infiniband.switchinfo.defaultmulticastnotprimaryport",
                                                                "Default multicast not primary port")
          .as(Display::hex),
      field<&SwitchInfo::lifetime_value, 5>("infiniband.switchinfo.lifetimevalue", "Packet lifetime in the switch")
          .as(Display::hex),
      field<&SwitchInfo::port_state_change, 1>("infiniband.switchinfo.portstatechange", "Port state change")
          .as(Display::hex),
      field<&SwitchInfo::optimized_sl_to_vl, 2>("infiniband.switchinfo.optimizedsltovlmappingprogramming",
                                                "Optimized SL to VL mapping programming")
          .as(Display::hex),
      field<&SwitchInfo::lids_per_port, 16>("infiniband.switchinfo.lidsperport", "LIDs per port").as(Display::hex),
      field<&SwitchInfo::partition_enforcement_cap, 16>("infiniband.switchinfo.partitionenforcementcap",
                                                        "Partition enforcement capacity")
          .as(Display::hex),
      field<&SwitchInfo::inbound_enforcement_cap, 1>("infiniband.switchinfo.inboundenforcementcap",
                                                     "Inbound partition enforcement")
          .as(Display::hex),
      field<&SwitchInfo::outbound_enforcement_cap, 1>("infiniband.switchinfo.outboundenforcementcap",
                                                      "Outbound partition enforcement")
          .as(Display::hex),
      field<&SwitchInfo::filter_raw_inbound_cap, 1>("infiniband.switchinfo.filterrawinboundcap", "Inbound raw filter")
          .as(Display::hex),
      field<&SwitchInfo::filter_raw_outbound_cap, 1>("infiniband.switchinfo.filterrawoutboundcap",
                                                     "Outbound raw filter")
          .as(Display::hex),
      field<&SwitchInfo::enhanced_port0, 1>("infiniband.switchinfo.enhancedportzero", "Enhanced port 0")
          .as(Display::hex),
      field<&SwitchInfo::reserved16, 3>("rdma.switch_info.reserved16", "Reserved (3 bits)").reserved(),
      field<&SwitchInfo::reserved17, 8>("rdma.switch_info.reserved17", "Reserved (1 octet)").reserved(),
      field<&SwitchInfo::multicast_fdb_top, 16>("rdma.switch_info.multicast_fdb_top",
                                                "Top of the multicast forwarding table")
          .as(Display::hex));
}
static_assert(header_size<SwitchInfo> == 20);

}  // namespace rdmawire::mad
