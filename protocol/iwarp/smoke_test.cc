#include <boost/test/unit_test.hpp>

#include "protocol/iwarp/end_test.h"

namespace rdmawire::iwarp {
namespace {

using verbs::WorkOpcode;

BOOST_AUTO_TEST_SUITE(iwarp_queue_pair)

BOOST_AUTO_TEST_CASE(write_read_send_and_atomics_arrive) {
  Pair pair;
  pair.connect();
  BOOST_TEST((pair.a.qp.verbs().state() == verbs::QpState::rts));
  BOOST_TEST((pair.b.qp.verbs().state() == verbs::QpState::rts));
  for (std::size_t i = 0; i < 5000; ++i) pair.a.octets[i] = static_cast<std::uint8_t>(i * 7);

  const verbs::Sge into = pair.b.sge(40000, 100);
  BOOST_REQUIRE(pair.b.qp.post_receive({{70}, {&into, 1}}));

  verbs::SendWork work;
  const verbs::Sge from = pair.a.sge(0, 5000);
  work.id = {1};
  work.opcode = WorkOpcode::rdma_write;
  work.sges = {&from, 1};
  work.remote_address = base_address + 8192;
  work.r_key = pair.b.key;
  BOOST_REQUIRE(pair.a.qp.post_send(work));
  const verbs::Sge back = pair.a.sge(20000, 5000);
  work.id = {2};
  work.opcode = WorkOpcode::rdma_read;
  work.sges = {&back, 1};
  BOOST_REQUIRE(pair.a.qp.post_send(work));
  const verbs::Sge result = pair.a.sge(30000, 8);
  work.id = {3};
  work.opcode = WorkOpcode::fetch_add;
  work.sges = {&result, 1};
  work.swap_or_add = 5;
  work.remote_address = base_address;
  BOOST_REQUIRE(pair.a.qp.post_send(work));
  const verbs::Sge small = pair.a.sge(0, 100);
  work.id = {4};
  work.opcode = WorkOpcode::send;
  work.solicited = true;
  work.sges = {&small, 1};
  BOOST_REQUIRE(pair.a.qp.post_send(work));
  pair.run();

  const auto sent = pair.a.sent();
  BOOST_REQUIRE_EQUAL(sent.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(sent[i].id.value == i + 1);
    BOOST_TEST((sent[i].status == verbs::CompletionStatus::success));
  }
  BOOST_TEST(sent[1].byte_len == 5000U);
  BOOST_TEST(std::equal(pair.a.octets.begin(), pair.a.octets.begin() + 5000, pair.b.octets.begin() + 8192));
  BOOST_TEST(std::equal(pair.a.octets.begin(), pair.a.octets.begin() + 5000, pair.a.octets.begin() + 20000));
  BOOST_TEST(pair.b.octets[0] == 5);
  const auto received = pair.b.received();
  BOOST_REQUIRE_EQUAL(received.size(), 1U);
  BOOST_TEST(received[0].byte_len == 100U);
  BOOST_TEST(received[0].solicited);

  pair.a.qp.close(pair.now);
  pair.run();
  BOOST_TEST((pair.a.qp.stream().state() == StreamState::closing));
  pair.b.qp.close(pair.now);
  pair.run();
  BOOST_TEST((pair.a.qp.stream().state() == StreamState::ended));
  BOOST_TEST((pair.b.qp.stream().state() == StreamState::ended));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp
