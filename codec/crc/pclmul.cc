// CRC-32 by folding with 128-bit carry-less multiplication; fold.h says how that works.
#ifdef __x86_64__

#include <immintrin.h>

#include "codec/crc/engines.h"
#include "codec/crc/fold.h"
#include "codec/crc/portable.h"

#define RDMAWIRE_TARGET gnu::target("pclmul,sse4.1")

namespace rdmawire::crc::pclmul {
namespace {

constexpr std::size_t block_size = 16;

// Loading 16 octets from the n-th gives the shuffle that moves a block's first n octets to its end, zeros before them.
alignas(32) constexpr auto to_the_end = [] {
  std::array<std::uint8_t, 32> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i < 16 ? 0x80 : i - 16);
  return out;
}();

[[RDMAWIRE_TARGET, gnu::always_inline]] inline __m128i load(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}

// A block moved, and added to next.
[[RDMAWIRE_TARGET, gnu::always_inline]] inline __m128i moved(__m128i block, __m128i pair, __m128i next) {
  return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(block, pair, 0x00), next),
                       _mm_clmulepi64_si128(block, pair, 0x11));
}

// The register, not inverted, after a block.
template <std::uint32_t polynomial>
[[RDMAWIRE_TARGET, gnu::always_inline]] inline std::uint32_t remainder(__m128i all) {
  using Division = fold::Division<polynomial>;
  const __m128i first_half = _mm_cvtsi64_si128(static_cast<std::int64_t>(Division::first_half));
  const __m128i inverse_and_polynomial =
      _mm_set_epi64x(static_cast<std::int64_t>(Division::polynomial), static_cast<std::int64_t>(Division::inverse));
  const __m128i bits96 = _mm_xor_si128(_mm_clmulepi64_si128(all, first_half, 0x00), _mm_srli_si128(all, 8));
  const __m128i quotient = _mm_clmulepi64_si128(bits96, inverse_and_polynomial, 0x00);
  const __m128i multiple = _mm_clmulepi64_si128(quotient, inverse_and_polynomial, 0x10);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(bits96, multiple), 2));
}

}  // namespace

// As in avx512.cc, with blocks of 16 octets: what is not a whole number of blocks comes first, zeros before it.
[[RDMAWIRE_TARGET]] std::uint32_t crc32(Bytes data, std::uint32_t previous) {
  constexpr std::uint32_t polynomial = fold::crc32_polynomial;
  alignas(block_size) static constexpr auto onto_last = fold::onto_last<polynomial>();
  static constexpr fold::Pair by_16 = fold::forward<polynomial>(block_size);
  static constexpr fold::Pair by_64 = fold::forward<polynomial>(4 * block_size);
  if (data.size() < block_size) return portable::crc32(data, previous);

  const std::uint8_t* p = data.data();
  const std::size_t head_len = data.size() % block_size;
  const std::uint32_t state = ~previous;
  // The register is added to the first four octets. This much of it goes past the head.
  const std::uint32_t rest = head_len < 4 ? state >> (8 * head_len) : 0;
  __m128i a = _mm_xor_si128(load(p + head_len), _mm_cvtsi32_si128(static_cast<int>(rest)));
  if (head_len != 0) {
    const __m128i first = _mm_xor_si128(load(p), _mm_cvtsi32_si128(static_cast<int>(state)));
    a = moved(_mm_shuffle_epi8(first, load(&to_the_end[head_len])), load(&by_16), a);
  }
  p += head_len;
  std::size_t left = data.size() - head_len - block_size;
  if (left < 3 * block_size) {
    const fold::Pair* pairs = &onto_last[15 - left / block_size];
    __m128i sum = _mm_setzero_si128();
    for (; left != 0; left -= block_size, ++pairs) {
      sum = moved(a, load(pairs), sum);
      p += block_size;
      a = load(p);
    }
    return ~remainder<polynomial>(_mm_xor_si128(sum, a));
  }

  const __m128i k64 = load(&by_64);
  __m128i b = load(p + block_size);
  __m128i c = load(p + 2 * block_size);
  __m128i d = load(p + 3 * block_size);
  p += 4 * block_size;
  left -= 3 * block_size;
  for (; left >= 4 * block_size; left -= 4 * block_size, p += 4 * block_size) {
    a = moved(a, k64, load(p));
    b = moved(b, k64, load(p + block_size));
    c = moved(c, k64, load(p + 2 * block_size));
    d = moved(d, k64, load(p + 3 * block_size));
  }
  for (; left != 0; left -= block_size, p += block_size) {
    const __m128i next = moved(a, k64, load(p));
    a = b;
    b = c;
    c = d;
    d = next;
  }
  d = moved(c, load(&onto_last[14]), d);
  return ~remainder<polynomial>(moved(a, load(&onto_last[12]), moved(b, load(&onto_last[13]), d)));
}

}  // namespace rdmawire::crc::pclmul

#endif
