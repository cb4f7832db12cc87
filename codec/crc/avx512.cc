// 32-bit CRCs by folding with 512-bit carry-less multiplication; fold.h says how that works.
// The upper halves of the registers are not left in use, which would slow SSE instructions down: compilers that
// optimise end such a function with vzeroupper of their own accord, and a second one costs 0.3 ns.
#ifdef __x86_64__

// The header's own variables that it leaves undefined on purpose: GCC bug 105593, mended in GCC 13.
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <cstring>

#include "codec/crc/engines.h"
#include "codec/crc/fold.h"

#define RDMAWIRE_TARGET gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2,vpclmulqdq,pclmul")

namespace rdmawire::crc::avx512 {
namespace {

constexpr std::size_t block_size = 64;

[[RDMAWIRE_TARGET, gnu::always_inline]] inline __m512i load(const void* p) { return _mm512_loadu_si512(p); }

[[RDMAWIRE_TARGET, gnu::always_inline]] inline __m512i broadcast(const fold::Pair& pair) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pair.data())));
}

// Four times 128 bits moved, and added to next.
[[RDMAWIRE_TARGET, gnu::always_inline]] inline __m512i moved(__m512i block, __m512i pairs, __m512i next) {
  constexpr int exclusive_or = 0x96;
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(block, pairs, 0x00),
                                   _mm512_clmulepi64_epi128(block, pairs, 0x11), next, exclusive_or);
}

// The register, not inverted, after what blocks stand for when each but the last of its 128 bits was moved onto that.
template <std::uint32_t polynomial>
[[RDMAWIRE_TARGET, gnu::always_inline]] inline std::uint32_t remainder(__m512i sum) {
  using Division = fold::Division<polynomial>;
  const __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
  const __m128i all = _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  const __m128i first_half = _mm_cvtsi64_si128(static_cast<std::int64_t>(Division::first_half));
  const __m128i inverse_and_polynomial =
      _mm_set_epi64x(static_cast<std::int64_t>(Division::polynomial), static_cast<std::int64_t>(Division::inverse));
  const __m128i bits96 = _mm_xor_si128(_mm_clmulepi64_si128(all, first_half, 0x00), _mm_srli_si128(all, 8));
  const __m128i quotient = _mm_clmulepi64_si128(bits96, inverse_and_polynomial, 0x00);
  const __m128i multiple = _mm_clmulepi64_si128(quotient, inverse_and_polynomial, 0x10);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(bits96, multiple), 2));
}

// The block at offset `at`; copied to the same offset of `to` on the way.
template <bool copying>
[[RDMAWIRE_TARGET, gnu::always_inline]] inline __m512i take(const std::uint8_t* from, std::uint8_t* to,
                                                            std::size_t at) {
  const __m512i block = load(from + at);
  if constexpr (copying) _mm512_storeu_si512(to + at, block);
  return block;
}

// What is not a whole number of blocks comes first, as a block with zeros before it: zeros before the data change
// nothing, so all that follows are whole blocks and there is no tail. These are at `from`, which is behind the head
// unless they are copied there.
template <std::uint32_t polynomial, bool with_ones, bool copying>
[[RDMAWIRE_TARGET, gnu::always_inline]] inline std::uint32_t run(Bytes data, std::uint32_t previous,
                                                                 const std::uint8_t* ones, const std::uint8_t* from,
                                                                 std::uint8_t* to) {
  alignas(block_size) static constexpr auto onto_last = fold::onto_last<polynomial>();
  static constexpr fold::Pair by_64 = fold::forward<polynomial>(block_size);
  static constexpr fold::Pair by_256 = fold::forward<polynomial>(4 * block_size);
  constexpr __mmask8 last_128 = 0xC0;

  const std::size_t head_len = data.size() % block_size;
  const std::uint32_t state = ~previous;
  // The register is added to the first four octets. This much of it goes past the head.
  const std::uint32_t rest = head_len < 4 ? state >> (8 * head_len) : 0;
  __m512i head = _mm512_setzero_si512();
  if (head_len != 0) {
    const std::uint64_t those = ~(~std::uint64_t{0} << head_len);
    head = copying || data.size() < block_size ? _mm512_maskz_loadu_epi8(those, data.data()) : load(data.data());
    if constexpr (with_ones) head = _mm512_or_si512(head, load(ones));
    head = _mm512_xor_si512(head, _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(state))));
    head = _mm512_maskz_expand_epi8(~(~std::uint64_t{0} >> head_len), head);
  }
  if (data.size() < block_size) {
    const __m512i last = _mm512_maskz_mov_epi64(last_128, head);
    return ~(rest ^ remainder<polynomial>(moved(head, load(&onto_last[12]), last)));
  }

  __m512i a = take<copying>(from, to, 0);
  if constexpr (with_ones) a = _mm512_or_si512(a, load(ones + head_len));
  a = _mm512_xor_si512(a, _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(rest))));
  std::size_t at = block_size;
  std::size_t left = data.size() - head_len - block_size;
  if (left < 3 * block_size) {
    // At most four blocks, the head among them: all at once onto the last.
    const fold::Pair* pairs = &onto_last[12 - left / 16];
    __m512i sum = _mm512_setzero_si512();
    if (head_len != 0) sum = moved(head, load(pairs - 4), sum);
    for (; left != 0; left -= block_size, at += block_size, pairs += 4) {
      sum = moved(a, load(pairs), sum);
      a = take<copying>(from, to, at);
    }
    sum = _mm512_xor_si512(sum, _mm512_maskz_mov_epi64(last_128, a));
    return ~remainder<polynomial>(moved(a, load(pairs), sum));
  }

  const __m512i k256 = broadcast(by_256);
  __m512i b = take<copying>(from, to, block_size);
  __m512i c = take<copying>(from, to, 2 * block_size);
  __m512i d = take<copying>(from, to, 3 * block_size);
  if (head_len != 0) a = moved(head, broadcast(by_64), a);
  at = 4 * block_size;
  left -= 3 * block_size;
  for (; left >= 4 * block_size; left -= 4 * block_size, at += 4 * block_size) {
    a = moved(a, k256, take<copying>(from, to, at));
    b = moved(b, k256, take<copying>(from, to, at + block_size));
    c = moved(c, k256, take<copying>(from, to, at + 2 * block_size));
    d = moved(d, k256, take<copying>(from, to, at + 3 * block_size));
  }
  for (; left != 0; left -= block_size, at += block_size) {
    const __m512i next = moved(a, k256, take<copying>(from, to, at));
    a = b;
    b = c;
    c = d;
    d = next;
  }
  const __m512i ab = moved(a, load(&onto_last[0]), moved(b, load(&onto_last[4]), _mm512_maskz_mov_epi64(last_128, d)));
  const __m512i cd = moved(c, load(&onto_last[8]), _mm512_setzero_si512());
  return ~remainder<polynomial>(moved(d, load(&onto_last[12]), _mm512_xor_si512(ab, cd)));
}

const std::uint8_t* behind_head(Bytes data) { return data.data() + data.size() % block_size; }

}  // namespace

[[RDMAWIRE_TARGET]] std::uint32_t crc32(Bytes data, std::uint32_t previous) {
  return run<fold::crc32_polynomial, false, false>(data, previous, nullptr, behind_head(data), nullptr);
}

[[RDMAWIRE_TARGET]] std::uint32_t crc32c(Bytes data, std::uint32_t previous) {
  return run<fold::crc32c_polynomial, false, false>(data, previous, nullptr, behind_head(data), nullptr);
}

[[RDMAWIRE_TARGET]] std::uint32_t crc32_with_ones(Bytes data, const HeadOnes& ones, std::uint32_t previous) {
  return run<fold::crc32_polynomial, true, false>(data, previous, ones.octets.data(), behind_head(data), nullptr);
}

[[RDMAWIRE_TARGET]] std::uint32_t crc32_copying(MutableBytes out, Bytes tail, const HeadOnes& ones,
                                                std::uint32_t previous) {
  const std::size_t head_len = out.size() - tail.size();
  std::uint8_t* const to = out.data() + head_len;
  if (head_len < block_size && tail.size() % block_size == 0) {
    return run<fold::crc32_polynomial, true, true>(out, previous, ones.octets.data(), tail.data(), to);
  }
  if (!tail.empty()) std::memcpy(to, tail.data(), tail.size());
  return crc32_with_ones(out, ones, previous);
}

[[RDMAWIRE_TARGET]] std::uint32_t crc32c_copying(MutableBytes out, Bytes tail, std::uint32_t previous) {
  std::uint8_t* const to = out.data() + (out.size() - tail.size());
  const std::size_t rest = tail.size() % block_size;
  const bool one_pass = out.size() - tail.size() + rest < block_size;
  const std::size_t first = one_pass ? rest : tail.size();
  if (first != 0) std::memcpy(to, tail.data(), first);
  if (!one_pass) return crc32c(out, previous);
  return run<fold::crc32c_polynomial, false, true>(out, previous, nullptr, tail.data() + first, to + first);
}

}  // namespace rdmawire::crc::avx512

#endif
