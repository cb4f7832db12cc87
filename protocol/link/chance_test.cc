// What the link leaves to chance: exact numbers for a seed, the same with every compiler, and laws that always hold.
// The exact numbers were counted by a second implementation of the drawing, in Python.
#include <algorithm>
#include <array>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "codec/frame.h"
#include "codec/frame_build.h"
#include "protocol/link/harness_test.h"
#include "protocol/link/link.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::link;
using namespace rdmawire::link::test;

// Sends so many packets, a nanosecond apart, and hands all that arrives meanwhile to `see`.
template <class See>
void run(Link& link, int num, Endpoint from, Endpoint to, const std::vector<std::uint8_t>& octets, See see) {
  for (int i = 0; i < num; ++i) {
    link.send(from, to, octets, ns(i));
    while (const std::optional<Delivery> delivery = link.receive(ns(i))) see(*delivery);
  }
}

void run(Link& link, int num, Endpoint from = a, Endpoint to = b) {
  run(link, num, from, to, packet(0x5A, 64), [](const Delivery&) {});
}

BOOST_AUTO_TEST_SUITE(chance)

BOOST_AUTO_TEST_CASE(loses_the_same_packets_for_the_same_seed_and_direction) {
  Impairments impairments;
  impairments.loss = Ppm::percent(20);
  const auto lost = [&](std::uint16_t num_endpoints, std::uint64_t seed, Endpoint from, Endpoint to) {
    Link link(LinkConfig{.num_endpoints = num_endpoints, .seed = seed});
    link.set_all(impairments);
    run(link, 20'000, from, to);
    return link.total().num(SendOutcome::lost);
  };
  BOOST_TEST(lost(2, 1, a, b) == 4043U);
  BOOST_TEST(lost(2, 2, a, b) == 3951U);
  BOOST_TEST(lost(2, 1, b, a) == 4021U);
  BOOST_TEST(lost(2, 2, b, a) == 3927U);
  BOOST_TEST(lost(5, 2, b, a) == 3927U);
}

BOOST_AUTO_TEST_CASE(loses_just_those) {
  Link link(LinkConfig{.seed = 1});
  Impairments impairments;
  impairments.loss = Ppm::percent(20);
  link.set_all(impairments);
  std::string lost;
  for (int i = 0; i < 61; ++i) {
    // What happens in the other direction does not matter.
    if (i % 3 == 0) link.send(b, a, packet(0), ns(0));
    if (link.send(a, b, packet(0), ns(0)) == SendOutcome::lost) lost += std::to_string(i) + " ";
  }
  BOOST_TEST(lost == "0 14 18 24 29 33 41 42 49 60 ");
}

BOOST_AUTO_TEST_CASE(does_all_at_once_in_these_numbers) {
  Link link(LinkConfig{.seed = 1});
  Impairments impairments;
  impairments.loss = {10'000};
  impairments.duplicate = {20'000};
  impairments.corrupt = {5'000};
  impairments.reorder = {30'000};
  impairments.reorder_bound = 4;
  link.set_all(impairments);
  run(link, 20'000);
  const Counters& counters = link.counters(a, b);
  BOOST_TEST(counters.num(SendOutcome::lost) == 194U);
  BOOST_TEST(counters.num_copies == 404U);
  BOOST_TEST(counters.num_corrupted == 106U);
  BOOST_TEST(counters.num_overtaken + counters.num_in_flight() == 588U);
}

// Of bad states, which last 4 packets on average, there are 1 in 104: 196 bursts of 4.2 packets.
BOOST_AUTO_TEST_CASE(loses_in_bursts_of_the_mean_length_asked_for) {
  Link link(LinkConfig{.seed = 7});
  Impairments impairments;
  impairments.burst.enter = Ppm::percent(1);
  impairments.burst.leave = Ppm::percent(25);
  link.set(a, b, impairments);
  std::vector<unsigned> bursts;
  bool last_lost = false;
  for (int i = 0; i < 20'000; ++i) {
    const bool lost = link.send(a, b, packet(0), ns(i)) == SendOutcome::burst_lost;
    if (lost && !last_lost) bursts.push_back(0);
    if (lost) ++bursts.back();
    last_lost = lost;
    link.receive(ns(i));
  }
  BOOST_TEST(bursts.size() == 196U);
  BOOST_TEST(std::ranges::max(bursts) == 14U);
  BOOST_TEST(link.counters(a, b).num(SendOutcome::burst_lost) == 825U);
  BOOST_TEST(link.counters(a, b).num_dropped() == 825U);
}

BOOST_AUTO_TEST_CASE(loses_in_both_states) {
  Link link(LinkConfig{.seed = 7});
  Impairments impairments;
  impairments.loss = {1'000};
  impairments.burst = {Ppm::percent(1), Ppm::percent(25), Ppm::percent(50)};
  link.set(a, b, impairments);
  run(link, 20'000);
  BOOST_TEST(link.counters(a, b).num(SendOutcome::lost) == 21U);
  BOOST_TEST(link.counters(a, b).num(SendOutcome::burst_lost) == 410U);
}

BOOST_AUTO_TEST_CASE(never_leaves_the_bad_state_unless_told_to) {
  Link link(LinkConfig{.seed = 7});
  Impairments impairments;
  impairments.burst.enter = Ppm::always();
  impairments.burst.leave = Ppm{};
  link.set(a, b, impairments);
  run(link, 100);
  BOOST_TEST(link.counters(a, b).num(SendOutcome::burst_lost) == 100U);
  impairments.burst.enter = Ppm{};
  impairments.loss = Ppm{1};
  link.set(a, b, impairments);  // begins in the good state again
  run(link, 100);
  BOOST_TEST(link.counters(a, b).num_dropped() == 100U);
}

// One after the other they would be in order; far apart each has its own jitter.
BOOST_AUTO_TEST_CASE(spreads_the_jitter_evenly) {
  Link link(LinkConfig{.seed = 9});
  Impairments impairments;
  impairments.jitter = ns(999);
  link.set(a, b, impairments);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    link.send(a, b, packet(0), ns(i * 1000));
    const std::optional<Delivery> delivery = link.receive(ns(i * 1000 + 999));
    sum += (delivery->arrived_at - delivery->sent_at).count();
  }
  BOOST_TEST(sum == 10'000'223);
}

BOOST_AUTO_TEST_CASE(inverts_different_bits_after_the_protected_octets) {
  Link link(LinkConfig{.seed = 3});
  Impairments impairments;
  impairments.corrupt = Ppm::always();
  impairments.max_flips = 3;
  impairments.protected_len = 42;
  link.set_all(impairments);
  const std::vector<std::uint8_t> sent = packet(0x5A, 60);
  std::string flips;
  run(link, 10, a, b, sent, [&](const Delivery& delivery) {
    for (std::size_t bit = 0; bit < 480; ++bit) {
      if (((delivery.octets[bit / 8] ^ sent[bit / 8]) & 0x80 >> bit % 8) != 0) flips += std::to_string(bit) + " ";
    }
    flips += "; ";
  });
  BOOST_TEST(flips == "461 ; 377 428 ; 414 ; 454 ; 370 415 ; 371 ; 394 ; 458 ; 392 434 450 ; 355 370 ; ");

  link.reset(3);
  impairments.max_flips = 100;  // as many as 8
  link.set_all(impairments);
  std::array<unsigned, 9> num_with{};
  run(link, 20'000, a, b, sent, [&](const Delivery& delivery) { ++num_with.at(delivery.num_flipped_bits); });
  const std::array<unsigned, 9> counted{0, 2374, 2564, 2500, 2435, 2519, 2514, 2502, 2592};
  BOOST_TEST(num_with == counted, boost::test_tools::per_element());

  // An octet has room for 8 different bits, none has room for none.
  run(link, 1000, a, b, packet(0, 43), [&](const Delivery& delivery) {
    BOOST_TEST(std::popcount(delivery.octets[42]) == int{delivery.num_flipped_bits});
  });
  run(link, 10, a, b, packet(0, 42), [&](const Delivery& delivery) { BOOST_TEST(delivery.num_flipped_bits == 0); });
}

// With traffic enough, each packet held back lets exactly as many pass as were drawn for it: 1 to 5.
BOOST_AUTO_TEST_CASE(lets_exactly_so_many_overtake) {
  Link link(LinkConfig{.seed = 21});
  Impairments impairments;
  impairments.reorder = Ppm::percent(10);
  impairments.reorder_bound = 5;
  impairments.duplicate = Ppm::percent(5);
  link.set(a, b, impairments);
  std::array<unsigned, 6> num_behind{};
  const auto count = [&](const Delivery& delivery) { ++num_behind.at(delivery.num_overtaking); };
  run(link, 20'000, a, b, packet(0), count);
  link.set(a, b, Impairments{});
  run(link, 5, a, b, packet(0), count);
  const std::array<unsigned, 6> drawn{18878 + 5, 412, 452, 422, 409, 409};
  BOOST_TEST(num_behind == drawn, boost::test_tools::per_element());
  BOOST_TEST(link.total().num_in_flight() == 0U);
}

BOOST_AUTO_TEST_CASE(marks_packets_that_can_be_marked) {
  FrameSpec spec = rocev2_spec();
  spec.ipv4->traffic_class = net::TrafficClass::of(26, net::Ecn::capable_0);
  std::vector<std::uint8_t> frame(frame_size(spec));
  BOOST_REQUIRE(build_frame(spec, frame).has_value());
  Impairments impairments;
  impairments.mark = Ppm::percent(30);
  Link link(LinkConfig{.seed = 5});
  link.set(a, b, impairments);
  unsigned num_marked = 0;
  run(link, 1000, a, b, frame, [&](const Delivery& d) {
    const Frame parsed = parse_frame(LinkType::ethernet, d.octets, static_cast<std::uint32_t>(d.octets.size()));
    BOOST_TEST(!first_violation(parsed));
    const bool marked = parsed.get<net::Ipv4>()->traffic_class.ecn() == net::Ecn::congestion_experienced;
    BOOST_TEST(marked == d.marked);
    if (marked) ++num_marked;
  });
  BOOST_TEST(num_marked == link.counters(a, b).num_marked);
  BOOST_TEST(num_marked == 291U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(corruption)

// With up to three bits inverted where the ICRC covers them (after the BTH's FECN, BECN and reserved bits, which it
// does not), every packet is caught, and no other.
BOOST_AUTO_TEST_CASE(is_caught_by_the_icrc) {
  const std::vector<std::uint8_t> payload = packet(0x11, 1024);
  FrameSpec spec = rocev2_spec();
  spec.payload = payload;
  std::vector<std::uint8_t> frame(frame_size(spec));
  BOOST_REQUIRE(build_frame(spec, frame).has_value());
  Impairments impairments;
  impairments.corrupt = Ppm::percent(50);
  impairments.max_flips = 3;
  impairments.protected_len = 14 + 20 + 8 + 5;
  Link link(LinkConfig{.seed = 17});
  link.set(a, b, impairments);
  std::uint64_t num_bad = 0;
  run(link, 5000, a, b, frame, [&](const Delivery& d) {
    const Frame parsed = parse_frame(LinkType::ethernet, d.octets, static_cast<std::uint32_t>(d.octets.size()));
    const bool bad = parsed.icrc.status == CrcStatus::bad;
    if (bad != (d.num_flipped_bits != 0)) BOOST_ERROR("packet " << d.number << " was misjudged");
    if (bad) ++num_bad;
  });
  BOOST_TEST(num_bad == link.counters(a, b).num_corrupted);
  BOOST_TEST(num_bad == 2466U);
}

// Native: the VCRC covers what the ICRC does not.
BOOST_AUTO_TEST_CASE(is_caught_anywhere_in_native_packets) {
  FrameSpec spec = rocev2_spec();
  spec.ethernet.reset();
  spec.ipv4.reset();
  spec.udp.reset();
  spec.lrh = ib::Lrh{};
  std::vector<std::uint8_t> frame(frame_size(spec));
  BOOST_REQUIRE(build_frame(spec, frame).has_value());
  Impairments impairments;
  impairments.corrupt = Ppm::always();
  Link link(LinkConfig{.seed = 18});
  link.set(a, b, impairments);
  run(link, 5000, a, b, frame, [&](const Delivery& d) {
    const Frame parsed = parse_frame(LinkType::infiniband, d.octets, static_cast<std::uint32_t>(d.octets.size()));
    if (!first_violation(parsed)) BOOST_ERROR("packet " << d.number << " was not caught");
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
