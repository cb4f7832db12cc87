// Datagram Extended Transport Header: IBTA vol. 1, 9.3.2.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct Deth {
  QKey q_key{};
  std::uint8_t reserved8{};
  Qpn source_qp{};
};

constexpr auto layout(std::type_identity<Deth>) {
  return Layout(Layer::deth,  //
                field<&Deth::q_key, 32>("infiniband.deth.q_key", "Queue key").as(Display::hex, 8),
                field<&Deth::reserved8, 8>("infiniband.deth.reserved8", "Reserved (8 bits)").reserved(),
                field<&Deth::source_qp, 24>("infiniband.deth.srcqp", "Source queue pair").as(Display::hex, 4));
}
static_assert(header_size<Deth> == 8);

}  // namespace rdmawire::ib
