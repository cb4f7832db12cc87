// One connection, as a service sees it, whatever carries it: memory, work requests, and completions to wait for. The
// endpoint that it belongs to moves it.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/peer/flow.h"
#include "cli/peer/report.h"
#include "cli/peer/service.h"
#include "cli/peer/statistics.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::cli::peer {

struct SessionConfig {
  std::uint32_t depth = 32;          // send requests at a time
  std::uint32_t receive_depth = 32;  // receives
  std::uint32_t max_inline = 64;     // octets
  verbs::KeySecret key_secret{};
};

class Session {
 public:
  Session(const SessionConfig& config, std::unique_ptr<Service> service);
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // --- For the service ---

  // Memory that the peer may reach as access says. The service keeps it as long as the session lives.
  verbs::MemoryKey add_memory(MutableBytes memory, std::uint64_t address, verbs::Access access);
  // What is refused ends the session with a fault. Every request is signaled.
  void post_send(verbs::SendWork work);
  void post_receive(std::uint64_t id, std::uint64_t address, std::uint32_t length, verbs::MemoryKey key);
  std::uint32_t depth() const { return config_.depth; }
  std::uint32_t receive_depth() const { return config_.receive_depth; }
  // The QPN, or what stands for it on iWARP.
  std::uint32_t number() const { return qp().config().number.value; }
  bool is_iwarp() const { return qp().config().service == verbs::Service::iwarp; }
  // The largest private data that goes with the connection request or its answer.
  virtual std::size_t max_private_data() const = 0;

  enum class Side : std::uint8_t { send, receive };
  // co_await gives the next completion of that side, which is a success; nothing if the connection is over.
  struct Wait {
    Session& session;
    Side side;
    bool await_ready() const { return session.is_over_ || !session.done_[static_cast<std::size_t>(side)].empty(); }
    void await_suspend(std::coroutine_handle<> waiting) const {
      session.waiting_ = waiting;
      session.waits_for_ = side;
    }
    std::optional<verbs::Completion> await_resume() const { return session.take(side); }
  };
  Wait next_send() { return {*this, Side::send}; }
  Wait next_receive() { return {*this, Side::receive}; }
  // One is there already.
  bool has_receive() const { return !done_[static_cast<std::size_t>(Side::receive)].empty(); }

  // Something is wrong, and the connection ends. The first fault counts.
  void fail(std::string fault);
  const std::string& fault() const { return fault_; }

  // --- For the endpoint ---

  Service& service() { return *service_; }
  const Service& service() const { return *service_; }
  // The connection is established: the service begins.
  void begin(Time now);
  // Takes what completed, and lets the service go on; true if there was something.
  bool pump(Time now);
  // Nothing comes any more: the service ends.
  void end(Time now);
  bool has_begun() const { return has_begun_; }
  bool is_over() const { return is_over_; }
  // The service came to its end, or failed: the connection is to be closed.
  bool wants_close() const { return !fault_.empty() || (has_begun_ && flow_.is_done()); }
  // A close was asked for: what is flushed from now on is no fault.
  void note_closing() { is_closing_ = true; }
  bool is_closing() const { return is_closing_; }

  const Statistics& statistics() const { return statistics_; }
  // All that is known of it when it is over, or now.
  Report report() const;
  // Its peer's address, for people.
  void set_peer(std::string peer) { peer_ = std::move(peer); }
  const std::string& peer() const { return peer_; }
  void set_parameters(Report parameters) { parameters_ = std::move(parameters); }
  const Report& parameters() const { return parameters_; }
  // How it came to its end, in words.
  void set_end(std::string end) {
    if (end_.empty()) end_ = std::move(end);
  }
  const std::string& end_text() const { return end_; }

 protected:
  virtual verbs::VerbsResult<void> do_post_send(const verbs::SendWork& work) = 0;
  virtual verbs::VerbsResult<void> do_post_receive(const verbs::RecvWork& work) = 0;
  virtual const verbs::QueuePair& qp() const = 0;
  // An asynchronous event of the queue pair.
  virtual void on_event(verbs::EventKind kind, Time now) = 0;
  // Why work failed, as far as the family can say more than the status: "NAK: remote access error".
  virtual std::string cause(verbs::CompletionStatus status) const = 0;
  // Counts of the family for the report: retransmissions and their causes.
  virtual void add_counts(Report& report) const = 0;
  // What the peer has shown on this connection.
  virtual std::vector<Report> departures() const { return {}; }

  verbs::QpResources resources() { return {memory_, send_cq_, receive_cq_, events_, nullptr}; }
  verbs::Pd pd() const { return pd_; }
  verbs::QueueSizes send_sizes() const { return {config_.depth, 1, config_.max_inline}; }
  verbs::QueueSizes receive_sizes() const { return {config_.receive_depth, 1, 0}; }
  // The service waits for a message of the peer.
  bool waits_for_message() const { return waiting_ && waits_for_ == Side::receive; }
  // The next message says only that the peer is ready (RFC 6581, 9.2): no service hears of it.
  void expect_ready_message() { ready_message_due_ = true; }

 private:
  friend struct Wait;
  std::optional<verbs::Completion> take(Side side);
  void on_completion(const verbs::Completion& completion, Side side, Time now);
  void resume();

  SessionConfig config_;
  std::unique_ptr<Service> service_;
  verbs::MemoryTable memory_;
  verbs::Pd pd_;
  verbs::CompletionQueue send_cq_;
  verbs::CompletionQueue receive_cq_;
  verbs::EventQueue events_;

  std::array<std::deque<verbs::Completion>, 2> done_;
  std::coroutine_handle<> waiting_;
  Side waits_for_{};
  Flow flow_;
  bool has_begun_ = false;
  bool is_over_ = false;
  bool is_closing_ = false;
  bool ready_message_due_ = false;
  std::string fault_;

  Statistics statistics_;
  struct Posted {
    Time at;
    std::uint64_t num_octets;
  };
  std::deque<Posted> posted_;  // of the send requests that are not complete
  Time now_{};                 // of the last call of the endpoint
  std::string peer_;
  std::string end_;
  Report parameters_;
};

}  // namespace rdmawire::cli::peer
