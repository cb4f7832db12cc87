// Random programs over random impairments, judged by what holds for any of them.
#include <algorithm>
#include <array>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "protocol/link/harness_test.h"
#include "protocol/link/link.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::link;
using namespace rdmawire::link::test;

// Only what std::mt19937 gives itself is the same everywhere, so no distributions.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_()) % bound; }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937 random_;
};

Impairments random_impairments(Dice& dice) {
  Impairments i;
  const auto ppm = [&] { return dice.one_in(2) ? Ppm{} : Ppm{dice.below(400'000)}; };
  i.loss = ppm();
  i.burst = {ppm(), Ppm{1 + dice.below(1'000'000)}, ppm()};
  i.duplicate = ppm();
  i.corrupt = ppm();
  i.max_flips = 1 + dice.below(8);
  i.protected_len = dice.below(12);
  i.delay = ns(dice.below(200));
  i.jitter = ns(dice.one_in(2) ? 0 : dice.below(100));
  i.reorder = ppm();
  i.reorder_bound = dice.below(6);
  i.reorder_hold = ns(dice.below(400));
  if (dice.one_in(3)) i.mtu = 40;
  if (dice.one_in(2)) {
    i.rate = {1'000'000'000 + dice.below(3'000'000'000)};
    i.framing_len = dice.below(25);
    if (dice.one_in(2)) i.queue_len = 30 + dice.below(300);
  }
  if (dice.one_in(3)) {
    const std::uint32_t begin = dice.below(3000);
    i.outages[dice.below(4)] = {ns(begin), ns(begin + dice.below(300))};
  }
  return i;
}

Fate random_fate(Dice& dice) {
  if (dice.one_in(2)) return Fate::chance();
  return fate_of(static_cast<std::uint16_t>(dice.below(0x10000)));
}

// What the test knows of a packet that the link accepted.
struct Sent {
  std::vector<std::uint8_t> octets;
  Time at;
  Time delay;
  std::uint32_t bound;  // none may let more pass
  bool delivered = false;
  bool copy_delivered = false;
};

struct DirectionModel {
  std::vector<std::optional<Sent>> packets;             // by number; nothing for those dropped
  std::vector<std::pair<std::uint64_t, bool>> arrived;  // number, copy: in the order of sending if sorted
  std::uint32_t bound = 0;
  Time delay{};
  Time last_arrival{};
};

constexpr std::uint16_t num_endpoints = 3;
constexpr std::uint32_t max_forced_bound = 8;  // fate_of

class Program {
 public:
  explicit Program(std::uint32_t seed)
      : dice_(seed),
        link_(LinkConfig{.num_endpoints = num_endpoints, .capacity = 24, .max_packet_len = 60, .seed = seed}) {
    for (int i = 0; i < 900; ++i) fates_.push_back(random_fate(dice_));
  }

  void run() {
    if (dice_.one_in(2)) link_.force(fates_);
    Time now{};
    for (int step = 0; step < 600; ++step) {
      if (step % 200 == 0) change_impairments();
      now += ns(dice_.below(20));
      send(now);
      if (dice_.one_in(3)) receive(now);
      if (step % 20 == 0) check_counters();
    }
    while (const std::optional<Time> next = link_.next_arrival()) receive(now = std::max(now, *next));
    check_counters();
    BOOST_TEST(link_.total().num_in_flight() == 0U);
    for (const DirectionModel& direction : directions_) {
      for (const std::optional<Sent>& sent : direction.packets) BOOST_TEST((!sent || sent->delivered));
    }
    num_delivered += link_.total().num_delivered;
    num_overtaken += link_.total().num_overtaken;
  }

  static inline std::uint64_t num_delivered = 0;
  static inline std::uint64_t num_overtaken = 0;
  static inline std::array<std::uint64_t, static_cast<std::size_t>(SendOutcome::count_)> num_by_outcome{};

 private:
  static std::size_t index(Endpoint from, Endpoint to) { return std::size_t{from.value} * num_endpoints + to.value; }

  void change_impairments() {
    for (std::uint16_t from = 0; from < num_endpoints; ++from) {
      for (std::uint16_t to = 0; to < num_endpoints; ++to) {
        const Impairments impairments = random_impairments(dice_);
        link_.set({from}, {to}, impairments);
        DirectionModel& direction = directions_[index({from}, {to})];
        direction.bound = std::max(max_forced_bound, impairments.reorder_bound);
        direction.delay = impairments.delay;
      }
    }
  }

  void send(Time now) {
    const Endpoint from{static_cast<std::uint16_t>(dice_.below(num_endpoints))};
    const Endpoint to{static_cast<std::uint16_t>(dice_.below(num_endpoints))};
    std::vector<std::uint8_t> octets(dice_.below(64));
    for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(dice_.below(256));
    DirectionModel& direction = directions_[index(from, to)];
    const SendOutcome outcome = link_.send(from, to, octets, now);
    ++num_by_outcome[static_cast<std::size_t>(outcome)];
    direction.packets.emplace_back();
    if (outcome == SendOutcome::accepted)
      direction.packets.back() = Sent{octets, now, direction.delay, direction.bound};
  }

  void receive(Time now) {
    while (const std::optional<Delivery> delivery = link_.receive(now)) check(*delivery, now);
    BOOST_TEST((!link_.next_arrival() || *link_.next_arrival() > now));
  }

  void check(const Delivery& d, Time now) {
    BOOST_TEST(last_arrival_.count() <= d.arrived_at.count());
    BOOST_TEST(d.arrived_at.count() <= now.count());
    last_arrival_ = d.arrived_at;
    DirectionModel& direction = directions_[index(d.from, d.to)];
    BOOST_REQUIRE(d.number < direction.packets.size());
    std::optional<Sent>& sent = direction.packets[d.number];
    BOOST_REQUIRE(sent.has_value());
    BOOST_TEST((d.sent_at == sent->at && d.arrived_at >= sent->at + sent->delay));

    bool& before = d.copy ? sent->copy_delivered : sent->delivered;
    BOOST_TEST(!before);
    before = true;

    BOOST_REQUIRE(d.octets.size() == sent->octets.size());
    int num_flipped = 0;
    for (std::size_t i = 0; i < d.octets.size(); ++i) {
      num_flipped += std::popcount(static_cast<unsigned>(d.octets[i] ^ sent->octets[i]));
    }
    BOOST_TEST(num_flipped == int{d.num_flipped_bits});

    const std::pair<std::uint64_t, bool> own{d.number, d.copy};
    const auto overtaking = std::count_if(direction.arrived.begin(), direction.arrived.end(),
                                          [&](const std::pair<std::uint64_t, bool>& other) { return other > own; });
    BOOST_TEST(d.num_overtaking == static_cast<std::uint64_t>(overtaking));
    BOOST_TEST(d.num_overtaking <= sent->bound);
    direction.arrived.push_back(own);
  }

  void check_counters() {
    Counters sum;
    for (std::uint16_t from = 0; from < num_endpoints; ++from) {
      for (std::uint16_t to = 0; to < num_endpoints; ++to) {
        const Counters& c = link_.counters({from}, {to});
        const DirectionModel& direction = directions_[index({from}, {to})];
        const auto accepted = std::count_if(direction.packets.begin(), direction.packets.end(),
                                            [](const std::optional<Sent>& sent) { return sent.has_value(); });
        BOOST_TEST(c.num_sent == direction.packets.size());
        BOOST_TEST(c.num_delivered == direction.arrived.size());
        BOOST_TEST(c.num(SendOutcome::accepted) == static_cast<std::uint64_t>(accepted));
        BOOST_TEST(c.num_sent + c.num_copies == c.num_delivered + c.num_dropped() + c.num_in_flight());
        sum += c;
      }
    }
    BOOST_TEST((sum == link_.total()));
    BOOST_TEST(sum.num_in_flight() <= 24U);
  }

  Dice dice_;
  Link link_;
  std::vector<Fate> fates_;
  std::array<DirectionModel, std::size_t{num_endpoints} * num_endpoints> directions_;
  Time last_arrival_{};
};

BOOST_AUTO_TEST_SUITE(laws)

BOOST_AUTO_TEST_CASE(hold_for_random_programs) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) { Program(seed).run(); }
  }
  // Nothing is left out.
  for (const std::uint64_t num : Program::num_by_outcome) BOOST_TEST(num > 100U);
  BOOST_TEST(Program::num_delivered > 10'000U);
  BOOST_TEST(Program::num_overtaken > 500U);
}

// The bound is reached and never passed, with the held ones dense enough to overtake each other.
BOOST_AUTO_TEST_CASE(no_packet_is_overtaken_by_more_than_the_bound) {
  for (std::uint32_t bound = 1; bound <= 6; ++bound) {
    Link link(LinkConfig{.seed = bound});
    Impairments impairments;
    impairments.reorder = Ppm::percent(50);
    impairments.reorder_bound = bound;
    impairments.duplicate = Ppm::percent(10);
    link.set(a, b, impairments);
    std::set<std::pair<std::uint64_t, bool>> arrived;
    std::uint64_t most = 0;
    for (int i = 0; i < 3000; ++i) {
      link.send(a, b, packet(0), ns(i));
      while (const std::optional<Delivery> d = link.receive(ns(i))) {
        const auto own = arrived.emplace(d->number, d->copy).first;
        const auto overtaking = static_cast<std::uint64_t>(std::distance(std::next(own), arrived.end()));
        if (overtaking != d->num_overtaking) BOOST_ERROR("packet " << d->number << ", bound " << bound);
        most = std::max(most, overtaking);
      }
    }
    BOOST_TEST(most == bound);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
