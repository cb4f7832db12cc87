#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/crc/crc.h"
#include "codec/stream.h"

namespace rdmawire {

namespace {

// Writes an FPDU's octets, with Markers before those that come after one's place.
class MarkedWriter {
 public:
  MarkedWriter(std::uint64_t offset, std::uint8_t* out) : offset_(offset), out_(out) {}

  //= MPA-5044-4.3-09
  void put(Bytes octets) {
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
    if (phase() != 0) return;
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

  std::uint64_t offset_;  // of out_ in the stream
  std::uint8_t* out_;
  std::size_t len_ = 0;
  std::size_t length_at_ = 0;  // where the ULPDU_Length is
};

constexpr std::array<std::uint8_t, 3> zeros{};  //= MPA-5044-4.1-03

// What was written of an FPDU.
struct Written {
  std::size_t len = 0;
  std::uint32_t crc32c = 0;  // of it, if CRCs are in use
};

// Both write an FPDU up to its CRC.
Written put_marked(std::span<const Bytes> ulpdu, std::uint16_t ulpdu_len, std::uint64_t offset, bool crc,
                   std::uint8_t* out) {
  std::array<std::uint8_t, header_size<iwarp::FpduHeader>> length;
  encode(iwarp::FpduHeader{ulpdu_len}, std::span(length));
  MarkedWriter writer(offset, out);
  writer.put(length);
  for (const Bytes piece : ulpdu) writer.put(piece);
  writer.put(Bytes(zeros).first(iwarp::pad_len(ulpdu_len)));
  writer.put_marker_if_due();  //= MPA-5044-4.4-13
  return {writer.len(), crc ? crc::crc32c({out, writer.len()}) : 0};
}

// The last piece, of which most of it consists, is read once, for the copy and the CRC.
Written put_unmarked(std::span<const Bytes> ulpdu, std::uint16_t ulpdu_len, bool crc, std::uint8_t* out) {
  encode(iwarp::FpduHeader{ulpdu_len}, std::span<std::uint8_t, iwarp::fpdu_header_size>(out, iwarp::fpdu_header_size));
  const std::uint32_t end = iwarp::fpdu_header_size + ulpdu_len;
  const Bytes last = ulpdu.empty() ? Bytes{} : ulpdu.back();
  std::size_t len = iwarp::fpdu_header_size;
  for (const Bytes piece : ulpdu.first(ulpdu.empty() ? 0 : ulpdu.size() - 1)) {
    if (!piece.empty()) std::memcpy(out + len, piece.data(), piece.size());
    len += piece.size();
  }
  std::uint32_t sum = 0;
  if (crc) {
    sum = crc::crc32c_copying({out, end}, last);
  } else if (!last.empty()) {
    std::memcpy(out + len, last.data(), last.size());
  }
  const Bytes pad = Bytes(zeros).first(iwarp::pad_len(ulpdu_len));
  if (pad.empty()) return {end, sum};
  std::memcpy(out + end, pad.data(), pad.size());
  return {end + pad.size(), crc ? crc::crc32c(pad, sum) : 0};
}

}  // namespace

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
  //= MPA-5044-4.1-06, MPA-5044-4.3-08, MPA-5044-4.4-10, MPA-5044-4.4-12
  const Written before_crc = markers_ ? put_marked(ulpdu, short_len, offset_, crc_, out.data())
                                      : put_unmarked(ulpdu, short_len, crc_, out.data());
  const iwarp::MpaCrc crc{crc_ ? iwarp::mpa_crc_of(before_crc.crc32c) : 0};
  encode(crc, std::span<std::uint8_t, iwarp::mpa_crc_size>(out.data() + before_crc.len, iwarp::mpa_crc_size));
  offset_ += len;
  return len;
}

}  // namespace rdmawire
