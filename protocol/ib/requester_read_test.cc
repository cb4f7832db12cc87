// Read responses at the requester, by packets made by hand.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;
using W = verbs::WorkOpcode;

BOOST_AUTO_TEST_SUITE(requester_read)

Packet response(Opcode opcode, std::uint32_t psn, std::size_t size, unsigned first = 1, unsigned syndrome = 0x1F) {
  return Packet(opcode, psn).data(size, first).aeth(syndrome, 1);
}

//= OPS-07 test
//= LEN-09 test
//= RD-07 test
RDMAWIRE_SCENARIO(read_of_several_packets) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 600, 0x100), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 600");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 256), "");
  t.take(response(RC_RDMA_READ_RESPONSE_MIDDLE, 101, 256, 0x40), "");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 256, 0x70), "");
  t.memory(0x100, 4, "01020304");
  t.take(response(RC_RDMA_READ_RESPONSE_LAST, 102, 88, 0x80), "RDMA_READ 1 SUCCESS 600");
  t.memory(0x200, 4, "40414243");
  t.memory(0x300, 4, "80818283");
  t.memory(0x300 + 87, 2, "d700");
}
//= LEN-10 test
RDMAWIRE_SCENARIO(empty_read) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 0), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 0");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 100, 0), "RDMA_READ 1 SUCCESS");
}
//= PSN-05 test
RDMAWIRE_SCENARIO(read_takes_a_psn_for_each_response) {
  Rc t(script);
  t.hold(t.work(1, W::rdma_read, 768));
  t.hold(t.work(2, W::send, 4));
  t.poll("RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 768, RC_SEND_ONLY 103 len 4 A [00000000]");
}
//= OPS-07 test
RDMAWIRE_SCENARIO(only_after_first) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 512), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 512");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 256), "");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 101, 256), "RDMA_READ 1 BAD_RESP_ERR, state ERR");
}
//= OPS-07 test
RDMAWIRE_SCENARIO(middle_instead_of_first) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 600), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 600");
  t.take(response(RC_RDMA_READ_RESPONSE_MIDDLE, 100, 256), "RDMA_READ 1 BAD_RESP_ERR, state ERR");
}
//= OPS-09 test
RDMAWIRE_SCENARIO(response_with_a_nak_syndrome) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 4), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 100, 4, 1, 0x60), "RDMA_READ 1 BAD_RESP_ERR, state ERR");
}
//= LEN-09 test
//= CQE-01 test
RDMAWIRE_SCENARIO(last_one_octet_short) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 300), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 300");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 256), "");
  t.take(response(RC_RDMA_READ_RESPONSE_LAST, 101, 43), "RDMA_READ 1 LOC_LEN_ERR, state ERR");
}
//= LEN-09 test
RDMAWIRE_SCENARIO(first_shorter_than_the_path_mtu) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 300), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 300");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 252), "RDMA_READ 1 LOC_LEN_ERR, state ERR");
}
//= LEN-09 test
RDMAWIRE_SCENARIO(response_longer_than_the_read) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 4), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 100, 8), "RDMA_READ 1 LOC_LEN_ERR, state ERR");
}
//= LEN-09 test
RDMAWIRE_SCENARIO(read_that_ends_too_early) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 600), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 600");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 100, 256), "RDMA_READ 1 LOC_LEN_ERR, state ERR");
}

//= RD-02 test
//= ATM-08 test
RDMAWIRE_SCENARIO(no_more_reads_than_the_initiator_depth) {
  Rc t(script);
  for (std::uint64_t i = 1; i <= 3; ++i) t.hold(t.work(i, W::rdma_read, 4));
  t.hold(t.work(4, W::fetch_add, 8));
  t.hold(t.work(5, W::rdma_read, 4));
  t.hold(t.work(6, W::send, 4));
  t.poll(
      "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4, RC_RDMA_READ_REQUEST 101 A va 0x200000 key 0x55 dma 4, "
      "RC_RDMA_READ_REQUEST 102 A va 0x200000 key 0x55 dma 4, RC_FETCH_ADD 103 A va 0x200000 operands 0x0 0x0");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 100, 4),
         "RC_RDMA_READ_REQUEST 104 A va 0x200000 key 0x55 dma 4, RC_SEND_ONLY 105 len 4 A [01020304], RDMA_READ 1 "
         "SUCCESS 4");
}

//= RD-04 test
//= RD-05 test
//= RD-06 test
RDMAWIRE_SCENARIO(lost_middle_is_asked_for_again) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 1024), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 1024");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 256), "");
  t.take(response(RC_RDMA_READ_RESPONSE_MIDDLE, 102, 256, 0x30),
         "RC_RDMA_READ_REQUEST 101 A va 0x200100 key 0x55 dma 768");
  t.take(response(RC_RDMA_READ_RESPONSE_LAST, 103, 256, 0x40), "");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 101, 256, 0x20), "");
  t.take(response(RC_RDMA_READ_RESPONSE_MIDDLE, 102, 256, 0x30), "");
  t.take(response(RC_RDMA_READ_RESPONSE_LAST, 103, 256, 0x40), "RDMA_READ 1 SUCCESS 1024");
  t.memory(0x100, 2, "2021");
  t.memory(0x200, 2, "3031");
  t.memory(0x300, 2, "4041");
}
//= RD-06 test
RDMAWIRE_SCENARIO(end_of_a_read_comes_as_an_only) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 300), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 300");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 256), "");
  t.at(67108864, "RC_RDMA_READ_REQUEST 101 A va 0x200100 key 0x55 dma 44");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 101, 44), "RDMA_READ 1 SUCCESS 300");
}
//= RD-08 test
RDMAWIRE_SCENARIO(what_comes_while_the_read_is_repeated_is_dropped) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 512), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 512");
  t.post(t.work(2, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(102, 2),
         "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 512, RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va "
         "0x200000 key 0x55 dma 4");
  t.take(ack(102, 2), "");
  t.take(response(RC_RDMA_READ_RESPONSE_LAST, 101, 256), "");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 256), "");
  t.take(response(RC_RDMA_READ_RESPONSE_LAST, 101, 256), "RDMA_READ 1 SUCCESS 512");
  t.take(ack(102, 2), "RDMA_WRITE 2 SUCCESS");
}
//= NAK-05 test
//= OPS-07 test
RDMAWIRE_SCENARIO(nak_ends_a_read_in_its_middle) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 512), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 512");
  t.take(response(RC_RDMA_READ_RESPONSE_FIRST, 100, 256), "");
  t.take(ack(101, 1, 0x62), "RDMA_READ 1 REM_ACCESS_ERR, state ERR");
}
//= CQE-07 test
RDMAWIRE_SCENARIO(write_answered_by_a_read_response) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 100, 4), "RDMA_WRITE 1 BAD_RESP_ERR, state ERR");
}
//= CQE-07 test
RDMAWIRE_SCENARIO(read_answered_by_an_atomic_acknowledge) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 8), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 8");
  t.take(Packet(RC_ATOMIC_ACKNOWLEDGE, 100).aeth(0x1F, 1).original(1), "RDMA_READ 1 BAD_RESP_ERR, state ERR");
}
//= CQE-07 test
//= MPE-05 test
RDMAWIRE_SCENARIO(flush_answered_with_payload) {
  Rc t(script);
  auto work = t.work(1, W::flush, 0);
  work.flush_len = 64;
  t.post(work, "RC_FLUSH 100 A sel 0 plt 1 va 0x200000 key 0x55 dma 64");
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 100, 4), "FLUSH 1 BAD_RESP_ERR, state ERR");
}
//= CQE-04 test
RDMAWIRE_SCENARIO(target_of_a_read_is_gone) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 4), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4");
  (void)t.end.memory.deregister(t.end.key);
  t.take(response(RC_RDMA_READ_RESPONSE_ONLY, 100, 4), "RDMA_READ 1 LOC_PROT_ERR, state ERR");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
