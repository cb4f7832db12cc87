// How every benchmark of the project says what it found: ratios and times of one run, one line an aim.
#pragma once

#include <cstdio>
#include <string_view>

namespace rdmawire::bench {

enum class Bound { at_least, at_most };

// Prints "aim NAME: VALUE (bound BOUND) met|missed".
inline void report_aim(std::string_view name, double value, Bound bound, double limit, std::string_view unit) {
  const bool met = bound == Bound::at_least ? value >= limit : value <= limit;
  std::printf("aim %.*s: %.3g%.*s (bound %s %.3g%.*s) %s\n", static_cast<int>(name.size()), name.data(), value,
              static_cast<int>(unit.size()), unit.data(), bound == Bound::at_least ? ">=" : "<=", limit,
              static_cast<int>(unit.size()), unit.data(), met ? "met" : "missed");
}

}  // namespace rdmawire::bench
