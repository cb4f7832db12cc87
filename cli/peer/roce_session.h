// A session on a reliable connection of RoCEv2.
#pragma once

#include <memory>

#include "cli/peer/session.h"
#include "codec/mad/headers.h"
#include "protocol/cm/event.h"
#include "protocol/ib/rc_queue_pair.h"

namespace rdmawire::cli::peer {

class RoceSession final : public Session {
 public:
  RoceSession(const SessionConfig& config, std::unique_ptr<Service> service, Qpn qpn, const ib::RcConfig& rc,
              bool is_active);

  ib::RcQueuePair& machine() { return qp_; }
  const ib::RcQueuePair& machine() const { return qp_; }
  // With REQ go the IP addresses as well.
  std::size_t max_private_data() const override {
    return is_active_ ? mad::CmReq{}.private_data.size() - header_size<mad::IpCm6> : mad::CmRep{}.private_data.size();
  }

  // Moves the queue pair from RESET to RTS. false: the values are impossible, and the session has failed.
  bool set_up(const verbs::QpAttributes& attributes);
  // The peer was heard of, and what it does next may take as long as it likes: after so long (0: never) without a word,
  // a WRITE of no octets has to be acknowledged, which tells a silent peer from one that is gone.
  void note_life(Time now) { heard_at_ = now; }
  void keep_alive(Time now, Duration patience);
  std::optional<Time> next_probe(Duration patience) const;
  Report parameters_of(const verbs::QpAttributes& attributes) const;

 protected:
  verbs::VerbsResult<void> do_post_send(const verbs::SendWork& work) override { return qp_.post_send(work); }
  verbs::VerbsResult<void> do_post_receive(const verbs::RecvWork& work) override { return qp_.post_receive(work); }
  const verbs::QueuePair& qp() const override { return qp_.verbs(); }
  void on_event(verbs::EventKind kind, Time now) override;
  std::string cause(verbs::CompletionStatus status) const override;
  void add_counts(Report& report) const override;

 private:
  ib::RcQueuePair qp_;
  bool is_active_;
  Time heard_at_{};
  std::uint64_t num_probes_ = 0;
};

}  // namespace rdmawire::cli::peer
