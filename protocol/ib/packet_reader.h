// Transport packets out of octets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "protocol/ib/expected_headers.h"
#include "protocol/ib/packet.h"

namespace rdmawire::ib {

// The packet there. Of packet.grh and congestion, which lie outside of it, has_grh is cleared only.
inline void decode_packet(Bytes frame, TransportPlace place, RxPacket& packet) {
  decode_to(packet.bth, HeaderBytes<Bth>(frame.data() + place.bth, header_size<Bth>));
  packet.row = ib::find(packet.bth.opcode);
  packet.headers_complete = packet.payload_fits = true;
  packet.payload = {};
  packet.has_grh = false;
  std::uint32_t end = place.bth + std::uint32_t{header_size<Bth>};
  if (packet.row != nullptr) {
    //= HV-23
    packet.headers_complete = place.bth + transport_size(*packet.row) <= std::max(place.icrc, end);
    if (!packet.headers_complete) {
      packet.headers = {};
      return;
    }
    for (std::size_t i = 0; i < packet.row->num_headers; ++i) {
      with_extended(packet.headers, packet.row->headers[i], [&]<Header T>(T& header) {
        decode_to(header, HeaderBytes<T>(frame.data() + end, header_size<T>));
        end += std::uint32_t{header_size<T>};
      });
    }
  }
  //= LEN-05
  const std::uint32_t after = place.icrc > end ? place.icrc - end : 0;
  packet.payload_fits = packet.bth.pad_count <= after;
  if (packet.payload_fits) packet.payload = frame.subspan(end, after - packet.bth.pad_count);
}

}  // namespace rdmawire::ib
