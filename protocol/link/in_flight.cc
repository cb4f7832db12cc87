#include "protocol/link/in_flight.h"

#include <cstddef>
#include <cstdint>

namespace rdmawire::link {

InFlight::InFlight(std::uint32_t capacity, std::uint32_t max_len)
    : capacity_(capacity), max_len_(max_len), packets_(capacity_ + 1), octets_((capacity_ + 1) * max_len_) {
  free_.reserve(packets_.size());
  heap_.reserve(packets_.size());
  clear();
}

void InFlight::clear() {
  heap_.clear();
  free_.clear();
  // The first slots go first, so that few packets stay in few cache lines.
  for (std::size_t slot = packets_.size(); slot-- > 0;) free_.push_back(static_cast<SlotIndex>(slot));
  popped_ = no_slot;
}

SlotIndex InFlight::take() {
  if (heap_.size() == capacity_) return no_slot;
  const SlotIndex slot = free_.back();
  free_.pop_back();
  packets_[slot] = Packet{};
  return slot;
}

void InFlight::push(SlotIndex slot) {
  heap_.push_back(slot);
  put(heap_.size() - 1, slot);
  moved_forward(slot);
}

void InFlight::moved_forward(SlotIndex slot) {
  std::size_t place = packets_[slot].place;
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (!before(slot, heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, slot);
}

void InFlight::pop() {
  if (popped_ != no_slot) free_.push_back(popped_);
  popped_ = heap_.front();
  const SlotIndex last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return;
  std::size_t place = 0;
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], last)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, last);
}

}  // namespace rdmawire::link
