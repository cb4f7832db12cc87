// The states of a connection and what leads from one to another, as data: IBTA vol. 1, 12.9.7 (figures 141 to 143);
// where the figures leave something open, as Linux (drivers/infiniband/core/cm.c) does it.
//
// The machine does what the row says, and only that: an input without a row is ignored if it is a message, and refused
// (bad_state) if it is the consumer's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/names.h"
#include "protocol/transition_index.h"

namespace rdmawire::cm {

enum class State : std::uint8_t {
  idle,  // no connection: its place is free
  // Active side: the one that connects.
  req_sent,
  mra_req_received,
  rep_received,
  mra_rep_sent,
  // Passive side.
  req_received,
  mra_req_sent,
  rep_sent,
  mra_rep_received,
  // Both.
  established,
  lap_sent,
  mra_lap_received,
  lap_received,
  mra_lap_sent,
  dreq_sent,
  dreq_received,
  timewait,
  // Service ID resolution.
  sidr_req_sent,
  sidr_req_received,
  count_,
};

inline constexpr std::array state_names{
    Name{State::idle, "IDLE"},
    Name{State::req_sent, "REQ_SENT"},
    Name{State::mra_req_received, "MRA_REQ_RCVD"},
    Name{State::rep_received, "REP_RCVD"},
    Name{State::mra_rep_sent, "MRA_REP_SENT"},
    Name{State::req_received, "REQ_RCVD"},
    Name{State::mra_req_sent, "MRA_REQ_SENT"},
    Name{State::rep_sent, "REP_SENT"},
    Name{State::mra_rep_received, "MRA_REP_RCVD"},
    Name{State::established, "ESTABLISHED"},
    Name{State::lap_sent, "LAP_SENT"},
    Name{State::mra_lap_received, "MRA_LAP_RCVD"},
    Name{State::lap_received, "LAP_RCVD"},
    Name{State::mra_lap_sent, "MRA_LAP_SENT"},
    Name{State::dreq_sent, "DREQ_SENT"},
    Name{State::dreq_received, "DREQ_RCVD"},
    Name{State::timewait, "TIMEWAIT"},
    Name{State::sidr_req_sent, "SIDR_REQ_SENT"},
    Name{State::sidr_req_received, "SIDR_REQ_RCVD"},
};
static_assert(state_names.size() == static_cast<std::size_t>(State::count_));

constexpr std::string_view name_of(State state) { return find_name(state_names, state); }

// Connected, whatever becomes of an alternate path.
constexpr bool is_established(State state) { return state >= State::established && state <= State::mra_lap_sent; }

enum class Input : std::uint8_t {
  // The consumer.
  connect,
  accept,
  establish,
  delay,
  reject,
  disconnect,
  note_communication,
  load_path,
  answer_path,
  resolve,
  answer_resolve,
  // Messages that are the connection's.
  req,
  stale_req,  // another connection's, with this one's queue pair
  mra,
  rej,
  rej_stale,  // REJ with reason 10
  rep,
  rep_refused,  // asks for more reads than this side offered
  rtu,
  dreq,
  drep,
  lap,
  lap_again,    // the LAP that was answered last
  lap_refused,  // one that the machine itself has to refuse
  apr,
  sidr_req,
  sidr_rep,
  // Time.
  retry,    // no answer in time, and retries are left
  timeout,  // no answer in time, and none is left
  timewait_over,
  count_,
};

inline constexpr std::array input_names{
    Name{Input::connect, "connect"},
    Name{Input::accept, "accept"},
    Name{Input::establish, "establish"},
    Name{Input::delay, "delay"},
    Name{Input::reject, "reject"},
    Name{Input::disconnect, "disconnect"},
    Name{Input::note_communication, "first packet"},
    Name{Input::load_path, "load path"},
    Name{Input::answer_path, "answer path"},
    Name{Input::resolve, "resolve"},
    Name{Input::answer_resolve, "answer resolve"},
    Name{Input::req, "REQ"},
    Name{Input::stale_req, "REQ with its QP"},
    Name{Input::mra, "MRA"},
    Name{Input::rej, "REJ"},
    Name{Input::rej_stale, "REJ 10"},
    Name{Input::rep, "REP"},
    Name{Input::rep_refused, "REP refused"},
    Name{Input::rtu, "RTU"},
    Name{Input::dreq, "DREQ"},
    Name{Input::drep, "DREP"},
    Name{Input::lap, "LAP"},
    Name{Input::lap_again, "LAP again"},
    Name{Input::lap_refused, "LAP refused"},
    Name{Input::apr, "APR"},
    Name{Input::sidr_req, "SIDR_REQ"},
    Name{Input::sidr_rep, "SIDR_REP"},
    Name{Input::retry, "no answer, retry"},
    Name{Input::timeout, "no answer, last"},
    Name{Input::timewait_over, "timewait over"},
};
static_assert(input_names.size() == static_cast<std::size_t>(Input::count_));

constexpr std::string_view name_of(Input input) { return find_name(input_names, input); }

// What goes out. The first group is sent again until it is answered.
enum class Send : std::uint8_t {
  nothing,
  req,
  rep,
  dreq,
  lap,
  sidr_req,
  // Answers, once each.
  mra,
  rtu,
  rej,
  drep,
  sidr_rep,
  lap_mra,
  apr,
  // What was sent before, octet by octet.
  request_again,
  answer_again,
  path_answer_again,
  count_,
};

inline constexpr std::array send_names{
    Name{Send::nothing, ""},
    Name{Send::req, "REQ"},
    Name{Send::rep, "REP"},
    Name{Send::dreq, "DREQ"},
    Name{Send::lap, "LAP"},
    Name{Send::sidr_req, "SIDR_REQ"},
    Name{Send::mra, "MRA"},
    Name{Send::rtu, "RTU"},
    Name{Send::rej, "REJ"},
    Name{Send::drep, "DREP"},
    Name{Send::sidr_rep, "SIDR_REP"},
    Name{Send::lap_mra, "MRA"},
    Name{Send::apr, "APR"},
    Name{Send::request_again, "the same again"},
    Name{Send::answer_again, "the same answer"},
    Name{Send::path_answer_again, "the same answer"},
};
static_assert(send_names.size() == static_cast<std::size_t>(Send::count_));

constexpr std::string_view name_of(Send send) { return find_name(send_names, send); }

// What the consumer is told (events.h). What each asks of it stands there.
enum class EventKind : std::uint8_t {
  none,
  connect_request,
  replied,
  established,
  rejected,
  timed_out,
  disconnect_request,
  disconnected,
  timewait_over,
  path_request,
  path_answered,
  path_timed_out,
  resolve_request,
  resolved,
  resolve_timed_out,
  count_,
};

inline constexpr std::array event_names{
    Name{EventKind::none, ""},
    Name{EventKind::connect_request, "connect request"},
    Name{EventKind::replied, "replied"},
    Name{EventKind::established, "established"},
    Name{EventKind::rejected, "rejected"},
    Name{EventKind::timed_out, "timed out"},
    Name{EventKind::disconnect_request, "disconnect request"},
    Name{EventKind::disconnected, "disconnected"},
    Name{EventKind::timewait_over, "timewait over"},
    Name{EventKind::path_request, "path request"},
    Name{EventKind::path_answered, "path answered"},
    Name{EventKind::path_timed_out, "path timed out"},
    Name{EventKind::resolve_request, "resolve request"},
    Name{EventKind::resolved, "resolved"},
    Name{EventKind::resolve_timed_out, "resolve timed out"},
};
static_assert(event_names.size() == static_cast<std::size_t>(EventKind::count_));

constexpr std::string_view name_of(EventKind kind) { return find_name(event_names, kind); }

struct Transition {
  State from;
  Input input;
  State to;
  Send send;
  EventKind tell;
  std::string_view requirement;  // of the register
};

inline constexpr std::array transitions = [] {
  using S = State;
  using I = Input;
  using E = EventKind;
  using O = Send;
  return std::array{
      // Active side
      //= CM-01
      Transition{S::idle, I::connect, S::req_sent, O::req, E::none, "CM-01"},
      //= CM-02
      Transition{S::req_sent, I::retry, S::req_sent, O::request_again, E::none, "CM-02"},
      Transition{S::req_sent, I::timeout, S::idle, O::rej, E::timed_out, "CM-02"},
      //= CM-06
      Transition{S::req_sent, I::mra, S::mra_req_received, O::nothing, E::none, "CM-06"},
      Transition{S::mra_req_received, I::mra, S::mra_req_received, O::nothing, E::none, "CM-06"},
      Transition{S::mra_req_received, I::retry, S::req_sent, O::request_again, E::none, "CM-06"},
      Transition{S::mra_req_received, I::timeout, S::idle, O::rej, E::timed_out, "CM-06"},
      //= CM-08
      Transition{S::req_sent, I::rep, S::rep_received, O::nothing, E::replied, "CM-08"},
      Transition{S::mra_req_received, I::rep, S::rep_received, O::nothing, E::replied, "CM-08"},
      //= CM-11
      Transition{S::req_sent, I::rep_refused, S::idle, O::rej, E::rejected, "CM-11"},
      Transition{S::mra_req_received, I::rep_refused, S::idle, O::rej, E::rejected, "CM-11"},
      Transition{S::rep_received, I::establish, S::established, O::rtu, E::none, "CM-08"},
      Transition{S::mra_rep_sent, I::establish, S::established, O::rtu, E::none, "CM-08"},
      Transition{S::established, I::rep, S::established, O::answer_again, E::none, "CM-08"},
      Transition{S::lap_sent, I::rep, S::lap_sent, O::answer_again, E::none, "CM-08"},
      Transition{S::mra_lap_received, I::rep, S::mra_lap_received, O::answer_again, E::none, "CM-08"},
      Transition{S::lap_received, I::rep, S::lap_received, O::answer_again, E::none, "CM-08"},
      Transition{S::mra_lap_sent, I::rep, S::mra_lap_sent, O::answer_again, E::none, "CM-08"},
      Transition{S::rep_received, I::delay, S::mra_rep_sent, O::mra, E::none, "CM-06"},
      Transition{S::mra_rep_sent, I::rep, S::mra_rep_sent, O::answer_again, E::none, "CM-06"},
      //= CM-18
      Transition{S::req_sent, I::reject, S::idle, O::rej, E::none, "CM-18"},
      Transition{S::mra_req_received, I::reject, S::idle, O::rej, E::none, "CM-18"},
      Transition{S::rep_received, I::reject, S::idle, O::rej, E::none, "CM-18"},
      Transition{S::mra_rep_sent, I::reject, S::idle, O::rej, E::none, "CM-18"},
      Transition{S::req_sent, I::rej, S::idle, O::nothing, E::rejected, "CM-18"},
      Transition{S::req_sent, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-15"},
      Transition{S::mra_req_received, I::rej, S::idle, O::nothing, E::rejected, "CM-18"},
      Transition{S::mra_req_received, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-15"},
      Transition{S::rep_received, I::rej, S::timewait, O::nothing, E::rejected, "CM-18"},
      Transition{S::rep_received, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-18"},
      Transition{S::mra_rep_sent, I::rej, S::timewait, O::nothing, E::rejected, "CM-18"},
      Transition{S::mra_rep_sent, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-18"},

      // Passive side
      //= CM-03
      Transition{S::idle, I::req, S::req_received, O::nothing, E::connect_request, "CM-03"},
      Transition{S::req_received, I::req, S::req_received, O::nothing, E::none, "CM-03"},
      Transition{S::mra_req_sent, I::req, S::mra_req_sent, O::answer_again, E::none, "CM-03"},
      Transition{S::rep_sent, I::req, S::rep_sent, O::nothing, E::none, "CM-03"},
      Transition{S::mra_rep_received, I::req, S::mra_rep_received, O::nothing, E::none, "CM-03"},
      Transition{S::timewait, I::req, S::timewait, O::rej, E::none, "CM-03"},
      Transition{S::req_received, I::delay, S::mra_req_sent, O::mra, E::none, "CM-06"},
      //= CM-07
      Transition{S::req_received, I::accept, S::rep_sent, O::rep, E::none, "CM-07"},
      Transition{S::mra_req_sent, I::accept, S::rep_sent, O::rep, E::none, "CM-07"},
      Transition{S::req_received, I::reject, S::idle, O::rej, E::none, "CM-18"},
      Transition{S::mra_req_sent, I::reject, S::idle, O::rej, E::none, "CM-18"},
      Transition{S::req_received, I::rej, S::idle, O::nothing, E::rejected, "CM-18"},
      Transition{S::req_received, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-15"},
      Transition{S::mra_req_sent, I::rej, S::idle, O::nothing, E::rejected, "CM-18"},
      Transition{S::mra_req_sent, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-15"},
      //= CM-09
      Transition{S::rep_sent, I::retry, S::rep_sent, O::request_again, E::none, "CM-09"},
      Transition{S::rep_sent, I::timeout, S::timewait, O::rej, E::timed_out, "CM-09"},
      Transition{S::rep_sent, I::mra, S::mra_rep_received, O::nothing, E::none, "CM-06"},
      Transition{S::mra_rep_received, I::mra, S::mra_rep_received, O::nothing, E::none, "CM-06"},
      Transition{S::mra_rep_received, I::retry, S::rep_sent, O::request_again, E::none, "CM-09"},
      Transition{S::mra_rep_received, I::timeout, S::timewait, O::rej, E::timed_out, "CM-09"},
      //= CM-10
      Transition{S::rep_sent, I::rtu, S::established, O::nothing, E::established, "CM-10"},
      Transition{S::mra_rep_received, I::rtu, S::established, O::nothing, E::established, "CM-10"},
      //= CM-24
      Transition{S::rep_sent, I::note_communication, S::established, O::nothing, E::established, "CM-24"},
      Transition{S::mra_rep_received, I::note_communication, S::established, O::nothing, E::established, "CM-24"},
      Transition{S::rep_sent, I::reject, S::timewait, O::rej, E::none, "CM-18"},
      Transition{S::mra_rep_received, I::reject, S::timewait, O::rej, E::none, "CM-18"},
      Transition{S::rep_sent, I::rej, S::idle, O::nothing, E::rejected, "CM-18"},
      Transition{S::rep_sent, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-15"},
      Transition{S::mra_rep_received, I::rej, S::idle, O::nothing, E::rejected, "CM-18"},
      Transition{S::mra_rep_received, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-15"},
      Transition{S::rep_sent, I::dreq, S::dreq_received, O::nothing, E::disconnect_request, "CM-14"},
      Transition{S::mra_rep_received, I::dreq, S::dreq_received, O::nothing, E::disconnect_request, "CM-14"},

      // The end of a connection
      //= CM-14
      Transition{S::established, I::disconnect, S::dreq_sent, O::dreq, E::none, "CM-14"},
      Transition{S::lap_sent, I::disconnect, S::dreq_sent, O::dreq, E::none, "CM-14"},
      Transition{S::mra_lap_received, I::disconnect, S::dreq_sent, O::dreq, E::none, "CM-14"},
      Transition{S::lap_received, I::disconnect, S::dreq_sent, O::dreq, E::none, "CM-14"},
      Transition{S::mra_lap_sent, I::disconnect, S::dreq_sent, O::dreq, E::none, "CM-14"},
      Transition{S::established, I::dreq, S::dreq_received, O::nothing, E::disconnect_request, "CM-14"},
      Transition{S::lap_sent, I::dreq, S::dreq_received, O::nothing, E::disconnect_request, "CM-14"},
      Transition{S::mra_lap_received, I::dreq, S::dreq_received, O::nothing, E::disconnect_request, "CM-14"},
      Transition{S::lap_received, I::dreq, S::dreq_received, O::nothing, E::disconnect_request, "CM-14"},
      Transition{S::mra_lap_sent, I::dreq, S::dreq_received, O::nothing, E::disconnect_request, "CM-14"},
      Transition{S::dreq_received, I::disconnect, S::timewait, O::drep, E::disconnected, "CM-14"},
      Transition{S::dreq_received, I::dreq, S::dreq_received, O::nothing, E::none, "CM-14"},
      Transition{S::dreq_sent, I::retry, S::dreq_sent, O::request_again, E::none, "CM-14"},
      Transition{S::dreq_sent, I::timeout, S::timewait, O::nothing, E::disconnected, "CM-14"},
      Transition{S::dreq_sent, I::drep, S::timewait, O::nothing, E::disconnected, "CM-14"},
      Transition{S::timewait, I::dreq, S::timewait, O::drep, E::none, "CM-14"},
      //= CM-16
      Transition{S::dreq_sent, I::dreq, S::timewait, O::drep, E::disconnected, "CM-16"},
      Transition{S::dreq_sent, I::rej, S::timewait, O::nothing, E::disconnected, "CM-18"},
      Transition{S::dreq_sent, I::rej_stale, S::timewait, O::nothing, E::disconnected, "CM-18"},
      Transition{S::established, I::rej, S::timewait, O::nothing, E::rejected, "CM-18"},
      Transition{S::established, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-18"},
      Transition{S::lap_sent, I::rej, S::timewait, O::nothing, E::rejected, "CM-18"},
      Transition{S::lap_sent, I::rej_stale, S::timewait, O::nothing, E::rejected, "CM-18"},
      //= CM-15
      Transition{S::timewait, I::timewait_over, S::idle, O::nothing, E::timewait_over, "CM-15"},
      //= CM-05
      Transition{S::established, I::stale_req, S::dreq_sent, O::dreq, E::none, "CM-05"},
      Transition{S::lap_sent, I::stale_req, S::dreq_sent, O::dreq, E::none, "CM-05"},
      Transition{S::mra_lap_received, I::stale_req, S::dreq_sent, O::dreq, E::none, "CM-05"},
      Transition{S::lap_received, I::stale_req, S::dreq_sent, O::dreq, E::none, "CM-05"},
      Transition{S::mra_lap_sent, I::stale_req, S::dreq_sent, O::dreq, E::none, "CM-05"},

      // Alternate path
      //= CM-23
      Transition{S::established, I::load_path, S::lap_sent, O::lap, E::none, "CM-23"},
      Transition{S::lap_sent, I::retry, S::lap_sent, O::request_again, E::none, "CM-23"},
      Transition{S::lap_sent, I::timeout, S::established, O::nothing, E::path_timed_out, "CM-23"},
      Transition{S::lap_sent, I::mra, S::mra_lap_received, O::nothing, E::none, "CM-06"},
      Transition{S::mra_lap_received, I::mra, S::mra_lap_received, O::nothing, E::none, "CM-06"},
      Transition{S::mra_lap_received, I::retry, S::lap_sent, O::request_again, E::none, "CM-23"},
      Transition{S::mra_lap_received, I::timeout, S::established, O::nothing, E::path_timed_out, "CM-23"},
      Transition{S::lap_sent, I::apr, S::established, O::nothing, E::path_answered, "CM-23"},
      Transition{S::mra_lap_received, I::apr, S::established, O::nothing, E::path_answered, "CM-23"},
      Transition{S::established, I::lap, S::lap_received, O::nothing, E::path_request, "CM-23"},
      Transition{S::established, I::lap_again, S::established, O::path_answer_again, E::none, "CM-23"},
      Transition{S::established, I::lap_refused, S::established, O::apr, E::none, "CM-23"},
      Transition{S::lap_sent, I::lap_refused, S::lap_sent, O::apr, E::none, "CM-23"},
      Transition{S::mra_lap_received, I::lap_refused, S::mra_lap_received, O::apr, E::none, "CM-23"},
      Transition{S::lap_received, I::answer_path, S::established, O::apr, E::none, "CM-23"},
      Transition{S::mra_lap_sent, I::answer_path, S::established, O::apr, E::none, "CM-23"},
      Transition{S::lap_received, I::delay, S::mra_lap_sent, O::lap_mra, E::none, "CM-06"},
      Transition{S::mra_lap_sent, I::lap_again, S::mra_lap_sent, O::path_answer_again, E::none, "CM-06"},

      // Service ID resolution
      //= CM-22
      Transition{S::idle, I::resolve, S::sidr_req_sent, O::sidr_req, E::none, "CM-22"},
      Transition{S::sidr_req_sent, I::retry, S::sidr_req_sent, O::request_again, E::none, "CM-22"},
      Transition{S::sidr_req_sent, I::timeout, S::idle, O::nothing, E::resolve_timed_out, "CM-22"},
      Transition{S::sidr_req_sent, I::sidr_rep, S::idle, O::nothing, E::resolved, "CM-22"},
      Transition{S::idle, I::sidr_req, S::sidr_req_received, O::nothing, E::resolve_request, "CM-22"},
      Transition{S::sidr_req_received, I::sidr_req, S::sidr_req_received, O::nothing, E::none, "CM-22"},
      Transition{S::sidr_req_received, I::answer_resolve, S::idle, O::sidr_rep, E::none, "CM-22"},
  };
}();

inline constexpr TransitionIndex<State, Input> transition_index(transitions);
static_assert(transition_index.is_unique(), "one row a state and input");

// nullptr if there is none.
constexpr const Transition* find_transition(State from, Input input) {
  return transition_index.find(transitions, from, input);
}

}  // namespace rdmawire::cm
