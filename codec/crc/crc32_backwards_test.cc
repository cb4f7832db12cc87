#include "codec/crc/crc32_backwards.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/crc/crc.h"

namespace rdmawire::crc {
namespace {

using Two = std::array<std::uint8_t, 2>;

// CRC-32 of zeros, two of which are other octets.
std::uint32_t crc_with(Two two, std::size_t before, std::size_t behind) {
  std::vector<std::uint8_t> data(before + 2 + behind);
  data[before] = two[0];
  data[before + 1] = two[1];
  return crc32(data);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(crc32_backwards)

BOOST_AUTO_TEST_CASE(every_two_octets_are_found) {
  for (const std::size_t behind : {std::size_t{0}, std::size_t{1}, std::size_t{1050}}) {
    const std::uint32_t plain = crc_with({}, 12, behind);
    for (unsigned value = 0; value < 0x10000; ++value) {
      const Two two{static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
      const auto found = two_octets_for(plain ^ crc_with(two, 12, behind), behind);
      BOOST_REQUIRE(found.has_value());
      BOOST_REQUIRE(*found == two);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_three_octets_do_no_two_do) {
  // By zlib: of eight zeros, and of 1, 2, 3 and five zeros.
  constexpr std::uint32_t of_zeros = 0x6522DF69;
  constexpr std::uint32_t of_three = 0xB883BC70;
  BOOST_TEST(!two_octets_for(of_zeros ^ of_three, 6).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::crc
