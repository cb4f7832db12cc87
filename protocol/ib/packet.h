// A transport packet as the machines take and give it: decoded, without the link and network around it. The port
// (port.h) makes one out of a frame, and a frame out of one.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/base/bytes.h"
#include "codec/ib/extended_headers.h"
#include "protocol/time.h"
#include "protocol/verbs/address_vector.h"

namespace rdmawire::ib {

// One that came: CRCs, lengths of the network, versions, destination QP and P_Key are checked (HV-01 .. HV-13, HV-18).
struct RxPacket {
  const OpcodeInfo* row = nullptr;  // nullptr: reserved inside the service's class (HV-14)
  Bth bth{};
  ExtendedHeaders headers;       // only those that the opcode has say something
  Bytes payload;                 // without pad; as long as the packet lives
  bool payload_fits = true;      // false: the pad count is larger than what follows the headers (LEN-05)
  bool headers_complete = true;  // false: shorter than the headers of its opcode (HV-23); headers is not set then
  bool congestion = false;       // CE (RoCEv2) or FECN (native)
  // UD: what goes before the payload into the receive buffer (UD-03, UD-04).
  std::array<std::uint8_t, 40> grh{};
  bool has_grh = false;
};

// One that shall go. The port adds everything else: path, P_Key, destination QP, M bit, pad, CRCs.
struct TxPacket {
  // As new, but for the headers: only those count that the opcode has, and their maker sets them. Together they are
  // large.
  void clear() {
    solicited = ack_request = false;
    payload = {};
    payload_len = 0;
    destination = nullptr;
  }

  Opcode opcode{};
  Psn psn{};
  bool solicited = false;
  bool ack_request = false;
  ExtendedHeaders headers;
  // The payload, piece by piece: registered memory, or what the machine holds. Valid until the machine is called again.
  std::span<const Bytes> payload;
  std::uint32_t payload_len = 0;  // octets of all pieces
  // Of a datagram; otherwise the queue pair's path and destination.
  const verbs::AddressVector* destination = nullptr;
  Qpn destination_qp{};
};

}  // namespace rdmawire::ib
