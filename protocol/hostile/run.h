// Runs a scenario over a simulated network that does its worst, and compares with an ideal one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/hostile/program.h"
#include "protocol/ib/port_config.h"
#include "protocol/ib/rc_queue_pair.h"
#include "protocol/iwarp/quirks.h"
#include "protocol/link/link.h"

namespace rdmawire::hostile {

// iwarp: TCP without Markers; iwarp_markers: with them in one direction at least; iwarp_sctp: RFC 5043.
enum class Carrier : std::uint8_t { rocev2, rocev2_ipv6, rocev1, ib, iwarp, iwarp_markers, iwarp_sctp, count_ };

constexpr bool is_iwarp(Carrier carrier) { return carrier >= Carrier::iwarp; }

constexpr std::string_view name_of(Carrier carrier) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Carrier::count_)> names{
      "rocev2", "rocev2-ipv6", "rocev1", "ib", "iwarp", "iwarp-markers", "iwarp-sctp"};
  return names[static_cast<std::size_t>(carrier)];
}

inline constexpr std::size_t max_connections = 4;

struct RunOptions {
  Carrier carrier = Carrier::rocev2;
  bool global = true;  // ib: packets have a GRH
  ProgramOptions program;
  ib::PathMtu path_mtu = ib::mtu1024;
  link::Impairments impairments;      // of both directions
  std::span<const link::Fate> fates;  // of the first packets
  std::uint8_t depth = 4;             // reads and atomics outstanding
  std::uint8_t retry_count = 7;
  std::uint8_t rnr_retry = 7;
  std::uint32_t window = 1U << 23;  // packets
  std::uint32_t ack_interval = 64;
  std::uint8_t num_receives_ahead = 4;  // receives that are posted before they are needed; 0: all at once
  Duration receive_delay = std::chrono::microseconds(20);  // until the next is posted
  std::uint32_t capacity = 2048;                           // packets in flight
  bool flow_control = true;
  ib::Quirks quirks;           // of the second end
  iwarp::Quirks iwarp_quirks;  // likewise

  // What the network may do to packets.
  bool copies() const { return impairments.duplicate.value != 0 || !fates.empty(); }
  bool reorders() const { return impairments.reorder.value != 0 || copies(); }
  bool loses_nothing() const {
    return impairments.loss.value == 0 && impairments.corrupt.value == 0 && impairments.burst.enter.value == 0 &&
           !reorders();
  }
};

struct RunResult {
  std::string fault;  // empty: all went as it must
  bool retries_exceeded =
      false;  // the connection gave up, as it may on a bad network; what it did until then was right
  Time finished{};
  std::uint64_t num_packets = 0;
  std::uint64_t payload_len = 0;  // octets of all requests
  std::uint32_t longest = 0;      // octets of the longest
};

// seed: of the program, of the network and of the timing.
RunResult run(std::uint64_t seed, const RunOptions& options);

// Options that follow from the seed: everything that run can vary, with losses of up to 20 %.
RunOptions options_for(std::uint64_t seed, Carrier carrier);

// All fates that the first num_packets packets of a connection can have, each passed, lost, doubled or overtaken:
// messages of up to three packets in a window of four, of the program that seed gives. Returns the faults found.
struct Exploration {
  std::uint64_t num_runs = 0;
  std::vector<std::string> faults;
};
Exploration explore(std::uint64_t seed, Carrier carrier, std::uint32_t num_packets, const ib::Quirks& quirks = {});

// The goodput of WRITEs of 64 KiB over a link of 100 Gbit/s and 2 us each way, by loss, path MTU and window: a page.
std::string goodput_page();

}  // namespace rdmawire::hostile
