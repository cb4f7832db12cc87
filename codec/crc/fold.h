// Carry-less multiplication as a way to a CRC: the constants, for any reflected polynomial of 32 bits.
//
// A block of 128 bits can be moved to the end of the data without changing the remainder: each of its halves, times x
// to the power of the distance modulo the polynomial, is a product of less than 128 bits. Blocks so folded onto the
// last one add up, and what is left is one division of 128 bits.
//
// All numbers are reflected: bit m of n bits stands for x^(n-1-m). The product of two reflected numbers comes out with
// one bit less than there is room for, so that it reads as their product times x.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rdmawire::crc::fold {

inline constexpr std::uint32_t crc32_polynomial = 0xEDB88320;
inline constexpr std::uint32_t crc32c_polynomial = 0x82F63B78;

// x^n modulo the polynomial, reflected, 32 bits.
template <std::uint32_t reflected_polynomial>
consteval std::uint32_t power_of_x(std::uint64_t n) {
  constexpr auto product = [](std::uint32_t a, std::uint32_t b) {
    std::uint32_t sum = 0;
    for (; a != 0; a <<= 1) {
      if ((a & 0x80000000U) != 0) sum ^= b;
      b = b >> 1 ^ ((b & 1U) != 0 ? reflected_polynomial : 0);
    }
    return sum;
  };
  std::uint32_t result = 0x80000000;  // x^0
  std::uint32_t square = 0x40000000;  // x^1, x^2, x^4 ...
  for (; n != 0; n >>= 1, square = product(square, square)) {
    if ((n & 1U) != 0) result = product(result, square);
  }
  return result;
}

// What the two halves of a block are multiplied with, the earlier half first; in a register the earlier is the lower.
using Pair = std::array<std::uint64_t, 2>;

// Moves a block so many octets towards the end.
template <std::uint32_t reflected_polynomial>
consteval Pair forward(std::uint64_t octets) {
  return {std::uint64_t{power_of_x<reflected_polynomial>(8 * octets + 64 - 1)} << 32,
          std::uint64_t{power_of_x<reflected_polynomial>(8 * octets - 1)} << 32};
}

// Moves each but the last of 16 blocks onto the last, which is left out of the sum: a distance of nothing has no pair.
template <std::uint32_t reflected_polynomial>
consteval std::array<Pair, 16> onto_last() {
  std::array<Pair, 16> out{};
  for (std::size_t i = 0; i < 15; ++i) out[i] = forward<reflected_polynomial>(16 * (15 - i));
  return out;
}

// For the division of 128 bits B, reflected, by the polynomial P: (B x^32) mod P.
// The first half of B times first_half, and the other half as it is, give the same remainder in 96 bits.
// The quotient of these is their first 64 bits times inverse, modulo 2^64: in a reflected number the highest powers
// are the lowest bits, and the quotient has to clear 64 of them. So quotient * polynomial equals them in the first 64
// bits, and differs by the remainder in the next 32.
template <std::uint32_t reflected_polynomial>
struct Division {
  static constexpr std::uint64_t first_half = power_of_x<reflected_polynomial>(95);
  static constexpr std::uint64_t polynomial = std::uint64_t{reflected_polynomial} << 1 | 1;  // with its x^32
  static constexpr std::uint64_t inverse = [] {
    std::uint64_t quotient = 0;
    std::uint64_t left = 1;
    for (int i = 0; i < 64; ++i) {
      if ((left >> i & 1U) == 0) continue;
      quotient |= std::uint64_t{1} << i;
      left ^= polynomial << i;
    }
    return quotient;
  }();
};

}  // namespace rdmawire::crc::fold
