// A queue pair for unreliable datagrams: IBTA vol. 1, 9.8.3. Also queue pair 1, for management.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/ib/machine.h"
#include "protocol/ib/queue_pair_machine.h"

namespace rdmawire::ib {

class UdQueuePair final : public QueuePairMachine {
 public:
  static constexpr std::uint32_t grh_size = 40;  // octets in front of every datagram received (UD-03)

  UdQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources, PathMtu port_mtu);

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
  void fail_send(verbs::CompletionStatus status);

  verbs::QueuePair qp_;
  const std::uint32_t mtu_;  // octets
  Psn next_psn_;
  std::uint64_t num_dropped_ = 0;
  std::vector<Bytes> pieces_;
  verbs::AddressVector destination_;  // of the packet given last
};

}  // namespace rdmawire::ib
