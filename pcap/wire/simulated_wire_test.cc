#include "pcap/wire/simulated_wire.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <vector>

namespace rdmawire::wire {
namespace {

using namespace std::chrono_literals;
using Status = IoResult::Status;
using Octets = std::vector<std::uint8_t>;

Octets take(Wire& wire, Time now) {
  Octets out(Wire::max_frame_len);
  const IoResult got = wire.receive(out, now);
  out.resize(got.status == Status::done ? got.size : 0);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulated_wire)

BOOST_AUTO_TEST_CASE(a_frame_arrives_when_the_link_says_so) {
  link::Impairments far;
  far.delay = 3us;
  const auto [a, b] = simulated_wires(far, 1);
  BOOST_TEST((!a->next_deadline() && !b->next_deadline()));
  BOOST_TEST((a->send(Octets{1, 2, 3}, 10us).status == Status::done));
  BOOST_TEST((b->send(Octets{4}, 11us).status == Status::done));
  BOOST_TEST((b->next_deadline() == Time(13us)));
  BOOST_TEST(take(*b, Time(13us) - 1ns).empty());
  BOOST_TEST(take(*b, 13us) == (Octets{1, 2, 3}));
  BOOST_TEST(take(*b, 14us).empty());
  // What the other side has asked for is there for this one all the same.
  BOOST_TEST((a->next_deadline() == Time{}));
  BOOST_TEST(take(*a, 14us) == Octets{4});
  BOOST_TEST((!a->next_deadline() && !b->next_deadline()));
}

BOOST_AUTO_TEST_CASE(what_there_is_no_room_for_is_not_taken) {
  const auto [a, b] = simulated_wires({}, 1);
  std::size_t num_sent = 0;
  while (a->send(Octets{7}, 1us).status == Status::done) ++num_sent;
  BOOST_TEST(num_sent == 1024U);
  BOOST_TEST(take(*b, 1us) == Octets{7});
  BOOST_TEST((a->send(Octets{7}, 1us).status == Status::done));
}

BOOST_AUTO_TEST_CASE(a_frame_that_does_not_fit_is_cut) {
  const auto [a, b] = simulated_wires({}, 1);
  a->send(Octets{1, 2, 3}, 1us);
  Octets out(2);
  const IoResult got = b->receive(out, 1us);
  BOOST_TEST(got.size == 3U);
  BOOST_TEST(out == (Octets{1, 2}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::wire
