// A link with two endpoints, and texts of what arrives, so that a test can state it in one line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/link/link.h"

namespace rdmawire::link::test {

inline constexpr Endpoint a{0};
inline constexpr Endpoint b{1};

constexpr Time ns(std::int64_t n) { return Time(n); }

// `len` octets that all are `value`.
inline std::vector<std::uint8_t> packet(std::uint8_t value, std::size_t len = 8) {
  return std::vector<std::uint8_t>(len, value);
}

// "7@120" is packet number 7, arrived at 120 ns; after that "copy", "behind 2", "flips 1", "marked" where true.
inline std::string text(const Delivery& delivery) {
  std::string out = std::to_string(delivery.number) + "@" + std::to_string(delivery.arrived_at.count());
  if (delivery.copy) out += " copy";
  if (delivery.num_overtaking != 0) out += " behind " + std::to_string(delivery.num_overtaking);
  if (delivery.num_flipped_bits != 0) out += " flips " + std::to_string(int{delivery.num_flipped_bits});
  if (delivery.marked) out += " marked";
  return out;
}

// All that arrives by then, separated by commas.
inline std::string arrivals(Link& link, Time by = Time::max()) {
  std::string out;
  while (const std::optional<Delivery> delivery = link.receive(by)) {
    if (!out.empty()) out += ", ";
    out += text(*delivery);
  }
  return out;
}

// num packets of 8 octets from a to b, each `gap` after the one before, the first at `start`.
inline void send_row(Link& link, int num, Time gap = ns(0), Time start = ns(0)) {
  for (int i = 0; i < num; ++i) link.send(a, b, packet(static_cast<std::uint8_t>(i)), start + i * gap);
}

}  // namespace rdmawire::link::test
