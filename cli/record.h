// One record of the output: a protocol data unit, the frame it lies in and what the capture file says about that.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/frame.h"
#include "codec/frame_view.h"
#include "codec/iwarp/pdu_view.h"
#include "pcap/packet.h"
#include "pcap/reassembly/iwarp_streams.h"

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
  if (record.pdu != nullptr) return iwarp::payload_len(*record.pdu);
  return payload_len(record.frame);
}

// Calls visit(LayerRef, its octets) for each header of the frame and then of the PDU.
template <class Visit>
void for_each_header(const Record& record, Visit&& visit) {
  for_each_header(record.frame, visit);
  if (record.pdu == nullptr) return;
  if (record.chunk != nullptr) visit(*record.chunk, record.frame.octets(*record.chunk));
  iwarp::for_each_header(*record.pdu, record.fpdu(), visit);
}

}  // namespace rdmawire::cli
