#include "protocol/vectors/recorded_port.h"

#include "protocol/vectors/port_fields.h"

namespace rdmawire::vectors {

RecordedUd::RecordedUd(Recording& recording, const verbs::QpConfig& qp, const verbs::QpResources& resources,
                       ib::PathMtu port_mtu)
    : recording_(recording), number_(qp.number), qp_(qp, resources, port_mtu) {
  if (!recording.on()) return;
  recording.setup("num_completions", resources.send_cq.capacity());
  recording.input({{"do", "create_qp"}, {"service", "ud"}, {"qp", to_json(qp)}, {"mtu", to_json(port_mtu)}});
}

verbs::VerbsResult<void> RecordedUd::modify(verbs::QpState to, const verbs::QpAttributes& attributes,
                                            verbs::AttributeSet given) {
  record_modify(recording_, to, attributes, given, number_);
  return record_result(recording_, qp_.modify(to, attributes, given));
}

verbs::VerbsResult<void> RecordedUd::post_receive(const verbs::RecvWork& work) {
  record_post(recording_, work, number_);
  return record_result(recording_, qp_.post_receive(work));
}

RecordedPort::RecordedPort(Recording& recording, const ib::PortConfig& config) : recording_(recording), port_(config) {
  if (!recording.on()) return;
  recording.setup("config", to_json(config));
  recording.watch_state([this] { return states_of(attached_); });
}

verbs::VerbsResult<void> RecordedPort::attach(ib::QueuePairMachine& machine) {
  if (recording_.on()) recording_.input(step_of("attach", machine.verbs().config().number));
  const auto result = port_.attach(machine);
  // Before the state is looked at.
  attached_.push_back(&machine.verbs());
  return record_result(recording_, result);
}

void RecordedPort::detach(ib::QueuePairMachine& machine) {
  if (recording_.on()) recording_.input(step_of("detach", machine.verbs().config().number));
  port_.detach(machine);
  std::erase(attached_, &machine.verbs());
  recording_.done();
}

verbs::VerbsResult<void> RecordedPort::join(ib::QueuePairMachine& machine, const Gid& group) {
  if (recording_.on()) {
    Json step = step_of("join", machine.verbs().config().number);
    step["group"] = to_json(group);
    recording_.input(std::move(step));
  }
  return record_result(recording_, port_.join(machine, group));
}

void RecordedPort::on_frame(Bytes frame, Time now) {
  if (!recording_.on()) return port_.on_frame(frame, now);
  recording_.input({{"do", "frame"}, {"octets", pack(frame)}}, now);
  const DropCounts before = drop_counts(port_);
  port_.on_frame(frame, now);
  if (Json dropped = dropped_since(port_, before); !dropped.is_null()) recording_.gives("dropped", std::move(dropped));
  recording_.done();
}

std::size_t RecordedPort::poll_transmit(MutableBytes out, Time now) {
  const std::size_t size = port_.poll_transmit(out, now);
  record_poll(recording_, Bytes(out).first(size), now);
  return size;
}

std::optional<Time> RecordedPort::next_deadline() const {
  const auto due = port_.next_deadline();
  if (recording_.on()) recording_.seen("deadline", to_json(due));
  return due;
}

void RecordedPort::on_deadline(Time now) {
  if (recording_.on()) recording_.input({{"do", "deadline"}}, now);
  port_.on_deadline(now);
  recording_.done();
}

}  // namespace rdmawire::vectors
