// MAC control frames, EtherType 0x8808: IEEE 802.3, 31 and annexes 31B (pause), 31D (priority-based flow control).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::net {

enum class MacControlOpcode : std::uint16_t {
  pause = 0x0001,
  gate = 0x0002,
  report = 0x0003,
  register_request = 0x0004,
  register_ = 0x0005,
  register_ack = 0x0006,
  priority_flow_control = 0x0101,
};

constexpr std::string_view name_of(MacControlOpcode opcode) {
  switch (opcode) {
    case MacControlOpcode::pause:
      return "Pause";
    case MacControlOpcode::gate:
      return "Gate";
    case MacControlOpcode::report:
      return "Report";
    case MacControlOpcode::register_request:
      return "Register request";
    case MacControlOpcode::register_:
      return "Register";
    case MacControlOpcode::register_ack:
      return "Register acknowledge";
    case MacControlOpcode::priority_flow_control:
      return "Priority-based flow control";
  }
  return {};
}

// Where pause frames go; bridges do not forward it.
inline constexpr MacAddress mac_control_address{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}};

// Then the opcode's own parameters follow.
struct MacControl {
  MacControlOpcode opcode{};
};

constexpr auto layout(std::type_identity<MacControl>) {
  return Layout(Layer::mac_control, field<&MacControl::opcode, 16>("macc.opcode", "Opcode").as(Display::hex));
}
static_assert(header_size<MacControl> == 2);

// Parameters of MacControlOpcode::pause.
struct Pause {
  std::uint16_t time{};  // quanta of 512 bit times; 0 lets the peer go on
};

constexpr auto layout(std::type_identity<Pause>) {
  return Layout(Layer::mac_control, field<&Pause::time, 16>("macc.pause_time", "Pause time"));
}
static_assert(header_size<Pause> == 2);

// Parameters of MacControlOpcode::priority_flow_control. Bit n of enabled says that time n counts.
struct PriorityFlowControl {
  std::uint8_t reserved{};
  std::uint8_t enabled{};
  std::uint16_t time0{};  // quanta of 512 bit times
  std::uint16_t time1{};
  std::uint16_t time2{};
  std::uint16_t time3{};
  std::uint16_t time4{};
  std::uint16_t time5{};
  std::uint16_t time6{};
  std::uint16_t time7{};

  // priority: 0 to 7.
  constexpr bool is_enabled(unsigned priority) const { return (enabled >> priority & 1U) != 0; }
  constexpr std::uint16_t time(unsigned priority) const {
    return std::array{time0, time1, time2, time3, time4, time5, time6, time7}[priority];
  }
};

constexpr auto layout(std::type_identity<PriorityFlowControl>) {
  using P = PriorityFlowControl;
  return Layout(
      Layer::mac_control,  //
      whole("macc.cbfc.enbv", "Priority enable vector", 16),
      field<&P::reserved, 8>("rdma.macc.reserved", "Reserved").reserved(),
      field<&P::enabled, 8>("rdma.macc.enabled", "Enabled priorities").as(Display::hex),
      part("macc.cbfc.enbv.c7", "Priority 7 enabled", 0, 1), part("macc.cbfc.enbv.c6", "Priority 6 enabled", 1, 1),
      part("macc.cbfc.enbv.c5", "Priority 5 enabled", 2, 1), part("macc.cbfc.enbv.c4", "Priority 4 enabled", 3, 1),
      part("macc.cbfc.enbv.c3", "Priority 3 enabled", 4, 1), part("macc.cbfc.enbv.c2", "Priority 2 enabled", 5, 1),
      part("macc.cbfc.enbv.c1", "Priority 1 enabled", 6, 1), part("macc.cbfc.enbv.c0", "Priority 0 enabled", 7, 1),
      field<&P::time0, 16>("macc.cbfc.pause_time.c0", "Pause time of priority 0"),
      field<&P::time1, 16>("macc.cbfc.pause_time.c1", "Pause time of priority 1"),
      field<&P::time2, 16>("macc.cbfc.pause_time.c2", "Pause time of priority 2"),
      field<&P::time3, 16>("macc.cbfc.pause_time.c3", "Pause time of priority 3"),
      field<&P::time4, 16>("macc.cbfc.pause_time.c4", "Pause time of priority 4"),
      field<&P::time5, 16>("macc.cbfc.pause_time.c5", "Pause time of priority 5"),
      field<&P::time6, 16>("macc.cbfc.pause_time.c6", "Pause time of priority 6"),
      field<&P::time7, 16>("macc.cbfc.pause_time.c7", "Pause time of priority 7"));
}
static_assert(header_size<PriorityFlowControl> == 18);

}  // namespace rdmawire::net
