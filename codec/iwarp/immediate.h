// Immediate Data: RFC 7306, 6.2.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::iwarp {

//= RDMAP-7306-6.2-01
struct ImmediateData {
  std::array<std::uint8_t, 8> data{};  // in the order of the wire; its meaning is the consumer's
};

constexpr auto layout(std::type_identity<ImmediateData>) {
  return Layout(Layer::immediate_data, field<&ImmediateData::data, 64>("rdma.immediate_data.data", "Immediate data"));
}
static_assert(header_size<ImmediateData> == 8);

}  // namespace rdmawire::iwarp
