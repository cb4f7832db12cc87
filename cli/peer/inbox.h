// Receives that are always posted: memory in slots of one message each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cli/peer/session.h"

namespace rdmawire::cli::peer {

class Inbox {
 public:
  static constexpr std::uint64_t address = 0x1000'0000;
  static constexpr std::uint32_t max_len = 64 << 20;  // octets of all slots together

  // Posts receives of message_len octets each: as many as the session takes and max_len holds, one at least.
  void open(Session& session, std::uint32_t message_len) {
    message_len_ = message_len;
    const auto num = std::clamp<std::uint32_t>(max_len / message_len, 1, session.receive_depth());
    memory_.resize(std::size_t{num} * message_len);
    key_ = session.add_memory(memory_, address, verbs::rights::local_write);
    for (std::uint32_t slot = 0; slot < num; ++slot) post(session, slot);
  }
  // What came with a completion, until its slot is posted anew.
  Bytes message(const verbs::Completion& completion) const {
    return Bytes(memory_).subspan(completion.id.value * message_len_, completion.byte_len);
  }
  void post(Session& session, std::uint64_t slot) {
    session.post_receive(slot, address + slot * message_len_, message_len_, key_);
  }

 private:
  std::uint32_t message_len_ = 0;
  std::vector<std::uint8_t> memory_;
  verbs::MemoryKey key_;
};

}  // namespace rdmawire::cli::peer
