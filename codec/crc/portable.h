// Cyclic redundancy checks computed with tables, eight octets a step: for compile time, for processors that engines.h
// has nothing better for, and for the CRC-16. Users call crc.h.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "codec/base/bytes.h"

namespace rdmawire::crc::portable {

// tables[k][octet]: the remainder that octet leaves after k more zero octets.
template <std::unsigned_integral Word>
using Tables = std::array<std::array<Word, 256>, 8>;

template <std::unsigned_integral Word, Word reflected_polynomial>
consteval Tables<Word> make_tables() {
  Tables<Word> out{};
  for (unsigned octet = 0; octet < 256; ++octet) {
    auto remainder = static_cast<Word>(octet);
    for (int bit = 0; bit < 8; ++bit) {
      remainder = static_cast<Word>((remainder & 1U) != 0 ? remainder >> 1 ^ reflected_polynomial : remainder >> 1);
    }
    out[0][octet] = remainder;
  }
  for (std::size_t k = 1; k < out.size(); ++k) {
    for (std::size_t octet = 0; octet < 256; ++octet) {
      const Word before = out[k - 1][octet];
      out[k][octet] = static_cast<Word>(before >> 8 ^ out[0][before & 0xFFU]);
    }
  }
  return out;
}

template <std::unsigned_integral Word, Word reflected_polynomial>
inline constexpr Tables<Word> tables = make_tables<Word, reflected_polynomial>();

// A reflected CRC whose register starts as all ones and is inverted at the end, so that the result of the octets so
// far is also how to go on: crc(b, crc(a)) == crc(ab), and crc of nothing is 0. Word is as wide as the CRC, 16 or 32.
template <std::unsigned_integral Word, Word reflected_polynomial>
constexpr Word reflected(Bytes data, Word previous) {
  constexpr const Tables<Word>& t = tables<Word, reflected_polynomial>;
  auto state = static_cast<Word>(~previous);
  const std::uint8_t* p = data.data();
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, p += 8) {
    // The state's low octet meets the first octet, which is the highest of the big-endian word.
    const std::uint64_t w = load_be<8>(p) ^ __builtin_bswap64(state);
    state = static_cast<Word>(t[7][w >> 56] ^ t[6][w >> 48 & 0xFF] ^ t[5][w >> 40 & 0xFF] ^ t[4][w >> 32 & 0xFF] ^
                              t[3][w >> 24 & 0xFF] ^ t[2][w >> 16 & 0xFF] ^ t[1][w >> 8 & 0xFF] ^ t[0][w & 0xFF]);
  }
  for (; left > 0; --left, ++p) state = static_cast<Word>(state >> 8 ^ t[0][(state ^ *p) & 0xFFU]);
  return static_cast<Word>(~state);
}

// Of CRC-32, its bits reflected.
inline constexpr std::uint32_t crc32_polynomial = 0xEDB88320;

constexpr std::uint32_t crc32(Bytes data, std::uint32_t previous = 0) {
  return reflected<std::uint32_t, crc32_polynomial>(data, previous);
}
constexpr std::uint32_t crc32c(Bytes data, std::uint32_t previous = 0) {
  return reflected<std::uint32_t, 0x82F63B78>(data, previous);
}
constexpr std::uint16_t crc16_100b(Bytes data, std::uint16_t previous = 0) {
  return reflected<std::uint16_t, 0xD008>(data, previous);
}

}  // namespace rdmawire::crc::portable
