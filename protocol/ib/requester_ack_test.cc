// ACKs and NAKs at the requester, by packets made by hand.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;
using W = verbs::WorkOpcode;

BOOST_AUTO_TEST_SUITE(requester_ack)

//= ACK-06 test
//= ORD-06 test
//= ACK-09 test
RDMAWIRE_SCENARIO(one_ack_completes_all_before_it) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(2, W::send, 300), "RC_SEND_FIRST 101 len 256 [00..00], RC_SEND_LAST 102 len 44 A [00..00]");
  t.post(t.work(3, W::rdma_write, 0), "RC_RDMA_WRITE_ONLY 103 A va 0x200000 key 0x55 dma 0");
  t.take(ack(103, 3), "RDMA_WRITE 1 SUCCESS, SEND 2 SUCCESS, RDMA_WRITE 3 SUCCESS");
  t.deadline("never");
}
//= ACK-08 test
RDMAWIRE_SCENARIO(ack_inside_a_message_completes_nothing) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 600),
         "RC_RDMA_WRITE_FIRST 100 len 256 [00..00] va 0x200000 key 0x55 dma 600, RC_RDMA_WRITE_MIDDLE 101 len 256 "
         "[00..00], RC_RDMA_WRITE_LAST 102 len 88 A [00..00]");
  t.take(ack(101, 0), "");
  t.take(ack(102, 1), "RDMA_WRITE 1 SUCCESS");
}
//= ACK-09 test
// Within a long message every 64th packet asks.
RDMAWIRE_SCENARIO(long_message_asks_now_and_then) {
  Rc t(script);
  t.hold(t.work(1, W::rdma_write, 256 * 130));
  std::string asked;
  while (const auto sent = t.end.poll()) {
    if (sent->packet.ack_request) asked += ' ' + std::to_string(sent->packet.psn.value);
  }
  t.note(asked, " 163 227 229");
}
//= ACK-09 test
RDMAWIRE_SCENARIO(full_window_asks) {
  Setup setup;
  setup.config.max_outstanding_packets = 2;
  Rc t(script, setup);
  t.post(t.work(1, W::rdma_write, 1024),
         "RC_RDMA_WRITE_FIRST 100 len 256 [00..00] va 0x200000 key 0x55 dma 1024, RC_RDMA_WRITE_MIDDLE 101 len 256 A "
         "[00..00]");
  t.take(ack(101, 0), "RC_RDMA_WRITE_MIDDLE 102 len 256 [00..00], RC_RDMA_WRITE_LAST 103 len 256 A [00..00]");
}

//= ACK-07 test
RDMAWIRE_SCENARIO(read_response_acknowledges_the_write_before_it) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(2, W::rdma_read, 4), "RC_RDMA_READ_REQUEST 101 A va 0x200000 key 0x55 dma 4");
  t.take(Packet(RC_RDMA_READ_RESPONSE_ONLY, 101).data(4).aeth(0x1F, 2), "RDMA_WRITE 1 SUCCESS, RDMA_READ 2 SUCCESS 4");
}
//= ACK-07 test
RDMAWIRE_SCENARIO(atomic_response_acknowledges_the_write_before_it) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(2, W::fetch_add, 8, 16), "RC_FETCH_ADD 101 A va 0x200000 operands 0x0 0x0");
  t.take(Packet(RC_ATOMIC_ACKNOWLEDGE, 101).aeth(0x1F, 2).original(0x0102030405060708),
         "RDMA_WRITE 1 SUCCESS, FETCH_ADD 2 SUCCESS 8");
  t.memory(16, 8, "0807060504030201");
}

//= MSN-07 test
RDMAWIRE_SCENARIO(psn_decides_and_not_msn) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(2, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(101, 0), "RDMA_WRITE 1 SUCCESS, RDMA_WRITE 2 SUCCESS");
}

//= PSN-12 test
//= HV-25 test
RDMAWIRE_SCENARIO(ack_of_what_was_not_sent_is_ignored) {
  Rc t(script);
  t.take(ack(100, 1), "");
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(101, 1), "");
  t.take(ack(100, 1), "RDMA_WRITE 1 SUCCESS");
}
//= PSN-13 test
RDMAWIRE_SCENARIO(old_ack_is_ignored) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(2, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(101, 2), "RDMA_WRITE 1 SUCCESS, RDMA_WRITE 2 SUCCESS");
  t.post(t.work(3, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(100, 1), "");
  t.take(ack(101, 2), "");
  t.take(ack(102, 3), "RDMA_WRITE 3 SUCCESS");
}
//= NAK-12 test
RDMAWIRE_SCENARIO(nak_outside_of_the_window_is_ignored) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(105, 0, 0x62), "");
  t.take(ack(99, 0, 0x62), "");
  t.take(ack(100, 1), "RDMA_WRITE 1 SUCCESS");
}

//= ACK-11 test
RDMAWIRE_SCENARIO(reserved_syndromes_are_ignored) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(100, 1, 0x40), "");
  t.take(ack(100, 1, 0x9F), "");
  t.deadline("67108864");
  t.take(ack(100, 1), "RDMA_WRITE 1 SUCCESS");
}
//= ACK-12 test
RDMAWIRE_SCENARIO(ack_with_payload_counts) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(100, 1).data(4), "RDMA_WRITE 1 SUCCESS");
}
//= HV-23 test
RDMAWIRE_SCENARIO(ack_without_aeth_is_ignored) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  auto cut = ack(100, 1);
  cut.rx.headers_complete = false;
  t.take(cut, "");
}
//= OPS-08 test
RDMAWIRE_SCENARIO(ack_does_not_complete_a_read) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 4), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4");
  t.take(ack(100, 1), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 4");
  t.take(Packet(RC_RDMA_READ_RESPONSE_ONLY, 100).data(4).aeth(0x1F, 1), "RDMA_READ 1 SUCCESS 4");
}
//= RD-10 test
//= OPS-08 test
RDMAWIRE_SCENARIO(ack_does_not_skip_a_read) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(2, W::rdma_read, 4), "RC_RDMA_READ_REQUEST 101 A va 0x200000 key 0x55 dma 4");
  t.post(t.work(3, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(102, 3),
         "RC_RDMA_READ_REQUEST 101 A va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 "
         "key 0x55 dma 4, RDMA_WRITE 1 SUCCESS");
}

//= NAK-02 test
//= NAK-04 test
//= PSN-16 test
RDMAWIRE_SCENARIO(sequence_nak_acknowledges_before_and_repeats_from) {
  Rc t(script);
  for (std::uint64_t i = 1; i <= 4; ++i) t.hold(t.work(i, W::rdma_write, 4));
  t.poll(
      "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] "
      "va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 key 0x55 dma 4, "
      "RC_RDMA_WRITE_ONLY 103 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(102, 2, 0x60),
         "RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 103 len 4 A "
         "[00000000] va 0x200000 key 0x55 dma 4, RDMA_WRITE 1 SUCCESS, RDMA_WRITE 2 SUCCESS");
  t.take(ack(103, 4), "RDMA_WRITE 3 SUCCESS, RDMA_WRITE 4 SUCCESS");
}
//= NAK-03 test
RDMAWIRE_SCENARIO(nak_behind_an_unanswered_read_repeats_the_read) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 600), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 600");
  for (std::uint64_t i = 2; i <= 3; ++i) t.hold(t.work(i, W::rdma_write, 4));
  t.poll(
      "RC_RDMA_WRITE_ONLY 103 len 4 A [00000000] va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 104 len 4 A [00000000] "
      "va 0x200000 key 0x55 dma 4");
  t.take(ack(104, 1, 0x60),
         "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 600, RC_RDMA_WRITE_ONLY 103 len 4 A [00000000] va "
         "0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 104 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
}
//= NAK-13 test
RDMAWIRE_SCENARIO(repeated_sequence_nak_goes_back_once) {
  Rc t(script);
  for (std::uint64_t i = 1; i <= 3; ++i) t.hold(t.work(i, W::rdma_write, 4));
  t.poll(
      "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] "
      "va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(101, 1, 0x60),
         "RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 102 len 4 A "
         "[00000000] va 0x200000 key 0x55 dma 4, RDMA_WRITE 1 SUCCESS");
  t.take(ack(101, 1, 0x60), "");
}

//= NAK-05 test
//= FLU-01 test
//= CQE-09 test
RDMAWIRE_SCENARIO(invalid_request_nak) {
  Rc t(script);
  for (std::uint64_t i = 1; i <= 4; ++i) t.hold(t.work(i, W::rdma_write, 4));
  t.poll(
      "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] "
      "va 0x200000 key 0x55 dma 4, RC_RDMA_WRITE_ONLY 102 len 4 A [00000000] va 0x200000 key 0x55 dma 4, "
      "RC_RDMA_WRITE_ONLY 103 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(101, 1, 0x61),
         "RDMA_WRITE 1 SUCCESS, RDMA_WRITE 2 REM_INV_REQ_ERR, RDMA_WRITE 3 WR_FLUSH_ERR, RDMA_WRITE 4 WR_FLUSH_ERR, "
         "state ERR");
  t.take(ack(101, 1), "");
}
//= NAK-05 test
//= CQE-10 test
//= FLU-02 test
//= FLU-03 test
RDMAWIRE_SCENARIO(remote_access_nak_of_an_unsignaled_write) {
  Rc t(script);
  auto silent = t.work(1, W::rdma_write, 4);
  silent.signaled = false;
  t.post(silent, "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(100, 0, 0x62), "RDMA_WRITE 1 REM_ACCESS_ERR, state ERR");
  t.post(t.work(2, W::rdma_write, 4), "RDMA_WRITE 2 WR_FLUSH_ERR");
}
//= NAK-05 test
//= CQE-11 test
RDMAWIRE_SCENARIO(remote_operational_nak) {
  Rc t(script);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 0, 0x63), "SEND 1 REM_OP_ERR, state ERR");
}
//= NAK-06 test
// Reserved codes are ignored; the timer goes on.
RDMAWIRE_SCENARIO(reserved_nak_codes_are_ignored) {
  Rc t(script);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 0, 0x65), "");
  t.take(ack(100, 0, 0x7F), "");
  t.deadline("67108864");
}

//= FLU-02 test
//= CQE-00 test
RDMAWIRE_SCENARIO(unsignaled_success_is_not_told) {
  Rc t(script);
  auto silent = t.work(1, W::rdma_write, 4);
  silent.signaled = false;
  t.post(silent, "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.post(t.work(2, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 101 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(101, 2), "RDMA_WRITE 2 SUCCESS");
}
//= CQE-01 test
RDMAWIRE_SCENARIO(atomic_result_must_have_eight_octets) {
  Rc t(script);
  t.post(t.work(1, W::fetch_add, 4), "FETCH_ADD 1 LOC_LEN_ERR, state ERR");
}
//= CQE-02 test
//= CQE-05 test
RDMAWIRE_SCENARIO(local_invalidate_of_a_region) {
  Rc t(script);
  auto work = t.work(1, W::local_invalidate, 0);
  work.sges = {};
  work.invalidate = t.end.key;
  t.hold(t.work(2, W::rdma_write, 4));
  t.hold(work);
  t.hold(t.work(3, W::rdma_write, 4));
  t.poll("RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  t.take(ack(100, 1), "RDMA_WRITE 2 SUCCESS, LOCAL_INV 1 LOC_QP_OP_ERR, RDMA_WRITE 3 WR_FLUSH_ERR, state ERR");
}
//= CQE-04 test
RDMAWIRE_SCENARIO(local_key_that_is_none) {
  Rc t(script);
  const std::array<verbs::Sge, 1> bad{verbs::Sge{base_address, 4, {0xBAD00}}};
  auto work = t.work(1, W::rdma_write, 4);
  work.sges = bad;
  t.post(work, "RDMA_WRITE 1 LOC_PROT_ERR, state ERR");
}
//= CQE-06 test
RDMAWIRE_SCENARIO(bind_beyond_the_region) {
  Rc t(script);
  const auto window = t.end.memory.allocate_window(t.end.pd, verbs::KeyKind::window2).value();
  auto work = t.work(1, W::bind_window, 0);
  work.sges = {};
  work.window = window;
  work.bind = {t.end.key, base_address, 65537, verbs::rights::remote_read};
  t.post(work, "BIND_MW 1 MW_BIND_ERR, state ERR");
}
//= CQE-07 test
RDMAWIRE_SCENARIO(atomic_answered_by_a_read_response) {
  Rc t(script);
  t.post(t.work(1, W::fetch_add, 8), "RC_FETCH_ADD 100 A va 0x200000 operands 0x0 0x0");
  t.take(Packet(RC_RDMA_READ_RESPONSE_ONLY, 100).data(8).aeth(0x1F, 1), "FETCH_ADD 1 BAD_RESP_ERR, state ERR");
}

//= SND-02 test
//= SND-03 test
//= LEN-04 test
RDMAWIRE_SCENARIO(headers_of_each_request) {
  Rc t(script);
  auto work = t.work(1, W::send_with_immediate, 300);
  work.immediate = {0xDE, 0xAD, 0xBE, 0xEF};
  work.solicited = true;
  t.post(work, "RC_SEND_FIRST 100 len 256 [00..00], RC_SEND_LAST_WITH_IMMEDIATE 101 len 44 A [00..00] SE imm deadbeef");
  work = t.work(2, W::send_with_invalidate, 5);
  work.invalidate = {0x1234};
  t.post(work, "RC_SEND_ONLY_WITH_INVALIDATE 102 len 5 A [0000000000] inv 0x1234");
  work = t.work(3, W::rdma_write_with_immediate, 0);
  work.immediate = {1, 2, 3, 4};
  work.solicited = true;
  t.post(work, "RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE 103 A SE va 0x200000 key 0x55 dma 0 imm 01020304");
  work = t.work(4, W::rdma_write, 4);
  work.solicited = true;
  t.post(work, "RC_RDMA_WRITE_ONLY 104 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
}
//= ATM-04 test
//= ATM-05 test
//= ATM-08 test
//= MPE-01 test
//= MPE-06 test
RDMAWIRE_SCENARIO(headers_of_atomics_and_flush) {
  Rc t(script);
  auto work = t.work(1, W::compare_swap, 8);
  work.compare = 7;
  work.swap_or_add = 8;
  t.post(work, "RC_COMPARE_SWAP 100 A va 0x200000 operands 0x8 0x7");
  work = t.work(2, W::fetch_add, 8);
  work.compare = 7;
  work.swap_or_add = 9;
  t.post(work, "RC_FETCH_ADD 101 A va 0x200000 operands 0x9 0x0");
  work = t.work(3, W::flush, 0);
  work.flush_len = 64;
  work.flush_placement = 3;
  t.post(work, "RC_FLUSH 102 A sel 0 plt 3 va 0x200000 key 0x55 dma 64");
  t.post(t.work(4, W::atomic_write, 8), "RC_ATOMIC_WRITE 103 len 8 A [0000000000000000] va 0x200000 key 0x55 dma 8");
  t.post(t.work(5, W::rdma_read, 4), "");
  t.take(Packet(RC_ATOMIC_ACKNOWLEDGE, 100).aeth(0x1F, 1).original(3),
         "RC_RDMA_READ_REQUEST 104 A va 0x200000 key 0x55 dma 4, COMP_SWAP 1 SUCCESS 8");
  t.take(Packet(RC_ATOMIC_ACKNOWLEDGE, 101).aeth(0x1F, 2).original(4), "FETCH_ADD 2 SUCCESS 8");
  t.take(Packet(RC_RDMA_READ_RESPONSE_ONLY, 102).aeth(0x1F, 3), "FLUSH 3 SUCCESS");
  t.take(Packet(RC_RDMA_READ_RESPONSE_ONLY, 103).aeth(0x1F, 4), "ATOMIC_WRITE 4 SUCCESS");
}

//= FEN-01 test
RDMAWIRE_SCENARIO(fence_waits_for_reads) {
  Rc t(script);
  t.post(t.work(1, W::rdma_read, 300), "RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 300");
  auto fenced = t.work(2, W::send, 4);
  fenced.fence = true;
  t.post(fenced, "");
  t.take(Packet(RC_RDMA_READ_RESPONSE_FIRST, 100).data(256).aeth(0x1F, 1), "");
  t.take(Packet(RC_RDMA_READ_RESPONSE_LAST, 101).data(44).aeth(0x1F, 1),
         "RC_SEND_ONLY 102 len 4 A [01020304], RDMA_READ 1 SUCCESS 300");
}
//= FEN-02 test
RDMAWIRE_SCENARIO(fence_does_not_wait_for_writes) {
  Rc t(script);
  t.post(t.work(1, W::rdma_write, 4), "RC_RDMA_WRITE_ONLY 100 len 4 A [00000000] va 0x200000 key 0x55 dma 4");
  auto fenced = t.work(2, W::send, 4);
  fenced.fence = true;
  t.post(fenced, "RC_SEND_ONLY 101 len 4 A [00000000]");
}

//= QPS-05 test
//= QPS-13 test
RDMAWIRE_SCENARIO(drained_send_queue) {
  Rc t(script);
  t.hold(t.work(1, W::rdma_write, 600));
  t.poll("RC_RDMA_WRITE_FIRST 100 len 256 [00..00] va 0x200000 key 0x55 dma 600", 1);
  (void)t.end.qp.modify(verbs::QpState::sqd);
  t.hold(t.work(2, W::rdma_write, 4));
  t.poll("RC_RDMA_WRITE_MIDDLE 101 len 256 [00..00], RC_RDMA_WRITE_LAST 102 len 88 A [00..00], state SQD");
  t.take(ack(102, 1), "RDMA_WRITE 1 SUCCESS, event SQ_DRAINED");
  (void)t.end.qp.modify(verbs::QpState::rts);
  t.poll("RC_RDMA_WRITE_ONLY 103 len 4 A [00000000] va 0x200000 key 0x55 dma 4, state RTS");
}
//= QPS-03 test
//= QPS-15 test
RDMAWIRE_SCENARIO(sends_are_refused_before_rts) {
  using namespace verbs::attribute;
  Setup setup;
  setup.connect = false;
  Rc t(script, setup);
  t.post(t.work(1, W::send, 4), "refused");
  (void)t.end.qp.modify(verbs::QpState::init, setup.attributes, p_key_index | port | access);
  t.post(t.work(1, W::send, 4), "refused, state INIT");
  (void)t.end.qp.modify(verbs::QpState::rtr, setup.attributes,
                        path | path_mtu | destination_qp | rq_psn | max_dest_rd_atomic | min_rnr_timer);
  t.post(t.work(1, W::send, 4), "refused, state RTR");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
