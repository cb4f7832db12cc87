// XRC Extended Transport Header, on requests only: IBTA vol. 1, A14.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct Xrceth {
  std::uint8_t reserved8{};
  Srqn srqn{};
};

constexpr auto layout(std::type_identity<Xrceth>) {
  return Layout(Layer::xrceth,  //
                field<&Xrceth::reserved8, 8>("rdma.xrceth.reserved8", "Reserved (8 bits)").reserved(),
                field<&Xrceth::srqn, 24>("rdma.xrceth.xrcsrq", "XRC shared receive queue").as(Display::hex));
}
static_assert(header_size<Xrceth> == 4);

}  // namespace rdmawire::ib
