// Receives that several queue pairs share: IBTA vol. 1, 10.2.9.
#pragma once

#include <cstdint>

#include "protocol/verbs/event.h"
#include "protocol/verbs/work_queue.h"

namespace rdmawire::verbs {

// A request that a queue pair takes leaves the SRQ at once, and the queue pair keeps it until it completes.
class SharedReceiveQueue {
 public:
  SharedReceiveQueue(Pd pd, const QueueSizes& sizes, EventQueue& events) : pd_(pd), queue_(sizes), events_(events) {}

  Pd pd() const { return pd_; }
  std::size_t size() const { return queue_.size(); }
  const QueueSizes& sizes() const { return queue_.sizes(); }

  VerbsResult<void> post(const RecvWork& work) { return queue_.post(work); }

  // An event when fewer than limit are left, once; 0 disarms (IBTA vol. 1, 10.2.9.1). bad_range beyond its depth.
  VerbsResult<void> set_limit(std::uint32_t limit) {
    if (limit > queue_.sizes().depth) return refuse(VerbsError::bad_range);
    limit_ = limit;
    check_limit();
    return {};
  }
  std::uint32_t limit() const { return limit_; }

  // The oldest request, copied with its pieces into sges (room for sizes().max_sges); false if there is none.
  bool take(RecvWork& work, Sge* sges) {
    if (queue_.empty()) return false;
    work = queue_.front();
    std::copy(work.sges.begin(), work.sges.end(), sges);
    work.sges = {sges, work.sges.size()};
    queue_.pop();
    check_limit();
    return true;
  }

 private:
  void check_limit() {
    if (queue_.size() >= limit_) return;
    limit_ = 0;
    events_.push({EventKind::srq_limit_reached, {}});
  }

  Pd pd_;
  ReceiveQueue queue_;
  EventQueue& events_;
  std::uint32_t limit_ = 0;
};

}  // namespace rdmawire::verbs
