// Time as the machines see it: what the host says it is. It never goes back.
#pragma once

#include <chrono>
#include <optional>

namespace rdmawire {

// Since an instant that the host chooses, the same for all machines that talk about it.
using Time = std::chrono::nanoseconds;
using Duration = std::chrono::nanoseconds;

// Of deadlines, nothing being never: makes first the sooner of the two.
constexpr void keep_sooner(std::optional<Time>& first, const std::optional<Time>& due) {
  if (due && (!first || *due < *first)) first = due;
}

}  // namespace rdmawire
