#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/stream.h"

namespace rdmawire {

namespace {

// Writes an FPDU's octets, with Markers before those that come after one's place.
class MarkedWriter {
 public:
  MarkedWriter(bool markers, std::uint64_t offset, std::uint8_t* out) : markers_(markers), offset_(offset), out_(out) {}

  //= MPA-5044-4.3-09
  void put(Bytes octets) {
    if (!markers_) {
      if (!octets.empty()) std::memcpy(out_ + len_, octets.data(), octets.size());
      len_ += octets.size();
      return;
    }
    while (!octets.empty()) {
      put_marker_if_due();
      const std::size_t len = std::min<std::size_t>(octets.size(), iwarp::marker_interval - phase());
      std::copy_n(octets.begin(), len, out_ + len_);
      len_ += len;
      octets = octets.subspan(len);
    }
  }
  //= MPA-5044-4.3-02, MPA-5044-4.3-03
  void put_marker_if_due() {
    if (!markers_ || phase() != 0) return;
    const bool leading = len_ == 0;
    iwarp::Marker marker;
    //= MPA-5044-4.2-04, MPA-5044-4.3-04, MPA-5044-4.3-06, MPA-5044-4.3-07, MPA-5044-4.3-10, MPA-5044-4.3-11
    marker.fpdu_ptr = static_cast<std::uint16_t>(leading ? 0 : len_ - length_at_);
    encode(marker, std::span<std::uint8_t, iwarp::marker_size>(out_ + len_, iwarp::marker_size));
    len_ += iwarp::marker_size;
    if (leading) length_at_ = len_;
  }
  std::size_t len() const { return len_; }

 private:
  std::size_t phase() const { return (offset_ + len_) % iwarp::marker_interval; }

  bool markers_;
  std::uint64_t offset_;  // of out_ in the stream
  std::uint8_t* out_;
  std::size_t len_ = 0;
  std::size_t length_at_ = 0;  // where the ULPDU_Length is
};

}  // namespace

std::uint32_t Framer::fpdu_len(std::uint32_t ulpdu_len) const {
  return detail::MarkerPlaces{markers_, 0}.marked_len(offset_, iwarp::unmarked_len(ulpdu_len));
}

//= MPA-5044-3-01, MPA-5044-4.1-01, MPA-5044-7.1.2-19
Result<std::uint32_t> Framer::frame(std::span<const Bytes> ulpdu, MutableBytes out) {
  std::size_t ulpdu_len = 0;
  for (const Bytes piece : ulpdu) ulpdu_len += piece.size();
  if (ulpdu_len > iwarp::max_mulpdu) {  //= MPA-5044-3-05
    return fail({ErrorCode::value_too_big, Layer::fpdu, Limit::ulpdu_length, static_cast<std::uint32_t>(ulpdu_len),
                 iwarp::max_mulpdu, 0});
  }
  const auto short_len = static_cast<std::uint16_t>(ulpdu_len);
  const std::uint32_t len = fpdu_len(short_len);
  if (out.size() < len) {
    return fail(
        {ErrorCode::output_too_small, Layer::fpdu, Limit::buffer, len, static_cast<std::uint32_t>(out.size()), 0});
  }
  constexpr std::array<std::uint8_t, 3> zeros{};  //= MPA-5044-4.1-03
  std::array<std::uint8_t, header_size<iwarp::FpduHeader>> length;
  encode(iwarp::FpduHeader{short_len}, std::span(length));
  MarkedWriter writer(markers_, offset_, out.data());
  writer.put(length);
  for (const Bytes piece : ulpdu) writer.put(piece);
  writer.put(Bytes(zeros).first(iwarp::pad_len(short_len)));
  writer.put_marker_if_due();  //= MPA-5044-4.4-13
  const std::size_t before_crc = writer.len();
  //= MPA-5044-4.1-06, MPA-5044-4.3-08, MPA-5044-4.4-10, MPA-5044-4.4-12
  const iwarp::MpaCrc crc{crc_ ? iwarp::mpa_crc(Bytes(out).first(before_crc)) : 0};
  encode(crc, std::span<std::uint8_t, iwarp::mpa_crc_size>(out.data() + before_crc, iwarp::mpa_crc_size));
  offset_ += len;
  return len;
}

}  // namespace rdmawire
