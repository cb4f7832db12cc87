// How conversations are recognised as iWARP, case by case.
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

BOOST_AUTO_TEST_SUITE(recognition)

BOOST_AUTO_TEST_CASE(start_up_frames_in_pieces_with_fpdus_behind_them) {
  for (const bool ipv6 : {false, true}) {
    TestStreams streams;
    Talk talk(streams);
    talk.form.ipv6 = ipv6;
    FpduWriter client(false, true);
    FpduWriter server(false, true);
    talk.open();
    const Octets first = request(0x40, 3);
    for (std::size_t i = 0; i < 22; ++i) talk.client({first[i]});  // frames 4 to 25
    BOOST_TEST(streams.sink.pdus.empty());
    BOOST_TEST(!talk.known());
    // Its last octet comes with an FPDU and a half, which wait for the Reply.
    const Octets one = client.send(payload(4));
    const Octets two = client.send(payload(5));
    talk.client(joined({{first[22]}, one, {two.begin(), two.begin() + 10}}));  // 26
    BOOST_TEST(talk.known());
    check(streams, {"Req 0+23 @4-26 i"});
    talk.client({two.begin() + 10, two.end()});  // 27
    check(streams, {"Req 0+23 @4-26 i"});
    const Octets answer = reply(0, 512);
    talk.server({answer.begin(), answer.begin() + 1});                           // 28
    talk.server(joined({{answer.begin() + 1, answer.end()}, server.send({})}));  // 29
    check(streams, {"Req 0+23 @4-26 i", "Rep 0+532 @28-29 r", "fpdu 532+24 @29-29 r", "fpdu 23+28 @26-26 i",
                    "fpdu 51+32 @26-27 i"});
    for (const SeenPdu* fpdu : streams.sink.fpdus()) {
      BOOST_TEST((fpdu->crc == CrcStatus::good));
      BOOST_TEST((fpdu->recognition == Recognition::startup));
      BOOST_TEST(fpdu->name == "SEND");
    }
    streams.finish();
    BOOST_TEST(streams.sink.losses.empty());
  }
}

// RFC 5044, 7.1.1: each end says whether it wants Markers in what it receives; the CRC is used if either wants it.
BOOST_AUTO_TEST_CASE(each_direction_is_framed_as_the_other_end_asked) {
  for (const std::uint8_t req : std::array<std::uint8_t, 4>{0x00, 0x40, 0x80, 0xC0}) {
    for (const std::uint8_t rep : std::array<std::uint8_t, 4>{0x00, 0x40, 0x80, 0xC0}) {
      Opened open(req, rep);
      open.talk.client(open.client.send(payload(1000)));
      open.talk.server(open.server.send(payload(1000)));
      const auto fpdus = open.streams.sink.fpdus();
      BOOST_REQUIRE(fpdus.size() == 2);
      // 1024 octets, Markers at 0, 512 and 1024.
      BOOST_TEST(fpdus[0]->num_markers == ((rep & 0x80) != 0 ? 3 : 0));
      BOOST_TEST(fpdus[1]->num_markers == ((req & 0x80) != 0 ? 3 : 0));
      const auto crc = ((req | rep) & 0x40) != 0 ? CrcStatus::good : CrcStatus::disabled;
      BOOST_TEST((fpdus[0]->crc == crc && fpdus[1]->crc == crc));
      open.streams.finish();
    }
  }
}

BOOST_AUTO_TEST_CASE(what_begins_otherwise_is_dropped_at_once) {
  TestStreams streams;
  Talk talk(streams);
  talk.open();
  talk.client(text("MPA ID Re"));
  talk.client(text("x"));
  BOOST_TEST(streams.sink.kept.empty());
  // Even if all that follows is iWARP.
  talk.client(request());
  talk.server(reply());
  FpduWriter client(false, true);
  for (int i = 0; i < 50; ++i) talk.client(client.send(payload(100)));
  BOOST_TEST(!talk.known());
  streams.finish();
  BOOST_TEST(streams.sink.pdus.empty());
  BOOST_TEST(streams.sink.losses.empty());
}

BOOST_AUTO_TEST_CASE(a_rejected_connection_ends) {
  TestStreams streams;
  Talk talk(streams);
  talk.open();
  talk.client(request());
  talk.server(reply(0x20));
  talk.client(request());
  talk.server(reply());
  FpduWriter client(false, true);
  talk.client(client.send({}));
  BOOST_TEST(talk.known());
  streams.finish();
  check(streams, {"Req 0+20 @4-4 i", "Rep 0+20 @5-5 r"});
  BOOST_TEST(streams.sink.losses.empty());
}

BOOST_AUTO_TEST_CASE(start_up_frames_of_which_nothing_can_come_end_it) {
  TestStreams streams;
  Talk talk(streams);
  talk.open();
  talk.client(startup_frame(false, 0, 0, 3));
  talk.server(reply());
  streams.finish();
  check(streams, {"Req 0+20 @4-4 i"});
  BOOST_TEST((streams.sink.pdus[0].error.code == ErrorCode::bad_version));
  TestStreams both;
  Talk two(both);
  two.open();
  two.client(request());
  two.server(request());
  two.client(FpduWriter(false, true).send({}));
  both.finish();
  check(both, {"Req 0+20 @4-4 i", "Req 0+20 @5-5 i"});
}

// The initiator is who sends the Request, not who opens the connection.
BOOST_AUTO_TEST_CASE(either_end_may_be_the_initiator) {
  TestStreams streams;
  Talk talk(streams);
  talk.open();
  talk.server(request(0x40));
  talk.client(reply(0x40));
  talk.client(FpduWriter(false, true).send({}));
  talk.server(FpduWriter(false, true).send({}));
  streams.finish();
  check(streams, {"Req 0+20 @4-4 i", "Rep 0+20 @5-5 r", "fpdu 20+24 @6-6 r", "fpdu 20+24 @7-7 i"});
}

BOOST_AUTO_TEST_CASE(a_reply_captured_late_still_counts) {
  TestStreams streams;
  Talk talk(streams);
  FpduWriter client(true, true);
  talk.open();
  talk.client(request(0x40));
  talk.lose = true;
  talk.server(reply(0x80));
  talk.lose = false;
  talk.client(client.send(payload(100)));  // 6
  talk.client(client.send(payload(100)));  // 7
  check(streams, {"Req 0+20 @4-4 i"});
  BOOST_TEST(streams.sink.kept.size() == 2U);
  talk.again(true, 20, reply(0x80));  // 8
  check(streams, {"Req 0+20 @4-4 i", "Rep 0+20 @8-8 r", "fpdu 20+128 @6-6 i", "fpdu 148+124 @7-7 i"});
  BOOST_TEST(streams.sink.pdus[2].num_markers == 1);
  streams.finish();
}

// What the Request says is known, what the Reply would have said the first FPDU shows.
BOOST_AUTO_TEST_CASE(without_the_reply_the_fpdus_are_found_all_the_same) {
  for (const bool markers : {false, true}) {
    for (const bool acknowledged : {false, true}) {
      TestStreams streams;
      Talk talk(streams);
      FpduWriter client(markers, true);
      FpduWriter server(false, true);
      talk.open();
      talk.client(request(0x40));
      talk.lose = true;
      talk.server(reply());
      talk.lose = false;
      talk.ack = acknowledged;
      for (int i = 0; i < 10; ++i) talk.client(client.send(payload(100)));  // 6 to 15
      for (int i = 0; i < 10; ++i) talk.server(server.send(payload(100)));  // 16 to 25
      BOOST_TEST(streams.sink.fpdus().empty());
      if (acknowledged) {
        talk.others(70);
        BOOST_TEST(streams.sink.fpdus().size() == 20U);
      }
      streams.finish();
      const auto fpdus = streams.sink.fpdus();
      BOOST_REQUIRE(fpdus.size() == 20);
      std::uint64_t num_client = 0;
      for (const SeenPdu* fpdu : fpdus) {
        BOOST_TEST((fpdu->crc == CrcStatus::good));
        BOOST_TEST((fpdu->recognition == Recognition::startup));
        if (fpdu->from_initiator) BOOST_TEST(fpdu->last_frame == 6 + num_client++);
      }
      BOOST_TEST(num_client == 10U);
      BOOST_TEST(streams.sink.losses.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(without_the_request_the_fpdus_are_found_all_the_same) {
  TestStreams streams;
  Talk talk(streams);
  FpduWriter client(true, true);
  FpduWriter server(false, true);
  talk.open();
  talk.lose = true;
  talk.client(request(0x40));
  talk.lose = false;
  talk.server(reply(0x80));
  for (int i = 0; i < 10; ++i) talk.client(client.send(payload(100)));
  for (int i = 0; i < 10; ++i) talk.server(server.send(payload(100)));
  talk.others(70);
  BOOST_TEST(streams.sink.fpdus().size() == 20U);
  for (const SeenPdu* fpdu : streams.sink.fpdus()) BOOST_TEST((fpdu->recognition == Recognition::startup));
  BOOST_TEST(streams.sink.fpdus()[0]->from_initiator != streams.sink.fpdus()[19]->from_initiator);
  streams.finish();
}

BOOST_AUTO_TEST_CASE(one_direction_alone) {
  TestStreams streams;
  Talk talk(streams);
  FpduWriter client(false, true);
  talk.open();
  talk.client(request(0x40));
  talk.lose = true;
  talk.server(reply(0x40));
  talk.lose = false;
  for (int i = 0; i < 100; ++i) talk.client(client.send(payload(100)));
  BOOST_TEST(streams.sink.fpdus().size() == 100U);
  streams.finish();
  // The Reply, which the client acknowledged, is missed.
  BOOST_REQUIRE(streams.sink.losses.size() == 1);
  BOOST_TEST(!streams.sink.losses[0].from_initiator);
  BOOST_TEST(streams.sink.losses[0].loss.missing_len == 20U);
}

// The capture begins when all of the start-up is over.
BOOST_AUTO_TEST_CASE(mid_stream_conversations_are_found_by_their_fpdus) {
  for (const bool markers : {false, true}) {
    for (const bool crc : {false, true}) {
      TestStreams streams;
      Talk talk(streams);
      FpduWriter client(markers, crc);
      FpduWriter server(markers, crc);
      for (int i = 0; i < 3; ++i) {
        client.send(payload(700));
        server.send(payload(700));
      }
      for (int i = 0; i < 40; ++i) {
        talk.client(client.send(payload(300)));
        talk.server(server.send(payload(500)));
      }
      BOOST_TEST(talk.known());
      streams.finish();
      BOOST_TEST(streams.sink.fpdus().size() == 80U, "markers " << markers << " CRC " << crc);
      for (const SeenPdu* fpdu : streams.sink.fpdus()) {
        BOOST_TEST((fpdu->recognition == Recognition::mid_stream));
        // The end seen first counts as initiator.
        BOOST_TEST(fpdu->from_initiator == (fpdu->last_frame % 2 == 1));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(start_up_frames_count_without_a_syn) {
  TestStreams streams;
  Talk talk(streams);
  talk.client(request(0x40));
  talk.server(reply(0x40));
  talk.client(FpduWriter(false, true).send({}));
  check(streams, {"Req 0+20 @1-1 i", "Rep 0+20 @2-2 r", "fpdu 20+24 @3-3 i"});
}

BOOST_AUTO_TEST_CASE(the_search_is_given_up_unless_the_user_names_the_port) {
  for (const bool told : {false, true}) {
    StreamOptions options;
    if (told) options.iwarp_ports[3] = 5000;
    TestStreams streams(options);
    Talk talk(streams);
    const Octets junk(1400, 0x55);
    for (std::uint64_t len = 0; len <= IwarpStreams::search_len; len += junk.size()) talk.client(junk);
    BOOST_TEST(talk.known() == told);
    FpduWriter client(false, true);
    for (int i = 0; i < 100; ++i) talk.client(client.send(payload(300)));
    streams.finish();
    BOOST_REQUIRE(streams.sink.fpdus().size() == (told ? 100U : 0U));
    if (told) BOOST_TEST((streams.sink.pdus[0].recognition == Recognition::told));
    BOOST_TEST(streams.sink.losses.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_named_port_honours_start_up_frames_and_searches_without) {
  StreamOptions options;
  options.iwarp_ports[0] = 5000;
  TestStreams streams(options);
  Talk talk(streams);
  talk.open();
  talk.client(request(0x40));
  talk.server(reply(0x40));
  talk.client(FpduWriter(false, true).send({}));
  streams.finish();
  check(streams, {"Req 0+20 @4-4 i", "Rep 0+20 @5-5 r", "fpdu 20+24 @6-6 i"});
  BOOST_TEST((streams.sink.pdus[2].recognition == Recognition::startup));
  TestStreams none(options);
  Talk bare(none);
  bare.open();
  bare.client(text("no key at all"));
  FpduWriter client(false, true);
  for (int i = 0; i < 100; ++i) bare.client(client.send(payload(300)));
  none.finish();
  BOOST_TEST(none.sink.fpdus().size() == 100U);
}

BOOST_AUTO_TEST_SUITE_END()
