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
  class Paired final : public QueuePair {
   public:
    template <class... Arguments>
    explicit Paired(Arguments&&... arguments) : machine(std::forward<Arguments>(arguments)...) {}
    verbs::VerbsResult<void> post_send(const verbs::SendWork& work) override { return machine.post_send(work); }
    verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work) override { return machine.post_receive(work); }
    const verbs::QueuePair& verbs() const override { return machine.verbs(); }

    iwarp::SctpQueuePair machine;
  };

  bool receive(Time now);
  bool send(std::size_t number, std::size_t end, Time now);

  const RunOptions& options_;
  link::SplitMix64 random_;
  iwarp::SctpQueuePairConfig config_;
  link::ChunkStream association_;
  std::array<std::vector<std::unique_ptr<Paired>>, 2> pairs_;
  std::uint64_t num_chunks_ = 0;
};

}  // namespace rdmawire::hostile
