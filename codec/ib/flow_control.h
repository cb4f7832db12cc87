// Flow control packet, a whole link packet of its own: IBTA vol. 1, 7.9.4.
#pragma once

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::ib {

enum class FlowControlOp : std::uint8_t { normal = 0, init = 1 };

inline constexpr std::array flow_control_op_names{
    Name{FlowControlOp::normal, "normal"},
    Name{FlowControlOp::init, "initialize"},
};

constexpr std::string_view name_of(FlowControlOp value) { return find_name(flow_control_op_names, value); }

//= LNK-01
struct FlowControl {
  FlowControlOp op{};
  std::uint16_t total_blocks_sent{};  // FCTBS: 64-octet blocks, modulo 4096
  std::uint8_t virtual_lane{};
  std::uint16_t credit_limit{};  // FCCL
  std::uint16_t lpcrc{};         // over the four octets before it; in the order of the wire
};

constexpr auto layout(std::type_identity<FlowControl>) {
  return Layout(Layer::flow_control,  //
                field<&FlowControl::op, 4>("infiniband_link.op", "Operand"),
                field<&FlowControl::total_blocks_sent, 12>("infiniband_link.fctbs", "Flow control total blocks sent"),
                field<&FlowControl::virtual_lane, 4>("infiniband_link.vl", "Virtual lane"),
                field<&FlowControl::credit_limit, 12>("infiniband_link.fccl", "Flow control credit limit"),
                field<&FlowControl::lpcrc, 16>("infiniband_link.lpcrc", "Link packet CRC").as(Display::hex));
}
static_assert(header_size<FlowControl> == 6);

}  // namespace rdmawire::ib
