// A PDU of iWARP as all outputs see it: what it is called, its Markers and CRC as headers, its lengths.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/base/layer_stack.h"
#include "codec/iwarp/fpdu.h"
#include "codec/iwarp/mpa.h"
#include "codec/iwarp/pdu.h"

namespace rdmawire::iwarp {

// What a PDU without an RDMAP message is called, by its kind; empty for one that has a message.
inline constexpr std::array<std::string_view, 6> pdu_kind_names{"MPA_REQUEST",        "MPA_REPLY", "", "", "",
                                                                "DDP_SESSION_CONTROL"};

constexpr std::string_view kind_name(PduKind kind) { return pdu_kind_names[static_cast<std::size_t>(kind)]; }

// The operation's name; empty if its opcode is reserved or was not captured.
inline std::string_view operation(const Pdu& pdu) {
  return pdu.opcode != nullptr ? pdu.opcode->name : kind_name(pdu.kind);
}

// Octets of payload behind the PDU's headers; nothing if not all of those could be read.
inline std::optional<std::uint32_t> payload_len(const Pdu& pdu) {
  return pdu.error ? std::nullopt : std::optional(pdu.payload_len);
}

constexpr bool is_startup(const Pdu& pdu) { return pdu.kind == PduKind::mpa_request || pdu.kind == PduKind::mpa_reply; }

// The private data of a start-up frame with the enhanced block, as far as it was captured; nothing of other PDUs.
inline Bytes private_data(const Pdu& pdu) {
  if (!is_startup(pdu) || pdu.captured.size() <= startup_header_size) return {};
  return pdu.captured.subspan(startup_header_size);
}

// Where octet `offset` of the PDU without its Markers lies in the PDU as it was sent.
inline std::uint32_t sent_offset(const Fpdu& fpdu, std::uint32_t offset) {
  return std::min(fpdu.place_of(offset), offset + marker_size * fpdu.num_markers);
}

constexpr std::uint32_t marker_offset(const Fpdu& fpdu, std::uint32_t index) {
  return fpdu.first_marker + index * marker_interval;
}

// Calls visit(LayerRef, its octets) for each Marker that was captured. Offsets are those in the PDU as it was sent.
template <class Visit>
void for_each_marker(const Fpdu& fpdu, Visit&& visit) {
  constexpr const HeaderInfo& info = header_info<Marker>;
  for (std::uint32_t i = 0; i < fpdu.num_markers; ++i) {
    const std::uint32_t offset = marker_offset(fpdu, i);
    if (std::size_t{offset} + info.size > fpdu.octets.size()) return;
    visit(LayerRef{&info, offset, info.size, info.layer, false}, fpdu.octets.subspan(offset, info.size));
  }
}

// The pad of an FPDU that was captured whole; none, or up to three octets. A Marker may lie among them.
class PadOctets {
 public:
  explicit PadOctets(const Fpdu& fpdu) : size_(pad_len(fpdu.ulpdu_len)) {
    const std::uint32_t from = fpdu_header_size + fpdu.ulpdu_len;
    for (std::uint32_t i = 0; i < size_; ++i) octets_[i] = fpdu.octets[fpdu.place_of(from + i)];
  }
  Bytes view() const { return Bytes(octets_).first(size_); }

 private:
  std::array<std::uint8_t, 3> octets_{};
  std::uint32_t size_;
};

// Calls visit(LayerRef, its octets) for the CRC, if it was captured.
template <class Visit>
void visit_crc(const Fpdu& fpdu, Visit&& visit) {
  constexpr const HeaderInfo& info = header_info<MpaCrc>;
  if (!fpdu.is_whole()) return;
  const std::uint32_t offset = fpdu.wire_len - mpa_crc_size;
  visit(LayerRef{&info, offset, info.size, info.layer, false}, fpdu.octets.subspan(offset, info.size));
}

// Calls visit(LayerRef, its octets) for each header of the PDU and then for the Markers and the CRC of its FPDU, if it
// has one.
template <class Visit>
void for_each_header(const Pdu& pdu, const Fpdu* fpdu, Visit&& visit) {
  for (const LayerRef& ref : pdu.layers()) visit(ref, pdu.octets(ref));
  if (fpdu == nullptr) return;
  for_each_marker(*fpdu, visit);
  visit_crc(*fpdu, visit);
}

}  // namespace rdmawire::iwarp
