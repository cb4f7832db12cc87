// What requester and responder have in common. Each is one half of a queue pair's machine: packets and time in,
// packets, completions and deadlines out. rc_queue_pair.h puts the halves together.
//
//   void on_packet(const RxPacket&, Time now)           requests to the responder, responses to the requester (HV-25)
//   bool poll_transmit(TxPacket& out, Time now)          the next packet, false if there is none now
//   std::optional<Time> next_deadline() const            when on_deadline wants to be called; nothing: never
//   void on_deadline(Time now)                           may be called early; does what is due
//   void start()                                         the queue pair came to RTR (responder) or RTS (requester)
//   void stop()                                          it went to RESET or ERR: forgets everything
//
// Nothing of it allocates after construction, and none of it calls back.
#pragma once

#include <cstdint>

#include "protocol/ib/quirks.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::ib {

struct RcConfig {
  // Responder resources: reads and atomics of the peer whose answers can be repeated (DUP rows); at least
  // max_dest_rd_atomic of any modify.
  std::uint8_t max_responder_resources = 16;
  // Packets between which the requester asks for an acknowledgment in a long message (ACK-09).
  std::uint32_t ack_interval = 64;
  // Packets sent and not acknowledged at once, beyond what PSN-03 allows; a window for links that lose.
  std::uint32_t max_outstanding_packets = 1U << 23;
  // End-to-end credits (CRD-04): sends them in ACKs and honours the peer's.
  bool flow_control = true;
  Quirks quirks;
};

}  // namespace rdmawire::ib
