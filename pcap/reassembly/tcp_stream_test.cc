// One direction of TCP: what a capture can do to it, case by case.
#include "pcap/reassembly/tcp_stream.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace rdmawire;
using namespace rdmawire::reassembly;

// Writes what it is given as text: octets as letters, "<n>" for n octets skipped, "@f " where another frame begins.
struct Recorder : StreamConsumer {
  std::string text;
  std::string octets_only;
  std::uint64_t last_frame = 0;
  std::size_t take_at_most = 1U << 30;  // in all
  std::vector<std::uint64_t> held;      // frames, each as often as it was held

  std::size_t take(Bytes octets, std::uint64_t frame) override {
    const std::size_t taken = std::min(octets.size(), take_at_most);
    take_at_most -= taken;
    if (taken != 0 && frame != last_frame) text += "@" + std::to_string(frame) + " ";
    if (taken != 0) last_frame = frame;
    text.append(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(taken));
    octets_only.append(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(taken));
    return taken;
  }
  void skip(std::uint64_t len) override {
    text += "<" + std::to_string(len) + ">";
    octets_only.append(std::min<std::uint64_t>(len, 1000), '?');
  }
  void hold(std::uint64_t frame) override { held.push_back(frame); }
  void unhold(std::uint64_t frame) override {
    const auto at = std::find(held.begin(), held.end(), frame);
    BOOST_REQUIRE(at != held.end());
    held.erase(at);
  }
};

struct Stream {
  HeldLimits limits{.max_len = 1 << 20, .max_total_len = 1 << 28};
  TcpCounts counts;
  TcpStream tcp{limits, counts};
  Recorder out;
  std::uint64_t frame = 0;

  void add(std::uint32_t sequence, const std::string& octets, bool syn = false, bool fin = false,
           std::size_t wire_len = 0) {
    Segment segment;
    segment.frame = ++frame;
    segment.sequence = sequence;
    segment.octets = {reinterpret_cast<const std::uint8_t*>(octets.data()), octets.size()};
    segment.wire_len = static_cast<std::uint32_t>(std::max(wire_len, octets.size()));
    segment.syn = syn;
    segment.fin = fin;
    tcp.add(segment, out);
  }
  void syn(std::uint32_t sequence) { add(sequence, "", true); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tcp_stream)

BOOST_AUTO_TEST_CASE(in_order_octets_pass_with_their_frames) {
  Stream s;
  s.syn(100);
  s.add(101, "abc");
  s.add(104, "de");
  BOOST_TEST(s.out.text == "@2 abc@3 de");
  BOOST_TEST(s.tcp.start_known());
  BOOST_TEST(s.tcp.next_offset() == 5U);
  BOOST_TEST(s.tcp.held_len() == 0U);
}

BOOST_AUTO_TEST_CASE(in_order_octets_are_not_copied) {
  struct Pointer : Recorder {
    const std::uint8_t* data = nullptr;
    std::size_t take(Bytes octets, std::uint64_t frame) override {
      data = octets.data();
      return Recorder::take(octets, frame);
    }
  } out;
  Stream s;
  const std::vector<std::uint8_t> octets{'a', 'b', 'c'};
  s.tcp.add({.frame = 1, .sequence = 7, .octets = octets, .wire_len = 3}, out);
  BOOST_TEST(out.data == octets.data());
}

BOOST_AUTO_TEST_CASE(without_a_syn_it_starts_at_the_first_octet_seen) {
  Stream s;
  s.add(500, "");  // an acknowledgment says nothing of octets
  BOOST_TEST(!s.tcp.started());
  s.add(501, "abc");
  s.add(400, "old");
  BOOST_TEST(s.out.text == "@2 abc");
  BOOST_TEST(!s.tcp.start_known());
  BOOST_TEST(s.tcp.first_sequence() == 501U);
}

BOOST_AUTO_TEST_CASE(segments_out_of_order_wait_for_their_turn) {
  Stream s;
  s.syn(0);
  s.add(4, "def");  // frame 2
  s.add(10, "jk");  // frame 3
  s.add(7, "ghi");  // frame 4
  BOOST_TEST(s.out.text == "");
  BOOST_TEST(s.out.held == (std::vector<std::uint64_t>{2, 3, 4}), boost::test_tools::per_element());
  BOOST_TEST(s.tcp.held_len() == 8U + 3 * TcpStream::piece_overhead);
  BOOST_TEST(s.limits.total_len == s.tcp.held_len());
  s.add(1, "abc");  // frame 5
  BOOST_TEST(s.out.text == "@5 abc@2 def@4 ghi@3 jk");
  BOOST_TEST(s.out.held.empty());
  BOOST_TEST(s.limits.total_len == 0U);
}

BOOST_AUTO_TEST_CASE(octets_that_come_again_are_dropped) {
  Stream s;
  s.add(0, "abcd");
  s.add(0, "abcd");  // whole
  s.add(2, "cdef");  // with new ones at its end
  s.add(1, "b");
  BOOST_TEST(s.out.text == "@1 abcd@3 ef");
  BOOST_TEST(s.counts.retransmitted_len == 4U + 2 + 1);
}

BOOST_AUTO_TEST_CASE(the_first_copy_wins_and_the_difference_is_counted) {
  Stream s;
  s.syn(99);
  s.add(102, "cd");        // 2: held
  s.add(106, "gh");        // 3: held
  s.add(101, "bXdefGhi");  // 4: overlaps both, differs in two octets
  s.add(100, "aY");        // 5: b is there already, and Y is not b
  BOOST_TEST(s.out.text == "@5 a@4 b@2 cd@4 ef@3 gh@4 i");
  BOOST_TEST(s.counts.conflicting_len == 3U);
  BOOST_TEST(s.counts.retransmitted_len == 2U + 2 + 1);
  BOOST_TEST(s.out.held.empty());
}

BOOST_AUTO_TEST_CASE(in_order_octets_that_reach_into_held_ones) {
  Stream s;
  s.add(0, "a");
  s.add(3, "d");
  s.add(1, "bcde");
  BOOST_TEST(s.out.text == "@1 a@3 bc@2 d@3 e");
}

BOOST_AUTO_TEST_CASE(sequence_numbers_wrap_many_times) {
  struct Counter : StreamConsumer {
    std::uint64_t len = 0;
    std::uint64_t skipped_len = 0;
    std::size_t take(Bytes octets, std::uint64_t) override {
      len += octets.size();
      return octets.size();
    }
    void skip(std::uint64_t more) override { skipped_len += more; }
    void hold(std::uint64_t) override {}
    void unhold(std::uint64_t) override {}
  } out;
  Stream s;
  s.tcp.start(0xFFFF'FFF0);
  const std::vector<std::uint8_t> megabyte(1 << 20);
  const std::uint64_t num_segments = 5 * 4096 + 3;  // a little more than five times
  for (std::uint64_t i = 0; i < num_segments; ++i) {
    s.tcp.add({.frame = i,
               .sequence = 0xFFFF'FFF0 + static_cast<std::uint32_t>(i << 20),
               .octets = megabyte,
               .wire_len = 1 << 20},
              out);
  }
  BOOST_TEST(out.len == num_segments << 20);
  BOOST_TEST(out.skipped_len == 0U);
  BOOST_TEST(s.tcp.next_offset() == num_segments << 20);
  BOOST_TEST(s.counts.retransmitted_len == 0U);
  // Out of order over the wrap.
  Stream w;
  w.syn(0xFFFF'FFFC);
  w.add(1, "efg");
  w.add(0xFFFF'FFFD, "abcd");
  BOOST_TEST(w.out.text == "@3 abcd@2 efg");
}

BOOST_AUTO_TEST_CASE(a_gap_of_gigabytes_lies_ahead_not_behind) {
  Stream s;
  s.add(0, "ab");
  s.add(0xB000'0000, "yz");  // 2.75 GiB on
  s.tcp.give_up_all(s.out);
  BOOST_TEST(s.out.text == "@1 ab<2952790014>@2 yz");
}

// RFC 9293, 3.8.4: the octet before the next one, whose value says nothing.
BOOST_AUTO_TEST_CASE(keep_alives_are_not_data) {
  Stream s;
  s.add(10, "abc");
  s.add(12, "?");
  s.add(12, "");
  BOOST_TEST(s.out.text == "@1 abc");
  BOOST_TEST(s.counts.retransmitted_len == 0U);
  // The last octets were not captured: the keep-alive must not stand in for the last of them.
  s.add(16, "g");
  s.tcp.acknowledge(20);
  s.add(19, "?");
  s.tcp.give_up_all(s.out);
  BOOST_TEST(s.out.text == "@1 abc<3>@4 g<3>");
}

// RFC 9293, 3.8.6.1: one octet of new data into a closed window, again and again.
BOOST_AUTO_TEST_CASE(zero_window_probes_are_data_once) {
  Stream s;
  s.add(10, "abc");
  s.add(13, "d");
  s.add(13, "d");
  s.add(13, "d");
  s.add(13, "def");
  BOOST_TEST(s.out.text == "@1 abc@2 d@5 ef");
}

// RFC 7413.
BOOST_AUTO_TEST_CASE(data_with_the_syn) {
  Stream s;
  s.add(0xFFFF'FFFF, "abc", true);
  s.add(0, "abc");
  s.add(3, "d");
  BOOST_TEST(s.out.text == "@1 abc@3 d");
  BOOST_TEST(s.tcp.start_known());
  BOOST_TEST(s.tcp.first_sequence() == 0U);
}

BOOST_AUTO_TEST_CASE(the_fin_ends_the_direction_when_all_before_it_came) {
  Stream s;
  s.add(0, "ab");
  s.add(4, "ef", false, true);
  BOOST_TEST(!s.tcp.ended());
  s.add(2, "cd");
  BOOST_TEST(s.tcp.ended());
  s.add(6, "nothing comes after it");
  s.add(4, "efgh");
  s.tcp.acknowledge(7);  // the FIN has a sequence number of its own
  BOOST_TEST(!s.tcp.acknowledged_hole());
  BOOST_TEST(s.out.text == "@1 ab@3 cd@2 ef");
  Stream bare;
  bare.add(0, "ab");
  bare.add(2, "", false, true);
  BOOST_TEST(bare.tcp.ended());
  bare.tcp.give_up_all(bare.out);
  BOOST_TEST(bare.out.text == "@1 ab");
}

BOOST_AUTO_TEST_CASE(a_fin_that_came_before_the_last_octets_bounds_them) {
  Stream s;
  s.add(0, "ab");
  s.add(5, "", false, true);
  s.tcp.give_up_all(s.out);
  BOOST_TEST(s.out.text == "@1 ab<3>");
  BOOST_TEST(s.tcp.ended());
}

BOOST_AUTO_TEST_CASE(what_the_capture_cut_off_is_a_hole) {
  Stream s;
  s.add(0, "abc", false, false, 10);
  s.add(10, "klm", false, false, 10);
  s.add(20, "", false, false, 5);  // not one octet of it
  s.add(25, "z");
  BOOST_TEST(s.out.text == "@1 abc<7>@2 klm<7><5>@4 z");
  BOOST_TEST(s.counts.missing_len == 19U);
  // The same, held.
  Stream late;
  late.syn(0);
  late.add(11, "klm", false, false, 10);
  late.add(21, "z");
  late.add(1, "abc", false, false, 10);
  BOOST_TEST(late.out.text == "@4 abc<7>@2 klm<7>@3 z");
  BOOST_TEST(late.out.held.empty());
}

BOOST_AUTO_TEST_CASE(an_acknowledged_hole_is_given_up_when_told) {
  Stream s;
  s.add(0, "ab");
  s.add(6, "gh");
  s.add(10, "kl");
  BOOST_TEST(!s.tcp.acknowledged_hole());
  s.tcp.acknowledge(4);
  BOOST_TEST(s.tcp.acknowledged_hole());
  s.tcp.give_up_acknowledged(s.tcp.acknowledged_offset(), s.out);
  BOOST_TEST(s.out.text == "@1 ab<2>");  // two may still come
  s.tcp.acknowledge(8);
  s.tcp.give_up_acknowledged(4, s.out);  // not so far yet
  BOOST_TEST(s.out.text == "@1 ab<2>");
  s.tcp.give_up_acknowledged(s.tcp.acknowledged_offset(), s.out);
  BOOST_TEST(s.out.text == "@1 ab<2><2>@2 gh");
  s.add(8, "ij");
  BOOST_TEST(s.out.text == "@1 ab<2><2>@2 gh@4 ij@3 kl");
  s.tcp.acknowledge(15);  // and nothing came after kl
  s.tcp.give_up_acknowledged(s.tcp.acknowledged_offset(), s.out);
  BOOST_TEST(s.out.text == "@1 ab<2><2>@2 gh@4 ij@3 kl<3>");
  BOOST_TEST(s.counts.missing_len == 7U);
  s.tcp.acknowledge(3);  // an old one
  BOOST_TEST(!s.tcp.acknowledged_hole());
}

BOOST_AUTO_TEST_CASE(an_impossible_acknowledgment_is_not_believed) {
  Stream s;
  s.add(0, "ab");
  s.tcp.acknowledge(0x4000'0003);
  BOOST_TEST(!s.tcp.acknowledged_hole());
}

BOOST_AUTO_TEST_CASE(too_much_held_gives_up_the_first_hole_only) {
  Stream s;
  s.limits.max_len = 100 + 2 * TcpStream::piece_overhead;
  s.add(0, "a");
  s.add(2, std::string(50, 'b'));
  s.add(60, std::string(50, 'c'));
  BOOST_TEST(s.out.text == "@1 a");
  s.add(120, "d");
  BOOST_TEST(s.out.text == "@1 a<1>@2 " + std::string(50, 'b'));
  BOOST_TEST(s.tcp.held_len() == 51U + 2 * TcpStream::piece_overhead);
}

BOOST_AUTO_TEST_CASE(a_consumer_may_leave_octets_and_take_them_later) {
  Stream s;
  s.out.take_at_most = 2;
  s.add(0, "abcd", false, false, 6);
  BOOST_TEST(s.tcp.paused());
  s.add(6, "gh");
  s.add(2, "cdef");
  BOOST_TEST(s.out.text == "@1 ab");
  BOOST_TEST(s.out.held == (std::vector<std::uint64_t>{1, 1, 2}), boost::test_tools::per_element());
  s.out.take_at_most = 1;
  s.tcp.resume(s.out);
  BOOST_TEST(s.out.text == "@1 abc");
  BOOST_TEST(s.tcp.paused());
  s.out.take_at_most = 100;
  s.tcp.resume(s.out);
  BOOST_TEST(s.out.text == "@1 abcd<2>@2 gh");
  BOOST_TEST(s.out.held.empty());
  BOOST_TEST(s.limits.total_len == 0U);
}

BOOST_AUTO_TEST_CASE(discarded_octets_are_no_longer_held) {
  Stream s;
  s.syn(0);
  s.add(4, "def");
  s.tcp.discard(s.out);
  BOOST_TEST(s.out.held.empty());
  BOOST_TEST(s.limits.total_len == 0U);
}

// Segments of one stream in any order, doubled, overlapping and cut anew: the stream comes out as it was, but for what
// no segment had.
BOOST_AUTO_TEST_CASE(any_segments_give_the_stream) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    std::string stream(1 + below(300), ' ');
    for (char& c : stream) c = static_cast<char>('a' + below(26));
    const auto first = static_cast<std::uint32_t>(0 - below(stream.size()));
    struct Cut {
      std::size_t begin;
      std::size_t captured;
      std::size_t wire_len;
    };
    std::vector<Cut> cuts;
    const bool lossy = below(2) == 0;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t len = std::min(1 + below(20), stream.size() - at);
      if (!lossy || below(8) != 0) cuts.push_back({at, lossy && below(8) == 0 ? below(len + 1) : len, len});
      at += len;
    }
    for (std::size_t again = below(10); again > 0; --again) {
      const std::size_t at = below(stream.size());
      const std::size_t len = std::min(1 + below(40), stream.size() - at);
      cuts.push_back({at, len, len});
    }
    std::shuffle(cuts.begin(), cuts.end(), random);
    Stream s;
    s.syn(first - 1);
    std::string expected(stream.size(), '?');
    std::string seen(stream.size(), '?');  // by the first copy, as this test sees it
    for (const Cut& cut : cuts) {
      for (std::size_t i = cut.begin; i < cut.begin + cut.wire_len; ++i) {
        if (seen[i] != '?') continue;
        seen[i] = '!';
        if (i < cut.begin + cut.captured) expected[i] = stream[i];
      }
      s.add(first + static_cast<std::uint32_t>(cut.begin), stream.substr(cut.begin, cut.captured), false, false,
            cut.wire_len);
    }
    // A segment of one octet that looks like a keep-alive was not taken: nothing of the kind here, all octets are
    // right.
    s.tcp.give_up_all(s.out);
    expected.resize(s.out.octets_only.size());
    BOOST_REQUIRE_MESSAGE(s.out.octets_only == expected, "seed " << seed << ":\n"
                                                                 << s.out.octets_only << "\n"
                                                                 << expected);
    BOOST_REQUIRE_MESSAGE(seen.find('!', s.out.octets_only.size()) == std::string::npos, "seed " << seed);
    BOOST_REQUIRE_MESSAGE(s.out.held.empty() && s.limits.total_len == 0 && s.counts.conflicting_len == 0,
                          "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
