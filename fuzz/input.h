// The octets that a fuzzer gives, taken from the front; zeros after their end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "codec/base/bytes.h"

namespace rdmawire::fuzz {

class Input {
 public:
  explicit Input(Bytes octets) : left_(octets) {}

  bool empty() const { return left_.empty(); }
  Bytes rest() const { return left_; }

  std::uint8_t octet() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t word() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t long_word() { return number(4); }
  // As many as there are, len at most.
  Bytes take(std::size_t len) {
    const Bytes taken = left_.first(std::min(len, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }

 private:
  std::uint32_t number(std::size_t size) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const Bytes octet = take(1);
      out = out << 8 | (octet.empty() ? 0U : octet.front());
    }
    return out;
  }

  Bytes left_;
};

}  // namespace rdmawire::fuzz
