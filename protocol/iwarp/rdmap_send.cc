// What goes next, and its segments: RFC 5040, 5; RFC 5041, 5.
#include <algorithm>

#include "protocol/iwarp/rdmap_stream.h"
#include "protocol/verbs/gather.h"
#include "protocol/verbs/local_work.h"

namespace rdmawire::iwarp {
namespace {

using verbs::WorkOpcode;

Opcode opcode_of(const verbs::SendWork& work) {
  switch (work.opcode) {
    case WorkOpcode::rdma_write:
      return Opcode::RDMA_WRITE;
    case WorkOpcode::rdma_read:
      return Opcode::RDMA_READ_REQUEST;
    case WorkOpcode::compare_swap:
    case WorkOpcode::fetch_add:
      return Opcode::ATOMIC_REQUEST;
    case WorkOpcode::immediate_data:
      return work.solicited ? Opcode::IMMEDIATE_DATA_WITH_SE : Opcode::IMMEDIATE_DATA;
    case WorkOpcode::send_with_invalidate:
      return work.solicited ? Opcode::SEND_WITH_SE_AND_INVALIDATE : Opcode::SEND_WITH_INVALIDATE;
    default:
      return work.solicited ? Opcode::SEND_WITH_SE : Opcode::SEND;
  }
}

// The message has its length's octets behind its header.
bool carries_payload(WorkOpcode opcode) { return verbs::info(opcode).reads_local; }

}  // namespace

DdpMsn RdmapStream::msn_of(QueueNumber queue) const {
  if (quirk(Quirk::msn_shared_by_queues)) return tx_msn_[send_queue.value];
  if (quirk(Quirk::msn_starts_at_zero)) return tx_msn_[queue.value] - 1;
  return tx_msn_[queue.value];
}

//= DDP-5041-4.3-05, DDP-5041-4.3-06
void RdmapStream::end_message(QueueNumber queue) {
  ++tx_msn_[quirk(Quirk::msn_shared_by_queues) ? send_queue.value : queue.value];
}

// The control octets of DDP and RDMAP, which both models have. There is one version of each, in both directions.
//= MPA-5044-C-01
//= DDP-5041-4.1-06, DDP-5041-4.1-08, DDP-5041-4.2-02, RDMAP-5040-4.1-06, RDMAP-5040-4.1-07, RDMAP-7306-4.1-01
template <class Ddp>
void RdmapStream::set_control(Ddp& ddp, Opcode opcode, bool last) const {
  ddp.last = last;
  RdmapControl control;
  control.opcode = opcode;
  if (quirk(Quirk::reserved_ddp_bits_set)) ddp.reserved4 = 1;
  if (quirk(Quirk::reserved_rdmap_bits_set)) control.reserved2 = 1;
  if (quirk(Quirk::ddp_version_zero)) ddp.version = 0;
  if (quirk(Quirk::rdmap_version_zero)) control.version = 0;
  encode(control, MutableBytes(ddp.rsvd_ulp).first<header_size<RdmapControl>>());
}

//= DDP-5041-4.2-04
void RdmapStream::put_tagged(TxSegment& out, Opcode opcode, bool last, Stag stag, std::uint64_t offset) {
  DdpTagged ddp;
  set_control(ddp, opcode, last);
  ddp.stag = stag;
  ddp.tagged_offset = {offset};
  out.header_len = 0;
  append(out, ddp);
}

//= DDP-5041-4.3-02, DDP-5041-4.3-04, DDP-5041-4.3-08, RDMAP-5040-4.1-09, RDMAP-7306-4.1-03
void RdmapStream::put_untagged(TxSegment& out, Opcode opcode, bool last, std::uint32_t message_offset,
                               Stag invalidate) {
  DdpUntagged ddp;
  set_control(ddp, opcode, last);
  ddp.queue = find(opcode)->queue;
  if (quirk(Quirk::read_request_on_send_queue) && opcode == Opcode::RDMA_READ_REQUEST) ddp.queue = send_queue;
  if (quirk(Quirk::atomic_response_on_read_queue) && opcode == Opcode::ATOMIC_RESPONSE) ddp.queue = read_request_queue;
  ddp.msn = msn_of(ddp.queue);
  ddp.message_offset = quirk(Quirk::message_offset_constant) ? 0 : message_offset;
  if (quirk(Quirk::invalidate_stag_in_every_send)) invalidate = {1};
  encode(InvalidateStag{invalidate},
         MutableBytes(ddp.rsvd_ulp).subspan<header_size<RdmapControl>, header_size<InvalidateStag>>());
  out.header_len = 0;
  append(out, ddp);
}

bool RdmapStream::can_start_work() {
  while (next_ != qp_.send_queue().end()) {
    const verbs::SendWork& what = work(next_);
    //= RDMAP-5040-5.5-12
    if (what.fence && !outstanding_.empty() && !quirk(Quirk::ignore_fence)) return false;
    const verbs::WorkOpcodeInfo& row = verbs::info(what.opcode);
    if (!row.local) {
      if (!row.takes_response) return true;
      //= RDMAP-5040-6.1-05, RDMAP-7306-5.2-01, RDMAP-5040-8.1.1-11, SEC-5042-6.4.3.3-02
      if (ord_ == 0) {
        fail_work(next_, verbs::CompletionStatus::local_qp_operation_error);
        return false;
      }
      // What was asked of a peer that has closed will not be answered.
      if (peer_closed_) {
        fail_work(next_, verbs::CompletionStatus::work_flushed);
        return false;
      }
      if (quirk(Quirk::exceed_ord)) return outstanding_.size() < outstanding_.capacity();
      return outstanding_.size() < ord_;
    }
    const verbs::CompletionStatus status = verbs::execute_local_work(qp_, what);
    if (status != verbs::CompletionStatus::success) {
      fail_work(next_, status);
      return false;
    }
    started(next_++) = {};
    complete_in_order();
    if (!info(state_).sends) return false;
  }
  return false;
}

// Decides which message goes next, if none has begun.
void RdmapStream::prepare() {
  if (message_ != Message::none && !is_abandoned()) return;
  end_if_abandoned();
  if (state_ == StreamState::terminating) {
    choose(Message::terminate, Opcode::TERMINATE, 0);
    header_len_ = terminate_len_;
    return;
  }
  if (!info(state_).sends) return;
  //= MPA-6581-5-01
  if (ready_ != ReadyToReceive::none) {
    choose(Message::ready,
           ready_ == ReadyToReceive::send    ? Opcode::SEND
           : ready_ == ReadyToReceive::write ? Opcode::RDMA_WRITE
                                             : Opcode::RDMA_READ_REQUEST,
           0);
    return;
  }
  // Answers and work take turns, message by message: each is sent whole (RFC 5041, 5.3).
  //= DDP-5041-5.3-01, RDMAP-5040-5.5-10
  for (int tries = 0; tries < 2 && message_ == Message::none; ++tries) {
    answers_turn_ = !answers_turn_;
    if (answers_turn_) {
      prepare_answer();
    } else if (can_start_work()) {
      begin_work();
    }
    if (!info(state_).sends) return prepare();
  }
  if (message_ != Message::none || state_ != StreamState::draining) return;
  //= DDP-5041-6.2.1-01
  if (outstanding_.empty() && inbound_.empty() && next_ == qp_.send_queue().end()) happen(StreamEvent::all_sent);
}

void RdmapStream::begin_work() {
  const verbs::SendWork& what = work(next_);
  Started& one = started(next_);
  one.length = static_cast<std::uint32_t>(verbs::message_len(what));
  choose(Message::work, opcode_of(what), carries_payload(what.opcode) ? one.length : 0);
  const OpcodeInfo& row = *row_;
  one.waiting = row.answer != Answer::none;
  one.queue = row.queue;
  one.msn = row.tagged() ? DdpMsn{} : msn_of(row.queue);
  sent_len_ = 0;
  if (!one.waiting) return;
  // The buffer must be there before anything is asked for it.
  const std::uint32_t sink_len = row.answer == Answer::atomic_response ? verbs::atomic_len : one.length;
  const bool good =
      verbs::for_each_piece(qp_, what.sges, 0, sink_len, verbs::rights::local_write, [](std::uint8_t*, std::size_t) {});
  if (!good || verbs::message_len(what) < sink_len) {
    fail_work(next_,
              good ? verbs::CompletionStatus::local_length_error : verbs::CompletionStatus::local_protection_error);
  }
}

void RdmapStream::choose(Message message, Opcode opcode, std::uint32_t payload_len) {
  message_ = message;
  row_ = find(opcode);
  header_len_ = static_cast<std::uint32_t>(segment_header_size(*row_));
  left_ = payload_len;
}

std::uint32_t RdmapStream::next_len(std::uint32_t mulpdu) {
  prepare();
  if (message_ == Message::none) return 0;
  return header_len_ + payload_len(mulpdu);
}

void RdmapStream::next_segment(TxSegment& out, std::uint32_t mulpdu) {
  out.payload = {};
  out.payload_len = 0;
  ++counters_.num_segments_sent;
  switch (message_) {
    case Message::ready:
      return put_ready(out);
    case Message::work:
      return put_work(out, mulpdu);
    case Message::answer:
      return put_answer(out, mulpdu);
    case Message::terminate:
      //= RDMAP-5040-5.4-01, RDMAP-5040-5.4-02, RDMAP-5040-5.4-07
      std::copy_n(terminate_.begin(), terminate_len_, out.header.begin());
      out.header_len = terminate_len_;
      message_ = Message::none;
      happen(StreamEvent::terminate_sent);
      return;
    case Message::none:
      break;
  }
}

// After an error in making a segment.
void RdmapStream::put_terminate_instead(TxSegment& out, std::uint32_t mulpdu) {
  prepare();
  next_segment(out, mulpdu);
}

RdmapStream::Outstanding& RdmapStream::ask(std::uint64_t number) {
  Outstanding& one = outstanding_.push();
  one = {};
  one.number = number;
  return one;
}

//= MPA-6581-9.2-10, MPA-6581-9.2-17, MPA-6581-9.2-18, MPA-6581-9.2-19
void RdmapStream::put_ready(TxSegment& out) {
  // An STag of 0 in a message without octets makes some devices fail (divergences of Chelsio).
  constexpr Stag not_zero{1};
  const Stag stag = quirk(Quirk::ready_with_stag_zero) ? Stag{0} : not_zero;
  switch (ready_) {
    case ReadyToReceive::send:
      put_untagged(out, Opcode::SEND, true, 0);
      end_message(send_queue);
      break;
    case ReadyToReceive::write:
      put_tagged(out, Opcode::RDMA_WRITE, true, stag, 0);
      break;
    default: {
      put_untagged(out, Opcode::RDMA_READ_REQUEST, true, 0);
      append(out, ReadRequest{stag, {0}, 0, stag, {0}});
      end_message(read_request_queue);
      ask(Outstanding::no_work).sink = stag;
      break;
    }
  }
  ready_ = ReadyToReceive::none;
  message_ = Message::none;
}

//= DDP-5041-4.1-03, DDP-5041-4.1-04, DDP-5041-4.2-06, DDP-5041-5.2-06, DDP-5041-5.3-02, RDMAP-5040-4.4-04
//= RDMAP-5040-4.4-05, RDMAP-5040-5.1-04, RDMAP-5040-5.2-01, RDMAP-5040-5.2.1-08, RDMAP-5040-5.2.1-10
//= RDMAP-5040-5.3-09
void RdmapStream::put_work(TxSegment& out, std::uint32_t mulpdu) {
  const verbs::SendWork& what = work(next_);
  const OpcodeInfo& row = *row_;
  const Opcode opcode = row.opcode;
  const Started& one = started(next_);
  const std::uint32_t size = payload_len(mulpdu);
  const bool ends = size == left_;
  bool last = ends;
  if (quirk(Quirk::last_on_every_segment)) last = true;
  if (quirk(Quirk::never_last) && one.length != 0) last = false;
  if (carries_payload(what.opcode) && size != 0) {
    const auto num_pieces = verbs::gather(qp_, what, sent_len_, size, pieces_);
    if (!num_pieces) {
      fail_work(next_, verbs::CompletionStatus::local_protection_error);
      return put_terminate_instead(out, mulpdu);
    }
    out.payload = std::span<const Bytes>(pieces_).first(*num_pieces);
    out.payload_len = size;
  }
  switch (row.operation) {
    case Operation::write:
      //= DDP-5041-5.2-07, RDMAP-5040-5.1-01, RDMAP-5040-5.1-05, RDMAP-5040-5.1-07
      put_tagged(out, opcode, last, {what.r_key.value},
                 what.remote_address + (quirk(Quirk::tagged_offset_constant) ? 0 : sent_len_));
      break;
    case Operation::read: {
      //= RDMAP-5040-5.2.1-01, RDMAP-5040-5.2.1-04, RDMAP-5040-5.2.1-05, RDMAP-5040-5.2.1-07
      put_untagged(out, opcode, last, 0);
      // The response is placed by the request's pieces, and only told apart by what stands here. Of several pieces the
      // first one's STag stands for all, with offsets from 0, which cannot wrap.
      const verbs::Sge sink = what.sges.empty() ? verbs::Sge{} : what.sges.front();
      const std::uint64_t sink_offset = what.sges.size() > 1 ? 0 : sink.address;
      append(out,
             ReadRequest{{sink.l_key.value}, {sink_offset}, one.length, {what.r_key.value}, {what.remote_address}});
      Outstanding& asked = ask(next_);
      asked.sink = {sink.l_key.value};
      asked.offset = sink_offset;
      asked.length = one.length;
      break;
    }
    case Operation::atomic: {
      //= RDMAP-7306-5.2.1-07, RDMAP-7306-5.2.1-11, RDMAP-7306-5.2.1-12
      put_untagged(out, opcode, last, 0);
      AtomicRequest request;
      const bool add = what.opcode == WorkOpcode::fetch_add;
      request.opcode = add ? AtomicOpcode::fetch_add : AtomicOpcode::cmp_swap;
      request.request_id = quirk(Quirk::atomic_request_id_constant) ? 0 : next_request_id_++;
      request.remote_stag = {what.r_key.value};
      request.remote_offset = {what.remote_address};
      request.add_or_swap_data = what.swap_or_add;
      request.add_or_swap_mask = add ? what.add_mask : what.swap_mask;
      //= RDMAP-7306-5.2.1-06
      request.compare_data = add ? 0 : what.compare;
      request.compare_mask = add ? ~std::uint64_t{0} : what.compare_mask;
      if (quirk(Quirk::fetch_add_compares_nothing) && add) request.compare_mask = 0;
      append(out, request);
      Outstanding& asked = ask(next_);
      asked.atomic = true;
      asked.request_id = request.request_id;
      break;
    }
    case Operation::immediate:
      //= RDMAP-7306-6.3-01, RDMAP-7306-6.3-04, RDMAP-7306-6.3-05
      put_untagged(out, opcode, last, 0);
      append(out, ImmediateData{what.immediate_data});
      if (quirk(Quirk::immediate_of_seven_octets)) --out.header_len;
      break;
    default:
      //= DDP-5041-5.2-05, RDMAP-5040-5.3-01, RDMAP-5040-5.3-07, RDMAP-5040-5.3-08, RDMAP-5040-5.3-11
      put_untagged(out, opcode, last, sent_len_, row.invalidates ? Stag{what.invalidate.value} : Stag{});
      break;
  }
  sent_len_ += size;
  left_ -= size;
  begun_ = !ends;
  if (quirk(Quirk::msn_counts_segments) && !row.tagged() && !ends) end_message(row.queue);
  if (!ends) return;
  //= DDP-5041-5.2-03, DDP-5041-5.2-08, RDMAP-5040-3.1-03
  if (!row.tagged()) end_message(row.queue);
  end_work();
}

void RdmapStream::end_work() {
  if (quirk(Quirk::read_completes_when_sent)) started(next_).waiting = false;
  ++next_;
  message_ = Message::none;
  complete_in_order();
}

// Everything has gone to the lower layer, which transfers it, but what waits for an answer.
//= RDMAP-5040-5.5-05, RDMAP-5040-5.5-11, RDMAP-5040-5.5-12, DDP-5041-5.4-01
void RdmapStream::complete_in_order() {
  while (qp_.send_queue().first() < next_ && qp_.state() != verbs::QpState::err) {
    const std::uint64_t number = qp_.send_queue().first();
    if (started(number).waiting) return;
    const bool answered = verbs::info(work(number).opcode).takes_response;
    qp_.complete_send(verbs::CompletionStatus::success, answered ? started(number).length : 0);
  }
  end_if_abandoned();
}

}  // namespace rdmawire::iwarp
