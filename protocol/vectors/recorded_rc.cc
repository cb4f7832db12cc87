#include "protocol/vectors/recorded_rc.h"

#include "protocol/vectors/ib_packet.h"
#include "protocol/vectors/rc_fields.h"
#include "protocol/vectors/record_queue_pair.h"

namespace rdmawire::vectors {
namespace {

// The octets of a packet that a test made; empty if no octets are read as it: then it is not one that can come.
std::vector<std::uint8_t> octets_of(const ib::RxPacket& packet) {
  ib::Bth bth = packet.bth;
  bth.p_key = {0xFFFF};
  bth.migrated = true;
  std::vector<std::uint8_t> out = packet_octets(bth, packet.headers, packet.payload);
  if (!packet.headers_complete) out.resize(header_size<ib::Bth>);
  if (!packet.payload_fits) out.resize(out.size() - bth.pad_count - packet.payload.size());
  const ib::RxPacket again = read_packet(out);
  const bool same = again.row == packet.row && again.headers_complete == packet.headers_complete &&
                    again.payload_fits == packet.payload_fits &&
                    (!packet.payload_fits || std::ranges::equal(again.payload, packet.payload));
  return same ? out : std::vector<std::uint8_t>{};
}

}  // namespace

RecordedRc::RecordedRc(Recording& recording, const verbs::QpConfig& qp, const verbs::QpResources& resources,
                       const ib::RcConfig& config, RcIn in)
    : recording_(recording), qp_(qp, resources, config) {
  if (in == RcIn::port) number_ = qp.number;
  if (!recording.on()) return;
  if (in == RcIn::port) {
    recording.setup("num_completions", resources.send_cq.capacity());
    recording.input({{"do", "create_qp"}, {"service", "rc"}, {"qp", to_json(qp)}, {"config", to_json(config)}});
    return;
  }
  record_queue_pair(recording, qp, resources);
  recording.setup("config", to_json(config));
  recording.watch_state([this] { return to_json(qp_.verbs().state()); });
}

verbs::VerbsResult<void> RecordedRc::modify(verbs::QpState to, const verbs::QpAttributes& attributes,
                                            verbs::AttributeSet given) {
  record_modify(recording_, to, attributes, given, number_);
  return record_result(recording_, qp_.modify(to, attributes, given));
}

verbs::VerbsResult<void> RecordedRc::post_send(const verbs::SendWork& work) {
  record_post(recording_, work, number_);
  return record_result(recording_, qp_.post_send(work));
}

verbs::VerbsResult<void> RecordedRc::post_receive(const verbs::RecvWork& work) {
  record_post(recording_, work, number_);
  return record_result(recording_, qp_.post_receive(work));
}

void RecordedRc::on_packet(const ib::RxPacket& packet, Time now) {
  if (packets_recorded()) {
    const auto octets = octets_of(packet);
    if (octets.empty()) recording_.abandon("a packet that no octets stand for");
    Json step{{"do", "packet"}, {"octets", pack(octets)}};
    if (packet.congestion) step["congestion"] = true;
    recording_.input(std::move(step), now);
  }
  qp_.on_packet(packet, now);
  if (packets_recorded()) recording_.done();
}

bool RecordedRc::poll_transmit(ib::TxPacket& out, Time now) {
  const bool any = qp_.poll_transmit(out, now);
  if (!packets_recorded()) return any;
  std::vector<std::uint8_t> octets;
  if (any) octets = packet_octets(out, qp_.verbs().attributes().destination_qp);
  record_poll(recording_, octets, now);
  return any;
}

std::optional<Time> RecordedRc::next_deadline() const {
  const auto due = qp_.next_deadline();
  if (packets_recorded()) recording_.seen("deadline", to_json(due));
  return due;
}

void RecordedRc::on_deadline(Time now) {
  if (packets_recorded()) recording_.input({{"do", "deadline"}}, now);
  qp_.on_deadline(now);
  if (packets_recorded()) recording_.done();
}

}  // namespace rdmawire::vectors
