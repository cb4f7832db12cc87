// What a port knows of a queue pair, whatever its service.
#pragma once

#include <optional>

#include "protocol/ib/packet.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::ib {

class QueuePairMachine {
 public:
  virtual ~QueuePairMachine() = default;
  QueuePairMachine() = default;
  QueuePairMachine(const QueuePairMachine&) = delete;
  QueuePairMachine& operator=(const QueuePairMachine&) = delete;

  // A packet of its service, for it. The packet lives as long as the call.
  virtual void on_packet(const RxPacket& packet, Time now) = 0;
  // The next packet; false if there is none now. Of out.headers those are written that the packet has.
  virtual bool poll_transmit(TxPacket& out, Time now) = 0;
  // When on_deadline wants to be called; nothing: never.
  virtual std::optional<Time> next_deadline() const = 0;
  virtual void on_deadline(Time now) = 0;
  virtual verbs::QueuePair& verbs() = 0;
  virtual const verbs::QueuePair& verbs() const = 0;
};

}  // namespace rdmawire::ib
