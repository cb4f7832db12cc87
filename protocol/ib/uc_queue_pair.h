// A queue pair of an unreliable connection: IBTA vol. 1, 9.8.2. Nothing is answered; what is lost is lost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/ib/machine.h"
#include "protocol/ib/queue_pair_machine.h"

namespace rdmawire::ib {

class UcQueuePair final : public QueuePairMachine {
 public:
  UcQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources);

  verbs::VerbsResult<void> modify(verbs::QpState to, const verbs::QpAttributes& attributes = {},
                                  verbs::AttributeSet given = verbs::attribute::none);
  verbs::VerbsResult<void> post_send(const verbs::SendWork& work) { return qp_.post_send(work); }
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work) { return qp_.post_receive(work); }

  void on_packet(const RxPacket& packet, Time now) override;
  bool poll_transmit(TxPacket& out, Time now) override;
  std::optional<Time> next_deadline() const override { return std::nullopt; }
  void on_deadline(Time) override {}
  verbs::QueuePair& verbs() override { return qp_; }
  const verbs::QueuePair& verbs() const override { return qp_; }

  std::uint64_t num_dropped() const { return num_dropped_; }

 private:
  enum class Message : std::uint8_t { none, send, write };

  // The message in progress is given up, and packets are dropped until another begins.
  void abandon();
  bool is_good_length(const RxPacket& packet) const;
  bool begin(const RxPacket& packet);
  bool take_payload(const RxPacket& packet);
  void finish(const RxPacket& packet);

  verbs::QueuePair qp_;
  // Receiving.
  Psn epsn_;
  Message message_ = Message::none;
  Reth write_{};
  std::uint64_t received_len_ = 0;
  std::uint64_t num_dropped_ = 0;
  // Sending.
  Psn next_psn_;
  std::uint64_t sent_len_ = 0;  // octets of the first request in the queue
  std::vector<Bytes> pieces_;
};

}  // namespace rdmawire::ib
