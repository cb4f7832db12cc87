// What every header that was found must hold.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <source_location>

#include "codec/base/field.h"

namespace rdmawire::fuzz {

// Says which line it was.
inline void require(bool holds, const std::source_location& place = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: not so\n", place.file_name(), static_cast<unsigned>(place.line()));
  std::abort();
}

// Every field that is there has a text, no longer than it is said to be. octets: the whole header.
inline void check_fields(const HeaderInfo& header, Bytes octets) {
  std::array<char, 1024> text;
  for (const FieldInfo& field : header.fields) {
    if (!is_present(field, octets)) continue;
    require(max_text(field) <= text.size());
    const std::size_t written = format_value(field, octets, text);
    require(written > 0 && written <= max_text(field));
    if (field.value_name != nullptr && field.is_number()) field.value_name(number(field, octets));
  }
}

}  // namespace rdmawire::fuzz
