#include "protocol/vectors/recorded_iwarp.h"

#include "protocol/vectors/iwarp_fields.h"
#include "protocol/vectors/record_queue_pair.h"
#include "protocol/vectors/work.h"

namespace rdmawire::vectors {
namespace {

std::string packed(const iwarp::RxSegment& segment) {
  std::vector<std::uint8_t> out;
  segment.for_each_span(0, [&](Bytes span) { out.insert(out.end(), span.begin(), span.end()); });
  return pack(out);
}

Json with_private_data(const char* verb, Bytes private_data) {
  Json out{{"do", verb}};
  if (!private_data.empty()) out["private_data"] = pack(private_data);
  return out;
}

}  // namespace

RecordedStream::RecordedStream(Recording& recording, const verbs::QpConfig& qp, const verbs::QpResources& resources,
                               const iwarp::RdmapConfig& config)
    : recording_(recording), stream_(qp, resources, config), verbs_(recording, stream_.verbs()) {
  if (!recording.on()) return;
  record_queue_pair(recording, qp, resources);
  recording.setup("config", to_json(config));
  recording.watch_state([this] { return state_json(stream_.verbs(), stream_.state()); });
}

verbs::VerbsResult<void> RecordedStream::post_send(const verbs::SendWork& work) {
  record_post(recording_, work);
  return record_result(recording_, stream_.post_send(work));
}

verbs::VerbsResult<void> RecordedStream::post_receive(const verbs::RecvWork& work) {
  record_post(recording_, work);
  return record_result(recording_, stream_.post_receive(work));
}

void RecordedStream::start(std::uint16_t ird, std::uint16_t ord, iwarp::ReadyToReceive ready) {
  if (recording_.on()) recording_.input({{"do", "start"}, {"ird", ird}, {"ord", ord}, {"ready", to_json(ready)}});
  stream_.start(ird, ord, ready);
  recording_.done();
}

void RecordedStream::close() {
  if (recording_.on()) recording_.input({{"do", "close"}});
  stream_.close();
  recording_.done();
}

void RecordedStream::on_lower_error(iwarp::TerminateReason reason) {
  if (recording_.on()) recording_.input({{"do", "lower_error"}, {"reason", to_json(reason)}});
  stream_.on_lower_error(reason);
  recording_.done();
}

void RecordedStream::on_peer_closed(bool before_end) {
  if (recording_.on()) recording_.input({{"do", "peer_closed"}, {"before_end", before_end}});
  stream_.on_peer_closed(before_end);
  recording_.done();
}

void RecordedStream::on_lost() {
  if (recording_.on()) recording_.input({{"do", "lost"}});
  stream_.on_lost();
  recording_.done();
}

bool RecordedStream::wants_end() const {
  const bool wants = stream_.wants_end();
  if (recording_.on()) recording_.seen("wants_end", wants);
  return wants;
}

void RecordedStream::on_ended() {
  if (recording_.on()) recording_.input({{"do", "ended"}});
  stream_.on_ended();
  recording_.done();
}

std::uint32_t RecordedStream::next_len(std::uint32_t mulpdu) {
  if (recording_.on() && mulpdu != mulpdu_) recording_.input({{"do", "set_mulpdu"}, {"mulpdu", mulpdu}});
  mulpdu_ = mulpdu;
  const std::uint32_t len = stream_.next_len(mulpdu);
  if (recording_.on() && len == 0) recording_.out_end();
  recording_.done();
  return len;
}

void RecordedStream::next_segment(iwarp::TxSegment& out, std::uint32_t mulpdu) {
  stream_.next_segment(out, mulpdu);
  if (recording_.on()) {
    std::vector<std::uint8_t> octets(out.header.begin(), out.header.begin() + out.header_len);
    for (const Bytes piece : out.payload) octets.insert(octets.end(), piece.begin(), piece.end());
    recording_.out(pack(octets));
  }
  recording_.done();
}

void RecordedStream::record_segment(const char* verb, const iwarp::RxSegment& segment) {
  if (recording_.on()) recording_.input({{"do", verb}, {"octets", packed(segment)}});
}

void RecordedStream::on_segment(const iwarp::RxSegment& segment) {
  record_segment("segment", segment);
  stream_.on_segment(segment);
  recording_.done();
}

void RecordedStream::place_ahead(const iwarp::RxSegment& segment) {
  record_segment("segment_ahead", segment);
  stream_.place_ahead(segment);
  recording_.done();
}

RecordedMpaQueuePair::RecordedMpaQueuePair(Recording& recording, const verbs::QpConfig& qp,
                                           const verbs::QpResources& resources, const iwarp::MpaQueuePairConfig& config)
    : recording_(recording), qp_(qp, resources, config), verbs_(recording, qp_.verbs()) {
  if (!recording.on()) return;
  record_queue_pair(recording, qp, resources);
  recording.setup("config", to_json(config));
  recording.watch_state([this] { return state_json(qp_.verbs(), qp_.stream().state()); });
}

verbs::VerbsResult<void> RecordedMpaQueuePair::post_send(const verbs::SendWork& work) {
  record_post(recording_, work);
  return record_result(recording_, qp_.post_send(work));
}

verbs::VerbsResult<void> RecordedMpaQueuePair::post_receive(const verbs::RecvWork& work) {
  record_post(recording_, work);
  return record_result(recording_, qp_.post_receive(work));
}

verbs::VerbsResult<void> RecordedMpaQueuePair::connect(Bytes private_data, Time now) {
  if (recording_.on()) recording_.input(with_private_data("connect", private_data), now);
  return record_result(recording_, qp_.connect(private_data, now));
}

verbs::VerbsResult<void> RecordedMpaQueuePair::listen(Time now) {
  if (recording_.on()) recording_.input({{"do", "listen"}}, now);
  return record_result(recording_, qp_.listen(now));
}

verbs::VerbsResult<void> RecordedMpaQueuePair::accept(const iwarp::MpaAnswer& answer, Time now) {
  if (recording_.on()) recording_.input(answer_json("accept", answer), now);
  return record_result(recording_, qp_.accept(answer, now));
}

verbs::VerbsResult<void> RecordedMpaQueuePair::reject(const iwarp::MpaAnswer& answer, Time now) {
  if (recording_.on()) recording_.input(answer_json("reject", answer), now);
  return record_result(recording_, qp_.reject(answer, now));
}

verbs::VerbsResult<void> RecordedMpaQueuePair::confirm_reply(Time now) {
  if (recording_.on()) recording_.input({{"do", "confirm_reply"}}, now);
  return record_result(recording_, qp_.confirm_reply(now));
}

verbs::VerbsResult<void> RecordedMpaQueuePair::refuse_reply(Time now) {
  if (recording_.on()) recording_.input({{"do", "refuse_reply"}}, now);
  return record_result(recording_, qp_.refuse_reply(now));
}

void RecordedMpaQueuePair::close(Time now) {
  if (recording_.on()) recording_.input({{"do", "close"}}, now);
  qp_.close(now);
  recording_.done();
}

std::optional<iwarp::MpaEvent> RecordedMpaQueuePair::poll_event() {
  const auto event = qp_.poll_event();
  if (recording_.on()) recording_.told("mpa_events", event ? to_json(*event) : Json());
  return event;
}

void RecordedMpaQueuePair::set_emss(iwarp::Emss emss) {
  if (recording_.on()) recording_.input({{"do", "set_emss"}, {"emss", emss.value}});
  qp_.set_emss(emss);
}

std::size_t RecordedMpaQueuePair::on_octets(Bytes octets, Time now) {
  if (recording_.on()) recording_.input({{"do", "octets"}, {"octets", pack(octets)}}, now);
  const std::size_t taken = qp_.on_octets(octets, now);
  if (recording_.on() && taken != octets.size()) recording_.gives("taken", taken);
  recording_.done();
  return taken;
}

void RecordedMpaQueuePair::on_octets_ahead(std::uint64_t offset, Bytes octets) {
  if (recording_.on()) recording_.input({{"do", "octets_ahead"}, {"offset", offset}, {"octets", pack(octets)}});
  qp_.on_octets_ahead(offset, octets);
  recording_.done();
}

void RecordedMpaQueuePair::on_peer_closed(Time now) {
  if (recording_.on()) recording_.input({{"do", "peer_closed"}}, now);
  qp_.on_peer_closed(now);
  recording_.done();
}

void RecordedMpaQueuePair::on_connection_lost(Time now) {
  if (recording_.on()) recording_.input({{"do", "connection_lost"}}, now);
  qp_.on_connection_lost(now);
  recording_.done();
}

std::size_t RecordedMpaQueuePair::poll_octets(MutableBytes out, Time now) {
  if (recording_.on() && out.size() != room_len_) recording_.input({{"do", "set_room"}, {"octets", out.size()}});
  room_len_ = out.size();
  const std::size_t size = qp_.poll_octets(out, now);
  record_poll(recording_, Bytes(out).first(size), now);
  return size;
}

iwarp::HostAction RecordedMpaQueuePair::take_action() {
  const iwarp::HostAction action = qp_.take_action();
  if (recording_.on()) recording_.seen("action", to_json(action));
  return action;
}

std::optional<Time> RecordedMpaQueuePair::next_deadline() const {
  const auto due = qp_.next_deadline();
  if (recording_.on()) recording_.seen("deadline", to_json(due));
  return due;
}

void RecordedMpaQueuePair::on_deadline(Time now) {
  if (recording_.on()) recording_.input({{"do", "deadline"}}, now);
  qp_.on_deadline(now);
  recording_.done();
}

}  // namespace rdmawire::vectors
