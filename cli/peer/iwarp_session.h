// A session on a connection of iWARP over TCP.
#pragma once

#include <memory>
#include <vector>

#include "cli/peer/session.h"
#include "pcap/wire/iwarp_host.h"

namespace rdmawire::cli::peer {

class IwarpSession final : public Session {
 public:
  // private_data: an initiator's, of its Request; of a responder the service gives it later.
  IwarpSession(const SessionConfig& config, std::unique_ptr<Service> service, std::uint32_t number,
               const iwarp::MpaQueuePairConfig& qp, wire::TcpStream stream, iwarp::Role role);

  // Does what can be done without waiting; true if it was something.
  bool turn(Time now);
  wire::IwarpHost& host() { return host_; }
  const wire::IwarpHost& host() const { return host_; }
  std::size_t max_private_data() const override { return 508; }

  // MPA is established, and was not before; once.
  bool take_established() { return std::exchange(established_, false); }
  // Ends the connection in order, as far as it goes.
  void close(Time now);
  // The connection is no more.
  bool is_gone() const { return host_.is_closed() || host_.state() == wire::HostState::left; }
  // Why, in words; the session fails if it was not in order.
  void judge_end();

 protected:
  verbs::VerbsResult<void> do_post_send(const verbs::SendWork& work) override { return qp_.post_send(work); }
  verbs::VerbsResult<void> do_post_receive(const verbs::RecvWork& work) override { return qp_.post_receive(work); }
  const verbs::QueuePair& qp() const override { return qp_.verbs(); }
  void on_event(verbs::EventKind kind, Time now) override;
  std::string cause(verbs::CompletionStatus status) const override;
  void add_counts(Report& report) const override;

 private:
  void take_mpa_events(Time now);
  Report parameters_now() const;

  iwarp::MpaQueuePair qp_;
  std::vector<std::uint8_t> private_data_;
  wire::IwarpHost host_;
  bool is_initiator_;
  bool established_ = false;
  bool peer_closed_ = false;
};

}  // namespace rdmawire::cli::peer
