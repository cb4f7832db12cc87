// What a vector says of memory as a whole: its CRC-32 (IEEE 802.3, as zlib's crc32), which any language has.
#pragma once

#include "codec/base/bytes.h"
#include "codec/crc/crc.h"
#include "protocol/vectors/json.h"

namespace rdmawire::vectors {

inline Json digest(Bytes memory) { return hex_number(crc::crc32(memory)); }

}  // namespace rdmawire::vectors
