// What the manager remembers of one connection or resolution.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "protocol/cm/parameters.h"
#include "protocol/cm/states.h"
#include "protocol/verbs/qp_state.h"

namespace rdmawire::cm {

using MadOctets = std::array<std::uint8_t, mad::mad_size>;

// A MAD for the host to send as a UD SEND: from ib::gsi_qp to ib::gsi_qp, with ib::gsi_q_key (CM-01).
struct TxMad {
  MadOctets octets{};
  verbs::AddressVector path;
};

struct Connection {
  State state = State::idle;
  std::uint16_t generation = 0;
  bool active = false;  // this side sent REQ
  ListenerId listener;
  CommunicationId local_id;  // SIDR: the request ID, of the side that asks
  CommunicationId peer_id;   // 0: not known yet
  Guid peer_guid;
  Qpn qpn;
  Qpn peer_qpn;
  mad::TransactionId transaction;       // of REQ and all that answers it
  mad::TransactionId dreq_transaction;  // of the DREQ that came
  mad::TransactionId path_transaction;  // of the LAP that came last
  verbs::AddressVector mad_path;        // where its messages go
  verbs::AddressVector path;            // of the queue pair's packets
  verbs::AddressVector alternate_path;  // the one loaded, or asked for
  mad::CmReq req;                       // own or the peer's; of a resolution only the timeouts
  mad::CmRep rep;
  std::optional<Time> deadline;
  std::uint8_t retries_left = 0;
  MadOctets request{};      // the last one of those that are sent again
  MadOctets answer{};       // MRA, RTU, REJ, DREP, SIDR_REP
  MadOctets path_answer{};  // MRA to LAP, APR
  bool has_path_answer = false;
  bool mra_is_held_back = false;  // quirk mra_only_after_duplicate

  // The time until the peer's answer must be here: its own, and there and back (CM-02).
  Duration response_time() const {
    const std::uint8_t code = active ? req.remote_cm_response_timeout : req.local_cm_response_timeout;
    return ib::TimeoutCode{code}.duration() + round_trip();
  }
  // Of REQ's path. Twice the packet life time is what the local ACK timeout is made from (12.7.19).
  Duration round_trip() const { return ib::TimeoutCode{req.primary_local_ack_timeout}.duration(); }

  verbs::QpAttributes attributes(const ib::Quirks& quirks) const;
};

// Local ACK timeout: twice the packet life time and the peer's delay, as a code (12.7.19).
constexpr std::uint8_t ack_timeout(std::uint8_t ack_delay, std::uint8_t packet_life_time) {
  const unsigned round_trip = packet_life_time + 1U;
  unsigned out = 0;
  if (round_trip >= ack_delay) {
    out = round_trip + (ack_delay + 1U >= round_trip ? 1U : 0U);
  } else {
    out = ack_delay + (round_trip + 1U >= ack_delay ? 1U : 0U);
  }
  return static_cast<std::uint8_t>(std::min(out, 31U));
}

}  // namespace rdmawire::cm
