// DDP segments between RDMAP and what carries them: an MPA stream or SCTP.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/base/bytes.h"
#include "codec/iwarp/headers.h"
#include "codec/iwarp/pdu.h"

namespace rdmawire::iwarp {

// One that came whole, and whose CRC is good or not in use. It refers to octets that outlive the call it is given to.
//= MPA-5044-3-08
//= DDP-5041-3-04, DDP-5041-3-07
class RxSegment {
 public:
  explicit RxSegment(const Fpdu& fpdu) : fpdu_(&fpdu), len_(fpdu.ulpdu_len), head_(fpdu.head(scratch_)) {}
  explicit RxSegment(Bytes ulpdu) : octets_(ulpdu), len_(static_cast<std::uint32_t>(ulpdu.size())), head_(ulpdu) {}
  RxSegment(const RxSegment&) = delete;
  RxSegment& operator=(const RxSegment&) = delete;

  // Octets, DDP header included.
  std::uint32_t len() const { return len_; }
  // Its first octets in one piece, all headers among them.
  Bytes head() const { return head_; }
  // Calls visit(Bytes) for each piece of the octets from `from` on.
  template <class Visit>
  void for_each_span(std::uint32_t from, Visit&& visit) const {
    if (fpdu_ == nullptr) {
      if (from < len_) visit(octets_.subspan(from));
    } else {
      fpdu_->for_each_span(from, len_, visit);
    }
  }

 private:
  std::array<std::uint8_t, max_pdu_head> scratch_;
  const Fpdu* fpdu_ = nullptr;
  Bytes octets_;
  std::uint32_t len_;
  Bytes head_;
};

// Octets before the payload of a tagged segment.
inline constexpr auto tagged_header_size = static_cast<std::uint32_t>(header_size<DdpTagged>);

// Octets of the longest headers that RDMAP sends: a Terminate that quotes a Read Request.
inline constexpr std::size_t max_segment_header =
    header_size<DdpUntagged> + header_size<Terminate> + max_terminate_body_len;
static_assert(max_segment_header >= header_size<DdpUntagged> + header_size<AtomicRequest>);

// One that shall go.
struct TxSegment {
  std::array<std::uint8_t, max_segment_header> header;
  std::uint32_t header_len = 0;
  // Registered memory, or what the stream holds: valid until it is called again.
  std::span<const Bytes> payload;
  std::uint32_t payload_len = 0;  // octets of all pieces

  std::uint32_t len() const { return header_len + payload_len; }
  // All its octets, piece by piece; room for one more than the payload has.
  std::span<const Bytes> pieces(std::span<Bytes> room) const {
    room[0] = Bytes(header).first(header_len);
    std::copy(payload.begin(), payload.end(), room.begin() + 1);
    return room.first(payload.size() + 1);
  }
};

}  // namespace rdmawire::iwarp
