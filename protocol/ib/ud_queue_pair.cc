#include "protocol/ib/ud_queue_pair.h"

#include <algorithm>

#include "protocol/ib/gather.h"
#include "protocol/ib/request_opcode.h"

namespace rdmawire::ib {

using verbs::Completion;
using verbs::CompletionOpcode;
using verbs::CompletionStatus;

UdQueuePair::UdQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources, PathMtu port_mtu)
    : qp_(qp, resources), mtu_(port_mtu.octets()), pieces_(std::max<std::size_t>(qp.send.max_sges, 1)) {}

verbs::VerbsResult<void> UdQueuePair::modify(verbs::QpState to, const verbs::QpAttributes& attributes,
                                             verbs::AttributeSet given) {
  const verbs::QpState from = qp_.state();
  const auto done = qp_.modify(to, attributes, given);
  if (done && from == verbs::QpState::rtr && to == verbs::QpState::rts) next_psn_ = qp_.attributes().sq_psn;
  return done;
}

void UdQueuePair::on_packet(const RxPacket& packet, Time) {
  if (!verbs::info(qp_.state()).receives) return;
  const auto dropped = [this] { ++num_dropped_; };
  //= UD-01
  //= UD-02
  //= UD-09
  if (packet.row == nullptr || !packet.headers_complete || !packet.payload_fits) return dropped();
  if (packet.payload.size() > mtu_) return dropped();
  //= UD-06
  if (!qp_.take_receive()) return dropped();
  const std::uint64_t room = verbs::total_len(qp_.receive().sges);
  //= UD-05
  if (packet.payload.size() + grh_size > room) {
    qp_.abandon_receive();
    return dropped();
  }
  //= UD-03
  //= UD-04
  Completion completion;
  completion.opcode = CompletionOpcode::receive;
  bool good = true;
  if (packet.has_grh) good = scatter(qp_, qp_.receive().sges, 0, packet.grh);
  good = scatter(qp_, qp_.receive().sges, grh_size, packet.payload) && good;
  if (!good) {
    completion.status = CompletionStatus::local_protection_error;
    qp_.complete_receive(completion);
    return qp_.fail();
  }
  //= UD-08
  completion.byte_len = static_cast<std::uint32_t>(packet.payload.size()) + grh_size;
  completion.has_grh = packet.has_grh;
  completion.source_qp = packet.headers.deth.source_qp;
  completion.solicited = packet.bth.solicited;
  completion.has_immediate = packet.row->has(Layer::immdt);
  if (completion.has_immediate) completion.immediate = packet.headers.immdt.data;
  qp_.complete_receive(completion);
}

void UdQueuePair::fail_send(CompletionStatus status) {
  //= QPS-06
  qp_.complete_send(status);
  qp_.stop_sending();
}

bool UdQueuePair::poll_transmit(TxPacket& out, Time) {
  if (!verbs::info(qp_.state()).starts_work || qp_.send_queue().empty()) {
    if (qp_.state() == verbs::QpState::sqd) qp_.note_drained();
    return false;
  }
  const verbs::SendWork& work = qp_.send_queue().front();
  const std::uint64_t length = verbs::message_len(work);
  //= UD-02
  if (length > mtu_) {
    fail_send(CompletionStatus::local_length_error);
    return false;
  }
  out.clear();
  if (!gather(qp_, work, 0, static_cast<std::uint32_t>(length), pieces_, out)) {
    fail_send(CompletionStatus::local_protection_error);
    return false;
  }
  out.opcode = request_opcode(Service::ud, work.opcode, true, true);
  out.psn = next_psn_;
  ++next_psn_;
  out.solicited = work.solicited;
  //= UD-07
  constexpr std::uint32_t privileged = 0x80000000;
  out.headers.deth.q_key = (work.q_key.value & privileged) != 0 ? qp_.attributes().q_key : work.q_key;
  out.headers.deth.source_qp = qp_.config().number;
  out.headers.immdt.data = work.immediate;
  destination_ = work.destination;
  out.destination = &destination_;
  out.destination_qp = work.destination_qp;
  qp_.complete_send(CompletionStatus::success);
  return true;
}

}  // namespace rdmawire::ib
