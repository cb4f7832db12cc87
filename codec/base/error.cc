#include "codec/base/error.h"

#include <algorithm>
#include <charconv>

namespace rdmawire {

void ErrorText::append(std::string_view more) {
  const std::size_t n = std::min(more.size(), text_.size() - size_);
  std::copy_n(more.data(), n, text_.data() + size_);
  size_ = static_cast<std::uint8_t>(size_ + n);
}

void ErrorText::append(std::uint64_t number) {
  std::array<char, 20> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  append(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

ErrorText to_string(const Error& error) {
  ErrorText out;
  if (error.layer != Layer::none) {
    out.append(info(error.layer).title);
    out.append(" at offset ");
    out.append(error.offset);
    out.append(": ");
  }
  out.append(info(error.code).text);
  if (error.needed != 0 || error.limit != Limit::none) {
    const std::string_view unit = error.code == ErrorCode::value_too_big ? " bits" : " octets";
    out.append(" (needs ");
    out.append(std::uint64_t{error.needed});
    out.append(unit);
    out.append(", ");
    out.append(std::uint64_t{error.available});
    if (error.limit == Limit::none) {
      out.append(" available)");
    } else {
      out.append(" left by ");
      out.append(name_of(error.limit));
      out.append(")");
    }
  }
  return out;
}

}  // namespace rdmawire
