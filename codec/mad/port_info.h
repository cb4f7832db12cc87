// PortInfo: IBTA vol. 1, 14.2.5.6.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"
#include "codec/mad/smp.h"

namespace rdmawire::mad {

// 14.2.5.6 and 7.2.
enum class PortState : std::uint8_t {
  no_change = 0,
  down = 1,
  init = 2,
  armed = 3,
  active = 4,
};

inline constexpr std::array port_state_names{
    Name{PortState::no_change, "No change"}, Name{PortState::down, "Down"},     Name{PortState::init, "Initialize"},
    Name{PortState::armed, "Armed"},         Name{PortState::active, "Active"},
};

constexpr std::string_view name_of(PortState value) { return find_name(port_state_names, value); }

// 14.2.5.6.
enum class PortPhysicalState : std::uint8_t {
  no_change = 0,
  sleep = 1,
  polling = 2,
  disabled = 3,
  training = 4,
  link_up = 5,
  recovery = 6,
  phy_test = 7,
};

inline constexpr std::array port_physical_state_names{
    Name{PortPhysicalState::no_change, "No change"},
    Name{PortPhysicalState::sleep, "Sleep"},
    Name{PortPhysicalState::polling, "Polling"},
    Name{PortPhysicalState::disabled, "Disabled"},
    Name{PortPhysicalState::training, "PortConfigurationTraining"},
    Name{PortPhysicalState::link_up, "LinkUp"},
    Name{PortPhysicalState::recovery, "LinkErrorRecovery"},
    Name{PortPhysicalState::phy_test, "PhyTest"},
};

constexpr std::string_view name_of(PortPhysicalState value) { return find_name(port_physical_state_names, value); }

// 14.2.5.6. One bit a width; enabled and supported may hold several.
enum class LinkWidth : std::uint8_t {
  x1 = 1,
  x4 = 2,
  x8 = 4,
  x12 = 8,
  x2 = 16,
};

inline constexpr std::array link_width_names{
    Name{LinkWidth::x1, "1x"},   Name{LinkWidth::x4, "4x"}, Name{LinkWidth::x8, "8x"},
    Name{LinkWidth::x12, "12x"}, Name{LinkWidth::x2, "2x"},
};

constexpr std::string_view name_of(LinkWidth value) { return find_name(link_width_names, value); }

// 14.2.5.6. One bit a speed of a lane.
enum class LinkSpeed : std::uint8_t {
  extended = 0,
  sdr = 1,
  ddr = 2,
  qdr = 4,
};

inline constexpr std::array link_speed_names{
    Name{LinkSpeed::extended, "extended"},
    Name{LinkSpeed::sdr, "2.5 Gb/s"},
    Name{LinkSpeed::ddr, "5 Gb/s"},
    Name{LinkSpeed::qdr, "10 Gb/s"},
};

constexpr std::string_view name_of(LinkSpeed value) { return find_name(link_speed_names, value); }

// 14.2.5.6. One bit a speed of a lane.
enum class LinkSpeedExt : std::uint8_t {
  none = 0,
  fdr = 1,
  edr = 2,
  hdr = 4,
  ndr = 8,
};

inline constexpr std::array link_speed_ext_names{
    Name{LinkSpeedExt::none, "none"},   Name{LinkSpeedExt::fdr, "14 Gb/s"},  Name{LinkSpeedExt::edr, "25 Gb/s"},
    Name{LinkSpeedExt::hdr, "50 Gb/s"}, Name{LinkSpeedExt::ndr, "100 Gb/s"},
};

constexpr std::string_view name_of(LinkSpeedExt value) { return find_name(link_speed_ext_names, value); }

struct PortInfo {
  MKey m_key{};
  std::uint64_t gid_prefix{};
  Lid lid{};
  Lid master_sm_lid{};
  std::uint32_t capability_mask{};
  std::uint16_t diag_code{};
  std::uint16_t m_key_lease_period{};  // seconds; 0: for ever
  std::uint8_t local_port_num{};
  std::uint8_t link_width_enabled{};    // bits as LinkWidth
  std::uint8_t link_width_supported{};  // bits as LinkWidth
  LinkWidth link_width_active{};
  std::uint8_t link_speed_supported{};  // bits as LinkSpeed
  PortState port_state{};
  PortPhysicalState port_physical_state{};
  PortPhysicalState link_down_default_state{};
  std::uint8_t m_key_protect_bits{};
  std::uint8_t reserved34{};
  std::uint8_t lmc{};  // low LID bits that are free
  LinkSpeed link_speed_active{};
  std::uint8_t link_speed_enabled{};  // bits as LinkSpeed
  std::uint8_t neighbor_mtu{};        // 128 << n octets
  std::uint8_t master_sm_sl{};
  std::uint8_t vl_cap{};  // data VLs: 2^(n-1), at 5: 15
  std::uint8_t init_type{};
  std::uint8_t vl_high_limit{};
  std::uint8_t vl_arbitration_high_cap{};  // entries
  std::uint8_t vl_arbitration_low_cap{};   // entries
  std::uint8_t init_type_reply{};
  std::uint8_t mtu_cap{};  // 128 << n octets
  std::uint8_t vl_stall_count{};
  std::uint8_t hoq_life{};  // 4.096 us * 2^n; over 19: no limit
  std::uint8_t operational_vls{};
  bool partition_enforcement_inbound{};
  bool partition_enforcement_outbound{};
  bool filter_raw_inbound{};
  bool filter_raw_outbound{};
  std::uint16_t m_key_violations{};
  std::uint16_t p_key_violations{};
  std::uint16_t q_key_violations{};
  std::uint8_t guid_cap{};  // entries
  bool client_reregister{};
  std::uint8_t multicast_pkey_trap_suppression{};
  std::uint8_t subnet_timeout{};  // 4.096 us * 2^n
  std::uint8_t reserved52{};
  std::uint8_t resp_time_value{};  // 4.096 us * 2^n
  std::uint8_t local_phy_errors{};
  std::uint8_t overrun_errors{};
  std::uint16_t max_credit_hint{};
  std::uint8_t reserved56{};
  std::uint32_t link_round_trip_latency{};  // units of 4 ns
  std::uint16_t capability_mask2{};
  LinkSpeedExt link_speed_ext_active{};
  std::uint8_t link_speed_ext_supported{};  // bits as LinkSpeedExt
  std::uint8_t reserved63{};
  std::uint8_t link_speed_ext_enabled{};  // bits as LinkSpeedExt
};

constexpr auto layout(std::type_identity<PortInfo>) {
  return Layout(
      Layer::port_info,  //
      field<&PortInfo::m_key, 64>("infiniband.portinfo.m_key", "M_Key").as(Display::hex),
      field<&PortInfo::gid_prefix, 64>("infiniband.portinfo.guid", "GID prefix").as(Display::hex),
      field<&PortInfo::lid, 16>("infiniband.portinfo.lid", "Base LID").as(Display::hex),
      field<&PortInfo::master_sm_lid, 16>("infiniband.portinfo.mastersmlid", "Master SM LID").as(Display::hex),
      field<&PortInfo::capability_mask, 32>("infiniband.portinfo.capabilitymask", "Capability mask").as(Display::hex),
      part("infiniband.portinfo.capabilitymask.issm", "SM", 30, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.noticesupported", "Notices", 29, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.trapsupported", "Traps", 28, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.optionalipdsupported", "Optional IPD", 27, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.automaticmigrationsupported", "Automatic migration", 26, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.slmappingsupported", "SL mapping", 25, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.mkeynvram", "M_Key in NVRAM", 24, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.pkeynvram", "P_Key in NVRAM", 23, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.ledinfosupported", "LEDInfo", 22, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.smdisabled", "SM disabled", 21, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.systemimageguidsupported", "System image GUID", 20, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.pkeyswitchexternalporttrapsupported", "P_Key switch external port trap",
           19, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.communicationmanagementsupported", "Communication management", 15, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.snmptunnelingsupported", "SNMP tunnelling", 14, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.reinitsupported", "Reinit", 13, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.devicemanagementsupported", "Device management", 12, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.vendorclasssupported", "Vendor class", 11, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.drnoticesupported", "Directed route notice", 10, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.capabilitymasknoticesupported", "CapabilityMask notice", 9, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.bootmanagementsupported", "Boot management", 8, 1).as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.linkroundtriplatencysupported", "Link round-trip latency", 7, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.clientregistrationsupported", "Client reregistration", 6, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.otherlocalchangesnoticesupported", "Other local changes notice", 5, 1)
          .as(Display::hex, 4),
      part("infiniband.portinfo.capabilitymask.linkspeedwidthpairstablesupported", "Link speed width pairs table", 4, 1)
          .as(Display::hex, 4),
      field<&PortInfo::diag_code, 16>("infiniband.portinfo.diagcode", "Diagnostic code").as(Display::hex),
      field<&PortInfo::m_key_lease_period, 16>("infiniband.portinfo.m_keyleaseperiod", "M_Key lease period")
          .as(Display::hex),
      field<&PortInfo::local_port_num, 8>("infiniband.portinfo.localportnum", "Local port number").as(Display::hex),
      field<&PortInfo::link_width_enabled, 8>("infiniband.portinfo.linkwidthenabled", "Link width enabled")
          .as(Display::hex),
      field<&PortInfo::link_width_supported, 8>("infiniband.portinfo.linkwidthsupported", "Link width supported")
          .as(Display::hex),
      field<&PortInfo::link_width_active, 8>("infiniband.portinfo.linkwidthactive", "Link width active")
          .as(Display::hex),
      field<&PortInfo::link_speed_supported, 4>("infiniband.portinfo.linkspeedsupported", "Link speed supported")
          .as(Display::hex),
      field<&PortInfo::port_state, 4>("infiniband.portinfo.portstate", "Port state").as(Display::hex),
      field<&PortInfo::port_physical_state, 4>("infiniband.portinfo.portphysicalstate", "Port physical state")
          .as(Display::hex),
      field<&PortInfo::link_down_default_state, 4>("infiniband.portinfo.linkdowndefaultstate",
                                                   "Link down default state")
          .as(Display::hex),
      field<&PortInfo::m_key_protect_bits, 2>("infiniband.portinfo.m_keyprotectbits", "M_Key protect bits")
          .as(Display::hex),
      field<&PortInfo::reserved34, 3>("rdma.port_info.reserved34", "Reserved (3 bits)").reserved(),
      field<&PortInfo::lmc, 3>("infiniband.portinfo.lmc", "LID mask control").as(Display::hex),
      field<&PortInfo::link_speed_active, 4>("infiniband.portinfo.linkspeedactive", "Link speed active")
          .as(Display::hex),
      field<&PortInfo::link_speed_enabled, 4>("infiniband.portinfo.linkspeedenabled", "Link speed enabled")
          .as(Display::hex),
      field<&PortInfo::neighbor_mtu, 4>("infiniband.portinfo.neighbormtu", "Neighbor MTU").as(Display::hex),
      field<&PortInfo::master_sm_sl, 4>("infiniband.portinfo.mastersmsl", "Master SM SL").as(Display::hex),
      field<&PortInfo::vl_cap, 4>("infiniband.portinfo.vlcap", "VL capability").as(Display::hex),
      field<&PortInfo::init_type, 4>("infiniband.portinfo.inittype", "Initialization type").as(Display::hex),
      field<&PortInfo::vl_high_limit, 8>("infiniband.portinfo.vlhighlimit", "VL high limit").as(Display::hex),
      field<&PortInfo::vl_arbitration_high_cap, 8>("infiniband.portinfo.vlarbitrationhighcap",
                                                   "VL arbitration high capacity")
          .as(Display::hex),
      field<&PortInfo::vl_arbitration_low_cap, 8>("infiniband.portinfo.vlarbitrationlowcap",
                                                  "VL arbitration low capacity")
          .as(Display::hex),
      field<&PortInfo::init_type_reply, 4>("infiniband.portinfo.inittypereply", "Initialization type reply")
          .as(Display::hex),
      field<&PortInfo::mtu_cap, 4>("infiniband.portinfo.mtucap", "MTU capability").as(Display::hex),
      field<&PortInfo::vl_stall_count, 3>("infiniband.portinfo.vlstallcount", "VL stall count").as(Display::hex),
      field<&PortInfo::hoq_life, 5>("infiniband.portinfo.hoqlife", "Head of queue lifetime").as(Display::hex),
      field<&PortInfo::operational_vls, 4>("infiniband.portinfo.operationalvls", "Operational VLs").as(Display::hex),
      field<&PortInfo::partition_enforcement_inbound, 1>("infiniband.portinfo.partitionenforcementinbound",
                                                         "Inbound partition enforcement")
          .as(Display::hex),
      field<&PortInfo::partition_enforcement_outbound, 1>("infiniband.portinfo.partitionenforcementoutbound",
                                                          "Outbound partition enforcement")
          .as(Display::hex),
      field<&PortInfo::filter_raw_inbound, 1>("infiniband.portinfo.filterrawinbound", "Inbound raw filter")
          .as(Display::hex),
      field<&PortInfo::filter_raw_outbound, 1>("infiniband.portinfo.filterrawoutbound", "Outbound raw filter")
          .as(Display::hex),
      field<&PortInfo::m_key_violations, 16>("infiniband.portinfo.m_keyviolations", "M_Key violations")
          .as(Display::hex),
      field<&PortInfo::p_key_violations, 16>("infiniband.portinfo.p_keyviolations", "P_Key violations")
          .as(Display::hex),
      field<&PortInfo::q_key_violations, 16>("infiniband.portinfo.q_keyviolations", "Q_Key violations")
          .as(Display::hex),
      field<&PortInfo::guid_cap, 8>("infiniband.portinfo.guidcap", "GUID capacity").as(Display::hex),
      field<&PortInfo::client_reregister, 1>("infiniband.portinfo.clientreregister", "Client reregister")
          .as(Display::hex),
      field<&PortInfo::multicast_pkey_trap_suppression, 2>("rdma.port_info.multicast_pkey_trap_suppression",
                                                           "Multicast P_Key trap suppression enabled")
          .as(Display::hex),
      field<&PortInfo::subnet_timeout, 5>("infiniband.portinfo.subnettimeout", "Subnet timeout").as(Display::hex),
      field<&PortInfo::reserved52, 3>("rdma.port_info.reserved52", "Reserved (3 bits)").reserved(),
      field<&PortInfo::resp_time_value, 5>("infiniband.portinfo.resptimevalue", "Response time").as(Display::hex),
      field<&PortInfo::local_phy_errors, 4>("infiniband.portinfo.localphyerrors", "Local physical errors threshold")
          .as(Display::hex),
      field<&PortInfo::overrun_errors, 4>("infiniband.portinfo.overrunerrors", "Overrun errors threshold")
          .as(Display::hex),
      field<&PortInfo::max_credit_hint, 16>("infiniband.portinfo.maxcredithint", "Maximum credit hint")
          .as(Display::hex),
      field<&PortInfo::reserved56, 8>("rdma.port_info.reserved56", "Reserved (1 octet)").reserved(),
      field<&PortInfo::link_round_trip_latency, 24>("infiniband.portinfo.linkroundtriplatency",
                                                    "Link round-trip latency")
          .as(Display::hex),
      field<&PortInfo::capability_mask2, 16>("rdma.port_info.capability_mask2", "Capability mask 2").as(Display::hex),
      field<&PortInfo::link_speed_ext_active, 4>("rdma.port_info.link_speed_ext_active", "Link speed extended active")
          .as(Display::hex),
      field<&PortInfo::link_speed_ext_supported, 4>("rdma.port_info.link_speed_ext_supported",
                                                    "Link speed extended supported")
          .as(Display::hex),
      field<&PortInfo::reserved63, 3>("rdma.port_info.reserved63", "Reserved (3 bits)").reserved(),
      field<&PortInfo::link_speed_ext_enabled, 5>("rdma.port_info.link_speed_ext_enabled",
                                                  "Link speed extended enabled")
          .as(Display::hex));
}
static_assert(header_size<PortInfo> == 64);

}  // namespace rdmawire::mad
