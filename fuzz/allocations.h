// num_allocations, as in tools/test/allocations.h, for fuzz targets: where AddressSanitizer has operators of its own,
// replacing some of them would mix theirs with ours, so there its allocator tells. Include it in one source.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RDMAWIRE_FUZZ_ASKS_SANITIZER
#endif
#endif

#ifdef RDMAWIRE_FUZZ_ASKS_SANITIZER

#include <sanitizer/allocator_interface.h>

#include <cstddef>
#include <cstdint>

namespace rdmawire {

// Of this thread: libFuzzer has others.
inline thread_local std::uint64_t num_allocations = 0;

namespace fuzz {

inline const int allocations_hooked = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++num_allocations; }, [](const volatile void*) {});

}  // namespace fuzz

}  // namespace rdmawire

#else

#include "tools/test/allocations.h"

#endif
