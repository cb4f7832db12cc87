// What holds for every header; the stock tests with known octets are those of cm_test.cc and dispatch_test.cc.
#include "codec/mad/headers.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "codec/mad/dispatch.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::mad;

constexpr std::uint32_t seed = 20261129;

// encode(decode(in)) into out.
template <class T>
void pass_through(Bytes in, MutableBytes out) {
  encode(decode<T>(in.first<header_size<T>>()), out.first<header_size<T>>());
}

struct HeaderUnderTest {
  const HeaderInfo* header;
  void (*pass_through)(Bytes in, MutableBytes out);
};

constexpr auto headers = []<class... T>(std::type_identity<std::tuple<T...>>) {
  return std::array{HeaderUnderTest{&header_info<T>, pass_through<T>}...};
}(std::type_identity<Headers>{});

}  // namespace

BOOST_AUTO_TEST_SUITE(mad_headers)

// Into the complement, so that no bit can be right by being left alone.
BOOST_AUTO_TEST_CASE(round_trip_on_random_octets) {
  std::mt19937 random(seed);
  for (const HeaderUnderTest& one : headers) {
    for (int round = 0; round < 200; ++round) {
      std::array<std::uint8_t, 256> in;
      std::array<std::uint8_t, 256> out;
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<std::uint8_t>(random());
        out[i] = static_cast<std::uint8_t>(~in[i]);
      }
      one.pass_through(in, out);
      BOOST_REQUIRE_MESSAGE(std::equal(in.begin(), in.begin() + one.header->size, out.begin()),
                            info(one.header->layer).name << " seed " << seed << " round " << round);
      for (std::size_t i = one.header->size; i < out.size(); ++i) {
        BOOST_REQUIRE_EQUAL(out[i], static_cast<std::uint8_t>(~in[i]));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(fields_cover_every_bit_once_and_have_names_of_their_own) {
  for (const HeaderUnderTest& one : headers) {
    BOOST_TEST_CONTEXT(info(one.header->layer).name) {
      std::set<std::string_view> keys;
      unsigned bit = 0;
      for (const FieldInfo& field : one.header->fields) {
        BOOST_TEST(keys.insert(field.key).second, field.key);
        BOOST_TEST(!field.label.empty());
        if (field.part) continue;
        BOOST_TEST(field.bit_offset == bit, field.key);
        bit += field.bits;
      }
      BOOST_TEST(bit == 8U * one.header->size);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_is_found_by_its_layer) {
  for (const HeaderUnderTest& one : headers) BOOST_TEST(mad::header_info_of(one.header->layer) == one.header);
  BOOST_TEST(mad::header_info_of(Layer::bth) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
