// What the link does to single packets, all of it without chance.
#include "protocol/link/link.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/link/harness_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::link;
using namespace rdmawire::link::test;

void check(SendOutcome got, SendOutcome wanted) { BOOST_TEST(name_of(got) == name_of(wanted)); }

BOOST_AUTO_TEST_SUITE(perfect_link)

BOOST_AUTO_TEST_CASE(delivers_the_octets_at_once) {
  Link link{LinkConfig{}};
  BOOST_TEST(!link.next_arrival().has_value());
  BOOST_TEST(!link.receive(ns(0)).has_value());
  check(link.send(a, b, packet(0xA5, 100), ns(7)), SendOutcome::accepted);
  BOOST_TEST((link.next_arrival() == ns(7)));
  const std::optional<Delivery> delivery = link.receive(ns(7));
  BOOST_REQUIRE(delivery.has_value());
  BOOST_TEST(text(*delivery) == "0@7");
  BOOST_TEST((delivery->from == a && delivery->to == b));
  BOOST_TEST((delivery->sent_at == ns(7)));
  BOOST_TEST(delivery->octets == packet(0xA5, 100), boost::test_tools::per_element());
  BOOST_TEST(!link.next_arrival().has_value());
}

BOOST_AUTO_TEST_CASE(keeps_the_order_of_sending_over_all_directions) {
  Link link(LinkConfig{.num_endpoints = 3});
  const Endpoint c{2};
  link.send(a, b, packet(1), ns(0));
  link.send(c, b, packet(2), ns(0));
  link.send(b, a, packet(3), ns(0));
  link.send(b, b, packet(4), ns(0));  // to itself
  link.send(a, b, packet(5), ns(0));
  std::string seen;
  while (const std::optional<Delivery> d = link.receive(ns(0))) {
    seen +=
        std::to_string(d->from.value) + ">" + std::to_string(d->to.value) + ":" + std::to_string(d->octets[0]) + " ";
  }
  BOOST_TEST(seen == "0>1:1 2>1:2 1>0:3 1>1:4 0>1:5 ");
}

BOOST_AUTO_TEST_CASE(carries_empty_packets) {
  Link link{LinkConfig{}};
  const std::array fates{Fate::corrupt(3), Fate::pass()};
  link.force(fates);
  check(link.send(a, b, {}, ns(0)), SendOutcome::accepted);
  check(link.send(a, b, {}, ns(0)), SendOutcome::accepted);
  BOOST_TEST(arrivals(link) == "0@0, 1@0");
}

// The octets of a delivery stay while the receiver answers, however full the link is.
BOOST_AUTO_TEST_CASE(keeps_the_octets_until_the_next_receive) {
  Link link(LinkConfig{.capacity = 2});
  link.send(a, b, packet(1), ns(0));
  link.send(a, b, packet(2), ns(0));
  const std::optional<Delivery> first = link.receive(ns(0));
  check(link.send(b, a, packet(3), ns(0)), SendOutcome::accepted);
  check(link.send(b, a, packet(4), ns(0)), SendOutcome::no_room);
  BOOST_TEST(first->octets == packet(1), boost::test_tools::per_element());
  BOOST_TEST(link.receive(ns(0))->octets == packet(2), boost::test_tools::per_element());
  BOOST_TEST(link.receive(ns(0))->octets == packet(3), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(time_never_goes_back) {
  Link link{LinkConfig{}};
  link.receive(ns(100));
  link.send(a, b, packet(1), ns(50));
  BOOST_TEST(arrivals(link, ns(10)) == "0@100");
}

BOOST_AUTO_TEST_CASE(begins_anew_after_reset) {
  Link link(LinkConfig{.seed = 3});
  Impairments impairments;
  impairments.loss = Ppm::percent(50);
  impairments.delay = ns(10);
  const std::array fates{Fate::pass(), Fate::drop(), Fate::pass()};
  const auto run = [&] {
    link.set_all(impairments);
    link.force(fates);
    send_row(link, 20, ns(3));
    return arrivals(link, ns(40));
  };
  const std::string first = run();
  BOOST_TEST((link.total().num_in_flight() > 0 && link.next_arrival().has_value()));
  link.reset(3);
  BOOST_TEST((link.total() == Counters{}));
  BOOST_TEST(!link.next_arrival().has_value());
  BOOST_TEST(link.num_fates_left() == 0U);
  BOOST_TEST(run() == first);
  link.reset(4);
  BOOST_TEST(run() != first);
  link.reset(4);
  send_row(link, 3);
  BOOST_TEST(arrivals(link, ns(0)) == "0@0, 1@0, 2@0");
}

BOOST_AUTO_TEST_CASE(goes_on_in_a_copy_as_in_the_original) {
  Link link(LinkConfig{.seed = 8});
  Impairments impairments;
  impairments.loss = impairments.duplicate = impairments.reorder = Ppm::percent(20);
  impairments.reorder_bound = 3;
  impairments.delay = ns(50);
  link.set_all(impairments);
  const std::array fates{NumberedFate{15, Fate::hold(2)}, NumberedFate{25, Fate::duplicate(1)}};
  link.force(a, b, fates);
  send_row(link, 20, ns(5));
  arrivals(link, ns(100));
  Link copy = link;
  send_row(link, 20, ns(5), ns(100));
  send_row(copy, 20, ns(5), ns(100));
  const std::string original = arrivals(link);
  BOOST_TEST(original.size() > 100U);
  BOOST_TEST(arrivals(copy) == original);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(limits)

BOOST_AUTO_TEST_CASE(longer_than_the_mtu_is_dropped) {
  Link link(LinkConfig{.max_packet_len = 2000});
  check(link.send(a, b, packet(0, 2000), ns(0)), SendOutcome::accepted);
  check(link.send(a, b, packet(0, 2001), ns(0)), SendOutcome::too_long);
  Impairments impairments;
  impairments.mtu = 1500;
  link.set(a, b, impairments);
  check(link.send(a, b, packet(0, 1500), ns(0)), SendOutcome::accepted);
  check(link.send(a, b, packet(0, 1501), ns(0)), SendOutcome::too_long);
  check(link.send(b, a, packet(0, 1501), ns(0)), SendOutcome::accepted);
  impairments.mtu = no_limit;
  link.set(a, b, impairments);
  check(link.send(a, b, packet(0, 2001), ns(0)), SendOutcome::too_long);
  BOOST_TEST(link.counters(a, b).num(SendOutcome::too_long) == 3U);
  BOOST_TEST(link.counters(b, a).num(SendOutcome::too_long) == 0U);
}

BOOST_AUTO_TEST_CASE(more_than_the_capacity_is_dropped) {
  Link link(LinkConfig{.capacity = 3});
  send_row(link, 3);
  check(link.send(b, a, packet(0), ns(0)), SendOutcome::no_room);
  BOOST_TEST(arrivals(link) == "0@0, 1@0, 2@0");
  check(link.send(b, a, packet(0), ns(0)), SendOutcome::accepted);
  BOOST_TEST(link.counters(b, a).num(SendOutcome::no_room) == 1U);

  Link none(LinkConfig{.capacity = 0});
  check(none.send(a, b, packet(0), ns(0)), SendOutcome::no_room);
}

BOOST_AUTO_TEST_CASE(copies_without_room_are_not_made) {
  Link link(LinkConfig{.capacity = 3});
  const std::array fates{Fate::duplicate(), Fate::duplicate()};
  link.force(fates);
  send_row(link, 2);
  BOOST_TEST(arrivals(link) == "0@0, 0@0 copy, 1@0");
  BOOST_TEST(link.counters(a, b).num_copies == 1U);
  BOOST_TEST(link.counters(a, b).num_copies_without_room == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(time_on_the_way)

BOOST_AUTO_TEST_CASE(each_direction_has_its_own_delay) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.delay = ns(500);
  link.set(a, b, impairments);
  link.send(a, b, packet(1), ns(0));
  BOOST_TEST((link.next_arrival() == ns(500)));
  BOOST_TEST(!link.receive(ns(99)).has_value());
  link.send(b, a, packet(2), ns(100));
  BOOST_TEST((link.next_arrival() == ns(100)));
  BOOST_TEST(arrivals(link, ns(100)) == "0@100");
  BOOST_TEST(arrivals(link, ns(499)).empty());
  BOOST_TEST(arrivals(link, ns(500)) == "0@500");
}

// 64 bits at 8 Gbit/s are 8 ns.
BOOST_AUTO_TEST_CASE(serialisation_comes_before_the_delay) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.rate = BitRate::gbit(8);
  impairments.delay = ns(100);
  link.set(a, b, impairments);
  send_row(link, 3);
  send_row(link, 1, ns(0), ns(50));
  BOOST_TEST(arrivals(link) == "0@108, 1@116, 2@124, 3@158");
}

BOOST_AUTO_TEST_CASE(the_tail_of_the_queue_is_dropped) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.rate = BitRate::gbit(8);
  impairments.queue_len = 20;
  link.set(a, b, impairments);
  send_row(link, 4);                // 2 of them are 16 octets
  send_row(link, 1, ns(0), ns(3));  // 13 left
  send_row(link, 1, ns(0), ns(4));  // 12 left
  BOOST_TEST(arrivals(link) == "0@8, 1@16, 5@24");
  BOOST_TEST(link.counters(a, b).num(SendOutcome::queue_full) == 3U);
}

BOOST_AUTO_TEST_CASE(a_shorter_delay_does_not_overtake) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.delay = ns(100);
  link.set(a, b, impairments);
  send_row(link, 1);
  impairments.delay = ns(-5);  // counts as zero
  link.set(a, b, impairments);
  send_row(link, 1, ns(0), ns(10));
  send_row(link, 1, ns(0), ns(200));
  BOOST_TEST(arrivals(link) == "0@100, 1@100, 2@200");
}

BOOST_AUTO_TEST_CASE(jitter_keeps_the_order) {
  Link link(LinkConfig{.seed = 5});
  Impairments impairments;
  impairments.delay = ns(1000);
  impairments.jitter = ns(100);
  link.set(a, b, impairments);
  std::uint64_t wanted = 0;
  bool least = false;
  bool most = false;
  for (std::int64_t i = 0; i < 2000; ++i) {
    link.send(a, b, packet(0), ns(i * 50));
    while (const std::optional<Delivery> d = link.receive(ns(i * 50))) {
      BOOST_TEST(d->number == wanted++);
      const std::int64_t extra = (d->arrived_at - d->sent_at).count() - 1000;
      BOOST_TEST((0 <= extra && extra <= 100));
      least = least || extra == 0;
      most = most || extra == 100;
    }
  }
  BOOST_TEST((least && most));
}

BOOST_AUTO_TEST_CASE(what_would_arrive_after_the_end_of_time_never_arrives) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.delay = Time::max();
  impairments.reorder_hold = Time::max();
  link.set(a, b, impairments);
  const std::array fates{Fate::pass(), Fate::hold(2)};
  link.force(fates);
  send_row(link, 2, ns(10), ns(10));
  BOOST_TEST((link.next_arrival() == Time::max()));
  BOOST_TEST(arrivals(link, Time::max() - ns(1)).empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(outages)

BOOST_AUTO_TEST_CASE(begin_inclusive_and_end_exclusive_in_one_direction) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.outages[0] = {ns(100), ns(200)};
  impairments.outages[3] = {ns(300), ns(301)};
  link.set(a, b, impairments);
  for (const std::int64_t t : {0, 99, 100, 199, 200, 299, 300, 301}) {
    link.send(a, b, packet(0), ns(t));
    check(link.send(b, a, packet(0), ns(t)), SendOutcome::accepted);
  }
  BOOST_TEST(link.counters(a, b).num(SendOutcome::outage) == 3U);
  std::string seen;
  while (const std::optional<Delivery> d = link.receive(ns(301))) {
    if (d->from == a) seen += text(*d) + " ";
  }
  BOOST_TEST(seen == "0@0 1@99 4@200 5@299 7@301 ");
}

// The packet's first bit counts, not when it was sent; what has left arrives.
BOOST_AUTO_TEST_CASE(are_felt_when_a_packet_begins_to_leave) {
  Link link{LinkConfig{}};
  Impairments impairments;
  impairments.rate = BitRate::gbit(8);
  impairments.delay = ns(1000);
  impairments.outages[0] = {ns(9), ns(25)};
  link.set(a, b, impairments);
  send_row(link, 5);  // begin at 0, 8, 16, 24 and 32
  BOOST_TEST(arrivals(link) == "0@1008, 1@1016, 4@1040");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(counters)

BOOST_AUTO_TEST_CASE(account_for_every_packet) {
  Link link(LinkConfig{.capacity = 8, .max_packet_len = 100});
  Impairments impairments;
  impairments.outages[0] = {ns(50), ns(60)};
  link.set(a, b, impairments);
  const std::array fates{Fate::pass(), Fate::drop(), Fate::duplicate(), Fate::corrupt(9), Fate::hold(1)};
  link.force(fates);
  send_row(link, 6);
  link.send(a, b, packet(0, 101), ns(0));
  link.send(b, a, packet(0, 30), ns(0));
  BOOST_TEST(link.total().num_in_flight() == 7U);
  BOOST_TEST(arrivals(link, ns(1)) == "0@0, 2@0, 2@0 copy, 3@0 flips 1, 5@0, 4@0 behind 1, 0@0");
  link.send(a, b, packet(0), ns(55));

  const Counters& forth = link.counters(a, b);
  BOOST_TEST(forth.num_sent == 8U);
  BOOST_TEST(forth.num_copies == 1U);
  BOOST_TEST(forth.num_delivered == 6U);
  BOOST_TEST(forth.num_dropped() == 3U);
  BOOST_TEST(forth.num(SendOutcome::forced) == 1U);
  BOOST_TEST(forth.num(SendOutcome::too_long) == 1U);
  BOOST_TEST(forth.num(SendOutcome::outage) == 1U);
  BOOST_TEST(forth.num(SendOutcome::accepted) == 5U);
  BOOST_TEST(forth.num_in_flight() == 0U);
  BOOST_TEST(forth.num_corrupted == 1U);
  BOOST_TEST(forth.num_overtaken == 1U);
  BOOST_TEST(forth.sent_len == 7 * 8U + 101);
  BOOST_TEST(forth.delivered_len == 6 * 8U);
  BOOST_TEST(link.counters(b, a).num_delivered == 1U);
  BOOST_TEST(link.counters(b, a).delivered_len == 30U);
  BOOST_TEST(link.total().num_sent == 9U);
  BOOST_TEST(link.total().num_delivered == 7U);
  BOOST_TEST(link.total().num(SendOutcome::accepted) == 6U);
}

BOOST_AUTO_TEST_CASE(name_every_outcome) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(SendOutcome::count_); ++i) {
    BOOST_TEST(!name_of(static_cast<SendOutcome>(i)).empty());
  }
  BOOST_TEST(name_of(SendOutcome::no_room) == "no-room");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
