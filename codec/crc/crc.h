// The cyclic redundancy checks of the RDMA protocols. All are reflected, start from ones and invert the result, so all
// chain in the same way: previous is the result for the octets that come before, 0 for none, and
// crc(b, crc(a)) == crc(ab). On the wire each stands with its least significant octet first.
//
// At run time the 32-bit ones use what the processor has (engines.h), at compile time they are the portable ones. All
// may be called from any thread, and before main.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "codec/base/bytes.h"
#include "codec/crc/engines.h"
#include "codec/crc/portable.h"

namespace rdmawire::crc {

namespace detail {

// The best for this processor, found at the first call.
extern std::atomic<Kernel*> crc32;
extern std::atomic<Kernel*> crc32c;
extern std::atomic<CopyingKernel*> crc32c_copying;

}  // namespace detail

// CRC-32 as in IEEE 802.3, polynomial 0x04C11DB7: the invariant CRC (IBTA vol. 1, 7.8.1); the same as zlib's crc32.
constexpr std::uint32_t crc32(Bytes data, std::uint32_t previous = 0) {
  if (std::is_constant_evaluated()) return portable::crc32(data, previous);
  return detail::crc32.load(std::memory_order_relaxed)(data, previous);
}

// CRC-32C (Castagnoli), polynomial 0x1EDC6F41: MPA (RFC 5044, 4.4) and SCTP (RFC 9260, appendix A).
constexpr std::uint32_t crc32c(Bytes data, std::uint32_t previous = 0) {
  if (std::is_constant_evaluated()) return portable::crc32c(data, previous);
  return detail::crc32c.load(std::memory_order_relaxed)(data, previous);
}

// Copies tail to the end of out, whose octets before it are there, and gives crc32c of all of out: in one pass where
// the processor can. tail lies outside of out and is not longer.
inline std::uint32_t crc32c_copying(MutableBytes out, Bytes tail, std::uint32_t previous = 0) {
  return detail::crc32c_copying.load(std::memory_order_relaxed)(out, tail, previous);
}

// CRC-16 with polynomial 0x100B: the variant CRC and the link packet CRC (IBTA vol. 1, 7.8.2 and 7.9.4).
constexpr std::uint16_t crc16_100b(Bytes data, std::uint16_t previous = 0) {
  return portable::crc16_100b(data, previous);
}

}  // namespace rdmawire::crc
