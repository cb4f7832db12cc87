#include "codec/iwarp/terminate.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/iwarp/pdu.h"
#include "codec/iwarp/pdu_build.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using rdmawire::test::octets;

// A Terminate's ULPDU up to its control.
const std::string start = "414700000000000000020000000100000000";

// Header names of a ULPDU's layers, then "+n" for n octets of payload.
std::string shape(const std::string& hex) {
  const std::vector<std::uint8_t> data = octets(hex);
  const Pdu pdu = parse_ulpdu(data, static_cast<std::uint32_t>(data.size()));
  std::string out;
  for (const LayerRef& ref : pdu.layers()) {
    if (!ref.continued) out += std::string(info(ref.layer).name) + " ";
  }
  return out + "+" + std::to_string(pdu.payload_len);
}

// What a Terminate is read as: "siw" if its bits are in that order, error and flags.
std::string reading(const std::string& hex) {
  const std::vector<std::uint8_t> data = octets(start + hex);
  const Pdu pdu = parse_ulpdu(data, static_cast<std::uint32_t>(data.size()));
  const auto control = terminate_of(pdu);
  if (!control) return "none";
  const TerminateInfo* row = find(control->error);
  std::string out = pdu.get<SiwTerminate>() ? "siw " : "";
  out += row == nullptr ? std::string_view("unregistered") : row->name;
  out += " ";
  if (control->has_length) out += "M";
  if (control->has_ddp_header) out += "D";
  if (control->has_rdma_header) out += "R";
  return out;
}

std::string built(const PduSpec& spec) {
  std::vector<std::uint8_t> out(pdu_size(spec));
  const auto size = build_pdu(spec, out);
  BOOST_REQUIRE(size.has_value());
  BOOST_TEST(*size == out.size());
  std::string hex;
  for (const std::uint8_t octet : out) {
    hex += "0123456789abcdef"[octet >> 4];
    hex += "0123456789abcdef"[octet & 15];
  }
  return hex;
}

const std::string tagged_header = "c140bad0bad00000000000001000";
const std::string untagged_header = "414300000000000000000000000700000000";
const std::string read_header = "414100000000000000010000000100000000";
const std::string read_request = "010203040000000000000010000010000a0b0c0d0000000000002000";

}  // namespace

BOOST_AUTO_TEST_SUITE(terminate_messages)

//= RDMAP-5040-4.8-01, RDMAP-5040-4.8-08, RDMAP-5040-4.8-14 test
BOOST_AUTO_TEST_CASE(headers_by_m_d_and_r) {
  BOOST_TEST(shape(start + "20020000") == "ddp_untagged rdmap terminate +0");
  BOOST_TEST(shape(start + "10008000" + "0005") == "ddp_untagged rdmap terminate terminated_length +0");
  BOOST_TEST(shape(start + "1100c000" + "0012" + tagged_header) ==
             "ddp_untagged rdmap terminate terminated_length ddp_tagged rdmap +0");
  BOOST_TEST(shape(start + "1203c000" + "001c" + untagged_header) ==
             "ddp_untagged rdmap terminate terminated_length ddp_untagged rdmap +0");
  BOOST_TEST(shape(start + "0100e000" + "002e" + read_header + read_request) ==
             "ddp_untagged rdmap terminate terminated_length ddp_untagged rdmap read_request +0");
  // D without M: the length is there and not valid.
  BOOST_TEST(shape(start + "11004000" + "0000" + tagged_header) ==
             "ddp_untagged rdmap terminate terminated_length ddp_tagged rdmap +0");
}

BOOST_AUTO_TEST_CASE(a_longer_body_of_zeros_is_payload) {
  BOOST_TEST(shape(start + "20020000" + std::string(40, '0')) == "ddp_untagged rdmap terminate +20");
}

// The four controls that siw sent in the captures, with the bodies that it sent.
BOOST_AUTO_TEST_CASE(siw_is_recognised) {
  BOOST_TEST(reading("11000300"
                     "0064"
                     "c140920376a500007fdbc40eb000") == "siw ddp_tagged_invalid_stag MD");
  BOOST_TEST(reading("11010300"
                     "00c8"
                     "c140d7ac380000007f265c873f9c") == "siw ddp_tagged_out_of_bounds MD");
  BOOST_TEST(reading("21020300"
                     "0064"
                     "414300000000000000000000000100000000") == "siw ddp_untagged_no_buffer MD");
  BOOST_TEST(reading("10000700"
                     "0000"
                     "414100000000000000010000006400000000"
                     "01cec30000007f5febd7f00000000064202481a500007fa216d2d000") == "siw rdmap_invalid_stag MDR");
  BOOST_TEST(reading("02020000") == "siw mpa_bad_crc ");
  BOOST_TEST(reading("21030300"
                     "0005" +
                     untagged_header) == "siw ddp_untagged_msn_out_of_range MD");
}

BOOST_AUTO_TEST_CASE(the_standard_comes_first) {
  BOOST_TEST(reading("20020000") == "mpa_bad_crc ");
  BOOST_TEST(reading("1100c000"
                     "0012" +
                     tagged_header) == "ddp_tagged_invalid_stag MD");
  BOOST_TEST(reading("0100e000"
                     "002e" +
                     read_header + read_request) == "rdmap_invalid_stag MDR");
  BOOST_TEST(reading("10000000") == "ddp_local_catastrophic ");
  // siw means 0/2/06 by this; so does the standard 2/0/06, and nothing tells which.
  BOOST_TEST(reading("20060000") == "mpa_insufficient_ird ");
  BOOST_TEST(reading("23020000") == "mpa_bad_crc ");
}

BOOST_AUTO_TEST_CASE(where_neither_makes_sense_it_is_the_standard) {
  BOOST_TEST(reading("77770000") == "unregistered ");
  // Reserved bits are ignored.
  //= RDMAP-5040-4.8-05 test
  BOOST_TEST(reading("20021fff") == "mpa_bad_crc ");
  BOOST_TEST(reading("1100dfff"
                     "0012" +
                     tagged_header) == "ddp_tagged_invalid_stag MD");
  // siw's flags without siw's body.
  BOOST_TEST(reading("11000300") == "ddp_tagged_invalid_stag ");
}

//= RDMAP-5040-4.8-01, RDMAP-5040-4.8-02, RDMAP-5040-4.8-04, RDMAP-5040-4.8-06, RDMAP-5040-4.8-07 test
//= RDMAP-5040-4.8-09, RDMAP-5040-4.8-10, RDMAP-5040-4.8-11, RDMAP-5040-4.8-12, RDMAP-5040-4.8-13 test
//= RDMAP-5040-4.8-14, RDMAP-5040-4.8-15 test
BOOST_AUTO_TEST_CASE(a_terminate_is_built_by_its_error) {
  const auto terminate = [](TerminateReason reason, const std::string& segment, std::uint32_t done = 0) {
    const std::vector<std::uint8_t> data = octets(segment);
    const std::string hex = built(terminate_spec(info(reason), data, done));
    BOOST_TEST(hex.starts_with(start));
    return hex.substr(start.size());
  };
  using enum TerminateReason;
  BOOST_TEST(terminate(mpa_bad_crc, tagged_header) == "20020000");
  BOOST_TEST(terminate(rdmap_local_catastrophic, "") == "00000000");
  BOOST_TEST(terminate(ddp_tagged_invalid_stag, tagged_header + "00000000") == "1100c0000012" + tagged_header);
  BOOST_TEST(terminate(ddp_untagged_msn_out_of_range, untagged_header + "00000000000000000000") ==
             "1203c000001c" + untagged_header);
  BOOST_TEST(terminate(rdmap_invalid_stag, read_header + read_request) == "0100e000002e" + read_header + read_request);
  // Half of it was sent already.
  BOOST_TEST(terminate(rdmap_out_of_bounds, read_header + read_request, 2048) ==
             "0101e000002e" + read_header + "010203040000000000000810000008000a0b0c0d0000000000002800");
  // An error of the same kind that is not about a Read Request.
  BOOST_TEST(terminate(rdmap_protection_cannot_invalidate, untagged_header) == "0109c0000012" + untagged_header);
  // RFC 5040, 7.1: remote operation errors leave out the RDMA header.
  BOOST_TEST(terminate(rdmap_unexpected_opcode, read_header + read_request) == "0206c000002e" + read_header);
  // What is not there cannot be added.
  BOOST_TEST(terminate(ddp_tagged_invalid_stag, "") == "11000000");
  BOOST_TEST(terminate(ddp_local_catastrophic, "c140bad0ba") == "100080000005");
  BOOST_TEST(terminate(rdmap_bad_version, "c140bad0ba") == "020580000005");
  BOOST_TEST(built(terminate_spec(info(rdmap_local_catastrophic), {}, 0, 0x5A)) == start + "005a0000");
}

// Atomic Requests are on the Read Requests' queue, but RFC 7306, 8.1 leaves their header out.
//= RDMAP-7306-8.1-02 test
BOOST_AUTO_TEST_CASE(the_header_of_an_atomic_request_is_left_out) {
  const PduSpec request = segment_spec(Opcode::ATOMIC_REQUEST);
  const std::string hex = built(request);
  const std::vector<std::uint8_t> segment = octets(hex);
  const PduSpec spec = terminate_spec(info(TerminateReason::rdmap_access_rights), segment);
  BOOST_TEST(built(spec) == start + "0102c0000046" + hex.substr(0, 36));
}

BOOST_AUTO_TEST_CASE(what_is_built_is_read_again) {
  const std::vector<std::uint8_t> read = octets(read_header + read_request);
  for (const TerminateInfo& row : terminate_table) {
    for (const Bytes segment : {Bytes{}, Bytes(read), Bytes(read).first(3)}) {
      const std::vector<std::uint8_t> data = octets(built(terminate_spec(row, segment)));
      const auto pdu = parse_ulpdu_strict(data, static_cast<std::uint32_t>(data.size()));
      BOOST_REQUIRE_MESSAGE(pdu.has_value(), row.name);
      BOOST_TEST((terminate_of(*pdu)->error == row.error), row.name);
      BOOST_TEST(pdu->payload_len == 0U);
      BOOST_TEST(!pdu->get<SiwTerminate>());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
