// How often the global operator new was called, in a program one of whose sources includes allocations.h.
#pragma once

#include <atomic>
#include <cstdint>

namespace rdmawire {

inline std::atomic<std::uint64_t> num_allocations{0};

}  // namespace rdmawire
