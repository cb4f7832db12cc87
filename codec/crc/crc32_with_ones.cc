#include "codec/crc/crc32_with_ones.h"

#include <array>
#include <cstring>

#include "codec/crc/crc.h"

#if defined(__x86_64__) && !defined(RDMAWIRE_WITHOUT_ISAL)
#include <immintrin.h>
#define RDMAWIRE_CARRY_LESS_MULTIPLICATION
#endif

namespace rdmawire::crc {
namespace {

// The octets between the words of ones as they are, the words themselves with their bits set.
std::uint32_t piecewise(Bytes data, std::span<const Ones> ones, std::uint32_t previous) {
  std::size_t done = 0;
  for (const Ones& word : ones) {
    std::array<std::uint8_t, 4> set;
    store_be<4>(set.data(), load_be<4>(data.data() + word.offset) | word.bits);
    previous = crc32(set, crc32(data.subspan(done, word.offset - done), previous));
    done = word.offset + set.size();
  }
  return crc32(data.subspan(done), previous);
}

#ifdef RDMAWIRE_CARRY_LESS_MULTIPLICATION

constexpr const auto& table = portable::tables<std::uint32_t, 0xEDB88320>;

// The register after four more octets, the first of which is the lowest of word.
constexpr std::uint32_t after_word(std::uint32_t word) {
  return table[3][word & 0xFF] ^ table[2][word >> 8 & 0xFF] ^ table[1][word >> 16 & 0xFF] ^ table[0][word >> 24];
}

// powers[n]: x^(32 (n + 1) - 1) modulo the polynomial, reflected. The product of two reflected numbers comes out one
// bit too low, which is the 1. Enough for 4096 octets of payload and all headers.
constexpr auto powers = [] {
  std::array<std::uint32_t, 1100> out{};
  std::uint32_t power = 1;  // x^31
  for (std::uint32_t& each : out) {
    each = power;
    power = after_word(power);
  }
  return out;
}();

// A bit that turns from 0 to 1 adds its word times x^32 to the power of the words behind it. The sum of the products is
// reduced once. In AVX's encoding, and with the upper halves cleared in the end: ISA-L leaves them in use, and each SSE
// instruction after it would wait for its result to keep them. N: so that there is no loop.
template <std::size_t N>
[[gnu::target("avx,pclmul")]] std::uint32_t linear(Bytes data, const Ones* ones, std::uint32_t previous) {
  // One power a word, both of four octets: the same offset leads to either.
  const auto* last = reinterpret_cast<const std::uint8_t*>(powers.data() + (data.size() / 4 - 1));
  __m128i sum = _mm_setzero_si128();
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) {
    std::uint32_t octets;
    std::uint32_t power;
    std::memcpy(&octets, data.data() + ones[i].offset, sizeof octets);
    std::memcpy(&power, last - ones[i].offset, sizeof power);
    const std::uint32_t turned = ~octets & __builtin_bswap32(ones[i].bits);
    sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(_mm_cvtsi32_si128(static_cast<int>(turned)),
                                                  _mm_cvtsi32_si128(static_cast<int>(power)), 0));
  }
  const auto product = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum));
  const std::uint32_t change =
      static_cast<std::uint32_t>(product >> 32) ^ after_word(static_cast<std::uint32_t>(product));
  const std::uint32_t plain = crc32(data, previous);
  _mm256_zeroupper();
  return plain ^ change;
}

#endif

}  // namespace

std::uint32_t crc32_with_ones(Bytes data, std::span<const Ones> ones, std::uint32_t previous) {
#ifdef RDMAWIRE_CARRY_LESS_MULTIPLICATION
  if (data.size() % 4 == 0 && data.size() / 4 <= powers.size() && __builtin_cpu_supports("avx") != 0 &&
      __builtin_cpu_supports("pclmul") != 0) {
    switch (ones.size()) {
      case 2:
        return linear<2>(data, ones.data(), previous);
      case 3:
        return linear<3>(data, ones.data(), previous);
      case 4:
        return linear<4>(data, ones.data(), previous);
      case 5:
        return linear<5>(data, ones.data(), previous);
      default:
        break;
    }
  }
#endif
  return piecewise(data, ones, previous);
}

}  // namespace rdmawire::crc
