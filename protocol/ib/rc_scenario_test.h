// One queue pair of a reliable connection, with a peer that the test plays.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "protocol/ib/packet_test.h"

namespace rdmawire::ib::test {

struct Setup {
  verbs::QpAttributes attributes = End::attributes();
  RcConfig config;
  bool shared = false;  // receives from an SRQ
  bool connect = true;  // otherwise in RESET
  std::uint32_t depth = 64;
};

class Rc {
 public:
  Time now{};
  End end;

  explicit Rc(Script& script, const Setup& setup = {})
      : end(7, with(setup.config, script.quirks()), setup.depth, setup.shared), script_(script) {
    if (setup.connect) end.connect(setup.attributes);
    watch_.start(end.qp.verbs());
  }

  using Where = std::source_location;

  // The packet comes; what leaves then, completes, is raised.
  void take(const Packet& packet, std::string_view expected, const Where& where = Where::current()) {
    hold(packet);
    poll(expected, ~0U, where);
  }
  // It comes, and nothing is polled.
  void hold(const Packet& packet) {
    RxPacket rx = packet.rx;
    rx.payload = packet.octets;
    end.qp.on_packet(rx, now);
  }
  // At most that many packets leave.
  void poll(std::string_view expected, unsigned most = ~0U, const Where& where = Where::current()) {
    for (unsigned i = 0; i < most && i < 5000; ++i) {
      const auto sent = end.poll(now);
      if (!sent) break;
      happened_.add(describe(*sent));
    }
    watch_.look(end.qp.verbs(), end.send_cq, end.receive_cq, end.events, happened_);
    script_.expect(happened_.take(), expected, where);
  }
  // Time passes, and what is due is done.
  void at(std::int64_t ns, std::string_view expected, const Where& where = Where::current()) {
    now = Time(ns);
    end.qp.on_deadline(now);
    poll(expected, ~0U, where);
  }
  // ns, or "never".
  void deadline(std::string_view expected, const Where& where = Where::current()) {
    const auto due = end.qp.next_deadline();
    script_.expect(due ? std::to_string(due->count()) : "never", expected, where);
  }
  void post(const verbs::SendWork& work, std::string_view expected, const Where& where = Where::current()) {
    hold(work);
    poll(expected, ~0U, where);
  }
  void hold(const verbs::SendWork& work) {
    if (!end.qp.post_send(work)) happened_.add("refused");
  }
  // Receives of that size with those numbers, into memory from offset 0 on.
  void receives(std::uint64_t first, unsigned count, std::uint32_t size = 64) {
    for (unsigned i = 0; i < count; ++i) {
      const std::array sges{end.sge(0, size)};
      const verbs::RecvWork work{{first + i}, sges};
      (void)(end.qp.verbs().has_srq() ? end.srq.post(work) : end.qp.post_receive(work));
    }
  }
  void memory(std::uint32_t offset, std::uint32_t size, std::string_view expected,
              const Where& where = Where::current()) {
    script_.expect(hex(end.octets.data() + offset, size), expected, where);
  }
  void note(const std::string& actual, std::string_view expected, const Where& where = Where::current()) {
    script_.expect(actual, expected, where);
  }

  // Requests of a peer. offset: in the registered memory.
  Packet write(std::uint32_t psn, std::uint32_t offset, std::uint32_t size, unsigned first = 1) const {
    return Packet(Opcode::RC_RDMA_WRITE_ONLY, psn).reth(base_address + offset, size, end.key).data(size, first);
  }
  Packet write_first(std::uint32_t psn, std::uint32_t offset, std::uint32_t whole, std::size_t size = 256) const {
    return Packet(Opcode::RC_RDMA_WRITE_FIRST, psn).reth(base_address + offset, whole, end.key).data(size);
  }
  Packet read(std::uint32_t psn, std::uint32_t offset, std::uint32_t size) const {
    return Packet(Opcode::RC_RDMA_READ_REQUEST, psn).reth(base_address + offset, size, end.key);
  }
  Packet fetch_add(std::uint32_t psn, std::uint32_t offset, std::uint64_t add_value) const {
    return Packet(Opcode::RC_FETCH_ADD, psn).atomic(base_address + offset, end.key, add_value);
  }
  Packet swap(std::uint32_t psn, std::uint32_t offset, std::uint64_t compare, std::uint64_t value) const {
    return Packet(Opcode::RC_COMPARE_SWAP, psn).atomic(base_address + offset, end.key, value, compare);
  }
  Packet flush(std::uint32_t psn, unsigned selectivity = 0, unsigned placement = 1) const {
    return Packet(Opcode::RC_FLUSH, psn).reth(base_address, 64, end.key).flush(selectivity, placement);
  }
  Packet atomic_write(std::uint32_t psn, std::uint32_t offset, unsigned first = 1) const {
    return Packet(Opcode::RC_ATOMIC_WRITE, psn).reth(base_address + offset, 8, end.key).data(8, first);
  }

  // Own work: local octets from `local` on, remote address 0x200000.
  verbs::SendWork work(std::uint64_t id, verbs::WorkOpcode opcode, std::uint32_t size, std::uint32_t local = 0) {
    sges_ = {end.sge(local, size)};
    verbs::SendWork out;
    out.id = {id};
    out.opcode = opcode;
    out.sges = sges_;
    out.remote_address = 0x200000;
    out.r_key = {0x55};
    return out;
  }

 private:
  static RcConfig with(RcConfig config, const Quirks& quirks) {
    config.quirks = quirks;
    return config;
  }
  Script& script_;
  Joined happened_;
  Watch watch_;
  std::vector<verbs::Sge> sges_;
};

}  // namespace rdmawire::ib::test
