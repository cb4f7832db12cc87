// The states of MPA's start-up, what leads from one to another, and how it can end, as data: RFC 5044, 7.1.2; RFC 6581.
//
// The machine does what the row says, and only that: an input without a row changes nothing, and is refused (bad_state)
// if it is the ULP's.
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

enum class MpaState : std::uint8_t {
  idle,
  // Initiator.
  request_sent,    // or on its way; the Reply is awaited
  reply_received,  // it accepts; the ULP is to say whether its private data do
  first_fpdu_due,  // Full Operation, in which the initiator sends first
  // Responder.
  request_awaited,
  request_received,  // the ULP is to accept or reject
  accepting,         // the Reply is on its way
  rejecting,
  // Both.
  full_operation,
  terminating,  // Full Operation, but only for a Terminate
  left,         // MPA is not used any more, and TCP is the ULP's
  closed,       // TCP is to be closed, or is
  count_,
};

inline constexpr std::array mpa_state_names{
    Name{MpaState::idle, "IDLE"},
    Name{MpaState::request_sent, "REQUEST_SENT"},
    Name{MpaState::reply_received, "REPLY_RECEIVED"},
    Name{MpaState::first_fpdu_due, "FIRST_FPDU_DUE"},
    Name{MpaState::request_awaited, "REQUEST_AWAITED"},
    Name{MpaState::request_received, "REQUEST_RECEIVED"},
    Name{MpaState::accepting, "ACCEPTING"},
    Name{MpaState::rejecting, "REJECTING"},
    Name{MpaState::full_operation, "FULL_OPERATION"},
    Name{MpaState::terminating, "TERMINATING"},
    Name{MpaState::left, "LEFT"},
    Name{MpaState::closed, "CLOSED"},
};
static_assert(mpa_state_names.size() == static_cast<std::size_t>(MpaState::count_));

constexpr std::string_view name_of(MpaState state) { return find_name(mpa_state_names, state); }

enum class MpaInput : std::uint8_t {
  // The ULP.
  start_initiator,
  start_responder,
  accept,
  reject,
  confirm,
  refuse,
  // The peer.
  request,
  reply,             // accepting
  reply_to_confirm,  // the same, with a ULP that wants to see it first
  unfit_reply,       // accepting, but the initiator cannot go on
  rejecting_reply,
  malformed,  // a frame that is none, or octets where none may be
  closed,
  lost,
  // The owner.
  sent,             // the last octet of the own frame is taken
  first_fpdu_sent,  // of an initiator
  local_error,
  // Time.
  timeout,
  count_,
};

inline constexpr std::array mpa_input_names{
    Name{MpaInput::start_initiator, "start as initiator"},
    Name{MpaInput::start_responder, "start as responder"},
    Name{MpaInput::accept, "accept"},
    Name{MpaInput::reject, "reject"},
    Name{MpaInput::confirm, "confirm"},
    Name{MpaInput::refuse, "refuse"},
    Name{MpaInput::request, "Request"},
    Name{MpaInput::reply, "Reply"},
    Name{MpaInput::reply_to_confirm, "Reply to confirm"},
    Name{MpaInput::unfit_reply, "unfit Reply"},
    Name{MpaInput::rejecting_reply, "rejecting Reply"},
    Name{MpaInput::malformed, "malformed"},
    Name{MpaInput::closed, "FIN"},
    Name{MpaInput::lost, "connection lost"},
    Name{MpaInput::sent, "own frame sent"},
    Name{MpaInput::first_fpdu_sent, "first FPDU sent"},
    Name{MpaInput::local_error, "local error"},
    Name{MpaInput::timeout, "timeout"},
};
static_assert(mpa_input_names.size() == static_cast<std::size_t>(MpaInput::count_));

constexpr std::string_view name_of(MpaInput input) { return find_name(mpa_input_names, input); }

// What the owner of the TCP connection does when a start-up has ended without an MPA connection.
enum class MpaAfter : std::uint8_t {
  close,       // close TCP at once, and send nothing
  terminate,   // send a Terminate with the end's code as the first and only FPDU, then close
  leave_open,  // nothing: what becomes of TCP is the ULP's decision
};

inline constexpr std::array mpa_after_names{
    Name{MpaAfter::close, "close TCP"},
    Name{MpaAfter::terminate, "Terminate, then close TCP"},
    Name{MpaAfter::leave_open, "leave TCP to the ULP"},
};

constexpr std::string_view name_of(MpaAfter after) { return find_name(mpa_after_names, after); }

// Why.
enum class MpaEnd : std::uint8_t {
#define RDMAWIRE_MPA_END(symbol, ...) symbol,
#include "protocol/iwarp/mpa_ends.inc"
};

struct MpaEndInfo {
  MpaEnd end{};
  std::string_view name;
  MpaAfter after{};
  MpaInput input{};
  std::optional<TerminateReason> code;  // to tell the ULP, and the peer if there is a Terminate; nothing: no error
  std::string_view requirement;
  std::string_view text;
};

namespace detail {

consteval auto make_mpa_ends() {
  constexpr std::nullopt_t none = std::nullopt;
  using enum TerminateReason;
  return std::array{
#define RDMAWIRE_MPA_END(symbol, after, input, code, requirement, text) \
  MpaEndInfo{MpaEnd::symbol, #symbol, MpaAfter::after, MpaInput::input, code, requirement, text},
#include "protocol/iwarp/mpa_ends.inc"
  };
}

}  // namespace detail

//= MPA-5044-8-01, MPA-5044-8-02
inline constexpr auto mpa_ends = detail::make_mpa_ends();

constexpr const MpaEndInfo& info(MpaEnd end) { return mpa_ends[static_cast<std::size_t>(end)]; }

// What the ULP is told.
enum class MpaEventKind : std::uint8_t { none, request, reply, established, ended };

inline constexpr std::array mpa_event_names{
    Name{MpaEventKind::request, "request"},
    Name{MpaEventKind::reply, "reply"},
    Name{MpaEventKind::established, "established"},
    Name{MpaEventKind::ended, "ended"},
};

constexpr std::string_view name_of(MpaEventKind kind) { return find_name(mpa_event_names, kind); }

enum class MpaSend : std::uint8_t { nothing, request, reply };

constexpr std::string_view name_of(MpaSend send) {
  return send == MpaSend::request ? "Request" : send == MpaSend::reply ? "Reply" : std::string_view{};
}

struct MpaTransition {
  MpaState from{};
  MpaInput input{};
  MpaState to{};
  MpaSend send{};
  MpaEventKind tell{};
  std::string_view requirement;
};

inline constexpr auto mpa_transitions = [] {
  using S = MpaState;
  using I = MpaInput;
  using O = MpaSend;
  using E = MpaEventKind;
  using Transition = MpaTransition;
  return std::array{
      // Initiator
      //= MPA-5044-7.1.2-01, MPA-5044-7.1.2-10, MPA-5044-7.1.2-13
      Transition{S::idle, I::start_initiator, S::request_sent, O::request, E::none, "MPA-5044-7.1.2-01"},
      Transition{S::request_sent, I::reply, S::first_fpdu_due, O::nothing, E::established, "MPA-5044-7.1.2-13"},
      //= MPA-5044-7.1.2-12, MPA-5044-7.1.2-17
      Transition{S::request_sent, I::reply_to_confirm, S::reply_received, O::nothing, E::reply, "MPA-5044-7.1.2-17"},
      Transition{S::request_sent, I::rejecting_reply, S::left, O::nothing, E::ended, "MPA-5044-7.1.2-12"},
      //= MPA-6581-8-03, MPA-6581-9.1-09
      Transition{S::request_sent, I::unfit_reply, S::terminating, O::nothing, E::ended, "MPA-6581-8-03"},
      //= MPA-5044-7.1.2-11, MPA-5044-8-07
      Transition{S::request_sent, I::malformed, S::closed, O::nothing, E::ended, "MPA-5044-7.1.2-11"},
      Transition{S::request_sent, I::closed, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::request_sent, I::lost, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::request_sent, I::local_error, S::closed, O::nothing, E::ended, "MPA-6581-9.3-01"},
      Transition{S::request_sent, I::timeout, S::closed, O::nothing, E::ended, "MPA-5044-7.1.2-23"},
      Transition{S::reply_received, I::confirm, S::first_fpdu_due, O::nothing, E::established, "MPA-5044-7.1.2-13"},
      Transition{S::reply_received, I::refuse, S::left, O::nothing, E::ended, "MPA-5044-7.1.2-12"},
      Transition{S::reply_received, I::malformed, S::closed, O::nothing, E::ended, "MPA-5044-7.1.1-19"},
      Transition{S::reply_received, I::closed, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::reply_received, I::lost, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      //= MPA-6581-9.3-01
      Transition{S::reply_received, I::local_error, S::terminating, O::nothing, E::ended, "MPA-6581-9.3-01"},
      Transition{S::first_fpdu_due, I::first_fpdu_sent, S::full_operation, O::nothing, E::none, "MPA-5044-7.1.2-14"},
      Transition{S::first_fpdu_due, I::malformed, S::closed, O::nothing, E::ended, "MPA-5044-7.1.1-19"},
      Transition{S::first_fpdu_due, I::local_error, S::terminating, O::nothing, E::ended, "MPA-6581-9.3-01"},

      // Responder
      //= MPA-5044-7.1.2-03
      Transition{S::idle, I::start_responder, S::request_awaited, O::nothing, E::none, "MPA-5044-7.1.2-03"},
      Transition{S::request_awaited, I::request, S::request_received, O::nothing, E::request, "MPA-5044-7.1.2-03"},
      //= MPA-5044-7.1.2-04
      Transition{S::request_awaited, I::malformed, S::closed, O::nothing, E::ended, "MPA-5044-7.1.2-04"},
      Transition{S::request_awaited, I::closed, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::request_awaited, I::lost, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::request_awaited, I::local_error, S::closed, O::nothing, E::ended, "MPA-6581-9.3-01"},
      //= MPA-5044-7.1.2-21
      Transition{S::request_awaited, I::timeout, S::closed, O::nothing, E::ended, "MPA-5044-7.1.2-21"},
      //= MPA-5044-7.1.2-07
      Transition{S::request_received, I::accept, S::accepting, O::reply, E::none, "MPA-5044-7.1.2-07"},
      //= MPA-5044-7.1.2-05, MPA-5044-7.1.2-18
      Transition{S::request_received, I::reject, S::rejecting, O::reply, E::none, "MPA-5044-7.1.2-05"},
      //= MPA-5044-7.1.1-19
      Transition{S::request_received, I::malformed, S::closed, O::nothing, E::ended, "MPA-5044-7.1.1-19"},
      Transition{S::request_received, I::closed, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::request_received, I::lost, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::request_received, I::local_error, S::closed, O::nothing, E::ended, "MPA-6581-9.3-01"},
      //= MPA-5044-7.1.2-09
      Transition{S::accepting, I::sent, S::full_operation, O::nothing, E::established, "MPA-5044-7.1.2-09"},
      Transition{S::accepting, I::malformed, S::closed, O::nothing, E::ended, "MPA-5044-7.1.1-19"},
      Transition{S::accepting, I::closed, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::accepting, I::lost, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::accepting, I::local_error, S::closed, O::nothing, E::ended, "MPA-6581-9.3-01"},
      //= MPA-5044-7.1.2-06
      Transition{S::rejecting, I::sent, S::left, O::nothing, E::ended, "MPA-5044-7.1.2-06"},
      Transition{S::rejecting, I::malformed, S::closed, O::nothing, E::ended, "MPA-5044-7.1.1-19"},
      Transition{S::rejecting, I::closed, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::rejecting, I::lost, S::closed, O::nothing, E::ended, "MPA-5044-8-03"},
      Transition{S::rejecting, I::local_error, S::closed, O::nothing, E::ended, "MPA-6581-9.3-01"},
  };
}();

inline constexpr TransitionIndex<MpaState, MpaInput> mpa_transition_index(mpa_transitions);
static_assert(mpa_transition_index.is_unique(), "one row a state and input");

// nullptr if there is none.
constexpr const MpaTransition* find_transition(MpaState from, MpaInput input) {
  return mpa_transition_index.find(mpa_transitions, from, input);
}

namespace detail {

constexpr bool mpa_ends_are_in_order() {
  for (std::size_t i = 0; i < mpa_ends.size(); ++i) {
    if (mpa_ends[i].end != static_cast<MpaEnd>(i)) return false;
  }
  return true;
}
static_assert(mpa_ends_are_in_order());

}  // namespace detail

}  // namespace rdmawire::iwarp
