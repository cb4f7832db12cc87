// What a session of DDP over SCTP takes and tells, as JSON.
#pragma once

#include "protocol/iwarp/sctp_session.h"
#include "protocol/vectors/iwarp_fields.h"

namespace rdmawire::iwarp {

constexpr auto members(std::type_identity<SctpConfig>) {
  using vectors::member;
  return std::tuple{member("mpa", &SctpConfig::mpa),
                    member("stream", &SctpConfig::stream),
                    member("max_chunk_len", &SctpConfig::max_chunk_len),
                    member("reorder_capacity", &SctpConfig::reorder_capacity),
                    member("max_unacknowledged", &SctpConfig::max_unacknowledged),
                    member("send_capacity", &SctpConfig::send_capacity),
                    member("terminate_timeout", &SctpConfig::terminate_timeout)};
}

constexpr auto members(std::type_identity<SctpAssociation>) {
  using vectors::member;
  return std::tuple{member("use", &SctpAssociation::use), member("max_chunk_len", &SctpAssociation::max_chunk_len)};
}

}  // namespace rdmawire::iwarp

namespace rdmawire::vectors {

// session: after the event.
inline Json event_json(const iwarp::SctpEvent& event, const iwarp::SctpSession& session) {
  Json out{{"kind", std::string(name_of(event.kind))}};
  if (event.kind == iwarp::SctpEventKind::ended) out["end"] = std::string(info(event.end).name);
  if (event.enhanced) out["peer"] = to_json(event.peer);
  if (event.kind == iwarp::SctpEventKind::established) out["negotiated"] = to_json(session.negotiated());
  if (!session.peer_private_data().empty()) out["private_data"] = pack(session.peer_private_data());
  return out;
}

inline Json chunk_json(const iwarp::SctpTxChunk& chunk) {
  Json out{{"protocol", static_cast<std::uint64_t>(chunk.protocol)}, {"stream", chunk.stream}};
  if (!chunk.unordered) out["ordered"] = true;
  out["octets"] = pack(chunk.octets);
  return out;
}

inline Json segment_json(const iwarp::SctpSegment& segment) {
  Json out{{"number", segment.number}, {"octets", pack(segment.ulpdu)}};
  if (segment.was_ahead) out["again"] = true;
  return out;
}

}  // namespace rdmawire::vectors
