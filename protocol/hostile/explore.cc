#include <array>

#include "protocol/hostile/run.h"

namespace rdmawire::hostile {

using link::Fate;

Exploration explore(std::uint64_t seed, Carrier carrier, std::uint32_t num_packets, const ib::Quirks& quirks) {
  constexpr std::array kinds{Fate::pass(), Fate::drop(), Fate::duplicate(1), Fate::hold(1)};
  RunOptions options;
  options.carrier = carrier;
  options.path_mtu = ib::mtu256;
  options.program.num_requests = 2;
  options.program.max_len = 3 * 256;
  options.program.num_atomics = 1;
  options.window = 4;
  options.capacity = 64;
  options.quirks = quirks;
  options.num_receives_ahead = 1;
  options.impairments.delay = std::chrono::microseconds(1);
  options.impairments.reorder_hold = std::chrono::microseconds(10);
  Exploration out;
  std::vector<Fate> fates(num_packets, kinds[0]);
  std::vector<std::size_t> digits(num_packets, 0);
  for (;;) {
    options.fates = fates;
    const RunResult result = run(seed, options);
    ++out.num_runs;
    if (!result.fault.empty() || result.retries_exceeded) {
      std::string text = "program " + std::to_string(seed) + ", fates ";
      constexpr std::string_view names = ".x2>";
      for (const std::size_t digit : digits) text += names[digit];
      out.faults.push_back(text + ": " + (result.fault.empty() ? "gave up" : result.fault));
    }
    std::size_t place = 0;
    while (place < digits.size() && ++digits[place] == kinds.size()) digits[place++] = 0;
    if (place == digits.size()) return out;
    for (std::size_t i = 0; i <= place; ++i) fates[i] = kinds[digits[i]];
  }
}

namespace {

// Hundredths, as text.
std::string hundredths(std::uint64_t value) {
  const std::string digits = std::to_string(value % 100);
  return std::to_string(value / 100) + '.' + (digits.size() == 1 ? "0" : "") + digits;
}

std::uint64_t goodput(std::uint32_t loss_ppm, ib::PathMtu mtu, std::uint32_t window) {
  RunOptions options;
  options.path_mtu = mtu;
  options.window = window;
  options.ack_interval = 16;
  options.retry_count = 7;
  options.program.num_requests = 16;
  options.program.writes_of = 65536;
  options.program.max_len = 65536;
  options.impairments.loss = {loss_ppm};
  options.impairments.rate = link::BitRate::gbit(100);
  options.impairments.framing_len = 24;
  options.impairments.delay = std::chrono::microseconds(2);
  constexpr std::uint64_t seed = 20261129;
  const RunResult result = run(seed, options);
  if (!result.fault.empty() || result.retries_exceeded || result.finished.count() == 0) return 0;
  // Octets in nanoseconds to hundredths of a Gbit/s.
  return result.payload_len * 800 / static_cast<std::uint64_t>(result.finished.count());
}

}  // namespace

std::string goodput_page() {
  std::string out =
      "# Goodput under loss\n\n"
      "Gbit/s of payload that the reference connection carries: 16 WRITEs of 64 KiB over a simulated link of 100 "
      "Gbit/s,\n"
      "2 us each way, with random loss in both directions, local ACK timeout 1 ms, one seed. Go-back-N makes loss "
      "dear.\n"
      "Made by `bazel run //protocol:hostile -- --goodput`; a test compares.\n\n"
      "| path MTU | window, packets | no loss | 0.01 % | 0.1 % | 1 % | 5 % |\n|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const ib::PathMtu mtu : {ib::mtu256, ib::mtu1024, ib::mtu4096}) {
    for (const std::uint32_t window : {4U, 32U, 256U}) {
      out += "| " + std::to_string(mtu.octets()) + " | " + std::to_string(window) + " |";
      for (const std::uint32_t loss : {0U, 100U, 1000U, 10'000U, 50'000U}) {
        const std::uint64_t rate = goodput(loss, mtu, window);
        out += rate == 0 ? " gave up |" : " " + hundredths(rate) + " |";
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace rdmawire::hostile
