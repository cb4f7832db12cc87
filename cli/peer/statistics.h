// What a connection has done: operations, octets, latencies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/time.h"
#include "protocol/verbs/completion.h"

namespace rdmawire::cli::peer {

// Durations in buckets that are 1/16 of an octave wide: what is read from it is right to 5 %. Of fixed size.
class Latencies {
 public:
  void add(Duration value);
  std::uint64_t num() const { return num_; }
  // The duration that so many of a hundred do not exceed; nothing if there are none.
  std::optional<Duration> percentile(double percent) const;
  Duration longest() const { return longest_; }

 private:
  static constexpr unsigned parts = 16;
  std::array<std::uint64_t, 64 * parts> counts_{};
  std::uint64_t num_ = 0;
  Duration longest_{};
};

// Of one kind of completion, that succeeded.
struct OperationCount {
  std::uint64_t num = 0;
  std::uint64_t num_octets = 0;
  Latencies latencies;  // from posting to completion; none of receives

  void begin(Time now) {
    if (num_outstanding_++ == 0) since_ = now;
  }
  void end(Time now) {
    if (--num_outstanding_ == 0) busy_ += now - since_;
  }
  // Of a receive, which nobody asks for: all the time from the first to this one counts.
  void note(Time now) {
    if (num == 1) since_ = now;
    busy_ = now - since_;
  }
  // While at least one was under way.
  double seconds() const { return std::chrono::duration<double>(busy_).count(); }

 private:
  std::uint64_t num_outstanding_ = 0;
  Time since_{};
  Duration busy_{};
};

struct Statistics {
  std::array<OperationCount, static_cast<std::size_t>(verbs::CompletionOpcode::count_)> operations{};

  OperationCount& of(verbs::CompletionOpcode opcode) { return operations[static_cast<std::size_t>(opcode)]; }
  std::uint64_t num() const;
  std::uint64_t num_octets() const;
};

}  // namespace rdmawire::cli::peer
