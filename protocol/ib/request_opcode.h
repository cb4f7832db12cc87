// Which opcode a packet of a work request has: looked up in the table of opcodes, once, while compiling.
#pragma once

#include <array>
#include <cstddef>

#include "codec/ib/opcode.h"
#include "protocol/verbs/work.h"

namespace rdmawire::ib {

namespace detail {

// What the packet's opcode must be like.
struct Wanted {
  Operation operation{};
  bool immediate = false;
  bool invalidate = false;
};

constexpr Wanted wanted_for(verbs::WorkOpcode what, bool last) {
  switch (what) {
    using enum verbs::WorkOpcode;
    case send:
      return {Operation::send};
    case send_with_immediate:
      return {Operation::send, last};
    case send_with_invalidate:
      return {Operation::send, false, last};
    case rdma_write:
      return {Operation::write};
    case rdma_write_with_immediate:
      return {Operation::write, last};
    case rdma_read:
      return {Operation::read};
    case flush:
      return {Operation::flush};
    case atomic_write:
      return {Operation::atomic_write};
    default:
      return {Operation::atomic};
  }
}

constexpr Opcode find_request(Service service, verbs::WorkOpcode what, bool first, bool last) {
  const Wanted wanted = wanted_for(what, last);
  const Position position =
      first ? (last ? Position::only : Position::first) : (last ? Position::last : Position::middle);
  for (const OpcodeInfo& row : opcode_table) {
    if (row.service != service || row.direction != Direction::request || row.operation != wanted.operation) continue;
    if (row.position != position || row.has(Layer::immdt) != wanted.immediate) continue;
    if (row.has(Layer::ieth) != wanted.invalidate) continue;
    // The two atomics differ in nothing that the table says.
    if (row.operation == Operation::atomic &&
        (row.opcode == Opcode::RC_COMPARE_SWAP) != (what == verbs::WorkOpcode::compare_swap)) {
      continue;
    }
    return row.opcode;
  }
  return {};
}

inline constexpr std::size_t num_request_services = 4;  // rc, uc, rd, ud

inline constexpr auto request_opcodes = [] {
  constexpr auto num_work = static_cast<std::size_t>(verbs::WorkOpcode::count_);
  std::array<std::array<std::array<Opcode, 4>, num_work>, num_request_services> out{};
  for (std::size_t service = 0; service < out.size(); ++service) {
    for (std::size_t what = 0; what < num_work; ++what) {
      if (verbs::info(static_cast<verbs::WorkOpcode>(what)).local) continue;
      for (std::size_t place = 0; place < 4; ++place) {
        out[service][what][place] = find_request(static_cast<Service>(service), static_cast<verbs::WorkOpcode>(what),
                                                 (place & 2U) != 0, (place & 1U) != 0);
      }
    }
  }
  return out;
}();

}  // namespace detail

// Of the first, the last, the only, or a middle packet. The service offers the operation.
constexpr Opcode request_opcode(Service service, verbs::WorkOpcode what, bool first, bool last) {
  return detail::request_opcodes[static_cast<std::size_t>(service)][static_cast<std::size_t>(what)]
                                [(first ? 2U : 0U) | (last ? 1U : 0U)];
}

static_assert(request_opcode(Service::rc, verbs::WorkOpcode::send, true, true) == Opcode::RC_SEND_ONLY);
static_assert(request_opcode(Service::rc, verbs::WorkOpcode::fetch_add, true, true) == Opcode::RC_FETCH_ADD);
static_assert(request_opcode(Service::uc, verbs::WorkOpcode::rdma_write_with_immediate, false, true) ==
              Opcode::UC_RDMA_WRITE_LAST_WITH_IMMEDIATE);

namespace detail {

inline constexpr auto receive_takers = [] {
  std::array<bool, static_cast<std::size_t>(verbs::WorkOpcode::count_)> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto what = static_cast<verbs::WorkOpcode>(i);
    out[i] = !verbs::info(what).local &&
             find(request_opcode(Service::rc, what, true, true))->receive_wqe == ReceiveWqe::takes;
  }
  return out;
}();

}  // namespace detail

// Needs a receive request at the peer.
constexpr bool takes_receive(verbs::WorkOpcode what) { return detail::receive_takers[static_cast<std::size_t>(what)]; }

}  // namespace rdmawire::ib
