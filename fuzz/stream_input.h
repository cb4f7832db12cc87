// A stream as a fuzzer makes it: octets, holes in them, and the pieces in which they come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/stream.h"
#include "fuzz/input.h"

namespace rdmawire::fuzz {

// Octet 0: markers (bits 0, 1), CRC (2, 3), synced (4), SeqStart known (5), CRCs left unchecked (6).
// Octets 1, 2: the stream offset of the first octet, and where Markers count from.
// Octet 3: how many steps follow, two octets each: bits 15 and 14 say whether it ends a piece (0 to 2) or is a hole
// (3), the others how many octets of stream it takes. The rest is the stream, its end fed as one.
struct StreamInput {
  struct Step {
    bool hole = false;
    Bytes octets;           // a hole's are in the stream, but not fed
    std::uint64_t len = 0;  // octets; of a hole it may be more than octets has
  };

  StreamParams params;
  std::uint64_t offset = 0;
  bool synced = false;
  std::vector<Step> steps;

  explicit StreamInput(Bytes octets);
};

inline StreamInput::StreamInput(Bytes octets) {
  Input input(octets);
  const std::uint8_t flags = input.octet();
  constexpr std::array settings{Setting::off, Setting::on, Setting::unknown, Setting::unknown};
  params.markers = settings[flags & 3U];
  params.crc = settings[flags >> 2 & 3U];
  synced = (flags & 0x10U) != 0;
  params.check_crc = (flags & 0x40U) == 0;
  const std::uint8_t first = input.octet();
  const std::uint8_t seq_start = input.octet();
  offset = 4U * first;
  if ((flags & 0x20U) != 0) params.seq_start = 4U * seq_start % (offset + 1);
  const std::size_t num_steps = input.octet();
  Input control(input.take(2 * num_steps));
  for (std::size_t i = 0; i < num_steps; ++i) {
    const std::uint16_t step = control.word();
    const std::size_t len = step & 0x3FFFU;
    const bool hole = step >> 14 == 3;
    const Bytes taken = input.take(len);
    steps.push_back({hole, taken, hole ? len : taken.size()});
  }
  steps.push_back({false, input.rest(), input.rest().size()});
}

}  // namespace rdmawire::fuzz
