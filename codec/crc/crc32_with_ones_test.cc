#include "codec/crc/crc32_with_ones.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

namespace {

using namespace rdmawire;
using crc::Ones;

// From the definition: the bits set in a copy, and zlib over it.
std::uint32_t by_copy(Bytes data, std::span<const Ones> ones, std::uint32_t previous) {
  std::vector<std::uint8_t> copy(data.begin(), data.end());
  for (const Ones& word : ones) {
    for (std::size_t i = 0; i < 4; ++i) copy[word.offset + i] |= static_cast<std::uint8_t>(word.bits >> (24 - 8 * i));
  }
  return static_cast<std::uint32_t>(::crc32_z(previous, copy.data(), copy.size()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(crc32_with_ones)

// Every length a packet can have and more (the table of powers ends at 4400), each at another address.
BOOST_AUTO_TEST_CASE(equals_zlib_over_a_copy_at_every_length) {
  constexpr std::uint32_t seed = 20261129;
  std::mt19937 random(seed);
  std::vector<std::uint8_t> buffer(5000 + 64);
  for (auto& octet : buffer) octet = static_cast<std::uint8_t>(random());
  for (std::size_t length = 44; length <= 5000; ++length) {
    const Bytes data = Bytes(buffer).subspan(random() % 64, length);
    const std::array<Ones, 4> ones{{{0, 0x00FF0000}, {8, 0xFF00FFFF}, {24, 0x0000FFFF}, {32, 0xFF000000}}};
    const auto previous = static_cast<std::uint32_t>(random());
    BOOST_REQUIRE_MESSAGE(crc::crc32_with_ones(data, ones, previous) == by_copy(data, ones, previous),
                          "seed " << seed << " length " << length);
  }
}

BOOST_AUTO_TEST_CASE(equals_zlib_over_a_copy_for_any_words) {
  constexpr std::uint32_t seed = 4791;
  std::mt19937 random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> data(4 + random() % 300);
    for (auto& octet : data) octet = static_cast<std::uint8_t>(random());
    std::vector<Ones> ones;
    for (std::uint32_t offset = 4 * static_cast<std::uint32_t>(random() % 4); offset + 4 <= data.size();
         offset += 4 + 4 * static_cast<std::uint32_t>(random() % 20)) {
      ones.push_back({offset, static_cast<std::uint32_t>(random())});
    }
    const auto previous = static_cast<std::uint32_t>(random());
    BOOST_REQUIRE_MESSAGE(crc::crc32_with_ones(data, ones, previous) == by_copy(data, ones, previous),
                          "seed " << seed << " round " << round);
  }
}

BOOST_AUTO_TEST_CASE(no_words_is_the_plain_crc) {
  const std::array<std::uint8_t, 9> digits{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  BOOST_TEST(crc::crc32_with_ones(digits, {}) == 0xCBF43926U);
  BOOST_TEST(crc::crc32_with_ones({}, {}) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
