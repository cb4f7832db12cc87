// bazel run -c opt //protocol:hostile -- --carrier rocev2 --seeds 1..100000
// Random programs over a network that loses, duplicates, reorders and damages packets. A seed that fails is printed,
// and is run again with --seeds N..N.
#include <charconv>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/hostile/run.h"

namespace {

using namespace rdmawire::hostile;

constexpr std::string_view usage =
    "usage: hostile [--carrier NAME] [--seeds FIRST..LAST] [--quirk NAME] [--explore PACKETS]\n"
    "       hostile --goodput\n"
    "carriers: rocev2, rocev2-ipv6, rocev1, ib, iwarp, iwarp-markers, iwarp-sctp\n";

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 1000;
};

std::optional<Seeds> parse_seeds(std::string_view text) {
  Seeds out;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.first);
  if (first.ec != std::errc{}) return std::nullopt;
  out.last = out.first;
  if (first.ptr == end) return out;
  if (end - first.ptr < 3 || first.ptr[0] != '.' || first.ptr[1] != '.') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 2, end, out.last);
  if (last.ec != std::errc{} || last.ptr != end || out.last < out.first) return std::nullopt;
  return out;
}

std::optional<Carrier> parse_carrier(std::string_view text) {
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(Carrier::count_); ++i) {
    if (name_of(static_cast<Carrier>(i)) == text) return static_cast<Carrier>(i);
  }
  return std::nullopt;
}

int explore_all(Carrier carrier, std::uint32_t num_packets, const Seeds& seeds, const rdmawire::ib::Quirks& quirks) {
  std::uint64_t num_runs = 0;
  std::uint64_t num_failed = 0;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const Exploration found = explore(seed, carrier, num_packets, quirks);
    num_runs += found.num_runs;
    num_failed += found.faults.size();
    for (const std::string& fault : found.faults) std::cout << fault << '\n';
  }
  std::cout << num_runs << " runs, " << num_failed << " failed\n";
  return num_failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Seeds seeds;
  Carrier carrier = Carrier::rocev2;
  rdmawire::ib::Quirks quirks;
  rdmawire::iwarp::Quirks iwarp_quirks;
  std::uint32_t explored = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--goodput") {
      std::cout << goodput_page();
      return 0;
    }
    const std::string_view value = i + 1 < argc ? argv[++i] : "";
    if (name == "--seeds" && parse_seeds(value)) {
      seeds = *parse_seeds(value);
    } else if (name == "--carrier" && parse_carrier(value)) {
      carrier = *parse_carrier(value);
    } else if (name == "--quirk" && rdmawire::ib::find_quirk(value)) {
      quirks.add(*rdmawire::ib::find_quirk(value));
    } else if (name == "--quirk" && rdmawire::iwarp::find_quirk(value)) {
      iwarp_quirks.add(*rdmawire::iwarp::find_quirk(value));
    } else if (name == "--explore" && value.size() == 1 && value[0] >= '1' && value[0] <= '9') {
      explored = static_cast<std::uint32_t>(value[0] - '0');
    } else {
      std::cerr << "hostile: " << name << ' ' << value << ": not understood\n" << usage;
      return 2;
    }
  }
  if (explored != 0) return explore_all(carrier, explored, seeds, quirks);
  std::uint64_t num_failed = 0;
  std::uint64_t num_gave_up = 0;
  std::uint64_t num_packets = 0;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    RunOptions options = options_for(seed, carrier);
    options.quirks = quirks;
    options.iwarp_quirks = iwarp_quirks;
    const RunResult result = run(seed, options);
    num_packets += result.num_packets;
    if (result.retries_exceeded) ++num_gave_up;
    if (result.fault.empty()) continue;
    ++num_failed;
    std::cout << "seed " << seed << ": " << result.fault << '\n';
  }
  std::cout << num_packets << " packets, " << num_gave_up << " connections gave up after all retries\n"
            << seeds.last - seeds.first + 1 << " seeds, " << num_failed << " failed\n";
  return num_failed == 0 ? 0 : 1;
}
