// The payload of what is sent, for every service.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/ib/packet.h"
#include "protocol/verbs/gather.h"

namespace rdmawire::ib {

// Puts the octets [offset, offset + size) of the request's message into the packet: see verbs::gather. False if one of
// its pieces names memory that it must not.
inline bool gather(const verbs::QueuePair& qp, const verbs::SendWork& work, std::uint64_t offset, std::uint32_t size,
                   std::vector<Bytes>& pieces, TxPacket& out) {
  const auto num_pieces = verbs::gather(qp, work, offset, size, pieces);
  out.payload_len = size;
  out.payload = std::span<const Bytes>(pieces).first(num_pieces.value_or(0));
  return num_pieces.has_value();
}

}  // namespace rdmawire::ib
