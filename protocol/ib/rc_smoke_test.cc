// The two halves together over a wire without faults: every operation once.
#include <boost/test/unit_test.hpp>

#include "protocol/ib/pair_test.h"

namespace rdmawire::ib::test {
namespace {

struct Fixture {
  End a{1}, b{2};
  Fixture() {
    a.connect();
    b.connect();
    for (std::size_t i = 0; i < a.octets.size(); ++i) a.octets[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  }
  // Carries packets both ways until neither has any; what went, in order.
  std::vector<std::string> run() {
    std::vector<std::string> out;
    for (bool any = true; any;) {
      any = false;
      while (const auto sent = a.poll()) {
        out.push_back("a " + text(*sent));
        b.take(*sent);
        any = true;
      }
      while (const auto sent = b.poll()) {
        out.push_back("b " + text(*sent));
        a.take(*sent);
        any = true;
      }
    }
    return out;
  }
  verbs::SendWork work(std::uint64_t id, verbs::WorkOpcode opcode, const std::vector<verbs::Sge>& sges) const {
    verbs::SendWork out;
    out.id = {id};
    out.opcode = opcode;
    out.sges = sges;
    out.remote_address = base_address + 0x8000;
    out.r_key = b.key;
    return out;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rc_pair)

BOOST_FIXTURE_TEST_CASE(write_of_several_packets_lands_and_completes, Fixture) {
  const std::vector<verbs::Sge> sges{a.sge(0, 300), a.sge(1000, 301)};
  BOOST_TEST(a.qp.post_send(work(1, verbs::WorkOpcode::rdma_write, sges)).has_value());
  const std::vector<std::string> expected{"a RC_RDMA_WRITE_FIRST 100 len 256", "a RC_RDMA_WRITE_MIDDLE 101 len 256",
                                          "a RC_RDMA_WRITE_LAST 102 len 89 A", "b RC_ACKNOWLEDGE 102 0x00 msn 1"};
  BOOST_TEST(run() == expected, boost::test_tools::per_element());
  BOOST_TEST(End::texts(a.send_cq) == "1 SUCCESS 0");
  for (std::size_t i = 0; i < 601; ++i) {
    BOOST_REQUIRE(b.octets[0x8000 + i] == a.octets[i < 300 ? i : 700 + i]);
  }
  BOOST_TEST(b.octets[0x8000 + 601] == 0);
}

BOOST_FIXTURE_TEST_CASE(read_write_send_and_atomics_complete_in_order, Fixture) {
  const std::vector<verbs::Sge> target{a.sge(0x4000, 600)}, eight{a.sge(0x5000, 8)}, small{a.sge(0, 10)};
  const std::vector<verbs::Sge> receive{b.sge(0x100, 64)};
  for (std::size_t i = 0; i < 600; ++i) b.octets[0x8000 + i] = static_cast<std::uint8_t>(i);
  BOOST_TEST(b.qp.post_receive({{77}, receive}).has_value());
  BOOST_TEST(a.qp.post_send(work(1, verbs::WorkOpcode::rdma_read, target)).has_value());
  auto send = work(2, verbs::WorkOpcode::send_with_immediate, small);
  send.immediate = {1, 2, 3, 4};
  send.solicited = true;
  BOOST_TEST(a.qp.post_send(send).has_value());
  auto add = work(3, verbs::WorkOpcode::fetch_add, eight);
  add.swap_or_add = 5;
  BOOST_TEST(a.qp.post_send(add).has_value());
  const std::vector<std::string> expected{"a RC_RDMA_READ_REQUEST 100 A",
                                          "a RC_SEND_ONLY_WITH_IMMEDIATE 103 len 10 A",
                                          "a RC_FETCH_ADD 104 A",
                                          "b RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256",
                                          "b RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256",
                                          "b RC_RDMA_READ_RESPONSE_LAST 102 0x00 msn 1 len 88",
                                          "b RC_ACKNOWLEDGE 103 0x00 msn 3",
                                          "b RC_ATOMIC_ACKNOWLEDGE 104 0x00 msn 3"};
  BOOST_TEST(run() == expected, boost::test_tools::per_element());
  BOOST_TEST(End::texts(a.send_cq) == "1 SUCCESS 600, 2 SUCCESS 0, 3 SUCCESS 8");
  std::array<verbs::Completion, 2> done;
  BOOST_REQUIRE(b.receive_cq.poll(done) == 1U);
  BOOST_TEST((done[0].id.value == 77 && done[0].byte_len == 10 && done[0].has_immediate && done[0].solicited));
  BOOST_TEST((done[0].immediate == std::array<std::uint8_t, 4>{1, 2, 3, 4}));
  // What a read returns is taken from memory when its response is sent: the later atomic is in it (ORD-03).
  BOOST_TEST(std::equal(a.octets.begin() + 0x4000, a.octets.begin() + 0x4000 + 600, b.octets.begin() + 0x8000));
  std::uint64_t original = 0, now = 0;
  std::memcpy(&original, a.octets.data() + 0x5000, 8);
  std::memcpy(&now, b.octets.data() + 0x8000, 8);
  BOOST_TEST(original == 0x0706050403020100U);
  BOOST_TEST(now == original + 5);
  BOOST_TEST(a.octets[0x4000 + 599] == static_cast<std::uint8_t>(599));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::ib::test
