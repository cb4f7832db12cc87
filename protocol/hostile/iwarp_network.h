// Queue pairs of iWARP at both ends of simulated TCP connections.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "protocol/hostile/network.h"
#include "protocol/hostile/run.h"
#include "protocol/iwarp/mpa_queue_pair.h"
#include "protocol/link/byte_stream.h"

namespace rdmawire::hostile {

class IwarpNetwork final : public Network {
 public:
  // How MPA is set up, and what TCP does to the stream, follow from the seed.
  IwarpNetwork(std::uint64_t seed, const RunOptions& options);

  QueuePair& add(std::size_t end, const verbs::QpConfig& config, const verbs::QpResources& resources) override;
  bool connect() override;
  void advance(Time now) override;
  std::optional<Time> next_event() const override;
  std::uint64_t num_packets() const override { return num_segments_; }

 private:
  struct Connected final : Paired<iwarp::MpaQueuePair> {
    using Paired::Paired;
    std::vector<std::uint8_t> waiting;  // octets of which TCP did not take all yet
    std::size_t wait_at = 0;
  };

  bool receive(std::size_t number, std::size_t end, Time now);
  bool send(std::size_t number, std::size_t end, Time now);

  const RunOptions& options_;
  link::SplitMix64 random_;
  iwarp::MpaQueuePairConfig config_;  // of both ends, but what each chooses for itself
  std::array<std::vector<std::unique_ptr<Connected>>, 2> pairs_;
  std::vector<std::unique_ptr<link::ByteStream>> streams_;  // by connection
  std::uint64_t num_segments_ = 0;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace rdmawire::hostile
