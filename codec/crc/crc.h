// The cyclic redundancy checks of the RDMA protocols. All are reflected, start from ones and invert the result, so all
// chain in the same way: previous is the result for the octets that come before, 0 for none, and
// crc(b, crc(a)) == crc(ab). On the wire each stands with its least significant octet first.
//
// The 32-bit ones come from ISA-L (carry-less multiplication) at run time; compile with RDMAWIRE_WITHOUT_ISAL
// (`--//codec/crc:isal=false`) to need no library. At compile time they are the portable ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/bytes.h"
#include "codec/crc/portable.h"

#ifndef RDMAWIRE_WITHOUT_ISAL
#include <isa-l/crc.h>
#endif

namespace rdmawire::crc {

// What computes the 32-bit ones at run time.
#ifdef RDMAWIRE_WITHOUT_ISAL
inline constexpr std::string_view engine = "portable";
#else
inline constexpr std::string_view engine = "ISA-L";
#endif

// CRC-32 as in IEEE 802.3, polynomial 0x04C11DB7: the invariant CRC (IBTA vol. 1, 7.8.1); the same as zlib's crc32.
constexpr std::uint32_t crc32(Bytes data, std::uint32_t previous = 0) {
#ifndef RDMAWIRE_WITHOUT_ISAL
  if (!std::is_constant_evaluated()) return ::crc32_gzip_refl(previous, data.data(), data.size());
#endif
  return portable::crc32(data, previous);
}

// CRC-32C (Castagnoli), polynomial 0x1EDC6F41: MPA (RFC 5044, 4.4) and SCTP (RFC 9260, appendix A).
constexpr std::uint32_t crc32c(Bytes data, std::uint32_t previous = 0) {
#ifndef RDMAWIRE_WITHOUT_ISAL
  if (!std::is_constant_evaluated()) {
    // ISA-L counts in an int, and takes a pointer to non-const that it only reads through.
    constexpr std::size_t at_once = std::size_t{1} << 30;
    std::uint32_t state = ~previous;
    for (; data.size() > at_once; data = data.subspan(at_once)) {
      state = ::crc32_iscsi(const_cast<std::uint8_t*>(data.data()), static_cast<int>(at_once), state);
    }
    return ~::crc32_iscsi(const_cast<std::uint8_t*>(data.data()), static_cast<int>(data.size()), state);
  }
#endif
  return portable::crc32c(data, previous);
}

// CRC-16 with polynomial 0x100B: the variant CRC and the link packet CRC (IBTA vol. 1, 7.8.2 and 7.9.4). No library
// has it, so it is always the portable one.
constexpr std::uint16_t crc16_100b(Bytes data, std::uint16_t previous = 0) {
  return portable::crc16_100b(data, previous);
}

}  // namespace rdmawire::crc
