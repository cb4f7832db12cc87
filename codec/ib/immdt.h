// Immediate Data Extended Transport Header: IBTA vol. 1, 9.3.6. Four octets that the consumer alone gives a meaning.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct ImmDt {
  std::array<std::uint8_t, 4> data{};
};

constexpr auto layout(std::type_identity<ImmDt>) {
  return Layout(Layer::immdt, field<&ImmDt::data, 32>("infiniband.immdt", "Immediate data"));
}
static_assert(header_size<ImmDt> == 4);

}  // namespace rdmawire::ib
