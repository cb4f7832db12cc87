// The PDUs of iWARP in an SCTP packet: a DATA chunk each (RFC 5043).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/frame.h"
#include "codec/iwarp/pdu.h"
#include "codec/net/sctp.h"

namespace rdmawire {

// What a DATA chunk holds by its payload protocol; nothing if that is not one of iWARP's. (A fragment of a message
// can't be read alone; RFC 5043, 5.2 has them in one piece.)
inline std::optional<iwarp::PduKind> sctp_pdu_kind(const net::SctpData& chunk) {
  if (!chunk.beginning || !chunk.ending) return std::nullopt;
  if (chunk.payload_protocol == net::SctpPayloadProtocol::ddp_segment) return iwarp::PduKind::sctp_segment;
  if (chunk.payload_protocol == net::SctpPayloadProtocol::ddp_session_control) return iwarp::PduKind::sctp_control;
  return std::nullopt;
}

// Calls visit(the Pdu, LayerRef of its chunk in the frame) for each; how many there were. Nothing but its chunk is
// needed to read one. The frame's innermost layer may be any.
template <class Visit>
std::size_t for_each_sctp_pdu(const Frame& frame, Visit&& visit) {
  if (frame.layers().empty() || frame.layers().back().layer != Layer::sctp) return 0;
  const std::uint32_t at = frame.layers().back().offset;
  constexpr const HeaderInfo& data = header_info<net::SctpData>;
  std::size_t num = 0;
  net::SctpWalk<net::SctpChunk> walk =
      net::sctp_chunks(frame.captured.subspan(at), header_size<net::Sctp> + frame.payload_len, at);
  while (walk.next()) {
    if (walk.header().type != net::SctpChunkType::data) continue;
    const auto chunk = decode<net::SctpData>(walk.octets().first<header_size<net::SctpData>>());
    const auto kind = sctp_pdu_kind(chunk);
    if (!kind) continue;
    ++num;
    const Bytes user_data = walk.octets().subspan(data.size);
    const std::uint32_t len = chunk.length - std::uint32_t{data.size};
    visit(*kind == iwarp::PduKind::sctp_control ? iwarp::parse_sctp_control(user_data, len)
                                                : iwarp::parse_sctp_segment(user_data, len),
          LayerRef{&data, static_cast<std::uint32_t>(walk.offset()), data.size, data.layer, false});
  }
  return num;
}

}  // namespace rdmawire
