// CRC-32 of octets of which some bits count as ones: what the invariant CRC asks for (IBTA vol. 1, 7.8.1).
#pragma once

#include <cstdint>
#include <span>

#include "codec/base/bytes.h"

namespace rdmawire::crc {

// Bits to take as ones whatever they are.
struct Ones {
  std::uint32_t offset = 0;  // of four octets, a multiple of 4
  std::uint32_t bits = 0;    // of those octets as a big-endian word
};

// crc32 (crc.h) of data with those bits set; data itself is only read. The words of ones lie inside data, in ascending
// order, and do not overlap.
//
// This costs little more than the CRC of data as it is: a CRC is linear, so what the bits change is worked out by
// itself and added. (Setting the bits in a copy of the headers means two CRC calls, and ISA-L is slow for lengths that
// are not multiples of its strides: three times as much for a packet of 1 KiB.)
std::uint32_t crc32_with_ones(Bytes data, std::span<const Ones> ones, std::uint32_t previous = 0);

}  // namespace rdmawire::crc
