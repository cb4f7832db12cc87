// The stock tests of a header: check_header<T>(known octets, what they mean) is all that a header's own test needs.
#pragma once

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/error.h"
#include "codec/base/field.h"
#include "codec/base/layout.h"

namespace rdmawire::test {

// The octets that hex digits stand for; spaces and line ends between them do not count.
inline std::vector<std::uint8_t> octets(std::string_view hex) {
  std::vector<std::uint8_t> out;
  unsigned value = 0;
  bool half = false;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    BOOST_REQUIRE_MESSAGE(digit != std::string_view::npos, "not lower-case hex: " << hex);
    value = value << 4 | static_cast<unsigned>(digit);
    if (half) out.push_back(static_cast<std::uint8_t>(value));
    half = !half;
  }
  BOOST_REQUIRE_MESSAGE(!half, "odd number of hex digits: " << hex);
  return out;
}

// Every field that is present, as "key=text key=text ..." in wire order: what tshark -T fields shows, to compare with
// it.
template <Header T>
std::string texts(Bytes header) {
  std::string out;
  for (const FieldInfo& field : header_info<T>.fields) {
    if (!is_present(field, header)) continue;
    std::array<char, 128> text;
    BOOST_REQUIRE(max_text(field) <= text.size());
    const std::size_t length = format_value(field, header, text);
    BOOST_TEST(length <= max_text(field));
    if (!out.empty()) out += ' ';
    out.append(field.key).append("=").append(text.data(), length);
  }
  return out;
}

template <Header T>
std::string texts(std::string_view hex) {
  return texts<T>(Bytes(octets(hex)));
}

// The header in exactly these octets.
template <Header T>
T decoded(std::string_view hex) {
  const auto known = octets(hex);
  BOOST_REQUIRE(known.size() == header_size<T>);
  return decode<T>(Bytes(known).first<header_size<T>>());
}

inline void check_error(const Error& got, const Error& want) {
  BOOST_TEST((got == want), "got \"" << to_string(got).view() << "\" want \"" << to_string(want).view() << '"');
}

namespace detail {

constexpr std::uint64_t at = 1000;  // an offset in the frame, to see it come back in errors

template <Header T>
std::array<std::uint8_t, header_size<T>> encoded(const T& header, std::uint8_t dirt) {
  std::array<std::uint8_t, header_size<T>> out;
  out.fill(dirt);
  encode(header, out);
  return out;
}

// Calls visit(std::type_identity<Field>, its FieldInfo) for each member.
template <Header T, class Visit>
void for_each_member(Visit&& visit) {
  using Fields = rdmawire::detail::Fields<T>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::type_identity<typename Fields::template At<I>>{}, header_info<T>.fields[Fields::indices[I]]), ...);
  }(std::make_index_sequence<Fields::count>{});
}

template <Header T>
void check_every_shorter_length(Bytes known) {
  constexpr auto size = static_cast<std::uint32_t>(header_size<T>);
  const T header = decode<T>(known.first<header_size<T>>());
  for (std::uint32_t length = 0; length < size; ++length) {
    const auto read = try_decode<T>(known.first(length), at);
    BOOST_REQUIRE(!read);
    check_error(read.error(), {ErrorCode::truncated_capture, header_info<T>.layer, Limit::capture, size, length, at});

    std::vector<std::uint8_t> out(length, 0xA5);
    const auto written = try_encode(header, out, at);
    BOOST_REQUIRE(!written);
    check_error(written.error(), {ErrorCode::output_too_small, header_info<T>.layer, Limit::buffer, size, length, at});
    BOOST_TEST((out == std::vector<std::uint8_t>(length, 0xA5)));
  }
}

template <Header T>
void check_longer_buffers(Bytes known) {
  std::vector<std::uint8_t> more(known.begin(), known.end());
  more.push_back(0x5C);
  const auto read = try_decode<T>(more);
  BOOST_REQUIRE(read.has_value());
  std::vector<std::uint8_t> out(more.size(), 0xA5);
  const auto written = try_encode(*read, out);
  BOOST_REQUIRE(written.has_value());
  BOOST_TEST(*written == header_size<T>);
  BOOST_TEST(out.back() == 0xA5);
  out.pop_back();
  BOOST_TEST(out == std::vector<std::uint8_t>(known.begin(), known.end()), boost::test_tools::per_element());
}

// Ten thousand random patterns; into the complement, so that no bit can be right by being left alone. For the first
// hundred the table of fields and peek must agree with decode.
template <Header T>
void check_random_octets() {
  constexpr std::uint32_t seed = 20261129;
  std::mt19937 random(seed);
  for (int round = 0; round < 10000; ++round) {
    std::array<std::uint8_t, header_size<T>> in;
    for (auto& octet : in) octet = static_cast<std::uint8_t>(random());
    std::array<std::uint8_t, header_size<T>> out = in;
    for (auto& octet : out) octet = static_cast<std::uint8_t>(~octet);
    const T header = decode<T>(in);
    encode(header, out);
    BOOST_REQUIRE_MESSAGE(out == in, "seed " << seed << " round " << round);
    if (round >= 100) continue;
    for_each_member<T>([&]<class F>(std::type_identity<F>, const FieldInfo& field) {
      bool same = false;
      if constexpr (F::octets) {
        const auto& got = rdmawire::detail::octets_of(header.*F::member);
        same = std::ranges::equal(got, rdmawire::octets(field, in)) && peek<F::member>(in) == header.*F::member;
      } else {
        const std::uint64_t got = rdmawire::detail::to_raw(header.*F::member);
        same = got == number(field, in) && got == rdmawire::detail::to_raw(peek<F::member>(in));
      }
      BOOST_REQUIRE_MESSAGE(same, field.key << " seed " << seed << " round " << round);
    });
  }
}

// Each member that can hold more than its field: the lowest bit too many is refused by name and octet, and encode
// drops it without touching its neighbours.
template <Header T>
void check_values_too_big(Bytes known) {
  for_each_member<T>([&]<class F>(std::type_identity<F>, const FieldInfo& field) {
    if constexpr (!F::octets && F::bits < 8 * sizeof(typename F::Value) && !std::is_same_v<typename F::Value, bool>) {
      T header = decode<T>(known.first<header_size<T>>());
      const std::uint64_t raw = rdmawire::detail::to_raw(header.*F::member) | std::uint64_t{1} << F::bits;
      header.*F::member = rdmawire::detail::from_raw<typename F::Value>(raw);
      std::vector<std::uint8_t> out(known.size(), 0xA5);
      const auto written = try_encode(header, out, at);
      BOOST_REQUIRE_MESSAGE(!written, field.key);
      BOOST_TEST_CONTEXT(field.key) {
        check_error(written.error(), {ErrorCode::value_too_big, header_info<T>.layer, Limit::field_width, F::bits + 1,
                                      F::bits, at + field.bit_offset / 8U});
        BOOST_TEST((out == std::vector<std::uint8_t>(known.size(), 0xA5)));
        BOOST_TEST(std::ranges::equal(encoded(header, 0xA5), known));
      }
    }
  });
}

// Every field has a name that no other has, and a label.
template <Header T>
void check_names() {
  const auto fields = header_info<T>.fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    BOOST_TEST(!fields[i].key.empty());
    BOOST_TEST(!fields[i].label.empty());
    for (std::size_t j = 0; j < i; ++j) BOOST_TEST(fields[i].key != fields[j].key);
  }
}

}  // namespace detail

// known: the header's octets from a real packet or a second implementation; the caller says where they are from.
// exact(header): checks every member against a literal value.
template <Header T, class Exact>
void check_header(Bytes known, Exact&& exact) {
  BOOST_REQUIRE(known.size() == header_size<T>);
  const T header = decode<T>(known.first<header_size<T>>());
  exact(header);
  BOOST_TEST(detail::encoded(header, 0xA5) == known, boost::test_tools::per_element());
  detail::check_every_shorter_length<T>(known);
  detail::check_longer_buffers<T>(known);
  detail::check_random_octets<T>();
  detail::check_values_too_big<T>(known);
  detail::check_names<T>();
}

template <Header T, class Exact>
void check_header(std::string_view hex, Exact&& exact) {
  check_header<T>(Bytes(octets(hex)), std::forward<Exact>(exact));
}

}  // namespace rdmawire::test
