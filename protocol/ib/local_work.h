// Work requests that send nothing, and the payload of those that do: the same for every service.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/ib/gather.h"
#include "protocol/ib/packet.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::ib {

// Binds, registers or invalidates, and says how the request ends.
inline verbs::CompletionStatus execute_local_work(const verbs::QueuePair& qp, const verbs::SendWork& work) {
  using verbs::CompletionStatus;
  verbs::MemoryTable& memory = qp.memory();
  const auto& config = qp.config();
  switch (work.opcode) {
    case verbs::WorkOpcode::bind_window:
      //= CQE-06
      return memory.bind_window2(work.window, config.pd, config.number, work.bind)
                 ? CompletionStatus::success
                 : CompletionStatus::window_bind_error;
    case verbs::WorkOpcode::fast_register:
      return memory.fast_register(work.window, config.pd, work.register_memory, work.register_address,
                                  work.register_access)
                 ? CompletionStatus::success
                 : CompletionStatus::local_qp_operation_error;
    default:
      //= CQE-02
      return memory.invalidate_local(work.invalidate, config.pd, config.number) == verbs::AccessVerdict::ok
                 ? CompletionStatus::success
                 : CompletionStatus::local_qp_operation_error;
  }
}

// Puts the octets [offset, offset + size) of the request's message into the packet. pieces has room for as many as the
// request has, and lives as long as the packet. False if one names memory that it must not.
inline bool gather(const verbs::QueuePair& qp, const verbs::SendWork& work, std::uint64_t offset, std::uint32_t size,
                   std::vector<Bytes>& pieces, TxPacket& out) {
  out.payload_len = size;
  if (work.inline_data) {
    pieces[0] = work.data.subspan(static_cast<std::size_t>(offset), size);
    out.payload = {pieces.data(), size == 0 ? std::size_t{0} : 1};
    return true;
  }
  std::size_t count = 0;
  const bool good = for_each_piece(qp, work.sges, offset, size, verbs::rights::local_read,
                                   [&](std::uint8_t* memory, std::size_t part) { pieces[count++] = {memory, part}; });
  out.payload = {pieces.data(), count};
  return good;
}

}  // namespace rdmawire::ib
