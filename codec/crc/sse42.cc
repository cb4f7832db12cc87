// CRC-32C with the instruction for it. One takes three clocks before the next can go on from it, so three parts of the
// data are done at once, and joined.
#ifdef __x86_64__

#include <immintrin.h>

#include <cstring>

#include "codec/crc/engines.h"
#include "codec/crc/fold.h"

#define RDMAWIRE_TARGET gnu::target("sse4.2,pclmul")

namespace rdmawire::crc::sse42 {
namespace {

template <class Word>
[[gnu::always_inline]] inline Word load(const std::uint8_t* p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// The register after so many octets of zeros. The instruction divides a product a b, of which it makes a b x^33.
template <std::size_t octets>
[[RDMAWIRE_TARGET, gnu::always_inline]] inline std::uint64_t after_zeros(std::uint64_t state) {
  constexpr std::uint32_t power = fold::power_of_x<fold::crc32c_polynomial>(8 * octets - 33);
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<std::int64_t>(state)),
                                               _mm_cvtsi32_si128(static_cast<int>(power)), 0);
  return _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)));
}

// Three parts of so many octets each, as often as the data has them.
template <std::size_t part>
[[RDMAWIRE_TARGET, gnu::always_inline]] inline void three_at_once(std::uint64_t& state, const std::uint8_t*& p,
                                                                  std::size_t& left) {
  for (; left >= 3 * part; left -= 3 * part, p += 3 * part) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < part; i += 8) {
      state = _mm_crc32_u64(state, load<std::uint64_t>(p + i));
      second = _mm_crc32_u64(second, load<std::uint64_t>(p + part + i));
      third = _mm_crc32_u64(third, load<std::uint64_t>(p + 2 * part + i));
    }
    state = after_zeros<2 * part>(state) ^ after_zeros<part>(second) ^ third;
  }
}

}  // namespace

[[RDMAWIRE_TARGET]] std::uint32_t crc32c(Bytes data, std::uint32_t previous) {
  const std::uint8_t* p = data.data();
  std::size_t left = data.size();
  std::uint64_t state = ~previous;
  three_at_once<4096>(state, p, left);
  three_at_once<512>(state, p, left);
  three_at_once<64>(state, p, left);
  for (; left >= 8; left -= 8, p += 8) state = _mm_crc32_u64(state, load<std::uint64_t>(p));
  auto last = static_cast<std::uint32_t>(state);
  if ((left & 4U) != 0) last = _mm_crc32_u32(last, load<std::uint32_t>(p)), p += 4;
  if ((left & 2U) != 0) last = _mm_crc32_u16(last, load<std::uint16_t>(p)), p += 2;
  if ((left & 1U) != 0) last = _mm_crc32_u8(last, *p);
  return ~last;
}

}  // namespace rdmawire::crc::sse42

#endif
