// Counts the calls of the global operator new, for programs that claim to make none. It replaces the operator, so
// include it in one source of the program, and num_allocations.h in others.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "tools/test/num_allocations.h"

// All other forms of new come here by default.
void* operator new(std::size_t size) {
  ++rdmawire::num_allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
