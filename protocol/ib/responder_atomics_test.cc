// Atomics, FLUSH and ATOMIC WRITE at the responder, by packets made by hand.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

BOOST_AUTO_TEST_SUITE(responder_atomics)

//= ATM-01 test
RDMAWIRE_SCENARIO(misaligned_atomic) {
  Rc t(script);
  t.take(t.fetch_add(100, 1, 1), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
  t.memory(0, 9, "000000000000000000");
}
//= ATM-02 test
RDMAWIRE_SCENARIO(alignment_before_key) {
  Rc t(script);
  t.take(Packet(RC_FETCH_ADD, 100).atomic(base_address + 4, {0xBAD00}, 1),
         "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}

//= ATM-03 test
//= ATM-07 test
RDMAWIRE_SCENARIO(compare_and_swap) {
  Rc t(script);
  t.end.octets[0] = 0x10;
  t.take(t.swap(100, 0, 0x10, 0x0102030405060708), "RC_ATOMIC_ACKNOWLEDGE 100 0x00 msn 1 original 0x10");
  t.memory(0, 8, "0807060504030201");
  t.take(t.swap(101, 0, 0x10, 0x55), "RC_ATOMIC_ACKNOWLEDGE 101 0x00 msn 2 original 0x102030405060708");
  t.memory(0, 8, "0807060504030201");
}

//= ATM-04 test
RDMAWIRE_SCENARIO(fetch_and_add_wraps) {
  Rc t(script);
  std::fill_n(t.end.octets.begin(), 8, std::uint8_t{0xFF});
  t.take(t.fetch_add(100, 0, 1), "RC_ATOMIC_ACKNOWLEDGE 100 0x00 msn 1 original 0xffffffffffffffff");
  t.memory(0, 9, "000000000000000000");
}
//= ATM-04 test
// The compare field says nothing.
RDMAWIRE_SCENARIO(fetch_and_add_ignores_compare) {
  Rc t(script);
  t.take(Packet(RC_FETCH_ADD, 100).atomic(base_address, t.end.key, 3, 77),
         "RC_ATOMIC_ACKNOWLEDGE 100 0x00 msn 1 original 0x0");
  t.memory(0, 8, "0300000000000000");
}

//= ATM-05 test
// Memory has the order of this machine, least significant octet first.
RDMAWIRE_SCENARIO(atomic_operands_are_numbers) {
  Rc t(script);
  t.end.octets[1] = 0x02;
  t.take(t.fetch_add(100, 0, 0x0100000000000001), "RC_ATOMIC_ACKNOWLEDGE 100 0x00 msn 1 original 0x200");
  t.memory(0, 8, "0102000000000001");
}

//= ATM-06 test
RDMAWIRE_SCENARIO(region_without_the_atomic_right) {
  Rc t(script);
  const auto rights = verbs::rights::local_write | verbs::rights::remote_write | verbs::rights::remote_read;
  const auto key = t.end.memory.register_region(t.end.pd, t.end.octets, base_address, rights).value();
  t.take(Packet(RC_FETCH_ADD, 100).atomic(base_address, key, 1),
         "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
  t.memory(0, 8, "0000000000000000");
}

//= ORD-05 test
RDMAWIRE_SCENARIO(atomic_sees_the_write_before_it) {
  Rc t(script);
  t.hold(t.write(100, 0, 8, 0));
  t.hold(t.fetch_add(101, 0, 0));
  t.poll("RC_ACKNOWLEDGE 100 0x00 msn 2, RC_ATOMIC_ACKNOWLEDGE 101 0x00 msn 2 original 0x706050403020100");
}

//= MPE-02 test
RDMAWIRE_SCENARIO(reserved_selectivity) {
  for (const unsigned selectivity : {2U, 3U}) {
    Rc t(script);
    t.take(t.flush(100, selectivity), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
  }
}
//= MPE-03 test
RDMAWIRE_SCENARIO(whole_region_has_no_range) {
  Rc t(script);
  t.take(t.flush(100, 1).reth(0xFFFFFFFFFFFF0000, 0xFFFFFFFF, t.end.key), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
  t.take(t.flush(101, 0).reth(base_address, 0x80000001, t.end.key),
         "RC_ACKNOWLEDGE 101 0x61 msn 1, event QP_REQ_ERR, state ERR");
}
//= MPE-03 test
RDMAWIRE_SCENARIO(flush_of_a_range_stays_inside) {
  Rc t(script);
  t.take(t.flush(100, 0).reth(base_address + 65535, 1, t.end.key), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
  t.take(t.flush(101, 0).reth(base_address + 65535, 2, t.end.key),
         "RC_ACKNOWLEDGE 101 0x62 msn 1, event QP_ACCESS_ERR, state ERR");
}
//= MPE-03 test
RDMAWIRE_SCENARIO(flush_is_shorter_than_two_gib) {
  for (const std::uint32_t size : {0x80000000U, 0x7FFFFFFFU}) {
    Rc t(script);
    t.take(t.flush(100, 0).reth(base_address, size, t.end.key),
           size == 0x80000000U ? "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR"
                               : "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
  }
}
//= MPE-04 test
RDMAWIRE_SCENARIO(placement_that_the_region_does_not_allow) {
  Rc t(script);
  const auto rights = verbs::rights::local_write | verbs::rights::remote_write | verbs::rights::flush_visible;
  const auto key = t.end.memory.register_region(t.end.pd, t.end.octets, base_address, rights).value();
  t.take(t.flush(100, 0, 1).reth(base_address, 64, key), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
  t.take(t.flush(101, 0, 2).reth(base_address, 64, key),
         "RC_ACKNOWLEDGE 101 0x62 msn 1, event QP_ACCESS_ERR, state ERR");
}
//= MPE-01 test
//= LEN-11 test
RDMAWIRE_SCENARIO(flush_with_payload) {
  Rc t(script);
  t.take(t.flush(100).data(4), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}

//= MPE-06 test
RDMAWIRE_SCENARIO(atomic_write_stores_eight_octets) {
  Rc t(script);
  t.take(t.atomic_write(100, 8), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
  t.memory(8, 9, "010203040506070800");
  t.take(t.atomic_write(101, 12), "RC_ACKNOWLEDGE 101 0x61 msn 1, event QP_REQ_ERR, state ERR");
}
//= MPE-06 test
RDMAWIRE_SCENARIO(atomic_write_of_another_length) {
  for (unsigned i = 0; i < 2; ++i) {
    Rc t(script);
    t.take(i == 0 ? t.atomic_write(100, 0).data(4) : t.atomic_write(100, 0).reth(base_address, 4, t.end.key),
           "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
  }
}
//= MPE-07 test
RDMAWIRE_SCENARIO(atomic_write_with_a_bad_key) {
  Rc t(script);
  t.take(t.atomic_write(100, 0).reth(base_address, 8, {0xBAD00}),
         "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
}

//= RD-09 test
RDMAWIRE_SCENARIO(region_goes_away_during_a_read) {
  Rc t(script);
  t.hold(t.read(100, 0x1000, 1024));
  t.poll(
      "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [00..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 [00..00]",
      2);
  (void)t.end.memory.deregister(t.end.key);
  t.poll("RC_ACKNOWLEDGE 102 0x62 msn 1, event QP_ACCESS_ERR, state ERR");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
