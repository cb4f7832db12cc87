// A PDU of iWARP as the outputs see it: its Markers and CRC as headers, its lengths, its place in the stream.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/layer_stack.h"
#include "codec/iwarp/fpdu.h"
#include "codec/iwarp/mpa.h"
#include "codec/iwarp/pdu.h"
#include "pcap/reassembly/iwarp_streams.h"

namespace rdmawire::cli {

// What a PDU without an RDMAP message is called, by its kind; empty for one that has a message.
inline constexpr std::array<std::string_view, 6> pdu_kind_names{"MPA_REQUEST",        "MPA_REPLY", "", "", "",
                                                                "DDP_SESSION_CONTROL"};

constexpr std::string_view kind_name(iwarp::PduKind kind) { return pdu_kind_names[static_cast<std::size_t>(kind)]; }

// The operation's name; empty if its opcode is reserved or was not captured.
inline std::string_view operation(const iwarp::Pdu& pdu) {
  return pdu.opcode != nullptr ? pdu.opcode->name : kind_name(pdu.kind);
}

constexpr bool is_startup(const iwarp::Pdu& pdu) {
  return pdu.kind == iwarp::PduKind::mpa_request || pdu.kind == iwarp::PduKind::mpa_reply;
}

// The private data of a start-up frame with the enhanced block, as far as it was captured; nothing of other PDUs.
inline Bytes private_data(const iwarp::Pdu& pdu) {
  if (!is_startup(pdu) || pdu.captured.size() <= iwarp::startup_header_size) return {};
  return pdu.captured.subspan(iwarp::startup_header_size);
}

constexpr std::string_view name_of(reassembly::Recognition recognition) {
  constexpr std::array<std::string_view, 3> names{"startup", "mid_stream", "told"};
  return names[static_cast<std::size_t>(recognition)];
}

// The end that sent it. Who is the initiator only the start-up tells.
constexpr std::string_view sender_of(const reassembly::StreamPdu& pdu) {
  if (pdu.recognition == reassembly::Recognition::startup) return pdu.from_initiator ? "initiator" : "responder";
  return pdu.from_initiator ? "first" : "second";
}

// Where octet `offset` of the PDU without its Markers lies in the PDU as it was sent.
constexpr std::uint32_t sent_offset(const iwarp::Fpdu& fpdu, std::uint32_t offset) {
  if (fpdu.first_marker == iwarp::Fpdu::no_marker || offset < fpdu.first_marker) return offset;
  constexpr std::uint32_t between = iwarp::marker_interval - iwarp::marker_size;
  const std::uint32_t before = 1 + (offset - fpdu.first_marker) / between;
  return offset + iwarp::marker_size * std::min<std::uint32_t>(before, fpdu.num_markers);
}

constexpr std::uint32_t marker_offset(const iwarp::Fpdu& fpdu, std::uint32_t index) {
  return fpdu.first_marker + index * iwarp::marker_interval;
}

// Calls visit(LayerRef, its octets) for each Marker that was captured. Offsets are those in the PDU as it was sent.
template <class Visit>
void for_each_marker(const iwarp::Fpdu& fpdu, Visit&& visit) {
  constexpr const HeaderInfo& info = header_info<iwarp::Marker>;
  for (std::uint32_t i = 0; i < fpdu.num_markers; ++i) {
    const std::uint32_t offset = marker_offset(fpdu, i);
    if (std::size_t{offset} + info.size > fpdu.octets.size()) return;
    visit(LayerRef{&info, offset, info.size, info.layer, false}, fpdu.octets.subspan(offset, info.size));
  }
}

// The pad of an FPDU that was captured whole; none, or up to three octets. A Marker may lie among them.
class PadOctets {
 public:
  explicit PadOctets(const iwarp::Fpdu& fpdu) : size_(iwarp::pad_len(fpdu.ulpdu_len)) {
    const std::uint32_t from = iwarp::fpdu_header_size + fpdu.ulpdu_len;
    for (std::uint32_t i = 0; i < size_; ++i) octets_[i] = fpdu.octets[fpdu.place_of(from + i)];
  }
  Bytes view() const { return Bytes(octets_).first(size_); }

 private:
  std::array<std::uint8_t, 3> octets_{};
  std::uint32_t size_;
};

// Calls visit(LayerRef, its octets) for the CRC, if it was captured.
template <class Visit>
void visit_crc(const iwarp::Fpdu& fpdu, Visit&& visit) {
  constexpr const HeaderInfo& info = header_info<iwarp::MpaCrc>;
  if (!fpdu.is_whole()) return;
  const std::uint32_t offset = fpdu.wire_len - iwarp::mpa_crc_size;
  visit(LayerRef{&info, offset, info.size, info.layer, false}, fpdu.octets.subspan(offset, info.size));
}

}  // namespace rdmawire::cli
