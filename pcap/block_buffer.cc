#include "pcap/block_buffer.h"

#include <algorithm>
#include <cstring>

namespace rdmawire::pcap {

BlockBuffer::BlockBuffer(ByteSource source, std::size_t block_size)
    : source_(std::move(source)),
      block_(new std::uint8_t[std::max<std::size_t>(block_size, 1)]),
      capacity_(std::max<std::size_t>(block_size, 1)) {}

FileResult<bool> BlockBuffer::more() {
  const std::size_t kept = end_ - begin_;
  if (kept == capacity_) {
    std::unique_ptr<std::uint8_t[]> larger(new std::uint8_t[2 * capacity_]);
    std::memcpy(larger.get(), block_.get() + begin_, kept);
    block_ = std::move(larger);
    capacity_ *= 2;
  } else if (begin_ != 0) {
    std::memmove(block_.get(), block_.get() + begin_, kept);
  }
  begin_ = 0;
  end_ = kept;
  const auto got = source_.read(MutableBytes(block_.get() + end_, capacity_ - end_));
  if (!got) return tl::unexpected(got.error());
  end_ += *got;
  return *got != 0;
}

FileResult<bool> BlockBuffer::need(std::size_t num_octets) {
  while (end_ - begin_ < num_octets) {
    const auto got = more();
    if (!got || !*got) return got;
  }
  return true;
}

FileResult<bool> BlockBuffer::skip(std::uint64_t num_octets) {
  for (;;) {
    const std::size_t now = static_cast<std::size_t>(std::min<std::uint64_t>(num_octets, end_ - begin_));
    consume(now);
    num_octets -= now;
    if (num_octets == 0) return true;
    const auto got = more();
    if (!got || !*got) return got;
  }
}

}  // namespace rdmawire::pcap
