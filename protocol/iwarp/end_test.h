// Two queue pairs of iWARP and the pipe between them, for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "protocol/iwarp/mpa_queue_pair.h"

namespace rdmawire::iwarp {

inline constexpr std::uint64_t base_address = 0x100000;
inline constexpr verbs::Access all_rights = verbs::rights::local_write | verbs::rights::remote_write |
                                            verbs::rights::remote_read | verbs::rights::remote_atomic |
                                            verbs::rights::bind_window;

// A host: memory, queues, and one queue pair.
struct End {
  std::vector<std::uint8_t> octets;
  verbs::MemoryTable memory{{4, 16}};
  verbs::Pd pd = memory.allocate_pd().value();
  verbs::MemoryKey key;
  verbs::CompletionQueue send_cq{256};
  verbs::CompletionQueue receive_cq{256};
  verbs::EventQueue events{32};
  MpaQueuePair qp;

  explicit End(std::uint32_t number, const MpaQueuePairConfig& config = {}, std::size_t size = 1U << 16)
      : octets(size),
        key(memory.register_region(pd, octets, base_address, all_rights).value()),
        qp({{number}, verbs::Service::iwarp, pd, {64, 4, 64}, {64, 4, 0}, true},
           {memory, send_cq, receive_cq, events, nullptr}, config) {
    verbs::QpAttributes attributes;
    attributes.access = all_rights - verbs::rights::local_write - verbs::rights::bind_window;
    if (!qp.modify(verbs::QpState::init, attributes, verbs::attribute::access)) std::abort();
  }

  verbs::Sge sge(std::uint64_t offset, std::uint32_t length) const { return {base_address + offset, length, key}; }
  std::vector<verbs::Completion> poll(verbs::CompletionQueue& queue) {
    std::vector<verbs::Completion> out(queue.size());
    queue.poll(out);
    return out;
  }
  std::vector<verbs::Completion> sent() { return poll(send_cq); }
  std::vector<verbs::Completion> received() { return poll(receive_cq); }
};

// What both hosts do with their connection.
struct Pair {
  End a;
  End b;
  std::vector<std::vector<std::uint8_t>> from_a;  // each segment that was sent
  std::vector<std::vector<std::uint8_t>> from_b;
  std::vector<HostAction> actions_a;
  std::vector<HostAction> actions_b;
  Time now{};

  explicit Pair(const MpaQueuePairConfig& of_a = {}, const MpaQueuePairConfig& of_b = {}) : a(1, of_a), b(2, of_b) {}

  bool step(End& from, End& to, std::vector<std::vector<std::uint8_t>>& sent, std::vector<HostAction>& actions) {
    bool any = false;
    std::vector<std::uint8_t> buffer(70000);
    while (const std::size_t size = from.qp.poll_octets(buffer, now)) {
      sent.emplace_back(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
      to.qp.on_octets(sent.back(), now);
      any = true;
    }
    const HostAction action = from.qp.take_action();
    if (action == HostAction::none) return any;
    actions.push_back(action);
    if (action == HostAction::abort) {
      to.qp.on_connection_lost(now);
    } else if (actions.size() == 1) {
      to.qp.on_peer_closed(now);
    }
    return true;
  }
  // Until neither has anything to say.
  void run() {
    for (bool any = true; any;) {
      any = step(a, b, from_a, actions_a);
      any = step(b, a, from_b, actions_b) || any;
    }
  }
  // The Reply is given as soon as the Request is there.
  void connect() {
    if (!a.qp.connect({}, now) || !b.qp.listen(now)) std::abort();
    run();
    if (!b.qp.accept({}, now)) std::abort();
    run();
  }
};

}  // namespace rdmawire::iwarp
