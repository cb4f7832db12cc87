// The tap `rdma`, to which statistics listen, and the first of them.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include "codec/frame.h"
#include "dissector/streams.h"
#include "dissector/wireshark_api.h"

namespace rdmawire::dissector {

// What a listener gets for each packet of the InfiniBand family and each PDU of iWARP: valid during the call.
struct TapData {
  Family family{};
  const char* service = "";    // "RC", "UD", ..., "iWARP"
  const char* operation = "";  // name of the opcode
  std::uint32_t payload_len = 0;
  CrcStatus crc{};  // ICRC, or the CRC of the FPDU
  // One of them is null.
  const Frame* frame = nullptr;
  const KeptPdu* pdu = nullptr;
};

// The tap is "rdma"; `-z rdma_ops,tree` counts by service and opcode.
void register_statistics();
bool anybody_listens();
void tell_listeners(packet_info* pinfo, const Frame& frame);
void tell_listeners(packet_info* pinfo, const KeptPdu& kept, const ReadPdu& read);

}  // namespace rdmawire::dissector
