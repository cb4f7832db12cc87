// What ends a start-up: frames that are none, ends of the connection, time, and what the owner has to do then.
#include <fstream>
#include <iterator>

#include "protocol/iwarp/mpa_script_test.h"
#include "protocol/iwarp/mpa_states_page.h"

namespace rdmawire::iwarp::test {
namespace {

// What ended it, and how much was taken; nothing may go out.
std::string end_of(Role role, Bytes octets) {
  MpaConnection mpa{MpaConfig{}};
  std::array<std::uint8_t, 600> out;
  if (role == Role::initiator) {
    BOOST_TEST(mpa.start_initiator({}, {}).has_value());
    BOOST_TEST(mpa.poll_octets(out) == 24U);
  } else {
    BOOST_TEST(mpa.start_responder({}).has_value());
  }
  const std::size_t taken = mpa.on_octets(octets, {});
  BOOST_TEST(mpa.poll_octets(out) == 0U);
  const auto event = mpa.poll_event();
  return std::to_string(taken) + " " + (event ? text(*event) : "nothing");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mpa_errors)

// Each bit of the key, at the first octet that differs; the rest is not waited for.
//= MPA-5044-7.1.1-03, MPA-5044-7.1.1-04, MPA-5044-7.1.2-04, MPA-5044-7.1.2-11, MPA-5044-7.1.2-16 test
//= MPA-5044-8-07, MPA-5044-7.1.1-20 test
BOOST_AUTO_TEST_CASE(each_wrong_bit_of_a_key_closes_the_connection) {
  for (const Role role : {Role::initiator, Role::responder}) {
    const auto good = octets(role == Role::initiator ? reply_key : request_key);
    for (std::size_t at = 0; at < 16; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        auto bad = good;
        bad[at] ^= static_cast<std::uint8_t>(1U << bit);
        const auto first = Bytes(bad).first(at + 1);
        const std::string other = role == Role::initiator ? "two_initiators" : "reply_to_responder";
        // q and p differ in one bit.
        const bool is_other = at == 9 && bit == 0;
        BOOST_TEST(end_of(role, first) ==
                   std::to_string(at + 1) + " ended: " + (is_other ? other : "bad_key") + ", close TCP");
        BOOST_TEST(end_of(role, Bytes(good).first(at + 1)) == std::to_string(at + 1) + " nothing");
      }
    }
  }
}

//= MPA-5044-7.1-05, MPA-5044-7.1.2-20, MPA-5044-7.1.1-03, MPA-5044-7.1.1-04 test
BOOST_AUTO_TEST_CASE(two_of_a_role) {
  BOOST_TEST(run("initiate; < req 500200048010c010") ==
             "> req 500200048010c010 | took 20 | ended: two_initiators, close TCP | CLOSED");
  BOOST_TEST(run("respond; < rep 500200048010c010") == "took 20 | ended: reply_to_responder, close TCP | CLOSED");
}

//= MPA-5044-7.1.2-21, MPA-5044-7.1.2-23 test
BOOST_AUTO_TEST_CASE(the_frame_has_to_be_there_whole_in_time) {
  BOOST_TEST(run("respond; wait 9; wait 1") == "ended: timed_out, close TCP | CLOSED");
  BOOST_TEST(run("initiate; wait 9; < rep 5002000480; wait 1") ==
             "> req 500200048010c010 | ended: timed_out, close TCP | CLOSED");
  // An octet a second does not help.
  BOOST_TEST(run("respond; < 4d; wait 1; < 50; wait 1; < 41; wait 1; < 20; wait 1; < 49; wait 1; < 44; wait 1; < 20; "
                 "wait 1; < 52; wait 1; < 65; wait 1; < 71; wait 1; < 20") ==
             "ended: timed_out, close TCP | took 0 | CLOSED");
  // Octets that come too late, before on_deadline is called.
  MpaConnection mpa{MpaConfig{}};
  BOOST_TEST(mpa.start_responder(std::chrono::seconds(5)).has_value());
  BOOST_TEST((mpa.next_deadline() == Time(std::chrono::seconds(15))));
  const auto request = octets(request_key + "40010000");
  BOOST_TEST(mpa.on_octets(request, std::chrono::seconds(15)) == 0U);
  BOOST_TEST(text(*mpa.poll_event()) == "ended: timed_out, close TCP");
  BOOST_TEST(!mpa.next_deadline().has_value());
}

BOOST_AUTO_TEST_CASE(the_ulp_may_take_its_time) {
  Script script;
  BOOST_TEST(script.run("respond; < req 40010000; wait 1000") == "request rev=1 | REQUEST_RECEIVED");
  BOOST_TEST(!script.mpa().next_deadline().has_value());
}

//= MPA-5044-7.1.1-13, MPA-5044-C-02, MPA-5044-C-03 test
BOOST_AUTO_TEST_CASE(revisions_that_are_not_supported_close_the_connection) {
  for (const char* revision : {"00", "03", "04", "80", "ff"}) {
    BOOST_TEST_CONTEXT(revision) {
      BOOST_TEST(run("respond; < req 40" + std::string(revision) + "0000") ==
                 "ended: bad_revision, close TCP | CLOSED");
      BOOST_TEST(run("conf rev=1; initiate; < rep 40" + std::string(revision) + "0000") ==
                 (revision == std::string("00") ? "> req 40010000 | ended: wrong_form, close TCP | CLOSED"
                                                : "> req 40010000 | ended: bad_revision, close TCP | CLOSED"));
    }
  }
  BOOST_TEST(run("conf rev=1; respond; < req 40020000") == "ended: bad_revision, close TCP rev=2 | CLOSED");
}

//= MPA-6581-10-04, MPA-6581-10-06 test
BOOST_AUTO_TEST_CASE(the_other_form_closes_the_connection) {
  BOOST_TEST(run("conf enhanced=0; respond; < req 500200048010c010") ==
             "ended: not_enhanced, close TCP rev=2 ird=16 ord=16 | CLOSED");
  BOOST_TEST(run("conf rev=1; respond; < req 500200048010c010") ==
             "ended: bad_revision, close TCP rev=2 ird=16 ord=16 | CLOSED");
  const std::string sent = "> req 500200048010c010 | ";
  BOOST_TEST(run("initiate; < rep 40010000") == sent + "ended: wrong_form, close TCP rev=1 | CLOSED");
  BOOST_TEST(run("initiate; < rep 40020000") == sent + "ended: wrong_form, close TCP rev=2 | CLOSED");
  BOOST_TEST(run("initiate; < rep 60010000") == sent + "ended: wrong_form, close TCP rev=1 | CLOSED");
  BOOST_TEST(run("conf rev=1; initiate; < rep 500200048010c010") ==
             "> req 40010000 | ended: wrong_form, close TCP rev=2 ird=16 ord=16 | CLOSED");
  BOOST_TEST(run("conf rev=1; initiate; < rep 40020000") ==
             "> req 40010000 | ended: wrong_form, close TCP rev=2 | CLOSED");
}

// Every PD_Length, with so many octets after it, and what is left over after them.
//= MPA-5044-7.1.1-16, MPA-5044-7.1.1-17, MPA-5044-7.1.2-22, MPA-5044-7.1-04 test
BOOST_AUTO_TEST_CASE(every_length_of_private_data) {
  for (std::size_t len = 0; len <= 513; ++len) {
    std::vector<std::uint8_t> frame = octets(request_key + "4001");
    frame.push_back(static_cast<std::uint8_t>(len >> 8));
    frame.push_back(static_cast<std::uint8_t>(len));
    for (std::size_t i = 0; i < len; ++i) frame.push_back(static_cast<std::uint8_t>(i * 7 + 1));
    BOOST_TEST_CONTEXT(len) {
      MpaConnection mpa{MpaConfig{}};
      BOOST_TEST(mpa.start_responder({}).has_value());
      BOOST_TEST(mpa.on_octets(frame, {}) == (len == 513 ? 20U : 20U + len));
      const auto event = mpa.poll_event();
      BOOST_REQUIRE(event.has_value());
      BOOST_TEST(text(*event) == (len == 513 ? "ended: bad_length, close TCP" : "request rev=1"));
      if (len == 513) continue;
      BOOST_TEST(hex(mpa.peer_private_data()) == hex(Bytes(frame).subspan(20)));
      // The last octet is missing, and does not come.
      if (len == 0) continue;
      MpaConnection cut{MpaConfig{}};
      BOOST_TEST(cut.start_responder({}).has_value());
      BOOST_TEST(cut.on_octets(Bytes(frame).first(19 + len), {}) == 19U + len);
      BOOST_TEST(!cut.poll_event().has_value());
      BOOST_TEST(cut.peer_private_data().empty());
      cut.on_peer_closed();
      BOOST_TEST(text(*cut.poll_event()) == "ended: cut_frame, close TCP");
    }
  }
  BOOST_TEST(run("respond; < req 4001ffff") == "ended: bad_length, close TCP | CLOSED");
  BOOST_TEST(run("conf rev=1; initiate; < rep 40010201") == "> req 40010000 | ended: bad_length, close TCP | CLOSED");
}

//= MPA-5044-7.1.2-22 test
BOOST_AUTO_TEST_CASE(private_data_beyond_what_the_ulp_takes) {
  BOOST_TEST(run("conf max_pd=64; respond; < req 40010041") == "ended: too_much_private_data, close TCP | CLOSED");
  BOOST_TEST(run("conf max_pd=64; respond; < req 40010040 61*64; data") ==
             "request rev=1 | data  61*64  | REQUEST_RECEIVED");
  // The enhanced block is not the ULP's.
  BOOST_TEST(run("conf max_pd=64; respond; < req 500200448010c010 61*64; data") ==
             "request rev=2 ird=16 ord=16 | data  61*64  | REQUEST_RECEIVED");
  BOOST_TEST(run("conf max_pd=64; initiate; < rep 50020045") ==
             "> req 500200048010c010 | ended: too_much_private_data, close TCP | CLOSED");
}

//= MPA-6581-6-10, MPA-6581-10-08 test
BOOST_AUTO_TEST_CASE(no_room_for_the_enhanced_block) {
  for (const char* len : {"0", "1", "2", "3"}) {
    BOOST_TEST(run("respond; < req 5002000" + std::string(len)) == "ended: bad_length, close TCP | CLOSED");
    BOOST_TEST(run("initiate; < rep 5002000" + std::string(len)) ==
               "> req 500200048010c010 | ended: bad_length, close TCP | CLOSED");
  }
  BOOST_TEST(run("respond; < req 50020201") == "ended: bad_length, close TCP | CLOSED");
}

//= MPA-5044-7.1.1-19, MPA-5044-7.1.5-01 test
BOOST_AUTO_TEST_CASE(octets_before_the_peer_may_send) {
  const std::string ended = "ended: early_octets, close TCP rev=1 | ";
  BOOST_TEST(run("respond; < req 40010000 00") == "took 20 | request rev=1 | " + ended + "CLOSED");
  BOOST_TEST(run("respond; < req 40010000; < 00; accept") ==
             "request rev=1 | took 0 | " + ended + "refused: not in this state | CLOSED");
  BOOST_TEST(run("conf rev=1; initiate; < rep 40010000 00") ==
             "> req 40010000 | took 20 | established rev=1 | " + ended + "CLOSED");
  BOOST_TEST(run("conf rev=1; initiate; < rep 40010000; < 00; first") ==
             "> req 40010000 | established rev=1 | took 0 | " + ended + "CLOSED");
  BOOST_TEST(run("conf rev=1 confirm=1; initiate; < rep 40010000; < 00; confirm") ==
             "> req 40010000 | reply rev=1 | took 0 | " + ended + "refused: not in this state | CLOSED");
  // An octet of streaming mode before the Request.
  BOOST_TEST(run("respond; < 0a; < req 40010000") == "ended: bad_key, close TCP | took 0 | CLOSED");
}

//= MPA-5044-7.1.2-04, MPA-5044-7.1.2-11, MPA-5044-7.1.1-16, MPA-5044-8-03 test
BOOST_AUTO_TEST_CASE(the_peer_closes) {
  BOOST_TEST(run("respond; fin") == "ended: peer_closed, close TCP | CLOSED");
  BOOST_TEST(run("respond; < req 400100; fin") == "ended: cut_frame, close TCP | CLOSED");
  BOOST_TEST(run("respond; < req 40010000; fin; accept") ==
             "request rev=1 | ended: peer_closed, close TCP rev=1 | refused: not in this state | CLOSED");
  const std::string sent = "> req 500200048010c010 | ";
  BOOST_TEST(run("initiate; fin") == sent + "ended: peer_closed, close TCP | CLOSED");
  BOOST_TEST(run("initiate; < rep 500200048010c0; fin") == sent + "ended: cut_frame, close TCP | CLOSED");
  BOOST_TEST(run("initiate; < 4d; fin") == sent + "ended: cut_frame, close TCP | CLOSED");
  // Of Full Operation it is the stream's end.
  BOOST_TEST(run("respond; < req 40010000; accept; fin; lost; broken") ==
             "request rev=1 | > rep 40010000 | established rev=1 | FULL_OPERATION");
}

//= MPA-5044-8-03 test
BOOST_AUTO_TEST_CASE(the_connection_is_lost) {
  BOOST_TEST(run("respond; lost") == "ended: connection_lost, close TCP | CLOSED");
  BOOST_TEST(run("initiate; < rep 5002; lost") ==
             "> req 500200048010c010 | ended: connection_lost, close TCP | CLOSED");
  BOOST_TEST(run("respond; < req 40010000; lost") ==
             "request rev=1 | ended: connection_lost, close TCP rev=1 | CLOSED");
  BOOST_TEST(run("conf confirm=1; initiate; < rep 500200048010c010; lost") ==
             "> req 500200048010c010 | reply rev=2 ird=16 ord=16 | "
             "ended: connection_lost, close TCP rev=2 ird=16 ord=16 | CLOSED");
  BOOST_TEST(run("lost; fin; broken; first; wait 100") == "IDLE");
}

// Only an initiator that has an accepting Reply can tell the peer.
//= MPA-6581-9.3-01 test
BOOST_AUTO_TEST_CASE(a_local_error) {
  BOOST_TEST(run("initiate; broken") == "> req 500200048010c010 | ended: local_error, close TCP | CLOSED");
  BOOST_TEST(run("respond; broken") == "ended: local_error, close TCP | CLOSED");
  BOOST_TEST(run("respond; < req 40010000; broken") == "request rev=1 | ended: local_error, close TCP rev=1 | CLOSED");
  const std::string ended =
      "ended: local_error_after_reply, Terminate, then close TCP rev=2 ird=16 ord=16 | TERMINATING";
  BOOST_TEST(run("conf confirm=1; initiate; < rep 500200048010c010; broken") ==
             "> req 500200048010c010 | reply rev=2 ird=16 ord=16 | " + ended);
  BOOST_TEST(run("initiate; < rep 500200048010c010; broken") ==
             "> req 500200048010c010 | established rev=2 ird=16 ord=16 | " + ended);
}

//= MPA-6581-8-03, MPA-6581-9.1-09, MPA-6581-9.2-12 test
BOOST_AUTO_TEST_CASE(an_accepting_reply_that_does_not_fit_is_answered_by_a_terminate) {
  BOOST_TEST(run("initiate; < rep 500200048010c041; < 00") ==
             "> req 500200048010c010 | ended: insufficient_ird, Terminate, then close TCP rev=2 ird=16 ord=65 | "
             "took 0 | TERMINATING");
  BOOST_TEST(run("conf read=0; initiate; < rep 5002000480104010; terms") ==
             "> req 5002000480108010 | ended: no_matching_rtr, Terminate, then close TCP rev=2 ird=16 ord=16 | "
             "accepted crc enhanced p2p i=16/16 r=16/16 | TERMINATING");
  // A is 0 in the Reply.
  BOOST_TEST(run("initiate; < rep 500200040010c010") ==
             "> req 500200048010c010 | ended: no_matching_rtr, Terminate, then close TCP rev=2 ird=16 ord=16 | "
             "TERMINATING");
  const auto error_of = [](MpaEnd end) { return info(*info(end).code).error.value; };
  BOOST_TEST(error_of(MpaEnd::local_error_after_reply) == 0x2005U);
  BOOST_TEST(error_of(MpaEnd::insufficient_ird) == 0x2006U);
  BOOST_TEST(error_of(MpaEnd::no_matching_rtr) == 0x2007U);
}

//= MPA-5044-8-01, MPA-5044-8-02 test
BOOST_AUTO_TEST_CASE(each_end_has_its_code) {
  for (const MpaEndInfo& row : mpa_ends) {
    BOOST_TEST_CONTEXT(row.name) {
      const unsigned code = row.code ? info(*row.code).error.code() : 0;
      const bool is_frame = row.input == MpaInput::malformed;
      const bool is_connection =
          row.input == MpaInput::closed || row.input == MpaInput::lost || row.input == MpaInput::timeout;
      if (is_frame) BOOST_TEST(code == 4U);
      if (is_connection) BOOST_TEST(code == 1U);
      if (is_frame || is_connection) BOOST_TEST((row.after == MpaAfter::close));
      BOOST_TEST((row.after == MpaAfter::leave_open) == (code == 0U));
      BOOST_TEST(!row.text.empty());
      // The state table and this one agree about what follows.
      for (const MpaTransition& step : mpa_transitions) {
        if (step.input != row.input || step.tell != MpaEventKind::ended) continue;
        if (row.input == MpaInput::local_error) continue;
        const MpaState to = row.after == MpaAfter::close       ? MpaState::closed
                            : row.after == MpaAfter::terminate ? MpaState::terminating
                                                               : MpaState::left;
        BOOST_TEST((step.to == to), name_of(step.from) << ' ' << name_of(step.input));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_page_of_states_is_up_to_date) {
  std::ifstream file("docs/mpa_states.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  BOOST_TEST((page == mpa_states_page()), "run: bazel run //protocol/iwarp:mpa_states_page_main > docs/mpa_states.md");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::test
