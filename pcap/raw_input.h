// The octets of a file as they lie on disk or come out of a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "codec/base/bytes.h"

namespace rdmawire::pcap {

// An errno.
struct OsError {
  int code = 0;
};

class RawInput {
 public:
  // Opens a file, or takes standard input for "-". Fails with open(2)'s errno.
  static tl::expected<RawInput, OsError> open(const std::string& path);
  // The caller closes it.
  static RawInput from_fd(int fd) { return RawInput(fd, false); }
  // The caller keeps it.
  static RawInput from_memory(Bytes memory);

  RawInput(RawInput&& other) noexcept;
  RawInput& operator=(RawInput&& other) noexcept;
  RawInput(const RawInput&) = delete;
  RawInput& operator=(const RawInput&) = delete;
  ~RawInput();

  // Fills the front of out with what comes in one read(2): octets read, 0 at the end. out is not empty.
  tl::expected<std::size_t, OsError> read(MutableBytes out);

  // Octets read so far.
  std::uint64_t offset() const { return offset_; }

 private:
  RawInput(int fd, bool owned) : fd_(fd), owned_(owned) {}

  int fd_ = -1;
  bool owned_ = false;
  bool in_memory_ = false;  // memory_ is read, not fd_
  Bytes memory_;            // what is still to be read
  std::uint64_t offset_ = 0;
};

}  // namespace rdmawire::pcap
