// The implementations of the 32-bit CRCs, and which of them this processor can run. Users call crc.h; tests and
// benchmarks compare these.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "codec/base/bytes.h"

namespace rdmawire::crc {

// Bits of the first 64 octets, to be taken as ones; as many zeros follow, so that 64 can be read from any of them.
struct HeadOnes {
  static constexpr std::size_t size = 64;  // octets
  alignas(64) std::array<std::uint8_t, 2 * size> octets{};
};

// As crc32 and crc32c in crc.h, and the others in crc32_with_ones.h.
using Kernel = std::uint32_t(Bytes data, std::uint32_t previous);
using KernelWithOnes = std::uint32_t(Bytes data, const HeadOnes& ones, std::uint32_t previous);
using CopyingKernel = std::uint32_t(MutableBytes out, Bytes tail, std::uint32_t previous);
using CopyingKernelWithOnes = std::uint32_t(MutableBytes out, Bytes tail, const HeadOnes& ones, std::uint32_t previous);

struct Engine {
  std::string_view name;
  Kernel* crc32;
  Kernel* crc32c;
  KernelWithOnes* crc32_with_ones;
  CopyingKernelWithOnes* crc32_copying;
  CopyingKernel* crc32c_copying;
};

// Those that this processor can run, the slowest, "portable", first. What crc.h uses is the last.
std::span<const Engine> engines();

#ifdef __x86_64__
// 128-bit carry-less multiplication, at most 64 octets a step. Processor: PCLMULQDQ, SSE4.1.
namespace pclmul {
std::uint32_t crc32(Bytes data, std::uint32_t previous);
}
// The CRC-32C instruction, three streams at once. Processor: SSE4.2, PCLMULQDQ.
namespace sse42 {
std::uint32_t crc32c(Bytes data, std::uint32_t previous);
}
// 512-bit carry-less multiplication, at most 256 octets a step. Processor: AVX-512 F, BW, VL and VBMI2, VPCLMULQDQ.
namespace avx512 {
std::uint32_t crc32(Bytes data, std::uint32_t previous);
std::uint32_t crc32c(Bytes data, std::uint32_t previous);
std::uint32_t crc32_with_ones(Bytes data, const HeadOnes& ones, std::uint32_t previous);
// In one pass if the head is shorter than 64 octets and the tail a multiple of 64.
std::uint32_t crc32_copying(MutableBytes out, Bytes tail, const HeadOnes& ones, std::uint32_t previous);
// In one pass if the head, and what of the tail is no multiple of 64, are shorter than 64 octets together.
std::uint32_t crc32c_copying(MutableBytes out, Bytes tail, std::uint32_t previous);
}  // namespace avx512
#endif

}  // namespace rdmawire::crc
