#include "codec/iwarp/evidence.h"

#include <algorithm>
#include <bit>

#include "codec/iwarp/ddp.h"
#include "codec/iwarp/headers.h"
#include "codec/iwarp/opcode.h"
#include "codec/iwarp/rdmap.h"

namespace rdmawire::iwarp {

namespace {

constexpr std::size_t tagged_len = header_size<DdpTagged>;
constexpr std::size_t untagged_len = header_size<DdpUntagged>;
static_assert(untagged_len == max_ddp_header_len);

// A Terminate with all that it can have after its control word: segment length, DDP header, Read Request header.
constexpr std::size_t max_terminated_len = 2 + untagged_len + 28;

// Nominal bits of a header's type: six of DDP's control octet, its T flag, four of RDMAP's, and the opcodes that fit.
constexpr unsigned tagged_type_evidence = 14;    // two of the sixteen
constexpr unsigned untagged_type_evidence = 11;  // ten
// Of another type than those before it, in octets that are much like theirs.
constexpr unsigned further_type_evidence = 8;
// A ULPDU_Length that is just the opcode's, and a queue number other than zero: an octet each.
constexpr unsigned exact_len_evidence = 8;
constexpr unsigned queue_evidence = 8;
// That a header stands where the FPDU before it ends, and nowhere else near.
constexpr unsigned max_place_evidence = 6;
// A tagged offset that goes on where the segment before it ends: of its 64 bits those above the lowest 32 may be the
// same throughout a table, and tables have offsets that advance.
constexpr unsigned tagged_offset_evidence = 26;
// Likewise a message offset, which has two octets that are not zero.
constexpr unsigned message_offset_evidence = 16;
constexpr unsigned next_msn_evidence = 8;
// After a hole: an STag that was in use before it, for each of its octets that is not zero, and an offset near the
// last.
constexpr unsigned max_known_stag_evidence = 24;
constexpr unsigned near_offset_evidence = 16;
constexpr std::uint64_t near_len = std::uint64_t{1} << 24;
constexpr unsigned near_msn_evidence = 8;
constexpr std::uint32_t near_num_messages = std::uint32_t{1} << 16;

const OpcodeInfo* row_of(Bytes head) {
  return find(decode<RdmapControl>(head.subspan<rdmap_offset, header_size<RdmapControl>>()).opcode);
}

bool fits_tagged(std::uint16_t ulpdu_len, Bytes head) {
  if (head.size() < tagged_len) return true;
  const auto ddp = decode<DdpTagged>(head.first<tagged_len>());
  const std::uint64_t payload_len = ulpdu_len - tagged_len;
  return payload_len == 0 || ddp.tagged_offset.value + (payload_len - 1) >= ddp.tagged_offset.value;
}

bool fits_untagged(const OpcodeInfo& row, std::uint16_t ulpdu_len, Bytes head) {
  if (head.size() < untagged_len) return true;
  const auto ddp = decode<DdpUntagged>(head.first<untagged_len>());
  if (ddp.queue != row.queue) return false;
  if (row.segments == Segments::one && (!ddp.last || ddp.message_offset != 0)) return false;
  if (!row.invalidates && (ddp.rsvd_ulp[1] | ddp.rsvd_ulp[2] | ddp.rsvd_ulp[3] | ddp.rsvd_ulp[4]) != 0) return false;
  return std::uint64_t{ddp.message_offset} + (ulpdu_len - untagged_len) <= std::uint64_t{1} << 32;
}

bool fits_len(const OpcodeInfo& row, std::uint16_t ulpdu_len) {
  const std::size_t headers = segment_header_size(row);
  switch (row.payload) {
    case PayloadRule::none:
      return ulpdu_len == headers;
    case PayloadRule::any:
      return ulpdu_len >= headers;
    case PayloadRule::terminated:
      return ulpdu_len >= headers && ulpdu_len <= headers + max_terminated_len;
  }
  return false;
}

}  // namespace

bool is_possible_segment(std::uint16_t ulpdu_len, Bytes head) {
  constexpr std::size_t type_len = rdmap_offset + header_size<RdmapControl>;
  if (ulpdu_len < tagged_len || head.size() < type_len) return ulpdu_len >= tagged_len;
  const std::array<std::uint8_t, 4> first{0, 0, head[0], head[1]};
  if (!may_begin_fpdu(first.data())) return false;
  const OpcodeInfo* row = row_of(head);
  if (row == nullptr || row->tagged() != ((head[0] & 0x80U) != 0) || !fits_len(*row, ulpdu_len)) return false;
  return row->tagged() ? fits_tagged(ulpdu_len, head) : fits_untagged(*row, ulpdu_len, head);
}

Chain::TaggedSegment Chain::tagged_segment(std::uint16_t ulpdu_len, Bytes head) {
  const auto ddp = decode<DdpTagged>(head.first<tagged_len>());
  return {true, head[rdmap_offset], ddp.stag.value, ddp.tagged_offset.value,
          static_cast<std::uint32_t>(ulpdu_len - tagged_len)};
}

Chain::UntaggedSegment Chain::untagged_segment(std::uint16_t ulpdu_len, Bytes head) {
  const auto ddp = decode<DdpUntagged>(head.first<untagged_len>());
  return {true, ddp.last, ddp.msn.value, ddp.message_offset, static_cast<std::uint32_t>(ulpdu_len - untagged_len)};
}

void Chain::note(std::uint16_t ulpdu_len, Bytes head) {
  if (head.size() < tagged_len || ulpdu_len < tagged_len) return;
  if ((head[0] & 0x80U) != 0) {
    tagged_ = tagged_segment(ulpdu_len, head);
  } else if (head.size() >= untagged_len && ulpdu_len >= untagged_len) {
    const std::uint32_t queue = peek<&DdpUntagged::queue>(head.first<untagged_len>()).value;
    if (queue < untagged_.size()) untagged_[queue] = untagged_segment(ulpdu_len, head);
  }
}

void Chain::interrupt() {
  types_seen_ = 0;
  interrupted_ = true;
  last_ulpdu_len_ = 0;
  last_head_len_ = 0;
}

unsigned Chain::worth_of_tagged(const TaggedSegment& segment) const {
  if (!tagged_.known || segment.stag != tagged_.stag) return 0;
  if (!interrupted_) {
    return segment.opcode == tagged_.opcode && tagged_.payload_len != 0 &&
                   segment.offset == tagged_.offset + tagged_.payload_len
               ? tagged_offset_evidence
               : 0;
  }
  unsigned worth = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) worth += (segment.stag >> shift & 0xFFU) != 0 ? 8 : 0;
  worth = std::min(worth, max_known_stag_evidence);
  // Offsets advance within a message; the next one's may be that of the last again.
  const bool has_high_octets = segment.offset >= near_len;
  return worth + (has_high_octets && segment.offset - tagged_.offset < near_len ? near_offset_evidence : 0);
}

unsigned Chain::worth_of_untagged(const UntaggedSegment& before, const UntaggedSegment& segment) const {
  if (!before.known) return 0;
  if (interrupted_) return segment.msn - before.msn <= near_num_messages ? near_msn_evidence : 0;
  if (before.last) return segment.msn == before.msn + 1 && segment.offset == 0 ? next_msn_evidence : 0;
  return segment.msn == before.msn && before.payload_len != 0 && segment.offset == before.offset + before.payload_len
             ? message_offset_evidence
             : 0;
}

std::optional<unsigned> Chain::add(std::uint16_t ulpdu_len, Bytes head, std::uint32_t num_others) {
  if (!is_possible_segment(ulpdu_len, head)) return std::nullopt;
  if (head.size() < tagged_len) return 0U;
  const bool is_tagged = (head[0] & 0x80U) != 0;
  if (!is_tagged && head.size() < untagged_len) return 0U;
  head = head.first(is_tagged ? tagged_len : untagged_len);

  const bool repeated = ulpdu_len == last_ulpdu_len_ && head.size() == last_head_len_ &&
                        std::equal(head.begin(), head.end(), last_head_.begin());
  last_ulpdu_len_ = ulpdu_len;
  last_head_len_ = static_cast<std::uint32_t>(head.size());
  std::copy(head.begin(), head.end(), last_head_.begin());
  if (repeated) return 0U;

  const OpcodeInfo& row = *row_of(head);
  const std::uint32_t type = std::uint32_t{1} << static_cast<unsigned>(row.opcode);
  unsigned worth = 0;
  if ((types_seen_ & type) == 0) {
    worth += types_seen_ != 0 ? further_type_evidence : is_tagged ? tagged_type_evidence : untagged_type_evidence;
    if (row.payload == PayloadRule::none) worth += exact_len_evidence;
    if (!is_tagged && row.queue.value != 0) worth += queue_evidence;
    types_seen_ |= type;
  } else {
    worth += std::min<unsigned>(static_cast<unsigned>(std::bit_width(num_others + 1)) - 1, max_place_evidence);
  }
  if (is_tagged) {
    const TaggedSegment segment = tagged_segment(ulpdu_len, head);
    worth += worth_of_tagged(segment);
    tagged_ = segment;
  } else {
    const UntaggedSegment segment = untagged_segment(ulpdu_len, head);
    UntaggedSegment& before = untagged_[row.queue.value];
    worth += worth_of_untagged(before, segment);
    before = segment;
  }
  interrupted_ = false;
  return worth;
}

}  // namespace rdmawire::iwarp
