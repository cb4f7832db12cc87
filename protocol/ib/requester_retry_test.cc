// Timeouts, retries and RNR waits of the requester, to the nanosecond.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;
using W = verbs::WorkOpcode;

BOOST_AUTO_TEST_SUITE(requester_retry)

//= TMO-01 test
//= TMO-02 test
//= TMO-03 test
//= TMO-04 test
RDMAWIRE_SCENARIO(silence_repeats_the_oldest) {
  Rc t(script);
  t.deadline("never");
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.deadline("67108864");
  t.post(t.work(2, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.at(67108863, "");
  t.at(67108864,
       "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 101 len 4 A "
       "[00000000] va 0x200000 key 0x55 dma 4");
  t.deadline("134217728");
  t.take(ack(101, 2), "RDMA_WRITE 1 SUCCESS, RDMA_WRITE 2 SUCCESS");
  t.deadline("never");
}
//= TMO-05 test
//= CQE-12 test
RDMAWIRE_SCENARIO(three_retries_are_four_transmissions) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.at(67108864, "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.at(134217728, "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.at(201326592, "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.at(268435456, "RDMA_WRITE 1 RETRY_EXC_ERR, state ERR");
  t.deadline("never");
}
//= TMO-05 test
RDMAWIRE_SCENARIO(no_retries) {
  Setup setup;
  setup.attributes.retry_count = 0;
  Rc t(script, setup);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.at(67108864, "RDMA_WRITE 1 RETRY_EXC_ERR, state ERR");
}
//= TMO-06 test
RDMAWIRE_SCENARIO(progress_restores_the_retries) {
  Setup setup;
  setup.attributes.retry_count = 1;
  Rc t(script, setup);
  t.post(t.work(1, W::rdma_write, 600),
         "RC_RDMA_WRITE_FIRST 100 len 256 [00..00] va 0x200000 key 0x55 dma 600, RC_RDMA_WRITE_MIDDLE 101 len 256 "
         "[00..00], RC_RDMA_WRITE_LAST 102 len 88 A [00..00]");
  t.at(67108864,
       "RC_RDMA_WRITE_FIRST 100 len 256 A [00..00] va 0x200000 key 0x55 dma 600, RC_RDMA_WRITE_MIDDLE 101 len 256 "
       "[00..00], RC_RDMA_WRITE_LAST 102 len 88 A [00..00]");
  t.take(ack(100, 0), "");
  t.deadline("134217728");
  t.at(134217728, "RC_RDMA_WRITE_MIDDLE 101 len 256 A [00..00], RC_RDMA_WRITE_LAST 102 len 88 A [00..00]");
  t.take(ack(102, 1), "RDMA_WRITE 1 SUCCESS");
}
//= TMO-07 test
//= NAK-04 test
RDMAWIRE_SCENARIO(timeouts_and_naks_share_the_retries) {
  Setup setup;
  setup.attributes.retry_count = 2;
  Rc t(script, setup);
  t.post(t.work(1, W::rdma_read, 4), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4");
  t.post(t.work(2, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(101, 2),
         "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 "
         "key 0x55 dma 4");
  t.at(67108864,
       "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 "
       "key 0x55 dma 4");
  t.take(ack(100, 0, 0x60), "RDMA_READ 1 RETRY_EXC_ERR, RDMA_WRITE 2 WR_FLUSH_ERR, state ERR");
}
//= TMO-07 test
RDMAWIRE_SCENARIO(sequence_naks_use_up_the_retries) {
  Setup setup;
  setup.attributes.retry_count = 1;
  Rc t(script, setup);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(100, 0, 0x60), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.at(67108864, "RDMA_WRITE 1 RETRY_EXC_ERR, state ERR");
}
//= TMO-03 test
// A packet that asks for nothing starts no timer.
RDMAWIRE_SCENARIO(timer_runs_while_an_answer_is_due) {
  Rc t(script);
  t.hold(t.work(1, W::rdma_write, 600));
  t.poll("RC_RDMA_WRITE_FIRST 100 len 256 [00..00] va 0x200000 key 0x55 dma 600", 1);
  t.deadline("never");
  t.now = Time(1000);
  t.poll("RC_RDMA_WRITE_MIDDLE 101 len 256 [00..00], RC_RDMA_WRITE_LAST 102 len 88 A [00..00]");
  t.deadline("67109864");
}
//= TMO-08 test
//= MIG-03 test
RDMAWIRE_SCENARIO(armed_path_is_taken_before_giving_up) {
  Setup setup;
  setup.attributes.retry_count = 0;
  Rc t(script, setup);
  verbs::QpAttributes armed;
  armed.migration = verbs::MigrationState::armed;
  BOOST_TEST(t.end.qp.modify(verbs::QpState::rts, armed, verbs::attribute::migration).has_value());
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.at(67108864, "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4, event PATH_MIG");
  t.at(134217728, "RDMA_WRITE 1 RETRY_EXC_ERR, state ERR");
}

//= RNR-04 test
//= RNR-07 test
//= NAK-02 test
RDMAWIRE_SCENARIO(rnr_waits_and_repeats_all_that_follows) {
  Rc t(script);
  for (std::uint64_t i = 1; i <= 3; ++i) t.hold(t.work(i, W::send, 4));
  t.poll(
      "RC_SEND_ONLY 100 len 4 A [00000000], RC_SEND_ONLY 101 len 4 A [00000000], RC_SEND_ONLY 102 len 4 A [00000000]");
  t.now = Time(1000);
  t.take(ack(101, 1, 0x2C), "SEND 1 SUCCESS");
  t.deadline("641000");
  t.at(640999, "");
  t.at(641000, "RC_SEND_ONLY 101 len 4 A [00000000], RC_SEND_ONLY 102 len 4 A [00000000]");
}
//= RNR-05 test
//= CQE-13 test
RDMAWIRE_SCENARIO(rnr_retries_are_counted) {
  Setup setup;
  setup.attributes.rnr_retry = 1;
  Rc t(script, setup);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 0, 0x2C), "");
  t.at(640000, "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 0, 0x2C), "SEND 1 RNR_RETRY_EXC_ERR, state ERR");
}
//= RNR-05 test
RDMAWIRE_SCENARIO(rnr_does_not_cost_retries) {
  Setup setup;
  setup.attributes.retry_count = 0;
  Rc t(script, setup);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 0, 0x21), "");
  t.at(10000, "RC_SEND_ONLY 100 len 4 A [00000000]");
}
//= RNR-05 test
RDMAWIRE_SCENARIO(rnr_retry_7_is_for_ever) {
  Setup setup;
  setup.attributes.rnr_retry = 7;
  Rc t(script, setup);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  for (int i = 1; i <= 9; ++i) {
    t.take(ack(100, 0, 0x21), "");
    t.at(i * 10000, "RC_SEND_ONLY 100 len 4 A [00000000]");
  }
}
//= RNR-06 test
RDMAWIRE_SCENARIO(progress_restores_the_rnr_retries) {
  Setup setup;
  setup.attributes.rnr_retry = 1;
  Rc t(script, setup);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 0, 0x21), "");
  t.at(10000, "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 1), "SEND 1 SUCCESS");
  t.post(t.work(2, W::send, 4), "RC_SEND_ONLY 101 len 4 A [00000000]");
  t.take(ack(101, 1, 0x21), "");
  t.at(20000, "RC_SEND_ONLY 101 len 4 A [00000000]");
}
//= RNR-07 test
RDMAWIRE_SCENARIO(ack_timer_stands_still_during_the_rnr_wait) {
  Setup setup;
  setup.attributes.timeout = {8};
  Rc t(script, setup);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 0, 0x20), "");
  t.deadline("655360000");
  t.at(1048576, "");
  t.at(655360000, "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.deadline("656408576");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
