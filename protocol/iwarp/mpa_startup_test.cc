// Start-ups octet by octet: what goes out, and what comes of what comes in.
#include "protocol/iwarp/mpa_script_test.h"

namespace rdmawire::iwarp::test {

BOOST_AUTO_TEST_SUITE(mpa_startup)

//= MPA-5044-7.1.2-01, MPA-5044-7.1.2-10, MPA-5044-7.1.2-13, MPA-5044-2-02 test
BOOST_AUTO_TEST_CASE(an_initiator_asks_and_is_accepted) {
  BOOST_TEST(run("initiate; < rep 500200048010c010; terms; first") ==
             "> req 500200048010c010 | established rev=2 ird=16 ord=16 | "
             "accepted crc enhanced p2p write read i=16/16 r=16/16 | FULL_OPERATION");
}

//= MPA-5044-7.1.2-03, MPA-5044-7.1.2-07, MPA-5044-7.1.2-09, MPA-5044-2-02 test
BOOST_AUTO_TEST_CASE(a_responder_is_silent_until_it_accepts) {
  BOOST_TEST(run("respond; wait 9; < req 5002000480; < 10c010; wait 60; accept; terms") ==
             "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | "
             "accepted crc enhanced p2p write read i=16/16 r=16/16 | FULL_OPERATION");
}

//= MPA-5044-7.1.2-02, MPA-5044-7.1.2-08, MPA-5044-7.1.1-18, MPA-5044-7.1-04, MPA-6581-6-09 test
BOOST_AUTO_TEST_CASE(private_data_come_after_the_block_and_without_pad) {
  BOOST_TEST(run("initiate 61; < rep 500200078010c010 626364; data") ==
             "> req 500200058010c01061 | established rev=2 ird=16 ord=16 | data 626364 | FIRST_FPDU_DUE");
  BOOST_TEST(run("respond; < req 500200068010c010 6162; data; accept 6364656667") ==
             "request rev=2 ird=16 ord=16 | data 6162 | > rep 500200098010c0106364656667 | "
             "established rev=2 ird=16 ord=16 | FULL_OPERATION");
  BOOST_TEST(run("conf rev=1; initiate 616263; < rep 40010002 6465; data") ==
             "> req 40010003616263 | established rev=1 | data 6465 | FIRST_FPDU_DUE");
}

//= MPA-5044-7.1.1-15, MPA-5044-7.1.1-17, MPA-6581-6-08 test
BOOST_AUTO_TEST_CASE(private_data_are_512_octets_at_most) {
  BOOST_TEST(run("conf rev=1; initiate 61*512") == "> req 40010200 61*512  | REQUEST_SENT");
  BOOST_TEST(run("conf rev=1; initiate 61*513") == "refused: address or length out of range | IDLE");
  BOOST_TEST(run("initiate 61*508") == "> req 500202008010c010 61*508  | REQUEST_SENT");
  BOOST_TEST(run("initiate 61*509") == "refused: address or length out of range | IDLE");
  BOOST_TEST(run("respond; < req 40010200 61*512; data; accept 62*513; accept 62*512") ==
             "request rev=1 | data  61*512  | refused: address or length out of range | > rep 40010200 62*512  | "
             "established rev=1 | FULL_OPERATION");
  BOOST_TEST(
      run("respond; < req 500202008010c010 61*508; data; reject 62*509; reject 62*508") ==
      "request rev=2 ird=16 ord=16 | data  61*508  | refused: address or length out of range | "
      "> rep 700202008010c010 62*508  | ended: request_rejected, leave TCP to the ULP rev=2 ird=16 ord=16 | LEFT");
}

// What it is given before it begins is streaming mode's.
//= MPA-5044-7.1-02, MPA-5044-7.1-01 test
BOOST_AUTO_TEST_CASE(streaming_data_before_and_fpdus_after_are_not_touched) {
  BOOST_TEST(run("< 68656c6c6f; respond; < req 40010000; accept; < 000e4143") ==
             "took 0 | request rev=1 | > rep 40010000 | established rev=1 | took 0 | FULL_OPERATION");
  BOOST_TEST(run("< 68656c6c6f; conf rev=1; initiate; < rep 40010000; first; < 000e4143") ==
             "took 0 | > req 40010000 | established rev=1 | took 0 | FULL_OPERATION");
}

//= MPA-5044-1.2-02, MPA-5044-4.4-02, MPA-5044-4.4-03 test
BOOST_AUTO_TEST_CASE(crcs_are_asked_for_unless_the_administrator_says_no) {
  BOOST_TEST(run("initiate") == "> req 500200048010c010 | REQUEST_SENT");
  BOOST_TEST(run("respond; < req 00010000; accept; terms") ==
             "request rev=1 | > rep 40010000 | established rev=1 | accepted crc | FULL_OPERATION");
}

//= MPA-5044-1.2-03, MPA-5044-7.1.1-07, MPA-5044-4.4-04 test
BOOST_AUTO_TEST_CASE(crcs_are_used_if_one_asks) {
  BOOST_TEST(run("conf rev=1 crc=0; initiate; < rep 00010000; terms") ==
             "> req 00010000 | established rev=1 | accepted | FIRST_FPDU_DUE");
  BOOST_TEST(run("conf rev=1 crc=0; initiate; < rep 40010000; terms") ==
             "> req 00010000 | established rev=1 | accepted crc | FIRST_FPDU_DUE");
  BOOST_TEST(run("conf rev=1; initiate; < rep 00010000; terms") ==
             "> req 40010000 | established rev=1 | accepted crc | FIRST_FPDU_DUE");
  BOOST_TEST(run("conf crc=0; respond; < req 00010000; accept; terms") ==
             "request rev=1 | > rep 00010000 | established rev=1 | accepted | FULL_OPERATION");
  BOOST_TEST(run("conf crc=0; respond; < req 40010000; accept; terms") ==
             "request rev=1 | > rep 00010000 | established rev=1 | accepted crc | FULL_OPERATION");
}

//= MPA-5044-7.1.1-06, MPA-5044-4.3-15 test
BOOST_AUTO_TEST_CASE(each_direction_has_markers_if_its_receiver_asks) {
  struct Row {
    bool own;
    bool peer;
    bool sends;
    bool receives;
  };
  for (const Row& row : {Row{false, false, false, false}, Row{true, false, false, true}, Row{false, true, true, false},
                         Row{true, true, true, true}}) {
    const std::string own = row.own ? "c0" : "40";
    const std::string peer = row.peer ? "c0" : "40";
    const std::string conf = row.own ? "conf rev=1 markers=1; " : "conf rev=1; ";
    Script initiator;
    BOOST_TEST(initiator.run(conf + "initiate; < rep " + peer + "010000") ==
               "> req " + own + "010000 | established rev=1 | FIRST_FPDU_DUE");
    BOOST_TEST(initiator.mpa().sends_markers() == row.sends);
    BOOST_TEST(initiator.mpa().receives_markers() == row.receives);
    Script responder;
    BOOST_TEST(responder.run(conf + "respond; < req " + peer + "010000; accept") ==
               "request rev=1 | > rep " + own + "010000 | established rev=1 | FULL_OPERATION");
    BOOST_TEST(responder.mpa().sends_markers() == row.sends);
    BOOST_TEST(responder.mpa().receives_markers() == row.receives);
  }
}

//= MPA-5044-7.1.1-12, MPA-6581-6-05, MPA-6581-6-06, MPA-6581-10-03, MPA-5044-7.1.1-10, MPA-6581-6-03 test
BOOST_AUTO_TEST_CASE(revision_2_is_used_for_the_enhanced_set_up_only) {
  BOOST_TEST(run("conf enhanced=0; initiate") == "> req 40010000 | REQUEST_SENT");
  BOOST_TEST(run("conf rev=1; initiate") == "> req 40010000 | REQUEST_SENT");
  BOOST_TEST(run("conf markers=1; initiate") == "> req d00200048010c010 | REQUEST_SENT");
}

// Any Request is answered in its own form, R in it is ignored, and so are reserved bits.
//= MPA-6581-6-07, MPA-6581-10-01, MPA-6581-10-02, MPA-5044-7.1.1-14, MPA-5044-7.1.1-11, MPA-6581-6-04 test
//= MPA-6581-6-11, MPA-5044-7.1.1-09, MPA-5044-7.1.1-10, MPA-6581-6-03, MPA-6581-6-02 test
BOOST_AUTO_TEST_CASE(the_reply_has_the_form_of_the_request) {
  BOOST_TEST(run("respond; < req 7f010000; accept") ==
             "request rev=1 | > rep 40010000 | established rev=1 | FULL_OPERATION");
  BOOST_TEST(run("respond; < req 50010003616263; data; accept") ==
             "request rev=1 | data 616263 | > rep 40010000 | established rev=1 | FULL_OPERATION");
  BOOST_TEST(run("respond; < req 4f020003616263; data; accept") ==
             "request rev=2 | data 616263 | > rep 40020000 | established rev=2 | FULL_OPERATION");
  BOOST_TEST(run("respond; < req 7f0200048010c010; accept") ==
             "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION");
  BOOST_TEST(run("conf enhanced=0; respond; < req 40020000; accept") ==
             "request rev=2 | > rep 40020000 | established rev=2 | FULL_OPERATION");
  BOOST_TEST(run("conf rev=1; respond; < req 40010000; accept") ==
             "request rev=1 | > rep 40010000 | established rev=1 | FULL_OPERATION");
}

// The revision of the connection is the Reply's.
//= MPA-5044-7.1.1-14 test
BOOST_AUTO_TEST_CASE(the_revision_is_told) {
  Script script;
  BOOST_TEST(script.run("initiate; < rep 500200048010c010") ==
             "> req 500200048010c010 | established rev=2 ird=16 ord=16 | FIRST_FPDU_DUE");
  BOOST_TEST(unsigned{script.mpa().revision()} == 2U);
  BOOST_TEST((script.mpa().role() == Role::initiator));
}

//= MPA-5044-7.1.2-05, MPA-5044-7.1.2-06, MPA-5044-7.1.2-18, MPA-6581-10-07 test
BOOST_AUTO_TEST_CASE(a_rejection_leaves_tcp_open) {
  BOOST_TEST(
      run("respond; < req 40010000; reject 6e6f; < 68656c6c6f; fin") ==
      "request rev=1 | > rep 600100026e6f | ended: request_rejected, leave TCP to the ULP rev=1 | took 0 | LEFT");
  BOOST_TEST(run("respond; < req 500200048001c010; reject 6e6f") ==
             "request rev=2 ird=1 ord=16 | > rep 700200068010c0106e6f | "
             "ended: request_rejected, leave TCP to the ULP rev=2 ird=1 ord=16 | LEFT");
  BOOST_TEST(run("respond; < req 500200040001001c; reject") ==
             "request rev=2 ird=1 ord=28 | > rep 70020004001c0010 | "
             "ended: request_rejected, leave TCP to the ULP rev=2 ird=1 ord=28 | LEFT");
}

// Also for the ULP: what follows the Reply is its own.
//= MPA-5044-7.1.2-12, MPA-6581-9.1-10, MPA-5044-7.1.1-18 test
BOOST_AUTO_TEST_CASE(being_rejected_leaves_tcp_open) {
  BOOST_TEST(run("initiate; < rep 700200068004c0086e6f 62796521; data; terms; fin") ==
             "> req 500200048010c010 | took 26 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=4 ord=8 | "
             "data 6e6f | rejected crc enhanced p2p write read i=16/4 r=4/8 | LEFT");
  BOOST_TEST(run("conf rev=1; initiate; < rep 60010000") ==
             "> req 40010000 | ended: rejected_by_peer, leave TCP to the ULP rev=1 | LEFT");
  // Depths and types that would not do are no reason for a Terminate then.
  BOOST_TEST(run("initiate; < rep 70020004c0100fff") ==
             "> req 500200048010c010 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=16 ord=4095 | LEFT");
}

//= MPA-5044-7.1.2-12, MPA-5044-7.1.2-17 test
BOOST_AUTO_TEST_CASE(the_ulp_may_refuse_the_reply) {
  BOOST_TEST(run("conf confirm=1; initiate; < rep 500200068010c010 6162; data; refuse; < 00") ==
             "> req 500200048010c010 | reply rev=2 ird=16 ord=16 | data 6162 | "
             "ended: reply_refused, leave TCP to the ULP rev=2 ird=16 ord=16 | took 0 | LEFT");
  BOOST_TEST(run("conf confirm=1; initiate; < rep 500200048010c010; wait 60; confirm; first") ==
             "> req 500200048010c010 | reply rev=2 ird=16 ord=16 | established rev=2 ird=16 ord=16 | FULL_OPERATION");
}

BOOST_AUTO_TEST_CASE(the_ulp_is_refused_what_the_state_does_not_allow) {
  const std::string no = "refused: not in this state | ";
  BOOST_TEST(run("accept; reject; confirm; refuse") == no + no + no + no + "IDLE");
  BOOST_TEST(run("initiate; initiate; respond; accept; reject; confirm; refuse") ==
             "> req 500200048010c010 | " + no + no + no + no + no + no + "REQUEST_SENT");
  BOOST_TEST(run("respond; initiate; respond; accept; reject") == no + no + no + no + "REQUEST_AWAITED");
  BOOST_TEST(run("respond; < req 40010000; accept; accept; reject") ==
             "request rev=1 | > rep 40010000 | established rev=1 | " + no + no + "FULL_OPERATION");
}

//= MPA-6581-9.2-04 test
BOOST_AUTO_TEST_CASE(impossible_settings_are_refused) {
  const std::string no = "refused: attribute missing, not allowed or impossible | IDLE";
  for (const char* wrong : {"rev=0", "rev=3", "ird=16384", "ord=16384", "max_ird=16383", "write=0 read=0"}) {
    BOOST_TEST_CONTEXT(wrong) {
      BOOST_TEST(run("conf " + std::string(wrong) + "; initiate") == no);
      BOOST_TEST(run("conf " + std::string(wrong) + "; respond") == no);
    }
  }
  // Only a responder needs a type if it does not ask for the peer-to-peer model itself.
  BOOST_TEST(run("conf write=0 read=0 p2p=0; initiate") == "> req 5002000400100010 | REQUEST_SENT");
  BOOST_TEST(run("conf write=0 read=0 p2p=0; respond") == no);
  BOOST_TEST(run("conf write=0 read=0 rev=1; respond") == "REQUEST_AWAITED");
}

// A Reply may be sent in pieces; until it is out, the initiator may not send.
//= MPA-5044-7.1.1-19 test
BOOST_AUTO_TEST_CASE(own_frames_go_out_in_any_pieces) {
  MpaConnection mpa{MpaConfig{}};
  BOOST_TEST(mpa.start_initiator({}, {}).has_value());
  std::string sent;
  std::array<std::uint8_t, 1> one;
  while (mpa.has_octets()) {
    BOOST_TEST(mpa.poll_octets(MutableBytes(one).first(0)) == 0U);
    BOOST_TEST(mpa.poll_octets(one) == 1U);
    sent += hex(one);
  }
  BOOST_TEST(mpa.poll_octets(one) == 0U);
  BOOST_TEST(sent == request_key + "500200048010c010");

  MpaConnection responder{MpaConfig{}};
  BOOST_TEST(responder.start_responder({}).has_value());
  const auto request = octets(sent);
  BOOST_TEST(responder.on_octets(request, {}) == 24U);
  BOOST_TEST(text(*responder.poll_event()) == "request rev=2 ird=16 ord=16");
  BOOST_TEST(responder.accept().has_value());
  sent.clear();
  for (int i = 0; i < 23; ++i) {
    BOOST_TEST(responder.poll_octets(one) == 1U);
    BOOST_TEST(!responder.poll_event().has_value());
    BOOST_TEST((responder.state() == MpaState::accepting));
    sent += hex(one);
  }
  MpaConnection early = responder;
  BOOST_TEST(responder.poll_octets(one) == 1U);
  BOOST_TEST(sent + hex(one) == reply_key + "500200048010c010");
  BOOST_TEST(text(*responder.poll_event()) == "established rev=2 ird=16 ord=16");

  BOOST_TEST(early.on_octets(one, {}) == 0U);
  BOOST_TEST(text(*early.poll_event()) == "ended: early_octets, close TCP rev=2 ird=16 ord=16");
  BOOST_TEST(early.poll_octets(one) == 0U);
}

// A Reply before the Request is out answers something else.
BOOST_AUTO_TEST_CASE(a_reply_to_half_a_request) {
  MpaConnection mpa{MpaConfig{}};
  BOOST_TEST(mpa.start_initiator({}, {}).has_value());
  std::array<std::uint8_t, 23> most;
  BOOST_TEST(mpa.poll_octets(most) == 23U);
  const auto reply = octets(reply_key + "500200048010c010");
  mpa.on_octets(reply, {});
  BOOST_TEST(text(*mpa.poll_event()) == "ended: early_octets, close TCP rev=2 ird=16 ord=16");
  BOOST_TEST(mpa.poll_octets(most) == 0U);
}

//= MPA-6581-10-05 test
BOOST_AUTO_TEST_CASE(after_a_close_revision_1_can_be_tried_on_another_connection) {
  BOOST_TEST(run("initiate; fin; conf rev=1; initiate; < rep 40010000") ==
             "> req 500200048010c010 | ended: peer_closed, close TCP | > req 40010000 | established rev=1 | "
             "FIRST_FPDU_DUE");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::test
