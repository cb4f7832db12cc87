// A queue of fixed capacity.
#pragma once

#include <cstddef>
#include <vector>

namespace rdmawire::cm {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : items_(capacity) {}

  bool full() const { return size_ == items_.size(); }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // Where the next one is to be written; only if it is not full.
  T& push() { return items_[(first_ + size_++) % items_.size()]; }
  // Only if it is not empty; valid until the next push.
  const T& pop() {
    const T& out = items_[first_];
    first_ = (first_ + 1) % items_.size();
    --size_;
    return out;
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace rdmawire::cm
