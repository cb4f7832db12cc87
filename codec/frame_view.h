// A frame as all outputs see it: its operation's payload, and its headers with the CRCs among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/frame.h"
#include "codec/ib/headers.h"

namespace rdmawire {

// Octets of payload behind the headers of the packet's operation; nothing if not all of those could be read.
inline std::optional<std::uint32_t> payload_len(const Frame& frame) {
  if (frame.family == Family::none) return std::nullopt;
  const LayerRef* bth = frame.find(Layer::bth);
  if (bth == nullptr) return frame.error ? std::nullopt : std::optional(frame.payload_len);
  if (frame.opcode == nullptr) return std::nullopt;
  if (frame.payload_offset != bth->offset + ib::transport_size(*frame.opcode)) return std::nullopt;
  return frame.payload_len;
}

// Calls visit(LayerRef, its octets) for each of the frame's layers in the order of the wire and then for the CRCs that
// were captured.
template <class Visit>
void for_each_header(const Frame& frame, Visit&& visit) {
  for (const LayerRef& ref : frame.layers()) visit(ref, frame.octets(ref));
  const auto crc = [&](const HeaderInfo& info, const CrcCheck& check) {
    if (check.status == CrcStatus::absent) return;
    if (check.offset > frame.captured.size() || frame.captured.size() - check.offset < info.size) return;
    visit(LayerRef{&info, check.offset, info.size, info.layer, false}, frame.captured.subspan(check.offset, info.size));
  };
  crc(header_info<ib::Icrc>, frame.icrc);
  // A flow control packet has its CRC among its own fields.
  if (frame.find(Layer::flow_control) == nullptr) crc(header_info<ib::Vcrc>, frame.vcrc);
}

// True if all bits of the field are 0; of reserved ones outputs then show nothing.
inline bool is_zero(const FieldInfo& field, Bytes header) {
  if (field.is_number()) return number(field, header) == 0;
  for (const std::uint8_t octet : octets(field, header)) {
    if (octet != 0) return false;
  }
  return true;
}

}  // namespace rdmawire
