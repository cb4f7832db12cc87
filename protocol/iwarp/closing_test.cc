// How a queue pair on a TCP connection ends, where it is not by the ULP's two calls alone.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <vector>

#include "protocol/iwarp/end_test.h"

namespace rdmawire::iwarp {
namespace {

using std::chrono::seconds;
using verbs::CompletionStatus;

// The initiator says nothing of its own accord.
MpaQueuePairConfig without_ready_to_receive() {
  MpaQueuePairConfig config;
  config.mpa.peer_to_peer = false;
  return config;
}

void post_send(End& end) {
  const verbs::Sge sge = end.sge(0, 100);
  verbs::SendWork work;
  work.opcode = verbs::WorkOpcode::send;
  work.sges = {&sge, 1};
  BOOST_REQUIRE(end.qp.post_send(work));
}

BOOST_AUTO_TEST_SUITE(iwarp_closing)

BOOST_AUTO_TEST_CASE(a_responder_that_nobody_spoke_to_ends_in_order) {
  Pair pair(without_ready_to_receive());
  pair.connect();
  pair.a.qp.close(pair.now);
  pair.b.qp.close(pair.now);
  pair.run();
  BOOST_TEST((pair.a.qp.stream().state() == StreamState::ended));
  BOOST_TEST((pair.b.qp.stream().state() == StreamState::ended));
  BOOST_TEST((pair.a.qp.stream().end().by == StreamEnd::By::ulp));
  BOOST_TEST((pair.b.qp.stream().end().by == StreamEnd::By::ulp));
}

BOOST_AUTO_TEST_CASE(what_a_responder_may_never_send_is_flushed_when_the_initiator_ends) {
  for (const bool posted_before : {true, false}) {
    Pair pair(without_ready_to_receive());
    pair.connect();
    if (posted_before) post_send(pair.b);
    pair.a.qp.close(pair.now);
    pair.run();
    if (!posted_before) post_send(pair.b);
    pair.run();
    const auto sent = pair.b.sent();
    BOOST_REQUIRE_EQUAL(sent.size(), 1U);
    BOOST_TEST((sent[0].status == CompletionStatus::work_flushed));
    BOOST_TEST((pair.b.qp.stream().state() == StreamState::ended));
    BOOST_TEST((pair.b.qp.stream().end().by == StreamEnd::By::loss));
  }
}

BOOST_AUTO_TEST_CASE(the_time_to_close_begins_with_the_own_end_and_not_with_what_came_last) {
  Pair pair;
  pair.connect();
  pair.now = seconds(100);
  pair.a.qp.close(pair.now);
  pair.run();
  BOOST_TEST((pair.a.qp.stream().state() == StreamState::closing));
  BOOST_TEST((pair.a.qp.next_deadline() == Time(seconds(105))));
  pair.a.qp.on_deadline(seconds(104));
  BOOST_TEST((pair.a.qp.take_action() == HostAction::none));
  pair.a.qp.on_deadline(seconds(105));
  BOOST_TEST((pair.a.qp.take_action() == HostAction::abort));
}

BOOST_AUTO_TEST_CASE(after_an_error_the_peer_cannot_put_the_end_off) {
  Pair pair;
  pair.connect();
  const std::vector<std::uint8_t> zeros(100);
  pair.a.qp.on_octets(zeros, pair.now);
  std::vector<std::uint8_t> terminate(2000);
  BOOST_TEST(pair.a.qp.poll_octets(terminate, pair.now) != 0U);
  BOOST_TEST((pair.a.qp.take_action() == HostAction::shut_down));
  pair.a.qp.on_octets(zeros, seconds(4));
  BOOST_TEST((pair.a.qp.next_deadline() == Time(seconds(5))));
  pair.a.qp.on_deadline(seconds(5));
  BOOST_TEST((pair.a.qp.take_action() == HostAction::abort));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp
