#include "protocol/ib/requester.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "protocol/verbs/gather.h"

namespace rdmawire::ib {

using verbs::CompletionStatus;

Requester::Requester(verbs::QueuePair& qp, const RcConfig& config)
    : qp_(qp),
      config_(config),
      started_(std::bit_ceil(std::size_t{qp.config().send.depth})),
      started_mask_(started_.size() - 1),
      pieces_(std::max<std::size_t>(qp.config().send.max_sges, 1)) {}

void Requester::start() {
  stop();
  const auto& attributes = qp_.attributes();
  running_ = true;
  //= PSN-04
  una_ = next_psn_ = end_psn_ = sent_end_ = attributes.sq_psn;
  current_ = end_ = qp_.send_queue().first();
  retries_left_ = attributes.retry_count;
  rnr_retries_left_ = attributes.rnr_retry;
}

void Requester::stop() {
  running_ = false;
  num_reads_ = ssn_ = unasked_ = 0;
  response_due_ = false;
  last_nak_.reset();
  timeout_at_.reset();
  rnr_until_.reset();
  credits_seen_ = credits_ended_ = false;
}

RequesterState Requester::state() const {
  if (!running_) return RequesterState::stopped;
  if (rnr_until_) return RequesterState::waiting_rnr;
  if (una_ == end_psn_) return RequesterState::idle;
  if (next_psn_ != sent_end_) return RequesterState::repeating;
  return takes_response(number_at(una_)) ? RequesterState::waiting_answer : RequesterState::waiting_ack;
}

bool Requester::in_flight(Psn psn) const { return psn.in_window(una_, una_.forward_to(sent_end_)); }

std::uint64_t Requester::number_at(Psn psn) const {
  std::uint64_t number = qp_.send_queue().first();
  while (number + 1 < end_) {
    const Started& one = started(number);
    if (one.num_psns != 0 && psn.in_window(one.first, one.num_psns)) break;
    ++number;
  }
  return number;
}

void Requester::on_packet(const RxPacket& packet, Time now) {
  //= QPS-07
  if (!running_ || packet.row == nullptr || !packet.headers_complete) return;
  const Psn psn = packet.bth.psn;
  //= PSN-12
  //= PSN-13
  //= NAK-12
  //= RD-07
  if (!in_flight(psn) && !quirk(Quirk::accept_ghosts)) {
    ++counters_.num_ignored;
    if (psn == una_ - 1 && packet.row->opcode == Opcode::RC_ACKNOWLEDGE) take_credits(packet.headers.aeth);
    return;
  }
  switch (packet.row->operation) {
    case Operation::ack:
      return on_acknowledge(packet, now);
    case Operation::read:
      return on_read_response(packet, now);
    case Operation::atomic:
      return on_atomic_response(packet, now);
    default:
      return;
  }
}

void Requester::on_acknowledge(const RxPacket& packet, Time now) {
  const Aeth& aeth = packet.headers.aeth;
  //= ACK-11
  if ((aeth.syndrome.value & 0x80U) != 0 && !quirk(Quirk::accept_reserved_syndrome)) return;
  switch (aeth.syndrome.kind()) {
    case SyndromeKind::ack: {
      //= ACK-06
      //= ACK-08
      //= MSN-07
      const Psn upto = packet.bth.psn;
      if (quirk(Quirk::acknowledge_only_own_psn) && upto != una_) return;
      take_credits(aeth);
      if (quirk(Quirk::acknowledge_skips_reads)) {
        for (std::uint64_t n = qp_.send_queue().first(); n < end_; ++n) {
          if (takes_response(n) && num_reads_ != 0 && started(n).first.distance_to(upto) >= 0) --num_reads_;
        }
        return advance(upto + 1, now);
      }
      //= RD-10
      //= OPS-08
      acknowledge_before(upto + 1, now);
      return;
    }
    case SyndromeKind::rnr_nak:
      return on_rnr_nak(packet, now);
    case SyndromeKind::nak:
      return on_nak(packet, now);
    case SyndromeKind::reserved:
      //= ACK-11
      ++counters_.num_ignored;
      return;
  }
}

bool Requester::acknowledge_before(Psn psn, Time now) {
  //= NAK-02
  //= ACK-07
  // Up to the first read or atomic before psn that was not answered.
  Psn upto = psn;
  bool all = true;
  for (std::uint64_t n = qp_.send_queue().first(); n < end_ && num_reads_ != 0; ++n) {
    const Started& one = started(n);
    if (one.num_psns == 0 || !takes_response(n)) continue;
    const Psn end = one.first + one.num_psns;
    if (ahead(end).value_or(0) == 0) continue;
    const Psn missing = una_.distance_to(one.first) > 0 ? one.first : una_;
    if (ahead(missing) >= ahead(psn)) break;
    upto = missing;
    all = false;
    break;
  }
  if (ahead(upto).value_or(0) != 0) advance(upto, now);
  //= NAK-03
  //= RD-04
  if (!all && running_) implied_nak(now);
  return all && running_;
}

void Requester::advance(Psn to, Time now) {
  const bool passed = ahead(next_psn_) < ahead(to);
  una_ = to;
  // What was acknowledged while it was about to be sent again need not be.
  if (passed) {
    next_psn_ = una_;
    current_ = una_ == end_psn_ ? end_ : number_at(una_);
  }
  //= TMO-06
  //= RNR-06
  retries_left_ = qp_.attributes().retry_count;
  rnr_retries_left_ = qp_.attributes().rnr_retry;
  last_nak_.reset();
  restart_timer(now);
  complete_acknowledged();
}

void Requester::complete_acknowledged() {
  //= ORD-06
  while (qp_.send_queue().first() < end_ && qp_.state() != verbs::QpState::err) {
    const std::uint64_t number = qp_.send_queue().first();
    const Started& one = started(number);
    if (one.status != CompletionStatus::success) return fail(number, one.status);
    if (one.num_psns != 0 && ahead(one.first + one.num_psns).value_or(0) != 0) return;
    const auto& row = verbs::info(work(number).opcode);
    if (current_ == number) current_ = number + 1;
    //= CQE-00
    qp_.complete_send(CompletionStatus::success, row.writes_local ? one.length : 0);
  }
  if (qp_.state() == verbs::QpState::err) stop();
}

void Requester::take_credits(const Aeth& aeth) {
  //= CRD-02
  //= CRD-03
  //= CRD-04
  //= CRD-05
  if (!config_.flow_control || credits_ended_ || aeth.syndrome.kind() != SyndromeKind::ack) return;
  const auto credits = CreditCode{aeth.syndrome.low5()}.receive_wqes();
  if (!credits) {
    credits_ended_ = true;
    return;
  }
  const std::uint32_t limit = (aeth.msn + *credits).value;
  if (!credits_seen_ || Msn{limit_ssn_}.distance_to(Msn{limit}) > 0 || quirk(Quirk::credits_retract))
    limit_ssn_ = limit;
  credits_seen_ = true;
}

void Requester::on_nak(const RxPacket& packet, Time now) {
  const Psn psn = packet.bth.psn;
  if (!acknowledge_before(psn, now)) return;
  const auto code = static_cast<NakCode>(packet.headers.aeth.syndrome.low5());
  CompletionStatus status{};
  switch (code) {
    case NakCode::psn_sequence_error:
      ++counters_.num_sequence_naks;
      if (quirk(Quirk::ignore_sequence_naks)) return;
      //= NAK-13
      if (last_nak_ == psn && !quirk(Quirk::go_back_on_every_nak)) return;
      if (quirk(Quirk::nak_reloads_retry_count)) retries_left_ = qp_.attributes().retry_count;
      //= NAK-04
      //= TMO-07
      if (quirk(Quirk::sequence_nak_is_fatal)) return fail(number_at(psn), CompletionStatus::remote_operation_error);
      if (retry_from(quirk(Quirk::go_back_one_less) ? psn + 1 : psn, now)) last_nak_ = psn;
      return;
    //= NAK-05
    case NakCode::invalid_request:
      status = CompletionStatus::remote_invalid_request;  //= CQE-09
      break;
    case NakCode::remote_access_error:
      status = CompletionStatus::remote_access_error;  //= CQE-10
      break;
    case NakCode::remote_operational_error:
      status = CompletionStatus::remote_operation_error;  //= CQE-11
      break;
    default:
      //= NAK-06
      ++counters_.num_ignored;
      if (!quirk(Quirk::reserved_nak_is_fatal)) return;
      status = CompletionStatus::remote_operation_error;
      break;
  }
  if (quirk(Quirk::retry_fatal_naks)) {
    retry_from(psn, now);
    return;
  }
  if (quirk(Quirk::swap_nak_statuses)) {
    status = status == CompletionStatus::remote_access_error ? CompletionStatus::remote_invalid_request
                                                             : CompletionStatus::remote_access_error;
  }
  fail(number_at(psn), status);
}

void Requester::on_rnr_nak(const RxPacket& packet, Time now) {
  const Psn psn = packet.bth.psn;
  if (!acknowledge_before(psn, now)) return;
  ++counters_.num_rnr_naks;
  //= RNR-05
  constexpr std::uint8_t for_ever = 7;
  if (qp_.attributes().rnr_retry != for_ever) {
    //= CQE-13
    if (rnr_retries_left_ == 0) return fail(number_at(psn), CompletionStatus::rnr_retries_exceeded);
    --rnr_retries_left_;
    if (quirk(Quirk::rnr_costs_retry_count)) {
      if (retries_left_ == 0) return fail(number_at(psn), CompletionStatus::retries_exceeded);
      --retries_left_;
    }
  }
  //= RNR-04
  //= RNR-10
  go_back(psn);
  auto wait = RnrTimer{packet.headers.aeth.syndrome.low5()}.duration();
  if (quirk(Quirk::rnr_timer_500_times_too_fast)) wait /= 500;
  if (quirk(Quirk::rnr_code_25_too_short) && packet.headers.aeth.syndrome.low5() == 25) {
    wait = std::chrono::microseconds(61410);
  }
  rnr_until_ = now + wait;
  //= RNR-07
  if (!quirk(Quirk::timer_runs_during_rnr)) timeout_at_.reset();
}

void Requester::on_read_response(const RxPacket& packet, Time now) {
  const Psn psn = packet.bth.psn;
  const OpcodeInfo& row = *packet.row;
  //= ACK-07
  if (!acknowledge_before(psn, now)) return;
  if (una_ != psn) return;
  const std::uint64_t number = qp_.send_queue().first();
  const Started& one = started(number);
  const auto& what = work(number);
  if (row.has(Layer::aeth)) {
    //= OPS-09
    if (packet.headers.aeth.syndrome.kind() != SyndromeKind::ack) return fail(number, CompletionStatus::bad_response);
    take_credits(packet.headers.aeth);
  }
  if (what.opcode == verbs::WorkOpcode::flush || what.opcode == verbs::WorkOpcode::atomic_write) {
    //= MPE-05
    if (row.opcode != Opcode::RC_RDMA_READ_RESPONSE_ONLY || !packet.payload.empty()) {
      return fail(number, CompletionStatus::bad_response);
    }
    --num_reads_;
    return advance(psn + 1, now);
  }
  if (what.opcode != verbs::WorkOpcode::rdma_read) return fail(number, CompletionStatus::bad_response);
  //= OPS-07
  //= RD-06
  //= CQE-07
  // A response begins where the read was asked for, first or again, and goes on from there.
  const bool in_order = row.starts_message() ? psn == one.last_request : psn != one.first;
  if (!in_order && !quirk(Quirk::any_read_response_order)) return fail(number, CompletionStatus::bad_response);
  const std::uint64_t offset = std::uint64_t{one.first.forward_to(psn)} * mtu();
  const std::uint64_t left = one.length - offset;
  const bool ends = left <= mtu();
  //= LEN-09
  //= RD-01
  const std::uint64_t expected = ends ? left : mtu();
  if (ends != row.ends_message() || packet.payload.size() != expected || !packet.payload_fits) {
    if (!quirk(Quirk::any_read_response_length)) return fail(number, CompletionStatus::local_length_error);
  }
  const Bytes payload = packet.payload.first(std::min<std::size_t>(packet.payload.size(), left));
  if (!scatter(qp_, what.sges, quirk(Quirk::read_data_misplaced) && offset != 0 ? offset - mtu() : offset, payload)) {
    return fail(number, CompletionStatus::local_protection_error);
  }
  if (ends) --num_reads_;
  advance(psn + 1, now);
}

void Requester::on_atomic_response(const RxPacket& packet, Time now) {
  const Psn psn = packet.bth.psn;
  if (!acknowledge_before(psn, now)) return;
  if (una_ != psn) return;
  const std::uint64_t number = qp_.send_queue().first();
  const auto& what = work(number);
  if (what.opcode != verbs::WorkOpcode::compare_swap && what.opcode != verbs::WorkOpcode::fetch_add) {
    return fail(number, CompletionStatus::bad_response);
  }
  if (packet.headers.aeth.syndrome.kind() != SyndromeKind::ack) return fail(number, CompletionStatus::bad_response);
  take_credits(packet.headers.aeth);
  //= ATM-05
  std::uint64_t original = packet.headers.atomicacketh.original_remote_data;
  if (quirk(Quirk::atomic_result_byte_order)) original = __builtin_bswap64(original);
  std::array<std::uint8_t, sizeof original> octets;
  std::memcpy(octets.data(), &original, sizeof original);
  if (!scatter(qp_, what.sges, 0, octets)) return fail(number, CompletionStatus::local_protection_error);
  --num_reads_;
  advance(psn + 1, now);
}

void Requester::implied_nak(Time now) {
  //= RD-04
  //= RD-08
  // While the missing part is being asked for again, what comes meanwhile says nothing new.
  if (last_nak_ == una_ || quirk(Quirk::gap_waits_for_timeout)) return;
  ++counters_.num_implied_naks;
  const Psn missing = una_;
  if (retry_from(missing, now)) last_nak_ = missing;
}

bool Requester::retry_from(Psn psn, Time now) {
  //= TMO-05
  if (retries_left_ == 0) {
    //= TMO-08
    if (qp_.attributes().migration == verbs::MigrationState::armed) {
      qp_.migrate();
      retries_left_ = qp_.attributes().retry_count;
    } else {
      //= CQE-12
      fail(qp_.send_queue().first(), CompletionStatus::retries_exceeded);
      return false;
    }
  } else if (!quirk(Quirk::retry_for_ever)) {
    --retries_left_;
  }
  go_back(psn);
  timeout_at_.reset();
  restart_timer(now);
  return true;
}

void Requester::go_back(Psn psn) {
  //= PSN-16
  next_psn_ = psn;
  current_ = psn == end_psn_ ? end_ : number_at(psn);
  unasked_ = config_.ack_interval;
}

void Requester::restart_timer(Time now) {
  //= TMO-03
  const auto wait = qp_.attributes().timeout.duration();
  const bool due = response_due_ && una_.distance_to(last_asked_) >= 0;
  if (!due) response_due_ = false;
  if (!wait || !due) {
    timeout_at_.reset();
    return;
  }
  //= TMO-01
  //= TMO-02
  timeout_at_ = now + (quirk(Quirk::timeout_10_times_too_long) ? *wait * 10 : *wait);
}

std::optional<Time> Requester::next_deadline() const {
  if (rnr_until_ && timeout_at_) return std::min(*rnr_until_, *timeout_at_);
  return rnr_until_ ? rnr_until_ : timeout_at_;
}

void Requester::on_deadline(Time now) {
  if (!running_) return;
  if (rnr_until_ && now >= *rnr_until_) rnr_until_.reset();
  if (!timeout_at_ || now < *timeout_at_) return;
  //= TMO-04
  ++counters_.num_timeouts;
  last_nak_.reset();
  retry_from(una_, now);
}

// The request with that number ends so, those before it well, and the connection with it.
void Requester::fail(std::uint64_t number, CompletionStatus status) {
  //= FLU-01
  while (qp_.send_queue().first() < number && !qp_.send_queue().empty()) {
    // Before it only what was acknowledged can stand: complete_acknowledged has taken it, but for local work.
    qp_.complete_send(started(qp_.send_queue().first()).status);
  }
  if (!qp_.send_queue().empty()) qp_.complete_send(status);
  qp_.fail();
  stop();
}

}  // namespace rdmawire::ib
