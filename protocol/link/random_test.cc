#include "protocol/link/random.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <span>

namespace {

using namespace rdmawire::link;

BOOST_AUTO_TEST_SUITE(random_numbers)

// The first outputs of Vigna's splitmix64.c for this seed.
BOOST_AUTO_TEST_CASE(are_those_of_the_published_generator) {
  constexpr std::array<std::uint64_t, 5> published{6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                                   4593380528125082431U, 16408922859458223821U};
  SplitMix64 random(1234567);
  for (std::uint64_t i = 0; i < published.size(); ++i) {
    BOOST_TEST(random.next() == published[i]);
    BOOST_TEST(SplitMix64::nth(1234567, i) == published[i]);
  }
}

// The first two numbers of the generator above, as words of this machine; of the second what there is room for.
BOOST_AUTO_TEST_CASE(fill_octets_and_none_beyond) {
  const std::uint64_t first = 6457827717110365317U;
  const std::uint64_t second = 3203168211198807973U;
  std::array<std::uint8_t, 16> expected;
  std::memcpy(expected.data(), &first, 8);
  std::memcpy(expected.data() + 8, &second, 8);
  std::array<std::uint8_t, 12> out{};
  SplitMix64(1234567).fill(std::span(out).first(11));
  BOOST_TEST(std::equal(out.begin(), out.begin() + 11, expected.begin()));
  BOOST_TEST(out[11] == 0);
}

BOOST_AUTO_TEST_CASE(below_a_bound_fill_all_of_it) {
  SplitMix64 random(1);
  std::array<unsigned, 7> seen{};
  for (unsigned i = 0; i < 7000; ++i) ++seen.at(random.below(7));
  for (const unsigned n : seen) BOOST_TEST((n > 900 && n < 1100));
  BOOST_TEST(random.below(1) == 0U);
}

// Of 2^63 + 1 the upper half of all numbers but one are too many: most draws are repeated.
BOOST_AUTO_TEST_CASE(below_a_bound_are_drawn_again_when_uneven) {
  constexpr std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
  SplitMix64 plain(42);
  SplitMix64 bounded(42);
  unsigned num_drawn = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t number = bounded.below(bound);
    BOOST_TEST(number < bound);
    std::uint64_t same = 0;
    do {
      same = plain.next();
      ++num_drawn;
    } while (same < bound - 2);
    BOOST_TEST(number == same % bound);
  }
  BOOST_TEST(num_drawn > 150U);
}

BOOST_AUTO_TEST_CASE(decide_never_and_always) {
  SplitMix64 random(7);
  for (int i = 0; i < 1000; ++i) {
    BOOST_TEST(!random.chance(Ppm{0}));
    BOOST_TEST(random.chance(Ppm::always()));
    BOOST_TEST(random.chance(Ppm{5'000'000}));
  }
  BOOST_TEST(Ppm::percent(20).value == 200'000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
