// What the peer does in a way of its own, by the row of the departures that says so (protocol/quirk_set.h).
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "cli/peer/report.h"

namespace rdmawire::cli::peer {

// num_packets: that showed it.
template <class Row>
Report departure(const Row& row, std::uint64_t num_packets) {
  Report out;
  out.add("text", fmt::format("{} ({}; seen in {})", row.text, row.requirement, row.origin));
  out.add("quirk", row.name);
  out.add("packets", num_packets);
  return out;
}

}  // namespace rdmawire::cli::peer
