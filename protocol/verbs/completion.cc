#include "protocol/verbs/completion.h"

#include <algorithm>

namespace rdmawire::verbs {

//= SEC-5042-6.4.3.2-01
VerbsResult<CompletionShare> CompletionQueue::divide(std::uint32_t num_entries) {
  if (num_entries > ring_.capacity() - num_divided_) return refuse(VerbsError::no_room);
  num_divided_ += num_entries;
  parts_.push_back({num_entries, 0});
  return CompletionShare{static_cast<std::uint32_t>(parts_.size() - 1)};
}

void CompletionQueue::forgo(CompletionShare share, std::size_t num_requests) {
  if (share.is_there()) parts_[share.index].num_used -= static_cast<std::uint32_t>(num_requests);
}

bool CompletionQueue::push(const Completion& completion, CompletionShare share) {
  if (overflowed_ || ring_.full()) {
    overflowed_ = true;
    return false;
  }
  ring_.push() = {completion, share};
  const bool special = completion.solicited || completion.status != CompletionStatus::success;
  if (armed_ == Notify::any || (armed_ == Notify::solicited && special)) {
    armed_ = Notify::none;
    notified_ = true;
  }
  return true;
}

std::size_t CompletionQueue::poll(std::span<Completion> out) {
  const std::size_t count = std::min(out.size(), ring_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Entry& oldest = ring_.pop();
    out[i] = oldest.completion;
    forgo(oldest.share);
  }
  return count;
}

void CompletionQueue::request_notification(Notify notify) { armed_ = std::max(armed_, notify); }

bool CompletionQueue::take_notification() {
  const bool notified = notified_;
  notified_ = false;
  return notified;
}

}  // namespace rdmawire::verbs
