// What shall become of one packet, said in advance: for exact tests, and for fuzzers and explorers that steer the link.
#pragma once

#include <cstdint>

namespace rdmawire::link {

// A forced fate replaces all that the impairments leave to chance for this packet, jitter included. MTU, rate, queue,
// outages, delay and capacity stay. The chances of other packets don't change by it.
struct Fate {
  enum class Kind : std::uint8_t {
    chance,     // not forced
    pass,       // arrives whole and in order
    drop,       //
    duplicate,  // a copy follows, after `value` later packets have overtaken it
    hold,       // `value` later packets overtake it
    corrupt,    // bit `value` is inverted, modulo the packet's length; bit 0 is the highest of the first octet
    mark,       // congestion experienced (congestion.h)
  };

  Kind kind = Kind::chance;
  std::uint32_t value = 0;

  static constexpr Fate chance() { return {Kind::chance, 0}; }
  static constexpr Fate pass() { return {Kind::pass, 0}; }
  static constexpr Fate drop() { return {Kind::drop, 0}; }
  // Whoever is held back, original or copy, arrives after Impairments::reorder_hold at the latest.
  static constexpr Fate duplicate(std::uint32_t behind = 0) { return {Kind::duplicate, behind}; }
  static constexpr Fate hold(std::uint32_t behind) { return {Kind::hold, behind}; }
  static constexpr Fate corrupt(std::uint32_t bit) { return {Kind::corrupt, bit}; }
  static constexpr Fate mark() { return {Kind::mark, 0}; }

  friend constexpr bool operator==(Fate, Fate) = default;
};

// The fate of the packet with that number in its direction; the first is 0.
struct NumberedFate {
  std::uint64_t number{};
  Fate fate{};
};

// A fate for two octets of a fuzzer's input: the three high bits say what, the others how. Any word is a fate, never
// chance; 0 is pass. Packets are held back behind 1 to 8 others, copies behind 0 to 7.
constexpr Fate fate_of(std::uint16_t word) {
  const std::uint32_t value = word & 0x1FFFU;
  switch (word >> 13) {
    case 1:
      return Fate::drop();
    case 2:
      return Fate::duplicate(value % 8);
    case 3:
      return Fate::hold(1 + value % 8);
    case 4:
      return Fate::corrupt(value);
    case 5:
      return Fate::mark();
    default:
      return Fate::pass();
  }
}

}  // namespace rdmawire::link
