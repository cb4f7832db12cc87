// What comes: RFC 5041, 7.1; RFC 5040, 7.2. The order of checks is the specification's: the lower layer has done its
// own; DDP's fields, RDMAP's version and opcode, and the payload's length come first, in codec/iwarp/pdu.h; then what
// only this end can know: message numbers, buffers, STags.
#include <algorithm>
#include <cstring>

#include "codec/iwarp/pdu.h"
#include "protocol/iwarp/access_errors.h"
#include "protocol/iwarp/rdmap_stream.h"
#include "protocol/verbs/gather.h"

namespace rdmawire::iwarp {
namespace {

using verbs::CompletionStatus;
using verbs::EventKind;

// How the request ends that a Terminate of the peer's blames.
constexpr CompletionStatus status_of(const TerminateInfo* error) {
  if (error == nullptr) return CompletionStatus::remote_operation_error;
  using enum TerminateReason;
  switch (error->reason) {
    case rdmap_bad_version:
    case rdmap_unexpected_opcode:
    case rdmap_operation_cannot_invalidate:
      return CompletionStatus::remote_invalid_request;
    default:
      break;
  }
  const TerminateLayer layer = error->error.layer();
  if (layer == TerminateLayer::llp || error->error.type() == 0) return CompletionStatus::remote_operation_error;
  if (error->error.type() == 1) return CompletionStatus::remote_access_error;
  return layer == TerminateLayer::ddp ? CompletionStatus::remote_invalid_request
                                      : CompletionStatus::remote_operation_error;
}

// In a Terminate, and not in that it is one: nobody answers it with another.
//= RDMAP-5040-5.4-05
bool is_bad_terminate(const Pdu& pdu, const Error& violation) {
  if (pdu.opcode == nullptr || pdu.opcode->operation != Operation::terminate) return false;
  return violation.code != ErrorCode::bad_version && violation.code != ErrorCode::wrong_model &&
         violation.code != ErrorCode::wrong_queue;
}

// The payload of a tagged segment.
//= DDP-5041-5.2-04
void place(const RxSegment& segment, std::uint8_t* to) {
  segment.for_each_span(tagged_header_size, [&](Bytes span) {
    std::memcpy(to, span.data(), span.size());
    to += span.size();
  });
}

Opcode opcode_in(const DdpTagged& ddp) {
  return decode<RdmapControl>(Bytes(ddp.rsvd_ulp).first<header_size<RdmapControl>>()).opcode;
}

}  // namespace

//= DDP-5041-4.1-02, DDP-5041-7.1-03, DDP-5041-8.3-02, DDP-5041-6.1-01, RDMAP-5040-6.1-01, RDMAP-5040-7.1-06
//= RDMAP-7306-5.2.1-10, SEC-5042-6.1.1-01
void RdmapStream::on_segment(const RxSegment& segment) {
  if (!info(state_).receives) {
    //= DDP-5041-7.1-17, MPA-5044-8-09
    ++counters_.num_dropped;
    return;
  }
  if (end_if_abandoned()) return;
  //= DDP-5041-6.2.1-03
  if (peer_closed_ && !quirk(Quirk::take_data_after_close)) {
    end_ = {StreamEnd::By::error_here, info(TerminateReason::ddp_local_catastrophic).error, true};
    qp_.raise(EventKind::qp_fatal);
    return fail_silently(Blame());
  }
  ++counters_.num_segments;
  if (const auto tagged = flawless_tagged(segment.head(), segment.len())) {
    if (tagged.opcode->operation == Operation::write) return on_write(segment, tagged.ddp);
    return on_read_response(segment, tagged.ddp);
  }
  //= RDMAP-5040-7.2-01, RDMAP-7306-8.2-01, RDMAP-7306-8.2-02, RDMAP-7306-8.2-03
  const Pdu pdu = parse_ulpdu(segment.head(), segment.len());
  const Error violation = first_violation(pdu);
  //= RDMAP-7306-1.1-03
  const bool unknown = !has_extensions() && pdu.opcode != nullptr && pdu.opcode->opcode > Opcode::TERMINATE;
  if (unknown && violation.code != ErrorCode::bad_version) {
    return refuse(TerminateReason::rdmap_unexpected_opcode, segment, Blame(EventKind::qp_request_error));
  }
  // A Terminate whose bits lie in the order of Linux siw says all that it has to say.
  const bool siw_terminate = violation.layer == Layer::terminate && pdu.get<SiwTerminate>().has_value();
  if (violation && !siw_terminate && !is_tolerated(pdu, violation)) {
    const TerminateInfo* answer = answer_to(pdu, violation);
    if (answer == nullptr || is_bad_terminate(pdu, violation)) {
      end_ = {StreamEnd::By::error_here, answer == nullptr ? TerminateError{} : answer->error, answer != nullptr};
      qp_.raise(EventKind::qp_request_error);
      return fail_silently(Blame());
    }
    if (quirk(Quirk::silent_read_request_length) && violation.layer == Layer::read_request)
      return fail_silently(Blame());
    TerminateReason reason = answer->reason;
    if (quirk(Quirk::wrong_model_is_catastrophic) && violation.code == ErrorCode::wrong_model) {
      reason = TerminateReason::ddp_local_catastrophic;
    }
    if (quirk(Quirk::missing_last_is_catastrophic) && violation.layer == Layer::ddp_untagged &&
        reason == TerminateReason::rdmap_operation_unspecified) {
      reason = TerminateReason::ddp_local_catastrophic;
    }
    if (quirk(Quirk::write_wrap_in_rdmap) && reason == TerminateReason::ddp_tagged_offset_wrap) {
      reason = TerminateReason::rdmap_offset_wrap;
    }
    return refuse(reason, segment, Blame(EventKind::qp_request_error));
  }
  if (pdu.opcode == nullptr) {
    // A reserved one, whose version a mutant has tolerated.
    return refuse(TerminateReason::rdmap_unexpected_opcode, segment, Blame(EventKind::qp_request_error));
  }
  const bool request = pdu.opcode->direction == Direction::request;
  switch (pdu.opcode->operation) {
    case Operation::write:
      return on_write(segment, *pdu.get<DdpTagged>());
    case Operation::read:
      return request ? on_read_request(segment, pdu) : on_read_response(segment, *pdu.get<DdpTagged>());
    case Operation::atomic:
      return request ? on_atomic_request(segment, pdu) : on_atomic_response(segment, pdu);
    case Operation::send:
    case Operation::immediate:
      return on_send(segment, pdu);
    case Operation::terminate:
      return on_terminate(segment, pdu);
  }
}

// Mutants that do not look.
bool RdmapStream::is_tolerated(const Pdu& pdu, const Error& violation) const {
  if (pdu.opcode == nullptr) return false;
  switch (violation.code) {
    case ErrorCode::bad_version:
      return quirk(violation.layer == Layer::rdmap ? Quirk::accept_any_rdmap_version : Quirk::accept_any_ddp_version);
    case ErrorCode::wrong_queue:
      return quirk(Quirk::accept_any_queue);
    default:
      return false;
  }
}

//= RDMAP-5040-5.1-02, RDMAP-5040-5.1-03, RDMAP-5040-5.1-06, RDMAP-5040-3.2-03, SEC-5042-2.2.6-01
void RdmapStream::on_write(const RxSegment& segment, const DdpTagged& ddp) {
  const std::uint32_t size = segment.len() - tagged_header_size;
  if (quirk(Quirk::stag_zero_never_valid) && ddp.stag.value == 0) {
    return refuse(TerminateReason::ddp_tagged_invalid_stag, segment, Blame(EventKind::qp_access_error));
  }
  //= DDP-5041-5.2-09, DDP-5041-5.2-10, RDMAP-5040-5.1-08
  if (size == 0 && !quirk(Quirk::validate_empty_write)) return;
  //= DDP-5041-7.1-13, DDP-5041-8.3.1-03, DDP-5041-8.3.1-05, SEC-5042-6.2.1-01, SEC-5042-6.2.2-02
  verbs::AccessResult found = find_remote(ddp.stag, ddp.tagged_offset.value, size, verbs::rights::remote_write);
  if (quirk(Quirk::ignore_write_right) && found.verdict == verbs::AccessVerdict::no_right) {
    found = qp_.find_remote({ddp.stag.value}, ddp.tagged_offset.value, size, verbs::rights::local_read);
  }
  if (!found) {
    if (quirk(Quirk::drop_bad_writes)) return;
    TerminateReason reason = tagged_buffer_error(found.verdict);
    const bool rights = found.verdict == verbs::AccessVerdict::no_right;
    if (quirk(Quirk::tagged_errors_in_rdmap) && found.verdict != verbs::AccessVerdict::out_of_bounds) {
      reason = remote_protection_error(found.verdict);
    }
    if (quirk(Quirk::write_rights_in_rdmap) && rights) reason = TerminateReason::rdmap_access_rights;
    return refuse(reason, segment, Blame(EventKind::qp_access_error));
  }
  if (quirk(Quirk::strict_tagged_offset)) {
    if (write_goes_on_at_.value_or(ddp.tagged_offset.value) != ddp.tagged_offset.value) {
      return refuse(TerminateReason::ddp_tagged_out_of_bounds, segment, Blame(EventKind::qp_access_error));
    }
    write_goes_on_at_.reset();
    if (!ddp.last) write_goes_on_at_ = ddp.tagged_offset.value + size;
  }
  if (quirk(Quirk::write_takes_buffer) && ddp.last && qp_.take_receive()) qp_.complete_receive({});
  place(segment, found.memory);
}

// The message is the next of its queue. (On a lower layer that keeps order no other can come.)
//= DDP-5041-7.1-06
bool RdmapStream::check_message(const RxSegment& segment, const DdpUntagged& ddp) {
  // Of a queue that the opcode is not for only a mutant gets here.
  const std::size_t queue = std::min<std::size_t>(ddp.queue.value, rx_msn_.size() - 1);
  if (ddp.msn == rx_msn_[queue] || quirk(Quirk::accept_any_msn)) return true;
  refuse(TerminateReason::ddp_untagged_msn_out_of_range, segment, Blame(EventKind::qp_request_error));
  return false;
}

//= DDP-5041-5.1-01, DDP-5041-7.1-02, DDP-5041-7.1-04, DDP-5041-7.1-05, DDP-5041-7.1-08, RDMAP-5040-5.3-02
//= RDMAP-5040-5.3-10, RDMAP-7306-6.3-02
void RdmapStream::on_send(const RxSegment& segment, const Pdu& pdu) {
  const DdpUntagged ddp = *pdu.get<DdpUntagged>();
  if (!check_message(segment, ddp)) return;
  if (quirk(Quirk::empty_send_takes_no_buffer) && !receiving_ && pdu.payload_len == 0 && ddp.last) {
    ++rx_msn_[send_queue.value];
    return;
  }
  if (!receiving_) {
    if (!qp_.take_receive()) {
      return refuse(TerminateReason::ddp_untagged_no_buffer, segment, Blame(EventKind::qp_request_error));
    }
    ++counters_.num_receives_taken;
    receiving_ = true;
    received_len_ = 0;
  }
  const std::uint64_t offset = ddp.message_offset;
  const std::uint64_t room = verbs::total_len(qp_.receive().sges);
  const std::uint64_t size = pdu.payload_len;
  const Blame blame = Blame::of_receive(CompletionStatus::local_length_error, EventKind::qp_request_error);
  if (quirk(Quirk::strict_message_offset) && offset != received_len_) {
    return refuse(TerminateReason::ddp_untagged_bad_offset, segment, blame);
  }
  // Without octets the offset says where the message ends, if it is the last segment.
  const bool counts = size != 0 || ddp.last;
  const std::uint64_t longest = verbs::max_message_len(verbs::Service::iwarp);
  //= RDMAP-5040-5.3-04, RDMAP-5040-3.2-02, DDP-5041-7.1-07
  if (counts && (offset + size > room || offset + size > longest) && !quirk(Quirk::cut_long_messages)) {
    TerminateReason reason =
        offset >= room ? TerminateReason::ddp_untagged_bad_offset : TerminateReason::ddp_untagged_too_long;
    // The first octet of a message is never beyond the end: its buffer is too short for any.
    if (offset == 0) reason = TerminateReason::ddp_untagged_too_long;
    if (quirk(Quirk::long_message_has_no_buffer)) reason = TerminateReason::ddp_untagged_no_buffer;
    return refuse(reason, segment, blame);
  }
  //= DDP-5041-5.3-06
  std::uint64_t at = quirk(Quirk::place_at_front) ? 0 : offset;
  bool good = true;
  segment.for_each_span(pdu.payload_offset, [&](Bytes span) {
    good = good && verbs::scatter(qp_, qp_.receive().sges, at, span);
    at += span.size();
  });
  if (!good) {
    return refuse(TerminateReason::rdmap_local_catastrophic, Bytes{}, 0,
                  Blame::of_receive(CompletionStatus::local_protection_error, EventKind::qp_fatal));
  }
  received_len_ += static_cast<std::uint32_t>(size);
  //= DDP-5041-5.4-02, DDP-5041-5.4-03, DDP-5041-5.2-11, DDP-5041-5.2-12
  if (!ddp.last && !quirk(Quirk::deliver_every_segment)) return;
  deliver(segment, pdu, static_cast<std::uint32_t>(offset + size));
}

//= RDMAP-5040-5.3-05, RDMAP-5040-5.3-06, RDMAP-5040-5.3-12, RDMAP-5040-5.3-13, RDMAP-5040-5.3-14, RDMAP-5040-5.5-06
//= RDMAP-5040-5.5-13, RDMAP-5040-3.2-01, DDP-5041-5.3-05, DDP-5041-5.4-04, RDMAP-7306-6.3-03, RDMAP-7306-6.3-07
//= DDP-5041-4.1-05, DDP-5041-4.3-03, RDMAP-5040-5.3-03, RDMAP-5040-B-01
//= RDMAP-5040-B-04, RDMAP-7306-6.3-06, RDMAP-7306-6.4-01, RDMAP-7306-7-01, RDMAP-7306-7-05, RDMAP-7306-7-06
void RdmapStream::deliver(const RxSegment& segment, const Pdu& pdu, std::uint32_t message_len) {
  const OpcodeInfo& row = *pdu.opcode;
  verbs::Completion completion;
  completion.opcode = verbs::CompletionOpcode::receive;
  completion.byte_len = message_len;
  completion.solicited = (row.solicited_event || quirk(Quirk::always_solicited)) && !quirk(Quirk::never_solicited);
  if (row.operation == Operation::immediate) {
    completion.opcode = verbs::CompletionOpcode::receive_immediate_data;
    completion.immediate_data = pdu.get<ImmediateData>()->data;
  }
  if (row.invalidates && !quirk(Quirk::ignore_invalidate)) {
    const Stag stag =
        decode<InvalidateStag>(
            segment.head().subspan(rdmap_offset + header_size<RdmapControl>).first<header_size<InvalidateStag>>())
            .stag;
    const verbs::MemoryKey key{stag.value};
    verbs::AccessVerdict verdict = qp_.memory().invalidate_remote(key, qp_.config().pd, qp_.config().number);
    if (quirk(Quirk::any_invalidate_is_good)) verdict = verbs::AccessVerdict::ok;
    if (verdict != verbs::AccessVerdict::ok) {
      TerminateReason reason = invalidation_error(verdict);
      if (quirk(Quirk::bad_invalidate_is_invalid_stag)) reason = TerminateReason::rdmap_invalid_stag;
      return refuse(reason, segment,
                    Blame::of_receive(CompletionStatus::local_access_error, EventKind::qp_access_error));
    }
    completion.has_invalidated = true;
    completion.invalidated = key;
  }
  receiving_ = false;
  ++rx_msn_[send_queue.value];
  qp_.complete_receive(completion);
  end_if_abandoned();
}

//= RDMAP-5040-5.4-03, RDMAP-5040-5.4-04, RDMAP-5040-5.4-08, RDMAP-5040-5.4-09
void RdmapStream::on_terminate(const RxSegment& segment, const Pdu& pdu) {
  if (quirk(Quirk::ignore_terminate)) return;
  if (quirk(Quirk::answer_terminate)) {
    return refuse(TerminateReason::rdmap_catastrophic_stream, segment, Blame(EventKind::peer_terminated));
  }
  const TerminateError error = terminate_of(pdu)->error;
  end_ = {StreamEnd::By::peer, error, true, pdu.get<SiwTerminate>().has_value()};
  qp_.raise(EventKind::peer_terminated);
  Blame blame;
  blame.status = status_of(find(error));
  // The request that the quoted header is of.
  const std::optional<PduSpec> spec = spec_of(pdu);
  if (spec && (spec->terminated_untagged || spec->terminated_tagged)) {
    for (std::uint64_t n = qp_.send_queue().first(); n <= next_ && n != qp_.send_queue().end(); ++n) {
      const Started& one = started(n);
      if (n == next_ && !begun_) break;
      if (verbs::info(work(n).opcode).local) continue;
      const bool tagged = work(n).opcode == verbs::WorkOpcode::rdma_write;
      if (spec->terminated_untagged && !tagged && one.queue == spec->terminated_untagged->queue &&
          one.msn == spec->terminated_untagged->msn) {
        blame.send = n;
      }
      // Of a Read Response the request is the peer's.
      const bool of_write = spec->terminated_tagged && opcode_in(*spec->terminated_tagged) == Opcode::RDMA_WRITE;
      if (of_write && tagged && work(n).r_key.value == spec->terminated_tagged->stag.value &&
          spec->terminated_tagged->tagged_offset.value - work(n).remote_address < std::max(one.length, 1U)) {
        blame.send = n;
      }
    }
  }
  flush(blame);
  happen(StreamEvent::terminate_received);
}

//= MPA-5044-1.2-01, MPA-5044-3-09, MPA-5044-2-03, DDP-5041-5.3-03, DDP-5041-5.3-04, RDMAP-5040-5.5-02
//= RDMAP-5040-B-02, RDMAP-5040-B-05, RDMAP-7306-7-02, DDP-5041-3-05
void RdmapStream::place_ahead(const RxSegment& segment) {
  if (!info(state_).receives || is_abandoned()) return;
  // What is wrong with it is said when its turn comes.
  const auto tagged = flawless_tagged(segment.head(), segment.len());
  const std::uint32_t size = segment.len() - std::min(segment.len(), tagged_header_size);
  if (!tagged || tagged.opcode->operation != Operation::write || size == 0) return;
  const auto found = find_remote(tagged.ddp.stag, tagged.ddp.tagged_offset.value, size, verbs::rights::remote_write);
  if (!found) return;
  place(segment, found.memory);
  ++counters_.num_placed_ahead;
}

}  // namespace rdmawire::iwarp
