// Which frame each octet of a direction came in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdmawire::reassembly {

// For the octets that something still waits for: one entry a run of octets of one frame.
class FrameMap {
 public:
  // Octets from this offset on, which is ascending, came in that frame. True if that is a new run.
  bool append(std::uint64_t offset, std::uint64_t frame) {
    if (begin_ != runs_.size() && runs_.back().frame == frame) return false;
    runs_.push_back({offset, frame});
    last_ = frame;
    return true;
  }

  // The frame of the octet there, or else of the last one before it that was captured; the offset is not before that of
  // the first run.
  std::uint64_t frame_of(std::uint64_t offset) const {
    std::size_t i = begin_;
    if (i == runs_.size()) return last_;
    while (i + 1 < runs_.size() && runs_[i + 1].offset <= offset) ++i;
    return runs_[i].frame;
  }

  // The octets before this offset are of no interest any more, nor the frames that have no others: dropped(frame) for
  // each run of such. end: the offset of the octet that comes next.
  template <class Dropped>
  void forget_before(std::uint64_t offset, std::uint64_t end, Dropped&& dropped) {
    while (begin_ != runs_.size() && (begin_ + 1 < runs_.size() ? runs_[begin_ + 1].offset : end) <= offset) {
      dropped(runs_[begin_++].frame);
    }
    if (begin_ == runs_.size()) {
      runs_.clear();
      begin_ = 0;
    } else if (begin_ >= 64 && begin_ > runs_.size() / 2) {
      runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
    }
  }

  bool empty() const { return begin_ == runs_.size(); }

 private:
  struct Run {
    std::uint64_t offset;
    std::uint64_t frame;
  };

  std::vector<Run> runs_;  // by offset, from begin_ on
  std::size_t begin_ = 0;
  std::uint64_t last_ = 0;  // the frame appended last
};

}  // namespace rdmawire::reassembly
