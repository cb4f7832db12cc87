// What a direction of the link does to the packets in it. By default nothing: they arrive at once, whole and in order.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "protocol/link/random.h"
#include "protocol/time.h"

namespace rdmawire::link {

// For lengths: what is this large or larger is never reached.
inline constexpr std::uint32_t no_limit = std::numeric_limits<std::int32_t>::max();

struct BitRate {
  std::uint64_t bits_per_second{};  // 0: infinitely fast; at most 10^18

  static constexpr BitRate gbit(std::uint64_t n) { return {n * 1'000'000'000}; }
  friend constexpr bool operator==(BitRate, BitRate) = default;
};

// Loss in bursts: Gilbert, Capacity of a Burst-Noise Channel (1960), and Elliott (1963). Before each packet the
// direction may change between a good state, in which it starts, and a bad one. With loss always, the packets lost in a
// row are 1 / leave on average.
struct BurstLoss {
  Ppm enter{};                // from good to bad
  Ppm leave = Ppm::always();  // from bad to good
  Ppm loss = Ppm::always();   // of a packet in the bad state
};

// The direction is dead from begin on, and alive again at end.
struct Outage {
  Time begin{};
  Time end{};
};

// Stages in their order; who is dropped at one does not reach the next. Negative times count as zero.
struct Impairments {
  static constexpr std::uint32_t max_max_flips = 8;
  static constexpr std::size_t max_outages = 4;

  // Longer packets, in octets, are dropped.
  std::uint32_t mtu = no_limit;

  // Serialisation: packets leave one after the other. A packet that would make the octets that have not left yet more
  // than queue_len, itself included, is dropped (tail drop). framing_len is what each takes besides its own octets;
  // Ethernet's preamble, FCS and gap are 24.
  BitRate rate{};
  std::uint32_t framing_len = 0;
  std::uint32_t queue_len = no_limit;

  // Congestion experienced is marked (congestion.h) on a packet that finds more than mark_threshold_len octets that
  // have not left yet, and on others by chance.
  std::uint32_t mark_threshold_len = no_limit;
  Ppm mark{};

  // A packet is lost if it begins to leave inside one of these.
  std::array<Outage, max_outages> outages{};

  Ppm loss{};  // in the good state; burst has the bad one
  BurstLoss burst{};

  // A second copy, whose delay, corruption and order are drawn for itself.
  Ppm duplicate{};

  // 1 to max_flips (at most max_max_flips) different bits are inverted, none of them in the first protected_len octets.
  // A CRC-32 catches all of up to 3 in packets of up to 11450 octets, and lets one in 2^32 through of more. What the
  // ICRC does not cover (MAC addresses, TTL) can be protected, to count what it catches.
  Ppm corrupt{};
  std::uint32_t max_flips = 1;
  std::uint32_t protected_len = 0;

  // From leaving to arriving: delay, and up to jitter more. Neither changes the order.
  Time delay{};
  Time jitter{};

  // A packet is held back until 1 to reorder_bound later ones have overtaken it, the number drawn anew for each packet,
  // or until reorder_hold after it would have arrived. So none is ever overtaken by more than reorder_bound others.
  Ppm reorder{};
  std::uint32_t reorder_bound = 1;
  Time reorder_hold = std::chrono::milliseconds(1);
};

}  // namespace rdmawire::link
