// Departures from the specification, by name: those of real devices and invented ones. They serve to emulate a device,
// to work with one, and to measure a test suite: each is a mutant that it must catch. Each family of machines has its
// own table: protocol/ib/quirks.h, protocol/iwarp/quirks.h.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>

namespace rdmawire {

// A row of a table. Of: which machine shows it.
template <class Quirk, class Of>
struct QuirkRow {
  Quirk quirk;
  std::string_view name;  // on command lines: the symbol with - for _
  Of machine;
  std::string_view requirement;  // of the register, that it breaks
  std::string_view origin;       // the device that was seen to do it, or "invented"
  std::string_view text;         // what it does
};

// A set of them. None by default.
template <class Quirk>
class QuirkSet {
 public:
  bool has(Quirk quirk) const { return bits_[static_cast<std::size_t>(quirk)]; }
  void add(Quirk quirk) { bits_[static_cast<std::size_t>(quirk)] = true; }
  bool empty() const { return bits_.none(); }

 private:
  std::bitset<static_cast<std::size_t>(Quirk::count_)> bits_;
};

// The row of that name, in which _ and - are the same; nullptr if there is none.
template <class Table>
constexpr auto find_quirk_row(const Table& table, std::string_view name) -> decltype(&table[0]) {
  for (const auto& row : table) {
    if (row.name.size() != name.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < name.size(); ++i) same = same && row.name[i] == (name[i] == '-' ? '_' : name[i]);
    if (same) return &row;
  }
  return nullptr;
}

}  // namespace rdmawire
