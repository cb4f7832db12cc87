// Rings of posted work requests. All memory is taken at construction.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/verbs/work.h"

namespace rdmawire::verbs {

struct QueueSizes {
  std::uint32_t depth = 0;       // work requests
  std::uint32_t max_sges = 1;    // of each
  std::uint32_t max_inline = 0;  // octets of each
};

// Work is SendWork or RecvWork. Requests have numbers that count up from 0 for ever; those from first() up to end() are
// there. What spans in them point to is the queue's own memory.
template <class Work>
class WorkQueue {
 public:
  explicit WorkQueue(const QueueSizes& sizes)
      : sizes_(sizes),
        works_(std::bit_ceil(std::size_t{sizes.depth})),
        mask_(works_.size() - 1),
        sges_(works_.size() * sizes.max_sges),
        inline_(works_.size() * sizes.max_inline) {}

  std::uint64_t first() const { return first_; }
  std::uint64_t end() const { return end_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - first_); }
  bool empty() const { return first_ == end_; }
  const QueueSizes& sizes() const { return sizes_; }

  const Work& operator[](std::uint64_t number) const { return works_[place(number)]; }
  const Work& front() const { return works_[place(first_)]; }
  void pop() { ++first_; }
  void clear() { first_ = end_; }

  // queue_full, too_many_sges, too_much_inline.
  VerbsResult<void> post(const Work& work) {
    if (size() == sizes_.depth) return refuse(VerbsError::queue_full);
    if (work.sges.size() > sizes_.max_sges) return refuse(VerbsError::too_many_sges);
    const std::size_t at = place(end_);
    Work& slot = works_[at];
    if constexpr (requires { work.data; }) {
      if (work.inline_data && work.data.size() > sizes_.max_inline) return refuse(VerbsError::too_much_inline);
      slot = work;
      std::uint8_t* octets = inline_.data() + at * sizes_.max_inline;
      if (work.inline_data) {
        std::copy(work.data.begin(), work.data.end(), octets);
        slot.data = {octets, work.data.size()};
        slot.sges = {};
      } else {
        slot.data = {};
      }
    } else {
      slot = work;
    }
    Sge* sges = sges_.data() + at * sizes_.max_sges;
    std::copy(slot.sges.begin(), slot.sges.end(), sges);
    slot.sges = {sges, slot.sges.size()};
    ++end_;
    return {};
  }

 private:
  std::size_t place(std::uint64_t number) const { return static_cast<std::size_t>(number) & mask_; }

  QueueSizes sizes_;
  std::vector<Work> works_;  // a power of two of them, so that no number has to be divided
  std::size_t mask_;
  std::vector<Sge> sges_;
  std::vector<std::uint8_t> inline_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

using SendQueue = WorkQueue<SendWork>;
using ReceiveQueue = WorkQueue<RecvWork>;

}  // namespace rdmawire::verbs
