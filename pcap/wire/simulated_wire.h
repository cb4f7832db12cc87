// Two wires in one process, joined by the simulated link (protocol/link/link.h): a frame sent on one arrives on the
// other, at the time that the link gives it, on whatever clock the callers have. There is nothing to poll() for: when
// nobody has anything left to do, time moves on to next_deadline().
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "pcap/wire/wire.h"
#include "protocol/link/impairments.h"

namespace rdmawire::wire {

// Each outlives the other. impairments: of both directions. A wire takes no frame (would_block) while as many as the
// link has room for are on their way.
std::pair<std::unique_ptr<Wire>, std::unique_ptr<Wire>> simulated_wires(const link::Impairments& impairments,
                                                                        std::uint64_t seed);

}  // namespace rdmawire::wire
