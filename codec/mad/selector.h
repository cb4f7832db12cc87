// How a PathRecord or MCMemberRecord component is to be compared: IBTA vol. 1, 15.2.5.16.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "codec/base/names.h"

namespace rdmawire::mad {

// 2 bits.
enum class Selector : std::uint8_t {
  greater = 0,
  less = 1,
  exactly = 2,
  largest = 3,
};

inline constexpr std::array selector_names{
    Name{Selector::greater, "greater than"},
    Name{Selector::less, "less than"},
    Name{Selector::exactly, "exactly"},
    Name{Selector::largest, "largest available"},
};

constexpr std::string_view name_of(Selector value) { return find_name(selector_names, value); }

}  // namespace rdmawire::mad
