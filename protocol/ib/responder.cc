#include "protocol/ib/responder.h"

#include <algorithm>
#include <cstring>

#include "protocol/verbs/gather.h"

namespace rdmawire::ib {
namespace {

using verbs::Completion;
using verbs::CompletionOpcode;
using verbs::CompletionStatus;

// Memory holds numbers in the order of this machine, the wire has them big-endian (ATM-05).
std::uint64_t load_host(const std::uint8_t* memory) {
  std::uint64_t value;
  std::memcpy(&value, memory, sizeof value);
  return value;
}
void store_host(std::uint8_t* memory, std::uint64_t value) { std::memcpy(memory, &value, sizeof value); }

}  // namespace

Responder::Responder(verbs::QueuePair& qp, const RcConfig& config)
    : qp_(qp),
      config_(config),
      resources_(std::max<std::size_t>(config.max_responder_resources, 1)),
      // Between two answers that keep a resource there is at most one ACK; and a NAK.
      items_(2 * resources_.size() + 4) {}

void Responder::start() {
  stop();
  over_ = false;
  epsn_ = qp_.attributes().rq_psn;
  //= MSN-01
  msn_ = Msn{quirk(Quirk::msn_starts_at_one) ? 1U : 0U};
}

void Responder::stop() {
  over_ = true;
  gap_told_ = rnr_told_ = any_acknowledgeable_ = false;
  message_ = Message::none;
  write_target_ = nullptr;
  last_fault_ = RequestFault::none;
  last_credits_ = CreditCode::not_used;
  first_item_ = num_items_ = 0;
  next_resource_ = 0;
  std::ranges::fill(resources_, Resource{});
}

void Responder::on_packet(const RxPacket& packet, Time) {
  //= NAK-08
  if (over_ && !quirk(Quirk::answer_after_fatal_nak)) return;
  //= QPS-16
  qp_.note_communication();
  const Psn psn = packet.bth.psn;
  //= PSN-02
  std::int64_t ahead = epsn_.distance_to(psn);
  if (quirk(Quirk::psn_without_wrap)) ahead = std::int64_t{psn.value} - epsn_.value;
  if (quirk(Quirk::short_psn_window) && ahead < -(1 << 22)) ahead = 1;
  if (ahead < 0) return on_duplicate(packet);
  if (ahead > 0 && !quirk(Quirk::accept_future_packets)) return on_gap(psn);
  if (packet.row == nullptr && quirk(Quirk::drop_reserved_opcode)) return;
  const RequestFault fault = check(packet);
  if (fault != RequestFault::none) return refuse(fault, psn);
  if (packet.row != nullptr) execute(packet);
}

void Responder::on_gap(Psn psn) {
  //= RNR-03
  if (rnr_told_ && !quirk(Quirk::sequence_nak_after_rnr)) {
    if (quirk(Quirk::rnr_every_packet))
      queue({ItemKind::nak, epsn_, msn_, Syndrome::rnr_nak(qp_.attributes().min_rnr_timer.value)});
    return;
  }
  //= PSN-07
  if ((gap_told_ && !quirk(Quirk::nak_every_future_packet)) || quirk(Quirk::never_nak_gaps)) return;
  gap_told_ = true;
  //= PSN-06
  //= PSN-15
  const Psn told = quirk(Quirk::nak_carries_offending_psn) ? psn : epsn_;
  queue({ItemKind::nak, told, msn_, Syndrome::nak(NakCode::psn_sequence_error)});
}

// A request that is next in sequence, and wrong.
void Responder::refuse(RequestFault fault, Psn psn) {
  //= PSN-10
  last_fault_ = fault;
  const auto misreport = static_cast<Quirk>(static_cast<unsigned>(RequestFault::none) + static_cast<unsigned>(fault));
  if (quirk(Quirk::msn_counts_refused)) ++msn_;
  switch (info(fault).reaction) {
    case FaultReaction::rnr: {
      //= RNR-01
      //= RNR-02
      //= RNR-03
      rnr_told_ = true;
      std::uint8_t timer = qp_.attributes().min_rnr_timer.value;
      if (quirk(misreport)) return die({ItemKind::nak, psn, msn_, Syndrome::nak(NakCode::invalid_request)});
      if (quirk(Quirk::rnr_timer_plus_one)) timer = static_cast<std::uint8_t>((timer + 1) % 32);
      if (quirk(Quirk::rnr_is_fatal)) return die({ItemKind::nak, psn, msn_, Syndrome::rnr_nak(timer)});
      queue({ItemKind::nak, psn, msn_, Syndrome::rnr_nak(timer)});
      if (quirk(Quirk::nak_advances_psn)) ++epsn_;
      return;
    }
    case FaultReaction::silence:
      //= SND-04
      if (quirk(misreport) || quirk(Quirk::nak_bad_invalidate)) {
        return die({ItemKind::nak, psn, msn_, Syndrome::nak(NakCode::remote_access_error)});
      }
      if (quirk(Quirk::acknowledge_bad_invalidate)) {
        return die({ItemKind::nak, psn, msn_, acknowledge_syndrome()});
      }
      over_ = true;
      first_item_ = num_items_ = 0;
      return qp_.fail();
    case FaultReaction::invalid_request:
    case FaultReaction::remote_access:
    case FaultReaction::remote_operational:
      break;
  }
  //= NAK-01
  //= NAK-09
  //= MSN-06
  NakCode code = NakCode::invalid_request;
  if (info(fault).reaction == FaultReaction::remote_access) code = NakCode::remote_access_error;
  if (info(fault).reaction == FaultReaction::remote_operational) code = NakCode::remote_operational_error;
  if (quirk(misreport))
    code = code == NakCode::invalid_request ? NakCode::remote_access_error : NakCode::invalid_request;
  // Where a receive has completed in error there is nothing more to tell.
  if (fault != RequestFault::receive_too_short && fault != RequestFault::local_protection) {
    qp_.raise(info(fault).reaction == FaultReaction::remote_access ? verbs::EventKind::qp_access_error
                                                                   : verbs::EventKind::qp_request_error);
  }
  die({ItemKind::nak, psn, msn_, Syndrome::nak(code)});
}

// The connection ends; what is due and this NAK still go out.
void Responder::die(const Item& nak) {
  over_ = true;
  queue(nak);
  if (quirk(Quirk::failed_write_completes_receive) && !qp_.has_receive() && qp_.can_take_receive()) {
    qp_.take_receive();
    Completion completion;
    completion.status = CompletionStatus::local_access_error;
    qp_.complete_receive(completion);
  }
  qp_.fail();
}

// At once, and one after the other: what comes later sees what this has done.
//= ORD-01
//= ORD-02
//= ORD-04
//= ORD-05
void Responder::execute(const RxPacket& packet) {
  const OpcodeInfo& row = *packet.row;
  RequestFault fault = RequestFault::none;
  std::uint32_t num_psns = 1;
  switch (row.operation) {
    case Operation::send:
      fault = receive_payload(packet);
      break;
    case Operation::write:
      write_payload(packet, target_);
      if (row.receive_wqe == ReceiveWqe::takes) fault = finish_receive(packet);
      break;
    case Operation::read:
      //= PSN-05
      num_psns =
          quirk(Quirk::read_takes_one_psn) ? 1 : qp_.attributes().path_mtu.num_packets(packet.headers.reth.dma_len);
      execute_read(packet);
      break;
    case Operation::atomic:
      execute_atomic(packet);
      break;
    case Operation::flush:
      execute_flush(packet);
      break;
    case Operation::atomic_write:
      execute_atomic_write(packet);
      break;
    default:
      break;
  }
  if (fault != RequestFault::none) return refuse(fault, packet.bth.psn);
  //= PSN-08
  if (!quirk(Quirk::gap_stays_told)) gap_told_ = false;
  rnr_told_ = false;
  epsn_ = packet.bth.psn + num_psns;
  if (row.answer != Answer::acknowledge) return;
  //= MSN-02
  if (row.ends_message() || quirk(Quirk::msn_counts_packets)) ++msn_;
  message_ = row.ends_message() ? Message::none : row.operation == Operation::send ? Message::send : Message::write;
  last_acknowledgeable_ = packet.bth.psn;
  any_acknowledgeable_ = true;
  //= ACK-01
  //= ACK-02
  //= ACK-08
  if (packet.bth.ack_request) queue_acknowledge(packet.bth.psn, false);
}

RequestFault Responder::receive_payload(const RxPacket& packet) {
  const OpcodeInfo& row = *packet.row;
  //= SND-01
  if (row.receive_wqe == ReceiveWqe::takes) {
    received_len_ = 0;
    if (!qp_.take_receive()) return RequestFault::none;
  }
  if (!qp_.has_receive()) return RequestFault::none;
  Completion completion;
  completion.opcode = CompletionOpcode::receive;
  //= LEN-08
  //= CQE-01
  const std::uint64_t room = verbs::total_len(qp_.receive().sges);
  Bytes payload = packet.payload;
  if (received_len_ + payload.size() > room) {
    if (!is_ignored(RequestFault::receive_too_short)) {
      completion.status = CompletionStatus::local_length_error;
      qp_.complete_receive(completion);
      return RequestFault::receive_too_short;
    }
    payload = payload.first(room > received_len_ ? room - received_len_ : 0);
  }
  //= NAK-07
  //= CQE-04
  if (!scatter(qp_, qp_.receive().sges, received_len_, payload) && !is_ignored(RequestFault::local_protection)) {
    completion.status = CompletionStatus::local_protection_error;
    qp_.complete_receive(completion);
    return RequestFault::local_protection;
  }
  received_len_ += payload.size();
  return row.ends_message() ? finish_receive(packet) : RequestFault::none;
}

// The message is whole: the receive request completes. Of a WRITE with immediate it is only taken now.
RequestFault Responder::finish_receive(const RxPacket& packet) {
  const OpcodeInfo& row = *packet.row;
  Completion completion;
  completion.opcode = CompletionOpcode::receive;
  completion.byte_len = static_cast<std::uint32_t>(received_len_);
  if (row.operation == Operation::write) {
    //= SND-07
    //= RNR-09
    //= MEM-09
    if (!qp_.take_receive()) return RequestFault::none;
    completion.opcode = CompletionOpcode::receive_rdma_with_immediate;
    completion.byte_len = quirk(Quirk::write_immediate_len_is_payload)
                              ? static_cast<std::uint32_t>(packet.payload.size())
                              : static_cast<std::uint32_t>(received_len_);
  }
  //= SND-02
  completion.solicited = packet.bth.solicited && !quirk(Quirk::ignore_solicited);
  //= SND-03
  if (row.has(Layer::immdt)) {
    completion.has_immediate = true;
    completion.immediate = packet.headers.immdt.data;
    if (quirk(Quirk::immediate_byte_order)) std::ranges::reverse(completion.immediate);
  }
  if (row.has(Layer::ieth)) {
    //= SND-04
    //= SND-05
    //= SND-06
    const verbs::MemoryKey key{packet.headers.ieth.r_key.value};
    const auto verdict = quirk(Quirk::invalidate_nothing)
                             ? qp_.memory().can_invalidate(key, qp_.config().pd, qp_.config().number)
                             : qp_.memory().invalidate_remote(key, qp_.config().pd, qp_.config().number);
    if (verdict == verbs::AccessVerdict::ok) {
      completion.has_invalidated = true;
      completion.invalidated = key;
    } else if (!quirk(Quirk::bad_invalidate_is_plain_send) && !is_ignored(RequestFault::cannot_invalidate)) {
      completion.status = CompletionStatus::local_qp_operation_error;
      qp_.complete_receive(completion);
      return RequestFault::cannot_invalidate;
    }
  }
  qp_.complete_receive(completion);
  return RequestFault::none;
}

void Responder::write_payload(const RxPacket& packet, std::uint8_t* target) {
  if (packet.row->starts_message()) {
    write_ = packet.headers.reth;
    received_len_ = 0;
  }
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(packet.payload.size(), write_.dma_len));
  write_target_ = target == nullptr ? nullptr : target + size;
  write_generation_ = qp_.memory().generation();
  //= MEM-08
  if (size != 0) {
    if (target == nullptr) {
      target = qp_.find_remote(write_.r_key, write_.virtual_address.value, size, verbs::rights::remote_write).memory;
    }
    if (target != nullptr) std::memcpy(target, packet.payload.data(), size);
  }
  write_.virtual_address.value += size;
  write_.dma_len -= size;
  received_len_ += size;
}

std::uint8_t Responder::num_resources() const {
  return static_cast<std::uint8_t>(std::min<std::size_t>(qp_.attributes().max_dest_rd_atomic, resources_.size()));
}

std::size_t Responder::num_unanswered() const {
  if (quirk(Quirk::recycle_resources)) return 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < num_items_; ++i) {
    const Item& one = item(i);
    if (one.kind != ItemKind::acknowledge && one.kind != ItemKind::nak && !one.replay) ++count;
  }
  return count;
}

// Takes the oldest resource, whose answer is out. If it is being repeated, that ends: the requester has moved on.
Responder::Resource& Responder::remember(const RxPacket& packet, Item& answer) {
  const std::uint8_t index = answer.resource = next_resource_;
  next_resource_ = static_cast<std::uint8_t>((next_resource_ + 1) % std::max<std::uint8_t>(num_resources(), 1));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < num_items_; ++i) {
    const Item one = item(i);
    const bool uses = one.kind != ItemKind::acknowledge && one.kind != ItemKind::nak && one.resource == index;
    if (!uses) item(kept++) = one;
  }
  num_items_ = kept;
  Resource& resource = resources_[index];
  resource = {};
  resource.used = true;
  resource.operation = packet.row->operation;
  resource.first = packet.bth.psn;
  resource.msn = answer.msn;
  return resource;
}

void Responder::execute_read(const RxPacket& packet) {
  const Reth& reth = packet.headers.reth;
  //= MSN-03
  if (!quirk(Quirk::msn_skips_reads)) ++msn_;
  Item answer{ItemKind::read, packet.bth.psn, msn_};
  Resource& resource = remember(packet, answer);
  resource.num_packets = qp_.attributes().path_mtu.num_packets(reth.dma_len);
  resource.reth = reth;
  answer.address = reth.virtual_address.value;
  answer.left_len = reth.dma_len;
  //= RD-03
  if (reth.dma_len == 0 && quirk(Quirk::empty_read_unanswered)) return;
  queue(answer);
}

void Responder::execute_atomic(const RxPacket& packet) {
  AtomicEth atomic = packet.headers.atomiceth;
  //= ATM-05
  if (quirk(Quirk::atomic_byte_order)) {
    atomic.swap_or_add = __builtin_bswap64(atomic.swap_or_add);
    atomic.compare = __builtin_bswap64(atomic.compare);
  }
  const auto place =
      qp_.find_remote(atomic.r_key, atomic.virtual_address.value, verbs::atomic_len, verbs::rights::remote_atomic);
  std::uint64_t original = 0;
  if (place) {
    original = load_host(place.memory);
    std::uint64_t value = original;
    if (packet.row->opcode == Opcode::RC_COMPARE_SWAP) {
      //= ATM-03
      if (original == atomic.compare || quirk(Quirk::swap_always)) value = atomic.swap_or_add;
    } else {
      //= ATM-04
      value = original + atomic.swap_or_add;
      if (quirk(Quirk::fetch_add_saturates) && value < original) value = ~std::uint64_t{0};
    }
    store_host(place.memory, value);
    if (quirk(Quirk::atomic_returns_new_value)) original = value;
  }
  //= MSN-04
  if (!quirk(Quirk::msn_skips_atomics)) ++msn_;
  //= ATM-07
  Item answer{ItemKind::atomic, packet.bth.psn, msn_};
  remember(packet, answer).original = answer.original = original;
  queue(answer);
}

void Responder::execute_flush(const RxPacket& packet) {
  // All writes are in memory as soon as they are executed: there is nothing left to do but to say so.
  //= MPE-05
  ++msn_;
  if (quirk(Quirk::flush_answered_by_acknowledge)) return queue_acknowledge(packet.bth.psn, false);
  Item answer{ItemKind::empty_read, packet.bth.psn, msn_};
  remember(packet, answer);
  queue(answer);
}

void Responder::execute_atomic_write(const RxPacket& packet) {
  const Reth& reth = packet.headers.reth;
  const auto place =
      qp_.find_remote(reth.r_key, reth.virtual_address.value, verbs::atomic_len, verbs::rights::remote_write);
  //= MPE-06
  if (place && packet.payload.size() == verbs::atomic_len)
    std::memcpy(place.memory, packet.payload.data(), verbs::atomic_len);
  ++msn_;
  Item answer{ItemKind::empty_read, packet.bth.psn, msn_};
  remember(packet, answer);
  queue(answer);
}

void Responder::on_receive_posted() {
  //= CRD-06
  if (over_ || !config_.flow_control || last_credits_ != 0 || qp_.has_srq() || !any_acknowledgeable_) return;
  if (num_items_ == 0) queue_acknowledge(epsn_ - 1, false);
}

}  // namespace rdmawire::ib
