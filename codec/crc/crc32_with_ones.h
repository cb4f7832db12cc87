// CRC-32 of octets of which some bits count as ones: what the invariant CRC asks for (IBTA vol. 1, 7.8.1).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "codec/base/bytes.h"
#include "codec/crc/engines.h"

namespace rdmawire::crc {

namespace detail {
extern std::atomic<KernelWithOnes*> crc32_with_ones;
extern std::atomic<CopyingKernelWithOnes*> crc32_copying;
}  // namespace detail

// Bits to take as ones whatever they are.
struct Ones {
  std::uint32_t offset = 0;  // of four octets
  std::uint32_t bits = 0;    // of those octets as a big-endian word
};

// The bits of words that lie in the first 64 octets (HeadOnes::size).
constexpr HeadOnes head_ones(std::span<const Ones> words) {
  HeadOnes out;
  for (const Ones& word : words) {
    std::uint8_t* const octets = out.octets.data() + word.offset;
    store_be<4>(octets, load_be<4>(octets) | word.bits);
  }
  return out;
}

// crc32 (crc.h) of data with those bits set; data itself is only read, and may be shorter than 64 octets. Costs little
// more than crc32 when the ones are a constant.
inline std::uint32_t crc32_with_ones(Bytes data, const HeadOnes& ones, std::uint32_t previous = 0) {
  return detail::crc32_with_ones.load(std::memory_order_relaxed)(data, ones, previous);
}

// Copies tail to the end of out, whose octets before it are there, and gives crc32_with_ones of all of out: in one pass
// where the processor can. tail lies outside of out and is not longer.
inline std::uint32_t crc32_copying(MutableBytes out, Bytes tail, const HeadOnes& ones, std::uint32_t previous = 0) {
  return detail::crc32_copying.load(std::memory_order_relaxed)(out, tail, ones, previous);
}

// crc32_with_ones for words anywhere in data. They lie inside it, in ascending order, and do not overlap. Slower: each
// word is two calls of crc32.
std::uint32_t crc32_with_ones(Bytes data, std::span<const Ones> words, std::uint32_t previous = 0);

}  // namespace rdmawire::crc
