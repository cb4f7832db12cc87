#include "cli/peer/statistics.h"

#include <algorithm>
#include <bit>

namespace rdmawire::cli::peer {

void Latencies::add(Duration value) {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(value.count(), 0));
  longest_ = std::max(longest_, value);
  ++num_;
  std::size_t at = static_cast<std::size_t>(ns);  // below 16 ns each has its own
  if (ns >= parts) {
    const unsigned octave = static_cast<unsigned>(std::bit_width(ns)) - 1;  // 4 and more
    at = std::size_t{octave - 3} * parts + static_cast<std::size_t>(ns >> (octave - 4)) - parts;
  }
  ++counts_[std::min(at, counts_.size() - 1)];
}

std::optional<Duration> Latencies::percentile(double percent) const {
  if (num_ == 0) return std::nullopt;
  const auto wanted =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(percent / 100 * static_cast<double>(num_) + 0.5));
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < counts_.size(); ++at) {
    sum += counts_[at];
    if (sum < wanted) continue;
    if (at < parts) return Duration(static_cast<std::int64_t>(at));
    // The end of the bucket.
    const std::size_t octave = at / parts + 3;
    const std::uint64_t from = std::uint64_t{at % parts + parts} << (octave - 4);
    const std::uint64_t width = std::uint64_t{1} << (octave - 4);
    return std::min(longest_, Duration(static_cast<std::int64_t>(from + width - 1)));
  }
  return longest_;
}

std::uint64_t Statistics::num() const {
  std::uint64_t out = 0;
  for (const OperationCount& one : operations) out += one.num;
  return out;
}

std::uint64_t Statistics::num_octets() const {
  std::uint64_t out = 0;
  for (const OperationCount& one : operations) out += one.num_octets;
  return out;
}

}  // namespace rdmawire::cli::peer
