#include "codec/iwarp/sctp.h"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/header_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using test::check_error;
using test::check_header;
using test::octets;
using test::texts;

// A session control message with so much private data.
std::vector<std::uint8_t> message(std::uint16_t function, std::size_t private_data_len) {
  auto out = octets("00070000");
  out[2] = static_cast<std::uint8_t>(function >> 8);
  out[3] = static_cast<std::uint8_t>(function);
  out.resize(out.size() + private_data_len, 0x5A);
  return out;
}

void check_bounds(std::uint16_t function, std::uint32_t min, std::uint32_t max) {
  for (std::uint32_t length = 0; length <= 600; ++length) {
    const auto parsed = parse_session_control(message(function, length), 1000);
    BOOST_TEST_CONTEXT("function " << function << " private data " << length) {
      if (length >= min && length <= max) {
        BOOST_REQUIRE(parsed.has_value());
        BOOST_TEST(parsed->sequence == 7);
        BOOST_TEST(static_cast<std::uint16_t>(parsed->function) == function);
      } else {
        BOOST_REQUIRE(!parsed.has_value());
        check_error(parsed.error(), {ErrorCode::bad_length, Layer::ddp_sctp_control, Limit::none,
                                     length < min ? min : max, length, 1004});
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ddp_over_sctp)

// In scapy's and tshark's view of an INIT: a parameter of 8 octets with indication 1.
//= SCTP-5043-5.1-01 test
BOOST_AUTO_TEST_CASE(adaptation_indication) {
  constexpr std::string_view hex = "c0060008 00000001";
  check_header<AdaptationIndication>(hex, [](const AdaptationIndication& parameter) {
    BOOST_TEST((parameter.type == net::SctpParameterType::adaptation_indication));
    BOOST_TEST(parameter.length == 8);
    BOOST_TEST(parameter.indication == 1U);
  });
  BOOST_TEST(texts<AdaptationIndication>(hex) ==
             "sctp.parameter_type=0xc006 sctp.parameter_length=8 sctp.adaptation_layer_indication=0x00000001");
  std::vector<std::uint8_t> made(8);
  BOOST_REQUIRE(try_encode(AdaptationIndication{}, made).has_value());
  BOOST_TEST(made == octets(hex), boost::test_tools::per_element());
}

// The DDP-SSN before a segment (RFC 5043, 5.2.2).
//= SCTP-5043-5.2.2-01 test
BOOST_AUTO_TEST_CASE(segment) {
  check_header<DdpSctp>("fffe", [](const DdpSctp& header) { BOOST_TEST(header.sequence == 65534); });
  BOOST_TEST(texts<DdpSctp>("0102") == "rdma.ddp_sctp.ssn=258");
}

//= SCTP-5043-5.2.3-01 test
BOOST_AUTO_TEST_CASE(session_control) {
  check_header<DdpSctpControl>("00010003", [](const DdpSctpControl& header) {
    BOOST_TEST(header.sequence == 1);
    BOOST_TEST((header.function == SessionFunction::reject));
  });
  BOOST_TEST(texts<DdpSctpControl>("00000005") == "rdma.ddp_sctp_control.ssn=0 rdma.ddp_sctp_control.function=0x0005");
}

// RFC 5043, 5.2.3 and RFC 6581, 7.
//= SCTP-5043-5.2.3-01, MPA-6581-7-01, IANA-6580-3.5-01 test
BOOST_AUTO_TEST_CASE(function_codes) {
  BOOST_TEST(name_of(SessionFunction{1}) == "DDP Stream Session Initiate");
  BOOST_TEST(name_of(SessionFunction{2}) == "DDP Stream Session Accept");
  BOOST_TEST(name_of(SessionFunction{3}) == "DDP Stream Session Reject");
  BOOST_TEST(name_of(SessionFunction{4}) == "DDP Stream Session Terminate");
  BOOST_TEST(name_of(SessionFunction{5}) == "Enhanced DDP Stream Session Initiate");
  BOOST_TEST(name_of(SessionFunction{6}) == "Enhanced DDP Stream Session Accept");
  BOOST_TEST(name_of(SessionFunction{7}) == "Enhanced DDP Stream Session Reject");
  BOOST_TEST(name_of(SessionFunction{0xFFFF}) == "Experimental");
  int named = 0;
  for (unsigned code = 0; code <= 0xFFFF; ++code) {
    named += name_of(static_cast<SessionFunction>(code)).empty() ? 0 : 1;
  }
  BOOST_TEST(named == 8);
}

//= SCTP-5043-5.2.3-03, SCTP-5043-5.2.3-04, MPA-6581-7-03, MPA-6581-7-04, MPA-6581-7-05 test
BOOST_AUTO_TEST_CASE(private_data_is_bounded_by_the_function) {
  check_bounds(1, 0, 512);
  check_bounds(2, 0, 512);
  check_bounds(3, 0, 512);
  check_bounds(4, 0, 0);
  check_bounds(5, 4, 512);
  check_bounds(6, 4, 512);
  check_bounds(7, 0, 512);
  check_bounds(0xFFFF, 0, 512);
}

BOOST_AUTO_TEST_CASE(unknown_functions_are_refused) {
  for (const unsigned code : {0U, 8U, 0x0100U, 0xFFFEU}) {
    const auto parsed = parse_session_control(message(static_cast<std::uint16_t>(code), 0), 1000);
    BOOST_REQUIRE(!parsed.has_value());
    check_error(parsed.error(), {ErrorCode::reserved_opcode, Layer::ddp_sctp_control, Limit::none, 0, 0, 1002});
  }
}

BOOST_AUTO_TEST_CASE(a_message_without_a_whole_header_is_too_short) {
  const auto whole = message(4, 0);
  for (std::uint32_t length = 0; length < 4; ++length) {
    const auto parsed = parse_session_control(Bytes(whole).first(length), 1000);
    BOOST_REQUIRE(!parsed.has_value());
    check_error(parsed.error(), {ErrorCode::truncated_wire, Layer::ddp_sctp_control, Limit::none, 4, length, 1000});
  }
}

BOOST_AUTO_TEST_SUITE_END()
