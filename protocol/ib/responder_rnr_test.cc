// RNR NAKs at the responder, by packets made by hand.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

BOOST_AUTO_TEST_SUITE(responder_rnr)

//= RNR-01 test
//= RNR-02 test
//= PSN-10 test
RDMAWIRE_SCENARIO(send_without_receive) {
  Rc t(script);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x2c msn 0");
  t.receives(1, 1);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x00 msn 1, RECV 1 SUCCESS 4");
}
//= RNR-01 test
RDMAWIRE_SCENARIO(send_first_without_receive) {
  Rc t(script);
  t.take(Packet(RC_SEND_FIRST, 100).data(256), "RC_ACKNOWLEDGE 100 0x2c msn 0");
}

//= RNR-03 test
RDMAWIRE_SCENARIO(one_rnr_nak_for_pipelined_sends) {
  Rc t(script);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x2c msn 0");
  t.take(send_only(101), "");
  t.take(send_only(102), "");
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x2c msn 0");
  t.take(send_only(101), "");
}

// After the RNR the receives are there, and gaps are told as ever.
//= RNR-03 test
//= PSN-08 test
RDMAWIRE_SCENARIO(gap_after_the_rnr_is_over) {
  Rc t(script);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x2c msn 0");
  t.receives(1, 3);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x02 msn 1, RECV 1 SUCCESS 4");
  t.take(send_only(102), "RC_ACKNOWLEDGE 101 0x60 msn 1");
}

//= RNR-08 test
RDMAWIRE_SCENARIO(only_what_needs_a_receive_draws_rnr) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.read(101, 0, 4), "RC_RDMA_READ_RESPONSE_ONLY 101 0x00 msn 2 len 4 [01020304]");
  t.take(t.fetch_add(102, 0, 1), "RC_ATOMIC_ACKNOWLEDGE 102 0x00 msn 3 original 0x4030201");
  t.take(t.atomic_write(103, 0), "RC_RDMA_READ_RESPONSE_ONLY 103 0x00 msn 4");
}

//= RNR-09 test
RDMAWIRE_SCENARIO(write_with_immediate_needs_its_receive_at_the_end) {
  Rc t(script);
  const Packet last = Packet(RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 102).data(88).immediate({1, 2, 3, 4});
  t.take(t.write_first(100, 0, 600), "RC_ACKNOWLEDGE 100 0x00 msn 0");
  t.take(Packet(RC_RDMA_WRITE_MIDDLE, 101).data(256), "RC_ACKNOWLEDGE 101 0x00 msn 0");
  t.take(last, "RC_ACKNOWLEDGE 102 0x2c msn 0");
  t.receives(1, 1);
  t.take(last, "RC_ACKNOWLEDGE 102 0x00 msn 1, RECV_RDMA_WITH_IMM 1 SUCCESS 600 imm 01020304");
}

//= ACK-10 test
//= RNR-01 test
//= SND-01 test
RDMAWIRE_SCENARIO(shared_receives) {
  Setup setup;
  setup.shared = true;
  Rc t(script, setup);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x2c msn 0");
  t.receives(1, 2);
  (void)t.end.srq.set_limit(2);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x1f msn 1, RECV 1 SUCCESS 4, event SRQ_LIMIT_REACHED");
}
//= FLU-04 test
RDMAWIRE_SCENARIO(srq_survives_the_queue_pair) {
  Setup setup;
  setup.shared = true;
  Rc t(script, setup);
  t.receives(1, 3);
  t.take(Packet(RC_SEND_FIRST, 100).data(256),
         "RC_ACKNOWLEDGE 100 0x61 msn 0, RECV 1 LOC_LEN_ERR, event QP_LAST_WQE_REACHED, state ERR");
  t.note(std::to_string(t.end.srq.size()), "2");
}
//= FLU-04 test
RDMAWIRE_SCENARIO(srq_keeps_what_the_queue_pair_had_not_taken) {
  Setup setup;
  setup.shared = true;
  Rc t(script, setup);
  t.receives(1, 3);
  t.take(t.write(100, 0, 4).reth(base_address, 4, {0xBAD00}),
         "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, event QP_LAST_WQE_REACHED, state ERR");
  t.note(std::to_string(t.end.srq.size()), "3");
}

//= RNR-01 test
//= RNR-10 test
// Each code as the queue pair has it.
RDMAWIRE_SCENARIO(rnr_nak_carries_the_queue_pairs_code) {
  std::string all;
  for (std::uint8_t code = 0; code < 32; ++code) {
    Setup setup;
    setup.attributes.min_rnr_timer = {code};
    Rc t(script, setup);
    t.hold(send_only(100));
    const auto sent = t.end.poll();
    all += sent ? ' ' + std::to_string(sent->packet.headers.aeth.syndrome.value) : " none";
  }
  script.expect(all, " 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63",
                std::source_location::current());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
