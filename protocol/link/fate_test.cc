// Fates forced on single packets.
#include "protocol/link/fate.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/base/header_test.h"
#include "protocol/link/harness_test.h"
#include "protocol/link/link.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::link;
using namespace rdmawire::link::test;

BOOST_AUTO_TEST_SUITE(forced_fates)

BOOST_AUTO_TEST_CASE(are_used_up_in_the_order_of_sending) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::drop(), Fate::pass(), Fate::drop(), Fate::chance()};
  link.force(fates);
  link.send(a, b, packet(0), ns(0));
  link.send(b, a, packet(0), ns(0));
  BOOST_TEST(link.num_fates_left() == 2U);
  link.send(b, a, packet(0), ns(0));
  send_row(link, 3);
  BOOST_TEST(link.num_fates_left() == 0U);
  BOOST_TEST(link.counters(a, b).num(SendOutcome::forced) == 1U);
  BOOST_TEST(link.counters(b, a).num(SendOutcome::forced) == 1U);
  BOOST_TEST(arrivals(link) == "0@0, 1@0, 2@0, 3@0");
}

BOOST_AUTO_TEST_CASE(by_number_reach_one_packet_of_one_direction) {
  Link link{LinkConfig{}};
  const std::array fates{NumberedFate{2, Fate::drop()}, NumberedFate{5, Fate::duplicate()}};
  link.force(a, b, fates);
  for (int i = 0; i < 7; ++i) link.send(b, a, packet(0), ns(0));
  BOOST_TEST(link.counters(b, a).num_dropped() == 0U);
  arrivals(link, ns(0));
  send_row(link, 7);
  BOOST_TEST(arrivals(link) == "0@0, 1@0, 3@0, 4@0, 5@0, 5@0 copy, 6@0");
}

BOOST_AUTO_TEST_CASE(by_number_count_from_the_first_packet_and_win) {
  Link link{LinkConfig{}};
  send_row(link, 3);
  const std::array numbered{NumberedFate{1, Fate::drop()}, NumberedFate{4, Fate::drop()}};
  const std::array next{Fate::drop(), Fate::duplicate(), Fate::pass()};
  link.force(a, b, numbered);
  link.force(next);
  send_row(link, 3);
  BOOST_TEST(link.num_fates_left() == 0U);
  BOOST_TEST(arrivals(link) == "0@0, 1@0, 2@0, 5@0");
}

BOOST_AUTO_TEST_CASE(hold_a_packet_behind_exactly_so_many) {
  Link link{LinkConfig{}};
  const std::array fates{NumberedFate{1, Fate::hold(3)}};
  link.force(a, b, fates);
  send_row(link, 4, ns(10));
  BOOST_TEST(arrivals(link, ns(39)) == "0@0, 2@20, 3@30");
  BOOST_TEST((link.next_arrival() == ns(1'000'010)));  // reorder_hold is 1 ms
  send_row(link, 2, ns(10), ns(40));
  BOOST_TEST((link.next_arrival() == ns(40)));
  BOOST_TEST(arrivals(link) == "4@40, 1@40 behind 3, 5@50");
  BOOST_TEST(link.counters(a, b).num_overtaken == 1U);
}

BOOST_AUTO_TEST_CASE(hold_no_longer_than_the_time_allowed) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.delay = ns(100);
  impairments.reorder_hold = ns(50);
  link.set(a, b, impairments);
  const std::array fates{NumberedFate{0, Fate::hold(5)}};
  link.force(a, b, fates);
  send_row(link, 8, ns(20));  // without the hold: at 100, 120, 140, 160, ...
  BOOST_TEST(arrivals(link) == "1@120, 2@140, 0@150 behind 2, 3@160, 4@180, 5@200, 6@220, 7@240");
}

// Both arrive at 150: the one that was sent first comes first, and is not overtaken.
BOOST_AUTO_TEST_CASE(hold_until_the_very_time_of_the_next) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.delay = ns(100);
  impairments.reorder_hold = ns(50);
  link.set(a, b, impairments);
  const std::array fates{NumberedFate{0, Fate::hold(1)}};
  link.force(a, b, fates);
  send_row(link, 2, ns(50));
  BOOST_TEST(arrivals(link) == "0@150, 1@150");
}

BOOST_AUTO_TEST_CASE(hold_without_an_end_for_lack_of_traffic) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::hold(2)};
  link.force(fates);
  send_row(link, 1);
  link.send(b, a, packet(0), ns(0));  // another direction does not count
  BOOST_TEST(arrivals(link, ns(999'999)) == "0@0");
  BOOST_TEST(arrivals(link, ns(1'000'000)) == "0@1000000");
}

// 2 passes: 1 has let one pass and follows, which makes two that passed 0.
BOOST_AUTO_TEST_CASE(held_packets_overtake_each_other) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::hold(2), Fate::hold(1)};
  link.force(fates);
  send_row(link, 4, ns(10));
  BOOST_TEST(arrivals(link) == "2@20, 1@20 behind 1, 0@20 behind 2, 3@30");
}

// The same packet lets both go; the one that was sent first goes first.
BOOST_AUTO_TEST_CASE(packets_held_behind_the_same_one_keep_their_order) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::hold(1), Fate::hold(1)};
  link.force(fates);
  send_row(link, 3, ns(10));
  BOOST_TEST(arrivals(link) == "2@20, 0@20 behind 1, 1@20 behind 1");
}

// Held for a shorter time, 1 arrives first, and 0 has let enough pass.
BOOST_AUTO_TEST_CASE(the_end_of_a_hold_overtakes_too) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::hold(1), Fate::hold(1)};
  link.force(fates);
  send_row(link, 1);
  Impairments impairments;
  impairments.reorder_hold = ns(100);
  link.set(a, b, impairments);
  send_row(link, 1, ns(0), ns(10));
  Link same = link;
  BOOST_TEST(arrivals(link) == "1@110, 0@110 behind 1");
  // A packet that comes later finds both gone.
  send_row(same, 1, ns(0), ns(50));
  BOOST_TEST(arrivals(same) == "2@50, 0@50 behind 1, 1@50 behind 1");
}

BOOST_AUTO_TEST_CASE(a_lost_packet_overtakes_nobody) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::hold(2), Fate::drop(), Fate::pass(), Fate::pass()};
  link.force(fates);
  send_row(link, 4, ns(10));
  BOOST_TEST(arrivals(link) == "2@20, 3@30, 0@30 behind 2");
}

BOOST_AUTO_TEST_CASE(copies_follow_at_once_or_behind_others) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::duplicate(), Fate::duplicate(2)};
  link.force(fates);
  send_row(link, 5, ns(10));
  BOOST_TEST(arrivals(link) == "0@0, 0@0 copy, 1@10, 2@20, 3@30, 1@30 copy behind 2, 4@40");
}

BOOST_AUTO_TEST_CASE(corrupt_the_bit_that_is_named) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::corrupt(0), Fate::corrupt(63), Fate::corrupt(64 + 10)};
  link.force(fates);
  send_row(link, 3);
  BOOST_TEST(link.receive(ns(0))->octets == rdmawire::test::octets("8000000000000000"),
             boost::test_tools::per_element());
  BOOST_TEST(link.receive(ns(0))->octets == rdmawire::test::octets("0101010101010100"),
             boost::test_tools::per_element());
  BOOST_TEST(link.receive(ns(0))->octets == rdmawire::test::octets("0222020202020202"),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(replace_chance_and_nothing_else) {
  Impairments all;
  all.loss = all.duplicate = all.corrupt = all.reorder = Ppm::always();
  all.jitter = ns(1000);
  all.delay = ns(70);
  all.mtu = 8;
  all.outages[0] = {ns(5), ns(6)};
  Link link{LinkConfig{}};
  link.set(a, b, all);
  const std::array fates{Fate::pass(), Fate::pass(), Fate::pass()};
  link.force(fates);
  send_row(link, 1);
  link.send(a, b, packet(0, 9), ns(0));
  send_row(link, 1, ns(0), ns(5));
  BOOST_TEST(arrivals(link) == "0@70");
  BOOST_TEST(link.counters(a, b).num(SendOutcome::too_long) == 1U);
  BOOST_TEST(link.counters(a, b).num(SendOutcome::outage) == 1U);
}

// The first packet of each pair is spared or not: the others don't notice.
BOOST_AUTO_TEST_CASE(do_not_change_the_chances_of_others) {
  Impairments impairments;
  impairments.loss = Ppm::percent(20);
  impairments.burst = {Ppm::percent(10), Ppm::percent(30), Ppm::percent(90)};
  const LinkConfig config{.seed = 11};
  Link free(config);
  Link forced(config);
  free.set(a, b, impairments);
  forced.set(a, b, impairments);
  std::vector<NumberedFate> fates;
  for (std::uint64_t n = 0; n < 1000; n += 2) fates.push_back({n, n % 4 == 0 ? Fate::pass() : Fate::drop()});
  forced.force(a, b, fates);
  for (int i = 0; i < 1000; ++i) {
    const SendOutcome one = free.send(a, b, packet(0), ns(i));
    const SendOutcome other = forced.send(a, b, packet(0), ns(i));
    if (i % 2 == 1) BOOST_TEST(name_of(one) == name_of(other));
    free.receive(ns(i));
    forced.receive(ns(i));
  }
}

// The CNP of congestion_test.cc, and one that is not ECN-capable.
BOOST_AUTO_TEST_CASE(mark_what_can_be_marked) {
  const std::vector<std::uint8_t> capable = rdmawire::test::octets(
      "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b700280000"
      "8100ffff40000118000000000000000000000000000000000000000082fd002a");
  std::vector<std::uint8_t> incapable = capable;
  incapable[15] = 0xC0;
  Link link{LinkConfig{}};
  const std::array fates{Fate::mark(), Fate::mark()};
  link.force(fates);
  link.send(a, b, capable, ns(0));
  link.send(a, b, incapable, ns(0));
  const std::optional<Delivery> marked = link.receive(ns(0));
  BOOST_TEST(text(*marked) == "0@0 marked");
  BOOST_TEST(int{marked->octets[15]} == 0xC3);
  BOOST_TEST(int{marked->octets[25]} == 0x60);
  const std::optional<Delivery> unmarked = link.receive(ns(0));
  BOOST_TEST(text(*unmarked) == "1@0");
  BOOST_TEST(unmarked->octets == incapable, boost::test_tools::per_element());
  BOOST_TEST(link.counters(a, b).num_marked == 1U);
}

// 592 bits at 74 Gbit/s are 8 ns.
BOOST_AUTO_TEST_CASE(are_not_needed_to_mark_behind_a_long_queue) {
  const std::vector<std::uint8_t> capable = rdmawire::test::octets(
      "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b700280000"
      "8100ffff40000118000000000000000000000000000000000000000082fd002a");
  Impairments impairments;
  impairments.rate = BitRate::gbit(74);
  impairments.mark_threshold_len = 2 * 74;
  Link link{LinkConfig{}};
  link.set(a, b, impairments);
  for (int i = 0; i < 5; ++i) link.send(a, b, capable, ns(0));
  link.send(a, b, capable, ns(24));
  BOOST_TEST(arrivals(link) == "0@8, 1@16, 2@24, 3@32 marked, 4@40 marked, 5@48");
}

BOOST_AUTO_TEST_CASE(come_from_any_two_octets) {
  BOOST_TEST((fate_of(0) == Fate::pass()));
  BOOST_TEST((fate_of(0x2000) == Fate::drop()));
  BOOST_TEST((fate_of(0x4000) == Fate::duplicate(0)));
  BOOST_TEST((fate_of(0x400F) == Fate::duplicate(7)));
  BOOST_TEST((fate_of(0x6000) == Fate::hold(1)));
  BOOST_TEST((fate_of(0x7FFF) == Fate::hold(8)));
  BOOST_TEST((fate_of(0x9ABC) == Fate::corrupt(0x1ABC)));
  BOOST_TEST((fate_of(0xA001) == Fate::mark()));
  BOOST_TEST((fate_of(0xC123) == Fate::pass()));
  BOOST_TEST((fate_of(0xFFFF) == Fate::pass()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
