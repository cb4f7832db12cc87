// What a stream sends of its own, and how that completes: RFC 5041, 4 and 5; RFC 5040, 5.
#include "protocol/iwarp/stream_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

using verbs::WorkOpcode;

BOOST_AUTO_TEST_SUITE(rdmap_sender)

//= DDP-5041-4.1-03, DDP-5041-4.1-04, DDP-5041-4.1-06, DDP-5041-4.1-08, DDP-5041-4.3-02, DDP-5041-4.3-04 test
//= DDP-5041-4.3-08, DDP-5041-5.2-01, DDP-5041-5.2-03, DDP-5041-5.2-05, DDP-5041-5.3-02, RDMAP-5040-3.1-03 test
//= RDMAP-5040-4.1-06, RDMAP-5040-4.1-07, RDMAP-5040-4.1-09, RDMAP-5040-5.3-01, RDMAP-5040-5.3-07 test
RDMAWIRE_SCENARIO(send_of_2048_octets_at_mulpdu_1500) {
  StreamSetup setup;
  setup.mulpdu = 1500;
  Stream t(script, setup);
  t.fill(0, 2048, 0);
  t.post(t.work(1, WorkOpcode::send, 2048),
         "0143 00000000 00000000 00000001 00000000 [1482 00..c9], "
         "4143 00000000 00000000 00000001 000005ca [566 ca..ff], SEND 1 SUCCESS");
}

//= DDP-5041-4.2-02, DDP-5041-4.2-04, DDP-5041-4.2-06, DDP-5041-5.2-01, DDP-5041-5.2-06, DDP-5041-5.2-07 test
//= RDMAP-5040-5.1-01, RDMAP-5040-5.1-07, RDMAP-5040-4.1-06, RDMAP-5040-4.1-07, DDP-5041-4.1-06 test
RDMAWIRE_SCENARIO(write_of_2048_octets_at_mulpdu_1500) {
  StreamSetup setup;
  setup.mulpdu = 1500;
  Stream t(script, setup);
  t.fill(0, 2048, 0);
  verbs::SendWork work = t.work(1, WorkOpcode::rdma_write, 2048);
  work.remote_address = 16384;
  t.post(work,
         "8140 00000055 0000000000004000 [1486 00..cd], c140 00000055 00000000000045ce [562 ce..ff], "
         "RDMA_WRITE 1 SUCCESS");
  work.remote_address = 0x8000000000000005;
  t.post(work,
         "8140 00000055 8000000000000005 [1486 00..cd], c140 00000055 80000000000005d3 [562 ce..ff], "
         "RDMA_WRITE 1 SUCCESS");
}

//= RDMAP-5040-5.1-08, RDMAP-5040-5.3-09, DDP-5041-5.2-08 test
RDMAWIRE_SCENARIO(messages_without_octets_are_one_segment) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_write, 0));
  t.hold(t.work(2, WorkOpcode::send, 0));
  t.poll(
      "c140 00000055 0000000000007000, 4143 00000000 00000000 00000001 00000000, "
      "RDMA_WRITE 1 SUCCESS, SEND 2 SUCCESS");
}

// A segment is as long as MULPDU exactly, and none without octets follows.
RDMAWIRE_SCENARIO(message_that_fills_its_segments) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.post(t.work(1, WorkOpcode::send, 220),
         "0143 00000000 00000000 00000001 00000000 [110 00..00], "
         "4143 00000000 00000000 00000001 0000006e [110 00..00], SEND 1 SUCCESS");
}

//= RDMAP-5040-5.3-11, DDP-5041-4.3-02, RDMAP-5040-4.1-09 test
RDMAWIRE_SCENARIO(sends_of_all_kinds) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  verbs::SendWork work = t.work(1, WorkOpcode::send, 1);
  work.solicited = true;
  t.hold(work);
  work = t.work(2, WorkOpcode::send_with_invalidate, 1);
  work.invalidate = {0xA1B2C3D4};
  t.hold(work);
  work = t.work(3, WorkOpcode::send_with_invalidate, 120);
  work.invalidate = {0xA1B2C3D4};
  work.solicited = true;
  t.hold(work);
  t.poll(
      "4145 00000000 00000000 00000001 00000000 00, 4144 a1b2c3d4 00000000 00000002 00000000 00, "
      "0146 a1b2c3d4 00000000 00000003 00000000 [110 00..00], 4146 a1b2c3d4 00000000 00000003 0000006e "
      "00000000000000000000, SEND 1 SUCCESS, SEND 2 SUCCESS, SEND 3 SUCCESS");
}

//= DDP-5041-4.3-05, DDP-5041-4.3-06, DDP-5041-5.3-01, RDMAP-5040-5.1-05, RDMAP-5040-5.3-08, RDMAP-5040-5.5-10 test
RDMAWIRE_SCENARIO(messages_go_in_the_order_of_posting_and_queues_count_apart) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::send, 1));
  t.hold(t.work(2, WorkOpcode::rdma_read, 0));
  t.hold(t.work(3, WorkOpcode::rdma_write, 1));
  t.hold(t.work(4, WorkOpcode::send, 1));
  t.hold(t.work(5, WorkOpcode::rdma_read, 0));
  t.hold(Seg(ATOMIC_REQUEST).fetch_add(all_stag, at_all, 1));
  t.poll(
      "414b 00000000 00000003 00000001 00000000 000000000000000000000000, "
      "4143 00000000 00000000 00000001 00000000 01, "
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "c140 00000055 0000000000007000 01, 4143 00000000 00000000 00000002 00000000 01, "
      "4141 00000000 00000001 00000002 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "SEND 1 SUCCESS");
  const Seg bad = Seg(SEND, 7);
  t.refuse(bad, "1203c000",
           "RDMA_READ 2 WR_FLUSH_ERR, RDMA_WRITE 3 WR_FLUSH_ERR, SEND 4 WR_FLUSH_ERR, RDMA_READ 5 WR_FLUSH_ERR, "
           "event QP_REQ_ERR");
}

//= RDMAP-5040-5.5-10, RDMAP-5040-5.5-17, DDP-5041-5.3-01 test
// Answers and work take turns by whole messages.
RDMAWIRE_SCENARIO(messages_are_not_interleaved) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.hold(t.work(1, WorkOpcode::rdma_write, 115));
  t.hold(t.work(2, WorkOpcode::rdma_write, 1));
  t.hold(Seg(RDMA_READ_REQUEST).read(9, 0, 115, all_stag, at_all));
  t.poll("8142 00000009 0000000000000000 [114 00..00]", 1);
  t.hold(Seg(RDMA_READ_REQUEST, 2).read(8, 0, 1, all_stag, at_all));
  t.poll(
      "c142 00000009 0000000000000072 00, 8140 00000055 0000000000007000 [114 00..00], "
      "c140 00000055 0000000000007072 00, c142 00000008 0000000000000000 00, c140 00000055 0000000000007000 00, "
      "RDMA_WRITE 1 SUCCESS, RDMA_WRITE 2 SUCCESS");
}

//= DDP-5041-3-01, DDP-5041-3-02, MPA-5044-4.5-06 test
RDMAWIRE_SCENARIO(segment_lengths_follow_mulpdu_within_a_message) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.hold(t.work(1, WorkOpcode::send, 300));
  t.poll("0143 00000000 00000000 00000001 00000000 [110 00..00]", 1);
  t.mulpdu = 218;
  t.poll("4143 00000000 00000000 00000001 0000006e [190 00..00], SEND 1 SUCCESS");
}

RDMAWIRE_SCENARIO(octets_are_gathered_from_pieces) {
  Stream t(script);
  t.fill(0, 32);
  const std::array sges{t.sge(4, 2), t.sge(0, 0), t.sge(1, 3)};
  verbs::SendWork work = t.work(1, WorkOpcode::send, 0);
  work.sges = sges;
  t.post(work, "4143 00000000 00000000 00000001 00000000 0506020304, SEND 1 SUCCESS");
}

RDMAWIRE_SCENARIO(inline_octets_are_those_of_posting) {
  Stream t(script);
  std::array<std::uint8_t, 3> data{7, 8, 9};
  verbs::SendWork work = t.work(1, WorkOpcode::rdma_write, 0);
  work.inline_data = true;
  work.data = data;
  t.hold(work);
  data = {};
  t.poll("c140 00000055 0000000000007000 070809, RDMA_WRITE 1 SUCCESS");
}

//= RDMAP-5040-5.5-05, RDMAP-5040-5.5-11, DDP-5041-5.4-01 test
// The work is complete when the lower layer has all of it, whatever the peer has.
RDMAWIRE_SCENARIO(send_completes_with_its_last_segment) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.hold(t.work(1, WorkOpcode::send, 111));
  t.poll("0143 00000000 00000000 00000001 00000000 [110 00..00]", 1);
  t.poll("4143 00000000 00000000 00000001 0000006e 00, SEND 1 SUCCESS", 1);
}

//= RDMAP-5040-1.1-01, DDP-5041-5.2-02 test
RDMAWIRE_SCENARIO(longest_message) {
  Stream t(script);
  const std::array most{t.sge(0, 0xFFFFFFFF, no_stag)};
  verbs::SendWork work = t.work(1, WorkOpcode::rdma_write, 0);
  work.sges = most;
  t.hold(work);
  t.poll(terminate_text("00000000") + ", RDMA_WRITE 1 LOC_PROT_ERR, event QP_FATAL, ERR, TERMINATED");
  Stream other(script);
  const std::array too_many{other.sge(0, 0xFFFFFFFF), other.sge(0, 1)};
  work.sges = too_many;
  other.post(work, "refused: address or length out of range");
}

//= RDMAP-5040-7.1-02, RDMAP-7306-8.1-01, RDMAP-5040-7.1-01 test
RDMAWIRE_SCENARIO(memory_of_a_send_is_not_there) {
  Stream t(script);
  const std::array sges{t.sge(0, 4, no_stag)};
  verbs::SendWork work = t.work(2, WorkOpcode::send, 0);
  work.sges = sges;
  t.hold(t.work(1, WorkOpcode::send, 1));
  t.hold(work);
  t.hold(t.work(3, WorkOpcode::send, 1));
  t.poll("4143 00000000 00000000 00000001 00000000 00, " + terminate_text("00000000") +
         ", SEND 1 SUCCESS, SEND 2 LOC_PROT_ERR, SEND 3 WR_FLUSH_ERR, event QP_FATAL, ERR, TERMINATED");
}

//= RDMAP-5040-7.1-02 test
RDMAWIRE_SCENARIO(memory_of_a_send_is_taken_away_in_the_middle) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  verbs::SendWork work = t.work(1, WorkOpcode::send, 0);
  const std::array sges{verbs::Sge{at_fast, 200, {fast_stag}}};
  work.sges = sges;
  t.hold(work);
  t.poll("0143 00000000 00000000 00000001 00000000 [110 00..00]", 1);
  t.host.memory.invalidate_local({fast_stag}, t.host.pd, {7});
  t.poll(terminate_text("00000000") + ", SEND 1 LOC_PROT_ERR, event QP_FATAL, ERR, TERMINATED");
}

// Work that sends nothing is done in its turn.
RDMAWIRE_SCENARIO(local_work_takes_its_turn) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 0));
  verbs::SendWork invalidate = t.work(2, WorkOpcode::local_invalidate, 0);
  invalidate.invalidate = {fast_stag};
  t.hold(invalidate);
  t.poll("4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  t.take(Seg(RDMA_READ_RESPONSE), "RDMA_READ 1 SUCCESS, LOCAL_INV 2 SUCCESS");
  t.hold(t.work(3, WorkOpcode::send, 1));
  t.hold(invalidate);
  t.hold(t.work(4, WorkOpcode::send, 1));
  t.poll("4143 00000000 00000000 00000001 00000000 00, " + terminate_text("00000000") +
         ", SEND 3 SUCCESS, LOCAL_INV 2 LOC_QP_OP_ERR, SEND 4 WR_FLUSH_ERR, event QP_FATAL, ERR, TERMINATED");
}

//= RDMAP-5040-8.1.1-10, SEC-5042-6.4.6-01, RDMAP-5040-8.1.2-04, SEC-5042-6.4.3.2-01 test
RDMAWIRE_SCENARIO(full_completion_queue_ends_its_own_stream_only) {
  StreamHost host;
  StreamSetup setup;
  setup.cq_size = 1;
  Stream a(script, setup, &host);
  setup.number = 8;
  Stream b(script, setup, &host);
  a.hold(a.work(1, WorkOpcode::send, 1));
  a.hold(a.work(2, WorkOpcode::send, 1));
  a.poll("4143 00000000 00000000 00000001 00000000 00, 4143 00000000 00000000 00000002 00000000 00, " +
         terminate_text("00000000") + ", SEND 1 SUCCESS, event CQ_ERR, event QP_FATAL, ERR, TERMINATED");
  b.post(b.work(1, WorkOpcode::send, 1), "4143 00000000 00000000 00000001 00000000 00, SEND 1 SUCCESS");
}

//= SEC-5042-6.4.6-01 test
RDMAWIRE_SCENARIO(full_completion_queue_of_receives) {
  StreamSetup setup;
  setup.cq_size = 1;
  Stream t(script, setup);
  t.receives(1, 2);
  t.hold(Seg(SEND, 1));
  t.take(Seg(SEND, 2), terminate_text("00000000") + ", RECV 1 SUCCESS, event CQ_ERR, event QP_FATAL, ERR, TERMINATED");
}

// The initiator's first message.

//= MPA-6581-9.2-17, MPA-6581-9.2-10 test
RDMAWIRE_SCENARIO(ready_to_receive_by_a_send) {
  StreamSetup setup;
  setup.ready = ReadyToReceive::send;
  Stream t(script, setup);
  t.post(t.work(1, WorkOpcode::send, 1),
         "4143 00000000 00000000 00000001 00000000, 4143 00000000 00000000 00000002 00000000 00, SEND 1 SUCCESS");
}

//= MPA-6581-9.2-18, MPA-6581-9.2-10 test
RDMAWIRE_SCENARIO(ready_to_receive_by_a_write) {
  StreamSetup setup;
  setup.ready = ReadyToReceive::write;
  Stream t(script, setup);
  t.post(t.work(1, WorkOpcode::send, 1),
         "c140 00000001 0000000000000000, 4143 00000000 00000000 00000001 00000000 00, SEND 1 SUCCESS");
}

//= MPA-6581-9.2-19, MPA-6581-9.2-10 test
RDMAWIRE_SCENARIO(ready_to_receive_by_a_read) {
  StreamSetup setup;
  setup.ready = ReadyToReceive::read;
  setup.ord = 1;
  Stream t(script, setup);
  t.post(t.work(1, WorkOpcode::rdma_read, 0),
         "4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001 0000000000000000");
  t.take(Seg(RDMA_READ_RESPONSE).to(1, 0),
         "4141 00000000 00000001 00000002 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  t.take(Seg(RDMA_READ_RESPONSE), "RDMA_READ 1 SUCCESS");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
