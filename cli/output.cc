#include "cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rdmawire::cli {

void Output::append(std::string_view text) {
  while (!text.empty()) {
    if (size_ == capacity) flush();
    const std::size_t n = std::min(text.size(), capacity - size_);
    std::memcpy(buffer_.get() + size_, text.data(), n);
    size_ += n;
    text.remove_prefix(n);
  }
}

void Output::flush() {
  for (std::size_t done = 0; done < size_ && error_ == 0;) {
    const ssize_t n = ::write(fd_, buffer_.get() + done, size_ - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  size_ = 0;
}

}  // namespace rdmawire::cli
