// What a responder can find wrong with a request that is next in sequence, and what it does then. In the order in which
// it looks (HV-24): opcode, resources, key, length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rdmawire::ib {

enum class RequestFault : std::uint8_t {
#define RDMAWIRE_FAULT(symbol, ...) symbol,
#include "protocol/ib/request_faults.inc"
  none,
};

// NAK-01; silence: the queue pair goes to ERR without a word.
enum class FaultReaction : std::uint8_t { rnr, invalid_request, remote_access, remote_operational, silence };

struct RequestFaultInfo {
  RequestFault fault;
  std::string_view name;
  FaultReaction reaction;
  std::string_view requirement;
  std::string_view text;
};

inline constexpr std::array request_fault_table{
#define RDMAWIRE_FAULT(symbol, reaction, requirement, text) \
  RequestFaultInfo{RequestFault::symbol, #symbol, FaultReaction::reaction, requirement, text},
#include "protocol/ib/request_faults.inc"
};
static_assert(request_fault_table.size() == static_cast<std::size_t>(RequestFault::none));

constexpr const RequestFaultInfo& info(RequestFault fault) {
  return request_fault_table[static_cast<std::size_t>(fault)];
}

}  // namespace rdmawire::ib
