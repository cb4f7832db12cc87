// Octets of a stream that a Deframer keeps: a stretch without beginning or end, with holes where they were not
// captured.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/base/bytes.h"

namespace rdmawire::detail {

// The octets lie in the buffer in the order of the stream, those of holes (as zeros) too. Offsets are of the stream.
class Window {
 public:
  static constexpr std::size_t max_holes = 64;

  struct Hole {
    std::uint64_t begin;
    std::uint64_t end;
  };

  explicit Window(MutableBytes buffer) : buffer_(buffer) {}

  bool empty() const { return held_ == 0; }
  // Octets, holes included.
  std::size_t size() const { return held_; }
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + held_; }
  std::span<const Hole> holes() const { return std::span(holes_).subspan(first_hole_, num_holes_); }

  // The captured octets from offset on, up to the next hole or the end; none at or behind the end.
  Bytes from(std::uint64_t offset) const { return offset < end() ? stretch(offset, next_hole(offset)) : Bytes{}; }
  Bytes front() const { return from(begin_); }
  // Where the hole ends in which offset lies; offset itself if it was captured.
  std::uint64_t hole_end(std::uint64_t offset) const {
    for (const Hole& hole : holes()) {
      if (hole.begin <= offset && offset < hole.end) return hole.end;
    }
    return offset;
  }

  // The octets [from, to), those of holes as zeros.
  Bytes stretch(std::uint64_t from, std::uint64_t to) const {
    return Bytes(buffer_).subspan(head_ + static_cast<std::size_t>(from - begin_), static_cast<std::size_t>(to - from));
  }

  // Room behind the octets kept.
  std::size_t room() const { return buffer_.size() - head_ - held_; }
  // Whether moving them to the buffer's front is cheap: it copies at most 16 octets for each that has left since the
  // last time.
  bool is_move_cheap() const { return head_ != 0 && head_ >= buffer_.size() / 16; }
  // So many octets fit without any other moving.
  std::size_t horizon() const { return buffer_.size() - buffer_.size() / 16 - 1; }
  void move_to_front() {
    if (head_ == 0) return;
    std::memmove(buffer_.data(), buffer_.data() + head_, held_);
    head_ = 0;
  }

  // Makes it empty, to begin at offset.
  void reset(std::uint64_t offset) {
    begin_ = offset;
    head_ = held_ = 0;
    first_hole_ = num_holes_ = 0;
  }
  // octets must fit room().
  void append(Bytes octets) {
    if (octets.empty()) return;
    std::memcpy(buffer_.data() + head_ + held_, octets.data(), octets.size());
    held_ += octets.size();
  }
  // Must fit room(), and there must be fewer than max_holes, unless the window ends with one.
  void append_hole(std::size_t len) {
    if (len == 0) return;
    std::memset(buffer_.data() + head_ + held_, 0, len);
    const std::uint64_t from_offset = end();
    held_ += len;
    if (num_holes_ != 0 && last_hole().end == from_offset) {
      last_hole().end = end();
      return;
    }
    if (first_hole_ + num_holes_ == max_holes) {
      std::copy_n(holes_.begin() + static_cast<std::ptrdiff_t>(first_hole_), num_holes_, holes_.begin());
      first_hole_ = 0;
    }
    holes_[first_hole_ + num_holes_++] = {from_offset, end()};
  }
  bool can_append_hole() const { return num_holes_ < max_holes; }
  // The first len octets leave the window.
  void drop(std::size_t len) {
    begin_ += len;
    head_ += len;
    held_ -= len;
    while (num_holes_ != 0 && holes_[first_hole_].end <= begin_) {
      ++first_hole_;
      --num_holes_;
    }
    if (held_ == 0) reset(begin_);
  }
  // Octets among the first len that were not captured.
  std::size_t missing_in(std::size_t len) const {
    std::uint64_t missing = 0;
    for (const Hole& hole : holes()) {
      if (hole.begin >= begin_ + len) break;
      missing += std::min(hole.end, begin_ + len) - std::max(hole.begin, begin_);
    }
    return static_cast<std::size_t>(missing);
  }

 private:
  Hole& last_hole() { return holes_[first_hole_ + num_holes_ - 1]; }
  // Where the captured octets at offset end; offset itself if it lies in a hole.
  std::uint64_t next_hole(std::uint64_t offset) const {
    for (const Hole& hole : holes()) {
      if (offset < hole.begin) return hole.begin;
      if (offset < hole.end) return offset;
    }
    return end();
  }

  MutableBytes buffer_;
  std::uint64_t begin_ = 0;
  std::size_t head_ = 0;  // of the first octet, in the buffer
  std::size_t held_ = 0;
  std::array<Hole, max_holes> holes_;
  std::size_t first_hole_ = 0;
  std::size_t num_holes_ = 0;
};

}  // namespace rdmawire::detail
