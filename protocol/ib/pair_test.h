// Two queue pairs of a reliable connection, joined by a wire that the test decides about.
#pragma once

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "protocol/vectors/recorded_rc.h"

namespace rdmawire::ib::test {

inline constexpr std::uint64_t base_address = 0x100000;

// A packet on its way, with its payload copied.
struct Sent {
  TxPacket packet;
  std::vector<std::uint8_t> payload;
};

// As a port would hand it over.
inline RxPacket received(const Sent& sent) {
  RxPacket out;
  out.row = find(sent.packet.opcode);
  out.bth.opcode = sent.packet.opcode;
  out.bth.psn = sent.packet.psn;
  out.bth.solicited = sent.packet.solicited;
  out.bth.ack_request = sent.packet.ack_request;
  out.bth.pad_count = static_cast<std::uint8_t>(-sent.payload.size() & 3U);
  out.headers = sent.packet.headers;
  out.payload = sent.payload;
  return out;
}

// One end: its verbs resources, 64 KiB of registered memory, and the queue pair in RTS.
struct End {
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(65536);
  vectors::Recording recording;
  vectors::RecordedMemory memory{recording, {4, 64}};
  verbs::Pd pd = memory.allocate_pd().value();
  vectors::RecordedCompletions send_cq{recording, 256}, receive_cq{recording, 256};
  vectors::RecordedEvents events{recording, 64};
  vectors::RecordedSharedReceives srq{recording, pd, {16, 4}, events};
  verbs::MemoryKey key =
      memory
          .register_region(pd, octets, base_address,
                           verbs::rights::local_write | verbs::rights::remote | verbs::rights::bind_window)
          .value();
  vectors::RecordedRc qp;
  vectors::Finisher finisher{recording};

  explicit End(std::uint32_t number, const RcConfig& config = {}, std::uint32_t depth = 64, bool shared = false,
               vectors::RcIn in = vectors::RcIn::vector_of_its_own)
      : recording(in == vectors::RcIn::port ? "port" : "rc", octets, config.quirks.empty()),
        qp(recording, config_of(number, depth), resources(shared), config, in) {}

  verbs::QpConfig config_of(std::uint32_t number, std::uint32_t depth) const {
    return {{number}, verbs::Service::rc, pd, {depth, 4, 64}, {depth, 4, 0}, false};
  }
  verbs::QpResources resources(bool shared = false) {
    return {memory, send_cq, receive_cq, events, shared ? &srq : nullptr};
  }

  static verbs::QpAttributes attributes() {
    verbs::QpAttributes a;
    a.access = verbs::rights::remote;
    a.path_mtu = mtu256;
    a.rq_psn = a.sq_psn = Psn{100};
    a.max_dest_rd_atomic = a.max_rd_atomic = 4;
    a.min_rnr_timer = {12};
    a.timeout = {14};
    a.retry_count = 3;
    a.rnr_retry = 3;
    return a;
  }
  void connect(const verbs::QpAttributes& a = attributes()) { connect(qp, a); }
  static void connect(vectors::RecordedRc& qp, const verbs::QpAttributes& a) {
    using namespace verbs::attribute;
    const auto move = [&](verbs::QpState to, verbs::AttributeSet given) {
      BOOST_REQUIRE(qp.modify(to, a, given).has_value());
    };
    move(verbs::QpState::init, p_key_index | port | access);
    move(verbs::QpState::rtr, path | path_mtu | destination_qp | rq_psn | max_dest_rd_atomic | min_rnr_timer);
    move(verbs::QpState::rts, sq_psn | timeout | retry_count | rnr_retry | max_rd_atomic);
  }
  verbs::Sge sge(std::uint32_t offset, std::uint32_t length) const { return {base_address + offset, length, key}; }

  std::optional<Sent> poll(Time now = {}) {
    TxPacket packet;
    if (!qp.poll_transmit(packet, now)) return std::nullopt;
    Sent out{packet, {}};
    for (const Bytes piece : packet.payload) out.payload.insert(out.payload.end(), piece.begin(), piece.end());
    out.packet.payload = {};
    return out;
  }
  void take(const Sent& sent, Time now = {}) { qp.on_packet(received(sent), now); }
  // "7 SUCCESS 3" a completion, the last number its byte_len
  static std::string texts(vectors::RecordedCompletions& cq) {
    std::string out;
    std::vector<verbs::Completion> all(cq.capacity());
    all.resize(cq.poll(all));
    for (const auto& one : all) {
      out += (out.empty() ? "" : ", ") + std::to_string(one.id.value) + ' ' + std::string(name_of(one.status)) + ' ' +
             std::to_string(one.byte_len);
    }
    return out;
  }
};

// "RC_ACKNOWLEDGE 100 ACK 31 msn 1": opcode, PSN, what the AETH says, payload.
inline std::string text(const Sent& sent) {
  const TxPacket& p = sent.packet;
  std::string out = std::string(name_of(p.opcode)) + ' ' + std::to_string(p.psn.value);
  const OpcodeInfo& row = *find(p.opcode);
  if (row.has(Layer::aeth)) {
    const unsigned syndrome = p.headers.aeth.syndrome.value;
    constexpr std::string_view digits = "0123456789abcdef";
    out += std::string(" 0x") + digits[syndrome >> 4] + digits[syndrome & 15U];
    out += " msn " + std::to_string(p.headers.aeth.msn.value);
  }
  if (!sent.payload.empty()) out += " len " + std::to_string(sent.payload.size());
  if (p.ack_request) out += " A";
  return out;
}

}  // namespace rdmawire::ib::test
