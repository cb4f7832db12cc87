#include "protocol/verbs/completion.h"

#include <algorithm>

namespace rdmawire::verbs {

bool CompletionQueue::push(const Completion& completion) {
  if (overflowed_ || ring_.full()) {
    overflowed_ = true;
    return false;
  }
  ring_.push() = completion;
  const bool special = completion.solicited || completion.status != CompletionStatus::success;
  if (armed_ == Notify::any || (armed_ == Notify::solicited && special)) {
    armed_ = Notify::none;
    notified_ = true;
  }
  return true;
}

std::size_t CompletionQueue::poll(std::span<Completion> out) {
  const std::size_t count = std::min(out.size(), ring_.size());
  for (std::size_t i = 0; i < count; ++i) out[i] = ring_.pop();
  return count;
}

void CompletionQueue::request_notification(Notify notify) { armed_ = std::max(armed_, notify); }

bool CompletionQueue::take_notification() {
  const bool notified = notified_;
  notified_ = false;
  return notified;
}

}  // namespace rdmawire::verbs
