#include "protocol/hostile/compare.h"

#include <algorithm>
#include <cstring>

namespace rdmawire::hostile {
namespace {

using Octets = std::vector<std::uint8_t>;

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class Comparison {
 public:
  Comparison(const Scenario& scenario, const RunOptions& options, const std::array<const Consumer*, 2>& ends)
      : scenario_(scenario), options_(options), ends_(ends), expected_(scenario.memory) {}

  std::string run() {
    for (std::size_t i = 0; i < scenario_.connections.size(); ++i) {
      if (std::string fault = add_connection(i); !fault.empty()) return fault;
    }
    for (std::size_t end = 0; end < 2; ++end) {
      add_arrivals(end);
      const auto differs = std::ranges::mismatch(actual(end), expected_[end]);
      if (differs.in1 != actual(end).end()) {
        return "memory of end " + std::to_string(end) + " differs at offset " +
               std::to_string(differs.in1 - actual(end).begin());
      }
    }
    return {};
  }

 private:
  const Octets& actual(std::size_t end) const { return ends_[end]->octets(); }
  // Whatever is there is right, or was looked at.
  void excuse(std::size_t end, const Range& range) {
    std::copy(actual(end).begin() + static_cast<long>(range.begin), actual(end).begin() + static_cast<long>(range.end),
              expected_[end].begin() + static_cast<long>(range.begin));
  }

  std::string add_connection(std::size_t number) {
    const Connection& one = scenario_.connections[number];
    if (scenario_.service == verbs::Service::ud) return {};
    if (scenario_.service == verbs::Service::uc && !options_.loses_nothing()) {
      for (std::size_t end = 0; end < 2; ++end) {
        if (!is_of_writes(number, end)) return "memory holds what no WRITE has written";
        excuse(1 - end, {one.map.written, one.map.atomics});
      }
      return {};
    }
    if (!ends_[0]->gave_up(number) && !ends_[1]->gave_up(number)) {
      for (std::size_t end = 0; end < 2; ++end) {
        for (const Request& request : one.programs[end].requests) {
          execute_ideally(request, expected_[end], expected_[1 - end]);
        }
      }
      return {};
    }
    for (std::size_t end = 0; end < 2; ++end) {
      if (!is_beginning(number, end)) return "memory differs after a connection gave up";
    }
    for (std::size_t end = 0; end < 2; ++end) excuse(end, {one.map.written, one.map.end});
    return {};
  }

  // What the end has written to its peer is that of its first requests, at least of those that are complete, and
  // perhaps a part of the next; and so is what it has read.
  bool is_beginning(std::size_t number, std::size_t end) const {
    const Connection& one = scenario_.connections[number];
    const auto& requests = one.programs[end].requests;
    const std::size_t num_complete = ends_[end]->num_sent(number);
    Octets own = scenario_.memory[end], peer = scenario_.memory[1 - end];
    Octets own_after = own, peer_after = peer;
    bool written = false, read = false;
    for (std::size_t n = 0; n <= requests.size() && !(written && read); ++n) {
      if (n < requests.size()) execute_ideally(requests[n], own_after, peer_after);
      if (n >= num_complete) {
        written = written || lies_between(actual(1 - end), peer, peer_after, {one.map.written, one.map.target});
        read = read || lies_between(actual(end), own, own_after, {one.map.target, one.map.end});
      }
      if (n < requests.size()) execute_ideally(requests[n], own, peer);
    }
    return written && read;
  }
  // Each octet is that before or that after.
  static bool lies_between(const Octets& octets, const Octets& before, const Octets& after, const Range& range) {
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      if (octets[i] != before[i] && octets[i] != after[i]) return false;
    }
    return true;
  }

  // Unreliable: each octet is that of the start or of a WRITE to its place; where one is known to have come, in order,
  // of that one or a later one.
  bool is_of_writes(std::size_t number, std::size_t end) const {
    const Connection& one = scenario_.connections[number];
    const Octets& octets = actual(1 - end);
    const Octets& start = scenario_.memory[1 - end];
    std::vector<bool> good(one.map.atomics - one.map.written);
    for (std::size_t i = 0; i < good.size(); ++i) good[i] = octets[one.map.written + i] == start[one.map.written + i];
    const auto& requests = one.programs[end].requests;
    for (std::size_t n = 0; n < requests.size(); ++n) {
      if (!verbs::info(requests[n].work.opcode).reads_local || requests[n].sges.empty()) continue;
      if (verbs::info(requests[n].work.opcode).completion != verbs::CompletionOpcode::rdma_write) continue;
      const bool came = !options_.reorders() && has_come(number, end, n);
      const std::uint64_t at = requests[n].work.remote_address;
      for (std::uint64_t i = 0; i < requests[n].length; ++i) {
        const bool same = octets[at + i] == scenario_.memory[end][requests[n].sges[0].address + i];
        const std::uint64_t place = at + i - one.map.written;
        good[place] = same || (good[place] && !came);
      }
    }
    return std::ranges::find(good, false) == good.end();
  }
  bool has_come(std::size_t number, std::size_t end, std::size_t request) const {
    const auto& messages = scenario_.connections[number].programs[end].messages;
    return std::ranges::any_of(ends_[1 - end]->arrivals(), [&](const Arrival& arrival) {
      return arrival.from == number && messages[arrival.message].request == request;
    });
  }

  void add_arrivals(std::size_t end) {
    for (const Buffer& buffer : ends_[end]->unfinished()) excuse(end, {buffer.at, buffer.at + buffer.length});
    const bool datagram = scenario_.service == verbs::Service::ud;
    for (const Arrival& arrival : ends_[end]->arrivals()) {
      const Received& message = scenario_.connections[arrival.from].programs[1 - end].messages[arrival.message];
      if (message.opcode != verbs::CompletionOpcode::receive) {
        // What was there of a message that broke off.
        if (scenario_.service == verbs::Service::uc) {
          excuse(end, {arrival.buffer.at, arrival.buffer.at + arrival.buffer.length});
        }
        continue;
      }
      const std::uint64_t at = arrival.buffer.at + (datagram ? grh_area_len : 0);
      if (scenario_.service == verbs::Service::uc) {
        excuse(end, {at + message.byte_len, arrival.buffer.at + arrival.buffer.length});
      }
      // Without a GRH the octets in front stay what they were.
      if (arrival.has_grh) excuse(end, {arrival.buffer.at, at});
      if (message.byte_len == 0) continue;
      std::memcpy(expected_[end].data() + at, scenario_.memory[1 - end].data() + message.source, message.byte_len);
    }
  }

  const Scenario& scenario_;
  const RunOptions& options_;
  const std::array<const Consumer*, 2>& ends_;
  std::array<Octets, 2> expected_;
};

}  // namespace

std::string compare(const Scenario& scenario, const RunOptions& options, const std::array<const Consumer*, 2>& ends) {
  return Comparison(scenario, options, ends).run();
}

}  // namespace rdmawire::hostile
