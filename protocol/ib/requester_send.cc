// What the requester sends: which request is started when, and its packets.
#include <algorithm>

#include "protocol/ib/gather.h"
#include "protocol/ib/request_opcode.h"
#include "protocol/ib/requester.h"
#include "protocol/verbs/local_work.h"

namespace rdmawire::ib {

using verbs::CompletionStatus;
using verbs::SendWork;
using verbs::WorkOpcode;

inline bool Requester::within_credits(const SendWork& next, std::uint32_t ssn) const {
  //= CRD-02
  if (!takes_receive(next.opcode) || !config_.flow_control || !credits_seen_ || credits_ended_) return true;
  if (quirk(Quirk::ignore_credits)) return true;
  return Msn{ssn}.distance_to(Msn{limit_ssn_}) >= 0;
}

inline bool Requester::may_start(const SendWork& next) const {
  //= QPS-05
  if (!verbs::info(qp_.state()).starts_work) return false;
  //= FEN-01
  //= FEN-02
  if (next.fence && num_reads_ != 0 && !quirk(Quirk::ignore_fence)) return false;
  if (next.fence && quirk(Quirk::fence_waits_for_all) && una_ != end_psn_) return false;
  const auto& row = verbs::info(next.opcode);
  if (row.local) return true;
  //= RD-02
  //= ATM-08
  if (row.takes_response && num_reads_ >= qp_.attributes().max_rd_atomic && !quirk(Quirk::exceed_read_depth)) {
    return false;
  }
  // One more may be sent to ask for credits, when nothing else is under way.
  const std::uint32_t ssn = (ssn_ + 1) % Msn::modulus;
  return within_credits(next, ssn) || una_ == end_psn_;
}

// Sets one.status, and one.source if it can.
void Requester::check_local(const SendWork& next, Started& one) const {
  const auto& row = verbs::info(next.opcode);
  const std::uint64_t length = verbs::message_len(next);
  const bool atomic = next.opcode == WorkOpcode::compare_swap || next.opcode == WorkOpcode::fetch_add ||
                      next.opcode == WorkOpcode::atomic_write;
  if (atomic && length != verbs::atomic_len) {
    one.status = CompletionStatus::local_length_error;
    return;
  }
  const auto needed = row.writes_local ? verbs::rights::local_write : verbs::rights::local_read;
  const bool good =
      for_each_piece(qp_, next.sges, 0, length, needed, [&](const std::uint8_t* memory, std::size_t size) {
        if (size == length) one.source = memory;
      });
  if (next.inline_data) one.source = next.data.data();
  one.source_generation = qp_.memory().generation();
  if (!good) one.status = CompletionStatus::local_protection_error;
}

// Takes the next posted request up, if it may be. False if nothing can be sent of it now.
bool Requester::start_next() {
  while (end_ < qp_.send_queue().end()) {
    const SendWork& next = work(end_);
    // Nothing after one that was found wrong is started.
    if (end_ > qp_.send_queue().first() && started(end_ - 1).status != CompletionStatus::success) return false;
    if (!may_start(next)) return false;
    Started one;
    one.first = end_psn_;
    const auto& row = verbs::info(next.opcode);
    if (row.local) {
      one.status = execute_local_work(qp_, next);
    } else {
      check_local(next, one);
      one.length = static_cast<std::uint32_t>(verbs::message_len(next));
      //= PSN-05
      //= LEN-12
      const bool has_message = row.reads_local || row.writes_local;
      one.num_psns = has_message ? qp_.attributes().path_mtu.num_packets(one.length) : 1;
      if (one.status != CompletionStatus::success) one.num_psns = 0;
    }
    if (one.num_psns != 0) {
      //= PSN-03
      const std::uint32_t window = quirk(Quirk::psn_window_too_large) ? Psn::modulus - 1 : max_outstanding;
      const std::uint32_t outstanding = una_.forward_to(end_psn_);
      if (outstanding != 0 && (outstanding >= config_.max_outstanding_packets || outstanding + one.num_psns > window)) {
        return false;
      }
      //= MSN-08
      ssn_ = (ssn_ + 1) % Msn::modulus;
      one.ssn = ssn_;
      if (row.takes_response) ++num_reads_;
    }
    started(end_) = one;
    current_ = end_++;
    if (one.num_psns != 0) {
      end_psn_ = one.first + one.num_psns;
      return true;
    }
    current_ = end_;
    complete_acknowledged();
    if (!running_) return false;
  }
  return false;
}

bool Requester::poll_transmit(TxPacket& out, Time now) {
  if (!running_) return false;
  const auto state = qp_.state();
  if (!verbs::info(state).answers || state == verbs::QpState::rtr) return false;
  if (rnr_until_) {
    if (now < *rnr_until_) return false;
    rnr_until_.reset();
  }
  // A request that was started but waits: only its first packet may go before credits come.
  if (next_psn_ == end_psn_ && !start_next()) {
    if (running_ && state == verbs::QpState::sqd && una_ == end_psn_) qp_.note_drained();
    return false;
  }
  Started& one = started(current_);
  const SendWork& what = work(current_);
  //= CRD-02
  // One packet at a time may ask whether there is room meanwhile.
  if (next_psn_ != one.first && una_ != next_psn_ && !within_credits(what, one.ssn)) return false;
  const std::uint32_t outstanding = una_.forward_to(next_psn_);
  if (outstanding >= config_.max_outstanding_packets && outstanding != 0) return false;
  build(what, one, out);
  if (!timeout_at_ && response_due_) restart_timer(now);
  return true;
}

inline void Requester::build(const SendWork& what, Started& one, TxPacket& out) {
  const auto& row = verbs::info(what.opcode);
  const Psn psn = next_psn_;
  one.last_request = psn;
  const std::uint32_t index = one.first.forward_to(psn);
  const std::uint64_t offset = std::uint64_t{index} * mtu();
  const bool reads = what.opcode == WorkOpcode::rdma_read;
  // However late a read begins anew, it is one request.
  const bool first = index == 0 || reads;
  const bool last = index + 1 == one.num_psns || reads;
  out.clear();
  out.psn = psn;
  out.opcode = request_opcode(Service::rc, what.opcode, first, last);
  //= SND-02
  out.solicited = last && what.solicited && takes_receive(what.opcode);
  //= RD-05
  out.headers.reth = {{what.remote_address + (reads ? offset : 0)},
                      {what.r_key.value},
                      what.opcode == WorkOpcode::flush ? what.flush_len
                                                       : one.length - (reads ? static_cast<std::uint32_t>(offset) : 0)};
  if (reads && quirk(Quirk::reread_whole) && index != 0) {
    out.headers.reth.virtual_address = {what.remote_address};
    out.headers.reth.dma_len = one.length;
  }
  switch (what.opcode) {
    case WorkOpcode::compare_swap:
    case WorkOpcode::fetch_add:
      out.headers.atomiceth.virtual_address = {what.remote_address};
      out.headers.atomiceth.r_key = {what.r_key.value};
      out.headers.atomiceth.swap_or_add = what.swap_or_add;
      //= ATM-04
      out.headers.atomiceth.compare = what.opcode == WorkOpcode::compare_swap ? what.compare : 0;
      break;
    case WorkOpcode::flush:
      //= MPE-01
      out.headers.feth.selectivity = what.flush_region ? FlushSelectivity::whole_region : FlushSelectivity::range;
      out.headers.feth.placement = what.flush_placement;
      break;
    default:
      break;
  }
  //= SND-03
  out.headers.immdt.data = what.immediate;
  out.headers.ieth.r_key = {what.invalidate.value};
  if (row.reads_local) {
    const std::uint32_t size = last ? one.length - static_cast<std::uint32_t>(offset) : mtu();
    if (one.source != nullptr && one.source_generation == qp_.memory().generation()) {
      pieces_[0] = {one.source + offset, size};
      out.payload = {pieces_.data(), size == 0 ? std::size_t{0} : 1};
      out.payload_len = size;
    } else {
      gather(qp_, what, offset, size, pieces_, out);
    }
  }

  next_psn_ = reads ? one.first + one.num_psns : psn + 1;
  if (psn == sent_end_) {
    sent_end_ = next_psn_;
  } else {
    if (ahead(psn) < ahead(sent_end_)) ++counters_.num_retransmitted;
    if (ahead(sent_end_) < ahead(next_psn_)) sent_end_ = next_psn_;
  }
  //= ACK-09
  ++unasked_;
  // Also before it has to wait, and at the head of what is sent again: the answer says what was lost.
  const bool waits = una_.forward_to(next_psn_) >= config_.max_outstanding_packets || !within_credits(what, one.ssn);
  out.ack_request = (last || waits || unasked_ >= config_.ack_interval) && !quirk(Quirk::never_ask_for_acknowledge);
  if (out.ack_request) unasked_ = 0;
  if (out.ack_request || row.takes_response) {
    const Psn asked = next_psn_ - 1;
    if (!response_due_ || last_asked_.distance_to(asked) > 0) last_asked_ = asked;
    response_due_ = true;
  }
  if (next_psn_ == one.first + one.num_psns) ++current_;
  // Local work between the messages takes no PSN.
  while (current_ < end_ && started(current_).num_psns == 0) ++current_;
}

}  // namespace rdmawire::ib
