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

// Every length a packet can have and more, each at another address, by every engine.
BOOST_AUTO_TEST_CASE(of_the_head_equals_zlib_over_a_copy_at_every_length) {
  constexpr std::uint32_t seed = 20261129;
  std::mt19937 random(seed);
  std::vector<std::uint8_t> buffer(5000 + 64);
  for (auto& octet : buffer) octet = static_cast<std::uint8_t>(random());
  for (std::size_t length = 0; length <= 5000; ++length) {
    const Bytes data = Bytes(buffer).subspan(random() % 64, length);
    std::array<Ones, 16> ones;
    for (std::uint32_t i = 0; i < ones.size(); ++i) ones[i] = {4 * i, static_cast<std::uint32_t>(random())};
    const crc::HeadOnes head = crc::head_ones(ones);
    const auto previous = static_cast<std::uint32_t>(random());
    std::vector<std::uint8_t> copy(data.begin(), data.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(length, 64); ++i) {
      copy[i] |= static_cast<std::uint8_t>(ones[i / 4].bits >> (24 - 8 * (i % 4)));
    }
    const auto want = static_cast<std::uint32_t>(::crc32_z(previous, copy.data(), copy.size()));
    // zlib returns 0 for no octets, whatever came before, when it has no pointer to them.
    const std::uint32_t expected = length == 0 ? previous : want;
    BOOST_TEST_CONTEXT("seed " << seed << " length " << length) {
      BOOST_REQUIRE(crc::crc32_with_ones(data, head, previous) == expected);
      for (const crc::Engine& engine : crc::engines()) {
        BOOST_REQUIRE_MESSAGE(engine.crc32_with_ones(data, head, previous) == expected, engine.name);
      }
    }
  }
}

// Heads around the 64 octets that ones can be in, tails around the multiples of 64 that are copied in one pass.
BOOST_AUTO_TEST_CASE(copying_leaves_head_and_tail_and_gives_their_crc) {
  constexpr std::uint32_t seed = 1024;
  std::mt19937 random(seed);
  std::vector<std::uint8_t> source(1200);
  for (auto& octet : source) octet = static_cast<std::uint8_t>(random());
  for (std::size_t head_len = 0; head_len <= 130; ++head_len) {
    for (std::size_t tail_len = 0; tail_len <= 1100; tail_len += tail_len % 64 == 1 ? 62 : 1) {
      const Bytes tail = Bytes(source).subspan(random() % 64, tail_len);
      std::array<Ones, 16> ones;
      for (std::uint32_t i = 0; i < ones.size(); ++i) ones[i] = {4 * i, static_cast<std::uint32_t>(random())};
      const crc::HeadOnes head = crc::head_ones(ones);
      const auto previous = static_cast<std::uint32_t>(random());
      // A guard on both sides.
      std::vector<std::uint8_t> start(head_len + tail_len + 2, 0x5A);
      for (std::size_t i = 0; i < head_len; ++i) start[1 + i] = static_cast<std::uint8_t>(random());
      std::vector<std::uint8_t> want = start;
      std::copy(tail.begin(), tail.end(), want.begin() + 1 + static_cast<std::ptrdiff_t>(head_len));
      const std::uint32_t expected = crc::crc32_with_ones(Bytes(want).subspan(1, head_len + tail_len), head, previous);
      BOOST_TEST_CONTEXT("seed " << seed << " head " << head_len << " tail " << tail_len) {
        for (const crc::Engine& engine : crc::engines()) {
          std::vector<std::uint8_t> out = start;
          const MutableBytes whole = MutableBytes(out).subspan(1, head_len + tail_len);
          BOOST_REQUIRE_MESSAGE(engine.crc32_copying(whole, tail, head, previous) == expected, engine.name);
          BOOST_REQUIRE_MESSAGE(out == want, engine.name);
        }
        BOOST_REQUIRE(crc::crc32_copying(MutableBytes(start).subspan(1, head_len + tail_len), tail, head, previous) ==
                      expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(of_words_equals_zlib_over_a_copy) {
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
  BOOST_TEST(crc::crc32_with_ones(digits, std::span<const Ones>{}) == 0xCBF43926U);
  BOOST_TEST(crc::crc32_with_ones(digits, crc::HeadOnes{}) == 0xCBF43926U);
  BOOST_TEST(crc::crc32_with_ones({}, crc::HeadOnes{}) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
