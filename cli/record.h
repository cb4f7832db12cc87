// One record of the output: a protocol data unit, the frame it lies in and what the capture file says about that.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/frame.h"
#include "codec/ib/headers.h"
#include "pcap/packet.h"

namespace rdmawire::cli {

// Refers to what the reader and the parser gave, and lives no longer than they.
struct Record {
  const pcap::Packet& packet;
  const Frame& frame;
  std::string_view file;                    // as it was named on the command line
  pcap::Timestamp first;                    // of the file's first packet
  std::optional<pcap::Timestamp> previous;  // of the record shown before this one, of the same file

  bool is_rdma() const { return frame.family != Family::none; }
};

// Octets of payload behind the headers of the packet's operation; nothing if not all of those could be read.
inline std::optional<std::uint32_t> payload_len(const Frame& frame) {
  if (frame.family == Family::none) return std::nullopt;
  const LayerRef* bth = frame.find(Layer::bth);
  if (bth == nullptr) return frame.error ? std::nullopt : std::optional(frame.payload_len);
  if (frame.opcode == nullptr) return std::nullopt;
  if (frame.payload_offset != bth->offset + ib::transport_size(*frame.opcode)) return std::nullopt;
  return frame.payload_len;
}

// Calls visit(LayerRef, its octets) for each layer in the order of the wire and then for the CRCs that were captured.
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

}  // namespace rdmawire::cli
