// A session on a connection of iWARP over TCP.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cli/peer/session.h"
#include "pcap/wire/iwarp_host.h"

namespace rdmawire::cli::peer {

class IwarpSession final : public Session {
 public:
  // RDMAP has no flow control for messages (RFC 5040, 4.3 leaves it to the ULP): what comes in one turn must find
  // receives posted. So many octets a turn takes, and no message has less than 24 of them.
  static constexpr std::uint32_t receive_len = 64 * 1024;
  static constexpr std::uint32_t receive_depth = receive_len / 24 + 1;

  // private_data: an initiator's, of its Request; of a responder the service gives it later.
  IwarpSession(const SessionConfig& config, std::unique_ptr<Service> service, std::uint32_t number,
               const iwarp::MpaQueuePairConfig& qp, std::unique_ptr<wire::Stream> stream, iwarp::Role role);

  // Does what can be done without waiting; true if it was something.
  bool turn(Time now);
  std::optional<Time> next_deadline() const;
  wire::IwarpHost& host() { return host_; }
  const wire::IwarpHost& host() const { return host_; }
  std::size_t max_private_data() const override { return 508; }

  // MPA is established, and was not before; once. Not if what came with the peer's Reply has ended it already.
  bool take_established() { return std::exchange(established_, false) && qp_.verbs().state() == verbs::QpState::rts; }
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
  std::vector<Report> departures() const override;

 private:
  void take_mpa_events(Time now);
  void nudge(Time now);
  Report parameters_now() const;

  iwarp::MpaQueuePair qp_;
  std::vector<std::uint8_t> private_data_;
  wire::IwarpHost host_;
  bool is_initiator_;
  bool established_ = false;
  bool peer_closed_ = false;
  std::optional<Time> nudge_at_;          // an initiator's, until it hears of the peer
  std::uint64_t num_startup_octets_ = 0;  // that came until then
  std::uint32_t num_nudges_ = 0;
};

}  // namespace rdmawire::cli::peer
