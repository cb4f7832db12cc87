// Receives that are always posted: memory in slots of one message each.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

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
  // What a SEND brought, until its slot is posted anew. Nothing of a WRITE with immediate, whose octets are elsewhere.
  Bytes message(const verbs::Completion& completion) const {
    if (completion.opcode != verbs::CompletionOpcode::receive) return {};
    return Bytes(memory_).subspan(completion.id.value * message_len_, completion.byte_len);
  }
  // Counts it among those of the report, if it was a SEND.
  void count(const verbs::Completion& completion) {
    if (completion.opcode != verbs::CompletionOpcode::receive) return;
    const Bytes octets = message(completion);
    checksum_ = static_cast<std::uint32_t>(crc32_z(checksum_, octets.data(), octets.size()));
    ++num_counted_;
  }
  std::uint64_t num_counted() const { return num_counted_; }
  void add_report(Report& report) const {
    if (num_counted_ != 0) report.add("received_crc32", fmt::format("{:08x}", checksum_));
  }
  void post(Session& session, std::uint64_t slot) {
    session.post_receive(slot, address + slot * message_len_, message_len_, key_);
  }

 private:
  std::uint32_t message_len_ = 0;
  std::vector<std::uint8_t> memory_;
  verbs::MemoryKey key_;
  std::uint32_t checksum_ = 0;  // CRC-32 of all that were counted, one behind the other
  std::uint64_t num_counted_ = 0;
};

}  // namespace rdmawire::cli::peer
