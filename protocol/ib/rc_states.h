// What requester and responder of a reliable connection wait for, by name: for reports, and for docs/rc_states.md,
// which has what they do in each state. They remember more than that; these are the parts that decide about the next
// packet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/names.h"

namespace rdmawire::ib {

enum class RequesterState : std::uint8_t {
  stopped,         // not started, or the connection has ended
  idle,            // nothing is under way
  waiting_ack,     // the oldest packet that is not acknowledged is of a SEND or WRITE
  waiting_answer,  // it is of a READ, atomic, FLUSH or ATOMIC WRITE
  repeating,       // packets are about to be sent again
  waiting_rnr,     // the peer had no receive: until its time is over, nothing is sent
  count_,
};

inline constexpr std::array requester_state_names{
    Name{RequesterState::stopped, "STOPPED"},      Name{RequesterState::idle, "IDLE"},
    Name{RequesterState::waiting_ack, "WAIT ACK"}, Name{RequesterState::waiting_answer, "WAIT ANSWER"},
    Name{RequesterState::repeating, "REPEATING"},  Name{RequesterState::waiting_rnr, "WAIT RNR"},
};
static_assert(requester_state_names.size() == static_cast<std::size_t>(RequesterState::count_));

constexpr std::string_view name_of(RequesterState state) { return find_name(requester_state_names, state); }

// Between messages or inside of one, and what was told about the packet that is expected: in that order, three by
// three.
enum class ResponderState : std::uint8_t {
  ready,
  in_send,
  in_write,
  ready_naked,  // a later packet came, and the gap was NAKed
  in_send_naked,
  in_write_naked,
  ready_rnr,  // it found no receive, and was RNR NAKed
  in_send_rnr,
  in_write_rnr,
  over,  // not started, or the connection has ended
  count_,
};

inline constexpr std::array responder_state_names{
    Name{ResponderState::ready, "READY"},
    Name{ResponderState::in_send, "IN SEND"},
    Name{ResponderState::in_write, "IN WRITE"},
    Name{ResponderState::ready_naked, "READY, NAKED"},
    Name{ResponderState::in_send_naked, "IN SEND, NAKED"},
    Name{ResponderState::in_write_naked, "IN WRITE, NAKED"},
    Name{ResponderState::ready_rnr, "READY, RNR"},
    Name{ResponderState::in_send_rnr, "IN SEND, RNR"},
    Name{ResponderState::in_write_rnr, "IN WRITE, RNR"},
    Name{ResponderState::over, "OVER"},
};
static_assert(responder_state_names.size() == static_cast<std::size_t>(ResponderState::count_));

constexpr std::string_view name_of(ResponderState state) { return find_name(responder_state_names, state); }

}  // namespace rdmawire::ib
