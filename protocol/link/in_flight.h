// The packets on their way: their octets, and who arrives next. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/bytes.h"
#include "protocol/link/impairments.h"

namespace rdmawire::link {

// A packet's place in the memory of InFlight.
using SlotIndex = std::uint32_t;
inline constexpr SlotIndex no_slot = ~SlotIndex{0};

struct Packet {
  // Arrivals are in the order of these two.
  Time arrival{};
  std::uint64_t rank = 0;  // among those that arrive at the same time

  std::uint64_t sequence = 0;  // in the order of sending, over all directions, copies counted
  std::uint64_t number = 0;    // of the packet sent, in its direction
  Time sent_at{};
  std::uint32_t direction = 0;
  std::uint32_t len = 0;        // octets
  std::uint32_t behind = 0;     // so many later packets may overtake it
  std::uint32_t overtaken = 0;  // so many did
  std::uint8_t num_flips = 0;   // bits inverted
  bool copy = false;
  bool marked = false;
  // While it is held back, its neighbours in the direction's list of those that are; it arrives at the latest time
  // then.
  bool held = false;
  SlotIndex next_held = no_slot;
  SlotIndex previous_held = no_slot;

  std::uint32_t place = 0;  // in the heap
};

class InFlight {
 public:
  // capacity: packets at the same time; max_len: octets of each.
  InFlight(std::uint32_t capacity, std::uint32_t max_len);

  std::uint32_t num_packets() const { return static_cast<std::uint32_t>(heap_.size()); }

  // A slot for one more packet, with a fresh Packet; no_slot if there are `capacity` already. It takes part from push
  // on.
  SlotIndex take();
  Packet& operator[](SlotIndex slot) { return packets_[slot]; }
  const Packet& operator[](SlotIndex slot) const { return packets_[slot]; }
  // All max_len octets of the slot.
  MutableBytes octets(SlotIndex slot) { return MutableBytes(octets_).subspan(slot * max_len_, max_len_); }

  // True if a arrives before b.
  bool before(SlotIndex a, SlotIndex b) const {
    const Packet& x = packets_[a];
    const Packet& y = packets_[b];
    return x.arrival != y.arrival ? x.arrival < y.arrival : x.rank < y.rank;
  }

  // With arrival and rank set. They may become smaller after that, with a call of moved_forward each time.
  void push(SlotIndex slot);
  void moved_forward(SlotIndex slot);

  // The next to arrive, no_slot if there is none.
  SlotIndex first() const { return heap_.empty() ? no_slot : heap_.front(); }
  // Takes it out. Its slot stays as it is until the next pop or clear.
  void pop();

  void clear();

 private:
  void put(std::size_t place, SlotIndex slot) {
    heap_[place] = slot;
    packets_[slot].place = static_cast<std::uint32_t>(place);
  }

  std::size_t capacity_;
  std::size_t max_len_;
  std::vector<Packet> packets_;  // one more than capacity: the one that was popped
  std::vector<std::uint8_t> octets_;
  std::vector<SlotIndex> free_;
  std::vector<SlotIndex> heap_;  // binary: the children of i are 2i + 1 and 2i + 2
  SlotIndex popped_ = no_slot;
};

}  // namespace rdmawire::link
