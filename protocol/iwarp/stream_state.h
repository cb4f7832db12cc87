// The life of an RDMAP stream, as data: RFC 5040, 6.2; RFC 5041, 6.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/names.h"

namespace rdmawire::iwarp {

enum class StreamState : std::uint8_t {
  idle,         // no lower layer yet
  running,      // RDMA mode
  draining,     // the ULP has asked to close: what is posted still goes, and what comes is taken
  closing,      // all is sent, and the lower layer is told to end this direction; what comes is taken
  terminating,  // a Terminate is to be sent, and nothing else; what comes is dropped
  terminated,   // it was sent, or the peer's came; the lower layer is told to end this direction
  ended,
  count_,
};

inline constexpr std::array stream_state_names{
    Name{StreamState::idle, "IDLE"},
    Name{StreamState::running, "RUNNING"},
    Name{StreamState::draining, "DRAINING"},
    Name{StreamState::closing, "CLOSING"},
    Name{StreamState::terminating, "TERMINATING"},
    Name{StreamState::terminated, "TERMINATED"},
    Name{StreamState::ended, "ENDED"},
};
static_assert(stream_state_names.size() == static_cast<std::size_t>(StreamState::count_));

constexpr std::string_view name_of(StreamState state) { return find_name(stream_state_names, state); }

enum class StreamEvent : std::uint8_t {
  start,               // MPA or the session is established
  close,               // the ULP asks for a graceful end
  all_sent,            // nothing that was posted is left, and nothing that the peer asked for
  error,               // here: in a segment that came, in the lower layer, or in making a message
  silent_error,        // likewise, and there is nobody to send a Terminate to, or no use in it
  terminate_sent,      // the lower layer has taken it
  terminate_received,  // the peer's
  peer_closed,         // both directions have ended
  lost,                // the lower layer is gone
  count_,
};

inline constexpr std::array stream_event_names{
    Name{StreamEvent::start, "start"},
    Name{StreamEvent::close, "close"},
    Name{StreamEvent::all_sent, "all sent"},
    Name{StreamEvent::error, "error"},
    Name{StreamEvent::silent_error, "error without Terminate"},
    Name{StreamEvent::terminate_sent, "Terminate sent"},
    Name{StreamEvent::terminate_received, "Terminate received"},
    Name{StreamEvent::peer_closed, "both directions closed"},
    Name{StreamEvent::lost, "connection lost"},
};
static_assert(stream_event_names.size() == static_cast<std::size_t>(StreamEvent::count_));

constexpr std::string_view name_of(StreamEvent event) { return find_name(stream_event_names, event); }

struct StreamTransition {
  StreamState from;
  StreamEvent event;
  StreamState to;
  std::string_view requirement;  // of the register
};

//= RDMAP-5040-6.2-01
inline constexpr std::array stream_transitions = [] {
  using enum StreamState;
  using E = StreamEvent;
  return std::array{
      StreamTransition{idle, E::start, running, "MPA-5044-7.1-03"},
      StreamTransition{idle, E::lost, ended, "DDP-5041-6.2.2-01"},
      StreamTransition{running, E::close, draining, "DDP-5041-6.2.1-01"},
      StreamTransition{running, E::error, terminating, "RDMAP-5040-6.2.1-01"},
      StreamTransition{running, E::silent_error, terminated, "RDMAP-5040-5.4-05"},
      StreamTransition{running, E::terminate_received, terminated, "RDMAP-5040-5.4-04"},
      StreamTransition{running, E::lost, ended, "DDP-5041-6.2.2-01"},
      StreamTransition{draining, E::all_sent, closing, "DDP-5041-6.2.1-01"},
      StreamTransition{draining, E::error, terminating, "RDMAP-5040-6.2.1-01"},
      StreamTransition{draining, E::silent_error, terminated, "RDMAP-5040-5.4-05"},
      StreamTransition{draining, E::terminate_received, terminated, "RDMAP-5040-5.4-04"},
      StreamTransition{draining, E::lost, ended, "DDP-5041-6.2.2-01"},
      // This direction is closed: no Terminate can go any more.
      StreamTransition{closing, E::error, terminated, "DDP-5041-6.2.2-01"},
      StreamTransition{closing, E::silent_error, terminated, "RDMAP-5040-5.4-05"},
      StreamTransition{closing, E::terminate_received, terminated, "RDMAP-5040-5.4-04"},
      StreamTransition{closing, E::peer_closed, ended, "DDP-5041-6.2.1-05"},
      StreamTransition{closing, E::lost, ended, "DDP-5041-6.2.2-01"},
      StreamTransition{terminating, E::terminate_sent, terminated, "RDMAP-5040-6.2.1-04"},
      StreamTransition{terminating, E::lost, ended, "DDP-5041-6.2.2-01"},
      StreamTransition{terminated, E::peer_closed, ended, "RDMAP-5040-7-02"},
      StreamTransition{terminated, E::lost, ended, "DDP-5041-6.2.2-01"},
  };
}();

// The state after the event; the same one where it says nothing.
constexpr StreamState after(StreamState from, StreamEvent event) {
  for (const StreamTransition& row : stream_transitions) {
    if (row.from == from && row.event == event) return row.to;
  }
  return from;
}

struct StreamStateInfo {
  StreamState state;
  bool may_post;  // send work is taken
  bool sends;     // messages of the ULP's, and answers
  bool receives;  // segments are taken
};

inline constexpr std::array stream_state_table{
    StreamStateInfo{StreamState::idle, false, false, false},
    StreamStateInfo{StreamState::running, true, true, true},
    StreamStateInfo{StreamState::draining, false, true, true},  //= DDP-5041-6.2.1-02, DDP-5041-6.2.1-06
    StreamStateInfo{StreamState::closing, false, false, true},
    StreamStateInfo{StreamState::terminating, false, false, false},  //= RDMAP-5040-5.4-07, DDP-5041-7.1-17
    StreamStateInfo{StreamState::terminated, false, false, false},   //= RDMAP-5040-7-01
    StreamStateInfo{StreamState::ended, false, false, false},
};
static_assert(stream_state_table.size() == static_cast<std::size_t>(StreamState::count_));

constexpr const StreamStateInfo& info(StreamState state) { return stream_state_table[static_cast<std::size_t>(state)]; }

}  // namespace rdmawire::iwarp
