// Work requests: what a consumer asks of a queue pair. IBTA vol. 1, 10.8 and 11.4.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "codec/base/bytes.h"
#include "codec/base/types.h"
#include "protocol/verbs/address_vector.h"
#include "protocol/verbs/completion.h"
#include "protocol/verbs/memory.h"
#include "protocol/verbs/types.h"

namespace rdmawire::verbs {

// Transport services; iwarp is a reliable connection too, with its own rules.
enum class Service : std::uint8_t { rc, uc, ud, iwarp };

// A set of services.
struct Services {
  std::uint8_t bits = 0;
  constexpr bool has(Service service) const { return (bits >> static_cast<unsigned>(service) & 1U) != 0; }
};
template <class... S>
consteval Services services(S... each) {
  return {static_cast<std::uint8_t>((0U | ... | (1U << static_cast<unsigned>(each))))};
}

enum class WorkOpcode : std::uint8_t {
  send,
  send_with_immediate,
  send_with_invalidate,
  rdma_write,
  rdma_write_with_immediate,
  rdma_read,
  compare_swap,
  fetch_add,
  flush,
  atomic_write,
  immediate_data,
  bind_window,
  fast_register,
  local_invalidate,
  count_,
};

struct WorkOpcodeInfo {
  WorkOpcode opcode;
  std::string_view name;
  CompletionOpcode completion;
  Services offered_by;  // IBTA vol. 1, table 28; RFC 7306 for iWARP's atomics and immediate data
  bool local;           // nothing goes to the peer
  bool takes_response;  // the peer answers with data: counts against the initiator depth, and a fence waits for it
  bool reads_local;     // its scatter/gather entries are the source; otherwise the target, or there are none
  bool writes_local;
};

inline constexpr std::array work_opcode_table = [] {
  using enum WorkOpcode;
  using enum Service;
  constexpr auto all = services(rc, uc, ud, iwarp);
  constexpr auto connected = services(rc, uc, iwarp);
  constexpr auto reliable = services(rc, iwarp);
  using C = CompletionOpcode;
  return std::array{
      //                                                                              local  answer reads  writes
      WorkOpcodeInfo{send, "SEND", C::send, all, false, false, true, false},
      WorkOpcodeInfo{send_with_immediate, "SEND_WITH_IMM", C::send, services(rc, uc, ud), false, false, true, false},
      WorkOpcodeInfo{send_with_invalidate, "SEND_WITH_INV", C::send, reliable, false, false, true, false},
      WorkOpcodeInfo{rdma_write, "RDMA_WRITE", C::rdma_write, connected, false, false, true, false},
      WorkOpcodeInfo{rdma_write_with_immediate, "RDMA_WRITE_WITH_IMM", C::rdma_write, connected, false, false, true,
                     false},
      WorkOpcodeInfo{rdma_read, "RDMA_READ", C::rdma_read, reliable, false, true, false, true},
      WorkOpcodeInfo{compare_swap, "ATOMIC_CMP_AND_SWP", C::compare_swap, reliable, false, true, false, true},
      WorkOpcodeInfo{fetch_add, "ATOMIC_FETCH_AND_ADD", C::fetch_add, reliable, false, true, false, true},
      WorkOpcodeInfo{flush, "FLUSH", C::flush, services(rc), false, true, false, false},
      WorkOpcodeInfo{atomic_write, "ATOMIC_WRITE", C::atomic_write, services(rc), false, true, true, false},
      WorkOpcodeInfo{immediate_data, "IMMEDIATE_DATA", C::immediate_data, services(iwarp), false, false, false, false},
      WorkOpcodeInfo{bind_window, "BIND_MW", C::bind_window, connected, true, false, false, false},
      WorkOpcodeInfo{fast_register, "REG_MR", C::fast_register, connected, true, false, false, false},
      WorkOpcodeInfo{local_invalidate, "LOCAL_INV", C::local_invalidate, connected, true, false, false, false},
  };
}();
static_assert(work_opcode_table.size() == static_cast<std::size_t>(WorkOpcode::count_));
static_assert([] {
  for (std::size_t i = 0; i < work_opcode_table.size(); ++i) {
    if (work_opcode_table[i].opcode != static_cast<WorkOpcode>(i)) return false;
  }
  return true;
}());

constexpr const WorkOpcodeInfo& info(WorkOpcode opcode) { return work_opcode_table[static_cast<std::size_t>(opcode)]; }
constexpr std::string_view name_of(WorkOpcode opcode) { return info(opcode).name; }

// A piece of local memory.
struct Sge {
  std::uint64_t address = 0;
  std::uint32_t length = 0;  // octets
  MemoryKey l_key;
};

// Octets of the longest message: C9-*, LEN-07; RFC 5041, 5.2.
//= RDMAP-5040-1.1-01, DDP-5041-5.2-02
constexpr std::uint64_t max_message_len(Service service) {
  return service == Service::iwarp ? 0xFFFFFFFF : std::uint64_t{1} << 31;
}
inline constexpr std::uint32_t atomic_len = 8;  // octets of an atomic, and their alignment: ATM-01, MPE-06

struct SendWork {
  WorkId id;
  WorkOpcode opcode{};
  bool signaled = true;
  bool fence = false;        // wait for all earlier reads and atomics (FEN-01)
  bool solicited = false;    // the receiver's completion is a solicited one
  bool inline_data = false;  // the octets of `data` are copied when posted; sges are not used
  std::span<const Sge> sges;
  Bytes data;

  // Of write, read, atomics, flush, atomic write.
  std::uint64_t remote_address = 0;
  MemoryKey r_key;
  std::array<std::uint8_t, 4> immediate{};       // of send and write with immediate
  std::array<std::uint8_t, 8> immediate_data{};  // of immediate_data: RFC 7306, 6
  MemoryKey invalidate;                          // send_with_invalidate: of the peer; local_invalidate: own
  std::uint64_t compare = 0;                     // compare_swap
  std::uint64_t swap_or_add = 0;                 // compare_swap, fetch_add
  // iWARP's atomics (RFC 7306, 5.1): which bits are compared, which are replaced, and the top bits of the fields that
  // are added to, each on its own; without any the whole is one.
  std::uint64_t compare_mask = ~std::uint64_t{0};
  std::uint64_t swap_mask = ~std::uint64_t{0};
  std::uint64_t add_mask = 0;
  std::uint32_t flush_len = 0;       // octets, flush
  std::uint8_t flush_placement = 1;  // bit 0 global visibility, bit 1 persistence
  bool flush_region = false;         // the whole region instead of a range

  // bind_window (type 2) and fast_register: the key as it shall be, with the new 8 bits.
  MemoryKey window;
  MemoryTable::Bind bind;
  MutableBytes register_memory;
  std::uint64_t register_address = 0;
  Access register_access;

  // UD.
  AddressVector destination;
  Qpn destination_qp;
  QKey q_key;  // with the top bit set: the queue pair's own is sent (UD-07)
};

struct RecvWork {
  WorkId id;
  std::span<const Sge> sges;
};

constexpr std::uint64_t total_len(std::span<const Sge> sges) {
  std::uint64_t sum = 0;
  for (const Sge& sge : sges) sum += sge.length;
  return sum;
}

// Octets of the message: of the data when it is inline, otherwise of the scatter/gather list.
constexpr std::uint64_t message_len(const SendWork& work) {
  return work.inline_data ? work.data.size() : total_len(work.sges);
}

}  // namespace rdmawire::verbs
