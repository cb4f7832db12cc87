// Transport packets of InfiniBand as the vectors have them: BTH to the last octet of pad. What the port decides is the
// same in all: P_Key 0xFFFF, M set, the rest 0.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/ib/packet.h"

namespace rdmawire::vectors {

std::vector<std::uint8_t> packet_octets(const ib::Bth& bth, const ib::ExtendedHeaders& headers, Bytes payload);
std::vector<std::uint8_t> packet_octets(const ib::TxPacket& packet, Qpn destination);

// octets outlive the packet.
ib::RxPacket read_packet(Bytes octets);

}  // namespace rdmawire::vectors
