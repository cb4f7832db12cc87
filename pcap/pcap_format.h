// The pcap file format: draft-ietf-opsawg-pcap, and its older and altered forms.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"
#include "codec/link_type.h"
#include "pcap/batch.h"
#include "pcap/block_buffer.h"
#include "pcap/file_error.h"

namespace rdmawire::pcap {

class PcapFormat {
 public:
  // True if a file that begins so is a pcap file.
  static bool recognises(std::span<const std::uint8_t, 4> magic);

  // Reads the file header; recognises was true. Fails with cut_file and what the source fails with.
  FileResult<void> begin(BlockBuffer& buffer);
  // Puts the next packets into the empty batch; none at the file's end. When it meets damage behind good packets, it
  // gives those, and meets the damage again in the next call. Fails with cut_file, record_too_big and what the source
  // fails with.
  FileResult<void> fill(BlockBuffer& buffer, Batch& batch);

 private:
  // Version 2.3 put the captured length first; before it the original length was, and some files of 2.3 are still so.
  enum class Lengths : std::uint8_t { captured_first, original_first, smaller_is_captured };

  template <std::endian Order>
  void read_header(const std::uint8_t* p);
  template <std::endian Order>
  FileResult<void> fill_as(BlockBuffer& buffer, Batch& batch);
  template <std::endian Order>
  std::uint32_t captured_length(const std::uint8_t* record) const;

  std::endian order_ = std::endian::little;
  Lengths lengths_ = Lengths::captured_first;
  std::uint32_t record_header_size_ = 16;
  std::uint32_t units_in_second_ = 1'000'000;  // of a time stamp's fraction
  std::uint32_t nanoseconds_in_unit_ = 1'000;
  std::uint32_t snaplen_ = 0;  // octets; the largest number if the file says 0, which means no limit
  std::uint32_t max_captured_ = 0;
  LinkType link_{};
  std::optional<std::uint8_t> fcs_length_;
  std::uint64_t num_packets_ = 0;
};

}  // namespace rdmawire::pcap
