// Invalidate Extended Transport Header: IBTA vol. 1, 9.3.7.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct Ieth {
  RKey r_key{};
};

constexpr auto layout(std::type_identity<Ieth>) {
  return Layout(Layer::ieth,
                field<&Ieth::r_key, 32>("infiniband.ieth", "Remote key to invalidate").as(Display::octets));
}
static_assert(header_size<Ieth> == 4);

}  // namespace rdmawire::ib
