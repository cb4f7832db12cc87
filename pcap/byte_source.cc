#include "pcap/byte_source.h"

#include <algorithm>
#include <utility>

namespace rdmawire::pcap {
namespace {

// Small: compressed data is slow to use, not to read; and for other data this is but the first block.
constexpr std::size_t max_raw_block = std::size_t{64} << 10;
constexpr std::size_t min_raw_block = 8;  // holds the header of a skippable frame

std::uint32_t load_le32(const std::uint8_t* p) { return __builtin_bswap32(static_cast<std::uint32_t>(load_be<4>(p))); }

// RFC 1952, 2.3.1; RFC 8878, 3.1.1; LZ4 frame format description, "Magic Number".
Compression compression_of(Bytes first) {
  if (first.size() >= 2 && first[0] == 0x1F && first[1] == 0x8B) return Compression::gzip;
  if (first.size() < 4) return Compression::none;
  switch (load_le32(first.data())) {
    case 0xFD2FB528:
      return Compression::zstd;
    case 0x184D2204:
      return Compression::lz4;
    default:
      return Compression::none;
  }
}

// zstd (RFC 8878, 3.1.2) and lz4 have the same frames that hold something else; pzstd begins with one.
bool is_skippable_frame(Bytes first) { return first.size() >= 4 && (load_le32(first.data()) & ~0xFU) == 0x184D2A50; }

}  // namespace

ByteSource::ByteSource(RawInput input, std::size_t block_size)
    : input_(std::move(input)), block_(std::clamp(block_size, min_raw_block, max_raw_block)) {}

FileError ByteSource::error(ErrorCode code, OsError os) const {
  FileError out;
  out.error.code = code;
  out.error.layer = compression_ == Compression::none ? Layer::none : Layer::compression;
  out.error.offset = produced_;
  out.os_error = os.code;
  return out;
}

// Reads one more block behind what is ahead; false at the end.
FileResult<bool> ByteSource::look_ahead() {
  const std::size_t kept = ahead_.size();
  std::copy(ahead_.begin(), ahead_.end(), block_.begin());
  const auto got = input_.read(MutableBytes(block_).subspan(kept));
  if (!got) {
    ahead_ = Bytes(block_).first(kept);
    return tl::unexpected(error(ErrorCode::read_failed, got.error()));
  }
  ahead_ = Bytes(block_).first(kept + *got);
  return *got != 0;
}

FileResult<bool> ByteSource::need_ahead(std::size_t num_octets) {
  while (ahead_.size() < num_octets) {
    const auto more = look_ahead();
    if (!more) return more;
    if (!*more) return false;
  }
  return true;
}

FileResult<void> ByteSource::recognise() {
  if (const auto some = need_ahead(4); !some) {
    FileError failed = some.error();
    failed.error.code = ErrorCode::open_failed;
    return tl::unexpected(failed);
  }
  if (is_skippable_frame(ahead_)) {
    compression_ = Compression::zstd;  // until the first frame of data says which
    const auto member = begin_member();
    if (!member) return tl::unexpected(member.error());
    if (!*member) return tl::unexpected(error(ErrorCode::cut_file));
    compression_ = member_;
  } else {
    compression_ = compression_of(ahead_);
  }
  return {};
}

FileResult<std::size_t> ByteSource::read(MutableBytes out) {
  if (compression_ != Compression::none) return decompress(out);
  std::size_t given = 0;
  if (!ahead_.empty()) {
    given = std::min(out.size(), ahead_.size());
    std::copy_n(ahead_.data(), given, out.data());
    ahead_ = ahead_.subspan(given);
    if (ahead_.empty()) block_ = {};
  } else {
    const auto got = input_.read(out);
    if (!got) return tl::unexpected(error(ErrorCode::read_failed, got.error()));
    given = *got;
  }
  produced_ += given;
  return given;
}

// Finds what the next member is compressed with; false at the file's end. Members of different kinds may follow one
// another.
FileResult<bool> ByteSource::begin_member() {
  for (;;) {
    const auto some = need_ahead(4);
    if (!some) return some;
    if (ahead_.empty()) return false;
    if (!is_skippable_frame(ahead_)) break;
    const auto header = need_ahead(8);
    if (!header) return header;
    if (!*header) return tl::unexpected(error(ErrorCode::cut_file));
    std::size_t left = load_le32(ahead_.data() + 4);
    ahead_ = ahead_.subspan(8);
    while (left > ahead_.size()) {
      left -= ahead_.size();
      ahead_ = {};
      const auto more = look_ahead();
      if (!more) return more;
      if (!*more) return tl::unexpected(error(ErrorCode::cut_file));
    }
    ahead_ = ahead_.subspan(left);
  }
  const Compression found = compression_of(ahead_);
  if (found == Compression::none) return tl::unexpected(error(ErrorCode::bad_compression));
  if (found != member_) {
    decoder_ = make_decoder(found);
    member_ = found;
  }
  wanted_ = decoder_->begin();
  in_member_ = true;
  return true;
}

FileResult<std::size_t> ByteSource::decompress(MutableBytes out) {
  for (;;) {
    if (damaged_) return tl::unexpected(error(ErrorCode::bad_compression));
    if (!in_member_) {
      const auto member = begin_member();
      if (!member) return tl::unexpected(member.error());
      if (!*member) return std::size_t{0};
    }
    const bool flush = std::exchange(output_was_full_, false);
    const Bytes in = ahead_.first(flush ? 0 : std::min(wanted_, ahead_.size()));
    const MemberDecoder::Step step = decoder_->step(in, out);
    ahead_ = ahead_.subspan(step.consumed);
    produced_ += step.produced;
    wanted_ = step.wanted;
    damaged_ = step.state == MemberDecoder::State::damaged;
    in_member_ = step.state != MemberDecoder::State::member_done;
    output_was_full_ = step.produced == out.size();
    if (step.produced != 0) return step.produced;
    if (damaged_ || !in_member_ || step.consumed != 0 || (flush && !ahead_.empty())) continue;
    if (!in.empty()) return tl::unexpected(error(ErrorCode::bad_compression));  // it is stuck
    const auto more = look_ahead();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return tl::unexpected(error(ErrorCode::cut_file));
  }
}

}  // namespace rdmawire::pcap
