// Unreliable connections: nothing is answered, and what does not fit is dropped. Packets made by hand.
#include "protocol/ib/packet_test.h"
#include "protocol/ib/uc_queue_pair.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

class Uc {
 public:
  verbs::MemoryTable memory_table{{4, 64}};
  verbs::Pd pd = memory_table.allocate_pd().value();
  verbs::CompletionQueue send_cq{64}, receive_cq{64};
  verbs::EventQueue events{16};
  verbs::SharedReceiveQueue srq{pd, {16, 4}, events};
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(4096);
  verbs::MemoryKey key =
      memory_table.register_region(pd, octets, base_address, verbs::rights::local_write | verbs::rights::remote)
          .value();
  UcQueuePair qp;

  explicit Uc(Script& script, bool shared = false)
      : qp({{7}, verbs::Service::uc, pd, {16, 4, 64}, {16, 4, 0}, false},
           {memory_table, send_cq, receive_cq, events, shared ? &srq : nullptr}),
        script_(script) {
    using namespace verbs::attribute;
    const verbs::QpAttributes a = End::attributes();
    (void)qp.modify(verbs::QpState::init, a, p_key_index | port | access);
    (void)qp.modify(verbs::QpState::rtr, a, path | path_mtu | destination_qp | rq_psn);
    (void)qp.modify(verbs::QpState::rts, a, sq_psn);
    watch_.start(qp.verbs());
  }
  using Where = std::source_location;

  void take(const Packet& packet, std::string_view expected, const Where& where = Where::current()) {
    RxPacket rx = packet.rx;
    rx.payload = packet.octets;
    qp.on_packet(rx, {});
    poll(expected, where);
  }
  void poll(std::string_view expected, const Where& where = Where::current()) {
    Joined happened;
    while (const auto sent = poll_packet(qp, {})) happened.add(describe(*sent));
    watch_.look(qp.verbs(), send_cq, receive_cq, events, happened);
    script_.expect(happened.take(), expected, where);
  }
  void post(std::uint64_t id, verbs::WorkOpcode opcode, std::uint32_t size, std::string_view expected,
            verbs::MemoryKey l_key, const Where& where = Where::current()) {
    const std::array sges{verbs::Sge{base_address, size, l_key}};
    verbs::SendWork work;
    work.id = {id};
    work.opcode = opcode;
    work.sges = sges;
    work.remote_address = 0x200000;
    work.r_key = {0x55};
    work.immediate = {1, 2, 3, 4};
    work.solicited = true;
    (void)qp.post_send(work);
    poll(expected, where);
  }
  void receives(std::uint64_t first, unsigned count, std::uint32_t size) {
    for (unsigned i = 0; i < count; ++i) {
      const std::array sges{verbs::Sge{base_address, size, key}};
      const verbs::RecvWork work{{first + i}, sges};
      (void)(qp.verbs().has_srq() ? srq.post(work) : qp.post_receive(work));
    }
  }
  void memory(std::uint32_t offset, std::uint32_t size, std::string_view expected,
              const Where& where = Where::current()) {
    script_.expect(hex(octets.data() + offset, size), expected, where);
  }
  Packet write(std::uint32_t psn, std::uint32_t offset, std::uint32_t size, unsigned first = 1) const {
    return Packet(UC_RDMA_WRITE_ONLY, psn).reth(base_address + offset, size, key).data(size, first);
  }

 private:
  Script& script_;
  Watch watch_;
};

Packet send(Opcode opcode, std::uint32_t psn, std::size_t size, unsigned first = 1) {
  return Packet(opcode, psn).data(size, first);
}

BOOST_AUTO_TEST_SUITE(uc)

//= UC-01 test
RDMAWIRE_SCENARIO(uc_nothing_is_answered) {
  Uc t(script);
  t.receives(1, 1, 64);
  t.take(send(UC_SEND_ONLY, 100, 4).solicited(), "RECV 1 SUCCESS 4 SE");
  t.take(t.write(101, 0, 4), "");
}
//= UC-02 test
RDMAWIRE_SCENARIO(uc_gap_costs_the_message) {
  Uc t(script);
  t.receives(1, 2, 600);
  t.take(send(UC_SEND_FIRST, 100, 256), "");
  t.take(send(UC_SEND_MIDDLE, 102, 256), "");
  t.take(send(UC_SEND_LAST, 103, 4), "");
  t.take(send(UC_SEND_ONLY, 104, 4), "RECV 1 SUCCESS 4");
}
//= UC-03 test
RDMAWIRE_SCENARIO(uc_any_psn_begins_a_message) {
  Uc t(script);
  t.receives(1, 2, 600);
  t.take(send(UC_SEND_FIRST, 0xFFFFFF, 256), "");
  t.take(send(UC_SEND_LAST_WITH_IMMEDIATE, 0, 4).immediate({9, 8, 7, 6}), "RECV 1 SUCCESS 260 imm 09080706");
  t.take(send(UC_SEND_ONLY, 5, 4), "RECV 2 SUCCESS 4");
}
//= UC-04 test
//= UC-09 test
RDMAWIRE_SCENARIO(uc_new_message_inside_another) {
  Uc t(script);
  t.receives(1, 2, 600);
  t.take(send(UC_SEND_FIRST, 100, 256), "");
  t.take(send(UC_SEND_ONLY, 101, 4, 0x50), "RECV 1 SUCCESS 4");
  t.memory(0, 4, "50515253");
  t.take(send(UC_SEND_ONLY, 102, 4), "RECV 2 SUCCESS 4");
}
//= UC-04 test
RDMAWIRE_SCENARIO(uc_opcode_of_another_message) {
  Uc t(script);
  t.receives(1, 1, 600);
  t.take(Packet(UC_RDMA_WRITE_FIRST, 100).reth(base_address, 300, t.key).data(256), "");
  t.take(send(UC_SEND_LAST, 101, 44), "");
  t.take(Packet(UC_RDMA_WRITE_LAST, 102).data(44, 0x99), "");
  t.memory(256, 2, "0000");
}
//= UC-05 test
RDMAWIRE_SCENARIO(uc_lengths) {
  Uc t(script);
  t.receives(1, 1, 600);
  t.take(send(UC_SEND_FIRST, 100, 252), "");
  t.take(send(UC_SEND_FIRST, 101, 256), "");
  t.take(send(UC_SEND_MIDDLE, 102, 200), "");
  t.take(send(UC_SEND_LAST, 103, 4), "");
  t.take(send(UC_SEND_FIRST, 104, 256), "");
  t.take(send(UC_SEND_LAST, 105, 0), "");
  t.take(send(UC_SEND_ONLY, 106, 257), "");
  t.take(send(UC_SEND_ONLY, 107, 256), "RECV 1 SUCCESS 256");
}
//= UC-05 test
RDMAWIRE_SCENARIO(uc_write_lengths) {
  Uc t(script);
  t.take(Packet(UC_RDMA_WRITE_ONLY, 100).reth(base_address, 5, t.key).data(4), "");
  t.memory(0, 4, "00000000");
  t.take(Packet(UC_RDMA_WRITE_FIRST, 101).reth(base_address, 260, t.key).data(256), "");
  t.take(Packet(UC_RDMA_WRITE_LAST, 102).data(4, 0x44), "");
  t.memory(256, 5, "4445464700");
}
//= UC-06 test
RDMAWIRE_SCENARIO(uc_send_without_receive) {
  Uc t(script);
  t.take(send(UC_SEND_FIRST, 100, 256), "");
  t.receives(1, 1, 600);
  t.take(send(UC_SEND_LAST, 101, 4), "");
  t.take(send(UC_SEND_ONLY, 102, 4), "RECV 1 SUCCESS 4");
}
//= UC-07 test
RDMAWIRE_SCENARIO(uc_bad_key_is_silent) {
  Uc t(script);
  t.take(t.write(100, 0, 4).reth(base_address, 4, {0xBAD00}), "");
  t.memory(0, 4, "00000000");
  t.take(t.write(101, 0, 4), "");
  t.memory(0, 4, "01020304");
}
//= UC-05 test
//= UC-09 test
RDMAWIRE_SCENARIO(uc_send_longer_than_the_receive) {
  Uc t(script);
  t.receives(1, 1, 3);
  t.take(send(UC_SEND_ONLY, 100, 4), "");
  t.take(send(UC_SEND_ONLY, 101, 3), "RECV 1 SUCCESS 3");
}
//= UC-09 test
RDMAWIRE_SCENARIO(uc_abandoned_receive_of_an_srq) {
  Uc t(script, true);
  t.receives(1, 2, 600);
  t.take(send(UC_SEND_FIRST, 100, 256), "");
  t.take(send(UC_SEND_ONLY, 105, 4), "RECV 1 LOC_LEN_ERR, RECV 2 SUCCESS 4");
}
//= UC-08 test
//= HV-23 test
RDMAWIRE_SCENARIO(uc_opcodes_that_do_not_exist) {
  Uc t(script);
  t.take(Packet(static_cast<Opcode>(0x2C), 100), "");
  auto cut = t.write(100, 0, 4);
  cut.rx.headers_complete = false;
  t.take(cut, "");
}
//= SND-07 test
RDMAWIRE_SCENARIO(uc_write_with_immediate) {
  Uc t(script);
  t.take(Packet(UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 100).reth(0, 0, {}).immediate({1, 2, 3, 4}), "");
  t.receives(1, 1, 4);
  t.take(Packet(UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 101).reth(base_address, 8, t.key).data(8).immediate({5, 6, 7, 8}),
         "RECV_RDMA_WITH_IMM 1 SUCCESS 8 imm 05060708");
}

//= UC-10 test
RDMAWIRE_SCENARIO(uc_sends_complete_as_they_leave) {
  Uc t(script);
  t.post(1, verbs::WorkOpcode::send_with_immediate, 300,
         "UC_SEND_FIRST 100 len 256 [00..00], UC_SEND_LAST_WITH_IMMEDIATE 101 len 44 [00..00] SE imm 01020304, SEND 1 "
         "SUCCESS",
         t.key);
  t.post(2, verbs::WorkOpcode::rdma_write, 600,
         "UC_RDMA_WRITE_FIRST 102 len 256 [00..00] va 0x200000 key 0x55 dma 600, UC_RDMA_WRITE_MIDDLE 103 len 256 "
         "[00..00], UC_RDMA_WRITE_LAST 104 len 88 [00..00], RDMA_WRITE 2 SUCCESS",
         t.key);
  t.post(3, verbs::WorkOpcode::send, 0, "UC_SEND_ONLY 105 SE, SEND 3 SUCCESS", t.key);
}
//= QPS-06 test
//= CQE-04 test
RDMAWIRE_SCENARIO(uc_bad_local_key_stops_sending) {
  Uc t(script);
  t.receives(1, 1, 64);
  t.post(1, verbs::WorkOpcode::send, 4, "SEND 1 LOC_PROT_ERR, state SQE", {0xBAD00});
  t.post(2, verbs::WorkOpcode::send, 4, "", t.key);
  t.take(send(UC_SEND_ONLY, 100, 4), "RECV 1 SUCCESS 4");
}
//= QPS-07 test
RDMAWIRE_SCENARIO(uc_in_error_nothing_is_taken) {
  Uc t(script);
  t.receives(1, 1, 64);
  (void)t.qp.modify(verbs::QpState::err);
  t.take(send(UC_SEND_ONLY, 100, 4), "RECV 1 WR_FLUSH_ERR, state ERR");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
