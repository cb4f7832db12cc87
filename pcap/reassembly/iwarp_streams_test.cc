// What loss, disorder and limits cost, case by case.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "pcap/reassembly/test_talk.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::reassembly;
using namespace rdmawire::reassembly::test;

}  // namespace

BOOST_AUTO_TEST_SUITE(iwarp_streams)

BOOST_AUTO_TEST_CASE(segments_out_of_order_keep_their_frames) {
  Opened open;
  const Octets one = open.client.send(payload(100));
  const Octets two = open.client.send(payload(100));
  const Octets three = open.client.send(payload(100));
  open.talk.again(false, -124, two);    // 6
  open.talk.again(false, -248, three);  // 7
  BOOST_TEST((open.streams.sink.kept == std::set<std::uint64_t>{6, 7}));
  open.talk.client(one);  // 8
  check(open.streams, {"fpdu 30+124 @8-8 i", "fpdu 154+124 @6-6 i", "fpdu 278+124 @7-7 i"});
  BOOST_TEST(open.streams.sink.kept.empty());
}

BOOST_AUTO_TEST_CASE(fpdus_across_segments_know_their_first_and_last_frame) {
  Opened open;
  Octets all;
  for (int i = 0; i < 3; ++i) {
    const Octets fpdu = open.client.send(payload(1000));
    all.insert(all.end(), fpdu.begin(), fpdu.end());
  }
  for (std::size_t at = 0; at < all.size(); at += 500) {
    open.talk.client({all.begin() + static_cast<std::ptrdiff_t>(at),
                      all.begin() + static_cast<std::ptrdiff_t>(std::min(at + 500, all.size()))});
  }
  check(open.streams, {"fpdu 30+1024 @6-8 i", "fpdu 1054+1024 @8-10 i", "fpdu 2078+1024 @10-12 i"});
  BOOST_TEST(open.streams.sink.kept.empty());
  // A frame is kept as long as octets of it wait: of an FPDU of three frames, two.
  BOOST_TEST(open.streams.sink.most_kept == 2U);
}

// A tap with several queues writes frames out of order: the acknowledgment before what it acknowledges.
BOOST_AUTO_TEST_CASE(acknowledged_octets_are_waited_for_a_little) {
  Opened open;
  const Octets one = open.client.send(payload(100));
  open.talk.lose = true;
  open.talk.client(one);  // 6
  open.talk.lose = false;
  open.talk.client(open.client.send(payload(100)));  // 7
  open.talk.server({});                              // 8: acknowledges both
  open.talk.others(62);                              // to 70
  check(open.streams, {});
  open.talk.again(false, 248, one);  // 71
  check(open.streams, {"fpdu 30+124 @71-71 i", "fpdu 154+124 @7-7 i"});
  open.streams.finish();
  BOOST_TEST(open.streams.streams.counts().missing_len == 0U);
}

BOOST_AUTO_TEST_CASE(acknowledged_octets_that_do_not_come_are_lost_by_the_capture) {
  Opened open;
  open.talk.lose = true;
  open.talk.client(open.client.send(payload(100)));  // 6
  open.talk.lose = false;
  for (int i = 0; i < 10; ++i) open.talk.client(open.client.send(payload(100)));  // 7 to 16
  open.talk.server({});                                                           // 17
  open.talk.others(63);                                                           // to 80
  check(open.streams, {});
  open.talk.others(1);
  BOOST_REQUIRE(open.streams.sink.fpdus().size() == 10);
  BOOST_TEST(shown(open.streams)[0] == "fpdu 154+124 @7-7 i missing 124");
  BOOST_TEST(shown(open.streams)[9] == "fpdu 1270+124 @16-16 i");
  BOOST_TEST(open.streams.sink.pdus[0].lost_before.num_fpdus == 1U);
  BOOST_TEST(open.streams.sink.kept.empty());
  BOOST_TEST(open.streams.streams.counts().missing_len == 124U);
}

BOOST_AUTO_TEST_CASE(unacknowledged_octets_are_waited_for_until_the_end) {
  Opened open;
  const Octets one = open.client.send(payload(100));
  open.talk.lose = true;
  open.talk.client(one);
  open.talk.lose = false;
  for (int i = 0; i < 10; ++i) open.talk.client(open.client.send(payload(100)));
  open.talk.others(500);
  check(open.streams, {});
  open.streams.finish();
  BOOST_TEST(open.streams.sink.fpdus().size() == 10U);
}

// An FPDU of which only the first octets were captured is shown with those.
BOOST_AUTO_TEST_CASE(a_hole_in_an_fpdu_leaves_its_header) {
  Opened open;
  const Octets big = open.client.send(payload(3000));
  open.talk.client({big.begin(), big.begin() + 1000});  // 6
  open.talk.lose = true;
  open.talk.client({big.begin() + 1000, big.begin() + 2000});
  open.talk.lose = false;
  open.talk.client({big.begin() + 2000, big.end()});  // 8
  open.talk.client(open.client.send(payload(8)));     // 9
  open.talk.server({});                               // 10
  open.talk.others(64);
  check(open.streams, {"fpdu 30+3024 @6-8 i cut", "fpdu 3054+32 @9-9 i"});
  BOOST_TEST(open.streams.sink.pdus[0].octets.size() == 1000U);
  BOOST_TEST(open.streams.sink.pdus[0].name == "SEND");
}

BOOST_AUTO_TEST_CASE(cut_frames_show_the_headers_of_their_fpdus) {
  TestStreams streams;
  Talk talk(streams);
  talk.snap_len = 96;  // 30 octets of the segment
  FpduWriter client(false, true);
  talk.open();
  talk.client(request(0x40, 100));
  talk.server(reply(0x40, 200));
  for (int i = 0; i < 3; ++i) talk.client(client.send(payload(1000)));
  check(streams, {"Req 0+120 @4-4 i cut", "Rep 0+220 @5-5 r cut", "fpdu 120+1024 @6-6 i cut",
                  "fpdu 1144+1024 @7-7 i cut", "fpdu 2168+1024 @8-8 i cut"});
  for (const SeenPdu* fpdu : streams.sink.fpdus()) BOOST_TEST((fpdu->crc == CrcStatus::unchecked));
  streams.finish();
  BOOST_TEST(streams.sink.losses.empty());
}

BOOST_AUTO_TEST_CASE(fragments_are_counted_and_leave_a_hole) {
  Opened open;
  open.talk.form.more_fragments = true;
  open.talk.client(open.client.send(payload(100)));  // 6
  open.talk.form.more_fragments = false;
  for (int i = 0; i < 10; ++i) open.talk.client(open.client.send(payload(100)));  // 7 to 16
  open.streams.finish();
  BOOST_TEST(open.streams.streams.counts().num_fragments == 1U);
  BOOST_TEST(open.streams.streams.counts().num_segments == 15U);
  BOOST_REQUIRE(open.streams.sink.fpdus().size() == 10U);
  BOOST_TEST(shown(open.streams)[0] == "fpdu 154+124 @7-7 i missing 124");
}

// A segment of 100 kB, whose length IPv4 cannot say: it is left to the adapter.
BOOST_AUTO_TEST_CASE(segments_that_the_adapter_will_cut) {
  Opened open;
  open.talk.snap_len = 1 << 20;
  open.talk.form.offloaded = true;
  Octets all;
  for (int i = 0; i < 100; ++i) {
    const Octets fpdu = open.client.send(payload(1000));
    all.insert(all.end(), fpdu.begin(), fpdu.end());
  }
  open.talk.client(all);
  BOOST_TEST(open.streams.sink.fpdus().size() == 100U);
  for (const SeenPdu* fpdu : open.streams.sink.fpdus()) BOOST_TEST((fpdu->crc == CrcStatus::good));
}

BOOST_AUTO_TEST_CASE(the_same_ports_again_are_another_conversation) {
  Opened open;
  open.talk.client(open.client.send(payload(4)));
  // The SYN again is not.
  open.talk.again(false, 0, {});
  Talk again(open.streams, 77'000, 88'000);
  FpduWriter client(false, true);
  again.open();                           // 8 to 10
  again.client(request(0x40));            // 11
  again.server(reply(0x40));              // 12
  again.client(client.send(payload(8)));  // 13
  open.streams.finish();
  check(open.streams, {"fpdu 30+28 @6-6 i", "Req 0+20 @11-11 i", "Rep 0+20 @12-12 r", "fpdu 20+32 @13-13 i"});
  BOOST_TEST(open.streams.sink.pdus[0].conversation == 0U);
  BOOST_TEST(open.streams.sink.pdus[1].conversation == 1U);
  BOOST_TEST(open.streams.streams.counts().num_conversations == 2U);
}

BOOST_AUTO_TEST_CASE(a_syn_sent_again_changes_nothing) {
  TestStreams streams;
  Talk talk(streams);
  talk.syn(false);
  talk.end(false).next = 1000;
  talk.syn(false);
  talk.syn(true);
  talk.client(request(0x40));
  talk.end(true).next -= 1;
  talk.syn(true);
  talk.server(reply(0x40));
  talk.client(FpduWriter(false, true).send({}));
  streams.finish();
  BOOST_TEST(streams.sink.pdus.size() == 3U);
  BOOST_TEST(streams.streams.counts().num_conversations == 1U);
}

// Only the answer to the SYN was captured: it says where the other direction begins.
BOOST_AUTO_TEST_CASE(a_syn_that_was_not_captured_is_known_by_its_answer) {
  TestStreams streams;
  Talk talk(streams);
  talk.lose = true;
  talk.syn(false);
  talk.lose = false;
  talk.syn(true);
  talk.lose = true;
  talk.client(request(0x40));
  talk.lose = false;
  talk.server(reply(0x40));
  talk.again(false, 20, request(0x40));
  streams.finish();
  check(streams, {"Rep 0+20 @4-4 r", "Req 0+20 @5-5 i"});
}

BOOST_AUTO_TEST_CASE(an_rst_ends_the_connection_unless_it_goes_on) {
  Opened open;
  const Octets fpdu = open.client.send(payload(100));
  open.talk.client({fpdu.begin(), fpdu.begin() + 60});
  open.talk.reset(true);
  open.talk.others(63);
  BOOST_TEST(open.streams.sink.losses.empty());
  open.talk.others(1);
  BOOST_REQUIRE(open.streams.sink.losses.size() == 1);
  BOOST_TEST(open.streams.sink.losses[0].from_initiator);
  BOOST_TEST(open.streams.sink.losses[0].loss.skipped_len == 60U);
  Opened on;
  on.talk.reset(true);
  on.talk.client(on.client.send(payload(100)));
  on.talk.others(100);
  on.talk.client(on.client.send(payload(100)));
  BOOST_TEST(on.streams.sink.fpdus().size() == 2U);
}

BOOST_AUTO_TEST_CASE(an_fpdu_that_the_fin_cuts_is_lost) {
  Opened open;
  const Octets fpdu = open.client.send(payload(100));
  open.talk.say(false, {fpdu.begin(), fpdu.begin() + 60}, true);
  BOOST_REQUIRE(open.streams.sink.losses.size() == 1);
  BOOST_TEST(open.streams.sink.losses[0].loss.skipped_len == 60U);
  BOOST_TEST(open.streams.sink.losses[0].loss.num_fpdus == 1U);
  // The other direction goes on.
  open.talk.server(open.server.send(payload(100)));
  open.talk.say(true, {}, true);
  BOOST_TEST(open.streams.sink.fpdus().size() == 1U);
  BOOST_TEST(open.talk.known());
  BOOST_TEST(open.streams.sink.losses.size() == 1U);
  open.streams.finish();
  BOOST_TEST(open.streams.sink.losses.size() == 1U);
}

BOOST_AUTO_TEST_CASE(of_too_many_conversations_the_one_silent_for_longest_is_forgotten) {
  StreamOptions options;
  options.max_conversations = 2;
  TestStreams streams(options);
  std::vector<Talk> talks;
  for (std::uint16_t i = 0; i < 3; ++i) {
    talks.emplace_back(streams);
    talks.back().form.client_port = static_cast<std::uint16_t>(50'000 + i);
  }
  FpduWriter client(false, true);
  const Octets fpdu = client.send(payload(100));
  const auto start = [&](Talk& talk) {
    talk.open();
    talk.client(request(0x40));
    talk.server(reply(0x40));
    talk.client({fpdu.begin(), fpdu.begin() + 60});
  };
  start(talks[0]);
  start(talks[1]);
  talks[0].client({fpdu.begin() + 60, fpdu.end()});
  BOOST_TEST(streams.sink.losses.empty());
  start(talks[2]);
  BOOST_REQUIRE(streams.sink.losses.size() == 1);
  BOOST_TEST(streams.sink.losses[0].conversation == 1U);
  BOOST_TEST(streams.sink.losses[0].loss.skipped_len == 60U);
  BOOST_TEST(streams.streams.counts().num_forgotten == 1U);
}

BOOST_AUTO_TEST_CASE(held_octets_are_bounded_for_each_direction_and_in_all) {
  StreamOptions options;
  options.max_held_len = 20'000;
  Opened open(0x40, 0x40, options);
  open.talk.lose = true;
  open.talk.client(open.client.send(payload(100)));
  open.talk.lose = false;
  open.talk.ack = false;
  for (int i = 0; i < 18; ++i) open.talk.client(open.client.send(payload(1000)));  // 1024 and 64 each
  BOOST_TEST(open.streams.sink.fpdus().empty());
  open.talk.client(open.client.send(payload(1000)));
  BOOST_TEST(open.streams.sink.fpdus().size() == 19U);

  options.max_held_len = 1 << 20;
  options.max_total_held_len = 20'000;
  Opened all(0x40, 0x40, options);
  all.talk.lose = true;
  all.talk.client(all.client.send(payload(100)));
  all.talk.lose = false;
  for (int i = 0; i < 18; ++i) all.talk.client(all.client.send(payload(1000)));
  BOOST_TEST(all.streams.sink.fpdus().empty());
  all.talk.client(all.client.send(payload(1000)));
  BOOST_TEST(all.streams.sink.fpdus().size() == 19U);
}

BOOST_AUTO_TEST_SUITE_END()
