// Which frames of one direction the sink is asked to keep, and since when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdmawire::reassembly {

// A frame is kept while something refers to it. Sink: PduSink, or what has its keep and release.
class KeptFrames {
 public:
  // Something of this frame waits. frame: the one being added, or one that is referred to already.
  void refer(std::uint64_t frame) {
    if (begin_ == frames_.size() || frames_.back().number < frame) {
      frames_.push_back({frame, 1, false});
    } else {
      ++find(frame).references;
    }
  }

  // It waits no longer.
  template <class Sink>
  void drop(std::uint64_t frame, Sink& sink) {
    Frame& there = find(frame);
    if (--there.references != 0) return;
    if (there.told) sink.release(frame);
    there.told = false;
    while (begin_ < frames_.size() && frames_.back().references == 0) frames_.pop_back();
    while (begin_ < frames_.size() && frames_[begin_].references == 0) ++begin_;
    if (begin_ == frames_.size()) {
      frames_.clear();
      begin_ = 0;
    } else if (begin_ >= 64 && begin_ > frames_.size() / 2) {
      frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
    }
  }

  // All of this frame was looked at: if something of it waits, the sink has to keep it.
  template <class Sink>
  void settle(std::uint64_t frame, Sink& sink) {
    if (begin_ == frames_.size()) return;
    Frame& last = frames_.back();
    if (last.number != frame || last.references == 0 || last.told) return;
    last.told = true;
    sink.keep(frame);
  }

  bool empty() const { return begin_ == frames_.size(); }

 private:
  struct Frame {
    std::uint64_t number;
    std::uint32_t references;
    bool told;  // the sink keeps it
  };

  Frame& find(std::uint64_t frame) {
    if (frames_.back().number == frame) return frames_.back();
    return *std::lower_bound(frames_.begin() + static_cast<std::ptrdiff_t>(begin_), frames_.end(), frame,
                             [](const Frame& f, std::uint64_t number) { return f.number < number; });
  }

  std::vector<Frame> frames_;  // by number, from begin_ on
  std::size_t begin_ = 0;
};

}  // namespace rdmawire::reassembly
