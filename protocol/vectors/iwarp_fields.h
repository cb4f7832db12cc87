// How the machines of iWARP are made and what they tell, as JSON.
#pragma once

#include "protocol/iwarp/mpa_queue_pair.h"
#include "protocol/vectors/verbs_fields.h"

namespace rdmawire {

inline constexpr std::array segmentation_names{
    Name{Segmentation::aligned, "aligned"},
    Name{Segmentation::packed, "packed"},
};
constexpr std::string_view name_of(Segmentation value) { return find_name(segmentation_names, value); }

}  // namespace rdmawire

namespace rdmawire::iwarp {

inline constexpr std::array ready_to_receive_names{
    Name{ReadyToReceive::none, "none"},
    Name{ReadyToReceive::send, "send"},
    Name{ReadyToReceive::write, "write"},
    Name{ReadyToReceive::read, "read"},
};
constexpr std::string_view name_of(ReadyToReceive value) { return find_name(ready_to_receive_names, value); }

inline constexpr std::array host_action_names{
    Name{HostAction::none, "none"},
    Name{HostAction::shut_down, "shut_down"},
    Name{HostAction::close, "close"},
    Name{HostAction::abort, "abort"},
};
constexpr std::string_view name_of(HostAction value) { return find_name(host_action_names, value); }

constexpr std::string_view name_of(TerminateReason reason) {
  return static_cast<std::size_t>(reason) < terminate_table.size() ? info(reason).name : std::string_view{};
}

constexpr auto members(std::type_identity<MpaConfig>) {
  using vectors::member;
  return std::tuple{
      member("revision", &MpaConfig::revision),
      member("markers", &MpaConfig::markers),
      member("crc", &MpaConfig::crc),
      member("enhanced", &MpaConfig::enhanced),
      member("peer_to_peer", &MpaConfig::peer_to_peer),
      member("rtr_send", &MpaConfig::rtr_send),
      member("rtr_write", &MpaConfig::rtr_write),
      member("rtr_read", &MpaConfig::rtr_read),
      member("ird", &MpaConfig::ird),
      member("ord", &MpaConfig::ord),
      member("max_ird", &MpaConfig::max_ird),
      member("max_private_data_len", &MpaConfig::max_private_data_len),
      member("confirm_reply", &MpaConfig::confirm_reply),
      member("startup_timeout", &MpaConfig::startup_timeout),
  };
}

constexpr auto members(std::type_identity<RdmapConfig>) {
  using vectors::member;
  return std::tuple{member("max_ird", &RdmapConfig::max_ird), member("max_ord", &RdmapConfig::max_ord),
                    member("extensions", &RdmapConfig::extensions), member("first_msn", &RdmapConfig::first_msn)};
}

constexpr auto members(std::type_identity<MpaQueuePairConfig>) {
  using vectors::member;
  using Config = MpaQueuePairConfig;
  return std::tuple{member("mpa", &Config::mpa), member("rdmap", &Config::rdmap), member("emss", &Config::emss),
                    member("segmentation", &Config::segmentation), member("linger", &Config::linger)};
}

constexpr auto members(std::type_identity<ReadDepths>) {
  using vectors::member;
  return std::tuple{member("ird", &ReadDepths::ird), member("ord", &ReadDepths::ord)};
}

constexpr auto members(std::type_identity<Negotiated>) {
  using vectors::member;
  return std::tuple{member("accepted", &Negotiated::accepted),
                    member("crc", &Negotiated::crc),
                    member("markers_from_initiator", &Negotiated::markers_from_initiator),
                    member("markers_from_responder", &Negotiated::markers_from_responder),
                    member("enhanced", &Negotiated::enhanced),
                    member("peer_to_peer", &Negotiated::peer_to_peer),
                    member("rtr_send", &Negotiated::rtr_send),
                    member("rtr_write", &Negotiated::rtr_write),
                    member("rtr_read", &Negotiated::rtr_read),
                    member("initiator", &Negotiated::initiator),
                    member("responder", &Negotiated::responder)};
}

}  // namespace rdmawire::iwarp

namespace rdmawire::vectors {

inline Json state_json(const verbs::QueuePair& qp, iwarp::StreamState stream) {
  return {{"qp", to_json(qp.state())}, {"stream", to_json(stream)}};
}

inline Json answer_json(const char* verb, const iwarp::MpaAnswer& answer) {
  Json out{{"do", verb}};
  if (!answer.private_data.empty()) out["private_data"] = pack(answer.private_data);
  if (answer.ird) out["ird"] = *answer.ird;
  if (answer.ord) out["ord"] = *answer.ord;
  return out;
}

// With the octets that it refers to.
struct OwnedAnswer {
  std::vector<std::uint8_t> private_data;
  iwarp::MpaAnswer answer;
};
inline void read_answer(const Json& step, OwnedAnswer& out) {
  out.private_data = unpack(step.value("private_data", ""));
  out.answer = {out.private_data, member_or<std::optional<std::uint16_t>>(step, "ird"),
                member_or<std::optional<std::uint16_t>>(step, "ord")};
}

template <>
inline Json to_json(const iwarp::MpaEvent& event) {
  Json out{{"kind", std::string(name_of(event.kind))}};
  if (event.kind == iwarp::MpaEventKind::ended) {
    out["end"] = std::string(info(event.end).name);
    out["after"] = std::string(name_of(event.after));
  }
  if (event.revision != 0) out["revision"] = event.revision;
  if (event.peer.ird) out["ird"] = *event.peer.ird;
  if (event.peer.ord) out["ord"] = *event.peer.ord;
  return out;
}

}  // namespace rdmawire::vectors
