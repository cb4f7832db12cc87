// Reliable Datagram Extended Transport Header: IBTA vol. 1, 9.3.1.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct Rdeth {
  std::uint8_t reserved8{};
  EeContext ee_context{};
};

constexpr auto layout(std::type_identity<Rdeth>) {
  return Layout(Layer::rdeth,  //
                field<&Rdeth::reserved8, 8>("infiniband.rdeth.reserved8", "Reserved (8 bits)").reserved(),
                field<&Rdeth::ee_context, 24>("infiniband.rdeth.eecnxt", "End-to-end context"));
}
static_assert(header_size<Rdeth> == 4);

}  // namespace rdmawire::ib
