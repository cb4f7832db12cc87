#include "protocol/ib/rc_states_rig.h"

#include <utility>

namespace rdmawire::ib::states {
namespace {

// "RC_SEND_ONLY" without its service.
std::string plain_name(Opcode opcode) {
  std::string out(name_of(opcode));
  out = out.substr(out.find('_') + 1);
  for (char& letter : out) {
    if (letter == '_') letter = ' ';
  }
  return out;
}

std::string name_of_packet(const TxPacket& packet) {
  if (packet.opcode != Opcode::RC_ACKNOWLEDGE) return plain_name(packet.opcode);
  const Syndrome syndrome = packet.headers.aeth.syndrome;
  if (syndrome.kind() == SyndromeKind::ack) return "ACK";
  if (syndrome.kind() == SyndromeKind::rnr_nak) return "RNR NAK";
  return "NAK: " + std::string(name_of(static_cast<NakCode>(syndrome.low5())));
}

}  // namespace

Rig::Rig() {
  verbs::QpAttributes a;
  a.access = verbs::rights::remote;
  a.path_mtu = mtu256;
  a.rq_psn = a.sq_psn = first_psn;
  a.max_dest_rd_atomic = a.max_rd_atomic = 2;
  a.min_rnr_timer = {12};
  a.timeout = {14};
  a.retry_count = a.rnr_retry = retries;
  using namespace verbs::attribute;
  (void)qp_.modify(verbs::QpState::init, a, p_key_index | port | access);
  (void)qp_.modify(verbs::QpState::rtr, a,
                   path | path_mtu | destination_qp | rq_psn | max_dest_rd_atomic | min_rnr_timer);
  (void)qp_.modify(verbs::QpState::rts, a, sq_psn | timeout | retry_count | rnr_retry | max_rd_atomic);
}

void Rig::take(const Incoming& packet) {
  RxPacket rx = packet.rx;
  rx.payload = Bytes(payload_).first(packet.length);
  qp_.on_packet(rx, now_);
  poll(0);
}

void Rig::post(verbs::WorkOpcode opcode, std::uint32_t length, bool fence) {
  const verbs::Sge sge{base_address, length, key_};
  verbs::SendWork work;
  work.opcode = opcode;
  work.fence = fence;
  work.sges = {&sge, 1};
  work.remote_address = 0x200000;
  if (!qp_.post_send(work)) happened_.push_back({"refused", false, {}, false});
}

void Rig::post_receives(unsigned count, std::uint32_t length) {
  const verbs::Sge sge{base_address, length, key_};
  for (unsigned i = 0; i < count; ++i) (void)qp_.post_receive({{}, {&sge, 1}});
}

void Rig::let_time_pass() {
  const auto due = qp_.next_deadline();
  if (!due) return;
  now_ = *due;
  qp_.on_deadline(now_);
}

void Rig::drain_queue(bool on) { (void)qp_.modify(on ? verbs::QpState::sqd : verbs::QpState::rts); }

void Rig::poll(unsigned most) {
  TxPacket packet;
  for (unsigned i = 0; i < most && qp_.poll_transmit(packet, now_); ++i) {
    happened_.push_back({name_of_packet(packet), true, packet.psn, false});
  }
  for (verbs::CompletionQueue* queue : {&send_cq_, &receive_cq_}) {
    verbs::Completion one;
    while (queue->poll({&one, 1}) != 0) {
      happened_.push_back({std::string(name_of(one.opcode)) + " done: " + std::string(name_of(one.status)),
                           false,
                           {},
                           one.status == verbs::CompletionStatus::work_flushed});
    }
  }
  while (const auto event = events_.poll()) {
    if (event->kind == verbs::EventKind::communication_established) continue;
    happened_.push_back({"event " + std::string(name_of(event->kind)), false, {}, false});
  }
}

std::string Rig::text(Psn base, bool flushes) {
  if (!flushes) std::erase_if(happened_, [](const Happening& one) { return one.flush; });
  std::string out;
  for (std::size_t i = 0; i < happened_.size(); ++i) {
    // The same several times: once, with their number.
    std::size_t end = i + 1;
    while (end < happened_.size() && happened_[end].what == happened_[i].what && !happened_[i].has_psn) ++end;
    out += (out.empty() ? "" : "; ") + happened_[i].what;
    if (happened_[i].has_psn) {
      const std::int32_t distance = base.distance_to(happened_[i].psn);
      out += " " + std::string(distance >= 0 ? "+" : "") + std::to_string(distance);
    }
    if (end - i > 1) out += " (" + std::to_string(end - i) + ")";
    i = end - 1;
  }
  happened_.clear();
  return out.empty() ? "-" : out;
}

}  // namespace rdmawire::ib::states
