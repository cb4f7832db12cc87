// One record of the output: a protocol data unit, the frame it lies in and what the capture file says about that.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/iwarp_pdu.h"
#include "codec/frame.h"
#include "codec/ib/headers.h"
#include "pcap/packet.h"

namespace rdmawire::cli {

// Refers to what the reader and the parsers gave, and lives no longer than they.
struct Record {
  const pcap::Packet& packet;
  const Frame& frame;
  std::string_view file;                    // as it was named on the command line
  pcap::Timestamp first;                    // of the file's first packet
  std::optional<pcap::Timestamp> previous;  // of the record shown before this one, of the same file
  // The PDU of iWARP that ended in this frame; nullptr for a record of the frame itself.
  const iwarp::Pdu* pdu = nullptr;
  // Where the PDU lay in its TCP stream, or else the DATA chunk of SCTP in the frame that is all of it.
  const reassembly::StreamPdu* stream = nullptr;
  const LayerRef* chunk = nullptr;

  Family family() const { return pdu != nullptr ? Family::iwarp : frame.family; }
  bool is_rdma() const { return family() != Family::none; }
  const iwarp::Fpdu* fpdu() const { return stream != nullptr ? stream->fpdu : nullptr; }
  // Why reading stopped: of the PDU, or else of the frame.
  const Error& error() const { return pdu != nullptr && pdu->error ? pdu->error : frame.error; }
};

// The operation's name; empty if the record has none or a reserved one.
inline std::string_view operation(const Record& record) {
  if (record.pdu != nullptr) return operation(*record.pdu);
  return record.frame.opcode != nullptr ? record.frame.opcode->name : std::string_view{};
}

// Octets of payload behind the headers of the packet's operation; nothing if not all of those could be read.
inline std::optional<std::uint32_t> payload_len(const Record& record) {
  if (record.pdu != nullptr) return record.pdu->error ? std::nullopt : std::optional(record.pdu->payload_len);
  const Frame& frame = record.frame;
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

// The same for the frame and then the PDU.
template <class Visit>
void for_each_header(const Record& record, Visit&& visit) {
  for_each_header(record.frame, visit);
  if (record.pdu == nullptr) return;
  if (record.chunk != nullptr) visit(*record.chunk, record.frame.octets(*record.chunk));
  for (const LayerRef& ref : record.pdu->layers()) visit(ref, record.pdu->octets(ref));
  if (const iwarp::Fpdu* fpdu = record.fpdu()) {
    for_each_marker(*fpdu, visit);
    visit_crc(*fpdu, visit);
  }
}

}  // namespace rdmawire::cli
