// The two ends of a connection.
#pragma once

#include <cstdint>

namespace rdmawire::link {

enum class Side : std::uint8_t { a, b };
constexpr Side other(Side side) { return side == Side::a ? Side::b : Side::a; }

}  // namespace rdmawire::link
