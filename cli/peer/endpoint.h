// One end of connections of one family: makes sessions, and moves them.
#pragma once

#include <poll.h>

#include <any>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/peer/options.h"
#include "cli/peer/report.h"
#include "cli/peer/session.h"
#include "protocol/time.h"

namespace rdmawire::cli::peer {

class Endpoint {
 public:
  // Where lines for people go: what was connected, what ended.
  using Log = std::function<void(const std::string&)>;

  Endpoint(const PeerOptions& options, Log log) : options_(options), log_(std::move(log)) {}
  virtual ~Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // Does what can be done now without waiting; true if it was something.
  virtual bool turn(Time now) = 0;
  virtual void add_descriptors(std::vector<pollfd>& out) const = 0;
  // The same descriptors, with what poll() says.
  virtual void on_ready(std::span<const pollfd> ready) = 0;
  virtual std::optional<Time> next_deadline() const = 0;
  // Ends all connections in order, and takes no new ones.
  virtual void close(Time now) = 0;
  // Nothing is left to do: no connection, and none to come.
  virtual bool is_done() const = 0;
  virtual void visit_sessions(const std::function<void(const Session&)>& visit) const = 0;
  // Adds what is known besides its sessions.
  virtual void add_report(Report& report) const = 0;

  // The whole endpoint is at fault: its wire is gone, or the peer cannot be reached.
  const std::string& fault() const { return fault_; }
  std::uint64_t num_finished() const { return num_finished_; }
  std::uint64_t num_failed() const { return num_failed_; }
  // Of the sessions that are over, as many as are kept.
  const std::vector<Report>& finished() const { return finished_; }

 protected:
  void log(const std::string& line) const {
    if (log_) log_(line);
  }
  void fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }
  // A session has come to its end.
  void finish(Session& session, Time now);
  // The service has begun.
  void announce(const Session& session) const;
  bool is_full() const { return options_.num_connections != 0 && num_finished_ >= options_.num_connections; }
  std::unique_ptr<Service> make_service() {
    const ServiceInfo& info = *options_.service;
    return (options_.listens ? info.server : info.client)(options_.of_service, shared_);
  }

  const PeerOptions& options_;

 private:
  // Of a flood of connections only counts are kept.
  static constexpr std::size_t max_kept = 100;

  Log log_;
  std::any shared_;  // by the services
  std::string fault_;
  std::uint64_t num_finished_ = 0;
  std::uint64_t num_failed_ = 0;
  std::vector<Report> finished_;
};

}  // namespace rdmawire::cli::peer
