// Time as the machines see it: what the host says it is. It never goes back.
#pragma once

#include <chrono>

namespace rdmawire {

// Since an instant that the host chooses, the same for all machines that talk about it.
using Time = std::chrono::nanoseconds;
using Duration = std::chrono::nanoseconds;

}  // namespace rdmawire
