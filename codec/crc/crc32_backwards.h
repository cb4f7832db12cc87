// CRC-32 run backwards: which octets make it come out as it does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/crc/portable.h"

namespace rdmawire::crc {

namespace detail {

inline constexpr const std::array<std::uint32_t, 256>& remainder_of =
    portable::tables<std::uint32_t, portable::crc32_polynomial>[0];

// The octet whose remainder has that highest octet: each has another.
consteval std::array<std::uint8_t, 256> make_octet_by_highest() {
  std::array<std::uint8_t, 256> out{};
  for (unsigned octet = 0; octet < 256; ++octet) out[remainder_of[octet] >> 24] = static_cast<std::uint8_t>(octet);
  return out;
}
inline constexpr std::array<std::uint8_t, 256> octet_by_highest = make_octet_by_highest();

}  // namespace detail

// The two octets that, xored onto two octets of data, change crc32 (crc.h) of all of it by xoring it with difference;
// num_behind: octets of data behind the two. Nothing if no two do: so it is for all but 2^16 of the 2^32 differences.
// Takes a step for each octet behind.
constexpr std::optional<std::array<std::uint8_t, 2>> two_octets_for(std::uint32_t difference, std::size_t num_behind) {
  const auto& remainder = detail::remainder_of;
  std::uint32_t state = difference;
  for (std::size_t i = 0; i < num_behind; ++i) {
    const std::uint8_t low = detail::octet_by_highest[state >> 24];
    state = (state ^ remainder[low]) << 8 | low;
  }
  // From a state of 0 the first octet leaves its remainder, and the second is xored onto the lowest octet of that.
  const std::uint8_t index = detail::octet_by_highest[state >> 24];
  const std::uint32_t shifted = state ^ remainder[index];
  const std::uint8_t first = detail::octet_by_highest[shifted >> 16];
  if (remainder[first] >> 8 != shifted) return std::nullopt;
  return std::array{first, static_cast<std::uint8_t>(remainder[first] ^ index)};
}

}  // namespace rdmawire::crc
