// Departures from the specification, by name: those of real devices and invented ones. They serve to emulate a device,
// to work with one, and to measure a test suite: each is a mutant that it must catch.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rdmawire::ib {

enum class Quirk : std::uint8_t {
#define RDMAWIRE_QUIRK(symbol, ...) symbol,
#include "protocol/ib/quirks.inc"
  count_,
};

// Which machine shows it.
enum class QuirkOf : std::uint8_t { requester, responder, port, cm };

struct QuirkInfo {
  Quirk quirk;
  std::string_view name;  // on command lines: the symbol with - for _
  QuirkOf machine;
  std::string_view requirement;  // of the register, that it breaks
  std::string_view origin;       // the device that was seen to do it, or "invented"
  std::string_view text;         // what it does
};

namespace detail {

consteval auto make_quirk_table() {
  return std::array{
#define RDMAWIRE_QUIRK(symbol, machine, requirement, origin, text) \
  QuirkInfo{Quirk::symbol, #symbol, QuirkOf::machine, requirement, origin, text},
#include "protocol/ib/quirks.inc"
  };
}

}  // namespace detail

inline constexpr auto quirk_table = detail::make_quirk_table();
static_assert(quirk_table.size() == static_cast<std::size_t>(Quirk::count_));

constexpr const QuirkInfo& info(Quirk quirk) { return quirk_table[static_cast<std::size_t>(quirk)]; }
// By name; _ and - are the same.
constexpr std::optional<Quirk> find_quirk(std::string_view name) {
  for (const QuirkInfo& row : quirk_table) {
    if (row.name.size() != name.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < name.size(); ++i) same = same && row.name[i] == (name[i] == '-' ? '_' : name[i]);
    if (same) return row.quirk;
  }
  return std::nullopt;
}

// A set of them. None by default.
class Quirks {
 public:
  bool has(Quirk quirk) const { return bits_[static_cast<std::size_t>(quirk)]; }
  void add(Quirk quirk) { bits_[static_cast<std::size_t>(quirk)] = true; }

 private:
  std::bitset<static_cast<std::size_t>(Quirk::count_)> bits_;
};

}  // namespace rdmawire::ib
