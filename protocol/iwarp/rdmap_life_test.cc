// How a stream ends: Terminates that come, closes, losses: RFC 5040, 5.4, 6 and 7; RFC 5041, 6.
#include "protocol/iwarp/stream_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

using verbs::WorkOpcode;

std::string end_of(const Stream& t) {
  const StreamEnd& end = t.stream.end();
  constexpr std::array<std::string_view, 5> by{"nobody", "ulp", "error here", "peer", "loss"};
  std::string out(by[static_cast<std::size_t>(end.by)]);
  if (!end.has_error) return out;
  const std::array<std::uint8_t, 2> octets{static_cast<std::uint8_t>(end.error.value >> 8),
                                           static_cast<std::uint8_t>(end.error.value)};
  return out + ' ' + rdmawire::test::hex_of(octets.data(), octets.size());
}

BOOST_AUTO_TEST_SUITE(rdmap_terminate)

//= RDMAP-5040-5.4-03, RDMAP-5040-5.4-04, RDMAP-5040-5.4-08, RDMAP-5040-3.2-02, RDMAP-5040-6.2.1-02 test
RDMAWIRE_SCENARIO(terminate_ends_the_stream_and_is_told) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 0));
  t.poll("4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  t.hold(t.work(2, WorkOpcode::send, 1));
  t.take(Seg(TERMINATE).about(TerminateReason::mpa_bad_crc),
         "RDMA_READ 1 WR_FLUSH_ERR, SEND 2 WR_FLUSH_ERR, event PEER_TERMINATED, ERR, TERMINATED");
  t.note(end_of(t), "peer 2002");
  t.note(std::to_string(t.stream.wants_end()), "1");
}

//= RDMAP-5040-5.4-09 test
RDMAWIRE_SCENARIO(second_terminate_is_ignored) {
  Stream t(script);
  t.take(Seg(TERMINATE).about(TerminateReason::mpa_bad_crc), "event PEER_TERMINATED, ERR, TERMINATED");
  t.take(Seg(TERMINATE).about(TerminateReason::rdmap_bad_version), "");
  t.note(end_of(t), "peer 2002");
}

//= RDMAP-5040-5.4-05 test
RDMAWIRE_SCENARIO(terminate_that_is_wrong_in_itself_is_not_answered) {
  const auto silent = [&](const SegmentOctets& segment) {
    Stream t(script);
    t.take(segment, "event QP_REQ_ERR, ERR, TERMINATED");
  };
  silent(Seg(TERMINATE, 2).about(TerminateReason::mpa_bad_crc).octets());
  silent(Seg(TERMINATE).about(TerminateReason::mpa_bad_crc).cut(20));
  silent(Seg(TERMINATE).about(TerminateReason::mpa_bad_crc).more().octets());
  silent(Seg(TERMINATE).about(TerminateReason::mpa_bad_crc).at(4).octets());
  // Error type 15 of layer 0.
  silent(rdmawire::test::octets("4147 00000000 00000002 00000001 00000000 0f000000"));
}

// As siw-term-send-norecv.pcap has it; the standard's reading would be an LLP's error that there is not.
RDMAWIRE_SCENARIO(terminate_in_the_order_of_siw_is_the_peers) {
  Stream t(script);
  t.take(rdmawire::test::octets(
             "4147 00000000 00000002 00000001 00000000 21020300 0064 4143 00000000 00000000 00000001 00000000 0000"),
         "event PEER_TERMINATED, ERR, TERMINATED");
  t.note(end_of(t), "peer 1202");
  t.note(std::to_string(t.stream.end().in_siw_order), "1");
}

//= RDMAP-5040-5.4-01, RDMAP-5040-5.4-02 test
RDMAWIRE_SCENARIO(terminate_that_is_none) {
  Stream tagged(script);
  tagged.refuse(Seg(TERMINATE).flipped().data(4), "0206c000");
  Stream queue(script);
  queue.refuse(Seg(TERMINATE).queue(0), "1201c000");
}

// What was asked for by a Read or an atomic is found by queue and number; what was complete before is not.
RDMAWIRE_SCENARIO(terminate_blames_a_read) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 4));
  t.hold(t.work(2, WorkOpcode::rdma_read, 5));
  t.hold(t.work(3, WorkOpcode::rdma_read, 6));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000004 00000055 0000000000007000, "
      "4141 00000000 00000001 00000002 00000000 00000100 0000000000100000 00000005 00000055 0000000000007000, "
      "4141 00000000 00000001 00000003 00000000 00000100 0000000000100000 00000006 00000055 0000000000007000");
  t.take(Seg(TERMINATE).about(TerminateReason::rdmap_access_rights,
                              Seg(RDMA_READ_REQUEST, 2).read(all_stag, at_all, 5, 0x55, 0x7000).octets()),
         "RDMA_READ 1 WR_FLUSH_ERR, RDMA_READ 2 REM_ACCESS_ERR, RDMA_READ 3 WR_FLUSH_ERR, event PEER_TERMINATED, ERR, "
         "TERMINATED");
  t.note(end_of(t), "peer 0102");
}

RDMAWIRE_SCENARIO(terminate_blames_an_atomic) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 4));
  t.hold(t.work(2, WorkOpcode::fetch_add, 8));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000004 00000055 0000000000007000, "
      "414a 00000000 00000001 00000002 00000000 "
      "00000000000000000000005500000000000070000000000000000000000000000000000000000000"
      "00000000ffffffffffffffff");
  t.take(Seg(TERMINATE).about(TerminateReason::rdmap_catastrophic_stream, Seg(ATOMIC_REQUEST, 2).octets()),
         "RDMA_READ 1 WR_FLUSH_ERR, FETCH_ADD 2 REM_OP_ERR, event PEER_TERMINATED, ERR, TERMINATED");
}

// A Send or Write that is still being sent, or that waits behind a Read for its completion.
RDMAWIRE_SCENARIO(terminate_blames_a_send) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 0));
  t.hold(t.work(2, WorkOpcode::send, 1));
  t.hold(t.work(3, WorkOpcode::send, 1));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "4143 00000000 00000000 00000001 00000000 00, 4143 00000000 00000000 00000002 00000000 00");
  t.take(Seg(TERMINATE).about(TerminateReason::ddp_untagged_no_buffer, Seg(SEND, 2).data(1).octets()),
         "RDMA_READ 1 WR_FLUSH_ERR, SEND 2 WR_FLUSH_ERR, SEND 3 REM_INV_REQ_ERR, event PEER_TERMINATED, ERR, "
         "TERMINATED");
}

RDMAWIRE_SCENARIO(terminate_blames_a_write_in_the_middle) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.hold(t.work(1, WorkOpcode::rdma_write, 300));
  t.hold(t.work(2, WorkOpcode::rdma_write, 300));
  t.poll("8140 00000055 0000000000007000 [114 00..00]", 1);
  t.take(Seg(TERMINATE).about(TerminateReason::ddp_tagged_out_of_bounds,
                              Seg(RDMA_WRITE).to(0x55, 0x7072).data(114).more().octets()),
         "RDMA_WRITE 1 REM_ACCESS_ERR, RDMA_WRITE 2 WR_FLUSH_ERR, event PEER_TERMINATED, ERR, TERMINATED");
}

// Nothing was sent of it.
RDMAWIRE_SCENARIO(terminate_does_not_blame_what_was_not_sent) {
  Stream t(script);
  t.post(t.work(1, WorkOpcode::rdma_write, 8), "c140 00000055 0000000000007000 0000000000000000, RDMA_WRITE 1 SUCCESS");
  t.hold(t.work(2, WorkOpcode::rdma_write, 8));
  t.take(Seg(TERMINATE).about(TerminateReason::ddp_tagged_out_of_bounds,
                              Seg(RDMA_WRITE).to(0x55, 0x7000).data(8).octets()),
         "RDMA_WRITE 2 WR_FLUSH_ERR, event PEER_TERMINATED, ERR, TERMINATED");
}

// A Read Response is the peer's request, whatever its STag is.
RDMAWIRE_SCENARIO(terminate_about_a_response_blames_no_write) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 0));
  t.hold(t.work(2, WorkOpcode::rdma_write, 8));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "c140 00000055 0000000000007000 0000000000000000");
  t.take(Seg(TERMINATE).about(TerminateReason::ddp_tagged_out_of_bounds,
                              Seg(RDMA_READ_RESPONSE).to(0x55, 0x7000).data(8).octets()),
         "RDMA_READ 1 WR_FLUSH_ERR, RDMA_WRITE 2 WR_FLUSH_ERR, event PEER_TERMINATED, ERR, TERMINATED");
}

//= RDMAP-5040-5.4-06, RDMAP-5040-5.4-07, RDMAP-5040-6.2.1-01, RDMAP-5040-6.2.1-02, DDP-5041-6.2.2-02 test
//= RDMAP-5040-7-01, DDP-5041-3-10, DDP-5041-6.2.2-03, DDP-5041-7.1-18, RDMAP-5040-7.1-01 test
RDMAWIRE_SCENARIO(nothing_follows_a_terminate) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.receives(1, 1);
  t.hold(t.work(1, WorkOpcode::rdma_write, 300));
  t.hold(t.work(2, WorkOpcode::send, 1));
  t.hold(Seg(RDMA_READ_REQUEST).read(9, 0, 4, all_stag, at_all));
  t.poll("c142 00000009 0000000000000000 00000000, 8140 00000055 0000000000007000 [114 00..00]", 2);
  const Seg bad = Seg(SEND, 3);
  t.hold(Seg(RDMA_READ_REQUEST, 2).read(9, 0, 4, all_stag, at_all));
  t.hold(bad);
  t.poll(terminate_text("1203c000", bad.octets()) +
         ", RDMA_WRITE 1 WR_FLUSH_ERR, SEND 2 WR_FLUSH_ERR, RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR, ERR, TERMINATED");
  t.note(end_of(t), "error here 1203");
  t.post(t.work(3, WorkOpcode::send, 1), "SEND 3 WR_FLUSH_ERR");
  t.receives(2, 1);
  t.poll("RECV 2 WR_FLUSH_ERR");
}

//= RDMAP-5040-7.1-03 test
RDMAWIRE_SCENARIO(read_header_is_quoted_of_read_requests_only) {
  Stream write(script);
  write.refuse(Seg(RDMA_WRITE).to(no_stag, 1).data(4), "1100c000", "event QP_ACCESS_ERR");
  Stream send(script);
  send.receives(1, 1);
  send.refuse(Seg(SEND_WITH_INVALIDATE).invalidate(foreign_stag), "0109c000",
              "RECV 1 LOC_ACCESS_ERR, event QP_ACCESS_ERR");
  Stream response(script);
  response.refuse(Seg(RDMA_READ_RESPONSE).to(no_stag, 1).data(4), "0206c000");
}

//= RDMAP-5040-7.2-03 test
RDMAWIRE_SCENARIO(other_versions_of_rdmap) {
  for (const unsigned version : {0U, 2U, 3U}) {
    Stream t(script);
    t.receives(1, 1);
    t.refuse(Seg(SEND).rdmap_version(static_cast<std::uint8_t>(version)), "0205c000",
             "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
  }
}

//= RDMAP-5040-5.1-03 test
RDMAWIRE_SCENARIO(write_of_another_version) {
  Stream t(script);
  t.refuse(Seg(RDMA_WRITE).to(all_stag, at_all).rdmap_version(0).data(4), "0205c000");
  t.memory(0, 4, "00000000");
}

//= RDMAP-5040-7.2-01, RDMAP-5040-4.1-06 test
RDMAWIRE_SCENARIO(ddp_comes_before_rdmap) {
  Stream version(script);
  version.refuse(Seg(static_cast<Opcode>(12)).ddp_version(3).rdmap_version(0), "1206c000");
  Stream both(script);
  both.refuse(Seg(static_cast<Opcode>(12)).rdmap_version(0), "0205c000");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(rdmap_invalidate)

//= RDMAP-5040-5.3-13, RDMAP-5040-3.2-01, RDMAP-5040-5.3-06, DDP-5041-5.4-04 test
RDMAWIRE_SCENARIO(send_with_invalidate_takes_the_stag_away) {
  Stream t(script);
  t.receives(1, 2);
  t.take(Seg(SEND_WITH_INVALIDATE, 1).invalidate(fast_stag).data(3), "RECV 1 SUCCESS 3 inv 00000500");
  t.take(Seg(SEND_WITH_SE_AND_INVALIDATE, 2).invalidate(window_stag), "RECV 2 SUCCESS SE inv 00000700");
  t.refuse(Seg(RDMA_WRITE).to(fast_stag, at_fast).data(1), "1100c000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-5.3-14 test
RDMAWIRE_SCENARIO(stag_is_good_until_the_message_is_delivered) {
  Stream t(script);
  t.receives(1, 1);
  t.take(Seg(SEND_WITH_INVALIDATE).more().invalidate(fast_stag).data(3), "");
  t.take(Seg(RDMA_WRITE).to(fast_stag, at_fast).data(4), "");
  t.take(Seg(SEND_WITH_INVALIDATE).at(3).invalidate(fast_stag).data(3), "RECV 1 SUCCESS 6 inv 00000500");
  t.memory(0x8300, 4, "01020304");
  t.refuse(Seg(RDMA_READ_REQUEST).read(9, 0, 4, fast_stag, at_fast), "0100e000", "event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-04, RDMAP-5040-5.3-13, SEC-5042-6.1.1-01 test
RDMAWIRE_SCENARIO(unknown_stag_cannot_be_invalidated) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND_WITH_INVALIDATE).invalidate(no_stag), "0209c000", "RECV 1 LOC_ACCESS_ERR, event QP_ACCESS_ERR");
}

//= RDMAP-5040-7.2-05, RDMAP-5040-5.3-12, RDMAP-5040-5.3-13, SEC-5042-6.1.1-03 test
RDMAWIRE_SCENARIO(stag_of_another_domain_cannot_be_invalidated) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND_WITH_INVALIDATE).invalidate(foreign_stag), "0109c000",
           "RECV 1 LOC_ACCESS_ERR, event QP_ACCESS_ERR");
  t.note(std::to_string(t.host.memory.find({foreign_stag})->valid), "1");
}

//= RDMAP-5040-7.2-05, RDMAP-5040-5.3-12, SEC-5042-6.1.1-04 test
RDMAWIRE_SCENARIO(window_of_another_stream_cannot_be_invalidated) {
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(SEND_WITH_INVALIDATE).invalidate(other_stream_stag), "0109c000",
           "RECV 1 LOC_ACCESS_ERR, event QP_ACCESS_ERR");
  t.note(std::to_string(t.host.memory.find({other_stream_stag})->valid), "1");
}

//= RDMAP-5040-8.1.1-06, SEC-5042-6.4.5-01 test
// A registered region is for all streams of its domain.
RDMAWIRE_SCENARIO(shared_stag_cannot_be_invalidated) {
  StreamHost host;
  Stream t(script, {}, &host);
  StreamSetup setup;
  setup.number = 8;
  Stream other(script, setup, &host);
  t.receives(1, 1);
  t.refuse(Seg(SEND_WITH_INVALIDATE).invalidate(all_stag), "0209c000", "RECV 1 LOC_ACCESS_ERR, event QP_ACCESS_ERR");
  other.take(Seg(RDMA_WRITE).to(all_stag, at_all).data(2), "");
  other.memory(0, 2, "0102");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(rdmap_close)

//= DDP-5041-6.2.1-01, DDP-5041-6.2.1-02, RDMAP-5040-6.2-01, DDP-5041-6.2.1-06 test
RDMAWIRE_SCENARIO(close_sends_what_is_posted) {
  Stream t(script);
  t.receives(1, 1);
  t.hold(t.work(1, WorkOpcode::send, 1));
  t.hold(t.work(2, WorkOpcode::rdma_read, 0));
  t.hold(t.work(3, WorkOpcode::send, 1));
  t.stream.close();
  t.post(t.work(4, WorkOpcode::send, 1),
         "refused: not in this state, 4143 00000000 00000000 00000001 00000000 00, "
         "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
         "4143 00000000 00000000 00000002 00000000 00, SEND 1 SUCCESS, DRAINING");
  t.note(std::to_string(t.stream.wants_end()), "0");
  t.take(Seg(RDMA_READ_RESPONSE), "RDMA_READ 2 SUCCESS, SEND 3 SUCCESS, CLOSING");
  t.note(std::to_string(t.stream.wants_end()), "1");
  // The other direction lives on.
  t.take(Seg(SEND, 1).data(2), "RECV 1 SUCCESS 2");
  t.stream.on_peer_closed(false);
  t.poll("event PEER_CLOSED");
  t.stream.on_ended();
  t.poll("ERR, ENDED");
  t.note(end_of(t), "ulp");
}

RDMAWIRE_SCENARIO(close_waits_for_answers_that_the_peer_wants) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.hold(Seg(RDMA_READ_REQUEST).read(9, 0, 115, all_stag, at_all));
  t.poll("8142 00000009 0000000000000000 [114 00..00]", 1);
  t.stream.close();
  t.note(std::to_string(t.stream.wants_end()), "0");
  t.poll("c142 00000009 0000000000000072 00, CLOSING");
}

//= DDP-5041-6.2.1-04, DDP-5041-3-09, DDP-5041-6.2.1-05 test
RDMAWIRE_SCENARIO(peer_closes_first) {
  Stream t(script);
  t.stream.on_peer_closed(false);
  t.poll("event PEER_CLOSED");
  t.post(t.work(1, WorkOpcode::send, 1), "4143 00000000 00000000 00000001 00000000 00, SEND 1 SUCCESS");
  t.note(std::to_string(t.stream.wants_end()), "0");
  t.stream.close();
  t.poll("CLOSING");
  t.note(std::to_string(t.stream.wants_end()), "1");
  t.stream.on_ended();
  t.poll("ERR, ENDED");
}

// Nobody will answer.
RDMAWIRE_SCENARIO(peer_closes_and_owes_an_answer) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 0));
  t.hold(t.work(2, WorkOpcode::send, 1));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "4143 00000000 00000000 00000001 00000000 00");
  t.stream.on_peer_closed(false);
  t.poll("RDMA_READ 1 WR_FLUSH_ERR, SEND 2 WR_FLUSH_ERR, event PEER_CLOSED, ERR, TERMINATED");
  t.note(end_of(t), "loss 2001");
}

RDMAWIRE_SCENARIO(read_of_a_peer_that_has_closed) {
  Stream t(script);
  t.stream.on_peer_closed(false);
  t.post(t.work(1, WorkOpcode::rdma_read, 0),
         terminate_text("00000000") + ", RDMA_READ 1 WR_FLUSH_ERR, event PEER_CLOSED, event QP_FATAL, ERR, TERMINATED");
}

//= DDP-5041-6.2.1-03 test
RDMAWIRE_SCENARIO(data_after_the_peers_close) {
  Stream t(script);
  t.receives(1, 1);
  t.stream.on_peer_closed(false);
  t.take(Seg(SEND).data(1), "RECV 1 WR_FLUSH_ERR, event PEER_CLOSED, event QP_FATAL, ERR, TERMINATED");
  t.memory(0, 1, "00");
}

//= MPA-5044-8-03 test
RDMAWIRE_SCENARIO(peer_closes_in_the_middle_of_a_segment) {
  Stream t(script);
  t.receives(1, 1);
  t.stream.on_peer_closed(true);
  t.poll("RECV 1 WR_FLUSH_ERR, ERR, TERMINATED");
  t.note(end_of(t), "loss 2001");
}

//= DDP-5041-6.2.2-01, DDP-5041-3-03, DDP-5041-6.2.2-02, RDMAP-5040-3.1-05, RDMAP-5040-6.2-01 test
RDMAWIRE_SCENARIO(connection_is_lost) {
  Stream t(script);
  t.receives(1, 2);
  t.take(Seg(SEND).more().data(2), "");
  t.hold(t.work(1, WorkOpcode::rdma_read, 0));
  t.hold(t.work(2, WorkOpcode::send, 1));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "4143 00000000 00000000 00000001 00000000 01");
  t.hold(t.work(3, WorkOpcode::send, 1));
  t.stream.on_lost();
  t.poll(
      "RDMA_READ 1 WR_FLUSH_ERR, SEND 2 WR_FLUSH_ERR, SEND 3 WR_FLUSH_ERR, RECV 1 WR_FLUSH_ERR, "
      "RECV 2 WR_FLUSH_ERR, event CONNECTION_LOST, ERR, ENDED");
  t.note(end_of(t), "loss 2001");
  t.stream.on_lost();
  t.poll("");
}

RDMAWIRE_SCENARIO(connection_is_lost_before_the_terminate) {
  Stream t(script);
  t.hold(Seg(SEND, 9));
  t.stream.on_lost();
  t.poll("event QP_REQ_ERR, ERR, ENDED");
  t.note(end_of(t), "error here 1203");
}

//= RDMAP-5040-6.2.1-01, DDP-5041-7-01, MPA-5044-8-02 test
RDMAWIRE_SCENARIO(error_of_the_lower_layer) {
  Stream t(script);
  t.stream.on_lower_error(TerminateReason::mpa_bad_crc);
  t.poll("4147 00000000 00000002 00000001 00000000 20020000, event QP_FATAL, ERR, TERMINATED");
}

//= RDMAP-5040-6.2-01 test
// By modify: an abortive end.
RDMAWIRE_SCENARIO(consumer_aborts) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::send, 1));
  BOOST_TEST(t.stream.verbs().modify(verbs::QpState::err).has_value());
  t.poll(terminate_text("00000000") + ", SEND 1 WR_FLUSH_ERR, event QP_FATAL, ERR, TERMINATED");
}

RDMAWIRE_SCENARIO(consumer_aborts_in_the_middle_of_a_message) {
  StreamSetup setup;
  setup.mulpdu = 128;
  Stream t(script, setup);
  t.receives(1, 1);
  t.hold(t.work(1, WorkOpcode::send, 300));
  t.poll("0143 00000000 00000000 00000001 00000000 [110 00..00]", 1);
  BOOST_TEST(t.stream.verbs().modify(verbs::QpState::err).has_value());
  t.take(Seg(SEND).data(1),
         terminate_text("00000000") + ", SEND 1 WR_FLUSH_ERR, RECV 1 WR_FLUSH_ERR, event QP_FATAL, ERR, TERMINATED");
  t.memory(0, 1, "00");
}

// Nothing is told then (RESET discards it), and nothing of the requests that were there is touched any more.
RDMAWIRE_SCENARIO(consumer_resets) {
  Stream t(script);
  t.hold(t.work(1, WorkOpcode::rdma_read, 4));
  t.poll("4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000004 00000055 0000000000007000");
  BOOST_TEST(t.stream.verbs().modify(verbs::QpState::reset).has_value());
  t.take(Seg(RDMA_READ_RESPONSE).to(all_stag, at_all).data(4),
         terminate_text("00000000") + ", event QP_FATAL, RESET, TERMINATED");
  t.memory(0, 4, "00000000");
}

RDMAWIRE_SCENARIO(start_of_a_queue_pair_that_is_in_error) {
  StreamSetup setup;
  setup.start = false;
  Stream t(script, setup);
  BOOST_TEST(t.stream.verbs().modify(verbs::QpState::err).has_value());
  t.stream.start(4, 4);
  t.poll("ERR, ENDED");
  t.note(std::to_string(t.stream.wants_end()), "1");
}

// After this direction is closed no Terminate can go.
RDMAWIRE_SCENARIO(error_after_the_own_close) {
  Stream t(script);
  t.stream.close();
  t.poll("CLOSING");
  t.take(Seg(SEND), "event QP_REQ_ERR, ERR, TERMINATED");
}

//= RDMAP-5040-6.1-01, DDP-5041-6.1-01 test
RDMAWIRE_SCENARIO(nothing_is_taken_or_sent_before_the_start) {
  StreamSetup setup;
  setup.start = false;
  Stream t(script, setup);
  t.receives(1, 1);
  t.take(Seg(SEND).data(1), "");
  t.memory(0, 1, "00");
  t.note(std::to_string(t.stream.counters().num_dropped), "1");
  t.stream.start(4, 4);
  t.take(Seg(SEND).data(1), "RECV 1 SUCCESS 1, RTS, RUNNING");
  t.post(t.work(1, WorkOpcode::send, 1), "4143 00000000 00000000 00000001 00000000 01, SEND 1 SUCCESS");
}

//= SEC-5042-6.4.4-01 test
RDMAWIRE_SCENARIO(segments_are_counted) {
  Stream t(script);
  t.receives(1, 2);
  t.hold(Seg(SEND).data(1));
  t.hold(Seg(SEND, 2).data(1));
  t.hold(t.work(1, WorkOpcode::send, 1));
  t.poll("4143 00000000 00000000 00000001 00000000 01, SEND 1 SUCCESS, RECV 1 SUCCESS 1, RECV 2 SUCCESS 1");
  const RdmapStream::Counters& counters = t.stream.counters();
  t.note(std::to_string(counters.num_segments) + ' ' + std::to_string(counters.num_segments_sent) + ' ' +
             std::to_string(counters.num_receives_taken) + ' ' + std::to_string(counters.num_dropped),
         "2 1 2 0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
