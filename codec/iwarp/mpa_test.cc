#include "codec/iwarp/mpa.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/iwarp/negotiation.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using rdmawire::test::check_error;
using rdmawire::test::decoded;
using rdmawire::test::octets;

const std::string request_key = "4d504120494420526571204672616d65";
const std::string reply_key = "4d504120494420526570204672616d65";

StartupPrefix look(const std::string& hex) { return look_at_startup(octets(hex)); }

StartupTerms terms(bool request, const std::string& rest) {
  const std::vector<std::uint8_t> data = octets((request ? request_key : reply_key) + rest);
  StartupTerms out;
  out.frame = decode<MpaStartup>(Bytes(data).first<startup_header_size>());
  if (out.frame.is_enhanced()) {
    out.enhanced = decode<MpaEnhanced>(Bytes(data).subspan<startup_header_size, header_size<MpaEnhanced>>());
  }
  return out;
}
// rest: flags, revision, PD_Length and enhanced block in hex.
Negotiated both(const std::string& request, const std::string& reply) {
  return negotiate(terms(true, request), terms(false, reply));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(startup_prefix)

//= MPA-5044-7.1.1-20 test
BOOST_AUTO_TEST_CASE(octets_one_by_one) {
  const std::string whole = request_key + "40010003616263";
  const std::vector<std::uint8_t> data = octets(whole);
  for (std::size_t n = 0; n <= data.size(); ++n) {
    BOOST_TEST_CONTEXT(n) {
      const StartupPrefix got = look_at_startup(Bytes(data).first(n));
      BOOST_TEST(!got.error);
      // Requests and Replies differ in the tenth octet.
      BOOST_TEST((got.kind == (n < 10 ? StartupKind::undecided : StartupKind::request)));
      BOOST_TEST(got.wanted == (n < 20 ? 20U : n < 23 ? 23U : 0U));
      BOOST_TEST(got.full_len == (n < 20 ? 0U : 23U));
      BOOST_TEST(got.is_whole() == (n == 23));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_follows_does_not_count) {
  const StartupPrefix got = look(reply_key + "00010000" + "0012414300");
  BOOST_TEST((got.kind == StartupKind::reply));
  BOOST_TEST(got.full_len == 20U);
  BOOST_TEST(got.is_whole());
}

//= MPA-5044-7.1.1-03, MPA-5044-7.1.1-04, MPA-5044-7.1.1-20 test
BOOST_AUTO_TEST_CASE(a_wrong_key_is_seen_at_its_first_wrong_octet) {
  const std::vector<std::uint8_t> right = octets(request_key);
  for (std::size_t i = 0; i < 16; ++i) {
    std::vector<std::uint8_t> wrong = right;
    wrong[i] ^= 0x40;
    const StartupPrefix got = look_at_startup(Bytes(wrong).first(i + 1));
    BOOST_TEST((got.kind == StartupKind::none));
    BOOST_TEST(got.wanted == 0U);
    check_error(got.error, {ErrorCode::bad_value, Layer::mpa_request, Limit::none, 0, 0, i});
  }
}

//= MPA-5044-7.1.1-16, MPA-5044-7.1.1-17 test
BOOST_AUTO_TEST_CASE(private_data_have_512_octets_at_most) {
  BOOST_TEST(!look(request_key + "40010200").error);
  BOOST_TEST(look(request_key + "40010200").wanted == 532U);
  check_error(look(request_key + "40010201").error,
              {ErrorCode::bad_length, Layer::mpa_request, Limit::private_data_length, 513, 512, 18});
  check_error(look(reply_key + "4001ffff").error,
              {ErrorCode::bad_length, Layer::mpa_reply, Limit::private_data_length, 65535, 512, 18});
}

//= MPA-5044-7.1.1-13 test
BOOST_AUTO_TEST_CASE(revisions_0_to_2_are_known) {
  for (const char* revision : {"00", "01", "02"}) BOOST_TEST(!look(request_key + "40" + revision + "0000").error);
  const StartupPrefix got = look(request_key + "40030007");
  check_error(got.error, {ErrorCode::bad_version, Layer::mpa_request, Limit::none, 0, 0, 17});
  BOOST_TEST(got.full_len == 27U);
  BOOST_TEST((look(reply_key + "40ff0000").error.code == ErrorCode::bad_version));
}

//= MPA-5044-7.1.1-11, MPA-6581-6-04 test
BOOST_AUTO_TEST_CASE(reserved_bits_do_not_matter) {
  BOOST_TEST(look(request_key + "5f010000").is_whole());
  BOOST_TEST(look(reply_key + "4f020000").is_whole());
  BOOST_TEST(both("5f010000", "5f010000").accepted);
  BOOST_TEST(both("5f02000400040040", "5f02000400080006").enhanced);
}

//= MPA-6581-6-10, MPA-6581-6-11 test
BOOST_AUTO_TEST_CASE(an_enhanced_frame_has_room_for_its_block) {
  check_error(look(request_key + "50020003").error,
              {ErrorCode::bad_length, Layer::mpa_request, Limit::private_data_length, 4, 3, 18});
  BOOST_TEST(look(request_key + "50020004").wanted == 24U);
  BOOST_TEST(!look(request_key + "50010003").error);  // a reserved bit in revision 1
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(negotiation)

// RFC 5044, 7.1.1: each asks for Markers in what it receives.
//= MPA-5044-4.3-15, MPA-5044-7.1.1-06 test
BOOST_AUTO_TEST_CASE(markers_by_direction) {
  struct Row {
    const char* request;
    const char* reply;
    bool from_initiator;
    bool from_responder;
  };
  for (const Row& row : {Row{"00010000", "00010000", false, false}, Row{"00010000", "80010000", true, false},
                         Row{"80010000", "00010000", false, true}, Row{"80010000", "80010000", true, true}}) {
    const Negotiated got = both(row.request, row.reply);
    BOOST_TEST(got.markers_from_initiator == row.from_initiator);
    BOOST_TEST(got.markers_from_responder == row.from_responder);
    BOOST_TEST(got.accepted);
    BOOST_TEST(!got.crc);
  }
}

//= MPA-5044-4.4-04, MPA-5044-7.1.1-07 test
BOOST_AUTO_TEST_CASE(crc_if_either_asks) {
  BOOST_TEST(!both("00010000", "00010000").crc);
  BOOST_TEST(both("00010000", "40010000").crc);
  BOOST_TEST(both("40010000", "00010000").crc);
  BOOST_TEST(both("40010000", "40010000").crc);
}

//= MPA-5044-7.1.1-09 test
BOOST_AUTO_TEST_CASE(the_reject_flag_counts_in_a_reply_only) {
  BOOST_TEST(both("20010000", "00010000").accepted);
  BOOST_TEST(!both("00010000", "20010000").accepted);
}

// The request and reply that the vectors MPA-REQ-V2 and MPA-REP-V2 have.
//= MPA-6581-9.2-01 test
BOOST_AUTO_TEST_CASE(enhanced_peer_to_peer) {
  const Negotiated got = both("500200048010c020", "5002000480208010");
  BOOST_TEST(got.enhanced);
  BOOST_TEST(got.peer_to_peer);
  BOOST_TEST(!got.rtr_send);
  BOOST_TEST(got.rtr_write);
  BOOST_TEST(!got.rtr_read);
  BOOST_TEST((got.initiator == ReadDepths{16, 32}));
  BOOST_TEST((got.responder == ReadDepths{32, 16}));
}

//= MPA-6581-9.1-02, MPA-6581-9.1-08 test
BOOST_AUTO_TEST_CASE(depths_fit_the_other_end) {
  // IRD 4 and ORD 64 asked for; the responder allows 8 and wants 6.
  const Negotiated got = both("5002000400040040", "5002000400080006");
  BOOST_TEST(!got.peer_to_peer);
  BOOST_TEST((got.initiator == ReadDepths{6, 8}));
  BOOST_TEST((got.responder == ReadDepths{8, 6}));
}

//= MPA-6581-9-03, MPA-6581-9.1-12, MPA-6581-9.1-14, MPA-6581-9.1-15 test
BOOST_AUTO_TEST_CASE(depths_left_to_the_ulp_one_by_one) {
  const Negotiated all = both("50020004ffffffff", "50020004ffffffff");
  BOOST_TEST((all.initiator == ReadDepths{}));
  BOOST_TEST((all.responder == ReadDepths{}));
  BOOST_TEST(all.rtr_send);
  BOOST_TEST(all.rtr_write);
  BOOST_TEST(all.rtr_read);
  // Only the initiator's IRD, and so the responder's ORD.
  const Negotiated one = both("500200043fff0004", "5002000400053fff");
  BOOST_TEST((one.initiator == ReadDepths{std::nullopt, 4}));
  BOOST_TEST((one.responder == ReadDepths{5, std::nullopt}));
}

//= MPA-6581-9.2-16 test
BOOST_AUTO_TEST_CASE(ready_to_receive_types_count_with_peer_to_peer_only) {
  const Negotiated got = both("500200044010c020", "5002000440208010");
  BOOST_TEST(!got.peer_to_peer);
  BOOST_TEST(!got.rtr_send);
  BOOST_TEST(!got.rtr_write);
}

BOOST_AUTO_TEST_CASE(without_the_s_bit_nothing_is_enhanced) {
  const Negotiated got = both("500100048010c020", "400100048010c020");
  BOOST_TEST(!got.enhanced);
  BOOST_TEST(!got.peer_to_peer);
  BOOST_TEST((got.initiator == ReadDepths{}));
}

// RFC 6581, 10; RFC 5044, appendix C.
//= MPA-6581-6-07, MPA-6581-10-01, MPA-6581-10-02, MPA-6581-10-04 test
BOOST_AUTO_TEST_CASE(the_form_of_the_reply) {
  const auto form = [](const std::string& request, const ResponderAbility& able = {}) {
    return reply_form(terms(true, request + "00000000").frame, able);
  };
  const ResponderAbility rfc5044{1, false};
  BOOST_TEST((form("40010000") == ReplyForm{1, false}));
  BOOST_TEST((form("40010000", rfc5044) == ReplyForm{1, false}));
  BOOST_TEST((form("50010004") == ReplyForm{1, false}));  // S is a reserved bit there
  BOOST_TEST((form("40020000") == ReplyForm{2, false}));
  BOOST_TEST((form("50020004") == ReplyForm{2, true}));
  BOOST_TEST(!form("50020004", rfc5044).has_value());
  BOOST_TEST(!form("40020000", rfc5044).has_value());
  BOOST_TEST(!form("40000000").has_value());
  BOOST_TEST((form("40000000", {2, true}) == ReplyForm{0, false}));
  BOOST_TEST(!form("40030000").has_value());
}

//= MPA-6581-9.2-12, MPA-6581-10-06 test
BOOST_AUTO_TEST_CASE(replies_that_an_initiator_refuses) {
  const auto violation = [](const std::string& request, const std::string& reply) {
    return reply_violation(terms(true, request), terms(false, reply));
  };
  BOOST_TEST(!violation("40010000", "40010000"));
  BOOST_TEST(!violation("500200048010c020", "5002000480208010"));
  BOOST_TEST(!violation("40020000", "40010000"));
  const Error form{ErrorCode::bad_version, Layer::mpa_reply, Limit::none, 0, 0, 17};
  check_error(violation("500200048010c020", "40010000"), form);
  check_error(violation("500200048010c020", "4002000480208010"), form);
  check_error(violation("40010000", "5002000480208010"), form);
  check_error(violation("40010000", "40020000"), form);
  // Write was offered, Read is wanted.
  const Error rtr{ErrorCode::bad_value, Layer::mpa_enhanced, Limit::none, 0, 0, 20};
  check_error(violation("5002000480108020", "5002000480204010"), rtr);
  BOOST_TEST(!violation("5002000480108020", "7002000480204010"));  // rejected
}

BOOST_AUTO_TEST_SUITE_END()
