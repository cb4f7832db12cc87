// NodeDescription: IBTA vol. 1, 14.2.5.2.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct NodeDescription {
  std::array<std::uint8_t, 64> node_string{};  // UTF-8, padded with zeros
};

constexpr auto layout(std::type_identity<NodeDescription>) {
  return Layout(Layer::node_description,  //
                field<&NodeDescription::node_string, 512>("infiniband.nodedescription.nodestring", "Node string"));
}
static_assert(header_size<NodeDescription> == 64);

}  // namespace rdmawire::mad
