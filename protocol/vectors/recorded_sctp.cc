#include "protocol/vectors/recorded_sctp.h"

#include "protocol/vectors/recorded_verbs.h"
#include "protocol/vectors/sctp_fields.h"

namespace rdmawire::vectors {
namespace {

Json step_with(const char* verb, Bytes private_data) {
  Json out{{"do", verb}};
  if (!private_data.empty()) out["private_data"] = pack(private_data);
  return out;
}

Json start_json(const char* verb, const iwarp::SctpAssociation& association, Bytes private_data) {
  Json out = step_with(verb, private_data);
  Json json = to_json(association);
  if (!json.empty()) out["association"] = std::move(json);
  return out;
}

Json answer_step(const char* verb, const iwarp::SctpAnswer& answer) {
  Json out = step_with(verb, answer.private_data);
  if (answer.ird) out["ird"] = *answer.ird;
  if (answer.ord) out["ord"] = *answer.ord;
  if (answer.because_enhanced) out["because_enhanced"] = true;
  return out;
}

}  // namespace

RecordedSctp::RecordedSctp(const iwarp::SctpConfig& config)
    : recording_("sctp", {}, config.mpa.quirks.empty()), session_(config) {
  if (!recording_.on()) return;
  recording_.setup("config", to_json(config));
  recording_.watch_state([this] { return to_json(session_.state()); });
}

verbs::VerbsResult<void> RecordedSctp::start_initiator(const iwarp::SctpAssociation& association, Bytes private_data,
                                                       Time now) {
  if (recording_.on()) recording_.input(start_json("start_initiator", association, private_data), now);
  return record_result(recording_, session_.start_initiator(association, private_data, now));
}

verbs::VerbsResult<void> RecordedSctp::start_responder(const iwarp::SctpAssociation& association,
                                                       iwarp::SctpListener* listener) {
  if (listener != nullptr) recording_.abandon("a listener that several sessions share");
  if (recording_.on()) recording_.input(start_json("start_responder", association, {}));
  return record_result(recording_, session_.start_responder(association, listener));
}

verbs::VerbsResult<void> RecordedSctp::accept(const iwarp::SctpAnswer& answer) {
  if (recording_.on()) recording_.input(answer_step("accept", answer));
  return record_result(recording_, session_.accept(answer));
}

verbs::VerbsResult<void> RecordedSctp::reject(const iwarp::SctpAnswer& answer) {
  if (recording_.on()) recording_.input(answer_step("reject", answer));
  return record_result(recording_, session_.reject(answer));
}

verbs::VerbsResult<void> RecordedSctp::terminate(Time now) {
  if (recording_.on()) recording_.input({{"do", "terminate"}}, now);
  return record_result(recording_, session_.terminate(now));
}

verbs::VerbsResult<void> RecordedSctp::send(std::span<const Bytes> pieces) {
  if (recording_.on()) {
    std::vector<std::uint8_t> octets;
    for (const Bytes piece : pieces) octets.insert(octets.end(), piece.begin(), piece.end());
    recording_.input({{"do", "send"}, {"octets", pack(octets)}});
  }
  return record_result(recording_, session_.send(pieces));
}

std::optional<iwarp::SctpEvent> RecordedSctp::poll_event() {
  const auto event = session_.poll_event();
  if (recording_.on()) recording_.told("events", event ? event_json(*event, session_) : Json());
  return event;
}

std::optional<iwarp::SctpSegment> RecordedSctp::next_segment() {
  const auto segment = session_.next_segment();
  if (recording_.on()) recording_.told("segments", segment ? segment_json(*segment) : Json());
  return segment;
}

std::optional<iwarp::SctpSegment> RecordedSctp::next_ahead() {
  const auto segment = session_.next_ahead();
  if (recording_.on()) recording_.told("ahead", segment ? segment_json(*segment) : Json());
  return segment;
}

void RecordedSctp::on_chunk(net::SctpPayloadProtocol protocol, Bytes octets, Time now) {
  if (recording_.on()) {
    recording_.input({{"do", "chunk"}, {"protocol", static_cast<std::uint64_t>(protocol)}, {"octets", pack(octets)}},
                     now);
  }
  session_.on_chunk(protocol, octets, now);
}

void RecordedSctp::on_acknowledged(std::uint16_t ssn) {
  if (recording_.on()) recording_.input({{"do", "acknowledged"}, {"ssn", ssn}});
  session_.on_acknowledged(ssn);
}

void RecordedSctp::on_all_acknowledged() {
  if (recording_.on()) recording_.input({{"do", "all_acknowledged"}});
  session_.on_all_acknowledged();
}

void RecordedSctp::on_association_lost() {
  if (recording_.on()) recording_.input({{"do", "association_lost"}});
  session_.on_association_lost();
}

void RecordedSctp::on_association_shut_down() {
  if (recording_.on()) recording_.input({{"do", "association_shut_down"}});
  session_.on_association_shut_down();
}

// What it sends it is asked for last, and so it stands in a step of its own.
std::optional<iwarp::SctpTxChunk> RecordedSctp::poll_transmit() {
  const auto chunk = session_.poll_transmit();
  if (recording_.on()) chunk ? recording_.out(chunk_json(*chunk)) : recording_.out_end();
  return chunk;
}

void RecordedSctp::on_deadline(Time now) {
  if (recording_.on()) recording_.input({{"do", "deadline"}}, now);
  session_.on_deadline(now);
}

bool RecordedSctp::may_restart() {
  const bool may = session_.may_restart();
  if (recording_.on()) recording_.seen("may_restart", may);
  return may;
}

}  // namespace rdmawire::vectors
