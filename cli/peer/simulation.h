// The other end of a connection in the same process, on the simulated link and a clock of its own: what happens
// depends on the options and the seed alone.
#pragma once

#include <poll.h>

#include <memory>
#include <vector>

#include "cli/peer/clock.h"
#include "cli/peer/endpoint.h"
#include "cli/peer/options.h"
#include "pcap/wire/wire.h"

namespace rdmawire::cli::peer {

class Simulation final : public Clock {
 public:
  // The other end does what fits to the service of these options, keeps the specification, and has all else alike.
  // options.wire is "sim", and there is such a service (ServiceInfo::other_side).
  explicit Simulation(const PeerOptions& options);
  ~Simulation() override;

  // This end's.
  std::unique_ptr<wire::Wire> take_wire() { return std::move(wire_); }

  // From 0.
  Time now() const override { return now_; }
  // The other end does what it can, or time moves on.
  void wait(Endpoint& endpoint, Time until) override;
  // This end is done: the other one comes to its end, which may take some seconds of the clock.
  void finish(Endpoint& endpoint);

  const Endpoint& other() const { return *other_; }
  const PeerOptions& other_options() const { return other_options_; }

 private:
  void make_ready(Endpoint& endpoint);

  Time now_{};
  std::vector<pollfd> descriptors_;  // room for what is asked of an endpoint
  PeerOptions other_options_;
  std::unique_ptr<wire::Wire> wire_;
  std::unique_ptr<wire::Wire> other_wire_;
  std::unique_ptr<Endpoint> other_;
};

}  // namespace rdmawire::cli::peer
