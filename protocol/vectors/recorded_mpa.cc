#include "protocol/vectors/recorded_mpa.h"

#include "protocol/vectors/iwarp_fields.h"
#include "protocol/vectors/recorded_verbs.h"

namespace rdmawire::vectors {

RecordedMpa::RecordedMpa(const iwarp::MpaConfig& config) : recording_("mpa", {}, config.quirks.empty()), mpa_(config) {
  if (!recording_.on()) return;
  recording_.setup("config", to_json(config));
  recording_.watch_state([this] { return to_json(mpa_.state()); });
}

verbs::VerbsResult<void> RecordedMpa::start_initiator(Bytes private_data, Time now) {
  if (recording_.on()) {
    Json step{{"do", "start_initiator"}};
    if (!private_data.empty()) step["private_data"] = pack(private_data);
    recording_.input(std::move(step), now);
  }
  return record_result(recording_, mpa_.start_initiator(private_data, now));
}

verbs::VerbsResult<void> RecordedMpa::start_responder(Time now) {
  if (recording_.on()) recording_.input({{"do", "start_responder"}}, now);
  return record_result(recording_, mpa_.start_responder(now));
}

verbs::VerbsResult<void> RecordedMpa::accept(const iwarp::MpaAnswer& answer) {
  if (recording_.on()) recording_.input(answer_json("accept", answer));
  return record_result(recording_, mpa_.accept(answer));
}

verbs::VerbsResult<void> RecordedMpa::reject(const iwarp::MpaAnswer& answer) {
  if (recording_.on()) recording_.input(answer_json("reject", answer));
  return record_result(recording_, mpa_.reject(answer));
}

verbs::VerbsResult<void> RecordedMpa::confirm_reply() {
  if (recording_.on()) recording_.input({{"do", "confirm_reply"}});
  return record_result(recording_, mpa_.confirm_reply());
}

verbs::VerbsResult<void> RecordedMpa::refuse_reply() {
  if (recording_.on()) recording_.input({{"do", "refuse_reply"}});
  return record_result(recording_, mpa_.refuse_reply());
}

std::optional<iwarp::MpaEvent> RecordedMpa::poll_event() {
  const auto event = mpa_.poll_event();
  if (recording_.on()) recording_.told("events", event ? to_json(*event) : Json());
  return event;
}

std::size_t RecordedMpa::on_octets(Bytes octets, Time now) {
  if (recording_.on()) recording_.input({{"do", "octets"}, {"octets", pack(octets)}}, now);
  const std::size_t taken = mpa_.on_octets(octets, now);
  if (recording_.on() && taken != octets.size()) recording_.gives("taken", taken);
  return taken;
}

std::size_t RecordedMpa::poll_octets(MutableBytes out) {
  const std::size_t size = mpa_.poll_octets(out);
  if (recording_.on()) {
    if (size != 0) recording_.out(pack(Bytes(out).first(size)));
    if (!mpa_.has_octets()) recording_.out_end();
  }
  return size;
}

void RecordedMpa::on_first_fpdu_sent() {
  if (recording_.on()) recording_.input({{"do", "first_fpdu_sent"}});
  mpa_.on_first_fpdu_sent();
}

void RecordedMpa::on_peer_closed() {
  if (recording_.on()) recording_.input({{"do", "peer_closed"}});
  mpa_.on_peer_closed();
}

void RecordedMpa::on_connection_lost() {
  if (recording_.on()) recording_.input({{"do", "connection_lost"}});
  mpa_.on_connection_lost();
}

void RecordedMpa::on_local_error() {
  if (recording_.on()) recording_.input({{"do", "local_error"}});
  mpa_.on_local_error();
}

void RecordedMpa::on_deadline(Time now) {
  if (recording_.on()) recording_.input({{"do", "deadline"}}, now);
  mpa_.on_deadline(now);
}

std::optional<Time> RecordedMpa::next_deadline() {
  const auto due = mpa_.next_deadline();
  if (recording_.on()) recording_.seen("deadline", to_json(due));
  return due;
}

Bytes RecordedMpa::peer_private_data() {
  if (recording_.on()) recording_.seen("peer_private_data", pack(mpa_.peer_private_data()));
  return mpa_.peer_private_data();
}

const iwarp::Negotiated& RecordedMpa::negotiated() {
  if (recording_.on()) recording_.seen("negotiated", to_json(mpa_.negotiated()));
  return mpa_.negotiated();
}

}  // namespace rdmawire::vectors
