// DDP's untagged model at the receiver, by segments made by hand: RFC 5041, 5 and 7.1; RFC 5040, 5.3.
#include "protocol/iwarp/stream_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

BOOST_AUTO_TEST_SUITE(ddp_untagged)

//= DDP-5041-5.1-01, RDMAP-5040-5.3-02, RDMAP-5040-5.3-03, RDMAP-5040-5.3-05, SEC-5042-2.3.5-01 test
RDMAWIRE_SCENARIO(each_send_takes_a_buffer_in_order) {
  Stream t(script);
  t.receives(1, 1, 64, 0);
  t.receives(2, 1, 64, 100);
  t.take(Seg(SEND, 1).data(10), "RECV 1 SUCCESS 10");
  t.take(Seg(SEND, 2).data(3, 0x50), "RECV 2 SUCCESS 3");
  t.memory(0, 11, "0102030405060708090a00");
  t.memory(100, 4, "50515200");
}

//= DDP-5041-3-04, DDP-5041-5.2-04, DDP-5041-5.4-02, DDP-5041-5.4-03, DDP-5041-4.1-05, RDMAP-5040-5.5-13 test
RDMAWIRE_SCENARIO(message_of_segments_is_delivered_by_the_last) {
  Stream t(script);
  t.receives(1, 2, 64);
  t.take(Seg(SEND).more().data(4), "");
  t.take(Seg(SEND).more().at(4).data(4, 5), "");
  t.take(Seg(SEND).at(8).data(1, 9), "RECV 1 SUCCESS 9");
  t.memory(0, 10, "01020304050607080900");
}

//= DDP-5041-5.2-08, RDMAP-5040-5.3-09, RDMAP-5040-5.3-10 test
RDMAWIRE_SCENARIO(send_without_octets_takes_a_buffer) {
  Stream t(script);
  t.receives(1, 2);
  t.take(Seg(SEND, 1), "RECV 1 SUCCESS");
  t.take(Seg(SEND, 2).data(1), "RECV 2 SUCCESS 1");
  t.refuse(Seg(SEND, 3), "1202c000");
}

//= DDP-5041-7.1-08 test
RDMAWIRE_SCENARIO(send_without_octets_needs_its_number) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND, 2), "1203c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= DDP-5041-5.3-06, DDP-5041-5.2-11 test
// Nothing says that the segments of a message come in the order of their offsets, and nothing is counted.
RDMAWIRE_SCENARIO(offsets_may_come_in_any_order) {
  Stream t(script);
  t.receives(1, 2, 64);
  t.take(Seg(SEND).more().at(4).data(4, 5), "");
  t.take(Seg(SEND).more().data(4), "");
  t.take(Seg(SEND).at(8).data(4, 9), "RECV 1 SUCCESS 12");
  t.memory(0, 12, "0102030405060708090a0b0c");
  t.take(Seg(SEND, 2).more().at(4).data(2, 0x77), "");
  t.take(Seg(SEND, 2).at(8).data(2, 0x88), "RECV 2 SUCCESS 10");
  t.memory(0, 12,
           "01020304777807088889"
           "0b0c");
}

//= DDP-5041-5.2-12 test
RDMAWIRE_SCENARIO(empty_segments_in_a_message_are_good) {
  Stream t(script);
  t.receives(1, 2, 4);
  t.take(Seg(SEND).more(), "");
  t.take(Seg(SEND).more().data(4), "");
  t.take(Seg(SEND).more().at(0xFFFFFFF0), "");
  t.take(Seg(SEND).at(4), "RECV 1 SUCCESS 4");
}

// What would be told of a message is more than there is memory for.
//= DDP-5041-7.1-07 test
RDMAWIRE_SCENARIO(empty_last_segment_beyond_the_buffer) {
  Stream t(script);
  t.receives(1, 1, 4);
  t.take(Seg(SEND).more().data(4), "");
  t.refuse(Seg(SEND).at(5), "1204c000", "RECV 1 LOC_LEN_ERR, event QP_REQ_ERR");
}

//= DDP-5041-7.1-07 test
RDMAWIRE_SCENARIO(offset_and_length_do_not_wrap) {
  Stream t(script);
  t.receives(1, 1, 64);
  t.refuse(Seg(SEND).more().at(0xFFFFFFF0).data(32), "1204c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
  t.memory(0, 32, "0000000000000000000000000000000000000000000000000000000000000000");
}

//= DDP-5041-7.1-07 test
RDMAWIRE_SCENARIO(highest_offset) {
  Stream t(script);
  t.receives(1, 1, 64);
  t.refuse(Seg(SEND).at(0xFFFFFFFF).data(1), "1204c000", "RECV 1 LOC_LEN_ERR, event QP_REQ_ERR");
}

//= DDP-5041-7.1-04 test
RDMAWIRE_SCENARIO(offset_at_the_end_of_the_buffer) {
  Stream t(script);
  t.receives(1, 1, 100);
  t.refuse(Seg(SEND).at(100).data(1), "1204c000", "RECV 1 LOC_LEN_ERR, event QP_REQ_ERR");
}

//= DDP-5041-7.1-05, DDP-5041-7.1-15 test
RDMAWIRE_SCENARIO(segment_over_the_end_of_the_buffer) {
  Stream t(script);
  t.receives(1, 1, 100);
  t.refuse(Seg(SEND).at(90).data(20), "1205c000", "RECV 1 LOC_LEN_ERR, event QP_REQ_ERR");
  t.memory(98, 4, "00000000");
}

//= RDMAP-5040-5.3-04, RDMAP-5040-3.2-02 test
RDMAWIRE_SCENARIO(send_longer_than_its_buffer) {
  Stream t(script);
  t.receives(1, 1, 100);
  t.refuse(Seg(SEND).data(101), "1205c000", "RECV 1 LOC_LEN_ERR, event QP_REQ_ERR");
  t.memory(0, 1, "00");
}

RDMAWIRE_SCENARIO(send_into_a_buffer_of_no_octets) {
  Stream t(script);
  t.receives(1, 1, 0);
  t.refuse(Seg(SEND).data(1), "1205c000", "RECV 1 LOC_LEN_ERR, event QP_REQ_ERR");
}

RDMAWIRE_SCENARIO(send_fits_its_buffer_exactly) {
  Stream t(script);
  t.receives(1, 1, 100);
  t.take(Seg(SEND).at(0).data(100), "RECV 1 SUCCESS 100");
  t.memory(99, 2, "6400");
}

//= DDP-5041-7.1-02, DDP-5041-7.1-03 test
RDMAWIRE_SCENARIO(send_without_a_buffer) {
  Stream t(script);
  t.refuse(Seg(SEND).data(5), "1202c000");
}

//= DDP-5041-7.1-06 test
RDMAWIRE_SCENARIO(number_zero_at_first) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND, 0).data(5), "1203c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= DDP-5041-7.1-06 test
RDMAWIRE_SCENARIO(number_ahead) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND, 2).data(5), "1203c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= DDP-5041-7.1-06, DDP-5041-3-08, DDP-5041-5.3-04 test
RDMAWIRE_SCENARIO(number_again) {
  Stream t(script);
  t.receives(1, 2);
  t.take(Seg(SEND, 1).data(5), "RECV 1 SUCCESS 5");
  t.refuse(Seg(SEND, 1).data(5), "1203c000", "RECV 2 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= DDP-5041-7.1-06 test
RDMAWIRE_SCENARIO(next_message_before_the_end_of_this) {
  Stream t(script);
  t.receives(1, 2);
  t.take(Seg(SEND, 1).more().data(5), "");
  t.refuse(Seg(SEND, 2).data(5), "1203c000", "RECV 1 WR_FLUSH_ERR, RECV 2 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= DDP-5041-4.3-07, DDP-5041-4.3-05, DDP-5041-7.1-06 test
RDMAWIRE_SCENARIO(numbers_begin_anew_after_the_last) {
  StreamSetup setup;
  setup.rdmap.first_msn = DdpMsn{0xFFFFFFFE};
  Stream t(script, setup);
  t.receives(1, 4);
  t.take(Seg(SEND, 0xFFFFFFFE).data(1), "RECV 1 SUCCESS 1");
  t.take(Seg(SEND, 0xFFFFFFFF).data(1), "RECV 2 SUCCESS 1");
  t.take(Seg(SEND, 0).data(1), "RECV 3 SUCCESS 1");
  t.take(Seg(SEND, 1).data(1), "RECV 4 SUCCESS 1");
  t.take(Seg(RDMA_READ_REQUEST, 0xFFFFFFFE).read(9, 0, 0, 0, 0), "c142 00000009 0000000000000000");
  t.take(Seg(RDMA_READ_REQUEST, 0xFFFFFFFF).read(9, 0, 0, 0, 0), "c142 00000009 0000000000000000");
  t.take(Seg(RDMA_READ_REQUEST, 0).read(9, 0, 0, 0, 0), "c142 00000009 0000000000000000");
  t.take(Seg(RDMA_READ_REQUEST, 1).read(9, 0, 0, 0, 0), "c142 00000009 0000000000000000");
  const verbs::SendWork work = t.work(5, verbs::WorkOpcode::send, 1);
  t.post(work, "4143 00000000 00000000 fffffffe 00000000 01, SEND 5 SUCCESS");
  t.post(work, "4143 00000000 00000000 ffffffff 00000000 01, SEND 5 SUCCESS");
  t.post(work, "4143 00000000 00000000 00000000 00000000 01, SEND 5 SUCCESS");
  t.post(work, "4143 00000000 00000000 00000001 00000000 01, SEND 5 SUCCESS");
}

//= DDP-5041-7.1-01 test
RDMAWIRE_SCENARIO(queue_that_no_opcode_has) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND).queue(4).data(5), "1201c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= DDP-5041-7.1-01 test
RDMAWIRE_SCENARIO(highest_queue) {
  Stream t(script);
  t.refuse(Seg(SEND).queue(0xFFFFFFFF).data(5), "1201c000");
}

//= RDMAP-5040-5.3-07 test
RDMAWIRE_SCENARIO(send_on_the_read_requests_queue) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND).queue(1).data(5), "1201c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= RDMAP-5040-5.3-07, DDP-5041-7.1-01 test
RDMAWIRE_SCENARIO(send_on_the_terminates_queue) {
  Stream t(script);
  t.refuse(Seg(SEND).queue(2).data(5), "1201c000");
}

//= DDP-5041-7.1-01 test
RDMAWIRE_SCENARIO(send_on_the_atomic_responses_queue) {
  Stream t(script);
  t.refuse(Seg(SEND).queue(3).data(5), "1201c000");
}

//= DDP-5041-4.1-09 test
RDMAWIRE_SCENARIO(other_ddp_version_after_a_good_segment) {
  Stream t(script);
  t.receives(1, 2);
  t.take(Seg(SEND, 1).data(5), "RECV 1 SUCCESS 5");
  t.refuse(Seg(SEND, 2).ddp_version(0).data(5), "1206c000", "RECV 2 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= DDP-5041-4.1-09 test
RDMAWIRE_SCENARIO(ddp_version_2) {
  Stream t(script);
  t.refuse(Seg(SEND).ddp_version(2), "1206c000");
}

//= DDP-5041-4.1-09 test
RDMAWIRE_SCENARIO(ddp_version_3) {
  Stream t(script);
  t.refuse(Seg(SEND).ddp_version(3), "1206c000");
}

//= DDP-5041-4.1-09 test
RDMAWIRE_SCENARIO(ddp_version_of_a_tagged_segment) {
  Stream t(script);
  t.take(Seg(RDMA_WRITE).to(all_stag, at_all).data(2), "");
  t.refuse(Seg(RDMA_WRITE).to(all_stag, at_all).ddp_version(0).data(2, 0x55), "1104c000");
  t.memory(0, 2, "0102");
}

//= DDP-5041-4.1-02 test
RDMAWIRE_SCENARIO(send_in_the_tagged_model) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND).flipped().data(5), "0206c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= DDP-5041-4.1-02, RDMAP-5040-5.1-01 test
RDMAWIRE_SCENARIO(write_in_the_untagged_model) {
  Stream t(script);
  t.refuse(Seg(RDMA_WRITE).flipped().data(5), "0206c000");
}

//= RDMAP-5040-5.2.1-01 test
RDMAWIRE_SCENARIO(read_request_in_the_tagged_model) {
  Stream t(script);
  t.refuse(Seg(RDMA_READ_REQUEST).flipped().data(5), "0206c000");
}

//= RDMAP-5040-5.2.2-01 test
RDMAWIRE_SCENARIO(read_response_in_the_untagged_model) {
  Stream t(script);
  t.refuse(Seg(RDMA_READ_RESPONSE).flipped().data(5), "0206c000");
}

//= RDMAP-5040-5.3-01 test
RDMAWIRE_SCENARIO(sends_of_all_kinds_in_the_tagged_model) {
  for (const Opcode opcode :
       {SEND_WITH_INVALIDATE, SEND_WITH_SE, SEND_WITH_SE_AND_INVALIDATE, IMMEDIATE_DATA, IMMEDIATE_DATA_WITH_SE}) {
    Stream t(script);
    t.refuse(Seg(opcode).flipped(), "0206c000");
  }
}

//= RDMAP-7306-5.2.1-07 test
RDMAWIRE_SCENARIO(atomics_in_the_tagged_model) {
  Stream request(script);
  request.refuse(Seg(ATOMIC_REQUEST).flipped(), "0206c000");
  Stream response(script);
  response.refuse(Seg(ATOMIC_RESPONSE).flipped(), "0206c000");
}

//= DDP-5041-4.4-01 test
RDMAWIRE_SCENARIO(segment_shorter_than_its_header) {
  Stream one(script);
  one.refuse(Seg(SEND).cut(17), "10008000");
  Stream two(script);
  two.refuse(Seg(RDMA_WRITE).to(all_stag, at_all).cut(13), "10008000");
  Stream three(script);
  three.refuse(Seg(SEND).cut(1), "10008000");
}

//= MPA-5044-4.1-10 test
RDMAWIRE_SCENARIO(segment_without_an_octet) {
  Stream t(script);
  t.refuse(SegmentOctets{}, "10008000");
}

//= DDP-5041-4.3-03, RDMAP-7306-4.1-03 test
RDMAWIRE_SCENARIO(what_is_to_be_ignored_is_ignored) {
  Stream t(script);
  t.receives(1, 4, 64);
  // The bits that a Send has no use for, and such as are not the same in all segments.
  t.take(Seg(SEND).more().invalidate(0x11).data(4), "");
  t.take(Seg(SEND_WITH_SE).at(4).invalidate(0x22).data(4), "RECV 1 SUCCESS 8 SE");
  t.take(Seg(IMMEDIATE_DATA, 2).invalidate(0x33).immediate({1, 2, 3, 4, 5, 6, 7, 8}),
         "RECV_IMMEDIATE_DATA 2 SUCCESS data 0102030405060708");
  t.take(Seg(SEND, 3).reserved().data(4), "RECV 3 SUCCESS 4");
  t.take(Seg(RDMA_READ_REQUEST).invalidate(0x44).reserved().read(9, 0, 0, 0, 0), "c142 00000009 0000000000000000");
  t.take(Seg(ATOMIC_REQUEST, 2).invalidate(0x55).fetch_add(all_stag, at_all + 0x4000, 5),
         "414b 00000000 00000003 00000001 00000000 000000000000000000000000");
}

//= DDP-5041-7.1-17, RDMAP-5040-7.1-05, RDMAP-5040-7-01 test
RDMAWIRE_SCENARIO(first_error_is_told_and_what_follows_is_dropped) {
  Stream t(script);
  const Seg first = Seg(SEND, 5).data(7);
  t.hold(first);
  t.hold(Seg(SEND, 1).ddp_version(2));
  t.hold(Seg(RDMA_WRITE).to(all_stag, at_all).data(4));
  t.poll(terminate_text("1203c000", first.octets()) + ", event QP_REQ_ERR, ERR, TERMINATED");
  t.take(Seg(RDMA_WRITE).to(all_stag, at_all).data(4), "");
  t.memory(0, 4, "00000000");
  t.note(std::to_string(t.stream.counters().num_dropped), "3");
}

//= DDP-5041-8.3.2-05, SEC-5042-6.4.3.1-01, RDMAP-5040-8.1.2-07 test
RDMAWIRE_SCENARIO(shared_receives_are_counted_by_stream) {
  StreamHost host;
  StreamSetup setup;
  setup.shared = true;
  Stream a(script, setup, &host);
  setup.number = 8;
  Stream b(script, setup, &host);
  a.receives(1, 4);
  a.take(Seg(SEND, 1), "RECV 1 SUCCESS");
  b.take(Seg(SEND, 1), "RECV 2 SUCCESS");
  a.take(Seg(SEND, 2), "RECV 3 SUCCESS");
  a.take(Seg(SEND, 3).more(), "");
  a.note(std::to_string(a.stream.counters().num_receives_taken), "3");
  a.note(std::to_string(b.stream.counters().num_receives_taken), "1");
  b.refuse(Seg(SEND, 2), "1202c000", "event QP_REQ_ERR, event QP_LAST_WQE_REACHED");
  // The other stream has lost nothing.
  a.take(Seg(SEND, 3).data(4), "RECV 4 SUCCESS 4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
