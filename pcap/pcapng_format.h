// The pcapng file format: draft-ietf-opsawg-pcapng.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/link_type.h"
#include "pcap/batch.h"
#include "pcap/block_buffer.h"
#include "pcap/file_error.h"

namespace rdmawire::pcap {

// What an Interface Description Block says of its packets.
struct Interface {
  enum class Clock : std::uint8_t { microseconds, nanoseconds, other };

  LinkType link{};
  std::uint32_t snaplen = 0;  // octets; the largest number for no limit
  std::optional<std::uint8_t> fcs_length;
  std::int64_t offset_seconds = 0;    // if_tsoffset: to be added to each time stamp
  std::uint8_t resolution = 6;        // if_tsresol: units of 10^-n, or with bit 7 set of 2^-(n mod 128) seconds
  Clock clock = Clock::microseconds;  // follows from resolution
};

// The time of a pcapng time stamp. Parts of a nanosecond are cut off, and what lies outside of 64-bit seconds becomes
// the nearest that fits, which oddities then tells.
Timestamp time_of(const Interface& interface, std::uint64_t time_stamp, Oddities& oddities);

class PcapngFormat {
 public:
  // True if a file that begins so is a pcapng file.
  static bool recognises(std::span<const std::uint8_t, 4> magic);

  // Reads the first Section Header Block; recognises was true. Fails with cut_file, damaged_file, bad_version,
  // record_too_big and what the source fails with.
  FileResult<void> begin(BlockBuffer& buffer) { return read_section_header(buffer); }
  // Puts the next packets into the empty batch; none at the file's end. When it meets damage behind good packets, it
  // gives those, and meets the damage again in the next call. Fails like begin, and with undefined_interface and
  // too_many_interfaces.
  FileResult<void> fill(BlockBuffer& buffer, Batch& batch);

 private:
  template <std::endian Order>
  FileResult<void> fill_as(BlockBuffer& buffer, Batch& batch);
  template <std::endian Order>
  Error read_packet(std::uint32_t type, Bytes block, Packet& packet) const;
  template <std::endian Order>
  Error read_interface(Bytes block);
  FileResult<void> read_section_header(BlockBuffer& buffer);
  template <std::endian Order>
  FileResult<void> read_section_header_as(BlockBuffer& buffer);

  std::endian order_ = std::endian::little;
  std::vector<Interface> interfaces_;  // of this section
  std::uint64_t num_packets_ = 0;
};

}  // namespace rdmawire::pcap
