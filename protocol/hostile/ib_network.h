// Ports of InfiniBand or RoCE at both ends of a simulated link.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "protocol/hostile/network.h"
#include "protocol/hostile/run.h"
#include "protocol/ib/port.h"
#include "protocol/link/link.h"

namespace rdmawire::hostile {

// A queue pair of a service, with what a port sees of it and what its consumer sees.
class IbQueuePair : public QueuePair {
 public:
  virtual ib::QueuePairMachine& port_machine() = 0;
  virtual bool modify(verbs::QpState to, const verbs::QpAttributes& attributes, verbs::AttributeSet given) = 0;
};

class IbNetwork final : public Network {
 public:
  // options outlive it.
  IbNetwork(std::uint64_t seed, const RunOptions& options);

  QueuePair& add(std::size_t end, const verbs::QpConfig& config, const verbs::QpResources& resources) override;
  bool connect() override;
  void advance(Time now) override;
  std::optional<Time> next_event() const override;
  std::uint64_t num_packets() const override { return link_.total().num_sent; }
  std::uint64_t num_copies() const override { return link_.total().num_copies; }
  verbs::AddressVector path_to(std::size_t end) const override;
  std::string check_grh_area(std::size_t end, Bytes area, const verbs::Completion& done) const override;

 private:
  bool connect(std::size_t number_of_pair, std::size_t end);
  bool send(std::size_t end, Time now);

  const RunOptions& options_;
  link::Link link_;
  std::array<ib::Port, 2> ports_;
  std::array<std::vector<std::unique_ptr<IbQueuePair>>, 2> pairs_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace rdmawire::hostile
