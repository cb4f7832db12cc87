// DDP's tagged model at the receiver, by segments made by hand: RFC 5041, 5, 7.1 and 8; RFC 5040, 5.1.
#include "protocol/iwarp/stream_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

Seg write_to(std::uint32_t stag, std::uint64_t offset, std::size_t size = 4, unsigned first = 1) {
  return Seg(RDMA_WRITE).to(stag, offset).data(size, first);
}

BOOST_AUTO_TEST_SUITE(ddp_tagged)

//= RDMAP-5040-3.2-03, RDMAP-5040-5.1-02, SEC-5042-2.2.6-01, RDMAP-5040-5.1-04, DDP-5041-5.2-04 test
RDMAWIRE_SCENARIO(write_is_placed_and_nobody_is_told) {
  Stream t(script);
  t.receives(1, 1);
  t.take(write_to(all_stag, at_all + 7), "");
  t.take(write_to(all_stag, at_all + 0x3000, 4, 0x40).more(), "");
  t.take(write_to(all_stag, at_all + 0x3004, 2, 0x50), "");
  t.memory(6, 6, "000102030400");
  t.memory(0x3000, 7, "40414243505100");
  t.note(std::to_string(t.stream.verbs().num_receives()), "1");
}

//= RDMAP-5040-5.1-06, RDMAP-5040-5.5-06 test
RDMAWIRE_SCENARIO(send_after_writes_says_that_they_are_placed) {
  Stream t(script);
  t.receives(1, 1, 64, 0x100);
  t.take(write_to(all_stag, at_all), "");
  t.take(Seg(SEND).data(1), "RECV 1 SUCCESS 1");
  t.memory(0, 4, "01020304");
}

//= RDMAP-5040-5.1-08, DDP-5041-5.2-08, DDP-5041-5.2-09, DDP-5041-5.2-10, MPA-6581-9.2-18 test
RDMAWIRE_SCENARIO(write_without_octets_needs_no_buffer) {
  Stream t(script);
  t.take(write_to(all_stag, at_all, 0), "");
  t.take(write_to(0, 0, 0), "");
  t.take(write_to(1, 0, 0), "");
  t.take(write_to(no_stag, ~std::uint64_t{0}, 0), "");
  t.take(write_to(foreign_stag, at_foreign, 0), "");
  t.take(write_to(readable_stag, at_readable, 0), "");
  t.note(std::string(name_of(t.stream.state())), "RUNNING");
}

//= DDP-5041-7.1-09, SEC-5042-6.1.1-01, DDP-5041-8.3-02, DDP-5041-7.1-16, DDP-5041-7.1-18 test
RDMAWIRE_SCENARIO(write_to_an_unknown_stag) {
  Stream t(script);
  t.refuse(write_to(no_stag, at_all), "1100c000", "event QP_ACCESS_ERR");
  t.note(std::to_string(t.stream.wants_end()), "1");
}

//= DDP-5041-7.1-09 test
RDMAWIRE_SCENARIO(write_with_the_wrong_key_of_an_stag) {
  Stream t(script);
  t.refuse(write_to(all_stag + 1, at_all), "1100c000", "event QP_ACCESS_ERR");
}

//= DDP-5041-7.1-09 test
RDMAWIRE_SCENARIO(write_to_stag_zero) {
  Stream t(script);
  t.refuse(write_to(0, at_all), "1100c000", "event QP_ACCESS_ERR");
}

//= DDP-5041-7.1-10, DDP-5041-8.3.1-04 test
RDMAWIRE_SCENARIO(write_without_the_right_to) {
  Stream t(script);
  t.refuse(write_to(readable_stag, at_readable), "1100c000", "event QP_ACCESS_ERR");
  t.memory(0x8000, 4, "00000000");
}

//= DDP-5041-7.1-10, DDP-5041-8.3-01, RDMAP-5040-8.1.1-05, RDMAP-5040-3.2-05, RDMAP-5040-8.1.1-04 test
RDMAWIRE_SCENARIO(write_after_the_stag_was_invalidated) {
  Stream t(script);
  t.take(write_to(fast_stag, at_fast), "");
  t.host.memory.invalidate_local({fast_stag}, t.host.pd, {7});
  t.refuse(write_to(fast_stag, at_fast, 4, 0x70), "1100c000", "event QP_ACCESS_ERR");
  t.memory(0x8300, 4, "01020304");
}

//= DDP-5041-8.3.1-05, SEC-5042-6.2.2-02, DDP-5041-8.3-01 test
RDMAWIRE_SCENARIO(write_whose_buffer_is_taken_away_between_segments) {
  Stream t(script);
  t.take(write_to(fast_stag, at_fast).more(), "");
  verbs::SendWork work = t.work(1, verbs::WorkOpcode::local_invalidate, 0);
  work.invalidate = {fast_stag};
  t.post(work, "LOCAL_INV 1 SUCCESS");
  t.refuse(write_to(fast_stag, at_fast + 4), "1100c000", "event QP_ACCESS_ERR");
  t.memory(0x8300, 8, "0102030400000000");
}

//= DDP-5041-4.2-04 test
// The STag is looked up for each segment; that it is the same in all of them is the sender's duty.
RDMAWIRE_SCENARIO(other_stag_in_the_middle_of_a_write) {
  Stream t(script);
  t.take(write_to(all_stag, at_all).more(), "");
  t.take(write_to(writable_stag, at_writable).more(), "");
  t.refuse(write_to(no_stag, at_all + 4), "1100c000", "event QP_ACCESS_ERR");
}

//= DDP-5041-7.1-11, RDMAP-5040-8.1.1-03, DDP-5041-8.3.1-03, SEC-5042-6.2.1-01 test
RDMAWIRE_SCENARIO(write_before_the_buffer) {
  Stream t(script);
  t.refuse(write_to(writable_stag, at_writable - 1, 1), "1101c000", "event QP_ACCESS_ERR");
  t.memory(0x80FF, 2, "0000");
}

//= DDP-5041-7.1-11, SEC-5042-6.2.1-01 test
RDMAWIRE_SCENARIO(write_behind_the_buffer) {
  Stream t(script);
  t.refuse(write_to(writable_stag, at_writable + 256, 1), "1101c000", "event QP_ACCESS_ERR");
  t.memory(0x81FF, 2, "0000");
}

//= DDP-5041-7.1-12, DDP-5041-7.1-15, SEC-5042-6.2.1-01 test
RDMAWIRE_SCENARIO(write_over_the_end_of_the_buffer) {
  Stream t(script);
  t.take(write_to(writable_stag, at_writable + 252, 4), "");
  t.refuse(write_to(writable_stag, at_writable + 252, 5, 0x40), "1101c000", "event QP_ACCESS_ERR");
  t.memory(0x81FC, 5, "0102030400");
}

//= SEC-5042-6.2.1-01 test
RDMAWIRE_SCENARIO(write_far_away) {
  Stream t(script);
  t.refuse(write_to(writable_stag, 0x8000000000000000, 4), "1101c000", "event QP_ACCESS_ERR");
}

//= DDP-5041-7.1-13 test
RDMAWIRE_SCENARIO(write_over_the_end_of_all_offsets) {
  Stream t(script);
  t.refuse(write_to(top_stag, 0xFFFFFFFFFFFFFFF8, 16), "1103c000");
  t.memory(0x8408, 8, "0000000000000000");
}

//= DDP-5041-7.1-13 test
RDMAWIRE_SCENARIO(write_up_to_the_last_offset) {
  Stream t(script);
  t.take(write_to(top_stag, 0xFFFFFFFFFFFFFFF8, 8), "");
  t.memory(0x8408, 9, "010203040506070800");
}

//= DDP-5041-8.2-01, DDP-5041-8.2-04, RDMAP-5040-8.1.1-01, SEC-5042-2.2.4-01, SEC-5042-6.1.1-03, DDP-5041-8.3.1-01 test
RDMAWIRE_SCENARIO(write_to_another_protection_domain) {
  Stream t(script);
  t.refuse(write_to(foreign_stag, at_foreign), "1102c000", "event QP_ACCESS_ERR");
  t.memory(0x8200, 4, "00000000");
}

//= DDP-5041-8.2-02, DDP-5041-8.2-04, DDP-5041-8.3.1-02, RDMAP-5040-8.1.1-02, SEC-5042-6.1.1-04, SEC-5042-2.2.5-01 test
RDMAWIRE_SCENARIO(write_to_a_buffer_of_another_stream) {
  Stream t(script);
  t.take(write_to(window_stag, at_all + 0x100), "");
  t.refuse(write_to(other_stream_stag, at_all + 0x100, 4, 0x60), "1102c000", "event QP_ACCESS_ERR");
  t.memory(0x100, 4, "01020304");
}

// Of several faults of the STag the first of the specification's list counts.
RDMAWIRE_SCENARIO(domain_comes_before_bounds) {
  Stream t(script);
  t.refuse(write_to(foreign_stag, 0), "1102c000", "event QP_ACCESS_ERR");
}

//= DDP-5041-8.2-01, DDP-5041-8.2-02 test
RDMAWIRE_SCENARIO(queue_pair_as_a_whole_takes_no_writes) {
  StreamSetup setup;
  setup.access = verbs::rights::remote_read;
  Stream t(script, setup);
  t.refuse(write_to(all_stag, at_all), "1100c000", "event QP_ACCESS_ERR");
  t.memory(0, 4, "00000000");
}

//= DDP-5041-8.2-03, SEC-5042-6.1.1-02, SEC-5042-3-02 test
// A buffer belongs to one protection domain, or to one stream, from its registration on.
BOOST_AUTO_TEST_CASE(buffers_without_a_domain_do_not_exist) {
  StreamHost host;
  const auto made = host.memory.register_region({3}, host.octets, 0, verbs::rights::local_write);
  BOOST_REQUIRE(!made);
  BOOST_TEST((made.error() == verbs::VerbsError::unknown_handle));
  BOOST_TEST(!host.memory.bind_window2({other_stream_stag}, host.other_pd, {99}, {{all_stag}, at_all, 4, {}}));
}

// Segments before those that are missing.

//= MPA-5044-3-09, RDMAP-5040-5.5-02, DDP-5041-3-05, DDP-5041-5.3-03, RDMAP-5040-B-02, RDMAP-5040-B-05 test
//= RDMAP-7306-7-02 test
RDMAWIRE_SCENARIO(write_is_placed_ahead_of_a_send) {
  Stream t(script);
  t.receives(1, 1, 64, 0x100);
  t.ahead(write_to(all_stag, at_all + 4, 4, 5));
  t.memory(0, 8, "0000000005060708");
  t.take(Seg(SEND).data(1), "RECV 1 SUCCESS 1");
  t.take(write_to(all_stag, at_all), "");
  t.take(write_to(all_stag, at_all + 4, 4, 5), "");
  t.memory(0, 8, "0102030405060708");
  t.note(std::to_string(t.stream.counters().num_placed_ahead), "1");
}

//= DDP-5041-4.1-05, DDP-5041-5.3-05, RDMAP-5040-B-01, RDMAP-5040-B-04, RDMAP-7306-7-06, RDMAP-7306-5.4-03 test
//= RDMAP-7306-5.4-05, RDMAP-5040-5.5-08, RDMAP-5040-5.5-14, RDMAP-5040-5.5-02 test
RDMAWIRE_SCENARIO(nothing_but_writes_happens_ahead) {
  Stream t(script);
  t.receives(1, 2, 64, 0x100);
  t.ahead(Seg(SEND, 2).data(4));
  t.ahead(Seg(IMMEDIATE_DATA, 2));
  t.ahead(Seg(RDMA_READ_REQUEST).read(9, 0, 4, all_stag, at_all));
  t.ahead(Seg(ATOMIC_REQUEST).fetch_add(all_stag, at_all, 5));
  t.ahead(Seg(TERMINATE).about(TerminateReason::rdmap_catastrophic_stream));
  t.poll("");
  t.memory(0, 8, "0000000000000000");
  t.take(Seg(SEND, 1).data(4), "RECV 1 SUCCESS 4");
  t.take(Seg(SEND, 2).data(3), "RECV 2 SUCCESS 3");
}

// What is wrong with a segment is said in its turn.
RDMAWIRE_SCENARIO(errors_are_not_told_ahead) {
  Stream t(script);
  t.ahead(write_to(no_stag, 0));
  t.ahead(write_to(readable_stag, at_readable));
  t.ahead(write_to(writable_stag, at_writable + 254));
  t.ahead(write_to(top_stag, 0xFFFFFFFFFFFFFFFE));
  t.ahead(write_to(all_stag, at_all).ddp_version(0));
  t.ahead(write_to(all_stag, at_all).rdmap_version(0));
  t.poll("");
  t.memory(0, 4, "00000000");
  t.memory(0x8000, 4, "00000000");
  t.note(std::to_string(t.stream.counters().num_placed_ahead), "0");
}

RDMAWIRE_SCENARIO(nothing_is_placed_ahead_after_an_error) {
  Stream t(script);
  t.refuse(Seg(SEND), "1202c000");
  t.ahead(write_to(all_stag, at_all));
  t.memory(0, 4, "00000000");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
