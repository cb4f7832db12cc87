// Connections of RoCEv2, which the IB connection manager sets up with the addresses of librdmacm in its private data.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "cli/peer/endpoint.h"
#include "pcap/wire/roce_host.h"
#include "protocol/link/random.h"

namespace rdmawire::cli::peer {

class RoceSession;

class RoceEndpoint final : public Endpoint {
 public:
  // wire and options outlive it.
  RoceEndpoint(wire::Wire& wire, const PeerOptions& options, Log log);
  ~RoceEndpoint() override;

  bool turn(Time now) override;
  void add_descriptors(std::vector<pollfd>& out) const override;
  void on_ready(std::span<const pollfd> ready) override;
  std::optional<Time> next_deadline() const override;
  void close(Time now) override;
  bool is_done() const override;
  void visit_sessions(const std::function<void(const Session&)>& visit) const override;
  void add_report(Report& report) const override;

 private:
  std::unique_ptr<RoceSession> make_session(const Gid& peer);
  void start_connecting(Time now);
  void on_event(const cm::Event& event, Time now);
  void on_request(const cm::Event& event, Time now);
  void on_reply(const cm::Event& event, RoceSession& session, Time now);
  void reject(cm::ConnectionId id, mad::RejReason reason, Time now);
  // Asks the peer to end the connection.
  void disconnect(cm::ConnectionId id, RoceSession& session, Time now);
  void remove(cm::ConnectionId id, Time now);

  wire::RoceHost host_;
  link::SplitMix64 random_;
  std::map<cm::ConnectionId, std::unique_ptr<RoceSession>> sessions_;
  std::uint32_t next_qpn_;
  bool closing_ = false;
  // A client's.
  std::optional<Gid> peer_;
  bool connecting_ = false;  // REQ was sent
  std::optional<Time> give_up_at_;
  std::uint64_t num_rejected_ = 0;  // requests
};

}  // namespace rdmawire::cli::peer
