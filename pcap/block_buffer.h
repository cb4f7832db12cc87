// The one buffer that a reader's packets lie in: a piece of the file that moves forward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "codec/base/bytes.h"
#include "pcap/byte_source.h"
#include "pcap/file_error.h"

namespace rdmawire::pcap {

class BlockBuffer {
 public:
  // Throws std::bad_alloc.
  BlockBuffer(ByteSource source, std::size_t block_size);

  // What has been read and not consumed. It moves in more, need and skip.
  Bytes data() const { return {block_.get() + begin_, end_ - begin_}; }
  // Where in the (decompressed) file data begins.
  std::uint64_t offset() const { return offset_; }
  // num_octets are no longer needed; they stay readable until more, need or skip.
  void consume(std::size_t num_octets) {
    begin_ += num_octets;
    offset_ += num_octets;
  }

  // Reads once more behind data; false at the file's end. When data fills the whole buffer, the buffer doubles.
  // Throws std::bad_alloc.
  FileResult<bool> more();
  // Reads until data has num_octets; false if the file ends before. The buffer grows only as octets really come, so a
  // wrong length does not cost memory that the file has not got.
  FileResult<bool> need(std::size_t num_octets);
  // Consumes num_octets without keeping them; false if the file ends before.
  FileResult<bool> skip(std::uint64_t num_octets);

  const ByteSource& source() const { return source_; }

 private:
  ByteSource source_;
  std::unique_ptr<std::uint8_t[]> block_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace rdmawire::pcap
