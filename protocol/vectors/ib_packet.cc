#include "protocol/vectors/ib_packet.h"

#include "codec/ib/opcode.h"
#include "protocol/ib/packet_reader.h"

namespace rdmawire::vectors {

std::vector<std::uint8_t> packet_octets(const ib::Bth& bth, const ib::ExtendedHeaders& headers, Bytes payload) {
  std::vector<std::uint8_t> out(header_size<ib::Bth>);
  encode(bth, std::span<std::uint8_t, header_size<ib::Bth>>(out));
  if (const ib::OpcodeInfo* row = ib::find(bth.opcode)) {
    for (std::size_t i = 0; i < row->num_headers; ++i) {
      ib::with_extended(headers, row->headers[i], [&]<Header T>(const T& header) {
        std::array<std::uint8_t, header_size<T>> octets;
        encode(header, octets);
        out.insert(out.end(), octets.begin(), octets.end());
      });
    }
  }
  out.insert(out.end(), payload.begin(), payload.end());
  out.resize(out.size() + bth.pad_count);
  return out;
}

std::vector<std::uint8_t> packet_octets(const ib::TxPacket& packet, Qpn destination) {
  ib::Bth bth;
  bth.opcode = packet.opcode;
  bth.solicited = packet.solicited;
  bth.migrated = true;
  bth.pad_count = static_cast<std::uint8_t>(-packet.payload_len & 3U);
  bth.p_key = {0xFFFF};
  bth.dest_qp = destination;
  bth.ack_request = packet.ack_request;
  bth.psn = packet.psn;
  std::vector<std::uint8_t> payload;
  for (const Bytes piece : packet.payload) payload.insert(payload.end(), piece.begin(), piece.end());
  return packet_octets(bth, packet.headers, payload);
}

ib::RxPacket read_packet(Bytes octets) {
  ib::RxPacket out;
  ib::decode_packet(octets, {0, static_cast<std::uint32_t>(octets.size())}, out);
  return out;
}

}  // namespace rdmawire::vectors
