// What time it is for a peer, and how it waits.
#pragma once

#include <poll.h>

#include <vector>

#include "cli/peer/endpoint.h"
#include "protocol/time.h"

namespace rdmawire::cli::peer {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  // Until the endpoint has something to do, or then.
  virtual void wait(Endpoint& endpoint, Time until) = 0;
};

// The machine's, with poll().
class SystemClock final : public Clock {
 public:
  Time now() const override;
  void wait(Endpoint& endpoint, Time until) override;

 private:
  std::vector<pollfd> descriptors_;  // room for what is asked of an endpoint
};

}  // namespace rdmawire::cli::peer
