// VLArbitrationTable, a block of 32 pairs of VL and weight: IBTA vol. 1, 14.2.5.9.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct VlArbitration {
  std::array<std::uint8_t, 64> block{};

  struct Entry {
    std::uint8_t vl = 0;
    std::uint8_t weight = 0;  // units of 64 octets; 0: skip the entry
  };
  // Entry i of the block; i is 0 to 31.
  constexpr Entry entry(std::size_t i) const {
    return {static_cast<std::uint8_t>(block[2 * i] & 0x0FU), block[2 * i + 1]};
  }
};

constexpr auto layout(std::type_identity<VlArbitration>) {
  return Layout(Layer::vl_arbitration,  //
                field<&VlArbitration::block, 512>("rdma.vl_arbitration.block", "VL and weight pairs"));
}
static_assert(header_size<VlArbitration> == 64);

}  // namespace rdmawire::mad
