#include "dissector/streams.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "dissector/recorder.h"
#include "dissector/show.h"
#include "pcap/reassembly/test_talk.h"

namespace rdmawire::dissector {
namespace {

using reassembly::test::Octets;
using Values = std::vector<std::string>;

FieldTable::BuiltIn nothing(const char*) { return FieldTable::BuiltIn::nothing; }

const FieldTable& fields() {
  static const FieldTable table(nothing);
  return table;
}

// A connection whose frames are kept, as Wireshark keeps them.
class Capture {
 public:
  explicit Capture(std::size_t kept_len = Streams::max_kept_len, std::size_t num_pdus = Streams::max_num_pdus)
      : streams({}, kept_len, num_pdus) {
    reassembly::test::TestSegment syn;
    syn.syn = true;
    syn.ack = false;
    syn.sequence = 999;
    add(syn);
    syn.from_server = true;
    syn.ack = true;
    syn.sequence = 4999;
    syn.acknowledgment = 1000;
    add(syn);
    say(false, reassembly::test::request(0x40));
    say(true, reassembly::test::reply(0x40));
  }

  // The frame's number.
  std::uint32_t say(bool server, const Octets& octets) {
    add(segment(server, next_[server ? 1 : 0], octets));
    next_[server ? 1 : 0] += static_cast<std::uint32_t>(octets.size());
    return number();
  }
  // Octets that come only after `later` others.
  std::uint32_t say_late(bool server, std::uint32_t sequence, const Octets& octets) {
    add(segment(server, sequence, octets));
    return number();
  }
  std::uint32_t next(bool server) const { return next_[server ? 1 : 0]; }
  void skip(bool server, const Octets& octets) { next_[server ? 1 : 0] += static_cast<std::uint32_t>(octets.size()); }
  std::uint32_t number() const { return static_cast<std::uint32_t>(frames_.size()); }

  Frame frame(std::uint32_t number) const {
    return parse_frame(LinkType::ethernet, frames_[number - 1], static_cast<std::uint32_t>(frames_[number - 1].size()));
  }
  std::span<const KeptPdu> pdus(std::uint32_t number) { return streams.pdus(frame(number), number); }
  Recorder shown(std::uint32_t number, const BuiltIn& built_in = {}, bool all = true) {
    Recorder recorder(fields());
    ReadPdu read;
    show_pdus(recorder, fields(), frame(number), pdus(number), streams.is_held(number), read, built_in, all);
    return recorder;
  }

  Streams streams;

 private:
  static reassembly::test::TestSegment segment(bool server, std::uint32_t sequence, const Octets& octets) {
    reassembly::test::TestSegment out;
    out.from_server = server;
    out.sequence = sequence;
    out.ack = false;
    out.octets = octets;
    return out;
  }
  void add(const reassembly::test::TestSegment& segment) {
    frames_.push_back(reassembly::test::build(segment));
    streams.pdus(frame(number()), number());
  }

  std::deque<Octets> frames_;
  std::array<std::uint32_t, 2> next_{1000, 5000};
};

std::string places(std::span<const KeptPdu> pdus) {
  std::string out;
  for (const KeptPdu& pdu : pdus) {
    if (!out.empty()) out += ' ';
    out += std::to_string(pdu.stream_offset) + "+" + std::to_string(pdu.wire_len) + "@" +
           std::to_string(pdu.first_frame) + "-" + std::to_string(pdu.last_frame);
  }
  return out;
}

BOOST_AUTO_TEST_SUITE(streams)

BOOST_AUTO_TEST_CASE(a_start_up_and_fpdus_are_shown_in_the_frames_that_complete_them) {
  Capture capture;
  reassembly::test::FpduWriter client(false, true);
  const Octets first = client.send(reassembly::test::payload(100));
  const Octets second = client.send(reassembly::test::payload(8));
  const std::uint32_t both = capture.say(false, reassembly::test::joined({first, second}));
  BOOST_TEST(places(capture.pdus(3)) == "0+20@3-3");
  BOOST_TEST(places(capture.pdus(both)) == "20+124@5-5 144+32@5-5");
  BOOST_TEST(capture.streams.is_iwarp(both));
  BOOST_TEST(capture.pdus(both)[0].lies_in_frame());
}

BOOST_AUTO_TEST_CASE(an_fpdu_over_several_frames_is_shown_in_the_last_with_all_its_octets) {
  Capture capture;
  reassembly::test::FpduWriter client(false, true);
  const Octets fpdu = client.send(reassembly::test::payload(1000));
  const Octets begin(fpdu.begin(), fpdu.begin() + 7);
  const Octets end(fpdu.begin() + 7, fpdu.end());
  const std::uint32_t first = capture.say(false, begin);
  const std::uint32_t last = capture.say(false, end);
  BOOST_TEST(capture.pdus(first).empty());
  BOOST_REQUIRE(capture.pdus(last).size() == 1U);
  const KeptPdu& kept = capture.pdus(last)[0];
  BOOST_TEST(!kept.lies_in_frame());
  BOOST_TEST(kept.octets == Bytes(fpdu), boost::test_tools::per_element());
  const Recorder tree = capture.shown(last);
  BOOST_TEST(tree.values("rdma.first_frame") == Values{"5"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.mpa.crc.status") == Values{"1"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("iwarp_ddp.msn") == Values{"1"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.payload_len") == Values{"1000"}, boost::test_tools::per_element());
  for (const Recorded& item : tree.items) BOOST_TEST((item.range == Range()), item.name);
}

BOOST_AUTO_TEST_CASE(what_waited_for_a_hole_is_shown_in_the_frame_that_fills_it) {
  Capture capture;
  reassembly::test::FpduWriter client(false, true);
  const Octets one = client.send(reassembly::test::payload(10));
  const Octets two = client.send(reassembly::test::payload(20));
  const std::uint32_t at = capture.next(false);
  capture.skip(false, one);
  const std::uint32_t early = capture.say(false, two);
  const std::uint32_t late = capture.say_late(false, at, one);
  BOOST_TEST(capture.pdus(early).empty());
  BOOST_TEST(places(capture.pdus(late)) == "20+36@6-6 56+44@5-5");
  const Recorder tree = capture.shown(late);
  BOOST_TEST(tree.values("rdma.last_frame") == (Values{"6", "5"}), boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.stream.missing_len").empty());
}

BOOST_AUTO_TEST_CASE(a_frame_whose_octets_wait_says_so_also_later) {
  Capture capture;
  reassembly::test::FpduWriter client(false, true);
  const Octets one = client.send(reassembly::test::payload(10));
  const std::uint32_t at = capture.next(false);
  capture.skip(false, one);
  const std::uint32_t early = capture.say(false, client.send(reassembly::test::payload(20)));
  BOOST_TEST(capture.streams.is_held(early));
  const std::uint32_t late = capture.say_late(false, at, one);
  BOOST_TEST(capture.streams.is_held(early));
  BOOST_TEST(!capture.streams.is_held(late));
  BOOST_TEST(capture.shown(early).values("rdma.stream.held").size() == 1U);
  BOOST_TEST(capture.shown(late).values("rdma.stream.held").empty());
}

BOOST_AUTO_TEST_CASE(the_first_part_of_an_fpdu_waits_for_the_rest) {
  Capture capture;
  reassembly::test::FpduWriter client(false, true);
  const Octets fpdu = client.send(reassembly::test::payload(1000));
  const std::uint32_t first = capture.say(false, Octets(fpdu.begin(), fpdu.begin() + 500));
  const std::uint32_t last = capture.say(false, Octets(fpdu.begin() + 500, fpdu.end()));
  BOOST_TEST(capture.streams.is_held(first));
  BOOST_TEST(!capture.streams.is_held(last));
}

BOOST_AUTO_TEST_CASE(a_frame_shows_the_same_whenever_it_is_looked_at) {
  Capture capture;
  reassembly::test::FpduWriter client(true, true);
  for (std::size_t i = 0; i < 30; ++i) capture.say(false, client.send(reassembly::test::payload(i * 61)));
  std::vector<std::string> before;
  for (std::uint32_t number = 1; number <= capture.number(); ++number) before.push_back(places(capture.pdus(number)));
  for (std::uint32_t number = capture.number(); number >= 1; --number) {
    BOOST_TEST(places(capture.pdus(number)) == before[number - 1]);
  }
}

BOOST_AUTO_TEST_CASE(memory_is_bounded_and_headers_are_kept_when_octets_are_not) {
  Capture capture(1000, 6);
  reassembly::test::FpduWriter client(false, true);
  std::vector<std::uint32_t> frames;
  for (int i = 0; i < 5; ++i) {
    const Octets fpdu = client.send(reassembly::test::payload(700));
    capture.say(false, Octets(fpdu.begin(), fpdu.begin() + 100));
    frames.push_back(capture.say(false, Octets(fpdu.begin() + 100, fpdu.end())));
  }
  BOOST_TEST(capture.pdus(frames[0])[0].octets.size() == 724U);
  BOOST_TEST(capture.pdus(frames[1])[0].octets.size() == 136U);
  const Recorder tree = capture.shown(frames[1]);
  BOOST_TEST(tree.values("iwarp_ddp.msn") == Values{"2"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.mpa.crc.status") == Values{"1"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.error").empty());
  // The two start-up frames count.
  BOOST_TEST(capture.streams.num_pdus() == 6U);
  BOOST_TEST(capture.pdus(frames[4]).empty());
}

BOOST_AUTO_TEST_CASE(what_the_built_in_dissector_showed_is_not_shown_twice) {
  Capture capture;
  reassembly::test::FpduWriter client(false, true);
  const std::uint32_t number = capture.say(false, client.send(reassembly::test::payload(100)));
  const BuiltIn showed{.num_mpa = 1, .num_fpdus = 1};
  const BuiltIn missed{.num_mpa = 1, .num_fpdus = 0};
  BOOST_TEST(built_in_reads(showed, capture.pdus(number)));
  BOOST_TEST(!built_in_reads(missed, capture.pdus(number)));
  // To a Wireshark that knows none of the names all of them are lacking.
  BOOST_TEST(capture.shown(number, showed, false).values("iwarp_ddp.msn").size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::dissector
