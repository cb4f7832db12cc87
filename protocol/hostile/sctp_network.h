// Queue pairs of iWARP at both ends of a simulated SCTP association, each on a stream of its own.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/hostile/network.h"
#include "protocol/hostile/run.h"
#include "protocol/iwarp/sctp_queue_pair.h"
#include "protocol/link/chunk_stream.h"

namespace rdmawire::hostile {

class SctpNetwork final : public Network {
 public:
  // How the sessions are set up, and what SCTP does to the order of chunks, follow from the seed.
  SctpNetwork(std::uint64_t seed, const RunOptions& options);

  QueuePair& add(std::size_t end, const verbs::QpConfig& config, const verbs::QpResources& resources) override;
  bool connect() override;
  void advance(Time now) override;
  std::optional<Time> next_event() const override;
  std::uint64_t num_packets() const override { return num_chunks_; }

 private:
  bool receive(Time now);
  bool send(std::size_t number, std::size_t end, Time now);

  const RunOptions& options_;
  link::SplitMix64 random_;
  iwarp::SctpQueuePairConfig config_;
  link::ChunkStream association_;
  std::array<std::vector<std::unique_ptr<Paired<iwarp::SctpQueuePair>>>, 2> pairs_;
  std::uint64_t num_chunks_ = 0;
};

}  // namespace rdmawire::hostile
