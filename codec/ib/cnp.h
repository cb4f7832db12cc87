// What follows the BTH of a RoCEv2 congestion notification packet: IBTA vol. 1, A17.9.3.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

//= CN-02
struct CnpReserved {
  std::array<std::uint8_t, 16> reserved{};
};

constexpr auto layout(std::type_identity<CnpReserved>) {
  return Layout(Layer::cnp, field<&CnpReserved::reserved, 128>("rdma.cnp.reserved", "Reserved (16 octets)").reserved());
}
static_assert(header_size<CnpReserved> == 16);

}  // namespace rdmawire::ib
