// One end's consumer: it posts what its programs say, and checks each completion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/hostile/network.h"
#include "protocol/hostile/program.h"
#include "protocol/hostile/run.h"

namespace rdmawire::hostile {

// A message that came, and where it lies.
struct Arrival {
  std::uint32_t from = 0;   // connection
  std::size_t message = 0;  // of those that the peer sends on it
  Buffer buffer;
  bool has_grh = false;
};

class Consumer {
 public:
  // Makes its queue pairs in the network. All arguments outlive it.
  Consumer(std::size_t end, const RunOptions& options, const Scenario& scenario, Network& network);

  // The other end: needed before anything is posted.
  void meet(const Consumer& peer) { peer_ = &peer; }
  // All that is due, as far as there is room. Returns whether that was anything.
  bool post(Time now);
  // When the next receive is due; nothing: none waits for time.
  std::optional<Time> next_post(Time now) const;
  // Takes the completions that came. What is wrong with them; empty if nothing is.
  std::string check_completions();

  std::size_t num_connections() const { return lines_.size(); }
  // All own requests of the connection are complete.
  bool all_sent(std::size_t connection) const;
  // All messages came that must. Of unreliable services: none must.
  bool all_received(std::size_t connection) const;
  bool gave_up(std::size_t connection) const { return lines_[connection].gave_up; }
  bool in_error(std::size_t connection) const {
    return lines_[connection].pair->verbs().state() == verbs::QpState::err;
  }
  std::size_t num_sent(std::size_t connection) const { return lines_[connection].num_sent; }

  const std::vector<std::uint8_t>& octets() const { return octets_; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  // Receive buffers that were in use when their connection ended, or are in use now: they may hold anything.
  std::vector<Buffer> unfinished() const;

 private:
  // A connection as this end sees it.
  struct Line {
    QueuePair* pair = nullptr;
    verbs::MemoryKey window, fast_region;
    std::size_t num_posted = 0;
    std::size_t num_sent = 0;         // requests complete
    std::size_t next_completion = 0;  // the first request that can still complete
    bool gave_up = false;
    bool flushed = false;  // the connection has ended
    std::size_t num_received = 0;
    // By the peer's connection: how often each of its messages came, and the first that may come now.
    std::vector<std::vector<std::uint8_t>> times;
    std::vector<std::size_t> next_message;
  };
  // The receive queue of a connection, or the SRQ.
  struct Receiver {
    explicit Receiver(const std::vector<Buffer>& given) : buffers(&given), done(given.size()) {}
    const std::vector<Buffer>* buffers;
    std::vector<bool> done;
    std::size_t num_posted = 0;
    std::size_t num_done = 0;
    Time next_post{};
  };

  const Program& program(std::size_t connection) const { return scenario_.connections[connection].programs[end_]; }
  const std::vector<Received>& messages(std::size_t connection) const {
    return scenario_.connections[connection].programs[1 - end_].messages;
  }
  bool reliable() const { return scenario_.service != verbs::Service::uc && scenario_.service != verbs::Service::ud; }
  std::uint32_t number_of(std::size_t end, std::size_t connection) const {
    constexpr std::size_t first = 16;  // the lowest ones are for management
    return static_cast<std::uint32_t>(first + end + 2 * connection);
  }
  std::optional<std::size_t> connection_of(std::size_t end, Qpn number) const;
  verbs::MemoryKey key_of(std::size_t connection, const KeyName& name) const;
  bool post_receive(std::size_t receiver, const verbs::RecvWork& work);
  bool post_send(std::size_t connection, const Request& request);
  bool post_receives(std::size_t receiver, Time now);
  bool post_sends(std::size_t connection);
  void count_silent(std::size_t connection);
  std::string check_send(const verbs::Completion& done);
  std::string check_receive(const verbs::Completion& done);
  std::string check_message(const verbs::Completion& done, std::size_t connection, const Buffer& buffer);
  bool fits(const verbs::Completion& done, std::size_t connection, const Received& message, const Buffer& buffer) const;

  const std::size_t end_;
  const RunOptions& options_;
  const Scenario& scenario_;
  Network& network_;
  const Consumer* peer_ = nullptr;
  std::vector<std::uint8_t> octets_;
  verbs::MemoryTable memory_{{1, 16}};
  verbs::Pd pd_ = memory_.allocate_pd().value_or(verbs::Pd{});
  verbs::CompletionQueue send_cq_, receive_cq_;
  verbs::EventQueue events_{64};
  std::optional<verbs::SharedReceiveQueue> srq_;
  verbs::MemoryKey region_;
  std::vector<Line> lines_;
  std::vector<Receiver> receivers_;
  std::vector<Arrival> arrivals_;
  std::vector<Buffer> flushed_;
};

}  // namespace rdmawire::hostile
