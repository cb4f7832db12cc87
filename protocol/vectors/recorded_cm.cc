#include "protocol/vectors/recorded_cm.h"

#include <string>

#include "protocol/vectors/cm_fields.h"

namespace rdmawire::vectors {
namespace {

// A step of that connection, with the consumer's octets.
Json step_of(const char* verb, cm::ConnectionId id, Bytes private_data = {}, Bytes additional_info = {}) {
  Json out{{"do", verb}, {"id", to_json(id)}};
  if (!private_data.empty()) out["private_data"] = pack(private_data);
  if (!additional_info.empty()) out["additional_info"] = pack(additional_info);
  return out;
}
template <class Params>
Json with_params(Json step, const Params& params) {
  Json json = to_json(params);
  if (!json.empty()) step["params"] = std::move(json);
  return step;
}
template <class Params>
Json asking(const char* verb, const Params& params) {
  Json out = with_params({{"do", verb}}, params);
  if (!params.private_data.empty()) out["private_data"] = pack(params.private_data);
  return out;
}

cm::CmResult<void> told(Recording& recording, cm::CmResult<void> result) {
  if (recording.on() && !result) recording.gives("refused", std::string(name_of(result.error())));
  return result;
}
template <class T>
cm::CmResult<T> told(Recording& recording, cm::CmResult<T> result, const char* name) {
  if (!recording.on()) return result;
  if (result) {
    recording.gives(name, to_json(*result));
  } else {
    recording.gives("refused", std::string(name_of(result.error())));
  }
  return result;
}

}  // namespace

RecordedManager::RecordedManager(const cm::Config& config) : recording_("cm", {}, config.quirks.empty()), cm_(config) {
  if (!recording_.on()) return;
  recording_.setup("config", to_json(config));
  recording_.setup("capacities", to_json(cm::capacities_of(config)));
}

cm::CmResult<cm::ListenerId> RecordedManager::listen(ServiceId service, const cm::ListenParams& params) {
  if (recording_.on()) recording_.input(with_params({{"do", "listen"}, {"service", to_json(service)}}, params));
  return told(recording_, cm_.listen(service, params), "listener");
}

cm::CmResult<void> RecordedManager::stop_listening(cm::ListenerId listener) {
  if (recording_.on()) recording_.input({{"do", "stop_listening"}, {"listener", to_json(listener)}});
  return told(recording_, cm_.stop_listening(listener));
}

cm::CmResult<cm::ConnectionId> RecordedManager::connect(const cm::ConnectParams& params, Time now) {
  if (recording_.on()) recording_.input(asking("connect", params), now);
  return told(recording_, cm_.connect(params, now), "id");
}

cm::CmResult<void> RecordedManager::accept(cm::ConnectionId id, const cm::AcceptParams& params, Time now) {
  if (recording_.on()) recording_.input(with_params(step_of("accept", id, params.private_data), params), now);
  return told(recording_, cm_.accept(id, params, now));
}

cm::CmResult<void> RecordedManager::establish(cm::ConnectionId id, Bytes private_data, Time now) {
  if (recording_.on()) recording_.input(step_of("establish", id, private_data), now);
  return told(recording_, cm_.establish(id, private_data, now));
}

cm::CmResult<void> RecordedManager::note_communication(cm::ConnectionId id, Time now) {
  if (recording_.on()) recording_.input(step_of("note_communication", id), now);
  return told(recording_, cm_.note_communication(id, now));
}

cm::CmResult<void> RecordedManager::delay(cm::ConnectionId id, ib::TimeoutCode service_timeout, Bytes private_data,
                                          Time now) {
  if (recording_.on()) {
    Json step = step_of("delay", id, private_data);
    step["service_timeout"] = to_json(service_timeout);
    recording_.input(std::move(step), now);
  }
  return told(recording_, cm_.delay(id, service_timeout, private_data, now));
}

cm::CmResult<void> RecordedManager::reject(cm::ConnectionId id, const cm::RejectParams& params, Time now) {
  if (recording_.on()) {
    Json step = step_of("reject", id, params.private_data, params.additional_info);
    step["reason"] = static_cast<std::uint64_t>(params.reason);
    recording_.input(std::move(step), now);
  }
  return told(recording_, cm_.reject(id, params, now));
}

cm::CmResult<void> RecordedManager::disconnect(cm::ConnectionId id, Bytes private_data, Time now,
                                               std::optional<mad::TransactionId> transaction) {
  if (recording_.on()) {
    Json step = step_of("disconnect", id, private_data);
    if (transaction) step["transaction"] = to_json(*transaction);
    recording_.input(std::move(step), now);
  }
  return told(recording_, cm_.disconnect(id, private_data, now, transaction));
}

cm::CmResult<void> RecordedManager::load_path(cm::ConnectionId id, const cm::Path& path, Bytes private_data, Time now) {
  if (recording_.on()) {
    Json step = step_of("load_path", id, private_data);
    step["path"] = to_json(path);
    recording_.input(std::move(step), now);
  }
  return told(recording_, cm_.load_path(id, path, private_data, now));
}

cm::CmResult<void> RecordedManager::answer_path(cm::ConnectionId id, const cm::PathAnswer& answer, Time now) {
  if (recording_.on()) {
    Json step = step_of("answer_path", id, answer.private_data, answer.additional_info);
    step["status"] = static_cast<std::uint64_t>(answer.status);
    recording_.input(std::move(step), now);
  }
  return told(recording_, cm_.answer_path(id, answer, now));
}

cm::CmResult<cm::ConnectionId> RecordedManager::resolve(const cm::ResolveParams& params, Time now) {
  if (recording_.on()) recording_.input(asking("resolve", params), now);
  return told(recording_, cm_.resolve(params, now), "id");
}

cm::CmResult<void> RecordedManager::answer_resolve(cm::ConnectionId id, const cm::ResolveAnswer& answer, Time now) {
  if (recording_.on()) {
    Json step = with_params(step_of("answer_resolve", id, answer.private_data, answer.additional_info), answer);
    step["status"] = static_cast<std::uint64_t>(answer.status);
    recording_.input(std::move(step), now);
  }
  return told(recording_, cm_.answer_resolve(id, answer, now));
}

std::optional<cm::Event> RecordedManager::poll_event() {
  auto event = cm_.poll_event();
  if (recording_.on()) recording_.told("events", event ? to_json(*event) : Json());
  return event;
}

cm::State RecordedManager::state(cm::ConnectionId id) const {
  const cm::State state = cm_.state(id);
  if (recording_.on()) {
    recording_.input(step_of("state", id));
    recording_.gives("state", to_json(state));
  }
  return state;
}

verbs::QpAttributes RecordedManager::attributes(cm::ConnectionId id) const {
  const verbs::QpAttributes attributes = cm_.attributes(id);
  if (recording_.on()) {
    recording_.input(step_of("attributes", id));
    const Json changed = changed_json(attributes);
    for (const auto& [name, value] : changed.items()) recording_.gives(name.c_str(), value);
  }
  return attributes;
}

std::size_t RecordedManager::num_connections() const {
  const std::size_t count = cm_.num_connections();
  if (recording_.on()) {
    recording_.input({{"do", "num_connections"}});
    recording_.gives("count", count);
  }
  return count;
}

void RecordedManager::on_mad(Bytes octets, const verbs::AddressVector& reply_path, Time now) {
  if (recording_.on()) {
    recording_.input({{"do", "mad"}, {"octets", pack(octets)}, {"from", to_json(reply_path)}}, now);
  }
  cm_.on_mad(octets, reply_path, now);
}

bool RecordedManager::poll_transmit(cm::TxMad& out, Time now) {
  const bool any = cm_.poll_transmit(out, now);
  if (recording_.on()) {
    if (any) {
      recording_.out(mad_json(out), now);
    } else {
      recording_.out_end();
    }
  }
  return any;
}

std::optional<Time> RecordedManager::next_deadline() const {
  const auto due = cm_.next_deadline();
  if (recording_.on()) recording_.seen("deadline", to_json(due));
  return due;
}

void RecordedManager::on_deadline(Time now) {
  if (recording_.on()) recording_.input({{"do", "deadline"}}, now);
  cm_.on_deadline(now);
}

cm::Counters RecordedManager::counters() const {
  if (recording_.on()) {
    recording_.input({{"do", "counters"}});
    const Json counters = to_json(cm_.counters());
    for (const auto& [name, value] : counters.items()) recording_.gives(name.c_str(), value);
  }
  return cm_.counters();
}

}  // namespace rdmawire::vectors
