// One end of a reliable connection, driven by hand, that says in words what it does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/ib/rc_queue_pair.h"

namespace rdmawire::ib::states {

inline constexpr std::uint64_t base_address = 0x100000;
inline constexpr std::uint32_t mtu = 256;   // octets
inline constexpr std::uint8_t retries = 2;  // of each kind
inline constexpr Psn first_psn{100};        // of both halves

// A packet that comes, and what its payload holds.
struct Incoming {
  RxPacket rx;
  std::uint32_t length = 0;  // octets of payload
};

class Rig {
 public:
  Rig();

  // --- What can happen ---
  void take(const Incoming& packet);
  void post(verbs::WorkOpcode opcode, std::uint32_t length, bool fence = false);
  void post_receives(unsigned count, std::uint32_t length = 1024);
  // The next deadline comes; nothing happens without one.
  void let_time_pass();
  void drain_queue(bool on);  // SQD, and RTS again

  // At most that many packets leave; they, completions and events are told by the next text().
  void poll(unsigned most = ~0U);
  // What happened since the last call, "-" if nothing did. PSNs count from base. flushes: requests that were flushed
  // are told too.
  std::string text(Psn base, bool flushes);
  void forget() { happened_.clear(); }

  RequesterState requester_state() const { return qp_.requester().state(); }
  ResponderState responder_state() const { return qp_.responder().state(); }
  Psn oldest_psn() const { return qp_.requester().oldest_psn(); }
  Psn expected_psn() const { return qp_.responder().expected_psn(); }
  verbs::MemoryKey key() const { return key_; }

 private:
  struct Happening {
    std::string what;
    bool has_psn = false;
    Psn psn;
    bool flush = false;
  };

  std::vector<std::uint8_t> octets_ = std::vector<std::uint8_t>(8192);
  std::vector<std::uint8_t> payload_ = std::vector<std::uint8_t>(4096);
  verbs::MemoryTable memory_{{1, 4}};
  verbs::Pd pd_ = memory_.allocate_pd().value_or(verbs::Pd{});
  verbs::MemoryKey key_ =
      memory_.register_region(pd_, octets_, base_address, verbs::rights::local_write | verbs::rights::remote)
          .value_or(verbs::MemoryKey{});
  verbs::CompletionQueue send_cq_{64}, receive_cq_{64};
  verbs::EventQueue events_{16};
  RcQueuePair qp_{
      {{7}, verbs::Service::rc, pd_, {16, 1, 0}, {16, 1, 0}, false}, {memory_, send_cq_, receive_cq_, events_}, {}};
  Time now_{};
  std::vector<Happening> happened_;
};

}  // namespace rdmawire::ib::states
