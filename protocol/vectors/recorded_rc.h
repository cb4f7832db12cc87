// A reliable connection of InfiniBand, recording: see recording.h.
#pragma once

#include <functional>

#include "protocol/ib/rc_queue_pair.h"
#include "protocol/vectors/recorded_verbs.h"

namespace rdmawire::vectors {

// A machine of its own, or one of a port's, whose packets are not recorded.
enum class RcIn { vector_of_its_own, port };

class RecordedRc final : public ib::QueuePairMachine {
 public:
  RecordedRc(Recording& recording, const verbs::QpConfig& qp, const verbs::QpResources& resources,
             const ib::RcConfig& config, RcIn in = RcIn::vector_of_its_own);

  verbs::VerbsResult<void> modify(verbs::QpState to, const verbs::QpAttributes& attributes = {},
                                  verbs::AttributeSet given = verbs::attribute::none);
  verbs::VerbsResult<void> post_send(const verbs::SendWork& work);
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work);

  void on_packet(const ib::RxPacket& packet, Time now) override;
  bool poll_transmit(ib::TxPacket& out, Time now) override;
  std::optional<Time> next_deadline() const override;
  void on_deadline(Time now) override;
  verbs::QueuePair& verbs() override { return qp_.verbs(); }
  const verbs::QueuePair& verbs() const override { return qp_.verbs(); }
  const ib::Requester& requester() const { return qp_.requester(); }
  const ib::Responder& responder() const { return qp_.responder(); }

 private:
  bool packets_recorded() const { return !number_ && recording_.on(); }

  Recording& recording_;
  std::optional<Qpn> number_;  // in a port
  ib::RcQueuePair qp_;
};

}  // namespace rdmawire::vectors
