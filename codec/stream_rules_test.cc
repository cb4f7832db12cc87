// What a receiver must not mind, and what it must. The FPDUs are those of figures 5 and 6 of RFC 5044 with something
// changed, and the CRC made anew, bit by bit in Python.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/iwarp/pdu.h"
#include "codec/stream.h"
#include "codec/stream_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::test;

// The one FPDU of a stream that begins at offset, and ends with it.
Found the_fpdu(const std::string& hex, Setting markers, Setting crc, std::uint64_t offset = 0) {
  StreamParams params{markers, crc, {}, true};
  if (markers == Setting::on) params.seq_start = 0;
  Collector stream(params, offset, true);
  stream.feed(octets(hex));
  stream.finish();
  BOOST_REQUIRE(stream.fpdus.size() == 1U);
  return stream.fpdus[0];
}

// What its receiver finds wrong with it.
ErrorCode judged(const std::string& hex, Setting markers, Setting crc) {
  std::vector<std::uint8_t> buffer(Deframer::min_buffer);
  StreamParams params{markers, crc, {}, true};
  if (markers == Setting::on) params.seq_start = 0;
  Deframer deframer(buffer, params, 0, true);
  const Octets data = octets(hex);
  deframer.feed(data);
  auto out = deframer.next();
  if (!out) {
    deframer.finish();
    out = deframer.next();
  }
  BOOST_REQUIRE(out.has_value());
  std::array<std::uint8_t, iwarp::max_pdu_head> scratch;
  return first_violation(iwarp::parse_fpdu(out->fpdu, scratch), &out->fpdu).code;
}

const std::string zeros24(48, '0');
const std::string send1 = "002a4143000000000000000000000001 00000000" + zeros24;
const std::string hello = "0017414300000000000000000000000100000000 68656c6c6f";

}  // namespace

BOOST_AUTO_TEST_SUITE(rules_for_receivers)

//= MPA-5044-4.2-02, MPA-5044-4.2-05 test
BOOST_AUTO_TEST_CASE(reserved_octets_and_low_bits_of_a_marker) {
  const std::string leading = "ffff0003" + send1 + "88489af8";
  const Found first = the_fpdu(leading, Setting::on, Setting::on);
  BOOST_TEST(first.num_wrong_markers == 0U);
  BOOST_TEST(name_of(first.crc.status) == "good");
  BOOST_TEST((judged(leading, Setting::on, Setting::on) == ErrorCode::none));
  const Found inside = the_fpdu("002a4143 0000000000000000 00000002 00000000 abcd0017" + zeros24 + "94623daa",
                                Setting::on, Setting::on, 0x1EC);
  BOOST_TEST(inside.num_wrong_markers == 0U);
  BOOST_TEST(name_of(inside.crc.status) == "good");
  BOOST_TEST((inside.ulpdu == untagged(3, 0, 2, 0, true, Octets(24))));
}

BOOST_AUTO_TEST_CASE(a_marker_that_points_elsewhere) {
  const std::string wrong = "00000008" + send1 + "c99d2cf9";
  BOOST_TEST(the_fpdu(wrong, Setting::on, Setting::on).num_wrong_markers == 1U);
  BOOST_TEST((judged(wrong, Setting::on, Setting::on) == ErrorCode::bad_marker));
}

//= MPA-5044-4.1-04 test
BOOST_AUTO_TEST_CASE(octets_of_the_pad) {
  const std::string padded = hello + "a5a5a5" + "606b9713";
  const Found fpdu = the_fpdu(padded, Setting::off, Setting::on);
  BOOST_TEST(name_of(fpdu.crc.status) == "good");
  BOOST_TEST((fpdu.ulpdu == untagged(3, 0, 1, 0, true, octets("68656c6c6f"))));
  BOOST_TEST((judged(padded, Setting::off, Setting::on) == ErrorCode::none));
}

//= MPA-5044-4.1-07 test
BOOST_AUTO_TEST_CASE(crc_field_when_crcs_are_off) {
  const std::string garbage = hello + "000000" + "deadbeef";
  BOOST_TEST(name_of(the_fpdu(garbage, Setting::off, Setting::off).crc.status) == "disabled");
  BOOST_TEST((judged(garbage, Setting::off, Setting::off) == ErrorCode::none));
}

//= MPA-5044-4.4-14 test
BOOST_AUTO_TEST_CASE(crc_that_is_another) {
  const std::string damaged = hello + "000000" + "b990b10d";
  const Found fpdu = the_fpdu(damaged, Setting::off, Setting::on);
  BOOST_TEST(name_of(fpdu.crc.status) == "bad");
  BOOST_TEST(fpdu.crc.stored == 0xB990B10DU);
  BOOST_TEST(fpdu.crc.computed == 0xB990B10CU);
  BOOST_TEST((judged(damaged, Setting::off, Setting::on) == ErrorCode::bad_mpa_crc));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rules_for_senders)

//= MPA-5044-3-05 test
BOOST_AUTO_TEST_CASE(ulpdu_of_more_than_64768_octets) {
  Octets out(70000);
  const Octets ulpdu(64769);
  Framer framer(false, true);
  const std::array<Bytes, 1> one_more{Bytes(ulpdu)};
  check_error(framer.frame(one_more, out).error(),
              {ErrorCode::value_too_big, Layer::fpdu, Limit::ulpdu_length, 64769, 64768, 0});
  BOOST_TEST(framer.offset() == 0U);
  const std::array<Bytes, 1> most{Bytes(ulpdu).first(64768)};
  BOOST_TEST(framer.frame(most, out).value() == 64776U);
  BOOST_TEST(out[0] == 0xFD);
  BOOST_TEST(out[1] == 0x00);
}

BOOST_AUTO_TEST_SUITE_END()
