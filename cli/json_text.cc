#include "cli/json_text.h"

#include <cstddef>
#include <cstdint>

namespace rdmawire::cli {
namespace {

// Octets of the well-formed UTF-8 sequence at the start of text, which begins with an octet of 0x80 or more; 0 if it is
// ill-formed (Unicode, table 3-7).
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) -> unsigned { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U; };
  const auto continues = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if ((at(i) & 0xC0U) != 0x80U) return false;
    }
    return true;
  };
  const unsigned lead = at(0);
  const unsigned second = at(1);
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1, 2) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
    return continues(1, 3) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
    return continues(1, 4) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void append_json_string(Output& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  out.push_back('"');
  while (!text.empty()) {
    const auto c = static_cast<std::uint8_t>(text.front());
    std::size_t used = 1;
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(text.front());
    } else if (c < 0x20 || c == 0x7F) {
      out.append("\\u00");
      out.push_back(hex[c >> 4]);
      out.push_back(hex[c & 15U]);
    } else if (c < 0x80) {
      out.push_back(text.front());
    } else if (const std::size_t length = utf8_length(text); length != 0) {
      out.append(text.substr(0, length));
      used = length;
    } else {
      out.append("\\ufffd");
    }
    text.remove_prefix(used);
  }
  out.push_back('"');
}

}  // namespace rdmawire::cli
