#include "cli/peer/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "cli/exit_code.h"
#include "cli/peer/clock.h"
#include "cli/peer/iwarp_endpoint.h"
#include "cli/peer/roce_endpoint.h"
#include "cli/peer/simulation.h"
#include "pcap/wire/impaired_wire.h"
#include "pcap/wire/recorder.h"
#include "pcap/wire/tcp_recording.h"

namespace rdmawire::cli::peer {
namespace {

// After an interrupt, how long peers may take to end their connections.
constexpr Duration close_time = std::chrono::seconds(3);
// What is still to be sent when all is done may take so long.
constexpr Duration rest_time = std::chrono::milliseconds(200);
constexpr Duration progress_interval = std::chrono::seconds(1);

volatile std::sig_atomic_t num_interrupts = 0;

extern "C" void note_interrupt(int) { num_interrupts = num_interrupts + 1; }

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = note_interrupt;
  // poll() comes back.
  action.sa_flags = 0;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// A line on a terminal that is written over.
class Progress {
 public:
  explicit Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

  void tell(const Endpoint& endpoint, Time now) {
    if (!shown_ || now < next_) return;
    next_ = now + progress_interval;
    std::uint64_t sessions = 0;
    std::uint64_t operations = 0;
    std::uint64_t octets = 0;
    endpoint.visit_sessions([&](const Session& session) {
      ++sessions;
      operations += session.statistics().num();
      octets += session.statistics().num_octets();
    });
    const double seconds = std::chrono::duration<double>(now - since_).count();
    const double rate = since_ == Time{} || seconds <= 0 || octets < octets_
                            ? 0.0
                            : static_cast<double>(octets - octets_) * 8 / 1e6 / seconds;
    since_ = now;
    octets_ = octets;
    fmt::print(stderr, "\r\033[K{} connected, {} ended, {} operations, {} octets, {:.1f} Mbit/s", sessions,
               endpoint.num_finished(), operations, octets, rate);
    std::fflush(stderr);
    written_ = true;
  }
  void clear() {
    if (!written_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    written_ = false;
  }

 private:
  bool shown_;
  bool written_ = false;
  Time next_{};
  Time since_{};
  std::uint64_t octets_ = 0;
};

// The last words: the answer to the peer's farewell, which waits for it.
void send_rest(Endpoint& endpoint, Clock& clock) {
  const Time until = clock.now() + rest_time;
  for (Time now{}; (now = clock.now()) < until;) {
    if (endpoint.turn(now)) continue;
    const auto due = endpoint.next_deadline();
    if (!due || *due >= until) return;
    clock.wait(endpoint, until);
  }
}

void move(Endpoint& endpoint, Clock& clock, const PeerOptions& options, Progress& progress) {
  const Time begin = clock.now();
  std::optional<Time> close_until;
  while (!endpoint.is_done()) {
    const Time now = clock.now();
    const bool timed_out = options.time_limit != Duration{} && now >= begin + options.time_limit;
    if ((num_interrupts != 0 || timed_out) && !close_until) {
      endpoint.close(now);
      close_until = now + close_time;
    }
    if (num_interrupts > 1 || (close_until && now >= *close_until)) return;
    if (endpoint.turn(now)) {
      progress.tell(endpoint, now);
      continue;
    }
    Time until = clock.now() + progress_interval;
    if (close_until) until = std::min(until, *close_until);
    clock.wait(endpoint, until);
    progress.tell(endpoint, clock.now());
  }
  send_rest(endpoint, clock);
}

struct Parts {
  std::unique_ptr<Simulation> simulation;
  std::unique_ptr<wire::Wire> wire;
  std::unique_ptr<wire::Recorder> recorder;
  std::unique_ptr<wire::Wire> recorded;
  std::unique_ptr<wire::ImpairedWire> impaired;
};

// The wire with what the options put around it, as far as the endpoint doesn't do that; the error.
std::string open(const PeerOptions& options, Parts& parts) {
  if (options.is_simulated()) {
    parts.simulation = std::make_unique<Simulation>(options);
    parts.wire = parts.simulation->take_wire();
  } else if (!options.is_tcp()) {
    auto opened = wire::open_wire(options.wire);
    if (!opened) return opened.error();
    parts.wire = std::move(*opened);
  }
  if (!options.record.empty()) {
    std::string about = "rdmawire peer " + std::string(options.service->name);
    for (const std::string& quirk : options.quirk_names) about += ", wrong on purpose: " + quirk;
    wire::Recorder::TimeOfDay time = wire::Recorder::system_time;
    if (parts.simulation) time = [simulation = parts.simulation.get()] { return simulation->now(); };
    const std::string interface = parts.wire ? parts.wire->text() : std::string(wire::TcpRecording::interface);
    auto recorder = wire::Recorder::open(options.record, about, interface, std::move(time));
    if (!recorder) return recorder.error();
    parts.recorder = std::move(*recorder);
  }
  if (!parts.wire) return {};
  if (options.impairments) {
    parts.impaired =
        std::make_unique<wire::ImpairedWire>(*parts.wire, *options.impairments, options.seed, parts.recorder.get());
  } else if (parts.recorder) {
    parts.recorded = std::make_unique<wire::RecordedWire>(*parts.wire, *parts.recorder);
  }
  return {};
}

wire::Wire& outermost(Parts& parts) {
  if (parts.impaired) return *parts.impaired;
  return parts.recorded ? *parts.recorded : *parts.wire;
}

// What was done to frames on purpose.
Report on_purpose(const wire::ImpairedWire& wire) {
  Report out;
  const auto add = [&](std::string_view way, const link::Counters& counters) {
    Report one;
    one.add("frames", counters.num_sent);
    one.add_count("lost", counters.num_dropped());
    one.add_count("duplicated", counters.num_copies);
    one.add_count("overtaken", counters.num_overtaken);
    one.add_count("corrupted", counters.num_corrupted);
    out.add(way, std::move(one));
  };
  add("sent", wire.sent());
  add("received", wire.received());
  return out;
}

void add_endpoint(Report& report, const Endpoint& endpoint) {
  report.add("fault", endpoint.fault());
  report.add("connections_ended", endpoint.num_finished());
  report.add("connections_failed", endpoint.num_failed());
  std::vector<Report> connections = endpoint.finished();
  // Of those whose peers did not let them end.
  endpoint.visit_sessions([&](const Session& session) { connections.push_back(session.report()); });
  report.add("connections", std::move(connections));
  endpoint.add_report(report);
}

bool is_good(const Endpoint& endpoint) { return endpoint.fault().empty() && endpoint.num_failed() == 0; }

}  // namespace

int run_peer(const PeerOptions& options, const RunOptions& run) {
  Parts parts;
  if (const std::string error = open(options, parts); !error.empty()) {
    fmt::print(stderr, "rdmawire: wire: {}\n", error);
    return ExitCode::bad_input;
  }
  Progress progress(!run.quiet);
  const auto log = [&](const std::string& line) {
    if (run.quiet) return;
    progress.clear();
    fmt::print(run.json ? stderr : stdout, "{}\n", line);
    std::fflush(run.json ? stderr : stdout);
  };
  std::unique_ptr<Endpoint> endpoint;
  if (options.is_tcp()) {
    endpoint = std::make_unique<IwarpEndpoint>(options, log, parts.recorder.get());
  } else {
    endpoint = std::make_unique<RoceEndpoint>(outermost(parts), options, log);
  }
  SystemClock system;
  Clock& clock = parts.simulation ? static_cast<Clock&>(*parts.simulation) : system;
  catch_interrupts();
  move(*endpoint, clock, options, progress);
  if (parts.simulation) parts.simulation->finish(*endpoint);
  progress.clear();

  Report report;
  report.add("service", options.service->name);
  report.add("role", options.listens ? "server" : "client");
  report.add("wire", parts.wire ? parts.wire->text() : std::string("TCP"));
  report.add("seed", options.seed);
  std::string quirks;
  for (const std::string& name : options.quirk_names) quirks += (quirks.empty() ? "" : " ") + name;
  report.add("quirks", quirks);
  report.add("interrupted", num_interrupts != 0);
  add_endpoint(report, *endpoint);
  if (parts.impaired) report.add("on_purpose", on_purpose(*parts.impaired));
  if (parts.recorder) report.add("recorded_frames", parts.recorder->num_frames());
  if (parts.recorder) report.add("recording_failed", parts.recorder->error());
  bool good = is_good(*endpoint);
  if (parts.simulation) {
    Report other;
    other.add("service", parts.simulation->other_options().service->name);
    add_endpoint(other, parts.simulation->other());
    report.add("other_end", std::move(other));
    good = good && is_good(parts.simulation->other());
  }
  fmt::print("{}", run.json ? report.json() + "\n" : report.text());
  std::fflush(stdout);
  return good ? ExitCode::clean : ExitCode::findings;
}

}  // namespace rdmawire::cli::peer
