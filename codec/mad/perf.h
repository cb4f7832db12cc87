// Performance Management: IBTA vol. 1, 16.1. Attributes: 16.1.3, 16.1.4.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::mad {

// 16.1.3 and 16.1.4, those with a layout here.
enum class PerfAttribute : std::uint16_t {
  class_port_info = 0x0001,
  port_samples_control = 0x0010,
  port_counters = 0x0012,
  port_counters_extended = 0x001D,
};

inline constexpr std::array perf_attribute_names{
    Name{PerfAttribute::class_port_info, "ClassPortInfo"},
    Name{PerfAttribute::port_samples_control, "PortSamplesControl"},
    Name{PerfAttribute::port_counters, "PortCounters"},
    Name{PerfAttribute::port_counters_extended, "PortCountersExtended"},
};

constexpr std::string_view name_of(PerfAttribute value) { return find_name(perf_attribute_names, value); }

// All reserved; the attribute follows.
struct Perf {
  std::array<std::uint8_t, 40> reserved0{};
};

constexpr auto layout(std::type_identity<Perf>) {
  return Layout(Layer::perf,  //
                field<&Perf::reserved0, 320>("rdma.perf.reserved0", "Reserved (40 octets)").reserved());
}
static_assert(header_size<Perf> == 40);

// 16.1.3.2.
struct PortSamplesControl {
  std::uint8_t op_code{};
  std::uint8_t port_select{};
  std::uint8_t tick{};
  std::uint8_t reserved3{};
  std::uint8_t counter_width{};
  std::uint8_t reserved4{};
  std::uint8_t counter_mask0{};
  std::uint32_t counter_masks1to9{};
  std::uint8_t reserved8{};
  std::uint16_t counter_masks10to14{};
  std::uint8_t sample_mechanisms{};
  std::uint8_t reserved11{};
  std::uint8_t sample_status{};
  std::uint64_t option_mask{};
  std::uint64_t vendor_mask{};
  std::uint32_t sample_start{};     // ticks
  std::uint32_t sample_interval{};  // ticks
  std::uint16_t tag{};
  std::uint16_t counter_select0{};
  std::uint16_t counter_select1{};
  std::uint16_t counter_select2{};
  std::uint16_t counter_select3{};
  std::uint16_t counter_select4{};
  std::uint16_t counter_select5{};
  std::uint16_t counter_select6{};
  std::uint16_t counter_select7{};
  std::uint16_t counter_select8{};
  std::uint16_t counter_select9{};
  std::uint16_t counter_select10{};
  std::uint16_t counter_select11{};
  std::uint16_t counter_select12{};
  std::uint16_t counter_select13{};
  std::uint16_t counter_select14{};
  std::uint32_t reserved68{};
  std::uint64_t samples_only_option_mask{};
};

constexpr auto layout(std::type_identity<PortSamplesControl>) {
  return Layout(
      Layer::port_samples_control,  //
      field<&PortSamplesControl::op_code, 8>("rdma.port_samples_control.op_code", "Operation code").as(Display::hex),
      field<&PortSamplesControl::port_select, 8>("rdma.port_samples_control.port_select", "Port select"),
      field<&PortSamplesControl::tick, 8>("rdma.port_samples_control.tick", "Tick").as(Display::hex),
      field<&PortSamplesControl::reserved3, 5>("rdma.port_samples_control.reserved3", "Reserved (5 bits)").reserved(),
      field<&PortSamplesControl::counter_width, 3>("rdma.port_samples_control.counter_width", "Counter width"),
      field<&PortSamplesControl::reserved4, 2>("rdma.port_samples_control.reserved4", "Reserved (2 bits)").reserved(),
      field<&PortSamplesControl::counter_mask0, 3>("rdma.port_samples_control.counter_mask0", "Counter mask 0")
          .as(Display::hex),
      field<&PortSamplesControl::counter_masks1to9, 27>("rdma.port_samples_control.counter_masks1to9",
                                                        "Counter masks 1 to 9")
          .as(Display::hex),
      field<&PortSamplesControl::reserved8, 1>("rdma.port_samples_control.reserved8", "Reserved (1 bit)").reserved(),
      field<&PortSamplesControl::counter_masks10to14, 15>("rdma.port_samples_control.counter_masks10to14",
                                                          "Counter masks 10 to 14")
          .as(Display::hex),
      field<&PortSamplesControl::sample_mechanisms, 8>("rdma.port_samples_control.sample_mechanisms",
                                                       "Sample mechanisms")
          .as(Display::hex),
      field<&PortSamplesControl::reserved11, 6>("rdma.port_samples_control.reserved11", "Reserved (6 bits)").reserved(),
      field<&PortSamplesControl::sample_status, 2>("rdma.port_samples_control.sample_status", "Sample status"),
      field<&PortSamplesControl::option_mask, 64>("rdma.port_samples_control.option_mask", "Option mask")
          .as(Display::hex),
      field<&PortSamplesControl::vendor_mask, 64>("rdma.port_samples_control.vendor_mask", "Vendor mask")
          .as(Display::hex),
      field<&PortSamplesControl::sample_start, 32>("rdma.port_samples_control.sample_start", "Sample start"),
      field<&PortSamplesControl::sample_interval, 32>("rdma.port_samples_control.sample_interval", "Sample interval"),
      field<&PortSamplesControl::tag, 16>("rdma.port_samples_control.tag", "Tag").as(Display::hex),
      field<&PortSamplesControl::counter_select0, 16>("rdma.port_samples_control.counter_select0", "Counter select 0")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select1, 16>("rdma.port_samples_control.counter_select1", "Counter select 1")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select2, 16>("rdma.port_samples_control.counter_select2", "Counter select 2")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select3, 16>("rdma.port_samples_control.counter_select3", "Counter select 3")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select4, 16>("rdma.port_samples_control.counter_select4", "Counter select 4")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select5, 16>("rdma.port_samples_control.counter_select5", "Counter select 5")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select6, 16>("rdma.port_samples_control.counter_select6", "Counter select 6")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select7, 16>("rdma.port_samples_control.counter_select7", "Counter select 7")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select8, 16>("rdma.port_samples_control.counter_select8", "Counter select 8")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select9, 16>("rdma.port_samples_control.counter_select9", "Counter select 9")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select10, 16>("rdma.port_samples_control.counter_select10",
                                                       "Counter select 10")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select11, 16>("rdma.port_samples_control.counter_select11",
                                                       "Counter select 11")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select12, 16>("rdma.port_samples_control.counter_select12",
                                                       "Counter select 12")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select13, 16>("rdma.port_samples_control.counter_select13",
                                                       "Counter select 13")
          .as(Display::hex),
      field<&PortSamplesControl::counter_select14, 16>("rdma.port_samples_control.counter_select14",
                                                       "Counter select 14")
          .as(Display::hex),
      field<&PortSamplesControl::reserved68, 32>("rdma.port_samples_control.reserved68", "Reserved (4 octets)")
          .reserved(),
      field<&PortSamplesControl::samples_only_option_mask, 64>("rdma.port_samples_control.samples_only_option_mask",
                                                               "Samples only option mask")
          .as(Display::hex));
}
static_assert(header_size<PortSamplesControl> == 80);

// 16.1.3.5.
struct PortCounters {
  std::uint8_t reserved0{};
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint16_t symbol_error_counter{};
  std::uint8_t link_error_recovery_counter{};
  std::uint8_t link_downed_counter{};
  std::uint16_t port_rcv_errors{};
  std::uint16_t port_rcv_remote_physical_errors{};
  std::uint16_t port_rcv_switch_relay_errors{};
  std::uint16_t port_xmit_discards{};
  std::uint8_t port_xmit_constraint_errors{};
  std::uint8_t port_rcv_constraint_errors{};
  std::uint8_t counter_select2{};
  std::uint8_t local_link_integrity_errors{};
  std::uint8_t excessive_buffer_overrun_errors{};
  std::uint16_t qp1_dropped{};
  std::uint16_t vl15_dropped{};
  std::uint32_t port_xmit_data{};  // units of 4 octets
  std::uint32_t port_rcv_data{};   // units of 4 octets
  std::uint32_t port_xmit_pkts{};
  std::uint32_t port_rcv_pkts{};
  std::uint32_t port_xmit_wait{};  // ticks
};

constexpr auto layout(std::type_identity<PortCounters>) {
  return Layout(
      Layer::port_counters,  //
      field<&PortCounters::reserved0, 8>("rdma.port_counters.reserved0", "Reserved (1 octet)").reserved(),
      field<&PortCounters::port_select, 8>("infiniband.portcounters.portselect", "Port select").as(Display::hex),
      field<&PortCounters::counter_select, 16>("infiniband.portcounters.counterselect", "Counter select")
          .as(Display::hex),
      field<&PortCounters::symbol_error_counter, 16>("infiniband.portcounters.symbolerrorcounter",
                                                     "Symbol error counter"),
      field<&PortCounters::link_error_recovery_counter, 8>("infiniband.portcounters.linkerrorrecoverycounter",
                                                           "Link error recovery counter"),
      field<&PortCounters::link_downed_counter, 8>("infiniband.portcounters.linkdownedcounter", "Link downed counter"),
      field<&PortCounters::port_rcv_errors, 16>("infiniband.portcounters.portrcverrors", "Receive errors"),
      field<&PortCounters::port_rcv_remote_physical_errors, 16>("infiniband.portcounters.portrcvremotephysicalerrors",
                                                                "Receive remote physical errors"),
      field<&PortCounters::port_rcv_switch_relay_errors, 16>("infiniband.portcounters.portrcvswitchrelayerrors",
                                                             "Receive switch relay errors"),
      field<&PortCounters::port_xmit_discards, 16>("infiniband.portcounters.portxmitdiscards", "Transmit discards"),
      field<&PortCounters::port_xmit_constraint_errors, 8>("infiniband.portcounters.portxmitconstrainterrors",
                                                           "Transmit constraint errors"),
      field<&PortCounters::port_rcv_constraint_errors, 8>("infiniband.portcounters.portrcvconstrainterrors",
                                                          "Receive constraint errors"),
      field<&PortCounters::counter_select2, 8>("rdma.port_counters.counter_select2", "Counter select 2")
          .as(Display::hex),
      field<&PortCounters::local_link_integrity_errors, 4>("infiniband.portcounters.locallinkintegrityerrors",
                                                           "Local link integrity errors"),
      field<&PortCounters::excessive_buffer_overrun_errors, 4>("infiniband.portcounters.excessivebufferoverrunerrors",
                                                               "Excessive buffer overrun errors"),
      field<&PortCounters::qp1_dropped, 16>("rdma.port_counters.qp1_dropped", "QP1 dropped"),
      field<&PortCounters::vl15_dropped, 16>("infiniband.portcounters.vl15dropped", "VL15 dropped"),
      field<&PortCounters::port_xmit_data, 32>("infiniband.portcounters.portxmitdata", "Transmit data"),
      field<&PortCounters::port_rcv_data, 32>("infiniband.portcounters.portrcvdata", "Receive data"),
      field<&PortCounters::port_xmit_pkts, 32>("infiniband.portcounters.portxmitpkts", "Transmit packets"),
      field<&PortCounters::port_rcv_pkts, 32>("infiniband.portcounters.portrcvpkts", "Receive packets"),
      field<&PortCounters::port_xmit_wait, 32>("rdma.port_counters.port_xmit_wait", "Transmit wait"));
}
static_assert(header_size<PortCounters> == 44);

// 16.1.4.11.
struct PortCountersExtended {
  std::uint8_t reserved0{};
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint32_t counter_select2{};
  std::uint64_t port_xmit_data{};  // units of 4 octets
  std::uint64_t port_rcv_data{};   // units of 4 octets
  std::uint64_t port_xmit_pkts{};
  std::uint64_t port_rcv_pkts{};
  std::uint64_t port_unicast_xmit_pkts{};
  std::uint64_t port_unicast_rcv_pkts{};
  std::uint64_t port_multicast_xmit_pkts{};
  std::uint64_t port_multicast_rcv_pkts{};
  std::uint64_t symbol_error_counter{};  // this and what follows: if ClassPortInfo says so
  std::uint64_t link_error_recovery_counter{};
  std::uint64_t link_downed_counter{};
  std::uint64_t port_rcv_errors{};
  std::uint64_t port_rcv_remote_physical_errors{};
  std::uint64_t port_rcv_switch_relay_errors{};
  std::uint64_t port_xmit_discards{};
  std::uint64_t port_xmit_constraint_errors{};
  std::uint64_t port_rcv_constraint_errors{};
  std::uint64_t local_link_integrity_errors{};
  std::uint64_t excessive_buffer_overrun_errors{};
  std::uint64_t vl15_dropped{};
  std::uint64_t port_xmit_wait{};  // ticks
  std::uint64_t qp1_dropped{};
};

constexpr auto layout(std::type_identity<PortCountersExtended>) {
  return Layout(
      Layer::port_counters_extended,  //
      field<&PortCountersExtended::reserved0, 8>("rdma.port_counters_ext.reserved0", "Reserved (1 octet)").reserved(),
      field<&PortCountersExtended::port_select, 8>("infiniband.portcounters_ext.portselect", "Port select")
          .as(Display::hex),
      field<&PortCountersExtended::counter_select, 16>("infiniband.portcounters_ext.counterselect", "Counter select")
          .as(Display::hex),
      field<&PortCountersExtended::counter_select2, 32>("rdma.port_counters_ext.counter_select2", "Counter select 2")
          .as(Display::hex),
      field<&PortCountersExtended::port_xmit_data, 64>("infiniband.portcounters_ext.portxmitdata", "Transmit data"),
      field<&PortCountersExtended::port_rcv_data, 64>("infiniband.portcounters_ext.portrcvdata", "Receive data"),
      field<&PortCountersExtended::port_xmit_pkts, 64>("infiniband.portcounters_ext.portxmitpkts", "Transmit packets"),
      field<&PortCountersExtended::port_rcv_pkts, 64>("infiniband.portcounters_ext.portrcvpkts", "Receive packets"),
      field<&PortCountersExtended::port_unicast_xmit_pkts, 64>("infiniband.portcounters_ext.portunicastxmitpkts",
                                                               "Unicast transmit packets"),
      field<&PortCountersExtended::port_unicast_rcv_pkts, 64>("infiniband.portcounters_ext.portunicastrcvpkts",
                                                              "Unicast receive packets"),
      field<&PortCountersExtended::port_multicast_xmit_pkts, 64>("infiniband.portcounters_ext.portmulticastxmitpkts",
                                                                 "Multicast transmit packets"),
      field<&PortCountersExtended::port_multicast_rcv_pkts, 64>("infiniband.portcounters_ext.portmulticastrcvpkts",
                                                                "Multicast receive packets"),
      field<&PortCountersExtended::symbol_error_counter, 64>("rdma.port_counters_ext.symbol_error_counter",
                                                             "Symbol error counter"),
      field<&PortCountersExtended::link_error_recovery_counter, 64>(
          "rdma.port_counters_ext.link_error_recovery_counter", "Link error recovery counter"),
      field<&PortCountersExtended::link_downed_counter, 64>("rdma.port_counters_ext.link_downed_counter",
                                                            "Link downed counter"),
      field<&PortCountersExtended::port_rcv_errors, 64>("rdma.port_counters_ext.port_rcv_errors", "Receive errors"),
      field<&PortCountersExtended::port_rcv_remote_physical_errors, 64>(
          "rdma.port_counters_ext.port_rcv_remote_physical_errors", "Receive remote physical errors"),
      field<&PortCountersExtended::port_rcv_switch_relay_errors, 64>(
          "rdma.port_counters_ext.port_rcv_switch_relay_errors", "Receive switch relay errors"),
      field<&PortCountersExtended::port_xmit_discards, 64>("rdma.port_counters_ext.port_xmit_discards",
                                                           "Transmit discards"),
      field<&PortCountersExtended::port_xmit_constraint_errors, 64>(
          "rdma.port_counters_ext.port_xmit_constraint_errors", "Transmit constraint errors"),
      field<&PortCountersExtended::port_rcv_constraint_errors, 64>("rdma.port_counters_ext.port_rcv_constraint_errors",
                                                                   "Receive constraint errors"),
      field<&PortCountersExtended::local_link_integrity_errors, 64>(
          "rdma.port_counters_ext.local_link_integrity_errors", "Local link integrity errors"),
      field<&PortCountersExtended::excessive_buffer_overrun_errors, 64>(
          "rdma.port_counters_ext.excessive_buffer_overrun_errors", "Excessive buffer overrun errors"),
      field<&PortCountersExtended::vl15_dropped, 64>("rdma.port_counters_ext.vl15_dropped", "VL15 dropped"),
      field<&PortCountersExtended::port_xmit_wait, 64>("rdma.port_counters_ext.port_xmit_wait", "Transmit wait"),
      field<&PortCountersExtended::qp1_dropped, 64>("rdma.port_counters_ext.qp1_dropped", "QP1 dropped"));
}
static_assert(header_size<PortCountersExtended> == 184);

}  // namespace rdmawire::mad
