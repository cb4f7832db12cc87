// Atomics and immediate data, both sides: RFC 7306.
#include "protocol/iwarp/stream_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

using verbs::WorkOpcode;

constexpr std::string_view response_1 = "414b 00000000 00000003 00000001 00000000 ";

Seg add_to(std::uint64_t offset, std::uint64_t value, std::uint64_t mask = 0, std::uint32_t msn = 1) {
  return Seg(ATOMIC_REQUEST, msn).fetch_add(all_stag, at_all + offset, value, mask, 0xCAFE0001);
}

void put(Stream& t, std::uint32_t offset, std::uint64_t value) {
  std::memcpy(t.host.octets.data() + offset, &value, sizeof value);
}
std::string word(const Stream& t, std::uint32_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, t.host.octets.data() + offset, sizeof value);
  std::array<std::uint8_t, 8> octets{};
  for (unsigned i = 0; i < 8; ++i) octets[i] = static_cast<std::uint8_t>(value >> (56 - 8 * i));
  return rdmawire::test::hex_of(octets.data(), octets.size());
}

BOOST_AUTO_TEST_SUITE(rdmap_atomic_responder)

//= RDMAP-7306-5.1.1-05, RDMAP-7306-5.1.1-04, RDMAP-7306-5-04, RDMAP-7306-5.2-02, RDMAP-7306-5.2.2-04 test
//= RDMAP-7306-5.2.1-04, RDMAP-7306-5.2.1-09, RDMAP-7306-5.2.1-14, RDMAP-7306-5.2.2-03, RDMAP-7306-5.2.2-02 test
RDMAWIRE_SCENARIO(fetch_add_answers_with_what_was_there) {
  Stream t(script);
  t.receives(1, 1);
  put(t, 8, 0x1122334455667788);
  t.take(add_to(8, 0x10), std::string(response_1) + "cafe00011122334455667788");
  t.note(word(t, 8), "1122334455667798");
  t.note(std::to_string(t.stream.verbs().num_receives()), "1");
}

//= RDMAP-7306-5.1.1-03 test
RDMAWIRE_SCENARIO(fetch_add_without_mask_is_one_sum) {
  Stream t(script);
  put(t, 0, 0xFFFFFFFFFFFFFFFF);
  t.take(add_to(0, 2), std::string(response_1) + "cafe0001ffffffffffffffff");
  t.note(word(t, 0), "0000000000000001");
}

//= RDMAP-7306-5.1.1-03 test
RDMAWIRE_SCENARIO(fetch_add_of_two_halves) {
  Stream t(script);
  put(t, 0, 0x00000001FFFFFFFF);
  t.take(add_to(0, 0x0000000100000002, 0x8000000080000000), std::string(response_1) + "cafe000100000001ffffffff");
  t.note(word(t, 0), "0000000200000001");
}

//= RDMAP-7306-5.1.1-03 test
RDMAWIRE_SCENARIO(fetch_add_of_64_bits_each_on_its_own) {
  Stream t(script);
  put(t, 0, 0xF0F0F0F0F0F0F0F0);
  t.take(add_to(0, 0xFF00FF00FF00FF00, ~std::uint64_t{0}), std::string(response_1) + "cafe0001f0f0f0f0f0f0f0f0");
  t.note(word(t, 0), "0ff00ff00ff00ff0");
}

//= RDMAP-7306-5.2.1-06 test
RDMAWIRE_SCENARIO(fetch_add_does_not_look_at_what_is_to_be_compared) {
  Stream t(script);
  t.take(Seg(ATOMIC_REQUEST).swap(all_stag, at_all, 0x1234, 5, 0xFF, 0).fetch_add(all_stag, at_all, 5),
         std::string(response_1) + "000000000000000000000000");
  t.note(word(t, 0), "0000000000000005");
}

//= RDMAP-7306-5.1.2-01, RDMAP-7306-5.1.2-02, RDMAP-7306-5-02, RDMAP-7306-5.2.1-03 test
RDMAWIRE_SCENARIO(compare_and_swap) {
  Stream t(script);
  put(t, 0, 0x1111222233334444);
  t.take(Seg(ATOMIC_REQUEST, 1).swap(all_stag, at_all, 0x1111222233334444, 0xAAAABBBBCCCCDDDD),
         "414b 00000000 00000003 00000001 00000000 000000001111222233334444");
  t.note(word(t, 0), "aaaabbbbccccdddd");
  t.take(Seg(ATOMIC_REQUEST, 2).swap(all_stag, at_all, 0x1111222233334444, 0),
         "414b 00000000 00000003 00000002 00000000 00000000aaaabbbbccccdddd");
  t.note(word(t, 0), "aaaabbbbccccdddd");
}

//= RDMAP-7306-5.1.2-01, RDMAP-7306-5.1.2-02 test
RDMAWIRE_SCENARIO(compare_and_swap_by_masks) {
  Stream t(script);
  put(t, 0, 0x1111222233334444);
  t.take(Seg(ATOMIC_REQUEST, 1)
             .swap(all_stag, at_all, 0x9999222299999999, 0xAAAABBBBCCCCDDDD, 0x0000FFFF00000000, 0x00000000FFFF0000),
         "414b 00000000 00000003 00000001 00000000 000000001111222233334444");
  t.note(word(t, 0), "11112222cccc4444");
  // Nothing is compared, nothing is replaced.
  t.take(Seg(ATOMIC_REQUEST, 2).swap(all_stag, at_all, 1, 2, 0, 0),
         "414b 00000000 00000003 00000002 00000000 0000000011112222cccc4444");
  t.note(word(t, 0), "11112222cccc4444");
  t.take(Seg(ATOMIC_REQUEST, 3).swap(all_stag, at_all, 1, 2, 0),
         "414b 00000000 00000003 00000003 00000000 0000000011112222cccc4444");
  t.note(word(t, 0), "0000000000000002");
}

//= RDMAP-7306-5-01, RDMAP-7306-5.3-01, RDMAP-7306-5.4-02 test
RDMAWIRE_SCENARIO(streams_add_to_one_word) {
  StreamHost host;
  Stream a(script, {}, &host);
  StreamSetup setup;
  setup.number = 8;
  Stream b(script, setup, &host);
  a.hold(add_to(0, 1, 0, 1));
  b.hold(add_to(0, 1, 0, 1));
  a.hold(add_to(0, 1, 0, 2));
  a.poll("414b 00000000 00000003 00000001 00000000 cafe00010000000000000000", 1);
  b.poll("414b 00000000 00000003 00000001 00000000 cafe00010000000000000001");
  a.poll("414b 00000000 00000003 00000002 00000000 cafe00010000000000000002");
  a.note(word(a, 0), "0000000000000003");
}

//= RDMAP-7306-5.2.1-13, RDMAP-7306-5.2.2-09, RDMAP-7306-5.4-08, RDMAP-7306-7-12, RDMAP-7306-7-11 test
//= RDMAP-7306-7-15, RDMAP-7306-7-14 test
RDMAWIRE_SCENARIO(reads_and_atomics_are_answered_in_their_order) {
  Stream t(script);
  t.hold(Seg(RDMA_WRITE).to(all_stag, at_all).data(8, 0));
  t.hold(add_to(0, 1, 0, 1));
  t.hold(Seg(RDMA_READ_REQUEST, 2).read(9, 0, 8, all_stag, at_all));
  t.hold(Seg(ATOMIC_REQUEST, 3).swap(all_stag, at_all, 0x0706050403020101, 7));
  t.hold(Seg(RDMA_READ_REQUEST, 4).read(9, 0, 1, all_stag, at_all));
  t.poll(
      "414b 00000000 00000003 00000001 00000000 cafe00010706050403020100, "
      "c142 00000009 0000000000000000 0101020304050607, "
      "414b 00000000 00000003 00000002 00000000 000000000706050403020101, "
      "c142 00000009 0000000000000000 07");
}

//= RDMAP-7306-5.2.1-08, RDMAP-7306-5.2.2-05 test
RDMAWIRE_SCENARIO(reads_and_atomics_share_their_room) {
  StreamSetup setup;
  setup.ird = 3;
  Stream t(script, setup);
  t.hold(add_to(0, 1, 0, 1));
  t.hold(Seg(RDMA_READ_REQUEST, 2).read(9, 0, 0, 0, 0));
  t.hold(add_to(0, 1, 0, 3));
  t.refuse(add_to(0, 1, 0, 4), "1202c000");
  t.note(word(t, 0), "0000000000000000");
}

//= RDMAP-7306-5.4-04, RDMAP-7306-5.4-06, RDMAP-7306-7-08, RDMAP-7306-7-09, RDMAP-7306-7-10, RDMAP-7306-7-07 test
RDMAWIRE_SCENARIO(later_messages_do_not_wait_for_an_atomic) {
  Stream t(script);
  t.receives(1, 2, 64, 0x100);
  t.hold(add_to(0, 1, 0, 1));
  t.hold(Seg(RDMA_READ_REQUEST, 2).read(9, 0, 1, all_stag, at_all));
  t.hold(Seg(RDMA_WRITE).to(all_stag, at_all).data(1, 0x40));
  t.hold(Seg(SEND, 1).data(1));
  t.hold(Seg(IMMEDIATE_DATA, 2));
  t.poll("RECV 1 SUCCESS 1, RECV_IMMEDIATE_DATA 2 SUCCESS data 0000000000000000", 0);
  t.poll("414b 00000000 00000003 00000001 00000000 cafe00010000000000000040, c142 00000009 0000000000000000 41");
}

//= RDMAP-7306-7-13, RDMAP-7306-7-04 test
RDMAWIRE_SCENARIO(atomic_waits_for_what_came_before) {
  Stream t(script);
  t.receives(1, 2, 64, 0x100);
  t.take(Seg(SEND, 1).more().data(1), "");
  t.hold(Seg(SEND, 1).at(1));
  t.hold(Seg(IMMEDIATE_DATA, 2));
  t.hold(add_to(0, 1));
  t.poll(std::string(response_1) +
         "cafe00010000000000000000, RECV 1 SUCCESS 1, RECV_IMMEDIATE_DATA 2 SUCCESS data 0000000000000000");
}

//= RDMAP-7306-5.1.1-02, RDMAP-7306-8.2-04, RDMAP-7306-8.1-02 test
RDMAWIRE_SCENARIO(fetch_add_off_its_boundary) {
  Stream t(script);
  t.refuse(add_to(4, 1), "0207c000");
  t.note(word(t, 4), "0000000000000000");
}

//= RDMAP-7306-5.1.2-04, RDMAP-7306-5.1.2-05 test
RDMAWIRE_SCENARIO(compare_and_swap_off_its_boundary) {
  Stream t(script);
  t.refuse(Seg(ATOMIC_REQUEST).swap(all_stag, at_all + 1, 0, 5), "0207c000");
  t.note(word(t, 1), "0000000000000000");
}

//= RDMAP-7306-5.2.1-05 test
// It is the address that must be aligned, whatever the offset is.
BOOST_AUTO_TEST_CASE(offset_is_any_if_the_address_is_aligned) {
  Script script;
  const auto key_of = [](Stream& t) {
    const auto made = t.host.memory.register_region(t.host.pd, MutableBytes(t.host.octets).subspan(0x9004, 64),
                                                    0x900001, verbs::rights::local_write | remote_rights);
    BOOST_REQUIRE(made);
    return made->value;
  };
  Stream t(script);
  t.take(Seg(ATOMIC_REQUEST).fetch_add(key_of(t), 0x900005, 3), std::string(response_1) + "000000000000000000000000");
  t.note(word(t, 0x9008), "0000000000000003");
  Stream other(script);
  other.refuse(Seg(ATOMIC_REQUEST).fetch_add(key_of(other), 0x900008, 3), "0207c000");
}

//= RDMAP-7306-5.2.1-10, RDMAP-7306-5.2.1-03 test
RDMAWIRE_SCENARIO(atomic_of_an_unknown_kind) {
  for (const unsigned kind : {1U, 3U, 15U}) {
    Stream t(script);
    t.refuse(add_to(0, 1).atomic_opcode(static_cast<std::uint8_t>(kind)), "0206c000");
    t.note(word(t, 0), "0000000000000000");
  }
}

//= RDMAP-7306-8.2-05, SEC-5042-6.1.1-03 test
RDMAWIRE_SCENARIO(atomic_on_memory_that_it_must_not_reach) {
  const auto refused = [&](std::uint32_t stag, std::uint64_t offset, std::string_view control,
                           std::string_view rest = "event QP_ACCESS_ERR") {
    Stream t(script);
    t.refuse(Seg(ATOMIC_REQUEST).fetch_add(stag, offset, 1), control, rest);
    t.memory(0x8000, 4, "00000000");
  };
  refused(no_stag, at_all, "0100c000");
  refused(all_stag, at_all + 0xFFFC, "0101c000");
  refused(readable_stag, at_readable, "0102c000");
  refused(writable_stag, at_writable, "0102c000");
  refused(foreign_stag, at_foreign, "0103c000");
  refused(other_stream_stag, at_all + 0x100, "0103c000");
  refused(top_stag, 0xFFFFFFFFFFFFFFFC, "0104c000");
}

RDMAWIRE_SCENARIO(atomic_whose_memory_is_taken_away_before_its_turn) {
  Stream t(script);
  const Seg request = Seg(ATOMIC_REQUEST).fetch_add(fast_stag, at_fast, 1);
  t.hold(request);
  t.host.memory.invalidate_local({fast_stag}, t.host.pd, {7});
  t.poll(terminate_text("0100c000", request.octets()) + ", event QP_ACCESS_ERR, ERR, TERMINATED");
  t.memory(0x8300, 8, "0000000000000000");
}

//= RDMAP-7306-8.2-01 test
RDMAWIRE_SCENARIO(ddp_comes_first_in_atomics) {
  const auto refused = [&](const Seg& segment, std::string_view control) {
    Stream t(script);
    t.refuse(segment, control);
    t.note(word(t, 0), "0000000000000000");
  };
  refused(add_to(0, 1).ddp_version(0).rdmap_version(0), "1206c000");
  refused(add_to(0, 1).queue(0), "1201c000");
  refused(add_to(0, 1, 0, 2), "1203c000");
  refused(add_to(0, 1).at(4), "1204c000");
  refused(Seg(IMMEDIATE_DATA).queue(1), "1201c000");
  refused(Seg(IMMEDIATE_DATA_WITH_SE).ddp_version(2), "1206c000");
  refused(Seg(IMMEDIATE_DATA, 2), "1203c000");
  refused(Seg(IMMEDIATE_DATA).at(8), "1204c000");
  refused(Seg(ATOMIC_RESPONSE).queue(1), "1201c000");
}

//= RDMAP-7306-8.2-02, RDMAP-5040-7.2-02 test
RDMAWIRE_SCENARIO(reserved_opcodes) {
  for (unsigned code = 0xC; code <= 0xF; ++code) {
    Stream t(script);
    t.receives(1, 1);
    t.refuse(Seg(static_cast<Opcode>(code)).data(8), "0206c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
  }
}

//= RDMAP-7306-8.2-03, RDMAP-7306-4.1-01 test
RDMAWIRE_SCENARIO(versions_of_the_extensions) {
  for (const Opcode opcode : {IMMEDIATE_DATA, IMMEDIATE_DATA_WITH_SE, ATOMIC_REQUEST, ATOMIC_RESPONSE}) {
    Stream t(script);
    t.refuse(Seg(opcode).rdmap_version(0), "0205c000");
  }
}

//= RDMAP-7306-1.1-03, RDMAP-7306-1.1-01, RDMAP-5040-7.2-02 test
RDMAWIRE_SCENARIO(end_without_the_extensions) {
  for (const Opcode opcode : {IMMEDIATE_DATA, IMMEDIATE_DATA_WITH_SE, ATOMIC_REQUEST, ATOMIC_RESPONSE}) {
    StreamSetup setup;
    setup.rdmap.extensions = false;
    Stream t(script, setup);
    t.receives(1, 1);
    t.refuse(Seg(opcode), "0206c000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
  }
}

//= RDMAP-7306-1.1-01 test
// How a peer is asked whether it has them: nothing changes.
RDMAWIRE_SCENARIO(adding_nothing_is_a_probe) {
  Stream t(script);
  put(t, 0, 0x77);
  t.take(add_to(0, 0), std::string(response_1) + "cafe00010000000000000077");
  t.note(word(t, 0), "0000000000000077");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(rdmap_atomic_initiator)

verbs::SendWork atomic(Stream& t, std::uint64_t id, WorkOpcode opcode, std::uint32_t local = 0) {
  verbs::SendWork work = t.work(id, opcode, 8, local);
  work.swap_or_add = 0x1122334455667788;
  work.compare = 0x99AABBCCDDEEFF00;
  return work;
}

//= RDMAP-7306-5.2.1-06, RDMAP-7306-5.2.1-07, RDMAP-7306-5.2.1-11, RDMAP-7306-4.1-01, RDMAP-7306-4.1-03 test
RDMAWIRE_SCENARIO(fetch_add_is_asked_for) {
  Stream t(script);
  verbs::SendWork work = atomic(t, 1, WorkOpcode::fetch_add);
  work.add_mask = 0x8000000080000000;
  t.post(work,
         "414a 00000000 00000001 00000001 00000000 "
         "00000000"
         "00000000"
         "00000055"
         "0000000000007000"
         "1122334455667788"
         "8000000080000000"
         "0000000000000000"
         "ffffffffffffffff");
}

//= RDMAP-7306-5.2.1-11 test
RDMAWIRE_SCENARIO(compare_and_swap_is_asked_for) {
  Stream t(script);
  verbs::SendWork work = atomic(t, 1, WorkOpcode::compare_swap);
  work.compare_mask = 0xFF;
  work.swap_mask = 0xFF00;
  t.post(work,
         "414a 00000000 00000001 00000001 00000000 "
         "00000002"
         "00000000"
         "00000055"
         "0000000000007000"
         "1122334455667788"
         "000000000000ff00"
         "99aabbccddeeff00"
         "00000000000000ff");
}

//= RDMAP-7306-5-05, RDMAP-7306-5.2-01, RDMAP-7306-5.2.1-12, RDMAP-7306-5.2.2-07, RDMAP-7306-5.4-07 test
//= RDMAP-7306-5.4-01 test
RDMAWIRE_SCENARIO(reads_and_atomics_share_numbers_and_depth) {
  StreamSetup setup;
  setup.ord = 3;
  Stream t(script, setup);
  t.hold(t.work(1, WorkOpcode::rdma_read, 0));
  t.hold(atomic(t, 2, WorkOpcode::fetch_add, 0x10));
  t.hold(t.work(3, WorkOpcode::rdma_read, 0));
  t.hold(atomic(t, 4, WorkOpcode::fetch_add, 0x20));
  t.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "414a 00000000 00000001 00000002 00000000 "
      "00000000000000000000005500000000000070001122334455667788000000000000000000000000"
      "00000000ffffffffffffffff, "
      "4141 00000000 00000001 00000003 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  t.take(Seg(RDMA_READ_RESPONSE),
         "414a 00000000 00000001 00000004 00000000 "
         "00000000000000010000005500000000000070001122334455667788000000000000000000000000"
         "00000000ffffffffffffffff, RDMA_READ 1 SUCCESS");
  t.take(Seg(ATOMIC_RESPONSE, 1).answer(0, 0x0102030405060708), "FETCH_ADD 2 SUCCESS 8");
  t.note(word(t, 0x10), "0102030405060708");
  t.take(Seg(RDMA_READ_RESPONSE), "RDMA_READ 3 SUCCESS");
  t.take(Seg(ATOMIC_RESPONSE, 2).answer(1, 0x1112131415161718), "FETCH_ADD 4 SUCCESS 8");
  t.note(word(t, 0x20), "1112131415161718");
}

// The address is the consumer's, and only the peer knows how its memory is aligned: it goes out as it was given.
RDMAWIRE_SCENARIO(address_of_an_atomic_is_the_consumers) {
  Stream t(script);
  t.post(atomic(t, 1, WorkOpcode::fetch_add),
         "414a 00000000 00000001 00000001 00000000 "
         "00000000000000000000005500000000000070001122334455667788000000000000000000000000"
         "00000000ffffffffffffffff");
}

//= RDMAP-7306-5.2.2-08 test
RDMAWIRE_SCENARIO(atomic_response_that_nobody_asked_for) {
  Stream t(script);
  t.refuse(Seg(ATOMIC_RESPONSE).answer(0, 1), "1202c000");
}

//= RDMAP-7306-5.2.2-08, RDMAP-7306-5.2.2-06 test
RDMAWIRE_SCENARIO(second_response_to_an_atomic) {
  Stream t(script);
  t.hold(atomic(t, 1, WorkOpcode::fetch_add));
  t.poll(
      "414a 00000000 00000001 00000001 00000000 "
      "00000000000000000000005500000000000070001122334455667788000000000000000000000000"
      "00000000ffffffffffffffff");
  t.take(Seg(ATOMIC_RESPONSE, 1), "FETCH_ADD 1 SUCCESS 8");
  t.refuse(Seg(ATOMIC_RESPONSE, 2), "1202c000");
}

//= RDMAP-7306-5.2.2-08 test
RDMAWIRE_SCENARIO(atomic_response_with_another_number) {
  Stream t(script);
  t.hold(atomic(t, 1, WorkOpcode::fetch_add));
  t.poll(
      "414a 00000000 00000001 00000001 00000000 "
      "00000000000000000000005500000000000070001122334455667788000000000000000000000000"
      "00000000ffffffffffffffff");
  t.refuse(Seg(ATOMIC_RESPONSE, 2), "1203c000", "FETCH_ADD 1 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= RDMAP-7306-5.2.2-08 test
RDMAWIRE_SCENARIO(atomic_response_to_another_request) {
  Stream t(script);
  t.hold(atomic(t, 1, WorkOpcode::fetch_add));
  t.poll(
      "414a 00000000 00000001 00000001 00000000 "
      "00000000000000000000005500000000000070001122334455667788000000000000000000000000"
      "00000000ffffffffffffffff");
  t.refuse(Seg(ATOMIC_RESPONSE).answer(77, 1), "02ffc000", "FETCH_ADD 1 WR_FLUSH_ERR, event QP_REQ_ERR");
  t.note(word(t, 0), "0000000000000000");
}

RDMAWIRE_SCENARIO(responses_that_change_places) {
  Stream a(script);
  a.hold(a.work(1, WorkOpcode::rdma_read, 0));
  a.hold(atomic(a, 2, WorkOpcode::fetch_add));
  a.poll(
      "4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000, "
      "414a 00000000 00000001 00000002 00000000 "
      "00000000000000000000005500000000000070001122334455667788000000000000000000000000"
      "00000000ffffffffffffffff");
  a.refuse(Seg(ATOMIC_RESPONSE), "1202c000", "RDMA_READ 1 WR_FLUSH_ERR, FETCH_ADD 2 WR_FLUSH_ERR, event QP_REQ_ERR");
  Stream b(script);
  b.hold(atomic(b, 1, WorkOpcode::fetch_add));
  b.hold(b.work(2, WorkOpcode::rdma_read, 0));
  b.poll(
      "414a 00000000 00000001 00000001 00000000 "
      "00000000000000000000005500000000000070001122334455667788000000000000000000000000"
      "00000000ffffffffffffffff, "
      "4141 00000000 00000001 00000002 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  b.refuse(Seg(RDMA_READ_RESPONSE), "0206c000", "FETCH_ADD 1 WR_FLUSH_ERR, RDMA_READ 2 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= RDMAP-7306-8.1-01 test
RDMAWIRE_SCENARIO(atomic_without_room_for_its_result) {
  Stream t(script);
  verbs::SendWork work = atomic(t, 1, WorkOpcode::fetch_add);
  const std::array sges{t.sge(0, 7)};
  work.sges = sges;
  t.post(work, terminate_text("00000000") + ", FETCH_ADD 1 LOC_LEN_ERR, event QP_FATAL, ERR, TERMINATED");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(rdmap_immediate)

//= RDMAP-7306-6.3-01, RDMAP-7306-6.3-04, RDMAP-7306-6.3-05, RDMAP-7306-6.3-02 test
RDMAWIRE_SCENARIO(immediate_data_go_between_sends) {
  Stream t(script);
  verbs::SendWork work = t.work(2, WorkOpcode::immediate_data, 0);
  work.immediate_data = {1, 2, 3, 4, 5, 6, 7, 8};
  t.hold(t.work(1, WorkOpcode::send, 1));
  t.hold(work);
  work.solicited = true;
  work.id = {3};
  t.hold(work);
  t.hold(t.work(4, WorkOpcode::send, 1));
  t.poll(
      "4143 00000000 00000000 00000001 00000000 00, 4148 00000000 00000000 00000002 00000000 0102030405060708, "
      "4149 00000000 00000000 00000003 00000000 0102030405060708, 4143 00000000 00000000 00000004 00000000 00, "
      "SEND 1 SUCCESS, IMMEDIATE_DATA 2 SUCCESS, IMMEDIATE_DATA 3 SUCCESS, SEND 4 SUCCESS");
}

//= RDMAP-7306-6.3-02, RDMAP-7306-6.3-03, RDMAP-7306-6.3-07, RDMAP-7306-6.4-01, RDMAP-7306-7-01, RDMAP-7306-7-05 test
RDMAWIRE_SCENARIO(immediate_data_take_receives_in_order) {
  Stream t(script);
  t.receives(1, 4);
  t.hold(Seg(SEND, 1).data(2));
  t.hold(Seg(IMMEDIATE_DATA, 2).immediate({1, 2, 3, 4, 5, 6, 7, 8}));
  t.hold(Seg(IMMEDIATE_DATA_WITH_SE, 3).immediate({9, 9, 9, 9, 9, 9, 9, 9}));
  t.hold(Seg(SEND, 4).data(1));
  t.poll(
      "RECV 1 SUCCESS 2, RECV_IMMEDIATE_DATA 2 SUCCESS data 0102030405060708, "
      "RECV_IMMEDIATE_DATA 3 SUCCESS data 0909090909090909 SE, RECV 4 SUCCESS 1");
  t.refuse(Seg(IMMEDIATE_DATA, 5), "1202c000");
}

//= RDMAP-7306-6.3-06 test
RDMAWIRE_SCENARIO(immediate_data_of_another_length) {
  for (const std::size_t size : {18U, 25U}) {
    Stream t(script);
    t.receives(1, 1);
    t.refuse(Seg(IMMEDIATE_DATA).cut(size), "02ffc000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
  }
  Stream t(script);
  t.receives(1, 1);
  t.refuse(Seg(IMMEDIATE_DATA).data(1), "02ffc000", "RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR");
}

//= RDMAP-7306-6.3-01 test
RDMAWIRE_SCENARIO(immediate_data_on_the_read_requests_queue) {
  Stream t(script);
  t.refuse(Seg(IMMEDIATE_DATA).queue(1), "1201c000");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
