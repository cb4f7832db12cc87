// A port and its queue pairs, recording: see recording.h.
#pragma once

#include "protocol/ib/port.h"
#include "protocol/ib/ud_queue_pair.h"
#include "protocol/vectors/recorded_rc.h"

namespace rdmawire::vectors {

// A queue pair of datagrams in a port: its packets are the port's, and not recorded.
class RecordedUd final : public ib::QueuePairMachine {
 public:
  RecordedUd(Recording& recording, const verbs::QpConfig& qp, const verbs::QpResources& resources,
             ib::PathMtu port_mtu);

  verbs::VerbsResult<void> modify(verbs::QpState to, const verbs::QpAttributes& attributes = {},
                                  verbs::AttributeSet given = verbs::attribute::none);
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work);

  void on_packet(const ib::RxPacket& packet, Time now) override { qp_.on_packet(packet, now); }
  bool poll_transmit(ib::TxPacket& out, Time now) override { return qp_.poll_transmit(out, now); }
  std::optional<Time> next_deadline() const override { return qp_.next_deadline(); }
  void on_deadline(Time now) override { qp_.on_deadline(now); }
  verbs::QueuePair& verbs() override { return qp_.verbs(); }
  const verbs::QueuePair& verbs() const override { return qp_.verbs(); }

 private:
  Recording& recording_;
  Qpn number_;
  ib::UdQueuePair qp_;
};

// Its queue pairs are RecordedUd, and RecordedRc that are in a port, of the same recording. The vector ends with it.
class RecordedPort {
 public:
  RecordedPort(Recording& recording, const ib::PortConfig& config);
  ~RecordedPort() { recording_.finish(); }
  RecordedPort(const RecordedPort&) = delete;
  RecordedPort& operator=(const RecordedPort&) = delete;

  const ib::PortConfig& config() const { return port_.config(); }
  LinkType link() const { return port_.link(); }

  verbs::VerbsResult<void> attach(ib::QueuePairMachine& machine);
  void detach(ib::QueuePairMachine& machine);
  verbs::VerbsResult<void> join(ib::QueuePairMachine& machine, const Gid& group);

  void on_frame(Bytes frame, Time now);
  std::size_t poll_transmit(MutableBytes out, Time now);
  std::optional<Time> next_deadline() const;
  void on_deadline(Time now);

  std::uint64_t num_dropped(ib::DropCause cause) const { return port_.num_dropped(cause); }
  std::uint64_t num_cnps_sent() const { return port_.num_cnps_sent(); }
  std::uint64_t num_cnps_received() const { return port_.num_cnps_received(); }

 private:
  Recording& recording_;
  std::vector<const verbs::QueuePair*> attached_;
  ib::Port port_;
};

}  // namespace rdmawire::vectors
