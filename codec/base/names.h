// Names of numbers: each enum here has one table, in which its name_of looks.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace rdmawire {

template <class Value>
struct Name {
  Value value;
  std::string_view name;
};
template <class Value>
Name(Value, const char*) -> Name<Value>;

// The value's name; empty if it has none (reserved, or a vendor's).
template <class Value, std::size_t N>
constexpr std::string_view find_name(const std::array<Name<Value>, N>& names, Value value) {
  for (const Name<Value>& name : names) {
    if (name.value == value) return name.name;
  }
  return {};
}

}  // namespace rdmawire
