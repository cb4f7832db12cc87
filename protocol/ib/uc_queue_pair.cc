#include "protocol/ib/uc_queue_pair.h"

#include <algorithm>
#include <cstring>

#include "protocol/ib/gather.h"
#include "protocol/ib/request_opcode.h"
#include "protocol/verbs/local_work.h"

namespace rdmawire::ib {

using verbs::Completion;
using verbs::CompletionOpcode;
using verbs::CompletionStatus;

UcQueuePair::UcQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources)
    : qp_(qp, resources), pieces_(std::max<std::size_t>(qp.send.max_sges, 1)) {}

verbs::VerbsResult<void> UcQueuePair::modify(verbs::QpState to, const verbs::QpAttributes& attributes,
                                             verbs::AttributeSet given) {
  const verbs::QpState from = qp_.state();
  const auto done = qp_.modify(to, attributes, given);
  if (!done) return done;
  if (from == verbs::QpState::init && to == verbs::QpState::rtr) {
    epsn_ = qp_.attributes().rq_psn;
    message_ = Message::none;
  }
  if (from == verbs::QpState::rtr && to == verbs::QpState::rts) {
    next_psn_ = qp_.attributes().sq_psn;
    sent_len_ = 0;
  }
  return done;
}

void UcQueuePair::abandon() {
  //= UC-09
  if (message_ == Message::send && qp_.has_receive()) qp_.abandon_receive();
  message_ = Message::none;
  ++num_dropped_;
}

void UcQueuePair::on_packet(const RxPacket& packet, Time) {
  //= UC-01
  if (!verbs::info(qp_.state()).receives) return;
  qp_.note_communication();
  if (packet.row == nullptr || !packet.headers_complete || !packet.payload_fits) {
    ++num_dropped_;
    return;
  }
  const OpcodeInfo& row = *packet.row;
  const bool starts = row.starts_message();
  const bool in_order = packet.bth.psn == epsn_;
  epsn_ = packet.bth.psn + 1;
  //= UC-02
  //= UC-03
  //= UC-04
  const bool send = row.operation == Operation::send;
  const bool continues = !starts && in_order && message_ == (send ? Message::send : Message::write);
  if (!continues && message_ != Message::none) abandon();
  if (!continues && !starts) {
    ++num_dropped_;
    return;
  }
  if (starts) {
    if (!begin(packet)) {
      ++num_dropped_;
      return;
    }
    message_ = send ? Message::send : Message::write;
  }
  if (!is_good_length(packet) || !take_payload(packet)) return abandon();
  if (row.ends_message()) finish(packet);
}

bool UcQueuePair::begin(const RxPacket& packet) {
  received_len_ = 0;
  //= UC-06
  if (packet.row->operation == Operation::send) return qp_.take_receive();
  write_ = packet.headers.reth;
  //= UC-07
  const auto& attributes = qp_.attributes();
  if (!attributes.access.has(verbs::rights::remote_write) ||
      write_.dma_len > verbs::max_message_len(verbs::Service::uc))
    return false;
  if (write_.dma_len == 0) return true;
  return static_cast<bool>(
      qp_.find_remote(write_.r_key, write_.virtual_address.value, write_.dma_len, verbs::rights::remote_write));
}

bool UcQueuePair::is_good_length(const RxPacket& packet) const {
  //= UC-05
  const OpcodeInfo& row = *packet.row;
  const std::uint32_t mtu = qp_.attributes().path_mtu.octets();
  const auto length = static_cast<std::uint32_t>(packet.payload.size());
  if (row.payload == PayloadRule::full && length != mtu) return false;
  if (row.payload == PayloadRule::nonempty && length == 0) return false;
  if (length > mtu) return false;
  if (row.operation != Operation::write) return true;
  return row.ends_message() ? length == write_.dma_len : length < write_.dma_len;
}

bool UcQueuePair::take_payload(const RxPacket& packet) {
  if (packet.row->operation == Operation::send) {
    const bool fits = received_len_ + packet.payload.size() <= verbs::total_len(qp_.receive().sges);
    if (!fits || !scatter(qp_, qp_.receive().sges, received_len_, packet.payload)) return false;
  } else if (!packet.payload.empty()) {
    const auto place =
        qp_.find_remote(write_.r_key, write_.virtual_address.value, packet.payload.size(), verbs::rights::remote_write);
    if (!place) return false;
    std::memcpy(place.memory, packet.payload.data(), packet.payload.size());
    write_.virtual_address.value += packet.payload.size();
    write_.dma_len -= static_cast<std::uint32_t>(packet.payload.size());
  }
  received_len_ += packet.payload.size();
  return true;
}

void UcQueuePair::finish(const RxPacket& packet) {
  const OpcodeInfo& row = *packet.row;
  const bool write = message_ == Message::write;
  message_ = Message::none;
  if (write && row.receive_wqe != ReceiveWqe::takes) return;
  if (write && !qp_.take_receive()) {
    ++num_dropped_;
    return;
  }
  Completion completion;
  completion.opcode = write ? CompletionOpcode::receive_rdma_with_immediate : CompletionOpcode::receive;
  completion.byte_len = static_cast<std::uint32_t>(received_len_);
  completion.solicited = packet.bth.solicited;
  completion.has_immediate = row.has(Layer::immdt);
  if (completion.has_immediate) completion.immediate = packet.headers.immdt.data;
  qp_.complete_receive(completion);
}

bool UcQueuePair::poll_transmit(TxPacket& out, Time) {
  while (verbs::info(qp_.state()).starts_work || (sent_len_ != 0 && qp_.state() == verbs::QpState::sqd)) {
    if (qp_.send_queue().empty()) return false;
    const verbs::SendWork& work = qp_.send_queue().front();
    if (verbs::info(work.opcode).local) {
      const CompletionStatus status = execute_local_work(qp_, work);
      qp_.complete_send(status);
      if (status != CompletionStatus::success) qp_.stop_sending();
      continue;
    }
    const std::uint32_t mtu = qp_.attributes().path_mtu.octets();
    const auto length = static_cast<std::uint32_t>(verbs::message_len(work));
    const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(length - sent_len_, mtu));
    const bool first = sent_len_ == 0;
    const bool last = sent_len_ + size == length;
    out.clear();
    if (!gather(qp_, work, sent_len_, size, pieces_, out)) {
      //= QPS-06
      qp_.complete_send(CompletionStatus::local_protection_error);
      qp_.stop_sending();
      sent_len_ = 0;
      return false;
    }
    out.opcode = request_opcode(Service::uc, work.opcode, first, last);
    out.psn = next_psn_;
    ++next_psn_;
    out.solicited = last && work.solicited && takes_receive(work.opcode);
    out.headers.reth = {{work.remote_address}, {work.r_key.value}, length};
    out.headers.immdt.data = work.immediate;
    sent_len_ += size;
    if (last) {
      //= UC-10
      sent_len_ = 0;
      qp_.complete_send(CompletionStatus::success);
    }
    return true;
  }
  if (qp_.state() == verbs::QpState::sqd) qp_.note_drained();
  return false;
}

}  // namespace rdmawire::ib
