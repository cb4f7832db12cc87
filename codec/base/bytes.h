// Octets and big-endian words. Everything the codec reads or writes goes through here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace rdmawire {

using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

namespace detail {

template <class Word>
constexpr Word load_word(const std::uint8_t* p) {
  if (std::is_constant_evaluated()) {
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i) v = v << 8 | p[i];
    return static_cast<Word>(v);
  }
  static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);
  Word v;
  std::memcpy(&v, p, sizeof v);
  if constexpr (std::endian::native == std::endian::little) {
    if constexpr (sizeof(Word) == 2) v = __builtin_bswap16(v);
    if constexpr (sizeof(Word) == 4) v = __builtin_bswap32(v);
    if constexpr (sizeof(Word) == 8) v = __builtin_bswap64(v);
  }
  return v;
}

template <class Word>
constexpr void store_word(std::uint8_t* p, Word v) {
  if (std::is_constant_evaluated()) {
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      p[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(v) >> (8 * (sizeof(Word) - 1 - i)));
    }
    return;
  }
  if constexpr (std::endian::native == std::endian::little) {
    if constexpr (sizeof(Word) == 2) v = __builtin_bswap16(v);
    if constexpr (sizeof(Word) == 4) v = __builtin_bswap32(v);
    if constexpr (sizeof(Word) == 8) v = __builtin_bswap64(v);
  }
  std::memcpy(p, &v, sizeof v);
}

// Copies N octets. Odd sizes, such as a MAC address, one by one without a loop: the compiler then sees through the
// struct that they are in and moves words; memcpy would make it copy the struct by way of memory.
template <std::size_t N>
constexpr void copy_octets(std::uint8_t* to, const std::uint8_t* from) {
  if constexpr (N < 16 && !std::has_single_bit(N)) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { ((to[I] = from[I]), ...); }(std::make_index_sequence<N>{});
  } else if (std::is_constant_evaluated()) {
    for (std::size_t i = 0; i < N; ++i) to[i] = from[i];
  } else {
    std::memcpy(to, from, N);
  }
}

}  // namespace detail

// The big-endian unsigned number in the N octets at p; N is 1 to 8.
template <std::size_t N>
constexpr std::uint64_t load_be(const std::uint8_t* p) {
  static_assert(N >= 1 && N <= 8);
  if constexpr (N == 1) {
    return *p;
  } else if constexpr (N == 2) {
    return detail::load_word<std::uint16_t>(p);
  } else if constexpr (N == 4) {
    return detail::load_word<std::uint32_t>(p);
  } else if constexpr (N == 8) {
    return detail::load_word<std::uint64_t>(p);
  } else {
    constexpr std::size_t head = N > 4 ? 4 : 2;
    return load_be<head>(p) << (8 * (N - head)) | load_be<N - head>(p + head);
  }
}

// Writes the low N octets of value at p, most significant first; N is 1 to 8.
template <std::size_t N>
constexpr void store_be(std::uint8_t* p, std::uint64_t value) {
  static_assert(N >= 1 && N <= 8);
  if constexpr (N == 1) {
    *p = static_cast<std::uint8_t>(value);
  } else if constexpr (N == 2) {
    detail::store_word(p, static_cast<std::uint16_t>(value));
  } else if constexpr (N == 4) {
    detail::store_word(p, static_cast<std::uint32_t>(value));
  } else if constexpr (N == 8) {
    detail::store_word(p, value);
  } else {
    constexpr std::size_t head = N > 4 ? 4 : 2;
    store_be<head>(p, value >> (8 * (N - head)));
    store_be<N - head>(p + head, value);
  }
}

// The bits [bit_offset, bit_offset + bits) of data as a big-endian number; bits is 1 to 64.
// The caller has checked that they lie inside data.
constexpr std::uint64_t read_bits(Bytes data, std::size_t bit_offset, std::size_t bits) {
  std::uint64_t value = 0;
  for (std::size_t done = 0; done < bits;) {
    const std::size_t at = bit_offset + done;
    const std::size_t in_octet = 8 - at % 8;
    const std::size_t take = in_octet < bits - done ? in_octet : bits - done;
    const unsigned octet = data[at / 8] >> (in_octet - take) & ((1U << take) - 1U);
    value = value << take | octet;
    done += take;
  }
  return value;
}

// Writes the low bits of value over the bits [bit_offset, bit_offset + bits); the others stay.
constexpr void write_bits(MutableBytes data, std::size_t bit_offset, std::size_t bits, std::uint64_t value) {
  for (std::size_t left = bits; left > 0;) {
    const std::size_t end = bit_offset + left;  // one past the last bit still to write
    const std::size_t free_low = (8 - end % 8) % 8;
    const std::size_t room = 8 - free_low;
    const std::size_t take = room < left ? room : left;
    const unsigned mask = ((1U << take) - 1U) << free_low;
    std::uint8_t& octet = data[(end - 1) / 8];
    octet = static_cast<std::uint8_t>((octet & ~mask) | ((static_cast<unsigned>(value) << free_low) & mask));
    value >>= take;
    left -= take;
  }
}

}  // namespace rdmawire
