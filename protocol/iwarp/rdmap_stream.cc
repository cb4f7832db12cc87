#include "protocol/iwarp/rdmap_stream.h"

#include <algorithm>
#include <bit>

#include "codec/iwarp/pdu.h"

namespace rdmawire::iwarp {
namespace {

verbs::QpConfig with_service(verbs::QpConfig config) {
  config.service = verbs::Service::iwarp;
  return config;
}

}  // namespace

RdmapStream::RdmapStream(const verbs::QpConfig& qp, const verbs::QpResources& resources, const RdmapConfig& config)
    : qp_(with_service(qp), resources),
      config_(config),
      started_(std::bit_ceil(std::size_t{qp.send.depth})),
      tx_msn_{config.first_msn, config.first_msn, DdpMsn{1}, config.first_msn},
      outstanding_(std::size_t{config.max_ord} + 1),
      pieces_(std::max<std::size_t>(qp.send.max_sges, 1)),
      rx_msn_(tx_msn_),
      inbound_(std::size_t{config.max_ird} + 1) {}

// Not if the consumer has ended it himself, by ERR or RESET.
void RdmapStream::fail_queue_pair() {
  if (qp_.state() != verbs::QpState::err && qp_.state() != verbs::QpState::reset) qp_.fail();
}

void RdmapStream::happen(StreamEvent event) {
  state_ = after(state_, event);
  if (state_ == StreamState::ended) fail_queue_pair();
}

verbs::VerbsResult<void> RdmapStream::post_send(const verbs::SendWork& work) {
  //= DDP-5041-6.2.1-02
  if (qp_.state() == verbs::QpState::rts && !info(state_).may_post) return verbs::refuse(verbs::VerbsError::bad_state);
  return qp_.post_send(work);
}

void RdmapStream::start(std::uint16_t ird, std::uint16_t ord, ReadyToReceive ready) {
  //= RDMAP-5040-6.1-02, RDMAP-5040-6.1-03, RDMAP-5040-6.1-04
  ird_ = std::min(ird, config_.max_ird);
  ord_ = std::min(ord, config_.max_ord);
  verbs::QpAttributes attributes;
  attributes.max_dest_rd_atomic = ird_;
  attributes.max_rd_atomic = ord_;
  using namespace verbs::attribute;
  //= MPA-5044-7.1-03
  if (!qp_.modify(verbs::QpState::rts, attributes, max_rd_atomic | max_dest_rd_atomic)) {
    // The consumer has taken it out of INIT meanwhile.
    happen(StreamEvent::lost);
    return;
  }
  next_ = qp_.send_queue().first();
  ready_ = quirk(Quirk::no_ready_to_receive) ? ReadyToReceive::none : ready;
  if (quirk(Quirk::ready_always_write) && ready_ == ReadyToReceive::read) ready_ = ReadyToReceive::write;
  happen(StreamEvent::start);
}

// The consumer has ended it by a verb, or a completion queue that is full has: an abortive end (RFC 5040, 6.2).
//= SEC-5042-6.4.6-01, RDMAP-5040-8.1.1-10
bool RdmapStream::end_if_abandoned() {
  if (!info(state_).receives || !is_abandoned()) return false;
  refuse(TerminateReason::rdmap_local_catastrophic, Bytes{}, 0, Blame());
  return true;
}

void RdmapStream::close() {
  happen(StreamEvent::close);
  if (end_.by == StreamEnd::By::nobody) end_.by = StreamEnd::By::ulp;
  if (quirk(Quirk::close_at_once)) happen(StreamEvent::all_sent);
}

//= DDP-5041-3-10, DDP-5041-6.2-02
bool RdmapStream::wants_end() const {
  return state_ == StreamState::closing || state_ == StreamState::terminated || state_ == StreamState::ended;
}

void RdmapStream::on_ended() { happen(StreamEvent::peer_closed); }

void RdmapStream::on_peer_closed(bool before_end) {
  if (peer_closed_) return;
  peer_closed_ = true;
  if (!info(state_).receives) return;
  //= DDP-5041-6.2.1-04, MPA-5044-7.2-02
  if (!before_end) qp_.raise(verbs::EventKind::peer_closed);
  // What was asked of the peer will not be answered.
  //= MPA-5044-8-03
  if (before_end || !outstanding_.empty()) {
    end_ = {StreamEnd::By::loss, info(TerminateReason::mpa_connection_lost).error, true};
    fail_silently(Blame());
  }
}

//= DDP-5041-3-03
void RdmapStream::on_lost() {
  if (state_ == StreamState::ended) return;
  //= DDP-5041-6.2.2-01, MPA-5044-8-01, MPA-5044-8-03, SCTP-5043-11.3-02
  if (info(state_).receives) {
    end_ = {StreamEnd::By::loss, info(TerminateReason::mpa_connection_lost).error, true};
    qp_.raise(verbs::EventKind::connection_lost);
    flush(Blame());
  }
  happen(StreamEvent::lost);
}

void RdmapStream::on_lower_error(TerminateReason reason) {
  //= MPA-5044-8-02, MPA-5044-8-10, DDP-5041-7-01
  refuse(reason, Bytes{}, 0, Blame());
}

// Ends all work: the one to blame with its status, all other with work_flushed.
//= RDMAP-5040-6.2.1-02, DDP-5041-6.2.2-02, RDMAP-5040-5.4-06
void RdmapStream::flush(const Blame& blame) {
  if (blame.receive && qp_.has_receive()) {
    verbs::Completion completion;
    completion.opcode = verbs::CompletionOpcode::receive;
    completion.status = *blame.receive;
    qp_.complete_receive(completion);
  }
  if (blame.send) {
    while (!qp_.send_queue().empty() && qp_.send_queue().first() < *blame.send) {
      qp_.complete_send(verbs::CompletionStatus::work_flushed);
    }
    if (!qp_.send_queue().empty()) qp_.complete_send(blame.status);
  }
  fail_queue_pair();
  outstanding_.clear();
  inbound_.clear();
  message_ = Message::none;
  receiving_ = false;
}

// An error in what the peer sent, or (without head) in what is below: RFC 5040, 7.1.
//= DDP-5041-7.1-15, DDP-5041-7.1-16, DDP-5041-7.1-18, RDMAP-5040-7.1-01, RDMAP-5040-7.1-03, RDMAP-5040-7.1-04
//= RDMAP-5040-7.1-05, DDP-5041-6.2.2-03
//= RDMAP-5040-3.1-05, RDMAP-5040-3.2-04, RDMAP-5040-6.2.1-01
void RdmapStream::refuse(TerminateReason reason, Bytes head, std::uint32_t segment_len, const Blame& blame,
                         std::optional<std::uint32_t> read_done_len) {
  if (!info(state_).receives) return;
  end_ = {StreamEnd::By::error_here, info(reason).error, true};
  qp_.raise(blame.event);
  make_terminate(reason, head, segment_len, read_done_len);
  if (quirk(Quirk::never_terminate) || (quirk(Quirk::no_terminate_while_sending) && message_ != Message::none)) {
    fail_silently(blame);
    return;
  }
  flush(blame);
  happen(StreamEvent::error);
}

void RdmapStream::fail_silently(const Blame& blame) {
  flush(blame);
  happen(StreamEvent::silent_error);
}

// An error in making a message of one's own.
//= RDMAP-5040-7.1-02, RDMAP-7306-8.1-01
void RdmapStream::fail_work(std::uint64_t number, verbs::CompletionStatus status) {
  refuse(TerminateReason::rdmap_local_catastrophic, Bytes{}, 0, Blame::of_send(number, status));
}

void RdmapStream::make_terminate(TerminateReason reason, Bytes head, std::uint32_t segment_len,
                                 std::optional<std::uint32_t> read_done_len) {
  TerminateInfo error = info(reason);
  if (quirk(Quirk::terminate_without_headers)) error.headers = TerminatedHeaders::none;
  if (quirk(Quirk::terminate_quotes_all_reads) && error.headers == TerminatedHeaders::ddp) {
    error.headers = TerminatedHeaders::read;
  }
  const bool from_start = quirk(Quirk::terminate_read_from_start);
  PduSpec spec = terminate_spec(error, head, from_start ? 0 : read_done_len.value_or(0));
  if (quirk(Quirk::terminate_read_as_progress) && spec.terminated_read_request) {
    spec.terminated_untagged->msn = DdpMsn{spec.terminated_read_request->read_len};
    spec.terminated_untagged->message_offset = read_done_len.value_or(0);
  }
  spec.untagged->msn = tx_msn_[terminate_queue.value];
  // An FPDU may have no octet of a segment: nothing is there to be added but that.
  //= MPA-5044-4.1-10
  if (reason == TerminateReason::ddp_local_catastrophic && head.empty() && !quirk(Quirk::terminate_without_headers)) {
    spec.terminate->has_length = true;
    spec.terminated_len.emplace();
  }
  // head is its beginning.
  if (spec.terminated_len) {
    spec.terminated_len->segment_len = static_cast<std::uint16_t>(segment_len);
    if (quirk(Quirk::terminate_counts_payload)) {
      const Pdu pdu = parse_ulpdu(head, segment_len);
      spec.terminated_len->segment_len = static_cast<std::uint16_t>(pdu.payload_len);
    }
  }
  Terminate& control = *spec.terminate;
  if (quirk(Quirk::terminate_llp_type_3) && control.error.layer() == TerminateLayer::llp) {
    control.error = terminate_error(TerminateLayer::llp, 3, control.error.code());
  }
  if (quirk(Quirk::terminate_version_without_headers) &&
      (reason == TerminateReason::rdmap_bad_version || reason == TerminateReason::rdmap_unexpected_opcode ||
       reason == TerminateReason::ddp_tagged_bad_version || reason == TerminateReason::ddp_untagged_bad_version)) {
    spec.terminated_len.reset();
    spec.terminated_tagged.reset();
    spec.terminated_untagged.reset();
    control.has_length = control.has_ddp_header = false;
  }
  if (quirk(Quirk::terminate_wrong_layer)) {
    control.error = terminate_error(TerminateLayer::rdmap, control.error.type(), control.error.code());
  }
  if (quirk(Quirk::terminate_on_send_queue)) spec.untagged->queue = send_queue;
  if (quirk(Quirk::terminate_msn_of_sends)) spec.untagged->msn = tx_msn_[send_queue.value];
  if (quirk(Quirk::terminate_bits_reversed)) {
    const TerminateError e = control.error;
    SiwTerminate siw;
    siw.error.value =
        static_cast<std::uint16_t>(unsigned{e.type()} << 12 | static_cast<unsigned>(e.layer()) << 8 | e.code());
    siw.has_length = control.has_length;
    siw.has_ddp_header = control.has_ddp_header;
    siw.has_rdma_header = control.has_rdma_header;
    spec.siw_terminate = siw;
    spec.terminate.reset();
  }
  terminate_len_ = static_cast<std::uint32_t>(build_pdu(spec, terminate_).value_or(0));
}

}  // namespace rdmawire::iwarp
