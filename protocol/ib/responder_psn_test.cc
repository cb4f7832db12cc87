// PSNs, the order of opcodes, MSN and ACKs at the responder, by packets made by hand.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

BOOST_AUTO_TEST_SUITE(responder_psn)

//= PSN-04 test
//= MSN-01 test
//= ACK-01 test
//= QPS-04 test
RDMAWIRE_SCENARIO(messages_are_counted_and_acknowledged) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(101, 0, 4), "RC_ACKNOWLEDGE 101 0x00 msn 2");
  t.take(t.write(102, 0, 4), "RC_ACKNOWLEDGE 102 0x00 msn 3");
  t.memory(0, 5, "0102030400");
}

//= ACK-02 test
//= ACK-03 test
RDMAWIRE_SCENARIO(one_ack_for_several_packets_and_none_unasked) {
  Rc t(script);
  t.take(t.write(100, 0, 4).quiet(), "");
  t.hold(t.write(101, 0, 4));
  t.hold(t.write(102, 0, 4));
  t.poll("RC_ACKNOWLEDGE 102 0x00 msn 3");
}

//= PSN-01 test
//= PSN-11 test
RDMAWIRE_SCENARIO(psn_wraps) {
  Setup setup;
  setup.attributes.rq_psn = {0xFFFFFE};
  Rc t(script, setup);
  t.take(t.write(0xFFFFFE, 0, 4), "RC_ACKNOWLEDGE 16777214 0x00 msn 1");
  t.take(t.write(0xFFFFFF, 0, 4), "RC_ACKNOWLEDGE 16777215 0x00 msn 2");
  t.take(t.write(0, 0, 4), "RC_ACKNOWLEDGE 0 0x00 msn 3");
  t.take(t.write(1, 0, 4), "RC_ACKNOWLEDGE 1 0x00 msn 4");
  t.take(t.write(0xFFFFFF, 0, 4), "RC_ACKNOWLEDGE 1 0x00 msn 4");
}

//= PSN-11 test
//= PSN-05 test
//= RD-01 test
RDMAWIRE_SCENARIO(read_responses_count_on_over_the_wrap) {
  Setup setup;
  setup.attributes.rq_psn = {0xFFFFFE};
  Rc t(script, setup);
  t.take(t.read(0xFFFFFE, 0, 1024),
         "RC_RDMA_READ_RESPONSE_FIRST 16777214 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 16777215 len "
         "256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 0 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 1 0x00 msn 1 len "
         "256 [00..00]");
  t.take(t.write(2, 0, 4), "RC_ACKNOWLEDGE 2 0x00 msn 2");
}

//= PSN-02 test
RDMAWIRE_SCENARIO(farthest_future_psn_is_a_gap) {
  Rc t(script);
  t.take(t.write(100 + 0x7FFFFF, 0, 4), "RC_ACKNOWLEDGE 100 0x60 msn 0");
}

//= PSN-02 test
RDMAWIRE_SCENARIO(farthest_past_psn_is_a_duplicate) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(101 + 0x800000, 0, 4, 9), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(101 - 1 + 0x800000, 0, 4, 9), "RC_ACKNOWLEDGE 101 0x60 msn 1");
  t.memory(0, 4, "01020304");
}

//= PSN-06 test
//= PSN-07 test
//= PSN-08 test
//= PSN-10 test
//= PSN-15 test
//= HV-24 test
RDMAWIRE_SCENARIO(one_nak_a_gap_with_the_expected_psn) {
  Rc t(script);
  t.take(t.write(103, 0, 4, 0x33), "RC_ACKNOWLEDGE 100 0x60 msn 0");
  t.take(t.write(104, 0, 4).reth(0, 4, {0xBAD}), "");
  t.take(t.write(105, 0, 4), "");
  t.memory(0, 4, "00000000");
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(105, 0, 4), "RC_ACKNOWLEDGE 101 0x60 msn 1");
  t.take(t.write(106, 0, 4), "");
  t.take(t.write(101, 0, 4), "RC_ACKNOWLEDGE 101 0x00 msn 2");
}

//= PSN-09 test
// This responder does not tell the gap again: only what is next in sequence clears its state.
RDMAWIRE_SCENARIO(duplicate_does_not_rearm_the_nak) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(103, 0, 4), "RC_ACKNOWLEDGE 101 0x60 msn 1");
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(104, 0, 4), "");
}

//= OPS-01 test
RDMAWIRE_SCENARIO(send_is_followed_by_a_write) {
  Rc t(script);
  t.receives(1, 1, 600);
  t.take(Packet(RC_SEND_FIRST, 100).data(256), "RC_ACKNOWLEDGE 100 0x01 msn 0");
  t.take(t.write_first(101, 0, 512), "RC_ACKNOWLEDGE 101 0x61 msn 0, RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR, state ERR");
  t.take(t.write(101, 0, 4), "");
}

//= OPS-02 test
//= MEM-08 test
RDMAWIRE_SCENARIO(write_is_followed_by_a_send) {
  Rc t(script);
  t.take(t.write_first(100, 0, 512).quiet(), "");
  t.take(Packet(RC_SEND_MIDDLE, 101).data(256), "RC_ACKNOWLEDGE 101 0x61 msn 0, event QP_REQ_ERR, state ERR");
  t.memory(0, 4, "01020304");
}

//= OPS-03 test
RDMAWIRE_SCENARIO(last_without_first) {
  Rc t(script);
  t.receives(1, 1);
  t.take(Packet(RC_SEND_LAST, 100).data(4),
         "RC_ACKNOWLEDGE 100 0x61 msn 0, RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR, state ERR");
}
//= OPS-03 test
RDMAWIRE_SCENARIO(middle_without_first) {
  Rc t(script);
  t.take(Packet(RC_RDMA_WRITE_MIDDLE, 100).data(256), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}

//= OPS-04 test
RDMAWIRE_SCENARIO(read_inside_a_write) {
  Rc t(script);
  t.take(t.write_first(100, 0, 512).quiet(), "");
  t.take(t.read(101, 0, 4), "RC_ACKNOWLEDGE 101 0x61 msn 0, event QP_REQ_ERR, state ERR");
}
//= OPS-04 test
RDMAWIRE_SCENARIO(only_inside_a_send) {
  Rc t(script);
  t.receives(1, 2, 600);
  t.take(Packet(RC_SEND_FIRST, 100).data(256).quiet(), "");
  t.take(send_only(101),
         "RC_ACKNOWLEDGE 101 0x61 msn 0, RECV 1 WR_FLUSH_ERR, RECV 2 WR_FLUSH_ERR, event QP_REQ_ERR, state ERR");
}

//= OPS-05 test
RDMAWIRE_SCENARIO(any_message_may_follow_a_read) {
  Rc t(script);
  t.receives(1, 1, 600);
  t.take(t.read(100, 0, 4), "RC_RDMA_READ_RESPONSE_ONLY 100 0x01 msn 1 len 4 [00000000]");
  t.take(Packet(RC_SEND_FIRST, 101).data(256), "RC_ACKNOWLEDGE 101 0x01 msn 1");
  t.take(Packet(RC_SEND_LAST, 102).data(1), "RC_ACKNOWLEDGE 102 0x00 msn 2, RECV 1 SUCCESS 257");
}

//= OPS-06 test
RDMAWIRE_SCENARIO(repeated_read_leaves_a_message_in_progress_alone) {
  Rc t(script);
  t.take(t.read(100, 0x1000, 600),
         "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 "
         "[00..00], RC_RDMA_READ_RESPONSE_LAST 102 0x00 msn 1 len 88 [00..00]");
  t.take(t.write_first(103, 0, 600).quiet(), "");
  t.take(t.read(100, 0x1000, 600),
         "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 "
         "[00..00], RC_RDMA_READ_RESPONSE_LAST 102 0x00 msn 1 len 88 [00..00]");
  t.take(Packet(RC_RDMA_WRITE_MIDDLE, 104).data(256).quiet(), "");
  t.take(Packet(RC_RDMA_WRITE_LAST, 105).data(88), "RC_ACKNOWLEDGE 105 0x00 msn 2");
}

//= HV-14 test
RDMAWIRE_SCENARIO(reserved_opcode_in_sequence) {
  Rc t(script);
  t.take(Packet(static_cast<Opcode>(0x18), 100), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
  t.take(t.write(100, 0, 4), "");
}
//= HV-14 test
RDMAWIRE_SCENARIO(reserved_opcode_out_of_sequence_is_a_gap) {
  Rc t(script);
  t.take(Packet(static_cast<Opcode>(0x1F), 101), "RC_ACKNOWLEDGE 100 0x60 msn 0");
  t.take(Packet(static_cast<Opcode>(0x1E), 99), "");
}

//= HV-23 test
RDMAWIRE_SCENARIO(packet_shorter_than_its_headers) {
  Rc t(script);
  Packet cut(RC_RDMA_WRITE_ONLY, 100);
  cut.rx.headers_complete = false;
  t.take(cut, "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}

//= MSN-02 test
//= ACK-08 test
RDMAWIRE_SCENARIO(msn_counts_messages_not_packets) {
  Rc t(script);
  t.take(t.write_first(100, 0, 600), "RC_ACKNOWLEDGE 100 0x00 msn 0");
  t.take(Packet(RC_RDMA_WRITE_MIDDLE, 101).data(256), "RC_ACKNOWLEDGE 101 0x00 msn 0");
  t.take(Packet(RC_RDMA_WRITE_LAST, 102).data(88), "RC_ACKNOWLEDGE 102 0x00 msn 1");
}

//= MSN-03 test
//= ACK-05 test
RDMAWIRE_SCENARIO(read_counts_when_it_is_accepted) {
  Rc t(script);
  t.hold(t.read(100, 0x1000, 600));
  t.poll("RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00]", 1);
  t.hold(t.write(103, 0, 4).quiet());
  t.poll(
      "RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 102 0x00 msn 1 len 88 [00..00]");
  t.take(t.write(104, 0, 4), "RC_ACKNOWLEDGE 104 0x00 msn 3");
}

//= MSN-04 test
RDMAWIRE_SCENARIO(atomic_counts) {
  Rc t(script);
  t.take(t.fetch_add(100, 0, 1), "RC_ATOMIC_ACKNOWLEDGE 100 0x00 msn 1 original 0x0");
  t.take(t.write(101, 0, 4), "RC_ACKNOWLEDGE 101 0x00 msn 2");
}

//= MSN-06 test
//= NAK-01 test
//= NAK-09 test
RDMAWIRE_SCENARIO(nak_carries_the_messages_before_it) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(101, 0, 4), "RC_ACKNOWLEDGE 101 0x00 msn 2");
  t.take(t.write(102, 0, 4).reth(base_address, 4, {0xBAD00}),
         "RC_ACKNOWLEDGE 102 0x62 msn 2, event QP_ACCESS_ERR, state ERR");
}

//= NAK-08 test
//= QPS-07 test
RDMAWIRE_SCENARIO(nothing_is_answered_after_a_fatal_nak) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(101, 0, 4).reth(base_address, 4, {0xBAD00}),
         "RC_ACKNOWLEDGE 101 0x62 msn 1, event QP_ACCESS_ERR, state ERR");
  t.take(t.write(101, 0, 4), "");
  t.take(t.write(100, 0, 4), "");
  t.take(t.write(102, 0, 4), "");
}

//= ACK-04 test
//= ACK-05 test
//= RD-03 test
RDMAWIRE_SCENARIO(acks_do_not_overtake_read_responses) {
  Rc t(script);
  t.hold(t.write(100, 0, 4));
  t.hold(t.read(101, 0x1000, 300));
  t.hold(t.write(103, 0, 4));
  t.hold(t.write(104, 0, 4));
  t.poll(
      "RC_ACKNOWLEDGE 100 0x00 msn 4, RC_RDMA_READ_RESPONSE_FIRST 101 0x00 msn 2 len 256 [00..00], "
      "RC_RDMA_READ_RESPONSE_LAST 102 0x00 msn 2 len 44 [00..00], RC_ACKNOWLEDGE 104 0x00 msn 4");
}

//= ACK-11 test
//= ACK-12 test
//= ACK-13 test
// No payload, no A, no SE; the rest of the BTH is the port's.
RDMAWIRE_SCENARIO(acknowledge_is_plain) {
  Rc t(script);
  t.hold(t.write(100, 0, 4).solicited());
  const auto sent = t.end.poll();
  if (!sent) return t.note("none", "an ACK");
  const TxPacket& p = sent->packet;
  t.note(std::to_string(p.payload_len) + ' ' + std::to_string(p.ack_request) + ' ' + std::to_string(p.solicited) + ' ' +
             std::to_string(p.headers.aeth.syndrome.value & 0x80U),
         "0 0 0 0");
}

//= HV-25 test
//= PSN-12 test
RDMAWIRE_SCENARIO(response_is_not_taken_for_a_request) {
  Rc t(script);
  t.take(ack(100, 1), "");
  t.take(Packet(RC_RDMA_READ_RESPONSE_ONLY, 100).data(4).aeth(0x1F, 1), "");
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
}

//= QPS-01 test
//= QPS-02 test
//= QPS-03 test
//= QPS-05 test
//= QPS-07 test
//= QPS-14 test
//= QPS-16 test
//= HV-15 test
RDMAWIRE_SCENARIO(requests_are_answered_in_the_states_that_receive) {
  using namespace verbs::attribute;
  Setup setup;
  setup.connect = false;
  Rc t(script, setup);
  const auto a = setup.attributes;
  t.take(t.write(100, 0, 4), "");
  (void)t.end.qp.modify(verbs::QpState::init, a, p_key_index | port | access);
  t.take(t.write(100, 0, 4), "state INIT");
  (void)t.end.qp.modify(verbs::QpState::rtr, a,
                        path | path_mtu | destination_qp | rq_psn | max_dest_rd_atomic | min_rnr_timer);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1, event COMM_EST, state RTR");
  t.take(t.write(101, 0, 4), "RC_ACKNOWLEDGE 101 0x00 msn 2");
  (void)t.end.qp.modify(verbs::QpState::rts, a, sq_psn | timeout | retry_count | rnr_retry | max_rd_atomic);
  (void)t.end.qp.modify(verbs::QpState::sqd);
  t.take(t.write(102, 0, 4), "RC_ACKNOWLEDGE 102 0x00 msn 3, event SQ_DRAINED, state SQD");
  (void)t.end.qp.modify(verbs::QpState::err);
  t.take(t.write(103, 0, 4), "state ERR");
  (void)t.end.qp.modify(verbs::QpState::reset);
  t.take(t.write(103, 0, 4), "state RESET");
  t.end.connect(a);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1, state RTS");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
