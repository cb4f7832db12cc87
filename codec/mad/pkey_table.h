// P_KeyTable, a block of 32: IBTA vol. 1, 14.2.5.7.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/bytes.h"
#include "codec/base/layout.h"

namespace rdmawire::mad {

struct PKeyTable {
  std::array<std::uint8_t, 64> block{};

  // Entry i of the block; i is 0 to 31.
  constexpr PKey entry(std::size_t i) const { return {static_cast<std::uint16_t>(load_be<2>(block.data() + 2 * i))}; }
};

constexpr auto layout(std::type_identity<PKeyTable>) {
  return Layout(Layer::pkey_table,  //
                field<&PKeyTable::block, 512>("infiniband.p_keytable.p_keytableblock", "P_Key table block"));
}
static_assert(header_size<PKeyTable> == 64);

}  // namespace rdmawire::mad
