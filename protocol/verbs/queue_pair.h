// A queue pair as verbs see it: its state, its attributes, its queues, and how work ends. What happens on the wire is
// the machine's that owns it (protocol/ib, protocol/iwarp).
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/verbs/completion.h"
#include "protocol/verbs/event.h"
#include "protocol/verbs/memory.h"
#include "protocol/verbs/qp_state.h"
#include "protocol/verbs/shared_receive_queue.h"
#include "protocol/verbs/work_queue.h"

namespace rdmawire::verbs {

struct QpConfig {
  Qpn number;
  Service service = Service::rc;
  Pd pd;
  QueueSizes send;
  QueueSizes receive;       // not used with an SRQ
  bool signal_all = false;  // every send request completes, signaled or not
};

// The parts that queue pairs share. All outlive the queue pair.
struct QpResources {
  MemoryTable& memory;
  CompletionQueue& send_cq;
  CompletionQueue& receive_cq;
  EventQueue& events;
  SharedReceiveQueue* srq = nullptr;
  // Of send_cq and receive_cq: without them the consumer sees to it that those do not overflow.
  CompletionShare send_share{};
  CompletionShare receive_share{};
};

class QueuePair {
 public:
  QueuePair(const QpConfig& config, const QpResources& resources);
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  // --- The consumer's verbs ---

  // Moves to another state, or stays and changes attributes. given: which members of attributes count.
  // bad_state: there is no such transition. bad_attribute: one that is required is not given, one that is given is not
  // allowed here, or a value is out of range. Nothing has changed then.
  VerbsResult<void> modify(QpState to, const QpAttributes& attributes = {}, AttributeSet given = attribute::none);

  // bad_state in RESET, INIT and RTR; in ERR the request is taken and flushed at once (FLU-03). bad_opcode,
  // queue_full (also: its share of the completion queue is used up, poll that), too_many_sges, too_much_inline,
  // bad_range (longer than max_message_len).
  VerbsResult<void> post_send(const SendWork& work);
  // bad_state in RESET and with an SRQ; in ERR it is flushed at once.
  VerbsResult<void> post_receive(const RecvWork& work);

  QpState state() const { return state_; }
  const QpAttributes& attributes() const { return attributes_; }
  const QpConfig& config() const { return config_; }
  MemoryTable& memory() const { return resources_.memory; }
  bool has_srq() const { return resources_.srq != nullptr; }
  // Memory for the peer's operation on this queue pair: see MemoryTable::find_remote.
  AccessResult find_remote(RKey r_key, std::uint64_t address, std::uint64_t length, Access needed) const {
    return resources_.memory.find_remote({r_key.value}, config_.pd, config_.number, address, length, needed);
  }

  // --- For the machine that owns it ---

  const SendQueue& send_queue() const { return send_; }
  QpAttributes& attributes() { return attributes_; }

  // Takes the oldest receive request, of its own queue or the SRQ, to be current. False if there is none, or no room in
  // its share of the completion queue for one of the SRQ.
  bool take_receive();
  bool can_take_receive() const {
    if (kept_ || resources_.srq == nullptr) return kept_ || !receive_.empty();
    return resources_.srq->size() != 0 && resources_.receive_cq.has_room(resources_.receive_share);
  }
  bool has_receive() const { return receiving_; }
  const RecvWork& receive() const { return current_; }
  // Receive requests that wait in its own queue: what credits count.
  std::size_t num_receives() const { return receive_.size(); }
  // Puts the current one back to be taken again.
  void keep_receive() { kept_ = receiving_, receiving_ = false; }
  // The message that the current one was taken for comes to nothing (UC-09, UD-05; class D): it is kept, or, being of
  // an SRQ, which takes none back, completes in error.
  void abandon_receive();

  // The oldest send request ends. A success is told only if it was signaled, an error always (FLU-02). byte_len: octets
  // that came back.
  void complete_send(CompletionStatus status, std::uint32_t byte_len = 0);
  // The current receive request ends. completion says all but id, qp and what the queue pair knows.
  void complete_receive(Completion completion);

  // The queue pair goes to ERR: all that is posted is flushed in order (FLU-01), the current receive request first.
  // An SRQ keeps its requests (FLU-04), and an event says that this queue pair takes no more.
  void fail();
  // UC, UD: the send queue stops (QPS-06) after the completion in error.
  void stop_sending();
  // RTR, RTS: the machine saw the first packet (QPS-16); once.
  void note_communication();
  // SQD: the machine has nothing started left; once a stay in SQD.
  void note_drained();
  // The alternate path becomes the path (MIG-03).
  void migrate();
  void raise(EventKind kind) { resources_.events.push({kind, config_.number}); }

  // Changes with every modify, so that the machine can see that it has to look at attributes and state anew.
  std::uint32_t generation() const { return generation_; }

 private:
  void push(CompletionQueue& queue, const Completion& completion, CompletionShare share);
  void flush_sends();
  void flush_receives();
  void reset();

  QpConfig config_;
  QpResources resources_;
  QpState state_ = QpState::reset;
  QpAttributes attributes_;
  SendQueue send_;
  ReceiveQueue receive_;
  RecvWork current_;
  std::vector<Sge> current_sges_;
  bool receiving_ = false;  // current_ is in use
  bool kept_ = false;       // current_ waits to be taken again
  bool communication_noted_ = false;
  bool drained_noted_ = false;
  std::uint32_t generation_ = 0;
};

}  // namespace rdmawire::verbs
