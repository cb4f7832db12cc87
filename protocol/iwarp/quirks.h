// The departures of the machines of iWARP: see protocol/quirk_set.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/quirk_set.h"

namespace rdmawire::iwarp {

enum class Quirk : std::uint8_t {
#define RDMAWIRE_QUIRK(symbol, ...) symbol,
#include "protocol/iwarp/quirks.inc"
  count_,
};

// Which machine shows it; mpa: the start-up, fpdu: Full Operation.
enum class QuirkOf : std::uint8_t { mpa, fpdu, ddp, rdmap, sctp };

using QuirkInfo = QuirkRow<Quirk, QuirkOf>;
using Quirks = QuirkSet<Quirk>;

namespace detail {

consteval auto make_quirk_table() {
  return std::array{
#define RDMAWIRE_QUIRK(symbol, machine, requirement, origin, text) \
  QuirkInfo{Quirk::symbol, #symbol, QuirkOf::machine, requirement, origin, text},
#include "protocol/iwarp/quirks.inc"
  };
}

}  // namespace detail

inline constexpr auto quirk_table = detail::make_quirk_table();
static_assert(quirk_table.size() == static_cast<std::size_t>(Quirk::count_));

constexpr const QuirkInfo& info(Quirk quirk) { return quirk_table[static_cast<std::size_t>(quirk)]; }
// By name; _ and - are the same.
constexpr std::optional<Quirk> find_quirk(std::string_view name) {
  const QuirkInfo* row = find_quirk_row(quirk_table, name);
  return row == nullptr ? std::nullopt : std::optional(row->quirk);
}

}  // namespace rdmawire::iwarp
