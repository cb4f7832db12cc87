// CRC-32C of any stretch of a window at a bounded cost, however long it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/base/bytes.h"
#include "codec/crc/crc.h"
#include "codec/window.h"

namespace rdmawire::detail {

// Product of polynomials modulo CRC-32C's, bits reflected as in the CRC.
constexpr std::uint32_t crc32c_product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t out = 0;
  for (std::uint32_t bit = 0x8000'0000U; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) out ^= b;
    b = (b & 1U) != 0 ? b >> 1 ^ 0x82F6'3B78U : b >> 1;
  }
  return out;
}

// A search may ask for the CRC of an FPDU that begins at every fourth octet, each as long as FPDUs can be. So the CRC
// of all octets up to every 256th is noted (once), and that of a stretch follows from those at its ends: a CRC is
// linear, crc(ab) == shift(crc(a), length of b) ^ crc(b).
class RangeCrc {
 public:
  static constexpr std::size_t interval = 256;
  // Shorter stretches are not worth it.
  static constexpr std::size_t direct_len = 1024;
  static constexpr std::size_t note_size = 4;
  // Octets of notes that a window of so many octets needs.
  static constexpr std::size_t notes_size(std::size_t window_size) { return note_size * (window_size / interval + 2); }

  explicit RangeCrc(MutableBytes notes) : notes_(notes) {}

  // Of the window's octets [from, to).
  std::uint32_t crc(const Window& window, std::uint64_t from, std::uint64_t to) {
    if (to - from <= direct_len) return add(window, from, to, 0);
    const std::uint64_t first = up(from);
    const std::uint64_t last = to - to % interval;
    if (first_ > first || next_ < window.begin() || next_ < first_) first_ = next_ = up(window.begin());
    if (first_ == next_) set_note(next_, 0);
    for (; next_ < last; next_ += interval) {
      set_note(next_ + interval, add(window, next_, next_ + interval, note(next_)));
    }
    const std::uint64_t num = (last - first) / interval;
    const std::uint32_t middle = note(last) ^ shift(note(first), num);
    const std::uint32_t up_to_last = shift(add(window, from, first, 0), num) ^ middle;
    return add(window, last, to, up_to_last);
  }

  // Octets read so far.
  std::uint64_t work() const { return work_; }

 private:
  static constexpr std::uint64_t up(std::uint64_t offset) { return (offset + interval - 1) / interval * interval; }

  // x to the power of the bits in 2^k intervals.
  static constexpr auto powers = [] {
    std::uint32_t power = 0x4000'0000U;
    for (std::size_t bits = 1; bits < 8 * interval; bits *= 2) power = crc32c_product(power, power);
    std::array<std::uint32_t, 20> out{};
    for (std::uint32_t& at : out) {
      at = power;
      power = crc32c_product(power, power);
    }
    return out;
  }();
  // The CRC's part in that of what it is the CRC of and num intervals more.
  static std::uint32_t shift(std::uint32_t crc, std::uint64_t num) {
    for (std::size_t k = 0; num >> k != 0; ++k) {
      if ((num >> k & 1U) != 0) crc = crc32c_product(crc, powers[k]);
    }
    return crc;
  }

  std::uint32_t add(const Window& window, std::uint64_t from, std::uint64_t to, std::uint32_t previous) {
    work_ += to - from;
    return crc::crc32c(window.stretch(from, to), previous);
  }
  std::size_t place(std::uint64_t offset) const {
    return static_cast<std::size_t>(offset / interval % (notes_.size() / note_size)) * note_size;
  }
  std::uint32_t note(std::uint64_t offset) const {
    return static_cast<std::uint32_t>(load_be<note_size>(notes_.data() + place(offset)));
  }
  void set_note(std::uint64_t offset, std::uint32_t crc) { store_be<note_size>(notes_.data() + place(offset), crc); }

  MutableBytes notes_;       // by offset / interval, round and round: CRC of the octets from first_ to offset
  std::uint64_t first_ = 1;  // those of [first_, next_] are there
  std::uint64_t next_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace rdmawire::detail
