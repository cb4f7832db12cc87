// The operations of the service perf, by the names that --op takes.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "protocol/verbs/work.h"

namespace rdmawire::cli::peer {

struct PerfOperation {
  std::string_view name;
  verbs::WorkOpcode opcode;
};

inline constexpr std::array perf_operations{
    PerfOperation{"send", verbs::WorkOpcode::send},
    PerfOperation{"send-invalidate", verbs::WorkOpcode::send_with_invalidate},
    PerfOperation{"write", verbs::WorkOpcode::rdma_write},
    PerfOperation{"read", verbs::WorkOpcode::rdma_read},
    PerfOperation{"fetch-add", verbs::WorkOpcode::fetch_add},
    PerfOperation{"cmp-swap", verbs::WorkOpcode::compare_swap},
};

constexpr std::optional<verbs::WorkOpcode> find_perf_operation(std::string_view name) {
  for (const PerfOperation& one : perf_operations) {
    if (one.name == name) return one.opcode;
  }
  return std::nullopt;
}

}  // namespace rdmawire::cli::peer
