// Where a peer's memory lies, as it goes with the answer to a connection request, and as rping says it.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "cli/peer/report.h"
#include "codec/base/bytes.h"

namespace rdmawire::cli::peer {

struct MemoryPlace {
  static constexpr std::size_t size = 16;  // octets: address 8, key 4, length 4, big-endian

  std::uint64_t address = 0;
  std::uint32_t key = 0;     // R_Key or STag
  std::uint32_t length = 0;  // octets

  void write(std::uint8_t* out) const {
    store_be<8>(out, address);
    store_be<4>(out + 8, key);
    store_be<4>(out + 12, length);
  }
  static MemoryPlace decode(std::span<const std::uint8_t, size> octets) {
    return {load_be<8>(octets.data()), static_cast<std::uint32_t>(load_be<4>(octets.data() + 8)),
            static_cast<std::uint32_t>(load_be<4>(octets.data() + 12))};
  }
  // Nothing if there are not enough octets, or no memory.
  static std::optional<MemoryPlace> read(Bytes octets) {
    if (octets.size() < size) return std::nullopt;
    const MemoryPlace out = decode(octets.first<size>());
    if (out.length == 0) return std::nullopt;
    return out;
  }
  Report report() const {
    Report out;
    out.add("address", fmt::format("{:#x}", address));
    out.add("key", fmt::format("{:#010x}", key));
    out.add("length", std::uint64_t{length});
    return out;
  }
  // With the CRC-32 of what is there.
  Report report(Bytes memory) const {
    Report out = report();
    out.add("crc32", fmt::format("{:08x}", crc32_z(0, memory.data(), memory.size())));
    return out;
  }
};

}  // namespace rdmawire::cli::peer
