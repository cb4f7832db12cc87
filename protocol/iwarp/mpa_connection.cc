#include "protocol/iwarp/mpa_connection.h"

#include <algorithm>

#include "codec/base/layout.h"
#include "codec/iwarp/pdu_build.h"
#include "protocol/iwarp/enhanced_terms.h"
#include "protocol/iwarp/mpa_quirks.h"

namespace rdmawire::iwarp {
namespace {

using verbs::refuse;
using verbs::VerbsError;
using verbs::VerbsResult;

constexpr std::uint32_t block_size = header_size<MpaEnhanced>;

StartupTerms terms_of(Bytes frame) {
  StartupTerms out;
  out.frame = decode<MpaStartup>(frame.first<startup_header_size>());
  if (out.frame.is_enhanced()) {
    out.enhanced = decode<MpaEnhanced>(frame.subspan<startup_header_size, block_size>());
  }
  return out;
}

// Octets of private data that are the ULP's.
std::uint32_t ulp_len(const MpaStartup& frame) {
  return frame.private_data_len - (frame.is_enhanced() ? block_size : 0U);
}

}  // namespace

MpaConnection::MpaConnection(const MpaConfig& config) : config_(mpa_quirks::apply(config)) {}

VerbsResult<void> MpaConnection::check_config(bool peer_to_peer) const {
  const bool revision = config_.revision == 1 || config_.revision == 2;
  if (!revision || !are_possible_terms(config_, peer_to_peer)) return refuse(VerbsError::bad_attribute);
  return {};
}

//= MPA-5044-7.1.1-17, MPA-6581-6-08
bool MpaConnection::fits(Bytes private_data, bool enhanced) const {
  if (has(Quirk::private_data_256) && private_data.size() > 256) return false;
  return private_data.size() + (enhanced ? block_size : 0U) <= max_private_data_len;
}

// --- The ULP ---

VerbsResult<void> MpaConnection::start_initiator(Bytes private_data, Time now) {
  const bool enhanced = config_.enhanced && config_.revision >= 2;
  if (find_transition(state_, MpaInput::start_initiator) == nullptr) return refuse(VerbsError::bad_state);
  if (auto fine = check_config(enhanced && config_.peer_to_peer); !fine) return fine;
  if (!fits(private_data, enhanced)) return refuse(VerbsError::bad_range);
  role_ = Role::initiator;  //= MPA-5044-2-02
  send_request(private_data);
  step(MpaInput::start_initiator);
  set_deadline(now);
  return {};
}

VerbsResult<void> MpaConnection::start_responder(Time now) {
  if (find_transition(state_, MpaInput::start_responder) == nullptr) return refuse(VerbsError::bad_state);
  if (auto fine = check_config(config_.enhanced && config_.revision >= 2); !fine) return fine;
  role_ = Role::responder;
  step(MpaInput::start_responder);
  set_deadline(now);
  return {};
}

//= MPA-5044-7.1.2-21, MPA-5044-7.1.2-23
void MpaConnection::set_deadline(Time now) {
  if (has(Quirk::never_time_out) || (has(Quirk::responder_never_times_out) && !is_initiator())) return;
  deadline_ = now + config_.startup_timeout;
}

VerbsResult<void> MpaConnection::accept(const MpaAnswer& answer) { return answer_request(answer, false); }

VerbsResult<void> MpaConnection::reject(const MpaAnswer& answer) { return answer_request(answer, true); }

VerbsResult<void> MpaConnection::answer_request(const MpaAnswer& answer, bool rejected) {
  const MpaInput input = rejected ? MpaInput::reject : MpaInput::accept;
  if (find_transition(state_, input) == nullptr) return refuse(VerbsError::bad_state);
  if (!are_possible_depths(answer.ird, answer.ord, request_.enhanced, rejected)) {
    return refuse(VerbsError::bad_attribute);
  }
  std::optional<MpaEnhanced> block;
  if (request_.enhanced) {
    const MpaEnhanced& asked = *request_.enhanced;
    MpaEnhanced own = own_terms(config_);
    own.ird = answer.ird.value_or(own.ird);
    own.ord = answer.ord.value_or(own.ord);
    block = enhanced_answer(asked, own, answer.ird.value_or(config_.max_ird));
    // A rejection says what is needed, and not what would fit.
    //= MPA-6581-9.1-07
    if (rejected && asked.ird != MpaEnhanced::left_to_ulp) block->ord = own.ord;
    mpa_quirks::amend_answer(config_, asked, own, rejected, *block);
  }
  if (!fits(answer.private_data, block.has_value())) return refuse(VerbsError::bad_range);
  send_reply(answer.private_data, block, rejected);
  negotiate_terms();
  step(input);
  return {};
}

VerbsResult<void> MpaConnection::confirm_reply() {
  if (!step(MpaInput::confirm)) return refuse(VerbsError::bad_state);
  return {};
}

VerbsResult<void> MpaConnection::refuse_reply() {
  if (!step(MpaInput::refuse, MpaEnd::reply_refused)) return refuse(VerbsError::bad_state);
  return {};
}

std::optional<MpaEvent> MpaConnection::poll_event() {
  if (num_taken_ == num_told_) return std::nullopt;
  return events_[num_taken_++];
}

//= MPA-5044-7.1.1-18
Bytes MpaConnection::peer_private_data() const {
  if (!in_whole_) return {};
  const MpaStartup& frame = is_initiator() ? reply_.frame : request_.frame;
  const std::uint32_t len = ulp_len(frame);
  return Bytes(in_).subspan(startup_header_size + frame.private_data_len - len,
                            mpa_quirks::amend_private_data(config_, role_, frame, len));
}

// --- The owner of the TCP connection ---

//= MPA-5044-7.1-01, MPA-5044-7.1-02, MPA-5044-7.1.1-20, MPA-5044-7.1.5-03
std::size_t MpaConnection::on_octets(Bytes octets, Time now) {
  on_deadline(now);
  std::size_t taken = 0;
  while (awaits_frame() && taken < octets.size()) {
    const std::uint32_t wanted = look_at_startup(Bytes(in_).first(in_len_)).wanted;
    const std::size_t piece = std::min<std::size_t>(wanted - in_len_, octets.size() - taken);
    std::ranges::copy(octets.subspan(taken, piece), in_.begin() + in_len_);
    in_len_ += static_cast<std::uint32_t>(piece);
    taken += piece;
    if (has(Quirk::timeout_of_a_piece)) set_deadline(now);
    judge_octets();
  }
  if (has(Quirk::frame_in_one_piece) && awaits_frame() && in_len_ != 0) finish(MpaEnd::bad_length);
  //= MPA-5044-7.1.1-19, MPA-5044-7.1.5-01
  if (taken < octets.size() && !has(is_initiator() ? Quirk::take_early_fpdus : Quirk::take_early_request_octets)) {
    finish(MpaEnd::early_octets);
  }
  return taken;
}

//= MPA-6581-10-08
void MpaConnection::judge_octets() {
  mpa_quirks::amend_received(config_.quirks, role_, MutableBytes(in_).first(in_len_));
  const StartupPrefix seen = look_at_startup(Bytes(in_).first(in_len_));
  const StartupKind due = is_initiator() ? StartupKind::reply : StartupKind::request;
  //= MPA-5044-7.1.1-03, MPA-5044-7.1.1-04, MPA-5044-7.1.2-16
  if (seen.kind == StartupKind::none) return finish(MpaEnd::bad_key);
  //= MPA-5044-7.1-05, MPA-5044-7.1.2-20
  if (seen.kind != StartupKind::undecided && seen.kind != due) {
    return finish(is_initiator() ? MpaEnd::two_initiators : MpaEnd::reply_to_responder);
  }
  if (seen.error.code == ErrorCode::bad_version) return finish(MpaEnd::bad_revision);  //= MPA-5044-7.1.1-13
  if (seen.error) return finish(MpaEnd::bad_length);  //= MPA-5044-7.1.1-16, MPA-6581-6-10
  if (seen.full_len > startup_header_size + 256 && has(Quirk::private_data_256)) return finish(MpaEnd::bad_length);
  //= MPA-5044-7.1.2-22
  if (seen.full_len != 0 && !has(Quirk::cut_private_data) &&
      ulp_len(decode<MpaStartup>(Bytes(in_).first<startup_header_size>())) > config_.max_private_data_len) {
    return finish(MpaEnd::too_much_private_data);
  }
  if (!seen.is_whole()) return;
  in_whole_ = true;
  is_initiator() ? on_reply() : on_request();
}

void MpaConnection::on_request() {
  request_ = terms_of(in_);
  mpa_quirks::amend_terms(config_.quirks, role_, request_);
  if (const auto objection = mpa_quirks::objection_to_request(config_, request_)) return finish(*objection);
  const ResponderAbility able{config_.revision, has(Quirk::take_revision_0)};
  //= MPA-6581-10-04
  if (request_.frame.is_enhanced() && !config_.enhanced) return finish(MpaEnd::not_enhanced);
  //= MPA-5044-7.1.1-13, MPA-5044-C-02
  const std::optional<ReplyForm> form = reply_form(request_.frame, able);
  if (!form) return finish(MpaEnd::bad_revision);
  reply_form_ = *form;
  step(MpaInput::request);
  if (has(Quirk::reject_markers) && request_.frame.markers) {
    num_told_ = num_taken_;  // the ULP does not hear of it
    (void)reject({{}, 0, 0});
  }
}

void MpaConnection::on_reply() {
  reply_ = terms_of(in_);
  mpa_quirks::amend_terms(config_.quirks, role_, reply_);
  if (has_octets()) return finish(MpaEnd::early_octets);
  const Error violation = reply_violation(request_, reply_);
  //= MPA-6581-10-06, MPA-5044-C-03
  if (violation.code == ErrorCode::bad_version && !has(Quirk::take_plain_reply)) return finish(MpaEnd::wrong_form);
  if (const auto objection = mpa_quirks::objection_to_reply(config_, request_, reply_)) {
    if (*objection == MpaEnd::no_matching_rtr) negotiate_terms();
    return finish(*objection);
  }
  negotiate_terms();
  if (!negotiated_.accepted) return finish(MpaEnd::rejected_by_peer);
  if (is_ird_insufficient(config_, negotiated_) && !has(Quirk::take_insufficient_ird)) {
    return finish(MpaEnd::insufficient_ird);
  }
  //= MPA-6581-9.2-12
  if (violation.code == ErrorCode::bad_value && !has(Quirk::take_unmatched_rtr)) {
    return finish(MpaEnd::no_matching_rtr);
  }
  step(config_.confirm_reply ? MpaInput::reply_to_confirm : MpaInput::reply);
}

std::size_t MpaConnection::poll_octets(MutableBytes out) {
  const std::size_t piece = std::min<std::size_t>(out_len_ - out_sent_, out.size());
  std::copy_n(out_.begin() + out_sent_, piece, out.begin());
  out_sent_ += static_cast<std::uint32_t>(piece);
  if (piece != 0 && !has_octets()) step(MpaInput::sent, MpaEnd::request_rejected);
  return piece;
}

void MpaConnection::on_first_fpdu_sent() { step(MpaInput::first_fpdu_sent); }

void MpaConnection::on_peer_closed() {
  if (has(Quirk::ignore_peer_close)) return;
  if (has(Quirk::take_cut_frame) && awaits_frame() && in_len_ > startup_header_size + block_size) {
    const std::uint32_t len = in_len_ - startup_header_size;
    in_[18] = static_cast<std::uint8_t>(len >> 8);
    in_[19] = static_cast<std::uint8_t>(len);
    return judge_octets();
  }
  //= MPA-5044-7.1.1-16
  finish(awaits_frame() && in_len_ != 0 ? MpaEnd::cut_frame : MpaEnd::peer_closed);
}

void MpaConnection::on_connection_lost() { finish(MpaEnd::connection_lost); }

void MpaConnection::on_local_error() {
  const MpaTransition* row = find_transition(state_, MpaInput::local_error);
  if (row == nullptr) return;
  finish(row->to == MpaState::terminating ? MpaEnd::local_error_after_reply : MpaEnd::local_error);
}

void MpaConnection::on_deadline(Time now) {
  if (deadline_ && now >= *deadline_) finish(MpaEnd::timed_out);
}

// --- Frames and states ---

void MpaConnection::send_request(Bytes private_data) {
  PduSpec spec;
  MpaRequest& request = spec.request.emplace();
  request.markers = config_.markers;
  request.crc = config_.crc;  //= MPA-5044-1.2-02, MPA-5044-1.2-03
  //= MPA-6581-6-05, MPA-6581-6-06, MPA-6581-10-03, MPA-5044-7.1.1-12
  request.enhanced = config_.enhanced && config_.revision >= 2;
  request.revision = request.enhanced ? config_.revision : 1;
  if (request.enhanced) spec.enhanced = requested_terms(config_);
  mpa_quirks::amend_request(config_, spec);
  send(spec, private_data);
  request_ = terms_of(out_);
}

void MpaConnection::send_reply(Bytes private_data, const std::optional<MpaEnhanced>& enhanced, bool rejected) {
  PduSpec spec;
  MpaReply& reply = spec.reply.emplace();
  reply.markers = config_.markers;
  reply.crc = config_.crc;
  reply.rejected = rejected;
  //= MPA-6581-6-07, MPA-6581-10-01, MPA-6581-10-02, MPA-6581-10-07
  reply.enhanced = reply_form_.enhanced;
  reply.revision = reply_form_.revision;
  spec.enhanced = enhanced;
  mpa_quirks::amend_reply(config_, request_, spec);
  send(spec, private_data);
  reply_ = terms_of(out_);
}

// Reserved bits stay 0.
//= MPA-5044-7.1-04, MPA-5044-7.1.1-10, MPA-5044-7.1.2-02, MPA-5044-7.1.2-08, MPA-6581-6-03, MPA-6581-6-09
void MpaConnection::send(PduSpec& spec, Bytes private_data) {
  spec.payload = private_data;
  const auto len = static_cast<std::uint32_t>(*build_pdu(spec, out_));
  out_len_ = mpa_quirks::amend_sent(config_.quirks, out_, len);
}

void MpaConnection::negotiate_terms() {
  negotiated_ = negotiate(request_, reply_);
  mpa_quirks::amend_negotiated(config_, role_, request_, reply_, negotiated_);
}

void MpaConnection::finish(MpaEnd end) {
  if (has(Quirk::reject_malformed) && state_ == MpaState::request_awaited && info(end).input == MpaInput::malformed) {
    reply_form_ = {};
    request_ = {};
    step(MpaInput::request);
    num_told_ = num_taken_;
    (void)reject();
    return;
  }
  step(info(end).input, end);
}

bool MpaConnection::step(MpaInput input, MpaEnd end) {
  const MpaTransition* row = find_transition(state_, input);
  if (row == nullptr) return false;
  state_ = row->tell == MpaEventKind::ended ? mpa_quirks::amend_end(config_.quirks, role_, end, row->to) : row->to;
  if (!awaits_frame()) deadline_.reset();
  //= MPA-5044-8-07
  if (state_ == MpaState::closed) out_sent_ = out_len_;
  if (row->tell != MpaEventKind::none) tell(row->tell, end);
  return true;
}

void MpaConnection::tell(MpaEventKind kind, MpaEnd end) {
  if (kind == MpaEventKind::ended) end_ = end;
  MpaEvent& event = events_[num_told_++];
  event.kind = kind;
  event.end = end;
  event.after = state_ == MpaState::terminating ? MpaAfter::terminate
                : state_ == MpaState::left      ? MpaAfter::leave_open
                                                : MpaAfter::close;
  if (!in_whole_) return;
  const StartupTerms& peer = is_initiator() ? reply_ : request_;
  event.revision = peer.frame.revision;
  event.peer = depths_of(peer);
}

}  // namespace rdmawire::iwarp
