// What the wires that go over a simulated link (protocol/link/link.h) have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "pcap/wire/wire.h"
#include "protocol/link/link.h"

namespace rdmawire::wire {

// A link of two ends for frames of any length.
inline link::LinkConfig frame_link_config(std::uint64_t seed) {
  link::LinkConfig out;
  out.capacity = 1024;
  out.max_packet_len = Wire::max_frame_len;
  out.seed = seed;
  return out;
}

// As Wire::receive gives it: the first of the frames that have arrived, one at least, which is one less then.
inline IoResult take_first(std::deque<std::vector<std::uint8_t>>& arrived, MutableBytes out) {
  const std::vector<std::uint8_t> first = std::move(arrived.front());
  arrived.pop_front();
  std::copy_n(first.begin(), std::min(first.size(), out.size()), out.begin());
  return {IoResult::Status::done, first.size(), {}};
}

}  // namespace rdmawire::wire
