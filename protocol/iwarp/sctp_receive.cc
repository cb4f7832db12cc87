// SctpSession: what arrives.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"
#include "codec/base/layout.h"
#include "protocol/iwarp/enhanced_terms.h"
#include "protocol/iwarp/sctp_session.h"

namespace rdmawire::iwarp {

namespace {

constexpr bool is_enhanced(SessionFunction function) { return function >= SessionFunction::enhanced_initiate; }

}  // namespace

void SctpSession::on_chunk(net::SctpPayloadProtocol protocol, Bytes octets, Time now) {
  on_deadline(now);
  if (state_ == SctpState::idle || state_ == SctpState::ended) return;
  const bool control = protocol == net::SctpPayloadProtocol::ddp_session_control;
  //= SCTP-5043-5.1-02
  if (!control && protocol != net::SctpPayloadProtocol::ddp_segment) return finish(SctpEnd::foreign_chunk);
  if (octets.size() < header_size<DdpSctp> || octets.size() > config_.max_chunk_len) {
    return finish(SctpEnd::bad_length);
  }
  const std::uint16_t ssn = decode<DdpSctp>(octets.first<header_size<DdpSctp>>()).sequence;
  // Old ones count as far ahead: SCTP repeats nothing. Nothing is stored for a number that was not checked.
  //= SCTP-5043-10-02, SCTP-5043-10-04, SCTP-5043-10-05
  const std::uint64_t number =
      has(Quirk::arrival_order) ? rx_end_
                                : rx_first_ + static_cast<std::uint16_t>(ssn - static_cast<std::uint16_t>(rx_first_));
  // An initiator sends nothing more before its Initiate has arrived: this belongs to the session before, or is wrong.
  //= SCTP-5043-6-02
  if (state_ == SctpState::initiate_awaited && number != 0) {
    if (!is_first_session_) return;
    return finish(SctpEnd::out_of_pattern);
  }
  if (number - rx_first_ >= rx_.size() || rx(number).filled) return finish(SctpEnd::bad_sequence);
  const bool ahead = !control && number != rx_first_;
  rx(number) = {static_cast<std::uint32_t>(octets.size()), true, control, ahead, false};
  std::copy_n(octets.data(), octets.size(), rx_octets(number).data());
  rx_end_ = std::max(rx_end_, number + 1);
  if (ahead) ++num_new_ahead_;
  judge_chunks();
}

SctpSession::RxSlot SctpSession::pop() {
  RxSlot& place = rx(rx_first_++);
  const RxSlot out = place;
  if (place.new_ahead) --num_new_ahead_;
  place = {};
  return out;
}

// Those whose turn it is, up to a segment that DDP is to take.
void SctpSession::judge_chunks() {
  while (state_ != SctpState::ended && rx(rx_first_).filled) {
    const bool control = rx(rx_first_).control;
    // Whatever answers the Initiate shows that it has arrived, and so does a segment of an initiator with the Accept.
    //= SCTP-5043-6.6-01
    if (last_control_ == 0U && (is_initiator() || !control)) last_control_.reset();
    if (!control && is_open()) return;
    const MutableBytes octets = rx_octets(rx_first_);
    const Bytes chunk = octets.first(pop().len);
    if (control) {
      on_control(chunk);
    } else if (!step(SctpInput::segment)) {
      finish(SctpEnd::out_of_pattern);
    }
  }
}

void SctpSession::on_control(Bytes chunk) {
  const auto control = parse_session_control(chunk);
  const Bytes private_data = chunk.subspan(std::min<std::size_t>(header_size<DdpSctpControl>, chunk.size()));
  if (!control) {
    const ErrorCode code = control.error().code;
    //= SCTP-5043-5.2.3-03, SCTP-5043-5.2.3-04, MPA-6581-7-04, MPA-6581-7-05
    if (code != ErrorCode::bad_length || !has(Quirk::long_session_private_data) ||
        private_data.size() <= max_private_data_len) {
      return finish(code == ErrorCode::truncated_wire    ? SctpEnd::bad_length
                    : code == ErrorCode::reserved_opcode ? SctpEnd::unknown_function
                                                         : SctpEnd::bad_private_data_len);
    }
  }
  const SessionFunction function = decode<DdpSctpControl>(chunk.first<header_size<DdpSctpControl>>()).function;
  const Bytes data = private_data.first(std::min<std::size_t>(private_data.size(), max_private_data_len));
  switch (function) {
    case SessionFunction::initiate:
    case SessionFunction::enhanced_initiate:
      return on_initiate(is_enhanced(function), data);
    case SessionFunction::accept:
    case SessionFunction::enhanced_accept:
      return on_accept(is_enhanced(function), data);
    case SessionFunction::reject:
      if (state_ == SctpState::initiate_sent) take_private_data(false, data);
      return finish(SctpEnd::rejected_by_peer);
    case SessionFunction::enhanced_reject:
      if (state_ == SctpState::initiate_sent) {
        if (!request_.enhanced.has_value()) return finish(SctpEnd::wrong_form);
        take_private_data(false, data);
      }
      return finish(SctpEnd::rejected_as_enhanced);
    case SessionFunction::terminate:
      return finish(state_ == SctpState::initiate_sent ? SctpEnd::refused_by_peer
                    : state_ == SctpState::terminating ? SctpEnd::terminated
                                                       : SctpEnd::terminated_by_peer);
    case SessionFunction::experimental:
      break;
  }
  // Only a ULP that asked for more than the mandatory patterns could have a use for it.
  //= SCTP-5043-6.5-01, SCTP-5043-6.5-02
  finish(SctpEnd::out_of_pattern);
}

//= SCTP-5043-5.2.3-06, MPA-6581-7-07
StartupTerms SctpSession::take_private_data(bool enhanced, Bytes private_data) {
  StartupTerms out;
  out.frame.revision = max_mpa_revision;
  out.frame.enhanced = enhanced;
  if (enhanced) {
    out.enhanced = decode<MpaEnhanced>(private_data.first<header_size<MpaEnhanced>>());
    private_data = private_data.subspan<header_size<MpaEnhanced>>();
  }
  std::ranges::copy(private_data, peer_private_data_.begin());
  peer_private_data_len_ =
      has(Quirk::session_private_data_hidden) ? 0 : static_cast<std::uint32_t>(private_data.size());
  return out;
}

void SctpSession::on_initiate(bool enhanced, Bytes private_data) {
  if (find_transition(state_, SctpInput::peer_initiate) == nullptr) return finish(SctpEnd::out_of_pattern);
  if (enhanced && !config_.mpa.enhanced) return finish(SctpEnd::not_enhanced);
  //= SCTP-5043-5.2.3-07, SCTP-5043-5.2.3-08, SCTP-5043-6.4-02, SCTP-5043-6.4-03
  if (has(Quirk::unlimited_requests)) listener_ = nullptr;
  if (listener_ != nullptr && !listener_->take()) return finish(SctpEnd::too_many_requests);
  request_ = take_private_data(enhanced, private_data);
  step(SctpInput::peer_initiate);
}

void SctpSession::on_accept(bool enhanced, Bytes private_data) {
  if (state_ != SctpState::initiate_sent) {
    if (!step(SctpInput::peer_accept)) finish(SctpEnd::out_of_pattern);
    return;
  }
  if (enhanced != request_.enhanced.has_value()) return finish(SctpEnd::wrong_form);
  reply_ = take_private_data(enhanced, private_data);
  negotiated_ = negotiate(request_, reply_);
  if (is_ird_insufficient(config_.mpa, negotiated_)) return finish(SctpEnd::insufficient_ird);
  //= MPA-6581-9.2-12
  if (reply_violation(request_, reply_)) return finish(SctpEnd::no_matching_rtr);
  step(SctpInput::peer_accept);
}

std::optional<SctpSegment> SctpSession::next_segment() {
  judge_chunks();
  if (!is_open() || !rx(rx_first_).filled) return std::nullopt;
  const std::uint64_t number = rx_first_;
  const RxSlot slot = pop();
  return SctpSegment{number, rx_octets(number).first(slot.len).subspan(header_size<DdpSctp>), slot.told_ahead};
}

std::optional<SctpSegment> SctpSession::next_ahead() {
  if (!is_open() || num_new_ahead_ == 0) return std::nullopt;
  bool gap = false;
  for (std::uint64_t number = rx_first_; number != rx_end_; ++number) {
    RxSlot& slot = rx(number);
    if (!slot.filled) {
      gap = true;
      continue;
    }
    // Nothing may follow the peer's Terminate.
    if (slot.control) break;
    if (!gap || !slot.new_ahead) continue;
    slot.new_ahead = false;
    slot.told_ahead = true;
    --num_new_ahead_;
    return SctpSegment{number, rx_octets(number).first(slot.len).subspan(header_size<DdpSctp>), true};
  }
  return std::nullopt;
}

}  // namespace rdmawire::iwarp
