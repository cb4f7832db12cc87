// Asynchronous events: IBTA vol. 1, 11.6.3. They tell what no completion can.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/base/names.h"
#include "protocol/ring.h"
#include "protocol/verbs/types.h"

namespace rdmawire::verbs {

enum class EventKind : std::uint8_t {
  communication_established,  // a packet came in RTR, before the connection manager said so
  send_queue_drained,         // in SQD, all that was started is complete
  last_wqe_reached,           // of a queue pair with an SRQ in ERR: it takes no more from the SRQ
  path_migrated,
  path_migration_failed,
  srq_limit_reached,  // number: none; the limit is disarmed
  cq_overflow,        // the queue pair is in ERR
  qp_fatal,           // no work request can be blamed
  qp_request_error,   // the peer's request was wrong, and no receive was there to be completed in error
  qp_access_error,    // the peer reached for memory that it must not
  peer_closed,        // iWARP: the peer sends no more (RFC 5041, 6.2.1)
  peer_terminated,    // iWARP: its Terminate came
  connection_lost,    // iWARP: what is below is gone
  count_,
};

inline constexpr std::array event_names{
    Name{EventKind::communication_established, "COMM_EST"},
    Name{EventKind::send_queue_drained, "SQ_DRAINED"},
    Name{EventKind::last_wqe_reached, "QP_LAST_WQE_REACHED"},
    Name{EventKind::path_migrated, "PATH_MIG"},
    Name{EventKind::path_migration_failed, "PATH_MIG_ERR"},
    Name{EventKind::srq_limit_reached, "SRQ_LIMIT_REACHED"},
    Name{EventKind::cq_overflow, "CQ_ERR"},
    Name{EventKind::qp_fatal, "QP_FATAL"},
    Name{EventKind::qp_request_error, "QP_REQ_ERR"},
    Name{EventKind::qp_access_error, "QP_ACCESS_ERR"},
    Name{EventKind::peer_closed, "PEER_CLOSED"},
    Name{EventKind::peer_terminated, "PEER_TERMINATED"},
    Name{EventKind::connection_lost, "CONNECTION_LOST"},
};
static_assert(event_names.size() == static_cast<std::size_t>(EventKind::count_));

constexpr std::string_view name_of(EventKind kind) { return find_name(event_names, kind); }

struct Event {
  EventKind kind{};
  Qpn qp;  // 0 for an SRQ's
  friend constexpr bool operator==(const Event&, const Event&) = default;
};

// When it is full the newest are lost and counted: events are news, not obligations.
class EventQueue {
 public:
  explicit EventQueue(std::size_t capacity) : ring_(capacity) {}

  void push(const Event& event) {
    if (ring_.full()) {
      ++num_lost_;
    } else {
      ring_.push() = event;
    }
  }
  std::optional<Event> poll() {
    if (ring_.empty()) return std::nullopt;
    return ring_.pop();
  }
  std::uint64_t num_lost() const { return num_lost_; }

 private:
  Ring<Event> ring_;
  std::uint64_t num_lost_ = 0;
};

}  // namespace rdmawire::verbs
