// What the start-up frames agree on is what an endpoint does with FPDUs: Markers and CRCs of each direction, who speaks
// first, and how a direction ends. RFC 5044, 7 and C; RFC 6581, 5 and 8.
#include <random>

#include "protocol/iwarp/connection_scenario_test.h"
#include "protocol/iwarp/end_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

using verbs::WorkOpcode;

constexpr std::string_view send_0 = "4143 00000000 00000000 00000001 00000000";
// A Send of "hello", with the CRC of another implementation (testdata/reference).
constexpr std::string_view hello = "0017 4143 00000000 00000000 00000001 00000000 68656c6c6f 000000 b990b10c";

std::string without_spaces(std::string_view text) {
  std::string out(text);
  std::erase(out, ' ');
  return out;
}

// An FPDU that does not care what was agreed on; offset: octets of the stream before it.
SegmentOctets fpdu_of(const Seg& segment, bool markers, bool crc, std::uint64_t offset = 0) {
  Framer framer(markers, crc, offset);
  const SegmentOctets ulpdu = segment.octets();
  SegmentOctets out(framer.fpdu_len(static_cast<std::uint32_t>(ulpdu.size())));
  const std::array<Bytes, 1> pieces{ulpdu};
  BOOST_REQUIRE(framer.frame(pieces, out).has_value());
  return out;
}

BOOST_AUTO_TEST_SUITE(mpa_negotiated)

// M of either end, and in either role: Markers are in what the end receives that asked for them, and in nothing else.
//= MPA-5044-7.1.1-06 test
RDMAWIRE_SCENARIO(markers_are_in_the_direction_that_asked_for_them) {
  for (const Role role : {Role::initiator, Role::responder}) {
    for (const bool peers : {false, true}) {
      for (const bool own : {false, true}) {
        ConnectionSetup setup;
        setup.role = role;
        setup.markers(peers, own).silent();
        Connection t(script, setup);
        t.note(t.startup(), own ? "c0010000" : "40010000");
        const SegmentOctets from_peer = fpdu_of(Seg(RDMA_WRITE).to(all_stag, at_all).data(600), own, true);
        if (role == Role::responder) t.give(from_peer);
        t.hold(t.work(1, WorkOpcode::rdma_write, 600, 0x1000));
        const std::string sent = t.poll_hex();
        // ULPDU_Length, 614 octets, pad to a multiple of four, CRC; Markers at 0 and 512.
        t.note(std::to_string(sent.size() / 2) + ' ' + sent.substr(0, peers ? 16 : 8),
               peers ? "628 000000000266c140" : "620 0266c140");
        if (peers) t.note(sent.substr(512 * 2, 8), "000001fc");
        if (role == Role::initiator) t.give(from_peer);
        t.poll("RDMA_WRITE 1 SUCCESS");
        t.memory(0, 4, "01020304");
        t.memory(596, 4, "55565758");
      }
    }
  }
}

// C of either end, and in either role: one is enough for both directions.
//= MPA-5044-7.1.1-07 test
RDMAWIRE_SCENARIO(crcs_are_in_both_directions_if_one_end_asks) {
  for (const Role role : {Role::initiator, Role::responder}) {
    for (const bool peers : {false, true}) {
      for (const bool own : {false, true}) {
        ConnectionSetup setup;
        setup.role = role;
        setup.config.mpa.crc = own;
        setup.peer = peers ? "40 01 0000" : "00 01 0000";
        setup.silent();
        const bool in_use = peers || own;
        Connection t(script, setup);
        const SegmentOctets good = fpdu_of(Seg(RDMA_WRITE).to(all_stag, at_all + 0x100).data(4), false, true);
        if (role == Role::responder) t.give(good);
        for (std::uint32_t i = 0; i < 5; ++i) t.host.octets[i] = static_cast<std::uint8_t>("hello"[i]);
        t.hold(t.work(1, WorkOpcode::send, 5));
        std::string expected = without_spaces(hello);
        if (!in_use) expected.replace(expected.size() - 8, 8, "00000000");
        t.note(t.poll_hex(), expected);
        if (role == Role::initiator) t.give(good);
        t.poll("SEND 1 SUCCESS");
        t.memory(0x100, 4, "01020304");
        SegmentOctets bad = fpdu_of(Seg(RDMA_WRITE).to(all_stag, at_all + 0x200).data(4), false, true);
        bad.back() ^= 1U;
        t.take(bad, in_use ? "4147 00000000 00000002 00000001 00000000 20020000, event QP_FATAL, ERR, TERMINATED, "
                             "shut down"
                           : "");
        t.memory(0x200, 4, in_use ? "00000000" : "01020304");
      }
    }
  }
}

//= MPA-5044-7.1.1-08 test
BOOST_AUTO_TEST_CASE(any_octets_are_a_valid_crc_where_crcs_are_not_in_use) {
  constexpr std::uint32_t seed = 20261130;
  std::mt19937 random(seed);
  Script script;
  Connection t(script, ConnectionSetup().without_crc());
  for (std::uint32_t i = 0; i < 1000; ++i) {
    SegmentOctets fpdu = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all + 4 * i).data(4, i));
    for (std::size_t at = fpdu.size() - 4; at < fpdu.size(); ++at) fpdu[at] = static_cast<std::uint8_t>(random());
    t.give(fpdu);
    BOOST_REQUIRE_MESSAGE(t.qp.stream().counters().num_segments == i + 1, "seed " << seed << ", FPDU " << i);
  }
  t.poll("");
  t.memory(4 * 999, 4, "e7e8e9ea");
  BOOST_TEST((t.qp.stream().state() == StreamState::running));
}

//= MPA-5044-7.1.2-09 test
RDMAWIRE_SCENARIO(responder_takes_what_follows_its_reply_as_fpdus) {
  Connection t(script, ConnectionSetup().respond());
  t.note(t.startup(), "40010000");
  t.receives(1, 1);
  t.take(rdmawire::test::octets(std::string(hello)), "RECV 1 SUCCESS 5");
  t.memory(0, 5, "68656c6c6f");
}

// The Reply comes octet by octet.
//= MPA-5044-7.1.2-10, MPA-5044-7.1.2-13 test
BOOST_AUTO_TEST_CASE(initiator_sends_no_fpdu_before_it_has_the_whole_reply) {
  MpaQueuePairConfig config;
  config.mpa.enhanced = false;
  End end(1, config);
  std::array<std::uint8_t, 1460> out{};
  BOOST_REQUIRE(end.qp.connect({}, Time{}));
  BOOST_TEST(end.qp.poll_octets(out, Time{}) == 20U);
  const verbs::Sge sge = end.sge(0, 5);
  verbs::SendWork work;
  work.opcode = WorkOpcode::send;
  work.sges = {&sge, 1};
  const SegmentOctets reply = rdmawire::test::octets(reply_key_hex + "40010000");
  for (const std::uint8_t octet : reply) {
    BOOST_TEST((end.qp.post_send(work).error() == verbs::VerbsError::bad_state));
    BOOST_TEST(end.qp.poll_octets(out, Time{}) == 0U);
    end.qp.on_octets({&octet, 1}, Time{});
  }
  std::copy_n("hello", 5, end.octets.begin());
  BOOST_REQUIRE(end.qp.post_send(work));
  BOOST_TEST(end.qp.poll_octets(out, Time{}) == 32U);
  BOOST_TEST(rdmawire::test::hex_of(out.data(), 32) == without_spaces(hello));
}

// The ULP has not said yet whether it likes the Reply's private data.
//= MPA-5044-7.1.2-13 test
BOOST_AUTO_TEST_CASE(initiator_sends_no_fpdu_before_the_ulp_takes_the_reply) {
  MpaQueuePairConfig config;
  config.mpa.confirm_reply = true;
  End end(1, config);
  std::array<std::uint8_t, 1460> out{};
  BOOST_REQUIRE(end.qp.connect({}, Time{}));
  BOOST_TEST(end.qp.poll_octets(out, Time{}) == 24U);
  end.qp.on_octets(rdmawire::test::octets(reply_key_hex + "500200048010c010"), Time{});
  BOOST_TEST((end.qp.verbs().state() == verbs::QpState::init));
  BOOST_TEST(end.qp.poll_octets(out, Time{}) == 0U);
  BOOST_REQUIRE(end.qp.confirm_reply(Time{}));
  BOOST_TEST((end.qp.verbs().state() == verbs::QpState::rts));
  BOOST_TEST(end.qp.poll_octets(out, Time{}) == 20U);
}

// Sends are posted as soon as the queue pair takes them.
//= MPA-6581-5-01 test
RDMAWIRE_SCENARIO(nothing_goes_before_the_ready_to_receive_indication) {
  const auto sends = [&](std::string_view reply, std::string_view expected) {
    ConnectionSetup setup;
    setup.config.mpa.enhanced = true;
    setup.config.mpa.rtr_send = true;
    setup.peer = reply;
    Connection t(script, setup);
    t.hold(t.work(1, WorkOpcode::send, 0));
    t.hold(t.work(2, WorkOpcode::rdma_write, 0));
    t.poll(expected);
  };
  const std::string write = " + c140 00000055 0000000000007000, SEND 1 SUCCESS, RDMA_WRITE 2 SUCCESS";
  sends("50 02 0004 8010 8010", "c140 00000001 0000000000000000 + " + std::string(send_0) + write);
  sends("50 02 0004 8010 4010",
        "4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001 0000000000000000 + " +
            std::string(send_0) + write);
  sends("50 02 0004 c010 0010", std::string(send_0) + " + 4143 00000000 00000000 00000002 00000000" + write);
}

//= MPA-6581-5-02 test
BOOST_AUTO_TEST_CASE(enhanced_start_up_completes_no_work) {
  for (const bool by_read : {false, true}) {
    MpaQueuePairConfig config;
    config.mpa.rtr_write = !by_read;
    Pair pair(config, config);
    pair.connect();
    const auto startup = [](const std::vector<std::vector<std::uint8_t>>& sent) {
      return rdmawire::test::hex_of(sent.at(0).data() + 16, sent.at(0).size() - 16);
    };
    BOOST_TEST(startup(pair.from_a) == (by_read ? "5002000480104010" : "500200048010c010"));
    BOOST_TEST(startup(pair.from_b) == (by_read ? "5002000480104010" : "500200048010c010"));
    // The indication, and of a Read its response.
    BOOST_TEST(pair.from_a.size() == 2U);
    BOOST_TEST(pair.from_b.size() == (by_read ? 2U : 1U));
    for (End* end : {&pair.a, &pair.b}) {
      BOOST_TEST((end->qp.verbs().state() == verbs::QpState::rts));
      BOOST_TEST(end->sent().empty());
      BOOST_TEST(end->received().empty());
      BOOST_TEST(!end->events.poll().has_value());
    }
  }
}

// The three errors that have a code of their own; what is malformed has none.
//= MPA-6581-8-03 test
RDMAWIRE_SCENARIO(errors_of_enhanced_start_up_are_answered_by_a_terminate) {
  const auto answers = [&](std::string_view reply, std::string_view expected) {
    ConnectionSetup setup;
    setup.config.mpa.enhanced = true;
    setup.config.mpa.rtr_read = false;
    setup.config.mpa.max_ird = 16;
    setup.peer = reply;
    Connection t(script, setup.silent());
    t.poll(expected);
    t.qp.on_peer_closed(t.now);
    t.poll(expected.starts_with("close") ? "" : "ENDED, close");
  };
  const auto terminate = [](const std::string& code) {
    return "4147 00000000 00000002 00000001 00000000 " + code + "0000, event QP_FATAL, TERMINATED, shut down";
  };
  answers("50 02 0004 8010 8011", terminate("2006"));
  answers("50 02 0004 8010 4010", terminate("2007"));
  answers("50 02 0003 801000", "close");
  answers("50 03 0004 8010 8010", "close");
  ConnectionSetup setup;
  setup.config.mpa.enhanced = true;
  setup.config.mpa.confirm_reply = true;
  setup.peer = "50 02 0004 8010 8010";
  Connection t(script, setup.silent());
  t.qp.close(t.now);
  t.poll("4147 00000000 00000002 00000001 00000000 20050000, event QP_FATAL, ERR, TERMINATED, shut down");
}

// Each FPDU of both directions has version 1 of both protocols; another one ends the stream.
//= MPA-5044-C-01 test
RDMAWIRE_SCENARIO(versions_are_those_of_the_connection_and_never_mixed) {
  for (const bool enhanced : {false, true}) {
    ConnectionSetup setup;
    setup.config.mpa.enhanced = enhanced;
    setup.config.mpa.peer_to_peer = false;
    if (enhanced) setup.peer = "50 02 0004 0010 0010";
    const auto refused = [&](const Seg& segment, std::string_view control) {
      Connection t(script, setup);
      t.receives(1, 1);
      t.take(Seg(SEND).data(1), "RECV 1 SUCCESS 1");
      t.post(t.work(1, WorkOpcode::send, 0), std::string(send_0) + ", SEND 1 SUCCESS");
      t.post(t.work(2, WorkOpcode::rdma_write, 0), "c140 00000055 0000000000007000, RDMA_WRITE 2 SUCCESS");
      t.take(segment, terminate_text(control, segment.octets()) + ", event QP_REQ_ERR, ERR, TERMINATED, shut down");
    };
    for (const std::uint8_t version : std::array<std::uint8_t, 3>{0, 2, 3}) {
      refused(Seg(RDMA_WRITE).to(all_stag, at_all).data(4).ddp_version(version), "1104c000");
      refused(Seg(SEND, 2).ddp_version(version), "1206c000");
      refused(Seg(RDMA_WRITE).to(all_stag, at_all).data(4).rdmap_version(version), "0205c000");
      refused(Seg(SEND, 2).rdmap_version(version), "0205c000");
    }
  }
}

// The other direction goes on for as long as its sender likes.
//= MPA-5044-7.2-01, MPA-5044-7.2-02 test
RDMAWIRE_SCENARIO(each_direction_ends_when_its_sender_closes_it) {
  Connection first(script, {});
  first.receives(1, 2);
  first.qp.close(first.now);
  first.poll("CLOSING, shut down");
  first.take(Seg(RDMA_WRITE).to(all_stag, at_all + 0x100).data(4), "");
  first.memory(0x100, 4, "01020304");
  first.take(Seg(SEND, 1).data(2), "RECV 1 SUCCESS 2");
  first.post(first.work(1, WorkOpcode::send, 0), "refused: not in this state");
  first.qp.on_peer_closed(first.now);
  first.poll("RECV 2 WR_FLUSH_ERR, event PEER_CLOSED, ERR, ENDED, close");

  // A FIN between FPDUs is no error: the consumer is told, and has its own direction to itself.
  Connection second(script, {});
  second.receives(1, 1);
  second.qp.on_peer_closed(second.now);
  second.poll("event PEER_CLOSED");
  second.post(second.work(1, WorkOpcode::send, 0), std::string(send_0) + ", SEND 1 SUCCESS");
  second.post(second.work(2, WorkOpcode::rdma_write, 0), "c140 00000055 0000000000007000, RDMA_WRITE 2 SUCCESS");
  second.qp.close(second.now);
  second.poll("RECV 1 WR_FLUSH_ERR, ERR, ENDED, close");
}

// 140 octets are the least that a receiver must have room for (a ULPDU of 128 with a Marker), 1500 and 9000 what local
// links carry, 64776 the most that DDP makes.
//= MPA-5044-A.5.2-01 test
RDMAWIRE_SCENARIO(fpdus_as_large_as_a_link_carries_are_put_together) {
  struct Row {
    std::uint32_t len;
    std::uint32_t ulpdu_len;
    bool marker;
    const char* last;
  };
  for (const Row& row : {Row{140, 128, true, "72"}, Row{1500, 1494, false, "c8"}, Row{9000, 8994, false, "14"},
                         Row{64776, 64768, false, "f2"}}) {
    for (const std::size_t piece : {1U, 7U, 1448U}) {
      Connection t(script, ConnectionSetup().markers(false, row.marker));
      const SegmentOctets fpdu = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(row.ulpdu_len - 14));
      t.note(std::to_string(fpdu.size()), std::to_string(row.len));
      for (std::size_t at = 0; at < fpdu.size(); at += piece) {
        const auto from = fpdu.begin() + static_cast<std::ptrdiff_t>(at);
        t.give(SegmentOctets(from, from + static_cast<std::ptrdiff_t>(std::min(piece, fpdu.size() - at))));
      }
      t.poll("");
      t.note(std::to_string(t.qp.stream().counters().num_segments), "1");
      t.memory(0, 4, "01020304");
      t.memory(row.ulpdu_len - 15, 1, row.last);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
