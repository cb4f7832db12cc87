#include "pcap/raw_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace rdmawire::pcap {

tl::expected<RawInput, OsError> RawInput::open(const std::string& path) {
  if (path == "-") return from_fd(STDIN_FILENO);
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);  // a FIFO waits for its writer
  if (fd < 0) return tl::unexpected(OsError{errno});
  return RawInput(fd, true);
}

RawInput RawInput::from_memory(Bytes memory) {
  RawInput out(-1, false);
  out.in_memory_ = true;
  out.memory_ = memory;
  return out;
}

RawInput::RawInput(RawInput&& other) noexcept
    : fd_(other.fd_),
      owned_(std::exchange(other.owned_, false)),
      in_memory_(other.in_memory_),
      memory_(other.memory_),
      offset_(other.offset_) {}

RawInput& RawInput::operator=(RawInput&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(owned_, other.owned_);
  std::swap(in_memory_, other.in_memory_);
  std::swap(memory_, other.memory_);
  std::swap(offset_, other.offset_);
  return *this;
}

RawInput::~RawInput() {
  if (owned_) ::close(fd_);
}

tl::expected<std::size_t, OsError> RawInput::read(MutableBytes out) {
  std::size_t got = 0;
  if (in_memory_) {
    got = std::min(out.size(), memory_.size());
    std::copy_n(memory_.data(), got, out.data());
    memory_ = memory_.subspan(got);
  } else {
    ssize_t n = 0;
    do {
      n = ::read(fd_, out.data(), out.size());
    } while (n < 0 && errno == EINTR);
    if (n < 0) return tl::unexpected(OsError{errno});
    got = static_cast<std::size_t>(n);
  }
  offset_ += got;
  return got;
}

}  // namespace rdmawire::pcap
