// Unreliable datagrams, by packets made by hand. What the port does for them is in port_test.cc.
#include "protocol/ib/packet_test.h"
#include "protocol/ib/ud_queue_pair.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

class Ud {
 public:
  verbs::MemoryTable memory_table{{4, 64}};
  verbs::Pd pd = memory_table.allocate_pd().value();
  verbs::CompletionQueue send_cq{64}, receive_cq{64};
  verbs::EventQueue events{16};
  verbs::SharedReceiveQueue srq{pd, {16, 4}, events};
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(8192);
  verbs::MemoryKey key = memory_table.register_region(pd, octets, base_address, verbs::rights::local_write).value();
  UdQueuePair qp;

  explicit Ud(Script& script, bool shared = false)
      : qp({{7}, verbs::Service::ud, pd, {16, 4, 64}, {16, 4, 0}, false},
           {memory_table, send_cq, receive_cq, events, shared ? &srq : nullptr}, mtu256),
        script_(script) {
    using namespace verbs::attribute;
    verbs::QpAttributes a;
    a.q_key = {0x11111111};
    a.sq_psn = {0xFFFFFF};
    (void)qp.modify(verbs::QpState::init, a, p_key_index | port | q_key);
    (void)qp.modify(verbs::QpState::rtr, a);
    (void)qp.modify(verbs::QpState::rts, a, sq_psn);
    watch_.start(qp.verbs());
  }
  using Where = std::source_location;

  // From queue pair 0x17, behind a network header whose octets are 0x80, 0x81, ...
  static Packet datagram(std::uint32_t psn, std::size_t size, Opcode opcode = UD_SEND_ONLY) {
    Packet out(opcode, psn);
    out.data(size);
    out.rx.headers.deth = {{0x11111111}, 0, {0x17}};
    out.rx.has_grh = true;
    for (std::size_t i = 0; i < 40; ++i) out.rx.grh[i] = static_cast<std::uint8_t>(0x80 + i);
    return out;
  }
  void take(const Packet& packet, std::string_view expected, const Where& where = Where::current()) {
    RxPacket rx = packet.rx;
    rx.payload = packet.octets;
    qp.on_packet(rx, {});
    poll(expected, where);
  }
  void poll(std::string_view expected, const Where& where = Where::current()) {
    Joined happened;
    while (const auto sent = poll_packet(qp, {})) {
      happened.add(describe(*sent) + " qkey " + hex_number(sent->packet.headers.deth.q_key.value) + " from " +
                   hex_number(sent->packet.headers.deth.source_qp.value) + " to " +
                   hex_number(sent->packet.destination_qp.value));
    }
    watch_.look(qp.verbs(), send_cq, receive_cq, events, happened);
    script_.expect(happened.take(), expected, where);
  }
  void post(std::uint64_t id, std::uint32_t size, std::uint32_t q_key_value, std::string_view expected,
            const Where& where = Where::current()) {
    const std::array sges{verbs::Sge{base_address, size, key}};
    verbs::SendWork work;
    work.id = {id};
    work.opcode = verbs::WorkOpcode::send_with_immediate;
    work.sges = sges;
    work.q_key = {q_key_value};
    work.destination_qp = {0x17};
    work.immediate = {1, 2, 3, 4};
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

 private:
  Script& script_;
  Watch watch_;
};

BOOST_AUTO_TEST_SUITE(ud)

//= UD-03 test
//= UD-08 test
//= UD-09 test
RDMAWIRE_SCENARIO(ud_datagram_lies_behind_forty_octets) {
  Ud t(script);
  t.receives(1, 2, 300);
  t.take(Ud::datagram(55, 4), "RECV 1 SUCCESS 44 from 0x17 GRH");
  t.memory(0, 46, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7010203040000");
  auto with_immediate = Ud::datagram(9, 0, UD_SEND_ONLY_WITH_IMMEDIATE).immediate({1, 2, 3, 4}).solicited();
  with_immediate.rx.has_grh = false;
  t.take(with_immediate, "RECV 2 SUCCESS 40 SE imm 01020304 from 0x17");
}
//= UD-01 test
RDMAWIRE_SCENARIO(ud_only_send_only) {
  Ud t(script);
  t.receives(1, 1, 300);
  t.take(Ud::datagram(1, 4, static_cast<Opcode>(0x60)), "");
  auto cut = Ud::datagram(1, 4);
  cut.rx.headers_complete = false;
  t.take(cut, "");
  auto padded = Ud::datagram(1, 0);
  padded.rx.payload_fits = false;
  t.take(padded, "");
}
//= UD-02 test
RDMAWIRE_SCENARIO(ud_datagram_longer_than_the_mtu) {
  Ud t(script);
  t.receives(1, 1, 400);
  t.take(Ud::datagram(1, 257), "");
  t.take(Ud::datagram(1, 256), "RECV 1 SUCCESS 296 from 0x17 GRH");
}
//= UD-05 test
RDMAWIRE_SCENARIO(ud_receive_too_small) {
  Ud t(script);
  t.receives(1, 1, 43);
  t.take(Ud::datagram(1, 4), "");
  t.take(Ud::datagram(1, 3), "RECV 1 SUCCESS 43 from 0x17 GRH");
}
//= UD-05 test
RDMAWIRE_SCENARIO(ud_receive_of_an_srq_too_small) {
  Ud t(script, true);
  t.receives(1, 1, 43);
  t.take(Ud::datagram(1, 4), "RECV 1 LOC_LEN_ERR");
}
//= UD-06 test
RDMAWIRE_SCENARIO(ud_no_receive) {
  Ud t(script);
  t.take(Ud::datagram(1, 4), "");
  t.receives(1, 1, 300);
  t.take(Ud::datagram(1, 4), "RECV 1 SUCCESS 44 from 0x17 GRH");
}
//= UD-07 test
//= PSN-01 test
RDMAWIRE_SCENARIO(ud_privileged_q_key_is_the_queue_pairs) {
  Ud t(script);
  t.post(1, 4, 0x22222222,
         "UD_SEND_ONLY_WITH_IMMEDIATE 16777215 len 4 [00000000] imm 01020304 qkey 0x22222222 from 0x7 to 0x17, SEND 1 "
         "SUCCESS");
  t.post(
      2, 4, 0x80000000,
      "UD_SEND_ONLY_WITH_IMMEDIATE 0 len 4 [00000000] imm 01020304 qkey 0x11111111 from 0x7 to 0x17, SEND 2 SUCCESS");
}
//= UD-02 test
//= QPS-06 test
//= CQE-01 test
RDMAWIRE_SCENARIO(ud_too_long_to_send) {
  Ud t(script);
  t.receives(1, 1, 300);
  t.post(1, 257, 0, "SEND 1 LOC_LEN_ERR, state SQE");
  t.post(2, 4, 0, "");
  t.take(Ud::datagram(1, 4), "RECV 1 SUCCESS 44 from 0x17 GRH");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
