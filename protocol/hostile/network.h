// What a family of protocols gives so that programs can run over it: queue pairs at two ends, and the network between.
// A family is one class here; programs, their consumers and all checks are the same for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "codec/base/bytes.h"
#include "protocol/time.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::hostile {

// A queue pair as its consumer sees it; errors as in verbs/queue_pair.h. Work that is refused while the connection is
// being made is posted again later.
class QueuePair {
 public:
  virtual ~QueuePair() = default;
  QueuePair() = default;
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  virtual verbs::VerbsResult<void> post_send(const verbs::SendWork& work) = 0;
  // Not with an SRQ: the consumer posts to that itself.
  virtual verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work) = 0;
  virtual const verbs::QueuePair& verbs() const = 0;
};

// Of a machine that has these verbs. Base: QueuePair, or what a family derives from it.
template <class Machine, class Base = QueuePair>
class Paired : public Base {
 public:
  template <class... Arguments>
  explicit Paired(Arguments&&... arguments) : machine(std::forward<Arguments>(arguments)...) {}

  verbs::VerbsResult<void> post_send(const verbs::SendWork& work) override { return machine.post_send(work); }
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work) override { return machine.post_receive(work); }
  const verbs::QueuePair& verbs() const override { return machine.verbs(); }

  Machine machine;
};

// The machines of ends 0 and 1, and the network between them, on a virtual clock that begins at 0.
class Network {
 public:
  virtual ~Network() = default;
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // A queue pair of that end, in RESET; its number is new there. The resources outlive the network.
  virtual QueuePair& add(std::size_t end, const verbs::QpConfig& config, const verbs::QpResources& resources) = 0;
  // Connects the n-th queue pair of end 0 with the n-th of end 1, or begins to. False if that is impossible.
  virtual bool connect() = 0;

  // All that can happen at that time: what has arrived is taken, what is due is done, what may leave leaves.
  virtual void advance(Time now) = 0;
  // When there is something to do next; nothing: never, unless the consumers post something.
  virtual std::optional<Time> next_event() const = 0;

  virtual std::uint64_t num_packets() const = 0;
  // Packets that the network delivered, or will deliver, twice.
  virtual std::uint64_t num_copies() const { return 0; }

  // Of datagrams, in families that have them: the way to a queue pair of that end, and what is wrong with the 40 octets
  // in front of a datagram that this end received, if anything is.
  virtual verbs::AddressVector path_to(std::size_t) const { return {}; }
  virtual std::string check_grh_area(std::size_t /*end*/, Bytes /*area*/, const verbs::Completion&) const { return {}; }
};

}  // namespace rdmawire::hostile
