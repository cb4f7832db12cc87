// What the benchmarks of the project share: the best of several repetitions, and ratios of them.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/aim.h"
#include "codec/base/bytes.h"

namespace rdmawire::bench {

// Runs a CRC over state.range(0) octets that lie in memory as they do in a frame, after an Ethernet header.
template <class Function>
void over_octets(benchmark::State& state, Function crc) {
  const auto num_octets = static_cast<std::size_t>(state.range(0));
  std::vector<std::uint8_t> buffer(14 + num_octets, 0x5A);
  MutableBytes data = MutableBytes(buffer).subspan(14);
  for (auto _ : state) {
    benchmark::DoNotOptimize(data);
    benchmark::DoNotOptimize(crc(data));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

// Remembers the best of each benchmark's repetitions, ns of CPU time (what else the machine does can only add to it),
// and shows the medians.
class Best : public benchmark::ConsoleReporter {
 public:
  Best() : benchmark::ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> shown;
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) {
        double& best =
            ns_.try_emplace(run.run_name.function_name + (run.run_name.args.empty() ? "" : "/" + run.run_name.args),
                            run.GetAdjustedCPUTime())
                .first->second;
        best = std::min(best, run.GetAdjustedCPUTime());
      } else if (run.aggregate_name == "median") {
        shown.push_back(run);
      }
    }
    benchmark::ConsoleReporter::ReportRuns(shown);
  }
  // All benchmarks of the program, with its options. False after wrong ones.
  bool run(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    std::string repetitions = "--benchmark_repetitions=9";
    std::string shorter = "--benchmark_min_time=0.1";
    // In turn, so that what else the machine does falls on all alike: the aims are ratios.
    std::string interleaved = "--benchmark_enable_random_interleaving=true";
    arguments.insert(arguments.begin() + 1, {repetitions.data(), shorter.data(), interleaved.data()});
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return false;
    benchmark::RunSpecifiedBenchmarks(this);
    return true;
  }
  // ns of a benchmark, "function/argument"; nothing for one that a filter left out.
  std::optional<double> ns(const std::string& name) const {
    const auto found = ns_.find(name);
    return found == ns_.end() ? std::nullopt : std::optional(found->second);
  }
  // The aim that one is so many times as fast as the other.
  void report_against(const char* aim, const std::string& ours, const std::string& theirs, double bound) const {
    const auto a = ns(ours);
    const auto b = ns(theirs);
    if (a && b) report_aim(aim, *b / *a, Bound::at_least, bound, "x");
  }
  // The same, and what rate it is: each carries so many octets of payload from one end to the other.
  void report_payload_against(const char* aim, const std::string& ours, const std::string& theirs, double payload_len,
                              double bound) const {
    const auto a = ns(ours);
    if (!a) return;
    std::printf("%s: %.1f Gbit/s of payload, both ends on one core\n", aim, payload_len * 8 / *a);
    report_against(aim, ours, theirs, bound);
  }

 private:
  std::map<std::string, double> ns_;
};

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace rdmawire::bench
