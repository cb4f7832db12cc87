// How an FPDU lies at a place of a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/base/bytes.h"
#include "codec/iwarp/fpdu.h"

namespace rdmawire::detail {

// The Markers of a direction.
struct MarkerPlaces {
  bool any = false;
  std::uint64_t origin = 0;  // stream offset of one of them; only if any

  // Octets from the last place of a Marker.
  std::uint32_t phase(std::uint64_t offset) const {
    return static_cast<std::uint32_t>((offset - origin) % iwarp::marker_interval);
  }
  // Whether one stands before an FPDU that begins at offset, and belongs to it.
  bool leads(std::uint64_t offset) const { return any && phase(offset) == 0; }
  // Octets of the stream from an FPDU's beginning that hold so many octets of it and the Markers before those.
  std::uint32_t marked_len(std::uint64_t offset, std::uint32_t unmarked) const {
    if (!any) return unmarked;
    constexpr std::uint32_t between = iwarp::marker_interval - iwarp::marker_size;
    const std::uint32_t at = phase(offset);
    const std::uint32_t room = at == 0 ? 0 : iwarp::marker_interval - at;  // before the first Marker
    return unmarked <= room ? unmarked : unmarked + iwarp::marker_size * ((unmarked - room + between - 1) / between);
  }
};

// Octets from an FPDU's beginning until its ULPDU_Length has been read.
inline std::uint32_t length_end(const MarkerPlaces& markers, std::uint64_t offset) {
  return static_cast<std::uint32_t>(header_size<iwarp::FpduHeader>) + (markers.leads(offset) ? iwarp::marker_size : 0U);
}

// An FPDU's lengths.
struct FpduShape {
  std::uint32_t len = 0;  // octets in the stream; 0 if too little was captured to know
  std::uint16_t ulpdu_len = 0;
};

// captured: the octets from its beginning on.
//= MPA-5044-5.2-01
inline FpduShape shape_at(const MarkerPlaces& markers, std::uint64_t offset, Bytes captured) {
  const std::uint32_t end = length_end(markers, offset);
  if (captured.size() < end) return {};
  FpduShape out;
  out.ulpdu_len = static_cast<std::uint16_t>(load_be<2>(captured.data() + end - 2));
  out.len = markers.marked_len(offset, iwarp::unmarked_len(out.ulpdu_len));
  return out;
}

// Whether the Marker at that place of the FPDU's octets points back to the FPDU's beginning: FPDUPTR has 16 bits, of
// which the low two don't count.
//= MPA-5044-4.2-02, MPA-5044-4.2-03, MPA-5044-4.2-05, MPA-5044-4.3-12
inline bool has_right_pointer(const iwarp::Fpdu& fpdu, std::size_t at) {
  const std::uint32_t back = at == 0 ? 0 : static_cast<std::uint32_t>(at) - fpdu.header_offset();
  return (load_be<2>(fpdu.octets.data() + at + 2) & 0xFFFCU) == (back & 0xFFFCU);
}
inline bool has_reserved_zero(const iwarp::Fpdu& fpdu, std::size_t at) {
  return load_be<2>(fpdu.octets.data() + at) == 0;
}

// The FPDU of that shape; its CRC is left absent. captured: those of its octets that were.
inline iwarp::Fpdu fpdu_at(const MarkerPlaces& markers, std::uint64_t offset, const FpduShape& shape, Bytes captured) {
  using iwarp::marker_interval;
  using iwarp::marker_size;
  iwarp::Fpdu out;
  out.octets = captured;
  out.stream_offset = offset;
  out.wire_len = shape.len;
  out.ulpdu_len = shape.ulpdu_len;
  if (!markers.any) return out;
  const std::uint32_t phase = markers.phase(offset);
  const std::uint32_t first = phase == 0 ? 0 : marker_interval - phase;
  out.num_markers = static_cast<std::uint16_t>(iwarp::num_markers(shape.ulpdu_len, phase));
  if (out.num_markers == 0) return out;
  out.first_marker = first;
  for (std::size_t at = first; at + marker_size <= captured.size(); at += marker_interval) {
    out.num_wrong_markers += !has_right_pointer(out, at);
    out.num_odd_markers += !has_reserved_zero(out, at);
  }
  return out;
}

}  // namespace rdmawire::detail
