// Duplicates at the responder, by packets made by hand.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

BOOST_AUTO_TEST_SUITE(responder_duplicates)

//= DUP-01 test
//= MSN-05 test
//= PSN-10 test
RDMAWIRE_SCENARIO(duplicate_write_is_acknowledged_and_not_executed) {
  Rc t(script);
  t.take(t.write(100, 0, 4, 0x11), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(101, 16, 4, 0x11), "RC_ACKNOWLEDGE 101 0x00 msn 2");
  t.end.octets[0] = 0x99;
  t.take(t.write(100, 0, 4, 0x11), "RC_ACKNOWLEDGE 101 0x00 msn 2");
  t.memory(0, 4, "99121314");
  t.take(t.write(102, 0, 4, 0x22), "RC_ACKNOWLEDGE 102 0x00 msn 3");
}
//= DUP-01 test
RDMAWIRE_SCENARIO(duplicate_send_takes_no_receive) {
  Rc t(script);
  t.receives(1, 2);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x01 msn 1, RECV 1 SUCCESS 4");
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x01 msn 1");
  t.take(send_only(101), "RC_ACKNOWLEDGE 101 0x00 msn 2, RECV 2 SUCCESS 4");
}

//= DUP-02 test
RDMAWIRE_SCENARIO(ack_of_a_duplicate_does_not_acknowledge_a_read) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.read(101, 0x1000, 4), "RC_RDMA_READ_RESPONSE_ONLY 101 0x00 msn 2 len 4 [00000000]");
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 2");
}

//= DUP-03 test
// A duplicate that does not ask gets no ACK.
RDMAWIRE_SCENARIO(quiet_duplicate_is_dropped) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(100, 0, 4).quiet(), "");
}

//= DUP-04 test
RDMAWIRE_SCENARIO(tail_of_a_read_is_read_again) {
  Rc t(script);
  for (unsigned i = 0; i < 1024; ++i) t.end.octets[0x1000 + i] = static_cast<std::uint8_t>(i / 256);
  t.take(
      t.read(100, 0x1000, 1024),
      "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 [01..01], "
      "RC_RDMA_READ_RESPONSE_MIDDLE 102 len 256 [02..02], RC_RDMA_READ_RESPONSE_LAST 103 0x00 msn 1 len 256 [03..03]");
  t.end.octets[0x1200] = 0x77;
  t.take(t.read(102, 0x1200, 512),
         "RC_RDMA_READ_RESPONSE_FIRST 102 0x00 msn 1 len 256 [77..02], RC_RDMA_READ_RESPONSE_LAST 103 0x00 msn 1 len "
         "256 [03..03]");
}
//= DUP-05 test
RDMAWIRE_SCENARIO(part_of_a_read_that_ends_elsewhere_is_not) {
  Rc t(script);
  t.take(
      t.read(100, 0x1000, 1024),
      "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 [00..00], "
      "RC_RDMA_READ_RESPONSE_MIDDLE 102 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 103 0x00 msn 1 len 256 [00..00]");
  t.take(t.read(102, 0x1200, 256), "");
  t.take(t.read(102, 0x1100, 512), "");
  t.take(
      t.read(100, 0x1000, 1024),
      "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 [00..00], "
      "RC_RDMA_READ_RESPONSE_MIDDLE 102 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 103 0x00 msn 1 len 256 [00..00]");
}
//= DUP-11 test
// A copy that the network held back, of a read whose memory has been taken away since.
RDMAWIRE_SCENARIO(read_of_invalidated_memory_is_not_repeated) {
  Rc t(script);
  namespace r = verbs::rights;
  const auto window = t.end.memory.allocate_window(t.end.pd, verbs::KeyKind::window2).value();
  const auto key = verbs::MemoryKey::of(window.index(), 0x5A);
  BOOST_REQUIRE(t.end.memory.bind_window2(key, t.end.pd, {7}, {t.end.key, base_address, 64, r::remote_read}));
  const Packet read = Packet(RC_RDMA_READ_REQUEST, 100).reth(base_address, 4, key);
  t.take(read, "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1 len 4 [00000000]");
  t.take(read, "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1 len 4 [00000000]");
  BOOST_REQUIRE(t.end.memory.invalidate_local(key, t.end.pd, {7}) == verbs::AccessVerdict::ok);
  t.take(read, "");
  t.take(t.write(101, 0, 4), "RC_ACKNOWLEDGE 101 0x00 msn 2");
}

//= DUP-06 test
RDMAWIRE_SCENARIO(read_that_is_no_longer_remembered_is_dropped) {
  Rc t(script);
  for (std::uint32_t i = 0; i < 5; ++i) {
    t.hold(t.read(100 + i, 0x1000, 1));
    (void)t.end.poll();
  }
  t.take(t.read(100, 0x1000, 1), "");
  t.take(t.read(101, 0x1000, 1), "RC_RDMA_READ_RESPONSE_ONLY 101 0x00 msn 2 len 1 [00]");
}
//= DUP-07 test
RDMAWIRE_SCENARIO(duplicate_read_with_another_key_is_dropped) {
  Rc t(script);
  const auto key =
      t.end.memory
          .register_region(t.end.pd, t.end.octets, base_address, verbs::rights::local_write | verbs::rights::remote)
          .value();
  t.take(t.read(100, 0x1000, 4), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1 len 4 [00000000]");
  t.take(t.read(100, 0x1000, 4).reth(base_address + 0x1000, 4, key), "");
}

//= DUP-08 test
RDMAWIRE_SCENARIO(duplicate_atomic_gets_the_first_result) {
  Rc t(script);
  t.end.octets[0] = 5;
  t.take(t.fetch_add(100, 0, 1), "RC_ATOMIC_ACKNOWLEDGE 100 0x00 msn 1 original 0x5");
  t.take(t.fetch_add(100, 0, 1), "RC_ATOMIC_ACKNOWLEDGE 100 0x00 msn 1 original 0x5");
  t.memory(0, 8, "0600000000000000");
  t.take(t.swap(101, 0, 6, 9), "RC_ATOMIC_ACKNOWLEDGE 101 0x00 msn 2 original 0x6");
  t.take(t.swap(101, 0, 6, 9), "RC_ATOMIC_ACKNOWLEDGE 101 0x00 msn 2 original 0x6");
  t.memory(0, 8, "0900000000000000");
}
//= DUP-09 test
RDMAWIRE_SCENARIO(atomic_that_is_no_longer_remembered_is_dropped) {
  Rc t(script);
  t.take(t.fetch_add(100, 0, 1), "RC_ATOMIC_ACKNOWLEDGE 100 0x00 msn 1 original 0x0");
  for (std::uint32_t i = 1; i < 5; ++i) {
    t.hold(t.read(100 + i, 0x1000, 1));
    (void)t.end.poll();
  }
  t.take(t.fetch_add(100, 0, 1), "");
  t.memory(0, 8, "0100000000000000");
}

//= DUP-11 test
RDMAWIRE_SCENARIO(faults_of_duplicates_are_not_told) {
  Rc t(script);
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(100, 0, 4).reth(base_address, 4, {0xBAD00}), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(100, 0, 300), "RC_ACKNOWLEDGE 100 0x00 msn 1");
}

//= DUP-12 test
//= MPE-05 test
RDMAWIRE_SCENARIO(duplicate_flush_is_answered_again) {
  Rc t(script);
  t.take(t.flush(100), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
  t.take(t.flush(100), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
}
//= DUP-13 test
RDMAWIRE_SCENARIO(duplicate_atomic_write_is_answered_and_not_stored) {
  Rc t(script);
  t.take(t.atomic_write(100, 0), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
  t.end.octets[0] = 0x99;
  t.take(t.atomic_write(100, 0), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
  t.memory(0, 8, "9902030405060708");
}

//= PSN-14 test
//= DUP-10 test
RDMAWIRE_SCENARIO(earlier_duplicate_preempts_later_responses) {
  Rc t(script);
  t.take(t.read(100, 0x1000, 512),
         "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 101 0x00 msn 1 len "
         "256 [00..00]");
  t.hold(t.read(102, 0x2000, 1024));
  t.poll(
      "RC_RDMA_READ_RESPONSE_FIRST 102 0x00 msn 2 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 103 len 256 [00..00]",
      2);
  t.take(t.read(100, 0x1000, 512),
         "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 101 0x00 msn 1 len "
         "256 [00..00]");
  t.take(t.read(104, 0x2200, 512),
         "RC_RDMA_READ_RESPONSE_FIRST 104 0x00 msn 2 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 105 0x00 msn 2 len "
         "256 [00..00]");
}
//= PSN-14 test
RDMAWIRE_SCENARIO(later_duplicate_does_not_preempt_earlier_responses) {
  Rc t(script);
  t.hold(t.read(100, 0x1000, 1024));
  t.hold(t.read(104, 0x2000, 512));
  t.poll(
      "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 [00..00]",
      2);
  t.hold(t.read(104, 0x2000, 512));
  t.poll(
      "RC_RDMA_READ_RESPONSE_MIDDLE 102 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 103 0x00 msn 1 len 256 [00..00], "
      "RC_RDMA_READ_RESPONSE_FIRST 104 0x00 msn 2 len 256 [00..00], RC_RDMA_READ_RESPONSE_LAST 105 0x00 msn 2 len 256 "
      "[00..00]");
}
//= PSN-14 test
RDMAWIRE_SCENARIO(read_in_progress_is_asked_for_again) {
  Rc t(script);
  t.hold(t.read(100, 0x1000, 1024));
  t.poll(
      "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 [00..00], "
      "RC_RDMA_READ_RESPONSE_MIDDLE 102 len 256 [00..00]",
      3);
  t.take(t.read(101, 0x1100, 768),
         "RC_RDMA_READ_RESPONSE_FIRST 101 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 102 len 256 "
         "[00..00], RC_RDMA_READ_RESPONSE_LAST 103 0x00 msn 1 len 256 [00..00]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
