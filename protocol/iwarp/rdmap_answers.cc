// Reads and atomics, both sides: RFC 5040, 5.2; RFC 7306, 5.
#include <algorithm>
#include <cstring>

#include "protocol/iwarp/access_errors.h"
#include "protocol/iwarp/rdmap_stream.h"
#include "protocol/verbs/gather.h"

namespace rdmawire::iwarp {
namespace {

using verbs::AccessVerdict;
using verbs::CompletionStatus;
using verbs::EventKind;

// Each field of the sum on its own; a set bit of the mask is the top one of a field, whose carry is dropped.
//= RDMAP-7306-5.1.1-03
constexpr std::uint64_t masked_add(std::uint64_t a, std::uint64_t b, std::uint64_t tops) {
  return ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops);
}

//= RDMAP-7306-5.1.2-01, RDMAP-7306-5.1.2-02
constexpr std::uint64_t masked_swap(std::uint64_t old, const AtomicRequest& request) {
  if (((request.compare_data ^ old) & request.compare_mask) != 0) return old;
  return (old & ~request.add_or_swap_mask) | (request.add_or_swap_data & request.add_or_swap_mask);
}

}  // namespace

verbs::AccessResult RdmapStream::find_remote(Stag stag, std::uint64_t offset, std::uint64_t length,
                                             verbs::Access needed) const {
  if (!qp_.attributes().access.has(needed)) {
    // What the queue pair as a whole does not allow.
    const verbs::AccessResult found = qp_.find_remote({stag.value}, offset, length, verbs::rights::local_read);
    return found ? verbs::AccessResult{AccessVerdict::no_right, nullptr} : found;
  }
  return qp_.find_remote({stag.value}, offset, length, needed);
}

// Room for what the peer asks for, within the depth that it was promised.
//= RDMAP-5040-5.2.1-02, RDMAP-5040-5.2.2-02, RDMAP-5040-6.1-06, RDMAP-7306-5.2.1-08, RDMAP-7306-5.2.2-05
//= RDMAP-5040-8.1.2-06, SEC-5042-6.4.3.3-01, SEC-5042-6.4.3.3-03
bool RdmapStream::has_inbound_room(const RxSegment& segment) {
  const bool ignored = quirk(Quirk::accept_beyond_ird) && !inbound_.full();
  if (inbound_.size() < ird_ || ignored) return true;
  TerminateReason reason = TerminateReason::ddp_untagged_no_buffer;
  if (quirk(Quirk::ird_overflow_is_msn_range)) reason = TerminateReason::ddp_untagged_msn_out_of_range;
  if (quirk(Quirk::ird_overflow_is_catastrophic)) reason = TerminateReason::rdmap_catastrophic_stream;
  refuse(reason, segment, Blame(EventKind::qp_request_error));
  return false;
}

RdmapStream::Inbound& RdmapStream::take_inbound(const RxSegment& segment) {
  Inbound& slot = inbound_.push();
  slot.sent_len = 0;
  slot.segment_len = segment.len();
  std::copy_n(segment.head().begin(), std::min(segment.head().size(), slot.head.size()), slot.head.begin());
  ++rx_msn_[read_request_queue.value];
  return slot;
}

//= RDMAP-5040-5.2.1-03, RDMAP-5040-5.2.1-11, RDMAP-5040-5.2.1-12, RDMAP-5040-7.2-06, RDMAP-5040-7.2-07
//= RDMAP-5040-5.5-08, RDMAP-5040-5.5-14, SEC-5042-6.3.1-01
//= RDMAP-5040-B-03, RDMAP-5040-B-06, RDMAP-5040-B-07, RDMAP-5040-B-08, RDMAP-5040-B-10, RDMAP-5040-5.5-09
//= RDMAP-5040-5.5-15, SEC-5042-6.3.5-02, RDMAP-7306-7-03
void RdmapStream::on_read_request(const RxSegment& segment, const Pdu& pdu) {
  if (!check_message(segment, *pdu.get<DdpUntagged>()) || !has_inbound_room(segment)) return;
  const ReadRequest read = *pdu.get<ReadRequest>();
  if (read.read_len != 0 || quirk(Quirk::validate_empty_read)) {
    verbs::AccessResult found =
        find_remote(read.source_stag, read.source_offset.value, read.read_len, verbs::rights::remote_read);
    if (quirk(Quirk::ignore_read_right) && found.verdict == AccessVerdict::no_right) found.verdict = AccessVerdict::ok;
    if (!found) {
      TerminateReason reason = remote_protection_error(found.verdict);
      if (quirk(Quirk::read_errors_in_ddp)) reason = tagged_buffer_error(found.verdict);
      return refuse(reason, segment, Blame(EventKind::qp_access_error));
    }
  }
  Inbound& slot = take_inbound(segment);
  slot.atomic = false;
  slot.read = read;
}

//= RDMAP-7306-5.2.1-05, RDMAP-7306-5.2.1-09, RDMAP-7306-5.4-03, RDMAP-7306-8.2-04
//= RDMAP-7306-5.4-04, RDMAP-7306-5.4-06, RDMAP-7306-7-04, RDMAP-7306-7-07, RDMAP-7306-7-08, RDMAP-7306-7-09
//= RDMAP-7306-7-10, RDMAP-7306-7-13, RDMAP-7306-7-14
void RdmapStream::on_atomic_request(const RxSegment& segment, const Pdu& pdu) {
  if (!check_message(segment, *pdu.get<DdpUntagged>()) || !has_inbound_room(segment)) return;
  const AtomicRequest request = *atomic_request_of(pdu);
  const auto found =
      find_remote(request.remote_stag, request.remote_offset.value, verbs::atomic_len, verbs::rights::remote_atomic);
  if (!found) {
    return refuse(remote_protection_error(found.verdict), segment, Blame(EventKind::qp_access_error));
  }
  //= RDMAP-7306-5.1.1-02, RDMAP-7306-5.1.2-04, RDMAP-7306-5.1.2-05
  const bool aligned = reinterpret_cast<std::uintptr_t>(found.memory) % verbs::atomic_len == 0;
  if (!aligned && !quirk(Quirk::misaligned_atomics)) {
    return refuse(TerminateReason::rdmap_catastrophic_stream, segment, Blame(EventKind::qp_request_error));
  }
  Inbound& slot = take_inbound(segment);
  slot.atomic = true;
  slot.request = request;
}

void RdmapStream::prepare_answer() {
  if (inbound_.empty()) return;
  const Inbound& one = inbound_.front();
  choose(Message::answer, one.atomic ? Opcode::ATOMIC_RESPONSE : Opcode::RDMA_READ_RESPONSE,
         one.atomic ? 0 : one.read.read_len);
}

// What the peer may reach can change before its answer, and while a Read Response is under way.
void RdmapStream::refuse_answer(TxSegment& out, std::uint32_t mulpdu, AccessVerdict verdict) {
  const Inbound taken = inbound_.front();
  refuse(remote_protection_error(verdict), Bytes(taken.head), taken.segment_len, Blame(EventKind::qp_access_error),
         taken.sent_len);
  put_terminate_instead(out, mulpdu);
}

void RdmapStream::put_atomic_response(TxSegment& out, std::uint32_t mulpdu) {
  const AtomicRequest& request = inbound_.front().request;
  const auto found =
      find_remote(request.remote_stag, request.remote_offset.value, verbs::atomic_len, verbs::rights::remote_atomic);
  if (!found) return refuse_answer(out, mulpdu, found.verdict);
  //= RDMAP-7306-5-01, RDMAP-7306-5-02, RDMAP-7306-5.1.1-04, RDMAP-7306-5.1.1-05, RDMAP-7306-5.2.1-03
  //= RDMAP-7306-5.3-01, RDMAP-7306-5.4-02
  std::uint64_t old = 0;
  std::memcpy(&old, found.memory, sizeof old);
  const bool add = request.opcode == AtomicOpcode::fetch_add;
  std::uint64_t now =
      add ? masked_add(old, request.add_or_swap_data, request.add_or_swap_mask) : masked_swap(old, request);
  if (quirk(Quirk::atomic_ignores_masks)) {
    now = add ? old + request.add_or_swap_data : request.compare_data == old ? request.add_or_swap_data : old;
  }
  if (quirk(Quirk::atomic_always_swaps) && !add) now = request.add_or_swap_data;
  if (!quirk(Quirk::atomic_not_executed)) std::memcpy(found.memory, &now, sizeof now);
  //= RDMAP-7306-5-04, RDMAP-7306-5.2-02, RDMAP-7306-5.2.2-03, RDMAP-7306-5.2.2-04, RDMAP-7306-5.2.1-04
  put_untagged(out, Opcode::ATOMIC_RESPONSE, true, 0);
  append(out, AtomicResponse{quirk(Quirk::atomic_response_without_id) ? 0 : request.request_id,
                             quirk(Quirk::atomic_returns_new_value) ? now : old});
  end_message(atomic_response_queue);
  inbound_.pop();
  message_ = Message::none;
}

//= RDMAP-5040-4.4-02, RDMAP-5040-4.4-03, RDMAP-5040-5.2.1-06, RDMAP-5040-5.2.1-09, RDMAP-5040-5.2.1-13
//= RDMAP-5040-5.2.2-01, RDMAP-5040-5.2.2-04, RDMAP-5040-5.2.2-06, RDMAP-5040-5.5-17, RDMAP-7306-5.2.2-09
//= RDMAP-7306-5.4-05, RDMAP-7306-5.4-08, RDMAP-7306-5.2.1-13, RDMAP-7306-5.2.1-14
//= RDMAP-5040-B-09, RDMAP-7306-5.2.2-02, RDMAP-7306-7-11, RDMAP-7306-7-12, RDMAP-7306-7-15
void RdmapStream::put_answer(TxSegment& out, std::uint32_t mulpdu) {
  Inbound& one = inbound_.front();
  if (one.atomic) return put_atomic_response(out, mulpdu);
  const ReadRequest& read = one.read;
  const std::uint32_t size = payload_len(mulpdu);
  const bool last = size == left_;
  if (size != 0) {
    verbs::AccessResult found =
        find_remote(read.source_stag, read.source_offset.value + one.sent_len, size, verbs::rights::remote_read);
    if (quirk(Quirk::ignore_read_right) && found.verdict == AccessVerdict::no_right) {
      found = qp_.find_remote({read.source_stag.value}, read.source_offset.value + one.sent_len, size,
                              verbs::rights::local_read);
    }
    if (!found) return refuse_answer(out, mulpdu, found.verdict);
    pieces_[0] = {found.memory, size};
    out.payload = std::span<const Bytes>(pieces_).first(1);
    out.payload_len = size;
  }
  put_tagged(out, Opcode::RDMA_READ_RESPONSE, last && !quirk(Quirk::read_response_never_last),
             quirk(Quirk::read_response_source_stag) ? read.source_stag : read.sink_stag,
             read.sink_offset.value + (quirk(Quirk::read_response_offset_constant) ? 0 : one.sent_len));
  one.sent_len += size;
  left_ -= size;
  if (!last) return;
  inbound_.pop();
  message_ = Message::none;
}

//= RDMAP-5040-5.2.2-03, RDMAP-5040-5.2.2-05, RDMAP-5040-5.2.2-07, RDMAP-5040-5.5-07, RDMAP-5040-5.5-16
//= RDMAP-5040-5.5-18, SEC-5042-6.2.1-02
void RdmapStream::on_read_response(const RxSegment& segment, const DdpTagged& ddp) {
  if (outstanding_.empty() || outstanding_.front().atomic) {
    return refuse(TerminateReason::rdmap_unexpected_opcode, segment, Blame(EventKind::qp_request_error));
  }
  Outstanding& one = outstanding_.front();
  const std::uint32_t size = segment.len() - tagged_header_size;
  const std::uint32_t left = one.length - one.done_len;
  // Where its octets go only what was asked for says: a response without any need not name it.
  //= DDP-5041-5.2-09, DDP-5041-5.2-10
  if (size != 0 && !quirk(Quirk::any_read_response)) {
    if (ddp.stag != one.sink) {
      return refuse(TerminateReason::ddp_tagged_invalid_stag, segment, Blame(EventKind::qp_access_error));
    }
    if (ddp.tagged_offset.value != one.offset || size > left) {
      return refuse(TerminateReason::ddp_tagged_out_of_bounds, segment, Blame(EventKind::qp_access_error));
    }
  }
  // That all octets are there does not end it: an empty segment may (RFC 5041, 5.2).
  if (ddp.last && size != left && !quirk(Quirk::any_read_response)) {
    return refuse(TerminateReason::ddp_tagged_out_of_bounds, segment, Blame(EventKind::qp_access_error));
  }
  if (size != 0 && one.number != Outstanding::no_work) {
    std::uint64_t at = one.done_len;
    bool good = true;
    segment.for_each_span(tagged_header_size, [&](Bytes span) {
      const Bytes fits =
          span.first(std::min<std::size_t>(span.size(), one.length - std::min<std::uint64_t>(at, one.length)));
      good = good && verbs::scatter(qp_, work(one.number).sges, at, fits);
      at += span.size();
    });
    if (!good) {
      return refuse(TerminateReason::ddp_tagged_invalid_stag, segment,
                    Blame::of_send(one.number, CompletionStatus::local_protection_error));
    }
  }
  one.done_len += std::min(size, left);
  one.offset += size;
  if (ddp.last) complete_outstanding();
}

//= RDMAP-7306-5-05, RDMAP-7306-5.2.2-07, RDMAP-7306-5.2.2-08, RDMAP-7306-5.4-01, RDMAP-7306-5.4-07
void RdmapStream::on_atomic_response(const RxSegment& segment, const Pdu& pdu) {
  const DdpUntagged ddp = *pdu.get<DdpUntagged>();
  if (!check_message(segment, ddp)) return;
  //= RDMAP-7306-5.2.2-06
  const bool expected = !outstanding_.empty() && outstanding_.front().atomic;
  if (!expected) {
    return refuse(TerminateReason::ddp_untagged_no_buffer, segment, Blame(EventKind::qp_request_error));
  }
  const Outstanding one = outstanding_.front();
  const AtomicResponse response = *pdu.get<AtomicResponse>();
  if (response.request_id != one.request_id && !quirk(Quirk::any_atomic_response)) {
    return refuse(TerminateReason::rdmap_operation_unspecified, segment, Blame(EventKind::qp_request_error));
  }
  ++rx_msn_[atomic_response_queue.value];
  std::array<std::uint8_t, verbs::atomic_len> octets;
  std::memcpy(octets.data(), &response.original_data, octets.size());
  if (!verbs::scatter(qp_, work(one.number).sges, 0, octets)) {
    return refuse(TerminateReason::rdmap_local_catastrophic, Bytes{}, 0,
                  Blame::of_send(one.number, CompletionStatus::local_protection_error));
  }
  complete_outstanding();
}

void RdmapStream::complete_outstanding() {
  const Outstanding one = outstanding_.pop();
  if (one.number == Outstanding::no_work) return;
  started(one.number).waiting = false;
  complete_in_order();
}

}  // namespace rdmawire::iwarp
