// FPDUs out of the stream of a connection that MPA has set up: it is known how they are framed, and any fault is an
// error. (For streams of which less is known: codec/stream.h.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/fpdu_at.h"
#include "codec/iwarp/fpdu.h"

namespace rdmawire::iwarp {

class FpduReceiver {
 public:
  //= MPA-5044-4.1-11, MPA-5044-A.5.2-01
  FpduReceiver() : buffer_(max_fpdu_len) {}

  // Full Operation begins with the next octet, which is SeqStart.
  void start(bool markers, bool crc) {
    markers_ = {markers, 0};
    crc_ = crc;
    offset_ = 0;
    held_ = 0;
  }
  // Octets of the stream that were taken.
  std::uint64_t offset() const { return offset_ + held_; }
  // Between the first and the last octet of an FPDU.
  bool is_inside() const { return held_ != 0; }

  // The stream's next octets, in any pieces. Calls use(const Fpdu&) for each FPDU that is whole by them; it lives as
  // long as the call. Each octet is copied once at most, and none of an FPDU that lies in one piece.
  //= MPA-5044-6-02, MPA-5044-7.1-01, MPA-5044-7.1.5-03
  template <class Use>
  void on_octets(Bytes octets, Use&& use) {
    while (!octets.empty()) {
      const rdmawire::detail::FpduShape shape =
          rdmawire::detail::shape_at(markers_, offset_, held_ == 0 ? octets : Bytes(buffer_).first(held_));
      if (held_ == 0 && shape.len != 0 && shape.len <= octets.size()) {
        give(octets.first(shape.len), shape, use);
        octets = octets.subspan(shape.len);
        continue;
      }
      const std::uint32_t wanted = shape.len != 0 ? shape.len : rdmawire::detail::length_end(markers_, offset_);
      const std::size_t taken = std::min<std::size_t>(wanted - held_, octets.size());
      std::memcpy(buffer_.data() + held_, octets.data(), taken);
      held_ += static_cast<std::uint32_t>(taken);
      octets = octets.subspan(taken);
      if (shape.len != 0 && held_ == shape.len) {
        held_ = 0;
        give(Bytes(buffer_).first(shape.len), shape, use);
      }
    }
  }

  // Octets behind a gap, at that offset of the stream. FPDUs can be found there by Markers, and be believed by their
  // CRC: calls use(const Fpdu&) for those that are whole and good. They must come again in order.
  //= MPA-5044-4.3-05, MPA-5044-6-02
  template <class Use>
  void on_octets_ahead(std::uint64_t offset, Bytes octets, Use&& use) const {
    if (!markers_.any || !crc_ || offset < this->offset()) return;
    const std::uint64_t end = offset + octets.size();
    std::uint64_t begin = end;
    for (std::uint64_t at = offset + (marker_interval - markers_.phase(offset)) % marker_interval;
         at + marker_size <= end; at += marker_interval) {
      const std::uint32_t back =
          decode<Marker>(octets.subspan(at - offset).first<header_size<Marker>>()).fpdu_ptr & ~3U;
      if (back > at - offset) continue;
      begin = at - back;
      if (back != 0 && begin >= offset + marker_size && markers_.leads(begin - marker_size)) begin -= marker_size;
      break;
    }
    while (begin < end) {
      const Bytes left = octets.subspan(begin - offset);
      const rdmawire::detail::FpduShape shape = rdmawire::detail::shape_at(markers_, begin, left);
      if (shape.len == 0 || shape.len > left.size()) return;
      Fpdu fpdu = rdmawire::detail::fpdu_at(markers_, begin, shape, left.first(shape.len));
      fpdu.crc = check_crc(fpdu);
      if (fpdu.crc.status != CrcStatus::good) return;
      use(fpdu);
      begin += shape.len;
    }
  }

 private:
  template <class Use>
  void give(Bytes octets, const rdmawire::detail::FpduShape& shape, Use&& use) {
    Fpdu fpdu = rdmawire::detail::fpdu_at(markers_, offset_, shape, octets);
    if (crc_) {
      fpdu.crc = check_crc(fpdu);
    } else {
      //= MPA-5044-4.1-08, MPA-5044-4.4-06, MPA-5044-4.4-08
      fpdu.crc.status = CrcStatus::disabled;  //= MPA-5044-7.1.1-08
    }
    offset_ += shape.len;
    use(fpdu);
  }

  rdmawire::detail::MarkerPlaces markers_;
  bool crc_ = true;
  std::uint64_t offset_ = 0;  // of the FPDU's first octet
  std::uint32_t held_ = 0;    // octets of it in the buffer
  std::vector<std::uint8_t> buffer_;
};

}  // namespace rdmawire::iwarp
