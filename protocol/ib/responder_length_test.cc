// Lengths and access at the responder, by packets made by hand.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

BOOST_AUTO_TEST_SUITE(responder_length)

//= LEN-01 test
RDMAWIRE_SCENARIO(first_must_be_one_path_mtu) {
  for (const std::size_t size : {252U, 260U}) {
    Rc t(script);
    t.take(t.write_first(100, 0, 600, size), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
  }
}
//= LEN-01 test
RDMAWIRE_SCENARIO(middle_must_be_one_path_mtu) {
  for (const std::size_t size : {252U, 260U}) {
    Rc t(script);
    t.take(t.write_first(100, 0, 600).quiet(), "");
    t.take(Packet(RC_RDMA_WRITE_MIDDLE, 101).data(size), "RC_ACKNOWLEDGE 101 0x61 msn 0, event QP_REQ_ERR, state ERR");
  }
}
//= LEN-01 test
RDMAWIRE_SCENARIO(first_must_have_no_pad) {
  Rc t(script);
  t.take(t.write_first(100, 0, 600, 255), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}
//= LEN-12 test
// A peer with half the path MTU.
RDMAWIRE_SCENARIO(peer_with_another_path_mtu) {
  Rc t(script);
  t.take(t.write_first(100, 0, 600, 128), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}

//= LEN-02 test
RDMAWIRE_SCENARIO(last_must_not_be_empty) {
  Rc t(script);
  t.receives(1, 1, 600);
  t.take(Packet(RC_SEND_FIRST, 100).data(256).quiet(), "");
  t.take(Packet(RC_SEND_LAST, 101), "RC_ACKNOWLEDGE 101 0x61 msn 0, RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR, state ERR");
}
//= LEN-02 test
RDMAWIRE_SCENARIO(last_must_not_be_longer_than_the_path_mtu) {
  Rc t(script);
  t.receives(1, 1, 600);
  t.take(Packet(RC_SEND_FIRST, 100).data(256).quiet(), "");
  t.take(Packet(RC_SEND_LAST, 101).data(257),
         "RC_ACKNOWLEDGE 101 0x61 msn 0, RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR, state ERR");
}

//= LEN-03 test
RDMAWIRE_SCENARIO(only_may_be_empty_or_one_path_mtu_but_not_longer) {
  Rc t(script);
  t.receives(1, 3, 600);
  t.take(send_only(100, 0), "RC_ACKNOWLEDGE 100 0x02 msn 1, RECV 1 SUCCESS");
  t.take(send_only(101, 256), "RC_ACKNOWLEDGE 101 0x01 msn 2, RECV 2 SUCCESS 256");
  t.take(send_only(102, 257), "RC_ACKNOWLEDGE 102 0x61 msn 2, RECV 3 WR_FLUSH_ERR, event QP_REQ_ERR, state ERR");
}

//= LEN-04 test
RDMAWIRE_SCENARIO(pad_is_not_delivered) {
  Rc t(script);
  t.receives(1, 1);
  t.take(send_only(100, 5), "RC_ACKNOWLEDGE 100 0x00 msn 1, RECV 1 SUCCESS 5");
  t.memory(0, 8, "0102030405000000");
}

//= LEN-05 test
RDMAWIRE_SCENARIO(pad_larger_than_the_payload) {
  Rc t(script);
  t.receives(1, 1);
  Packet packet = send_only(100, 0);
  packet.rx.bth.pad_count = 3;
  packet.rx.payload_fits = false;
  t.take(packet, "RC_ACKNOWLEDGE 100 0x61 msn 0, RECV 1 WR_FLUSH_ERR, event QP_REQ_ERR, state ERR");
}

//= LEN-06 test
RDMAWIRE_SCENARIO(write_only_longer_than_its_dma_length) {
  Rc t(script);
  t.take(t.write(100, 0, 12).reth(base_address, 8, t.end.key),
         "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
  t.memory(0, 12, "000000000000000000000000");
}
//= LEN-06 test
RDMAWIRE_SCENARIO(write_only_shorter_than_its_dma_length) {
  Rc t(script);
  t.take(t.write(100, 0, 12).reth(base_address, 13, t.end.key),
         "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}
//= LEN-06 test
RDMAWIRE_SCENARIO(write_last_must_bring_what_is_missing) {
  for (const std::size_t size : {87U, 89U}) {
    Rc t(script);
    t.take(t.write_first(100, 0, 344).quiet(), "");
    t.take(Packet(RC_RDMA_WRITE_LAST, 101).data(size), "RC_ACKNOWLEDGE 101 0x61 msn 0, event QP_REQ_ERR, state ERR");
  }
}
//= LEN-06 test
RDMAWIRE_SCENARIO(write_first_must_leave_something_for_the_last) {
  Rc t(script);
  t.take(t.write_first(100, 0, 256), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}

//= LEN-07 test
RDMAWIRE_SCENARIO(dma_length_above_two_gib) {
  Rc t(script);
  t.take(t.read(100, 0, 0x80000001), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}
//= LEN-07 test
RDMAWIRE_SCENARIO(dma_length_of_two_gib_is_left_to_the_key) {
  Rc t(script);
  t.take(t.read(100, 0, 0x80000000), "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
}

//= LEN-08 test
//= CQE-01 test
//= FLU-01 test
RDMAWIRE_SCENARIO(send_longer_than_the_receive) {
  Rc t(script);
  t.receives(1, 1, 9);
  t.receives(2, 2, 64);
  t.take(send_only(100, 10),
         "RC_ACKNOWLEDGE 100 0x61 msn 0, RECV 1 LOC_LEN_ERR, RECV 2 WR_FLUSH_ERR, RECV 3 WR_FLUSH_ERR, state ERR");
}
//= LEN-08 test
RDMAWIRE_SCENARIO(send_of_several_packets_longer_than_the_receive) {
  Rc t(script);
  t.receives(1, 1, 300);
  t.take(Packet(RC_SEND_FIRST, 100).data(256).quiet(), "");
  t.take(Packet(RC_SEND_LAST, 101).data(45), "RC_ACKNOWLEDGE 101 0x61 msn 0, RECV 1 LOC_LEN_ERR, state ERR");
}

//= LEN-10 test
RDMAWIRE_SCENARIO(empty_read_is_answered_by_an_empty_only) {
  Rc t(script);
  t.take(t.read(100, 0, 0), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1");
  t.take(t.write(101, 0, 4), "RC_ACKNOWLEDGE 101 0x00 msn 2");
}

//= LEN-11 test
RDMAWIRE_SCENARIO(read_request_with_payload) {
  Rc t(script);
  t.take(t.read(100, 0, 4).data(4), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}
//= LEN-11 test
RDMAWIRE_SCENARIO(atomic_with_payload) {
  Rc t(script);
  t.take(t.fetch_add(100, 0, 1).data(4), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
  t.memory(0, 8, "0000000000000000");
}

//= RD-01 test
RDMAWIRE_SCENARIO(read_response_of_two_path_mtus_and_one_octet) {
  Rc t(script);
  for (unsigned i = 0; i < 513; ++i) t.end.octets[0x1000 + i] = static_cast<std::uint8_t>(i + 1);
  t.take(t.read(100, 0x1000, 513),
         "RC_RDMA_READ_RESPONSE_FIRST 100 0x00 msn 1 len 256 [01..00], RC_RDMA_READ_RESPONSE_MIDDLE 101 len 256 "
         "[01..00], RC_RDMA_READ_RESPONSE_LAST 102 0x00 msn 1 len 1 [01]");
  t.take(t.read(103, 0x1000, 256), "RC_RDMA_READ_RESPONSE_ONLY 103 0x00 msn 2 len 256 [01..00]");
  t.take(t.read(104, 0x1000, 257),
         "RC_RDMA_READ_RESPONSE_FIRST 104 0x00 msn 3 len 256 [01..00], RC_RDMA_READ_RESPONSE_LAST 105 0x00 msn 3 len 1 "
         "[01]");
}

//= MEM-01 test
RDMAWIRE_SCENARIO(unknown_key) {
  Rc t(script);
  t.take(t.write(100, 0, 4).reth(base_address, 4, {0xBAD00}),
         "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
  t.memory(0, 4, "00000000");
}
//= MEM-02 test
RDMAWIRE_SCENARIO(end_of_the_region) {
  Rc t(script);
  t.take(t.write(100, 65532, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.write(101, 65532, 5), "RC_ACKNOWLEDGE 101 0x62 msn 1, event QP_ACCESS_ERR, state ERR");
  t.memory(65532, 4, "01020304");
}
//= MEM-02 test
RDMAWIRE_SCENARIO(address_wraps) {
  Rc t(script);
  t.take(t.write(100, 0, 2).reth(~0ULL, 2, t.end.key), "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
}
//= MEM-03 test
RDMAWIRE_SCENARIO(region_without_the_right) {
  Rc t(script);
  const auto rights = verbs::rights::local_write | verbs::rights::remote_write;
  const auto key = t.end.memory.register_region(t.end.pd, t.end.octets, 0x900000, rights).value();
  t.take(t.write(100, 0, 4).reth(0x900000, 4, key), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.read(101, 0, 4).reth(0x900000, 4, key), "RC_ACKNOWLEDGE 101 0x62 msn 1, event QP_ACCESS_ERR, state ERR");
}
//= MEM-04 test
RDMAWIRE_SCENARIO(key_of_another_protection_domain) {
  Rc t(script);
  const auto pd = t.end.memory.allocate_pd().value();
  const auto rights = verbs::rights::local_write | verbs::rights::remote;
  const auto key = t.end.memory.register_region(pd, t.end.octets, base_address, rights).value();
  t.take(t.write(100, 0, 4).reth(base_address, 4, key),
         "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
}
//= MEM-05 test
RDMAWIRE_SCENARIO(operation_disabled_on_the_queue_pair) {
  Setup setup;
  setup.attributes.access = verbs::rights::remote_read;
  for (unsigned i = 0; i < 4; ++i) {
    Rc t(script, setup);
    if (i == 0) t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
    if (i == 1) t.take(t.fetch_add(100, 0, 1), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
    if (i == 2) t.take(t.flush(100), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
    if (i == 3) t.take(t.read(100, 0, 4), "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1 len 4 [00000000]");
  }
}
//= MEM-06 test
RDMAWIRE_SCENARIO(key_of_an_empty_operation_does_not_matter) {
  Rc t(script);
  t.take(t.write(100, 0, 0).reth(0x1234567, 0, {0xBAD00}), "RC_ACKNOWLEDGE 100 0x00 msn 1");
  t.take(t.read(101, 0, 0).reth(0x1234567, 0, {0xBAD00}), "RC_RDMA_READ_RESPONSE_ONLY 101 0x00 msn 2");
}
//= MEM-07 test
RDMAWIRE_SCENARIO(first_is_checked_for_the_whole_message) {
  Rc t(script);
  t.take(t.write_first(100, 65024, 513), "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
  t.memory(65024, 4, "00000000");
}
//= MEM-09 test
RDMAWIRE_SCENARIO(refused_write_with_immediate_consumes_no_receive) {
  Rc t(script);
  t.receives(1, 1);
  t.take(Packet(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 100).data(4).reth(base_address, 4, {0xBAD00}),
         "RC_ACKNOWLEDGE 100 0x62 msn 0, RECV 1 WR_FLUSH_ERR, event QP_ACCESS_ERR, state ERR");
}
//= MEM-10 test
RDMAWIRE_SCENARIO(key_goes_away_between_first_and_last) {
  Rc t(script);
  t.take(t.write_first(100, 0, 300).quiet(), "");
  (void)t.end.memory.deregister(t.end.key);
  t.take(Packet(RC_RDMA_WRITE_LAST, 101).data(44), "RC_ACKNOWLEDGE 101 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
}
//= MEM-11 test
RDMAWIRE_SCENARIO(window_of_another_queue_pair) {
  for (const std::uint32_t owner : {7U, 8U}) {
    Rc t(script);
    const auto window = t.end.memory.allocate_window(t.end.pd, verbs::KeyKind::window2).value();
    (void)t.end.memory.bind_window2(window, t.end.pd, {owner},
                                    {t.end.key, base_address, 64, verbs::rights::remote_read});
    t.take(t.read(100, 0, 4).reth(base_address, 4, window),
           owner == 7 ? "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1 len 4 [00000000]"
                      : "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
  }
}

//= NAK-07 test
//= CQE-04 test
RDMAWIRE_SCENARIO(receive_names_memory_that_is_gone) {
  Rc t(script);
  t.receives(1, 2);
  (void)t.end.memory.deregister(t.end.key);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x63 msn 0, RECV 1 LOC_PROT_ERR, RECV 2 WR_FLUSH_ERR, state ERR");
}

//= NAK-10 test
//= MPE-08 test
RDMAWIRE_SCENARIO(more_reads_than_resources) {
  Rc t(script);
  for (std::uint32_t i = 0; i < 3; ++i) t.hold(t.read(100 + i, 0x1000 + i, 1));
  t.hold(t.atomic_write(103, 0));
  t.hold(t.read(104, 0x1000, 1));
  t.poll(
      "RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1 len 1 [00], RC_RDMA_READ_RESPONSE_ONLY 101 0x00 msn 2 len 1 [00], "
      "RC_RDMA_READ_RESPONSE_ONLY 102 0x00 msn 3 len 1 [00], RC_RDMA_READ_RESPONSE_ONLY 103 0x00 msn 4, RC_ACKNOWLEDGE "
      "104 0x61 msn 4, event QP_REQ_ERR, state ERR");
}
//= NAK-10 test
RDMAWIRE_SCENARIO(resources_are_free_again_after_the_answer) {
  Rc t(script);
  for (std::uint32_t i = 0; i < 4; ++i) t.hold(t.read(100 + i, 0x1000, 1));
  t.poll("RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1 len 1 [00]", 1);
  t.take(t.read(104, 0x1000, 1),
         "RC_RDMA_READ_RESPONSE_ONLY 101 0x00 msn 2 len 1 [00], RC_RDMA_READ_RESPONSE_ONLY 102 0x00 msn 3 len 1 [00], "
         "RC_RDMA_READ_RESPONSE_ONLY 103 0x00 msn 4 len 1 [00], RC_RDMA_READ_RESPONSE_ONLY 104 0x00 msn 5 len 1 [00]");
}
//= NAK-11 test
RDMAWIRE_SCENARIO(no_resources_at_all) {
  Setup setup;
  setup.attributes.max_dest_rd_atomic = 0;
  Rc t(script, setup);
  t.take(t.read(100, 0, 4), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
}

//= SND-01 test
//= SND-02 test
//= SND-03 test
RDMAWIRE_SCENARIO(sends_take_receives_in_order) {
  Rc t(script);
  t.receives(1, 3, 300);
  t.take(send_only(100).solicited(), "RC_ACKNOWLEDGE 100 0x02 msn 1, RECV 1 SUCCESS 4 SE");
  t.take(Packet(RC_SEND_FIRST, 101).data(256).solicited(), "RC_ACKNOWLEDGE 101 0x02 msn 1");
  t.take(Packet(RC_SEND_LAST_WITH_IMMEDIATE, 102).data(1).immediate({0xDE, 0xAD, 0xBE, 0xEF}),
         "RC_ACKNOWLEDGE 102 0x01 msn 2, RECV 2 SUCCESS 257 imm deadbeef");
  t.take(send_only(103, 3), "RC_ACKNOWLEDGE 103 0x00 msn 3, RECV 3 SUCCESS 3");
}

//= SND-02 test
RDMAWIRE_SCENARIO(solicited_send_wakes_whoever_waits_for_such) {
  Rc t(script);
  t.receives(1, 2);
  t.end.receive_cq.request_notification(verbs::CompletionQueue::Notify::solicited);
  t.take(send_only(100), "RC_ACKNOWLEDGE 100 0x01 msn 1, RECV 1 SUCCESS 4");
  t.note(std::to_string(t.end.receive_cq.take_notification()), "0");
  t.take(send_only(101).solicited(), "RC_ACKNOWLEDGE 101 0x00 msn 2, RECV 2 SUCCESS 4 SE");
  t.note(std::to_string(t.end.receive_cq.take_notification()), "1");
}

//= SND-04 test
//= SND-06 test
RDMAWIRE_SCENARIO(invalidate_of_an_ordinary_region_is_silent_death) {
  Rc t(script);
  t.receives(1, 2);
  t.take(Packet(RC_SEND_ONLY_WITH_INVALIDATE, 100).data(4).invalidate(t.end.key),
         "RECV 1 LOC_QP_OP_ERR, RECV 2 WR_FLUSH_ERR, state ERR");
  t.take(t.write(101, 0, 4), "");
}
//= SND-05 test
RDMAWIRE_SCENARIO(invalidated_window_is_gone) {
  Rc t(script);
  t.receives(1, 2);
  const auto window = t.end.memory.allocate_window(t.end.pd, verbs::KeyKind::window2).value();
  (void)t.end.memory.bind_window2(window, t.end.pd, {7}, {t.end.key, base_address, 64, verbs::rights::remote_write});
  t.take(t.write(100, 0, 4).reth(base_address, 4, window), "RC_ACKNOWLEDGE 100 0x02 msn 1");
  t.take(Packet(RC_SEND_ONLY_WITH_INVALIDATE, 101).data(4).invalidate(window),
         "RC_ACKNOWLEDGE 101 0x01 msn 2, RECV 1 SUCCESS 4 inv 0x200");
  t.take(t.write(102, 0, 4).reth(base_address, 4, window),
         "RC_ACKNOWLEDGE 102 0x62 msn 2, RECV 2 WR_FLUSH_ERR, event QP_ACCESS_ERR, state ERR");
}
//= SND-07 test
RDMAWIRE_SCENARIO(write_with_immediate_completes_a_receive) {
  Rc t(script);
  t.receives(1, 2, 4);
  t.take(Packet(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 100).reth(0, 0, {}).immediate({1, 2, 3, 4}).solicited(),
         "RC_ACKNOWLEDGE 100 0x01 msn 1, RECV_RDMA_WITH_IMM 1 SUCCESS SE imm 01020304");
  t.take(t.write_first(101, 0, 300).quiet(), "");
  t.take(Packet(RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 102).data(44).immediate({5, 6, 7, 8}),
         "RC_ACKNOWLEDGE 102 0x00 msn 2, RECV_RDMA_WITH_IMM 2 SUCCESS 300 imm 05060708");
}

//= ORD-01 test
//= ORD-02 test
//= ORD-04 test
RDMAWIRE_SCENARIO(requests_are_executed_in_order) {
  Rc t(script);
  t.receives(1, 1);
  t.hold(t.write(100, 0x1000, 4, 0x11));
  t.hold(t.write(101, 0x1000, 4, 0x22));
  t.hold(t.read(102, 0x1000, 4));
  t.hold(send_only(103));
  t.poll(
      "RC_ACKNOWLEDGE 101 0x00 msn 4, RC_RDMA_READ_RESPONSE_ONLY 102 0x00 msn 3 len 4 [22232425], RC_ACKNOWLEDGE 103 "
      "0x00 msn 4, RECV 1 SUCCESS 4");
  t.memory(0x1000, 4, "22232425");
}
//= ORD-03 test
// The response is taken from memory when it leaves: here after the WRITE.
RDMAWIRE_SCENARIO(read_may_return_what_a_later_write_wrote) {
  Rc t(script);
  t.hold(t.read(100, 0x1000, 4));
  t.hold(t.write(101, 0x1000, 4, 0x11));
  t.poll("RC_RDMA_READ_RESPONSE_ONLY 100 0x00 msn 1 len 4 [11121314], RC_ACKNOWLEDGE 101 0x00 msn 2");
}

//= HV-24 test
RDMAWIRE_SCENARIO(earliest_fault_decides) {
  Setup readonly;
  readonly.attributes.access = verbs::rights::remote_read;
  for (unsigned i = 0; i < 3; ++i) {
    Rc t(script, i == 1 ? readonly : Setup{});
    // Opcode sequence before key; disabled operation before key; key before length.
    if (i == 0)
      t.take(Packet(RC_RDMA_WRITE_LAST, 100).data(300), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
    if (i == 1)
      t.take(t.write(100, 0, 4).reth(0, 4, {0xBAD00}), "RC_ACKNOWLEDGE 100 0x61 msn 0, event QP_REQ_ERR, state ERR");
    if (i == 2)
      t.take(t.write(100, 0, 300).reth(0, 4, {0xBAD00}),
             "RC_ACKNOWLEDGE 100 0x62 msn 0, event QP_ACCESS_ERR, state ERR");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
