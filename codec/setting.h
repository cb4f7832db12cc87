#pragma once

#include <cstdint>

namespace rdmawire {

// What is known of how a direction is framed. unknown: the start-up frames were not seen; what the stream shows
// decides.
enum class Setting : std::uint8_t { off, on, unknown };

}  // namespace rdmawire
