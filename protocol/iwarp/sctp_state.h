// The states of a DDP stream session over SCTP, what leads from one to another, and how it can end, as data: the legal
// patterns of RFC 5043, 6.1 to 6.6; RFC 6581, 7.
//
// The machine does what the row says, and only that. Without a row, what the ULP asks for is refused (bad_state), a
// chunk is illegal if the session is still the ULP's, and all else is ignored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/base/names.h"
#include "codec/iwarp/errors.h"
#include "protocol/transition_index.h"

namespace rdmawire::iwarp {

enum class SctpState : std::uint8_t {
  idle,
  initiate_sent,      // initiator; or the Initiate is on its way out
  initiate_awaited,   // responder
  initiate_received,  // the ULP is to accept or reject
  established,
  terminating,  // this side has ended it; the peer may still send segments, and may end it too
  draining,     // it is over for the ULP; what the peer sends until it knows is dropped
  // The peer has no more to send, or nothing that could be taken for a part of another session.
  ended,
  count_,
};

inline constexpr std::array sctp_state_names{
    Name{SctpState::idle, "IDLE"},
    Name{SctpState::initiate_sent, "INITIATE_SENT"},
    Name{SctpState::initiate_awaited, "INITIATE_AWAITED"},
    Name{SctpState::initiate_received, "INITIATE_RECEIVED"},
    Name{SctpState::established, "ESTABLISHED"},
    Name{SctpState::terminating, "TERMINATING"},
    Name{SctpState::draining, "DRAINING"},
    Name{SctpState::ended, "ENDED"},
};
static_assert(sctp_state_names.size() == static_cast<std::size_t>(SctpState::count_));

constexpr std::string_view name_of(SctpState state) { return find_name(sctp_state_names, state); }

enum class SctpInput : std::uint8_t {
  // The ULP.
  start_initiator,
  start_responder,
  accept,
  reject,
  terminate,
  // The peer, in the order of DDP-SSN. Enhanced messages are the same inputs.
  peer_initiate,
  initiate_refused,  // an Initiate that the provider does not take
  peer_accept,
  unfit_accept,  // one with which the initiator cannot go on
  peer_reject,
  peer_terminate,
  segment,
  illegal,  // no chunk of DDP's, or one that fits no pattern
  // The association, and time.
  association_ended,
  timeout,
  count_,
};

inline constexpr std::array sctp_input_names{
    Name{SctpInput::start_initiator, "start as initiator"},
    Name{SctpInput::start_responder, "start as responder"},
    Name{SctpInput::accept, "accept"},
    Name{SctpInput::reject, "reject"},
    Name{SctpInput::terminate, "terminate"},
    Name{SctpInput::peer_initiate, "Initiate"},
    Name{SctpInput::initiate_refused, "refused Initiate"},
    Name{SctpInput::peer_accept, "Accept"},
    Name{SctpInput::unfit_accept, "unfit Accept"},
    Name{SctpInput::peer_reject, "Reject"},
    Name{SctpInput::peer_terminate, "Terminate"},
    Name{SctpInput::segment, "segment"},
    Name{SctpInput::illegal, "illegal chunk"},
    Name{SctpInput::association_ended, "association ended"},
    Name{SctpInput::timeout, "timeout"},
};
static_assert(sctp_input_names.size() == static_cast<std::size_t>(SctpInput::count_));

constexpr std::string_view name_of(SctpInput input) { return find_name(sctp_input_names, input); }
constexpr bool is_chunk(SctpInput input) { return input >= SctpInput::peer_initiate && input <= SctpInput::illegal; }

// Why it is over.
enum class SctpEnd : std::uint8_t {
#define RDMAWIRE_SCTP_END(symbol, ...) symbol,
#include "protocol/iwarp/sctp_ends.inc"
};

struct SctpEndInfo {
  SctpEnd end{};
  std::string_view name;
  SctpInput input{};
  std::optional<TerminateReason> code;  // nothing: no error of the LLP's
  std::string_view requirement;
  std::string_view text;
};

namespace detail {

consteval auto make_sctp_ends() {
  constexpr std::nullopt_t none = std::nullopt;
  using enum TerminateReason;
  return std::array{
#define RDMAWIRE_SCTP_END(symbol, input, code, requirement, text) \
  SctpEndInfo{SctpEnd::symbol, #symbol, SctpInput::input, code, requirement, text},
#include "protocol/iwarp/sctp_ends.inc"
  };
}

}  // namespace detail

inline constexpr auto sctp_ends = detail::make_sctp_ends();

constexpr const SctpEndInfo& info(SctpEnd end) { return sctp_ends[static_cast<std::size_t>(end)]; }

// What the ULP is told.
enum class SctpEventKind : std::uint8_t { none, request, established, ended };

inline constexpr std::array sctp_event_names{
    Name{SctpEventKind::request, "request"},
    Name{SctpEventKind::established, "established"},
    Name{SctpEventKind::ended, "ended"},
};

constexpr std::string_view name_of(SctpEventKind kind) { return find_name(sctp_event_names, kind); }

// The session control message of a row, plain or enhanced.
enum class SctpSend : std::uint8_t { nothing, initiate, accept, reject, terminate };

inline constexpr std::array sctp_send_names{
    Name{SctpSend::initiate, "Initiate"},
    Name{SctpSend::accept, "Accept"},
    Name{SctpSend::reject, "Reject"},
    Name{SctpSend::terminate, "Terminate"},
};

constexpr std::string_view name_of(SctpSend send) { return find_name(sctp_send_names, send); }

struct SctpTransition {
  SctpState from{};
  SctpInput input{};
  SctpState to{};
  SctpSend send{};
  SctpEventKind tell{};
  std::string_view requirement;
};

inline constexpr auto sctp_transitions = [] {
  using S = SctpState;
  using I = SctpInput;
  using O = SctpSend;
  using E = SctpEventKind;
  using T = SctpTransition;
  return std::array{
      // Initiator
      //= SCTP-5043-6.1-02, SCTP-5043-6.2-01, SCTP-5043-6.3-01
      T{S::idle, I::start_initiator, S::initiate_sent, O::initiate, E::none, "SCTP-5043-6.2-01"},
      T{S::initiate_sent, I::peer_accept, S::established, O::nothing, E::established, "SCTP-5043-6.2-01"},
      T{S::initiate_sent, I::unfit_accept, S::draining, O::terminate, E::ended, "MPA-6581-9.1-09"},
      T{S::initiate_sent, I::peer_reject, S::ended, O::nothing, E::ended, "SCTP-5043-6.3-01"},
      T{S::initiate_sent, I::peer_terminate, S::ended, O::nothing, E::ended, "SCTP-5043-6.4-03"},
      T{S::initiate_sent, I::illegal, S::draining, O::terminate, E::ended, "SCTP-5043-6.1-03"},
      T{S::initiate_sent, I::terminate, S::draining, O::terminate, E::ended, "SCTP-5043-6.1-02"},
      T{S::initiate_sent, I::timeout, S::draining, O::terminate, E::ended, "SCTP-5043-6.4-02"},
      T{S::initiate_sent, I::association_ended, S::ended, O::nothing, E::ended, "SCTP-5043-11.3-02"},

      // Responder
      //= SCTP-5043-6.4-01
      T{S::idle, I::start_responder, S::initiate_awaited, O::nothing, E::none, "SCTP-5043-6.2-01"},
      T{S::initiate_awaited, I::peer_initiate, S::initiate_received, O::nothing, E::request, "SCTP-5043-6.4-01"},
      //= SCTP-5043-5.2.3-08, SCTP-5043-6.3-02, SCTP-5043-6.4-03
      T{S::initiate_awaited, I::initiate_refused, S::ended, O::terminate, E::ended, "SCTP-5043-6.4-03"},
      T{S::initiate_awaited, I::illegal, S::ended, O::terminate, E::ended, "SCTP-5043-6.1-03"},
      T{S::initiate_awaited, I::terminate, S::ended, O::nothing, E::ended, "SCTP-5043-6.1-02"},
      T{S::initiate_awaited, I::association_ended, S::ended, O::nothing, E::ended, "SCTP-5043-11.3-02"},
      T{S::initiate_received, I::accept, S::established, O::accept, E::established, "SCTP-5043-6.2-01"},
      //= SCTP-5043-6.3-02
      T{S::initiate_received, I::reject, S::ended, O::reject, E::ended, "SCTP-5043-6.3-01"},
      T{S::initiate_received, I::terminate, S::ended, O::terminate, E::ended, "SCTP-5043-6.3-02"},
      T{S::initiate_received, I::peer_terminate, S::ended, O::terminate, E::ended, "SCTP-5043-6.2-03"},
      T{S::initiate_received, I::illegal, S::ended, O::terminate, E::ended, "SCTP-5043-6.1-03"},
      T{S::initiate_received, I::association_ended, S::ended, O::nothing, E::ended, "SCTP-5043-11.3-02"},

      // Both
      T{S::established, I::segment, S::established, O::nothing, E::none, "SCTP-5043-6.2-01"},
      //= SCTP-5043-6.2-02, MPA-6581-7-09
      T{S::established, I::terminate, S::terminating, O::terminate, E::none, "SCTP-5043-6.2-02"},
      //= SCTP-5043-6.2-03
      T{S::established, I::peer_terminate, S::ended, O::terminate, E::ended, "SCTP-5043-6.2-03"},
      //= SCTP-5043-6.1-03
      T{S::established, I::illegal, S::draining, O::terminate, E::ended, "SCTP-5043-6.1-03"},
      T{S::established, I::association_ended, S::ended, O::nothing, E::ended, "SCTP-5043-11.3-02"},
      T{S::terminating, I::segment, S::terminating, O::nothing, E::none, "SCTP-5043-6.2-01"},
      T{S::terminating, I::peer_terminate, S::ended, O::nothing, E::ended, "SCTP-5043-6.2-03"},
      T{S::terminating, I::illegal, S::draining, O::nothing, E::ended, "SCTP-5043-6.1-03"},
      T{S::terminating, I::timeout, S::draining, O::nothing, E::ended, "SCTP-5043-6.2-02"},
      T{S::terminating, I::association_ended, S::ended, O::nothing, E::ended, "SCTP-5043-11.3-02"},
      //= SCTP-5043-6-02
      T{S::draining, I::peer_accept, S::draining, O::nothing, E::none, "SCTP-5043-6-02"},
      T{S::draining, I::peer_reject, S::ended, O::nothing, E::none, "SCTP-5043-6-02"},
      T{S::draining, I::peer_terminate, S::ended, O::nothing, E::none, "SCTP-5043-6-02"},
      T{S::draining, I::segment, S::draining, O::nothing, E::none, "SCTP-5043-6-02"},
      T{S::draining, I::illegal, S::draining, O::nothing, E::none, "SCTP-5043-6-02"},
      T{S::draining, I::association_ended, S::ended, O::nothing, E::none, "SCTP-5043-6-02"},

      // The next session of the stream
      //= SCTP-5043-6.6-03
      T{S::ended, I::start_initiator, S::initiate_sent, O::initiate, E::none, "SCTP-5043-6.6-03"},
      T{S::ended, I::start_responder, S::initiate_awaited, O::nothing, E::none, "SCTP-5043-6.6-03"},
  };
}();

inline constexpr TransitionIndex<SctpState, SctpInput> sctp_transition_index(sctp_transitions);
static_assert(sctp_transition_index.is_unique(), "one row a state and input");

// nullptr if there is none.
constexpr const SctpTransition* find_transition(SctpState from, SctpInput input) {
  return sctp_transition_index.find(sctp_transitions, from, input);
}

namespace detail {

constexpr bool sctp_ends_are_in_order() {
  for (std::size_t i = 0; i < sctp_ends.size(); ++i) {
    if (sctp_ends[i].end != static_cast<SctpEnd>(i)) return false;
  }
  return true;
}
static_assert(sctp_ends_are_in_order());

}  // namespace detail

}  // namespace rdmawire::iwarp
