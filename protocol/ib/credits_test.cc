// End-to-end flow control, both halves.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;
using W = verbs::WorkOpcode;

BOOST_AUTO_TEST_SUITE(credits)

//= CRD-01 test
RDMAWIRE_SCENARIO(acks_carry_the_receives_that_wait) {
  Setup setup;
  setup.depth = 200;
  Rc t(script, setup);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.receives(1, 5);
  t.take(t.write(101, 0, 4), "RC_ACKNOWLEDGE 101 0x04 msn 2");
  t.receives(6, 95);
  t.take(t.write(102, 0, 4), "RC_ACKNOWLEDGE 102 0x0d msn 3");
}
//= CRD-01 test
// The one in use counts until its message is done.
RDMAWIRE_SCENARIO(receive_in_use_is_still_granted) {
  Rc t(script);
  t.receives(1, 2, 300);
  t.take(Packet(RC_SEND_FIRST, 100).data(256), "RC_ACKNOWLEDGE 100 0x02 msn 0");
  t.take(Packet(RC_SEND_LAST, 101).data(4), "RC_ACKNOWLEDGE 101 0x01 msn 1, RECV 1 SUCCESS 260");
}
//= CRD-04 test
//= ACK-10 test
RDMAWIRE_SCENARIO(without_flow_control_the_code_is_31) {
  Setup setup;
  setup.config.flow_control = false;
  Rc t(script, setup);
  t.receives(1, 2);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x1f msn 1, RECV 1 SUCCESS 4");
}
//= ACK-10 test
RDMAWIRE_SCENARIO(with_an_srq_the_code_is_31) {
  Setup setup;
  setup.shared = true;
  Rc t(script, setup);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x1f msn 1");
}
//= CRD-06 test
RDMAWIRE_SCENARIO(new_receives_are_told_after_a_zero) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.receives(1, 1);
  t.poll("RC_ACKNOWLEDGE 100 0x01 msn 1");
  t.receives(2, 1);
  t.poll("");
}

//= CRD-02 test
RDMAWIRE_SCENARIO(sends_beyond_the_limit_wait) {
  Rc t(script);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 1, 0x01), "SEND 1 SUCCESS");
  for (std::uint64_t i = 2; i <= 4; ++i) t.hold(t.work(i, W::send, 4));
  t.poll("RC_SEND_ONLY 101 len 4 A [00000000]");
  t.take(ack(101, 2, 0x00), "RC_SEND_ONLY 102 len 4 A [00000000], SEND 2 SUCCESS");
  t.take(ack(101, 2, 0x02), "RC_SEND_ONLY 103 len 4 A [00000000]");
}
//= CRD-02 test
// What needs no receive does not wait.
RDMAWIRE_SCENARIO(writes_need_no_credits) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(100, 1, 0x00), "RDMA_WRITE 1 SUCCESS");
  t.post(t.work(2, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(3, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(4, W::send, 4), "");
}
//= CRD-02 test
// Of a message beyond the limit one packet may ask.
RDMAWIRE_SCENARIO(first_packet_may_probe) {
  Rc t(script);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 1, 0x00), "SEND 1 SUCCESS");
  t.post(t.work(2, W::send, 600), "RC_SEND_FIRST 101 len 256 A [00..00]");
  t.take(ack(101, 1, 0x01), "RC_SEND_MIDDLE 102 len 256 [00..00], RC_SEND_LAST 103 len 88 A [00..00]");
}
//= CRD-03 test
RDMAWIRE_SCENARIO(code_31_ends_credits) {
  Rc t(script);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 1, 0x1F), "SEND 1 SUCCESS");
  for (std::uint64_t i = 2; i <= 4; ++i) t.hold(t.work(i, W::send, 4));
  t.poll(
      "RC_SEND_ONLY 101 len 4 A [00000000], RC_SEND_ONLY 102 len 4 A [00000000], RC_SEND_ONLY 103 len 4 A [00000000]");
  t.take(ack(101, 2, 0x00), "SEND 2 SUCCESS");
  t.post(t.work(5, W::send, 4), "RC_SEND_ONLY 104 len 4 A [00000000]");
}
//= CRD-04 test
RDMAWIRE_SCENARIO(codes_are_ignored_without_flow_control) {
  Setup setup;
  setup.config.flow_control = false;
  Rc t(script, setup);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 1, 0x00), "SEND 1 SUCCESS");
  for (std::uint64_t i = 2; i <= 4; ++i) t.hold(t.work(i, W::send, 4));
  t.poll(
      "RC_SEND_ONLY 101 len 4 A [00000000], RC_SEND_ONLY 102 len 4 A [00000000], RC_SEND_ONLY 103 len 4 A [00000000]");
}
//= CRD-05 test
//= PSN-13 test
RDMAWIRE_SCENARIO(limit_does_not_move_back) {
  Rc t(script);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 1, 0x03), "SEND 1 SUCCESS");
  t.take(ack(100, 1, 0x00), "");
  for (std::uint64_t i = 2; i <= 5; ++i) t.hold(t.work(i, W::send, 4));
  t.poll(
      "RC_SEND_ONLY 101 len 4 A [00000000], RC_SEND_ONLY 102 len 4 A [00000000], RC_SEND_ONLY 103 len 4 A [00000000]");
}
//= CRD-06 test
//= PSN-13 test
RDMAWIRE_SCENARIO(unsolicited_ack_raises_the_limit) {
  Rc t(script);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 1, 0x00), "SEND 1 SUCCESS");
  t.take(ack(100, 1, 0x02), "");
  for (std::uint64_t i = 2; i <= 4; ++i) t.hold(t.work(i, W::send, 4));
  t.poll("RC_SEND_ONLY 101 len 4 A [00000000], RC_SEND_ONLY 102 len 4 A [00000000]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
