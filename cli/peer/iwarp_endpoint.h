// Connections of iWARP over the operating system's TCP, which MPA sets up: with no private data, as librdmacm has it,
// or with the service's.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/peer/endpoint.h"
#include "cli/peer/iwarp_session.h"
#include "pcap/wire/impaired_stream.h"
#include "pcap/wire/recorder.h"
#include "protocol/link/random.h"

namespace rdmawire::cli::peer {

class IwarpEndpoint final : public Endpoint {
 public:
  // options and recorder (nullptr: none) outlive it.
  IwarpEndpoint(const PeerOptions& options, Log log, wire::Recorder* recorder);

  bool turn(Time now) override;
  void add_descriptors(std::vector<pollfd>& out) const override;
  void on_ready(std::span<const pollfd> ready) override;
  std::optional<Time> next_deadline() const override;
  void close(Time now) override;
  bool is_done() const override;
  void visit_sessions(const std::function<void(const Session&)>& visit) const override;
  void add_report(Report& report) const override;

 private:
  void open();
  void add_session(wire::TcpStream tcp, iwarp::Role role, std::string peer);
  // With what the options put around it.
  std::unique_ptr<wire::Stream> wrapped(wire::TcpStream tcp, iwarp::Role role);
  bool accept();
  bool may_accept() const { return listener_ && !closing_ && !is_full() && sessions_.size() < options_.max_sessions; }

  link::SplitMix64 random_;
  wire::Recorder* recorder_;
  wire::ImpairedCounts impaired_;  // sessions_' streams count here
  std::optional<wire::TcpListener> listener_;
  bool may_accept_ = true;  // as far as it is known
  bool closing_ = false;
  std::uint32_t next_number_ = 1;
  std::vector<std::unique_ptr<IwarpSession>> sessions_;
};

}  // namespace rdmawire::cli::peer
