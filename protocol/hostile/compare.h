// What must be in memory at the end.
#pragma once

#include <array>
#include <string>

#include "protocol/hostile/consumer.h"

namespace rdmawire::hostile {

// Compares the memory of both ends with what an ideal network would have given; of a connection that gave up, with a
// beginning of that; of an unreliable service, with whatever can be of messages that were sent. What differs; empty if
// nothing does.
std::string compare(const Scenario& scenario, const RunOptions& options, const std::array<const Consumer*, 2>& ends);

}  // namespace rdmawire::hostile
