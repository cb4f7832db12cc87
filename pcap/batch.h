// What the two formats' readers have in common.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "codec/base/bytes.h"
#include "pcap/file_error.h"
#include "pcap/packet.h"

namespace rdmawire::pcap {

// Packets out of one block. 64 packets of 64 octets stay in the first-level cache.
struct Batch {
  std::array<Packet, 64> packets;
  std::size_t size = 0;
};

// The largest piece that is held in memory: what libpcap and Wireshark allow for the link types with the largest
// packets.
inline constexpr std::uint32_t max_record_size = std::uint32_t{128} << 20;

template <std::endian Order>
std::uint16_t load16(const std::uint8_t* p) {
  const auto big = static_cast<std::uint16_t>(load_be<2>(p));
  return Order == std::endian::big ? big : __builtin_bswap16(big);
}

template <std::endian Order>
std::uint32_t load32(const std::uint8_t* p) {
  const auto big = static_cast<std::uint32_t>(load_be<4>(p));
  return Order == std::endian::big ? big : __builtin_bswap32(big);
}

template <std::endian Order>
std::uint64_t load64(const std::uint8_t* p) {
  const std::uint64_t big = load_be<8>(p);
  return Order == std::endian::big ? big : __builtin_bswap64(big);
}

}  // namespace rdmawire::pcap
