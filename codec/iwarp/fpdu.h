// A Framed PDU of an MPA stream: RFC 5044, 4. Its lengths, its Markers, and the ULPDU between them.
//
//   [Marker] ULPDU_Length(16) ULPDU PAD(0..3) [Marker before the CRC] CRC(32)       with more Markers inside
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/bytes.h"
#include "codec/base/crc_check.h"
#include "codec/base/layout.h"
#include "codec/crc/crc.h"

namespace rdmawire::iwarp {

//= MPA-5044-4.1-02
struct FpduHeader {
  std::uint16_t ulpdu_len{};  // octets of the ULPDU
};

constexpr auto layout(std::type_identity<FpduHeader>) {
  return Layout(Layer::fpdu, field<&FpduHeader::ulpdu_len, 16>("iwarp_mpa.ulpdulength", "ULPDU length"));
}
static_assert(header_size<FpduHeader> == 2);

//= MPA-5044-4.2-01
struct Marker {
  std::uint16_t reserved{};
  std::uint16_t fpdu_ptr{};  // octets from the FPDU's ULPDU_Length to the Marker; 0 for a Marker before it
};

constexpr auto layout(std::type_identity<Marker>) {
  return Layout(Layer::mpa_marker, field<&Marker::reserved, 16>("iwarp_mpa.marker_res", "Reserved").reserved(),
                field<&Marker::fpdu_ptr, 16>("iwarp_mpa.marker_fpduptr", "FPDU back pointer"));
}
static_assert(header_size<Marker> == 4);

// The CRC-32C as its field shows it. Its octets are the least significant first (RFC 5044, 4.4).
struct MpaCrc {
  std::uint32_t crc{};
};

constexpr auto layout(std::type_identity<MpaCrc>) {
  return Layout(Layer::mpa_crc, field<&MpaCrc::crc, 32>("iwarp_mpa.crc", "CRC").as(Display::hex));
}
static_assert(header_size<MpaCrc> == 4);

inline constexpr std::uint32_t marker_interval = 512;  // octets of the stream from one Marker to the next
inline constexpr std::uint32_t marker_size = header_size<Marker>;
inline constexpr std::uint32_t fpdu_header_size = header_size<FpduHeader>;
inline constexpr std::uint32_t mpa_crc_size = header_size<MpaCrc>;
inline constexpr std::uint32_t max_ulpdu_len = 0xFFFF;

// Octets of zeros after the ULPDU.
//= MPA-5044-4.1-05
constexpr std::uint32_t pad_len(std::uint32_t ulpdu_len) { return -(fpdu_header_size + ulpdu_len) % 4; }
// Octets of an FPDU without Markers, CRC included.
//= MPA-5044-4.1-09
constexpr std::uint32_t unmarked_len(std::uint32_t ulpdu_len) {
  return fpdu_header_size + ulpdu_len + pad_len(ulpdu_len) + mpa_crc_size;
}

inline constexpr std::uint32_t between_markers = marker_interval - marker_size;

// phase: octets from the last Marker position (a multiple of 512 after SeqStart) to the FPDU's first octet; 0 .. 508,
// a multiple of 4. At 0 a Marker stands before the ULPDU_Length and belongs to the FPDU.
//= MPA-5044-4.3-13
constexpr std::uint32_t num_markers(std::uint32_t ulpdu_len, std::uint32_t phase) {
  constexpr std::uint32_t between = between_markers;
  const std::uint32_t len = unmarked_len(ulpdu_len);
  if (phase == 0) return (len + between - 1) / between;
  const std::uint32_t room = marker_interval - phase;
  return len <= room ? 0 : (len - room + between - 1) / between;
}
inline constexpr std::uint32_t max_num_markers = num_markers(max_ulpdu_len, 0);
inline constexpr std::uint32_t max_fpdu_len = unmarked_len(max_ulpdu_len) + max_num_markers * marker_size;

// DDP must not give MPA a longer ULPDU, whatever ULPDU_Length can say (RFC 5044, 3).
inline constexpr std::uint32_t max_mulpdu = 64768;

// The octets that a TCP segment can carry (effective maximum segment size: RFC 5044, 4.5).
struct Emss {
  std::uint32_t value{};
};

// The longest ULPDU with which an FPDU fits in one TCP segment, wherever its Markers fall, and which wastes no octet on
// pad (RFC 5044, 4.5): what MPA tells DDP. It stays between 128 and max_mulpdu.
//= MPA-5044-3-04, MPA-5044-4.5-01, MPA-5044-4.5-02, MPA-5044-4.5-07
constexpr std::uint32_t mulpdu(Emss emss, bool markers) {
  constexpr std::uint32_t least = 128;
  const std::uint32_t marker_octets =
      markers ? marker_size * ((emss.value + marker_interval - 1) / marker_interval) : 0;
  const std::uint32_t overhead = fpdu_header_size + mpa_crc_size + marker_octets + emss.value % 4;
  return emss.value < overhead + least ? least : std::min(emss.value - overhead, max_mulpdu);
}

// An FPDU as it lies in the stream. It refers to octets of the caller's, which must outlive it.
struct Fpdu {
  static constexpr std::uint32_t no_marker = 0xFFFFFFFF;

  Bytes octets;                            // from its first octet (that of a leading Marker): what was captured of it
  std::uint64_t stream_offset = 0;         // of that octet
  std::uint32_t wire_len = 0;              // octets in the stream, Markers, pad and CRC included
  std::uint32_t first_marker = no_marker;  // offset in octets; the next ones lie 512 further each
  std::uint16_t num_markers = 0;
  std::uint16_t ulpdu_len = 0;
  // Of those captured: the FPDUPTR is another, its low two bits apart.
  std::uint32_t num_wrong_markers = 0;  //= MPA-5044-4.2-05
  std::uint32_t num_odd_markers = 0;    // reserved octets are not zero, which a receiver must not mind
  CrcCheck crc;                         // good, bad, unchecked or disabled

  bool is_whole() const { return octets.size() == wire_len; }
  // Where the ULPDU_Length is.
  std::uint32_t header_offset() const { return first_marker == 0 ? marker_size : 0; }
  // Octets of the ULPDU before the first Marker that comes after its beginning; only with Markers.
  std::uint32_t unmarked_head() const {
    return (first_marker == 0 ? marker_interval : first_marker) - header_offset() - fpdu_header_size;
  }
  // Where an octet lies in octets that has so many of the FPDU's before it, Markers not counted; from the ULPDU_Length
  // on.
  std::uint32_t place_of(std::uint32_t unmarked) const {
    if (unmarked < first_marker) return unmarked;
    return unmarked + marker_size * (1 + (unmarked - first_marker) / between_markers);
  }
  // The captured part of what is between Markers, as a short list of spans: calls visit(Bytes) for each, in order, over
  // the ULPDU's octets [from, from + len), or up to where the ULPDU or the capture ends.
  //= MPA-5044-4.3-14
  template <class Visit>
  void for_each_span(std::uint32_t from, std::uint32_t len, Visit&& visit) const {
    if (from >= ulpdu_len) return;
    std::uint32_t at = fpdu_header_size + from;
    for (std::uint32_t left = std::min(len, ulpdu_len - from); left != 0;) {
      std::uint32_t piece = left;
      if (first_marker != no_marker) {
        const std::uint32_t to_marker =
            at < first_marker ? first_marker - at : between_markers - (at - first_marker) % between_markers;
        piece = std::min(piece, to_marker);
      }
      const std::uint32_t place = place_of(at);
      if (place >= octets.size()) return;
      piece = std::min(piece, static_cast<std::uint32_t>(octets.size()) - place);
      visit(octets.subspan(place, piece));
      at += piece;
      left -= piece;
    }
  }
  template <class Visit>
  void for_each_span(Visit&& visit) const {
    for_each_span(0, ulpdu_len, visit);
  }
  // The ULPDU's first octets in one piece, as many as scratch has room for, of those captured: where no Marker
  // interrupts them as they lie, else copied to scratch.
  Bytes head(MutableBytes scratch) const {
    const std::size_t wanted = std::min<std::size_t>(scratch.size(), ulpdu_len);
    const std::size_t from = header_offset() + fpdu_header_size;
    if (from + wanted <= octets.size() && (first_marker == no_marker || wanted <= unmarked_head())) {
      return octets.subspan(from, wanted);
    }
    Bytes whole;
    std::size_t copied = 0;
    for_each_span(0, static_cast<std::uint32_t>(std::min<std::size_t>(scratch.size(), max_ulpdu_len)), [&](Bytes span) {
      if (copied == 0) whole = span;
      std::copy(span.begin(), span.end(), scratch.begin() + static_cast<std::ptrdiff_t>(copied));
      copied += span.size();
    });
    return copied == whole.size() ? whole : Bytes(scratch).first(copied);
  }
};

// What the CRC field must hold of an FPDU whose octets before it (Markers, ULPDU_Length, ULPDU and pad) have this
// CRC-32C.
//= MPA-5044-4.4-11
constexpr std::uint32_t mpa_crc_of(std::uint32_t crc32c) {
  return (crc32c & 0xFFU) << 24 | (crc32c & 0xFF00U) << 8 | (crc32c >> 8 & 0xFF00U) | crc32c >> 24;
}
//= MPA-5044-4.4-01
constexpr std::uint32_t mpa_crc(Bytes before_crc) { return mpa_crc_of(crc::crc32c(before_crc)); }

// The CRC field of a whole FPDU against its octets: good or bad.
//= MPA-5044-4.1-04, MPA-5044-4.4-14, MPA-5044-4.4-15
inline CrcCheck check_crc(const Fpdu& fpdu) {
  CrcCheck out;
  out.offset = fpdu.wire_len - mpa_crc_size;
  out.stored = static_cast<std::uint32_t>(load_be<4>(fpdu.octets.data() + out.offset));
  out.computed = mpa_crc(fpdu.octets.first(out.offset));
  out.status = out.stored == out.computed ? CrcStatus::good : CrcStatus::bad;
  return out;
}

}  // namespace rdmawire::iwarp
