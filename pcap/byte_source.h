// The content of a capture file: decompressed if its first octets say that it is compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "codec/base/bytes.h"
#include "pcap/file_error.h"
#include "pcap/member_decoder.h"
#include "pcap/raw_input.h"
#include "pcap/reader.h"

namespace rdmawire::pcap {

class ByteSource {
 public:
  // block_size: octets to read at a time, within bounds.
  ByteSource(RawInput input, std::size_t block_size);

  // Looks at the first octets; called once, before read. Fails with open_failed, bad_compression, cut_file.
  FileResult<void> recognise();

  // Fills the front of out with what comes next: octets, 0 at the end. It does not wait for more than the first that
  // come. out is not empty. Fails with read_failed, cut_file (within compressed data) and bad_compression. The layer of
  // an error of uncompressed data is none: the caller knows the format.
  FileResult<std::size_t> read(MutableBytes out);

  Compression compression() const { return compression_; }
  std::uint64_t input_offset() const { return input_.offset() - ahead_.size(); }

 private:
  FileResult<std::size_t> decompress(MutableBytes out);
  FileResult<bool> begin_member();
  FileResult<bool> look_ahead();
  FileResult<bool> need_ahead(std::size_t num_octets);
  FileError error(ErrorCode code, OsError os = {}) const;

  RawInput input_;
  std::vector<std::uint8_t> block_;  // raw octets read before they could be used
  Bytes ahead_;                      // what of them is left
  Compression compression_ = Compression::none;
  Compression member_ = Compression::none;  // of decoder_
  std::unique_ptr<MemberDecoder> decoder_;
  bool in_member_ = false;
  bool damaged_ = false;
  bool output_was_full_ = false;
  std::size_t wanted_ = 0;      // raw octets, by decoder_
  std::uint64_t produced_ = 0;  // octets given out by read
};

}  // namespace rdmawire::pcap
