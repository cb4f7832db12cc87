#include "protocol/iwarp/sctp_session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/base/bytes.h"
#include "codec/base/layout.h"
#include "protocol/iwarp/enhanced_terms.h"

namespace rdmawire::iwarp {
namespace {

using verbs::refuse;
using verbs::VerbsError;
using verbs::VerbsResult;

// Beyond DDP's own, for the session control messages: at most two wait at a time, the first one and the Terminate.
constexpr std::uint32_t num_control_slots = 2;
// RFC 5043, 10: half of the numbers, so that old and new can be told apart.
//= SCTP-5043-10-03
constexpr std::uint32_t max_window = 32767;

constexpr std::uint32_t max_control_len = header_size<DdpSctpControl> + max_private_data_len;

//= SCTP-5043-5.2.3-03, MPA-6581-7-04
bool fits(Bytes private_data, bool enhanced) {
  return private_data.size() + (enhanced ? header_size<MpaEnhanced> : 0U) <= max_private_data_len;
}

SctpConfig corrected(SctpConfig config) {
  config.max_chunk_len = std::max({config.max_chunk_len, min_ddp_chunk_len, max_control_len});
  config.reorder_capacity = std::clamp(config.reorder_capacity, 1U, max_window);
  config.max_unacknowledged = std::clamp(config.max_unacknowledged, 1U, max_window);
  config.send_capacity = std::max(config.send_capacity, 1U);
  return config;
}

}  // namespace

SctpSession::SctpSession(const SctpConfig& config)
    : config_(corrected(config)),
      max_chunk_len_(config_.max_chunk_len),
      tx_(std::size_t{config_.send_capacity} + num_control_slots),
      tx_octets_(tx_.size() * config_.max_chunk_len),
      acknowledged_(config_.max_unacknowledged),
      rx_(config_.reorder_capacity),
      rx_octets_(rx_.size() * config_.max_chunk_len) {}

// --- The ULP ---

VerbsResult<void> SctpSession::check_start(const SctpAssociation& association, SctpInput input,
                                           bool peer_to_peer) const {
  const bool has_row = find_transition(state_, input) != nullptr;
  //= SCTP-5043-11.1-03, SCTP-5043-11.1-05
  const bool ddp = association.use == SctpAssociationUse::ddp || has(Quirk::ddp_without_indication);
  if (!has_row || !ddp || (state_ != SctpState::idle && !may_restart())) return refuse(VerbsError::bad_state);
  if (!are_possible_terms(config_.mpa, peer_to_peer)) return refuse(VerbsError::bad_attribute);
  return {};
}

// Nothing of the session before is left: it has no chunks outstanding, in either direction.
//= SCTP-5043-6-02, SCTP-5043-6.1-01
void SctpSession::begin(const SctpAssociation& association, Role role) {
  role_ = role;
  is_first_session_ = state_ == SctpState::idle;
  listener_ = nullptr;
  max_chunk_len_ = std::clamp(association.max_chunk_len, min_ddp_chunk_len, config_.max_chunk_len);
  request_ = reply_ = {};
  negotiated_ = {};
  peer_private_data_len_ = 0;
  tx_first_ = tx_end_ = num_sent_ = first_unacknowledged_ = 0;
  last_control_.reset();
  std::ranges::fill(rx_, RxSlot{});
  rx_first_ = rx_end_ = 0;
  num_new_ahead_ = 0;
  num_told_ = num_taken_ = 0;
}

VerbsResult<void> SctpSession::start_initiator(const SctpAssociation& association, Bytes private_data, Time now) {
  const bool enhanced = config_.mpa.enhanced;
  const bool peer_to_peer = enhanced && config_.mpa.peer_to_peer;
  if (auto fine = check_start(association, SctpInput::start_initiator, peer_to_peer); !fine) return fine;
  if (!fits(private_data, enhanced)) return refuse(VerbsError::bad_range);
  begin(association, Role::initiator);
  request_.frame.revision = max_mpa_revision;
  request_.frame.enhanced = enhanced;
  if (enhanced) request_.enhanced = requested_terms(config_.mpa);
  send_control(enhanced ? SessionFunction::enhanced_initiate : SessionFunction::initiate, private_data,
               request_.enhanced);
  step(SctpInput::start_initiator);
  deadline_ = now + config_.mpa.startup_timeout;
  return {};
}

VerbsResult<void> SctpSession::start_responder(const SctpAssociation& association, SctpListener* listener) {
  if (auto fine = check_start(association, SctpInput::start_responder, config_.mpa.enhanced); !fine) return fine;
  begin(association, Role::responder);
  listener_ = listener;
  step(SctpInput::start_responder);
  return {};
}

VerbsResult<void> SctpSession::accept(const SctpAnswer& answer) {
  if (find_transition(state_, SctpInput::accept) == nullptr) return refuse(VerbsError::bad_state);
  if (!are_possible_depths(answer.ird, answer.ord, request_.enhanced, false)) {
    return refuse(VerbsError::bad_attribute);
  }
  const bool enhanced = request_.enhanced.has_value();
  if (!fits(answer.private_data, enhanced)) return refuse(VerbsError::bad_range);
  reply_.frame.revision = max_mpa_revision;
  reply_.frame.enhanced = enhanced;
  if (enhanced) {
    MpaEnhanced own = own_terms(config_.mpa);
    own.ird = answer.ird.value_or(own.ird);
    own.ord = answer.ord.value_or(own.ord);
    reply_.enhanced = enhanced_answer(*request_.enhanced, own, answer.ird.value_or(config_.mpa.max_ird));
  }
  negotiated_ = negotiate(request_, reply_);
  send_control(enhanced ? SessionFunction::enhanced_accept : SessionFunction::accept, answer.private_data,
               reply_.enhanced);
  step(SctpInput::accept);
  return {};
}

VerbsResult<void> SctpSession::reject(const SctpAnswer& answer) {
  if (find_transition(state_, SctpInput::reject) == nullptr) return refuse(VerbsError::bad_state);
  if (!fits(answer.private_data, false)) return refuse(VerbsError::bad_range);
  //= MPA-6581-7-02
  const bool enhanced = request_.enhanced.has_value() && answer.because_enhanced && !has(Quirk::plain_reject_only);
  send_control(enhanced ? SessionFunction::enhanced_reject : SessionFunction::reject, answer.private_data);
  step(SctpInput::reject, SctpEnd::request_rejected);
  return {};
}

VerbsResult<void> SctpSession::terminate(Time now) {
  if (!step(SctpInput::terminate, SctpEnd::given_up)) return refuse(VerbsError::bad_state);
  if (state_ == SctpState::terminating) deadline_ = now + config_.terminate_timeout;
  return {};
}

std::optional<SctpEvent> SctpSession::poll_event() {
  if (num_taken_ == num_told_) return std::nullopt;
  return events_[num_taken_++];
}

//= SCTP-5043-6.6-03
bool SctpSession::may_restart() const {
  const bool acknowledged = tx_first_ == tx_end_ && first_unacknowledged_ == num_sent_;
  return state_ == SctpState::ended && (acknowledged || has(Quirk::restart_at_once));
}

// --- The machine ---

bool SctpSession::step(SctpInput input, SctpEnd end) {
  const SctpTransition* row = find_transition(state_, input);
  if (row == nullptr) return false;
  if (row->to != state_) {
    if (holds_request_) listener_->give_back();
    holds_request_ = row->to == SctpState::initiate_received && listener_ != nullptr;
    deadline_.reset();
    state_ = row->to;
  }
  // After a session's end only its messages go out.
  if (!is_open()) forget_unsent_segments();
  if (row->send == SctpSend::terminate && !has(Quirk::no_session_terminate)) {
    const bool reject = end == SctpEnd::too_many_requests && has(Quirk::reject_for_overflow);
    //= MPA-6581-7-09
    const bool odd = negotiated_.enhanced && has(Quirk::enhanced_session_terminate);
    send_control(reject ? SessionFunction::reject
                 : odd  ? SessionFunction::enhanced_reject
                        : SessionFunction::terminate,
                 {});
  }
  if (row->tell != SctpEventKind::none) tell(row->tell, end);
  return true;
}

// Without a row for what came, it fits no pattern; without one for that either, it is too late to matter.
//= SCTP-5043-6.1-03
void SctpSession::finish(SctpEnd end) {
  if (info(end).input == SctpInput::illegal && has(Quirk::illegal_chunks_ignored)) return;
  if (step(info(end).input, end) || !is_chunk(info(end).input) || has(Quirk::illegal_chunks_ignored)) return;
  step(SctpInput::illegal, SctpEnd::out_of_pattern);
}

//= SCTP-5043-5.2.3-05, MPA-6581-9.1-03, MPA-6581-9.1-10
void SctpSession::tell(SctpEventKind kind, SctpEnd end) {
  SctpEvent& event = events_[num_told_++];
  event = {};
  event.kind = kind;
  event.end = end;
  const StartupTerms& peer = is_initiator() ? reply_ : request_;
  event.enhanced = peer.enhanced.has_value();
  event.peer = depths_of(peer);
}

void SctpSession::end_association(SctpEnd end) {
  finish(end);
  tx_first_ = tx_end_;
  on_all_acknowledged();
}

void SctpSession::on_association_lost() { end_association(SctpEnd::association_lost); }

void SctpSession::on_association_shut_down() { end_association(SctpEnd::association_shut_down); }

void SctpSession::on_deadline(Time now) {
  if (!deadline_ || now < *deadline_) return;
  finish(state_ == SctpState::terminating ? SctpEnd::terminate_unanswered : SctpEnd::timed_out);
}

// --- Sending ---

MutableBytes SctpSession::push_chunk(bool control, std::size_t len) {
  const std::uint64_t number = tx_end_++;
  tx(number) = {static_cast<std::uint32_t>(len), control};
  return MutableBytes(tx_octets_).subspan(number % tx_.size() * config_.max_chunk_len, len);
}

//= SCTP-5043-5.2.3-02, SCTP-5043-5.2.3-04, MPA-6581-7-03, MPA-6581-7-05
void SctpSession::send_control(SessionFunction function, Bytes private_data, const std::optional<MpaEnhanced>& block) {
  static constexpr std::array<std::uint8_t, 4> odd_data{};
  if (function == SessionFunction::terminate) {
    private_data = has(Quirk::session_terminate_with_data) ? Bytes(odd_data) : Bytes();
  } else if (has(Quirk::no_session_private_data)) {
    private_data = {};
  }
  const std::size_t block_len = block ? header_size<MpaEnhanced> : 0;
  const MutableBytes out = push_chunk(true, header_size<DdpSctpControl> + block_len + private_data.size());
  encode(DdpSctpControl{.function = function}, out.first<header_size<DdpSctpControl>>());
  const MutableBytes rest = out.subspan<header_size<DdpSctpControl>>();
  if (block) encode(*block, rest.first<header_size<MpaEnhanced>>());
  std::ranges::copy(private_data, rest.subspan(block_len).begin());
}

void SctpSession::forget_unsent_segments() {
  while (tx_end_ != tx_first_ && !tx(tx_end_ - 1).control) --tx_end_;
}

// An initiator has the answer to its Initiate before it may send a segment.
//= SCTP-5043-6.6-02
std::size_t SctpSession::room() const {
  const bool early = state_ == SctpState::initiate_sent && has(Quirk::segments_before_accept);
  if (state_ != SctpState::established && !early) return 0;
  const std::uint64_t waiting = tx_end_ - tx_first_;
  return waiting >= config_.send_capacity ? 0 : static_cast<std::size_t>(config_.send_capacity - waiting);
}

VerbsResult<void> SctpSession::send(std::span<const Bytes> pieces) {
  if (room() == 0) {
    return refuse(state_ == SctpState::established ? VerbsError::queue_full : VerbsError::bad_state);
  }
  std::size_t len = 0;
  for (const Bytes piece : pieces) len += piece.size();
  if (len > max_ulpdu_len()) return refuse(VerbsError::bad_range);  //= SCTP-5043-9-04
  MutableBytes out = push_chunk(false, header_size<DdpSctp> + len).subspan(header_size<DdpSctp>);
  for (const Bytes piece : pieces) {
    // By pointers: g++ 12 copies between spans octet by octet.
    std::copy_n(piece.data(), piece.size(), out.data());
    out = out.subspan(piece.size());
  }
  return {};
}

// What may go goes at once: nothing waits for company in a packet.
//= SCTP-5043-11.2-01
std::optional<SctpTxChunk> SctpSession::poll_transmit() {
  if (tx_first_ == tx_end_) return std::nullopt;
  const TxSlot slot = tx(tx_first_);
  //= SCTP-5043-6.6-01
  if (slot.control && last_control_ && !has(Quirk::control_may_overtake)) return std::nullopt;
  const MutableBytes octets =
      MutableBytes(tx_octets_).subspan(tx_first_ % tx_.size() * config_.max_chunk_len, slot.len);
  //= SCTP-5043-10-03
  const bool full = num_sent_ - first_unacknowledged_ >= config_.max_unacknowledged;
  if (full && !has(Quirk::unbounded_chunks)) return std::nullopt;
  const auto mark = [&](bool acknowledged) { acknowledged_[num_sent_++ % acknowledged_.size()] = acknowledged; };
  if (slot.control && has(Quirk::gap_before_session_terminate) &&
      decode<DdpSctpControl>(octets.first<header_size<DdpSctpControl>>()).function == SessionFunction::terminate) {
    mark(true);
  }
  ++tx_first_;
  if (slot.control) last_control_ = num_sent_;
  //= SCTP-5043-5.2.1-01, SCTP-5043-6-01
  std::uint64_t ssn = num_sent_;
  if (has(Quirk::session_begins_at_one)) ++ssn;
  if (slot.control && has(Quirk::control_has_ssn_zero)) ssn = 0;
  encode(DdpSctp{static_cast<std::uint16_t>(ssn)}, octets.first<header_size<DdpSctp>>());
  SctpTxChunk out;
  //= SCTP-5043-10-01
  out.unordered = !has(Quirk::ordered_chunks);
  out.stream = config_.stream;
  out.protocol = slot.control && !has(Quirk::control_as_segment) ? net::SctpPayloadProtocol::ddp_session_control
                                                                 : net::SctpPayloadProtocol::ddp_segment;
  out.ssn = static_cast<std::uint16_t>(num_sent_);
  out.octets = octets;
  mark(false);
  return out;
}

void SctpSession::on_acknowledged(std::uint16_t ssn) {
  const std::uint64_t number =
      first_unacknowledged_ + static_cast<std::uint16_t>(ssn - static_cast<std::uint16_t>(first_unacknowledged_));
  if (number >= num_sent_) return;
  acknowledged_[number % acknowledged_.size()] = true;
  if (last_control_ == number) last_control_.reset();
  while (first_unacknowledged_ != num_sent_ && acknowledged_[first_unacknowledged_ % acknowledged_.size()]) {
    ++first_unacknowledged_;
  }
}

void SctpSession::on_all_acknowledged() {
  first_unacknowledged_ = num_sent_;
  last_control_.reset();
}

}  // namespace rdmawire::iwarp
