// A simulated network on a virtual clock: endpoints send packets, which arrive late, twice, damaged, in another order,
// or never. All of it follows from a seed, the same on every platform.
//
// The caller moves the time: it asks next_arrival() and its machines' deadlines for what comes first, and hands that
// time over. Nothing allocates after construction. A copy of a Link is a snapshot: it goes on as the original would.
//
// Each ordered pair of endpoints (also one with itself) is a direction, with impairments, random numbers and counters
// of its own. What chance does to the n-th packet of a direction depends only on the seed, the direction, n and its
// impairments up to then: other directions, and the fates forced on other packets, don't change it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/types.h"
#include "codec/link_type.h"
#include "protocol/link/fate.h"
#include "protocol/link/impairments.h"
#include "protocol/link/in_flight.h"
#include "protocol/link/transmitter.h"

namespace rdmawire::link {

using Endpoint = Identifier<struct EndpointTag, std::uint16_t>;  // 0 to LinkConfig::num_endpoints - 1

struct LinkConfig {
  std::uint16_t num_endpoints = 2;
  std::uint32_t capacity = 256;         // packets in flight, in all directions together
  std::uint32_t max_packet_len = 4352;  // octets; longer packets are dropped. This holds path MTU 4096 and all headers
  std::uint64_t seed = 0;
  LinkType link_type = LinkType::ethernet;  // what a packet begins with; only marking congestion needs it
};

// What became of a packet at the sending end. But for the first, the reason why it is dropped.
enum class SendOutcome : std::uint8_t {
  accepted,    // in flight
  too_long,    // longer than mtu or max_packet_len
  queue_full,  // tail drop
  outage,      //
  lost,        // by chance
  burst_lost,  // by chance, in the bad state of BurstLoss
  forced,      // Fate::drop
  no_room,     // LinkConfig::capacity packets are in flight: a fault of the simulation, not of the network simulated
  count_,
};

constexpr std::string_view name_of(SendOutcome outcome) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(SendOutcome::count_)> names{
      "accepted", "too-long", "queue-full", "outage", "lost", "burst-lost", "forced", "no-room"};
  return names[static_cast<std::size_t>(outcome)];
}

// Of one direction, or of all. At any time num_sent + num_copies == num_delivered + num_dropped() + num_in_flight().
struct Counters {
  std::uint64_t num_sent = 0;
  std::uint64_t num_copies = 0;  // made by duplication
  std::uint64_t num_delivered = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(SendOutcome::count_)> num_by_outcome{};

  std::uint64_t num_copies_without_room = 0;  // not made for lack of capacity
  std::uint64_t num_marked = 0;               // with congestion experienced, in flight or delivered; copies counted
  std::uint64_t num_corrupted = 0;            // in flight or delivered; copies counted
  std::uint64_t num_overtaken = 0;            // delivered after a later one
  std::uint64_t sent_len = 0;                 // octets
  std::uint64_t delivered_len = 0;            // octets

  constexpr std::uint64_t num(SendOutcome outcome) const { return num_by_outcome[static_cast<std::size_t>(outcome)]; }
  constexpr std::uint64_t num_dropped() const { return num_sent - num(SendOutcome::accepted); }
  constexpr std::uint64_t num_in_flight() const { return num(SendOutcome::accepted) + num_copies - num_delivered; }
  constexpr Counters& operator+=(const Counters& other);
  friend constexpr bool operator==(const Counters&, const Counters&) = default;
};

// A packet that arrived, and what happened to it.
struct Delivery {
  Endpoint from{};
  Endpoint to{};
  Bytes octets;  // valid until the next receive() or reset()
  Time sent_at{};
  Time arrived_at{};
  std::uint64_t number{};           // in its direction, from 0; a copy has that of its original
  std::uint64_t num_overtaking{};   // later packets of the direction that arrived before this one; copies counted
  std::uint8_t num_flipped_bits{};  // 0: not corrupted
  bool copy{};                      // made by duplication
  bool marked{};                    // with congestion experienced, by this link
};

class Link {
 public:
  explicit Link(const LinkConfig& config);

  // As newly constructed with this seed.
  void reset(std::uint64_t seed);

  // From the next packet on. Those in flight keep their time; the order of a direction stays, whatever its new delay.
  // from, to: below num_endpoints, here and in all that follows.
  void set(Endpoint from, Endpoint to, const Impairments& impairments);
  void set_all(const Impairments& impairments);

  // Fates for single packets of a direction, by ascending number. The caller keeps them until reset() or the next call.
  void force(Endpoint from, Endpoint to, std::span<const NumberedFate> fates);
  // Fates for the next packets of the whole link, one for each in the order of sending, until they are used up. A
  // packet with a numbered fate uses one up as well. The caller keeps them as above.
  void force(std::span<const Fate> fates) { fates_ = fates; }
  std::size_t num_fates_left() const { return fates_.size(); }

  // Sends a copy of packet. Time never goes back: a `now` before one that the link was given counts as that one.
  SendOutcome send(Endpoint from, Endpoint to, Bytes packet, Time now);

  // When the next packet arrives; nothing if none is in flight. Only what is sent meanwhile can make it earlier.
  std::optional<Time> next_arrival() const;

  // The next packet that has arrived by now, nothing if there is none. Packets come in the order of their arrival,
  // those of the same time in the order of sending, but for those held back: they come right after the last that
  // overtakes.
  std::optional<Delivery> receive(Time now);

  const Counters& counters(Endpoint from, Endpoint to) const { return directions_[index_of(from, to)].counters; }
  Counters total() const;

 private:
  struct Direction {
    std::uint64_t seed = 0;
    Impairments impairments{};
    bool leaves_nothing_to_chance = true;
    bool bad_state = false;  // BurstLoss
    Transmitter transmitter;
    Time last_arrival{};  // of those not held back: what is sent later does not arrive before
    std::span<const NumberedFate> fates;
    // Those held back, in the order of sending.
    SlotIndex first_held = no_slot;
    SlotIndex last_held = no_slot;
    Counters counters;
  };

  // What shall happen to one copy of a packet on its way.
  struct Transit {
    Time jitter{};
    std::uint32_t behind = 0;  // held back behind so many
    std::uint8_t num_flips = 0;
    std::array<std::uint64_t, Impairments::max_max_flips> flips{};  // bits, counted as in Fate::Kind::corrupt
  };
  struct Plan {
    SendOutcome outcome = SendOutcome::accepted;
    bool mark = false;
    bool duplicate = false;
    Transit original;
    Transit copy;
  };

  std::size_t index_of(Endpoint from, Endpoint to) const { return std::size_t{from.value} * num_endpoints_ + to.value; }
  Endpoint from_of(std::uint32_t direction) const { return {static_cast<std::uint16_t>(direction / num_endpoints_)}; }
  Endpoint to_of(std::uint32_t direction) const { return {static_cast<std::uint16_t>(direction % num_endpoints_)}; }

  static Plan plan_by_chance(Direction& direction, std::uint32_t len);
  static Transit transit_by_chance(const Impairments& impairments, std::uint64_t seed, std::uint32_t len);
  static void plan_by_fate(Plan& plan, Fate fate, std::uint32_t len);
  Fate next_fate(Direction& direction);

  SendOutcome transmit(std::size_t index, Bytes packet);
  bool put_in_flight(std::size_t index, Bytes packet, Time left_at, const Plan& plan, bool is_copy);
  void hold(Direction& direction, SlotIndex slot);
  void unhold(Direction& direction, SlotIndex slot);
  void arrive_held(Direction& direction, Time by);
  void count_overtaking(Direction& direction, std::uint64_t sequence, Time at);

  std::uint16_t num_endpoints_;
  std::uint32_t max_packet_len_;
  LinkType link_type_;
  std::vector<Direction> directions_;  // by from, then by to
  InFlight in_flight_;
  std::span<const Fate> fates_;
  Time now_{};
  std::uint64_t num_ranks_ = 0;
  std::uint64_t num_sequences_ = 0;
};

constexpr Counters& Counters::operator+=(const Counters& other) {
  num_sent += other.num_sent;
  num_copies += other.num_copies;
  num_delivered += other.num_delivered;
  for (std::size_t i = 0; i < num_by_outcome.size(); ++i) num_by_outcome[i] += other.num_by_outcome[i];
  num_copies_without_room += other.num_copies_without_room;
  num_marked += other.num_marked;
  num_corrupted += other.num_corrupted;
  num_overtaken += other.num_overtaken;
  sent_len += other.sent_len;
  delivered_len += other.delivered_len;
  return *this;
}

}  // namespace rdmawire::link
