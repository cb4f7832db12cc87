// A queue of fixed capacity, whose memory is taken at construction.
#pragma once

#include <cstddef>
#include <vector>

namespace rdmawire {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : items_(capacity) {}

  bool full() const { return size_ == items_.size(); }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return items_.size(); }
  // Where the next one is to be written; only if it is not full.
  T& push() {
    const std::size_t at = first_ + size_++;
    return items_[at < items_.size() ? at : at - items_.size()];
  }
  // The oldest; only if it is not empty.
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  // Counted from the oldest.
  const T& operator[](std::size_t i) const {
    const std::size_t at = first_ + i;
    return items_[at < items_.size() ? at : at - items_.size()];
  }
  void clear() { first_ = size_ = 0; }
  // Only if it is not empty; valid until the next push.
  const T& pop() {
    const T& out = items_[first_];
    if (++first_ == items_.size()) first_ = 0;
    --size_;
    return out;
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace rdmawire
