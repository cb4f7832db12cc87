#include "cli/peer/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rdmawire::cli::peer {
namespace {

using verbs::Completion;
using verbs::CompletionOpcode;
using verbs::CompletionStatus;

// Microseconds, for reports.
double us(Duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

Report operation_report(CompletionOpcode opcode, const OperationCount& one) {
  Report out;
  out.add("operation", name_of(opcode));
  out.add("count", one.num);
  out.add("octets", one.num_octets);
  if (const double seconds = one.seconds(); seconds > 0) {
    out.add("seconds", seconds);
    out.add("mbit_per_second", static_cast<double>(one.num_octets) * 8 / 1e6 / seconds);
    out.add("per_second", static_cast<double>(one.num) / seconds);
  }
  if (one.latencies.num() != 0) {
    Report latency;
    latency.add("p50", us(*one.latencies.percentile(50)));
    latency.add("p90", us(*one.latencies.percentile(90)));
    latency.add("p99", us(*one.latencies.percentile(99)));
    latency.add("max", us(one.latencies.longest()));
    out.add("latency_us", std::move(latency));
  }
  return out;
}

// Octets that an operation moved. The requester of a SEND or WRITE is not told them in its completion.
bool says_octets(CompletionOpcode opcode) {
  return opcode != CompletionOpcode::send && opcode != CompletionOpcode::rdma_write;
}

}  // namespace

Session::Session(const SessionConfig& config, std::unique_ptr<Service> service)
    : config_(config),
      service_(std::move(service)),
      memory_({1, 64, config.key_secret}),
      pd_(memory_.allocate_pd().value_or(verbs::Pd{})),
      send_cq_(config.depth + 1),
      receive_cq_(config.receive_depth + 1),
      events_(64) {}

verbs::MemoryKey Session::add_memory(MutableBytes memory, std::uint64_t address, verbs::Access access) {
  const auto key = memory_.register_region(pd_, memory, address, access);
  if (!key) fail(fmt::format("memory cannot be registered: {}", name_of(key.error())));
  return key.value_or(verbs::MemoryKey{});
}

void Session::post_send(verbs::SendWork work) {
  work.signaled = true;
  if (is_over_ || is_closing_) return;
  if (const auto posted = do_post_send(work); !posted) {
    return fail(fmt::format("{} is refused: {}", name_of(work.opcode), name_of(posted.error())));
  }
  posted_.push_back({now_, message_len(work)});
  statistics_.of(info(work.opcode).completion).begin(now_);
}

void Session::post_receive(std::uint64_t id, std::uint64_t address, std::uint32_t length, verbs::MemoryKey key) {
  if (is_over_ || is_closing_) return;
  const verbs::Sge sge{address, length, key};
  const auto posted = do_post_receive({{id}, {&sge, 1}});
  if (!posted) fail(fmt::format("a receive is refused: {}", name_of(posted.error())));
}

std::optional<Completion> Session::take(Side side) {
  auto& done = done_[static_cast<std::size_t>(side)];
  // What came before the end still counts.
  if (done.empty()) return std::nullopt;
  const Completion out = done.front();
  done.pop_front();
  return out;
}

void Session::fail(std::string fault) {
  if (fault_.empty()) fault_ = std::move(fault);
  is_over_ = true;
}

void Session::begin(Time now) {
  if (has_begun_ || is_over_) return;
  now_ = now;
  has_begun_ = true;
  flow_ = service_->run(*this);
}

void Session::on_completion(const Completion& completion, Side side, Time now) {
  Posted posted{now, 0};
  if (side == Side::send && !posted_.empty()) {
    posted = posted_.front();
    posted_.pop_front();
  }
  if (completion.status != CompletionStatus::success) {
    // Flushed work follows from an error that was told, or from the end of the connection.
    if (completion.status == CompletionStatus::work_flushed || is_closing_) return;
    const std::string why = cause(completion.status);
    fail(fmt::format("{} ended with {}{}", name_of(completion.opcode), name_of(completion.status),
                     why.empty() ? "" : ": " + why));
    return;
  }
  if (side == Side::receive && std::exchange(ready_message_due_, false) && completion.byte_len == 0) return;
  OperationCount& count = statistics_.of(completion.opcode);
  ++count.num;
  count.num_octets += says_octets(completion.opcode) ? completion.byte_len : posted.num_octets;
  if (side == Side::send) {
    count.end(now);
    count.latencies.add(now - posted.at);
  } else {
    count.note(now);
  }
  done_[static_cast<std::size_t>(side)].push_back(completion);
}

void Session::resume() {
  // It may wait anew before resume() returns.
  if (const auto waiting = std::exchange(waiting_, {})) waiting.resume();
}

bool Session::pump(Time now) {
  now_ = now;
  bool any = false;
  while (const auto event = events_.poll()) {
    on_event(event->kind, now);
    any = true;
  }
  std::array<Completion, 32> some;
  while (const std::size_t size = send_cq_.poll(some)) {
    for (const Completion& one : std::span(some).first(size)) on_completion(one, Side::send, now);
    any = true;
  }
  while (const std::size_t size = receive_cq_.poll(some)) {
    for (const Completion& one : std::span(some).first(size)) on_completion(one, Side::receive, now);
    any = true;
  }
  while (waiting_ && (is_over_ || !done_[static_cast<std::size_t>(waits_for_)].empty())) {
    resume();
    any = true;
  }
  return any;
}

void Session::end(Time now) {
  pump(now);
  is_over_ = true;
  while (waiting_) resume();
}

Report Session::report() const {
  Report out;
  out.add("peer", peer_);
  out.add("good", fault_.empty());
  out.add("fault", fault_);
  out.add("end", end_);
  out.add("connection", parameters_);
  service_->add_report(out);
  std::vector<Report> operations;
  for (std::size_t i = 0; i < statistics_.operations.size(); ++i) {
    const OperationCount& one = statistics_.operations[i];
    if (one.num != 0) operations.push_back(operation_report(static_cast<CompletionOpcode>(i), one));
  }
  out.add("operations", std::move(operations));
  Report counts;
  add_counts(counts);
  out.add("counts", std::move(counts));
  if (std::vector<Report> seen = departures(); !seen.empty()) out.add("departures", std::move(seen));
  return out;
}

}  // namespace rdmawire::cli::peer
