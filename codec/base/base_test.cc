#include <boost/test/unit_test.hpp>
#include <string>

#include "codec/base/error.h"
#include "codec/base/field.h"
#include "codec/base/types.h"

namespace {

using namespace rdmawire;

std::string text(Display display, std::initializer_list<std::uint8_t> octets) {
  const std::vector<std::uint8_t> data(octets);
  FieldInfo field;
  field.bits = static_cast<std::uint16_t>(8 * data.size());
  field.display = display;
  std::array<char, 80> out;
  return std::string(out.data(), format_value(field, data, out));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(types)

//= PSN-01, PSN-02, MSN-08 test
BOOST_AUTO_TEST_CASE(psn_arithmetic_wraps_at_24_bits) {
  constexpr Psn last{0xFFFFFF};
  static_assert(last + 1 == Psn{0});
  static_assert(Psn{0} - 1 == last);
  static_assert(last.precedes(Psn{0}));
  static_assert(!Psn{0}.precedes(last));
  static_assert(last.distance_to(Psn{2}) == 3);
  static_assert(Psn{2}.distance_to(last) == -3);
  static_assert(Psn{0}.distance_to(Psn{0x800000}) == -0x800000);
  static_assert(Psn{0}.distance_to(Psn{0x7FFFFF}) == 0x7FFFFF);
  static_assert(Psn{1}.in_window(last, 3) && !Psn{2}.in_window(last, 3));
  BOOST_TEST((last + 3).value == 2U);
}

BOOST_AUTO_TEST_CASE(keys_have_parts) {
  static_assert(RKey{0x12345678}.index() == 0x123456 && RKey{0x12345678}.key() == 0x78);
  static_assert(PKey{0xFFFF}.full_member() && !PKey{0x7FFF}.full_member());
  BOOST_TEST(RKey{0x100}.index() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(text_of_values)

BOOST_AUTO_TEST_CASE(ipv6_follows_rfc_5952) {
  BOOST_TEST(text(Display::ipv6, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) == "::");
  BOOST_TEST(text(Display::ipv6, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}) == "::1");
  BOOST_TEST(text(Display::ipv6, {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) == "fe80::");
  BOOST_TEST(text(Display::ipv6, {0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}) == "2001:db8:0:1:1:1:1:1");
  BOOST_TEST(text(Display::ipv6, {0x20, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}) == "2001:0:0:1::1");
  BOOST_TEST(text(Display::ipv6, {0x20, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1}) == "2001::1:1:0:0:1");
  BOOST_TEST(text(Display::ipv6, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 77, 0, 2}) == "::ffff:10.77.0.2");
}

BOOST_AUTO_TEST_CASE(other_displays) {
  BOOST_TEST(text(Display::ipv4, {255, 0, 0, 10}) == "255.0.0.10");
  BOOST_TEST(text(Display::mac, {2, 0, 0, 0, 0xAB, 1}) == "02:00:00:00:ab:01");
  BOOST_TEST(text(Display::octets, {0xDE, 0xAD, 0x00}) == "dead00");
  BOOST_TEST(text(Display::hex, {0x00, 0x00, 0x11}) == "0x000011");
  BOOST_TEST(text(Display::dec, {0x01, 0x00}) == "256");
}

BOOST_AUTO_TEST_CASE(text_is_cut_at_the_buffer) {
  FieldInfo field;
  field.bits = 24;
  field.display = Display::octets;
  std::array<char, 3> out;
  const std::array<std::uint8_t, 3> data{1, 2, 3};
  BOOST_TEST(format_value(field, data, out) == 3U);
}

BOOST_AUTO_TEST_CASE(error_texts_name_layer_offset_and_limit) {
  BOOST_TEST(
      to_string({ErrorCode::truncated_wire, Layer::reth, Limit::udp_length, 16, 4, 54}).view() ==
      "RDMA Extended Transport Header at offset 54: the packet ends too early (needs 16 octets, 4 left by UDP length)");
  BOOST_TEST(to_string({ErrorCode::bad_icrc, Layer::icrc, Limit::none, 0, 0, 70}).view() ==
             "Invariant CRC at offset 70: wrong invariant CRC");
  BOOST_TEST(to_string({}).view() == "no error");
}

BOOST_AUTO_TEST_SUITE_END()
