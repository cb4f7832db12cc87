// Packets made by hand, also such as no real peer sends; and what machines do, as text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "protocol/ib/pair_test.h"
#include "protocol/ib/scenario_test.h"

namespace rdmawire::ib::test {

// A packet as a port would hand it over. Requests ask for an ACK unless told to be quiet.
struct Packet {
  RxPacket rx;
  std::vector<std::uint8_t> octets;

  Packet(Opcode opcode, std::uint32_t psn) {
    rx.row = find(opcode);
    rx.bth.opcode = opcode;
    rx.bth.psn = {psn};
    rx.bth.ack_request = rx.row == nullptr || rx.row->direction == Direction::request;
  }
  Packet& quiet() {
    rx.bth.ack_request = false;
    return *this;
  }
  Packet& solicited() {
    rx.bth.solicited = true;
    return *this;
  }
  // Octets first, first + 1, ...
  Packet& data(std::size_t size, unsigned first = 1) {
    octets.resize(size);
    for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<std::uint8_t>(first + i);
    rx.bth.pad_count = static_cast<std::uint8_t>(-size & 3U);
    return *this;
  }
  Packet& reth(std::uint64_t address, std::uint32_t len, verbs::MemoryKey key) {
    rx.headers.reth = {{address}, {key.value}, len};
    return *this;
  }
  Packet& atomic(std::uint64_t address, verbs::MemoryKey key, std::uint64_t swap_or_add, std::uint64_t compare = 0) {
    rx.headers.atomiceth = {{address}, {key.value}, swap_or_add, compare};
    return *this;
  }
  Packet& immediate(const std::array<std::uint8_t, 4>& data4) {
    rx.headers.immdt.data = data4;
    return *this;
  }
  Packet& invalidate(verbs::MemoryKey key) {
    rx.headers.ieth.r_key = {key.value};
    return *this;
  }
  Packet& flush(unsigned selectivity, unsigned placement) {
    rx.headers.feth.selectivity = static_cast<FlushSelectivity>(selectivity);
    rx.headers.feth.placement = static_cast<std::uint8_t>(placement);
    return *this;
  }
  Packet& aeth(unsigned syndrome, std::uint32_t msn) {
    rx.headers.aeth = {{static_cast<std::uint8_t>(syndrome)}, {msn}};
    return *this;
  }
  Packet& original(std::uint64_t value) {
    rx.headers.atomicacketh.original_remote_data = value;
    return *this;
  }
};

inline Packet ack(std::uint32_t psn, std::uint32_t msn, unsigned syndrome = 0x1F) {
  return Packet(Opcode::RC_ACKNOWLEDGE, psn).aeth(syndrome, msn);
}
inline Packet send_only(std::uint32_t psn, std::size_t size = 4) {
  return Packet(Opcode::RC_SEND_ONLY, psn).data(size);
}

inline std::string hex_number(std::uint64_t value) {
  std::string out;
  do {
    out.insert(out.begin(), "0123456789abcdef"[value & 15U]);
    value >>= 4;
  } while (value != 0);
  return "0x" + out;
}
// Eight octets in full, otherwise the first and the last.
inline std::string ends(const std::vector<std::uint8_t>& octets) {
  if (octets.size() <= 8) return hex(octets.data(), octets.size());
  return hex(octets.data(), 1) + ".." + hex(octets.data() + octets.size() - 1, 1);
}
// text() and what else the headers and the payload say.
inline std::string describe(const Sent& sent) {
  const ExtendedHeaders& headers = sent.packet.headers;
  const OpcodeInfo& row = *find(sent.packet.opcode);
  std::string out = text(sent);
  if (!sent.payload.empty()) out += " [" + ends(sent.payload) + "]";
  if (sent.packet.solicited) out += " SE";
  if (row.has(Layer::feth)) {
    out += " sel " + std::to_string(static_cast<unsigned>(headers.feth.selectivity)) + " plt " +
           std::to_string(headers.feth.placement);
  }
  if (row.has(Layer::reth)) {
    out += " va " + hex_number(headers.reth.virtual_address.value) + " key " + hex_number(headers.reth.r_key.value) +
           " dma " + std::to_string(headers.reth.dma_len);
  }
  if (row.has(Layer::atomiceth)) {
    out += " va " + hex_number(headers.atomiceth.virtual_address.value) + " operands " +
           hex_number(headers.atomiceth.swap_or_add) + ' ' + hex_number(headers.atomiceth.compare);
  }
  if (row.has(Layer::atomicacketh)) out += " original " + hex_number(headers.atomicacketh.original_remote_data);
  if (row.has(Layer::immdt)) out += " imm " + hex(headers.immdt.data.data(), 4);
  if (row.has(Layer::ieth)) out += " inv " + hex_number(headers.ieth.r_key.value);
  return out;
}

// What completes, is raised, and changes of a queue pair.
class Watch {
 public:
  void start(const verbs::QueuePair& qp) { state_ = qp.state(); }
  // The queues may be such as record.
  template <class Completions, class Events>
  void look(const verbs::QueuePair& qp, Completions& send_cq, Completions& receive_cq, Events& events,
            Joined& happened) {
    for (Completions* queue : {&send_cq, &receive_cq}) {
      verbs::Completion one;
      while (queue->poll({&one, 1}) != 0) {
        std::string out = std::string(name_of(one.opcode)) + ' ' + std::to_string(one.id.value) + ' ' +
                          std::string(name_of(one.status));
        if (one.status == verbs::CompletionStatus::success) out += details(one);
        happened.add(out);
      }
    }
    while (const auto event = events.poll()) happened.add("event " + std::string(name_of(event->kind)));
    if (qp.state() == state_) return;
    state_ = qp.state();
    happened.add("state " + std::string(name_of(state_)));
  }

 private:
  // In an error they say nothing.
  static std::string details(const verbs::Completion& one) {
    std::string out;
    if (one.byte_len != 0) out += ' ' + std::to_string(one.byte_len);
    if (one.solicited) out += " SE";
    if (one.has_immediate) out += " imm " + hex(one.immediate.data(), 4);
    if (one.has_invalidated) out += " inv " + hex_number(one.invalidated.value);
    if (one.source_qp.value != 0) out += " from " + hex_number(one.source_qp.value);
    if (one.has_grh) out += " GRH";
    return out;
  }

  verbs::QpState state_{};
};

// The next packet of a machine, with its payload copied.
inline std::optional<Sent> poll_packet(QueuePairMachine& machine, Time now) {
  TxPacket packet;
  if (!machine.poll_transmit(packet, now)) return std::nullopt;
  Sent out{packet, {}};
  for (const Bytes piece : packet.payload) out.payload.insert(out.payload.end(), piece.begin(), piece.end());
  out.packet.payload = {};
  return out;
}

}  // namespace rdmawire::ib::test
