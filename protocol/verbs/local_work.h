// Work requests that send nothing: the same for every service.
#pragma once

#include "protocol/verbs/queue_pair.h"

namespace rdmawire::verbs {

// Binds, registers or invalidates, and says how the request ends.
inline CompletionStatus execute_local_work(const QueuePair& qp, const SendWork& work) {
  MemoryTable& memory = qp.memory();
  const auto& config = qp.config();
  switch (work.opcode) {
    case WorkOpcode::bind_window:
      //= CQE-06
      return memory.bind_window2(work.window, config.pd, config.number, work.bind)
                 ? CompletionStatus::success
                 : CompletionStatus::window_bind_error;
    case WorkOpcode::fast_register:
      return memory.fast_register(work.window, config.pd, work.register_memory, work.register_address,
                                  work.register_access)
                 ? CompletionStatus::success
                 : CompletionStatus::local_qp_operation_error;
    default:
      //= CQE-02
      return memory.invalidate_local(work.invalidate, config.pd, config.number) == AccessVerdict::ok
                 ? CompletionStatus::success
                 : CompletionStatus::local_qp_operation_error;
  }
}

}  // namespace rdmawire::verbs
