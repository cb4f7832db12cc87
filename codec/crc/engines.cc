#include "codec/crc/engines.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "codec/crc/crc.h"
#include "codec/crc/crc32_with_ones.h"
#include "codec/crc/portable.h"

namespace rdmawire::crc {
namespace {

// Sets the ones in a copy of the head; plain is the CRC of the same engine.
template <Kernel& plain>
std::uint32_t by_copy(Bytes data, const HeadOnes& ones, std::uint32_t previous) {
  std::array<std::uint8_t, HeadOnes::size> head;
  const Bytes from = data.first(std::min(data.size(), head.size()));
  for (std::size_t i = 0; i < from.size(); ++i) head[i] = from[i] | ones.octets[i];
  previous = plain(Bytes(head).first(from.size()), previous);
  return from.size() == data.size() ? previous : plain(data.subspan(from.size()), previous);
}

// Copies first; with_ones is the CRC of the same engine.
template <KernelWithOnes& with_ones>
std::uint32_t copy_first(MutableBytes out, Bytes tail, const HeadOnes& ones, std::uint32_t previous) {
  if (!tail.empty()) std::memcpy(out.data() + (out.size() - tail.size()), tail.data(), tail.size());
  return with_ones(out, ones, previous);
}

template <Kernel& plain>
std::uint32_t copy_first(MutableBytes out, Bytes tail, std::uint32_t previous) {
  if (!tail.empty()) std::memcpy(out.data() + (out.size() - tail.size()), tail.data(), tail.size());
  return plain(out, previous);
}

// Each needs all that the one before needs.
constexpr std::array all_engines{
    Engine{"portable", portable::crc32, portable::crc32c, by_copy<portable::crc32>,
           copy_first<by_copy<portable::crc32>>, copy_first<portable::crc32c>},
#ifdef __x86_64__
    Engine{"pclmul", pclmul::crc32, sse42::crc32c, by_copy<pclmul::crc32>, copy_first<by_copy<pclmul::crc32>>,
           copy_first<sse42::crc32c>},
    Engine{"avx512", avx512::crc32, avx512::crc32c, avx512::crc32_with_ones, avx512::crc32_copying,
           avx512::crc32c_copying},
#endif
};

std::size_t num_engines() {
#ifdef __x86_64__
  __builtin_cpu_init();  // for calls before main
  if (__builtin_cpu_supports("pclmul") == 0 || __builtin_cpu_supports("sse4.2") == 0) return 1;
  if (__builtin_cpu_supports("avx512f") == 0 || __builtin_cpu_supports("avx512bw") == 0 ||
      __builtin_cpu_supports("avx512vl") == 0 || __builtin_cpu_supports("avx512vbmi2") == 0 ||
      __builtin_cpu_supports("vpclmulqdq") == 0) {
    return 2;
  }
#endif
  return all_engines.size();
}

// What the pointers hold until they are first used. Threads that come at the same time store the same.
std::uint32_t first_crc32(Bytes data, std::uint32_t previous) {
  Kernel* const best = engines().back().crc32;
  detail::crc32.store(best, std::memory_order_relaxed);
  return best(data, previous);
}
std::uint32_t first_crc32c(Bytes data, std::uint32_t previous) {
  Kernel* const best = engines().back().crc32c;
  detail::crc32c.store(best, std::memory_order_relaxed);
  return best(data, previous);
}
std::uint32_t first_crc32_with_ones(Bytes data, const HeadOnes& ones, std::uint32_t previous) {
  KernelWithOnes* const best = engines().back().crc32_with_ones;
  detail::crc32_with_ones.store(best, std::memory_order_relaxed);
  return best(data, ones, previous);
}
std::uint32_t first_crc32_copying(MutableBytes out, Bytes tail, const HeadOnes& ones, std::uint32_t previous) {
  CopyingKernelWithOnes* const best = engines().back().crc32_copying;
  detail::crc32_copying.store(best, std::memory_order_relaxed);
  return best(out, tail, ones, previous);
}
std::uint32_t first_crc32c_copying(MutableBytes out, Bytes tail, std::uint32_t previous) {
  CopyingKernel* const best = engines().back().crc32c_copying;
  detail::crc32c_copying.store(best, std::memory_order_relaxed);
  return best(out, tail, previous);
}

}  // namespace

namespace detail {

constinit std::atomic<Kernel*> crc32 = first_crc32;
constinit std::atomic<Kernel*> crc32c = first_crc32c;
constinit std::atomic<KernelWithOnes*> crc32_with_ones = first_crc32_with_ones;
constinit std::atomic<CopyingKernelWithOnes*> crc32_copying = first_crc32_copying;
constinit std::atomic<CopyingKernel*> crc32c_copying = first_crc32c_copying;

}  // namespace detail

std::span<const Engine> engines() { return std::span(all_engines).first(num_engines()); }

}  // namespace rdmawire::crc
