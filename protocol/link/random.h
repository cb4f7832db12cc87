// The link's random numbers: SplitMix64, the same on every platform, and cheap to start anew for each packet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace rdmawire::link {

// A probability as a whole number of parts per million, so that no rounding differs between platforms.
struct Ppm {
  static constexpr std::uint32_t certain = 1'000'000;

  std::uint32_t value{};  // certain and more: always

  static constexpr Ppm percent(std::uint32_t n) { return {n * (certain / 100)}; }
  static constexpr Ppm always() { return {certain}; }
  friend constexpr bool operator==(Ppm, Ppm) = default;
};

// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (OOPSLA 2014), with the constants of
// java.util.SplittableRandom, which are also those of Vigna's splitmix64.c.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

  // What the (n + 1)-th call of next() gives after this seed.
  static constexpr std::uint64_t nth(std::uint64_t seed, std::uint64_t n) { return mix(seed + (n + 1) * gamma); }

  constexpr std::uint64_t next() { return mix(state_ += gamma); }

  // 0 to bound - 1, all equally likely; bound is at least 1.
  constexpr std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 modulo bound: as many numbers are too many
    std::uint64_t number = next();
    while (number < uneven) number = next();
    return number % bound;
  }

  // Fills out with numbers, a word of the machine's byte order each; of the last as much as there is room for.
  void fill(std::span<std::uint8_t> out) {
    while (!out.empty()) {
      const std::uint64_t word = next();
      const std::size_t size = std::min(out.size(), sizeof word);
      std::memcpy(out.data(), &word, size);
      out = out.subspan(size);
    }
  }

  constexpr bool chance(Ppm probability) { return below(Ppm::certain) < probability.value; }

 private:
  static constexpr std::uint64_t gamma = 0x9E3779B97F4A7C15;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }

  std::uint64_t state_;
};

}  // namespace rdmawire::link
