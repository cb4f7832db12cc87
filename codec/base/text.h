// Text put together without a heap: as much of it as the caller's buffer takes.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "codec/base/bytes.h"

namespace rdmawire {

// A number to be written as 0x and at least so many hex digits.
struct Hex {
  std::uint64_t value = 0;
  unsigned digits = 1;
};

// What no longer fits is dropped.
class Text {
 public:
  explicit Text(std::span<char> out) : out_(out) {}

  // Appends each of them: characters, texts, unsigned numbers in decimal, and Hex.
  template <class... Pieces>
  void add(const Pieces&... pieces) {
    (put(pieces), ...);
  }
  void add_hex_octets(Bytes octets) {
    for (const std::uint8_t octet : octets) {
      put(hex_digits[octet >> 4]);
      put(hex_digits[octet & 15U]);
    }
  }
  // Without 0x or leading zeros.
  void add_hex(std::uint64_t value) { put_number(value, 16, 1); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {out_.data(), size_}; }

 private:
  static constexpr std::string_view hex_digits = "0123456789abcdef";

  void put(char c) {
    if (size_ < out_.size()) out_[size_++] = c;
  }
  void put(std::string_view text) {
    for (const char c : text) put(c);
  }
  template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>)
  void put(Number value) {
    put_number(value, 10, 1);
  }
  void put(Hex number) {
    put(std::string_view("0x"));
    put_number(number.value, 16, number.digits);
  }
  void put_number(std::uint64_t value, int base, unsigned digits) {
    std::array<char, 20> text;
    const char* end = std::to_chars(text.data(), text.data() + text.size(), value, base).ptr;
    const auto size = static_cast<std::size_t>(end - text.data());
    for (std::size_t zeros = size; zeros < digits; ++zeros) put('0');
    put(std::string_view(text.data(), size));
  }

  std::span<char> out_;
  std::size_t size_ = 0;
};

}  // namespace rdmawire
