// What the connection manager takes and gives, as JSON.
#pragma once

#include "protocol/cm/manager.h"
#include "protocol/vectors/verbs_fields.h"

namespace rdmawire::cm {

constexpr auto members(std::type_identity<Config>) {
  using vectors::member;
  return std::tuple{
      member("ca_guid", &Config::ca_guid),
      member("first_comm_id", &Config::first_comm_id),
      member("first_transaction", &Config::first_transaction),
      member("gids", &Config::gids),
      member("ip_addresses", &Config::ip_addresses),
      member("target_ack_delay", &Config::target_ack_delay),
      member("max_responder_resources", &Config::max_responder_resources),
      member("alternate_paths", &Config::alternate_paths),
      member("extended_reliable", &Config::extended_reliable),
  };
}

// The capacities, which are the implementation's.
struct Capacities {
  std::uint64_t connections = 64;
  std::uint64_t listeners = 16;
  std::uint64_t events = 64;
  std::uint64_t mads = 128;
};
inline Capacities capacities_of(const Config& config) {
  return {config.max_connections, config.max_listeners, config.max_events, config.max_mads};
}
inline void set_capacities(Config& config, const Capacities& to) {
  config.max_connections = to.connections;
  config.max_listeners = to.listeners;
  config.max_events = to.events;
  config.max_mads = to.mads;
}
constexpr auto members(std::type_identity<Capacities>) {
  using vectors::member;
  return std::tuple{member("connections", &Capacities::connections), member("listeners", &Capacities::listeners),
                    member("events", &Capacities::events), member("mads", &Capacities::mads)};
}

constexpr auto members(std::type_identity<ListenParams>) {
  using vectors::member;
  return std::tuple{member("mask", &ListenParams::mask), member("backlog", &ListenParams::backlog)};
}

constexpr auto members(std::type_identity<Path>) {
  using vectors::member;
  return std::tuple{member("to", &Path::to),
                    member("local_gid", &Path::local_gid),
                    member("local_lid", &Path::local_lid),
                    member("rate", &Path::rate),
                    member("subnet_local", &Path::subnet_local),
                    member("packet_life_time", &Path::packet_life_time)};
}

// Octets of the consumer's stand beside these structures in a step.

constexpr auto members(std::type_identity<ConnectParams>) {
  using vectors::member;
  using P = ConnectParams;
  return std::tuple{member("service", &P::service),
                    member("transport", &P::transport),
                    member("extended_transport", &P::extended_transport),
                    member("path", &P::path),
                    member("alternate_path", &P::alternate_path),
                    member("p_key", &P::p_key),
                    member("path_mtu", &P::path_mtu),
                    member("qpn", &P::qpn),
                    member("q_key", &P::q_key),
                    member("starting_psn", &P::starting_psn),
                    member("responder_resources", &P::responder_resources),
                    member("initiator_depth", &P::initiator_depth),
                    member("retry_count", &P::retry_count),
                    member("rnr_retry_count", &P::rnr_retry_count),
                    member("srq", &P::srq),
                    member("end_to_end_flow_control", &P::end_to_end_flow_control),
                    member("remote_cm_response_timeout", &P::remote_cm_response_timeout),
                    member("local_cm_response_timeout", &P::local_cm_response_timeout),
                    member("max_cm_retries", &P::max_cm_retries),
                    member("ip", &P::ip),
                    member("local_id", &P::local_id),
                    member("transaction", &P::transaction)};
}

constexpr auto members(std::type_identity<AcceptParams>) {
  using vectors::member;
  using P = AcceptParams;
  return std::tuple{member("qpn", &P::qpn),
                    member("q_key", &P::q_key),
                    member("starting_psn", &P::starting_psn),
                    member("responder_resources", &P::responder_resources),
                    member("initiator_depth", &P::initiator_depth),
                    member("rnr_retry_count", &P::rnr_retry_count),
                    member("srq", &P::srq),
                    member("end_to_end_flow_control", &P::end_to_end_flow_control),
                    member("local_id", &P::local_id)};
}

constexpr auto members(std::type_identity<ResolveParams>) {
  using vectors::member;
  using P = ResolveParams;
  return std::tuple{member("service", &P::service),
                    member("path", &P::path),
                    member("p_key", &P::p_key),
                    member("response_timeout", &P::response_timeout),
                    member("packet_life_time", &P::packet_life_time),
                    member("max_cm_retries", &P::max_cm_retries),
                    member("ip", &P::ip),
                    member("request_id", &P::request_id),
                    member("transaction", &P::transaction)};
}

constexpr auto members(std::type_identity<ResolveAnswer>) {
  using vectors::member;
  return std::tuple{member("qpn", &ResolveAnswer::qpn), member("q_key", &ResolveAnswer::q_key)};
}

constexpr auto members(std::type_identity<Counters>) {
  using vectors::member;
  return std::tuple{member("num_not_cm", &Counters::num_not_cm),
                    member("num_bad_version", &Counters::num_bad_version),
                    member("num_unknown", &Counters::num_unknown),
                    member("num_ignored", &Counters::num_ignored),
                    member("num_backlog_full", &Counters::num_backlog_full),
                    member("num_events_full", &Counters::num_events_full),
                    member("num_mads_full", &Counters::num_mads_full)};
}

}  // namespace rdmawire::cm

namespace rdmawire::vectors {

// Those that are not their defaults.
inline Json changed_json(const verbs::QpAttributes& attributes) {
  const verbs::QpAttributes defaults;
  Json out = Json::object();
  std::apply(
      [&](const auto&... row) {
        const auto put = [&](const auto& one) {
          Json json = to_json(attributes.*one.at);
          if (json != to_json(defaults.*one.at)) out[one.name] = std::move(json);
        };
        (put(row.second), ...);
      },
      named_attributes);
  return out;
}

// Numbers stand for reasons and statuses, as they do on the wire.
template <>
inline Json to_json(const cm::Event& event) {
  Json out{{"kind", to_json(event.kind)}, {"connection", to_json(event.connection)}, {"state", to_json(event.state)}};
  if (event.listener.value != 0) out["listener"] = to_json(event.listener);
  Json attributes = changed_json(event.attributes);
  if (!attributes.empty()) out["attributes"] = std::move(attributes);
  using enum cm::EventKind;
  if (event.kind == rejected || event.kind == timed_out) {
    out["reject_reason"] = static_cast<std::uint64_t>(event.reject_reason);
  }
  if (event.kind == path_answered) out["apr_status"] = static_cast<std::uint64_t>(event.apr_status);
  if (event.kind == resolved) {
    out["sidr_status"] = static_cast<std::uint64_t>(event.sidr_status);
    out["qpn"] = to_json(event.qpn);
    out["q_key"] = to_json(event.q_key);
  }
  if (event.service_id.value != 0) out["service_id"] = to_json(event.service_id);
  if (event.ip) out["ip"] = to_json(*event.ip);
  if (!event.private_data().empty()) out["private_data"] = pack(event.private_data());
  if (event.info_len != 0) out["info_len"] = event.info_len;
  return out;
}

inline Json mad_json(const cm::TxMad& mad) { return {{"mad", pack(mad.octets)}, {"path", to_json(mad.path)}}; }

}  // namespace rdmawire::vectors
