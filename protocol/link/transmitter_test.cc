#include "protocol/link/transmitter.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <optional>

namespace {

using namespace rdmawire::link;
using rdmawire::Time;
using std::chrono::nanoseconds;
using std::chrono::seconds;

Transmitter at(std::uint64_t bits_per_second, std::uint32_t framing_len = 0) {
  Impairments impairments;
  impairments.rate = {bits_per_second};
  impairments.framing_len = framing_len;
  Transmitter transmitter;
  transmitter.set(impairments);
  return transmitter;
}

void check(const std::optional<Transmitter::Slot>& slot, Time begin, Time end) {
  BOOST_REQUIRE(slot.has_value());
  BOOST_TEST(slot->begin.count() == begin.count());
  BOOST_TEST(slot->end.count() == end.count());
}

BOOST_AUTO_TEST_SUITE(transmitter)

BOOST_AUTO_TEST_CASE(takes_no_time_without_a_rate) {
  Transmitter transmitter = at(0);
  check(transmitter.accept(4096, nanoseconds(5)), nanoseconds(5), nanoseconds(5));
  check(transmitter.accept(4096, nanoseconds(5)), nanoseconds(5), nanoseconds(5));
}

// 1250 octets are 10000 bits: 100 ns each at 100 Gbit/s.
BOOST_AUTO_TEST_CASE(sends_one_packet_after_the_other) {
  Transmitter transmitter = at(100'000'000'000);
  check(transmitter.accept(1250, nanoseconds(1000)), nanoseconds(1000), nanoseconds(1100));
  check(transmitter.accept(1250, nanoseconds(1000)), nanoseconds(1100), nanoseconds(1200));
  check(transmitter.accept(125, nanoseconds(1150)), nanoseconds(1200), nanoseconds(1210));
  check(transmitter.accept(1250, nanoseconds(1210)), nanoseconds(1210), nanoseconds(1310));
  check(transmitter.accept(1250, nanoseconds(5000)), nanoseconds(5000), nanoseconds(5100));
}

BOOST_AUTO_TEST_CASE(counts_the_framing_of_each_packet) {
  Transmitter transmitter = at(8'000'000'000, 24);
  check(transmitter.accept(1000, nanoseconds(0)), nanoseconds(0), nanoseconds(1024));
  check(transmitter.accept(0, nanoseconds(0)), nanoseconds(1024), nanoseconds(1048));
}

// An octet at 3 Gbit/s takes 2 2/3 ns: three of them take 8 ns, whatever each is rounded to.
BOOST_AUTO_TEST_CASE(keeps_the_fraction_of_a_nanosecond) {
  Transmitter transmitter = at(3'000'000'000);
  check(transmitter.accept(1, nanoseconds(0)), nanoseconds(0), nanoseconds(3));
  check(transmitter.accept(1, nanoseconds(0)), nanoseconds(3), nanoseconds(6));
  check(transmitter.accept(1, nanoseconds(0)), nanoseconds(6), nanoseconds(8));
  for (int i = 3; i < 2'999; ++i) transmitter.accept(1, nanoseconds(0));
  check(transmitter.accept(1, nanoseconds(0)), nanoseconds(7'998), nanoseconds(8'000));
}

// The last bit leaves at 2 2/3 ns: at 2 the next one still waits for the fraction, at 3 it does not.
BOOST_AUTO_TEST_CASE(forgets_the_fraction_when_idle) {
  Transmitter busy = at(3'000'000'000);
  check(busy.accept(1, nanoseconds(0)), nanoseconds(0), nanoseconds(3));
  check(busy.accept(1, nanoseconds(2)), nanoseconds(3), nanoseconds(6));
  Transmitter idle = at(3'000'000'000);
  check(idle.accept(1, nanoseconds(0)), nanoseconds(0), nanoseconds(3));
  check(idle.accept(1, nanoseconds(3)), nanoseconds(3), nanoseconds(6));
  check(idle.accept(1, nanoseconds(3)), nanoseconds(6), nanoseconds(9));
}

BOOST_AUTO_TEST_CASE(rounds_up_when_the_rate_changes) {
  Transmitter transmitter = at(3'000'000'000);
  check(transmitter.accept(1, nanoseconds(0)), nanoseconds(0), nanoseconds(3));
  Impairments faster;
  faster.rate = BitRate::gbit(8);
  transmitter.set(faster);
  check(transmitter.accept(1, nanoseconds(0)), nanoseconds(3), nanoseconds(4));
  transmitter.set(Impairments{});
  check(transmitter.accept(1, nanoseconds(0)), nanoseconds(4), nanoseconds(4));
}

// 8 Gbit/s is an octet a nanosecond.
BOOST_AUTO_TEST_CASE(drops_what_the_queue_has_no_room_for) {
  Impairments impairments;
  impairments.rate = BitRate::gbit(8);
  impairments.queue_len = 1000;
  Transmitter transmitter;
  transmitter.set(impairments);
  BOOST_TEST(!transmitter.accept(1001, nanoseconds(0)));
  check(transmitter.accept(600, nanoseconds(0)), nanoseconds(0), nanoseconds(600));
  BOOST_TEST(!transmitter.accept(401, nanoseconds(0)));
  check(transmitter.accept(400, nanoseconds(0)), nanoseconds(600), nanoseconds(1000));
  BOOST_TEST(!transmitter.accept(1, nanoseconds(0)));
  BOOST_TEST(!transmitter.accept(101, nanoseconds(100)));
  check(transmitter.accept(100, nanoseconds(100)), nanoseconds(1000), nanoseconds(1100));
}

// 10 octets take 26 2/3 ns. With the fraction cut off, a packet too much would find room.
BOOST_AUTO_TEST_CASE(measures_the_queue_to_the_fraction) {
  Impairments impairments;
  impairments.rate = {3'000'000'000};
  impairments.queue_len = 10;
  Transmitter transmitter;
  transmitter.set(impairments);
  for (int i = 0; i < 10; ++i) BOOST_TEST(transmitter.accept(1, nanoseconds(0)).has_value());
  BOOST_TEST(!transmitter.accept(1, nanoseconds(0)));
  BOOST_TEST(!transmitter.accept(1, nanoseconds(2)));  // 9 1/4 octets left
  BOOST_TEST(transmitter.accept(1, nanoseconds(3)).has_value());
}

BOOST_AUTO_TEST_CASE(tells_when_the_queue_is_longer_than_the_threshold) {
  Impairments impairments;
  impairments.rate = BitRate::gbit(8);
  impairments.mark_threshold_len = 1000;
  Transmitter transmitter;
  transmitter.set(impairments);
  BOOST_TEST(!transmitter.accept(1000, nanoseconds(0))->congested);
  BOOST_TEST(!transmitter.accept(1000, nanoseconds(0))->congested);
  BOOST_TEST(transmitter.accept(1000, nanoseconds(0))->congested);
  BOOST_TEST(transmitter.accept(1, nanoseconds(1999))->congested);   // 1001 octets left
  BOOST_TEST(!transmitter.accept(1, nanoseconds(2001))->congested);  // 1000

  impairments.mark_threshold_len = 0;
  transmitter.set(impairments);
  BOOST_TEST(!transmitter.accept(1, nanoseconds(9000))->congested);
  BOOST_TEST(transmitter.accept(1, nanoseconds(9000))->congested);
}

// A bit a second: the longest packet takes 544 years, and Time holds 292.
BOOST_AUTO_TEST_CASE(survives_absurd_numbers) {
  Transmitter slow = at(1, no_limit);
  BOOST_TEST((slow.accept(1, seconds(1))->end == Time::max()));
  BOOST_TEST((slow.accept(no_limit, seconds(2))->end == Time::max()));
  Transmitter fast = at(~std::uint64_t{0});
  check(fast.accept(125'000'000, nanoseconds(0)), nanoseconds(0), nanoseconds(1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
