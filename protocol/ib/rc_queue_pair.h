// A queue pair of a reliable connection: verbs above, requester and responder below.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "protocol/ib/queue_pair_machine.h"
#include "protocol/ib/requester.h"
#include "protocol/ib/responder.h"

namespace rdmawire::ib {

class RcQueuePair final : public QueuePairMachine {
 public:
  RcQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources, const RcConfig& config)
      : qp_(qp, resources), requester_(qp_, config), responder_(qp_, config) {}

  // The verbs; errors as in verbs/queue_pair.h.
  verbs::VerbsResult<void> modify(verbs::QpState to, const verbs::QpAttributes& attributes = {},
                                  verbs::AttributeSet given = verbs::attribute::none) {
    const verbs::QpState from = qp_.state();
    const auto done = qp_.modify(to, attributes, given);
    if (!done) return done;
    if (to == verbs::QpState::reset || to == verbs::QpState::err) {
      requester_.stop();
      responder_.stop();
    }
    if (from == verbs::QpState::init && to == verbs::QpState::rtr) responder_.start();
    if (from == verbs::QpState::rtr && to == verbs::QpState::rts) requester_.start();
    return done;
  }
  verbs::VerbsResult<void> post_send(const verbs::SendWork& work) { return qp_.post_send(work); }
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work) {
    const auto done = qp_.post_receive(work);
    if (done) responder_.on_receive_posted();
    return done;
  }

  void on_packet(const RxPacket& packet, Time now) override {
    //= HV-15
    //= QPS-07
    if (!verbs::info(qp_.state()).receives && !responder_.answers_in_error()) return;
    //= HV-25
    if (packet.row != nullptr && packet.row->direction == Direction::response) {
      requester_.on_packet(packet, now);
    } else {
      responder_.on_packet(packet, now);
    }
    settle();
  }
  // Responses go first: the peer waits for them.
  bool poll_transmit(TxPacket& out, Time now) override {
    const bool any = responder_.poll_transmit(out, now) || requester_.poll_transmit(out, now);
    settle();
    return any;
  }
  std::optional<Time> next_deadline() const override { return requester_.next_deadline(); }
  void on_deadline(Time now) override {
    requester_.on_deadline(now);
    settle();
  }

  verbs::QueuePair& verbs() override { return qp_; }
  const verbs::QueuePair& verbs() const override { return qp_; }
  const Requester& requester() const { return requester_; }
  const Responder& responder() const { return responder_; }

 private:
  // One half may have ended the connection: the other falls silent. A responder that ended it still sends its NAK.
  void settle() {
    if (qp_.state() != verbs::QpState::err) return;
    requester_.stop();
    if (!responder_.over()) responder_.stop();
  }

  verbs::QueuePair qp_;
  Requester requester_;
  Responder responder_;
};

}  // namespace rdmawire::ib
