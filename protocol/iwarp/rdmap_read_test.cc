// RDMA Reads, both sides: RFC 5040, 4.4, 5.2, 6.1 and 7.2.
#include "protocol/iwarp/stream_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

using verbs::WorkOpcode;

// Of the peer: into its STag 0x0a0b0c0d at 0x11223344_55667788.
Seg read_of(std::uint32_t stag, std::uint64_t offset, std::uint32_t size, std::uint32_t msn = 1) {
  return Seg(RDMA_READ_REQUEST, msn).read(0x0A0B0C0D, 0x1122334455667788, size, stag, offset);
}
// For the request of Stream::work, whose sink is `local` octets behind at_all.
Seg response_to(std::uint32_t local, std::size_t size, unsigned first = 1) {
  return Seg(RDMA_READ_RESPONSE).to(all_stag, at_all + local).data(size, first);
}

BOOST_AUTO_TEST_SUITE(rdmap_read_responder)

//= RDMAP-5040-4.4-02, RDMAP-5040-4.4-03, RDMAP-5040-5.2.1-09, RDMAP-5040-5.2.2-06, RDMAP-5040-5.2-01 test
//= RDMAP-5040-5.2.1-03, RDMAP-5040-3.2-04, RDMAP-5040-5.2.2-01 test
RDMAWIRE_SCENARIO(read_is_answered_in_segments_of_mulpdu) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.receives(1, 1);
  t.fill(0x20, 231);
  t.take(read_of(all_stag, at_all + 0x20, 231),
         "8142 0a0b0c0d 1122334455667788 [114 01..72], 8142 0a0b0c0d 11223344556677fa [114 73..e4], "
         "c142 0a0b0c0d 112233445566786c e5e6e7");
  t.note(std::to_string(t.stream.verbs().num_receives()), "1");
}

//= RDMAP-5040-5.2.1-10, RDMAP-5040-5.2.1-12, RDMAP-5040-5.2.1-13, SEC-5042-6.3.5-02, MPA-6581-9.2-19 test
RDMAWIRE_SCENARIO(read_of_nothing_is_answered_without_a_look) {
  Stream t(script);
  t.take(read_of(no_stag, ~std::uint64_t{0}, 0), "c142 0a0b0c0d 1122334455667788");
  t.take(read_of(writable_stag, at_writable, 0, 2), "c142 0a0b0c0d 1122334455667788");
  t.take(read_of(foreign_stag, at_foreign, 0, 3), "c142 0a0b0c0d 1122334455667788");
}

//= RDMAP-5040-5.2.1-06, RDMAP-5040-5.2.2-04, RDMAP-5040-5.5-17, RDMAP-5040-B-09 test
RDMAWIRE_SCENARIO(responses_go_in_the_order_of_requests_and_apart) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.hold(read_of(all_stag, at_all, 200, 1));
  t.hold(Seg(RDMA_READ_REQUEST, 2).read(0x22, 0, 1, readable_stag, at_readable));
  t.hold(Seg(RDMA_READ_REQUEST, 3).read(0x33, 0, 0, 0, 0));
  t.poll(
      "8142 0a0b0c0d 1122334455667788 [114 00..00], c142 0a0b0c0d 11223344556677fa [86 00..00], "
      "c142 00000022 0000000000000000 00, c142 00000033 0000000000000000");
}

//= RDMAP-5040-5.5-08, RDMAP-5040-5.5-14, RDMAP-5040-B-06 test
RDMAWIRE_SCENARIO(read_after_write_has_what_was_written) {
  Stream t(script);
  t.hold(Seg(RDMA_WRITE).to(all_stag, at_all).data(4));
  t.hold(read_of(all_stag, at_all, 4));
  t.poll("c142 0a0b0c0d 1122334455667788 01020304");
}

//= RDMAP-5040-5.5-09, RDMAP-5040-B-08, RDMAP-5040-B-07, RDMAP-5040-5.5-15 test
// What comes after a Read may happen before it is answered.
RDMAWIRE_SCENARIO(later_messages_do_not_wait_for_a_response) {
  Stream t(script);
  t.receives(1, 1, 64, 0x100);
  t.hold(read_of(all_stag, at_all, 4));
  t.hold(Seg(RDMA_WRITE).to(all_stag, at_all).data(4, 0x60));
  t.hold(Seg(SEND).data(1));
  t.poll("RECV 1 SUCCESS 1", 0);
  t.poll("c142 0a0b0c0d 1122334455667788 60616263");
}

//= RDMAP-5040-B-03, RDMAP-7306-7-03, RDMAP-5040-B-10 test
RDMAWIRE_SCENARIO(response_shows_that_all_before_is_done) {
  Stream t(script);
  t.receives(1, 2);
  t.take(Seg(SEND, 1).more().data(4), "");
  t.hold(Seg(SEND, 1).at(4).data(4, 5));
  t.hold(Seg(IMMEDIATE_DATA, 2));
  t.hold(read_of(no_stag, 0, 0));
  t.poll("c142 0a0b0c0d 1122334455667788, RECV 1 SUCCESS 8, RECV_IMMEDIATE_DATA 2 SUCCESS data 0000000000000000");
}

//= RDMAP-5040-7.2-08, RDMAP-5040-7.1-04, RDMAP-5040-5.2.1-11, RDMAP-5040-3.2-04, SEC-5042-6.1.1-01 test
RDMAWIRE_SCENARIO(read_of_an_unknown_stag) {
  Stream t(script);
  t.refuse(read_of(no_stag, 0, 4), "0100e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-08, RDMAP-5040-8.1.1-05 test
RDMAWIRE_SCENARIO(read_of_an_invalidated_stag) {
  Stream t(script);
  t.host.memory.invalidate_local({fast_stag}, t.host.pd, {7});
  t.refuse(read_of(fast_stag, at_fast, 4), "0100e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-09, RDMAP-5040-8.1.1-01, SEC-5042-2.2.4-01, SEC-5042-6.1.1-03 test
RDMAWIRE_SCENARIO(read_of_another_protection_domain) {
  Stream t(script);
  t.refuse(read_of(foreign_stag, at_foreign, 4), "0103e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-09, RDMAP-5040-8.1.1-02, SEC-5042-6.1.1-04 test
RDMAWIRE_SCENARIO(read_of_a_buffer_of_another_stream) {
  Stream t(script);
  t.refuse(read_of(other_stream_stag, at_all + 0x100, 4), "0103e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-10, RDMAP-5040-8.1.1-03 test
RDMAWIRE_SCENARIO(read_behind_the_buffer) {
  Stream t(script);
  t.refuse(read_of(readable_stag, at_readable + 256, 1), "0101e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-10 test
RDMAWIRE_SCENARIO(read_before_the_buffer) {
  Stream t(script);
  t.refuse(read_of(readable_stag, at_readable - 1, 1), "0101e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-11, SEC-5042-6.3.1-01 test
RDMAWIRE_SCENARIO(read_over_the_end_of_the_buffer) {
  Stream t(script);
  t.take(read_of(readable_stag, at_readable + 252, 4), "c142 0a0b0c0d 1122334455667788 00000000");
  t.refuse(read_of(readable_stag, at_readable + 252, 5, 2), "0101e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-4.4-05 test
RDMAWIRE_SCENARIO(read_of_the_greatest_size) {
  Stream t(script);
  t.refuse(read_of(all_stag, at_all, 0xFFFFFFFF), "0101e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-12 test
RDMAWIRE_SCENARIO(read_over_the_end_of_all_offsets) {
  Stream t(script);
  t.refuse(read_of(top_stag, 0xFFFFFFFFFFFFFFF8, 16), "0104e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-12 test
RDMAWIRE_SCENARIO(read_up_to_the_last_offset) {
  Stream t(script);
  t.take(read_of(top_stag, 0xFFFFFFFFFFFFFFF8, 8), "c142 0a0b0c0d 1122334455667788 0000000000000000");
}

//= RDMAP-5040-7.2-13, SEC-5042-6.3.5-02 test
RDMAWIRE_SCENARIO(read_without_the_right_to) {
  Stream t(script);
  t.refuse(read_of(writable_stag, at_writable, 4), "0102e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-13 test
RDMAWIRE_SCENARIO(queue_pair_as_a_whole_answers_no_reads) {
  StreamSetup setup;
  setup.access = verbs::rights::remote_write;
  Stream t(script, setup);
  t.refuse(read_of(all_stag, at_all, 4), "0102e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-06 test
RDMAWIRE_SCENARIO(read_request_with_a_number_ahead) {
  Stream t(script);
  t.refuse(read_of(no_stag, 0, 4, 2), "1203c000");
}

//= RDMAP-5040-7.2-07, RDMAP-5040-7.1-06 test
RDMAWIRE_SCENARIO(read_request_of_another_version) {
  Stream t(script);
  t.refuse(read_of(no_stag, 0, 4).rdmap_version(0), "0205c000");
}

//= RDMAP-5040-5.2.1-04 test
RDMAWIRE_SCENARIO(read_request_on_the_queue_of_sends) {
  Stream t(script);
  t.refuse(read_of(no_stag, 0, 4).queue(0), "1201c000");
}

//= RDMAP-5040-4.4-06 test
RDMAWIRE_SCENARIO(read_request_with_payload) {
  Stream t(script);
  t.refuse(read_of(all_stag, at_all, 4).data(1), "1205c000");
}

//= RDMAP-5040-4.4-06 test
RDMAWIRE_SCENARIO(read_request_that_is_cut) {
  Stream t(script);
  t.refuse(read_of(all_stag, at_all, 4).cut(45), "02ffc000");
}

//= RDMAP-5040-4.4-06 test
RDMAWIRE_SCENARIO(read_request_with_an_offset) {
  Stream t(script);
  t.refuse(read_of(all_stag, at_all, 4).at(28), "1204c000");
}

//= RDMAP-5040-4.4-06 test
RDMAWIRE_SCENARIO(read_request_that_is_not_the_last_segment) {
  Stream t(script);
  t.refuse(read_of(all_stag, at_all, 4).more(), "02ffc000");
}

//= RDMAP-5040-5.2.2-02, RDMAP-5040-5.2.1-02, RDMAP-5040-6.1-06, SEC-5042-6.4.3.3-03, RDMAP-5040-6.1-03 test
RDMAWIRE_SCENARIO(one_read_too_many) {
  StreamSetup setup;
  setup.ird = 2;
  Stream t(script, setup);
  t.hold(read_of(all_stag, at_all, 4, 1));
  t.hold(read_of(all_stag, at_all, 4, 2));
  t.refuse(read_of(all_stag, at_all, 4, 3), "1202c000");
}

//= RDMAP-5040-5.2.2-02, RDMAP-5040-6.1-03 test
RDMAWIRE_SCENARIO(answered_reads_make_room) {
  StreamSetup setup;
  setup.ird = 1;
  Stream t(script, setup);
  for (std::uint32_t msn = 1; msn < 6; ++msn) t.take(read_of(0, 0, 0, msn), "c142 0a0b0c0d 1122334455667788");
}

//= RDMAP-5040-7.2-01, RDMAP-5040-6.1-06 test
// The buffer that waits for the request is DDP's affair, and comes before the STag in it.
RDMAWIRE_SCENARIO(no_room_comes_before_a_bad_stag) {
  StreamSetup setup;
  setup.ird = 0;
  Stream t(script, setup);
  t.refuse(read_of(no_stag, 0, 4), "1202c000");
}

//= RDMAP-5040-8.1.2-06, SEC-5042-6.4.3.3-01 test
RDMAWIRE_SCENARIO(too_many_reads_end_that_stream_only) {
  StreamHost host;
  StreamSetup setup;
  setup.ird = 1;
  Stream a(script, setup, &host);
  setup.number = 8;
  Stream b(script, setup, &host);
  a.hold(read_of(all_stag, at_all, 4, 1));
  a.refuse(read_of(all_stag, at_all, 4, 2), "1202c000");
  b.take(read_of(all_stag, at_all, 4, 1), "c142 0a0b0c0d 1122334455667788 00000000");
}

//= RDMAP-5040-8.1.1-05, RDMAP-5040-7.1-04 test
// The Read Request that the Terminate quotes has what is left of it: 100 octets of 300 are sent.
RDMAWIRE_SCENARIO(source_is_taken_away_in_the_middle) {
  StreamSetup setup;
  setup.mulpdu = 114;
  Stream t(script, setup);
  const Seg request = read_of(fast_stag, at_fast, 250);
  t.hold(request);
  t.poll("8142 0a0b0c0d 1122334455667788 [100 00..00]", 1);
  t.host.memory.invalidate_local({fast_stag}, t.host.pd, {7});
  t.poll(terminate_text("0100e000", request.octets(), "0a0b0c0d 11223344556677ec 00000096 00000500 0000000000500064") +
         ", event QP_ACCESS_ERR, ERR, TERMINATED");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(rdmap_read_initiator)

//= RDMAP-5040-5.2.1-01, RDMAP-5040-5.2.1-04, RDMAP-5040-5.2.1-07, RDMAP-5040-5.2.1-08, RDMAP-5040-5.2.1-05 test
//= RDMAP-5040-4.1-09, RDMAP-5040-4.4-04, RDMAP-5040-5.2-01 test
RDMAWIRE_SCENARIO(reads_are_asked_for_in_order) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 1000, 3));
  t.hold(t.work(2, WorkOpcode::rdma_read, 5, 0x2000));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100003 000003e8 00000055 0000000000007000, "
      "4141 00000000 00000001 00000002 00000000 00000100 0000000000102000 00000005 00000055 0000000000007000");
}

//= RDMAP-5040-5.2.2-03, RDMAP-5040-5.5-07, RDMAP-5040-5.5-16, RDMAP-5040-5.5-18, RDMAP-5040-5.5-12 test
RDMAWIRE_SCENARIO(read_completes_by_the_last_segment_of_its_response) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 6));
  t.hold(t.work(2, WorkOpcode::send, 1, 0x300));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000006 00000055 0000000000007000, "
      "4143 00000000 00000000 00000001 00000000 00");
  t.take(response_to(0, 4).more(), "");
  t.memory(0, 6, "010203040000");
  t.take(response_to(4, 2, 5), "RDMA_READ 1 SUCCESS 6, SEND 2 SUCCESS");
  t.memory(0, 7, "01020304050600");
}

//= RDMAP-5040-5.2.1-10, RDMAP-5040-4.4-05 test
RDMAWIRE_SCENARIO(read_of_nothing) {
  Stream t(script);
  t.post(t.work(1, WorkOpcode::rdma_read, 0),
         "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  // Neither STag nor offset of a segment without octets count.
  t.take(Seg(RDMA_READ_RESPONSE).to(no_stag, 5), "RDMA_READ 1 SUCCESS");
}

//= DDP-5041-5.2-12 test
RDMAWIRE_SCENARIO(response_may_end_by_an_empty_segment) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 4));
  t.poll("4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000004 00000055 0000000000007000");
  t.take(Seg(RDMA_READ_RESPONSE).more(), "");
  t.take(response_to(0, 4).more(), "");
  t.take(Seg(RDMA_READ_RESPONSE), "RDMA_READ 1 SUCCESS 4");
}

// Several pieces: the first one's STag stands for all, and offsets count from 0. What comes is placed by the pieces.
RDMAWIRE_SCENARIO(response_is_spread_over_the_pieces) {
  Stream t(script);
  const std::array sges{t.sge(0x10, 3), t.sge(0x20, 2), t.sge(0x30, 4)};
  verbs::SendWork work = t.work(1, WorkOpcode::rdma_read, 0);
  work.sges = sges;
  t.post(work, "4141 00000000 00000001 00000001 00000000 00000100 0000000000000000 00000009 00000055 0000000000007000");
  t.take(Seg(RDMA_READ_RESPONSE).to(all_stag, 0).data(4).more(), "");
  t.take(Seg(RDMA_READ_RESPONSE).to(all_stag, 4).data(5, 5), "RDMA_READ 1 SUCCESS 9");
  t.memory(0x10, 4, "01020300");
  t.memory(0x20, 3, "040500");
  t.memory(0x30, 5, "0607080900");
}

//= RDMAP-5040-5.2.2-05, SEC-5042-6.2.1-02 test
RDMAWIRE_SCENARIO(response_for_another_stag) {
  Stream t(script);
  t.post(t.work(1, WorkOpcode::rdma_read, 4),
         "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000004 00000055 0000000000007000");
  t.refuse(Seg(RDMA_READ_RESPONSE).to(writable_stag, at_writable).data(4), "1100c000",
           "RDMA_READ 1 WR_FLUSH_ERR, event QP_ACCESS_ERR");
  t.memory(0x8100, 4, "00000000");
}

//= RDMAP-5040-5.2.2-05, SEC-5042-6.2.1-02 test
RDMAWIRE_SCENARIO(response_at_another_offset) {
  Stream t(script);
  t.post(t.work(1, WorkOpcode::rdma_read, 4),
         "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000004 00000055 0000000000007000");
  t.refuse(response_to(1, 3), "1101c000", "RDMA_READ 1 WR_FLUSH_ERR, event QP_ACCESS_ERR");
  t.memory(0, 4, "00000000");
}

//= RDMAP-5040-5.2.2-05, SEC-5042-6.2.1-02 test
RDMAWIRE_SCENARIO(response_that_is_longer) {
  Stream t(script);
  t.post(t.work(1, WorkOpcode::rdma_read, 4),
         "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000004 00000055 0000000000007000");
  t.take(response_to(0, 3).more(), "");
  t.refuse(response_to(3, 2), "1101c000", "RDMA_READ 1 WR_FLUSH_ERR, event QP_ACCESS_ERR");
  t.memory(0, 6, "010203000000");
}

//= RDMAP-5040-5.2.2-05 test
RDMAWIRE_SCENARIO(response_that_is_shorter) {
  Stream t(script);
  t.post(t.work(1, WorkOpcode::rdma_read, 4),
         "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000004 00000055 0000000000007000");
  t.refuse(response_to(0, 3), "1101c000", "RDMA_READ 1 WR_FLUSH_ERR, event QP_ACCESS_ERR");
}

//= RDMAP-5040-5.2.2-07 test
RDMAWIRE_SCENARIO(response_that_nobody_asked_for) {
  Stream t(script);
  t.refuse(response_to(0, 4), "0206c000");
  t.memory(0, 4, "00000000");
}

//= RDMAP-5040-8.1.1-05, DDP-5041-8.3.1-05 test
RDMAWIRE_SCENARIO(sink_is_taken_away) {
  Stream t(script);
  const std::array sges{verbs::Sge{at_fast, 8, {fast_stag}}};
  verbs::SendWork work = t.work(1, WorkOpcode::rdma_read, 0);
  work.sges = sges;
  t.post(work, "4141 00000000 00000001 00000001 00000000 00000500 0000000000500000 00000008 00000055 0000000000007000");
  t.take(Seg(RDMA_READ_RESPONSE).to(fast_stag, at_fast).data(4).more(), "");
  t.host.memory.invalidate_local({fast_stag}, t.host.pd, {7});
  t.refuse(Seg(RDMA_READ_RESPONSE).to(fast_stag, at_fast + 4).data(4), "1100c000",
           "RDMA_READ 1 LOC_PROT_ERR, event QP_FATAL");
  t.memory(0x8300, 8, "0102030400000000");
}

//= RDMAP-5040-7.1-02 test
RDMAWIRE_SCENARIO(sink_is_not_there_to_begin_with) {
  Stream t(script);
  verbs::SendWork work = t.work(1, WorkOpcode::rdma_read, 0);
  const std::array sges{t.sge(0xFFFF, 2)};
  work.sges = sges;
  t.post(work, terminate_text("00000000") + ", RDMA_READ 1 LOC_PROT_ERR, event QP_FATAL, ERR, TERMINATED");
}

//= RDMAP-5040-6.1-05, RDMAP-5040-6.1-02, RDMAP-5040-6.1-04, RDMAP-5040-8.1.1-11, SEC-5042-6.4.3.3-02 test
RDMAWIRE_SCENARIO(reads_wait_for_room_at_the_peer) {
  StreamSetup setup;
  setup.ord = 2;
  Stream t(script, setup);
  for (std::uint64_t id = 1; id <= 5; ++id) t.hold(t.work(id, WorkOpcode::rdma_read, 0));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "4141 00000000 00000001 00000002 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  t.take(Seg(RDMA_READ_RESPONSE),
         "4141 00000000 00000001 00000003 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
         "RDMA_READ 1 SUCCESS");
  t.hold(Seg(RDMA_READ_RESPONSE));
  t.hold(Seg(RDMA_READ_RESPONSE));
  t.poll(
      "4141 00000000 00000001 00000004 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "4141 00000000 00000001 00000005 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "RDMA_READ 2 SUCCESS, RDMA_READ 3 SUCCESS");
}

// What may not be asked for at all is not waited for.
//= RDMAP-5040-6.1-05 test
RDMAWIRE_SCENARIO(read_without_any_room_at_the_peer) {
  StreamSetup setup;
  setup.ord = 0;
  Stream t(script, setup);
  t.post(t.work(1, WorkOpcode::rdma_read, 4),
         terminate_text("00000000") + ", RDMA_READ 1 LOC_QP_OP_ERR, event QP_FATAL, ERR, TERMINATED");
}

//= RDMAP-5040-6.1-03, RDMAP-5040-6.1-04, RDMAP-5040-8.1.1-11 test
// The depths that are asked for at the start are limited by those that there is room for.
RDMAWIRE_SCENARIO(depths_are_limited_at_construction) {
  StreamSetup setup;
  setup.rdmap.max_ird = 1;
  setup.rdmap.max_ord = 1;
  setup.ird = 60;
  setup.ord = 60;
  Stream t(script, setup);
  t.note(std::to_string(t.stream.verbs().attributes().max_dest_rd_atomic), "1");
  t.note(std::to_string(t.stream.verbs().attributes().max_rd_atomic), "1");
  t.hold(read_of(0, 0, 0, 1));
  t.refuse(read_of(0, 0, 0, 2), "1202c000");
}

// A fence waits for Reads and atomics, and for nothing else.
//= RDMAP-5040-B-10 test
RDMAWIRE_SCENARIO(fence_waits_for_the_response) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 0));
  verbs::SendWork fenced = t.work(2, WorkOpcode::send, 1);
  fenced.fence = true;
  t.hold(fenced);
  t.poll("4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  t.take(Seg(RDMA_READ_RESPONSE), "4143 00000000 00000000 00000001 00000000 00, RDMA_READ 1 SUCCESS, SEND 2 SUCCESS");
  t.post(fenced, "4143 00000000 00000000 00000002 00000000 00, SEND 2 SUCCESS");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
