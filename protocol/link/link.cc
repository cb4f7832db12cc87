#include "protocol/link/link.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/base/bytes.h"
#include "protocol/link/congestion.h"
#include "protocol/link/random.h"

namespace rdmawire::link {

namespace {

bool in_outage(const Impairments& impairments, Time at) {
  return std::ranges::any_of(impairments.outages, [at](const Outage& o) { return o.begin <= at && at < o.end; });
}

bool nothing_to_chance(const Impairments& i) {
  return i.mark == Ppm{} && i.loss == Ppm{} && i.burst.enter == Ppm{} && i.duplicate == Ppm{} && i.corrupt == Ppm{} &&
         i.reorder == Ppm{} && i.jitter == Time{};
}

}  // namespace

Link::Link(const LinkConfig& config)
    : num_endpoints_(config.num_endpoints),
      max_packet_len_(std::min(config.max_packet_len, no_limit)),
      link_type_(config.link_type),
      directions_(std::size_t{num_endpoints_} * num_endpoints_),
      in_flight_(config.capacity, max_packet_len_) {
  reset(config.seed);
}

void Link::reset(std::uint64_t seed) {
  for (std::uint32_t i = 0; i < directions_.size(); ++i) {
    directions_[i] = Direction{};
    // By the endpoints, not by the index: more endpoints don't change the directions between the others.
    directions_[i].seed = SplitMix64::nth(seed, std::uint64_t{from_of(i).value} << 16 | to_of(i).value);
  }
  in_flight_.clear();
  fates_ = {};
  now_ = {};
  num_ranks_ = 0;
  num_sequences_ = 0;
}

void Link::set(Endpoint from, Endpoint to, const Impairments& impairments) {
  Direction& direction = directions_[index_of(from, to)];
  Impairments& own = direction.impairments = impairments;
  for (Time* time : {&own.delay, &own.jitter, &own.reorder_hold}) *time = std::max(*time, Time{});
  direction.leaves_nothing_to_chance = nothing_to_chance(own);
  direction.bad_state = false;
  direction.transmitter.set(own);
}

void Link::set_all(const Impairments& impairments) {
  for (std::uint32_t i = 0; i < directions_.size(); ++i) set(from_of(i), to_of(i), impairments);
}

void Link::force(Endpoint from, Endpoint to, std::span<const NumberedFate> fates) {
  directions_[index_of(from, to)].fates = fates;
}

Counters Link::total() const {
  Counters sum;
  for (const Direction& direction : directions_) sum += direction.counters;
  return sum;
}

// The numbers of each packet are drawn from a generator of its own, those of all stages whether they are on or not: so
// a stage that is turned on leaves what the others do as it was.
Link::Plan Link::plan_by_chance(Direction& direction, std::uint32_t len) {
  Plan plan;
  if (direction.leaves_nothing_to_chance) return plan;
  const Impairments& impairments = direction.impairments;
  SplitMix64 random(SplitMix64::nth(direction.seed, direction.counters.num_sent));
  if (random.chance(direction.bad_state ? impairments.burst.leave : impairments.burst.enter)) {
    direction.bad_state = !direction.bad_state;
  }
  if (random.chance(direction.bad_state ? impairments.burst.loss : impairments.loss)) {
    plan.outcome = direction.bad_state ? SendOutcome::burst_lost : SendOutcome::lost;
  }
  plan.duplicate = random.chance(impairments.duplicate);
  plan.mark = random.chance(impairments.mark);
  plan.original = transit_by_chance(impairments, random.next(), len);
  const std::uint64_t seed_of_copy = random.next();
  if (plan.duplicate) plan.copy = transit_by_chance(impairments, seed_of_copy, len);
  return plan;
}

Link::Transit Link::transit_by_chance(const Impairments& impairments, std::uint64_t seed, std::uint32_t len) {
  Transit transit;
  SplitMix64 random(seed);
  const bool corrupt = random.chance(impairments.corrupt);
  const bool reorder = random.chance(impairments.reorder);
  transit.jitter =
      Time(static_cast<Time::rep>(random.below(static_cast<std::uint64_t>(impairments.jitter.count()) + 1)));
  if (const std::uint64_t behind = random.below(std::max(impairments.reorder_bound, 1U)); reorder) {
    transit.behind = std::min(static_cast<std::uint32_t>(behind) + 1, impairments.reorder_bound);
  }
  if (!corrupt || len <= impairments.protected_len) return transit;
  const std::uint64_t first_bit = std::uint64_t{impairments.protected_len} * 8;
  const std::uint64_t num_bits = std::uint64_t{len} * 8 - first_bit;
  const std::uint64_t num_flips = 1 + random.below(std::clamp(impairments.max_flips, 1U, Impairments::max_max_flips));
  while (transit.num_flips < num_flips) {
    const auto end = transit.flips.begin() + transit.num_flips;
    const std::uint64_t bit = first_bit + random.below(num_bits);
    // A bit that is inverted twice is as it was. An octet has as many bits as can be asked for.
    if (std::find(transit.flips.begin(), end, bit) == end) transit.flips[transit.num_flips++] = bit;
  }
  return transit;
}

void Link::plan_by_fate(Plan& plan, Fate fate, std::uint32_t len) {
  plan = Plan{};
  switch (fate.kind) {
    case Fate::Kind::chance:
    case Fate::Kind::pass:
      break;
    case Fate::Kind::drop:
      plan.outcome = SendOutcome::forced;
      break;
    case Fate::Kind::duplicate:
      plan.duplicate = true;
      plan.copy.behind = fate.value;
      break;
    case Fate::Kind::hold:
      plan.original.behind = fate.value;
      break;
    case Fate::Kind::corrupt:
      if (len == 0) break;
      plan.original.num_flips = 1;
      plan.original.flips[0] = fate.value % (std::uint64_t{len} * 8);
      break;
    case Fate::Kind::mark:
      plan.mark = true;
      break;
  }
}

Fate Link::next_fate(Direction& direction) {
  Fate fate;
  if (!fates_.empty()) {
    fate = fates_.front();
    fates_ = fates_.subspan(1);
  }
  std::span<const NumberedFate>& numbered = direction.fates;
  const std::uint64_t number = direction.counters.num_sent;
  while (!numbered.empty() && numbered.front().number < number) numbered = numbered.subspan(1);
  if (!numbered.empty() && numbered.front().number == number) fate = numbered.front().fate;
  return fate;
}

SendOutcome Link::send(Endpoint from, Endpoint to, Bytes packet, Time now) {
  now_ = std::max(now_, now);
  const std::size_t index = index_of(from, to);
  const SendOutcome outcome = transmit(index, packet);
  Counters& counters = directions_[index].counters;
  ++counters.num_sent;
  ++counters.num_by_outcome[static_cast<std::size_t>(outcome)];
  counters.sent_len += packet.size();
  return outcome;
}

SendOutcome Link::transmit(std::size_t index, Bytes packet) {
  Direction& direction = directions_[index];
  const auto len = static_cast<std::uint32_t>(std::min(packet.size(), std::size_t{no_limit}));
  Plan plan = plan_by_chance(direction, len);
  if (const Fate fate = next_fate(direction); fate.kind != Fate::Kind::chance) plan_by_fate(plan, fate, len);

  if (packet.size() > std::min(direction.impairments.mtu, max_packet_len_)) return SendOutcome::too_long;
  const std::optional<Transmitter::Slot> slot = direction.transmitter.accept(len, now_);
  if (!slot) return SendOutcome::queue_full;
  if (in_outage(direction.impairments, slot->begin)) return SendOutcome::outage;
  if (plan.outcome != SendOutcome::accepted) return plan.outcome;
  plan.mark = plan.mark || slot->congested;
  if (!put_in_flight(index, packet, slot->end, plan, false)) return SendOutcome::no_room;
  if (plan.duplicate) {
    ++(put_in_flight(index, packet, slot->end, plan, true) ? direction.counters.num_copies
                                                           : direction.counters.num_copies_without_room);
  }
  return SendOutcome::accepted;
}

bool Link::put_in_flight(std::size_t index, Bytes packet, Time left_at, const Plan& plan, bool is_copy) {
  const SlotIndex slot = in_flight_.take();
  if (slot == no_slot) return false;
  Direction& direction = directions_[index];
  const Transit& transit = is_copy ? plan.copy : plan.original;
  const MutableBytes octets = in_flight_.octets(slot).first(packet.size());
  // By pointers: g++ 12 copies between spans octet by octet.
  std::copy_n(packet.data(), packet.size(), octets.data());

  Packet& made = in_flight_[slot];
  made.rank = num_ranks_++;
  made.sequence = num_sequences_++;
  made.number = direction.counters.num_sent;
  made.sent_at = now_;
  made.direction = static_cast<std::uint32_t>(index);
  made.len = static_cast<std::uint32_t>(packet.size());
  made.behind = transit.behind;
  made.num_flips = transit.num_flips;
  made.copy = is_copy;
  made.marked = plan.mark && mark_congestion(link_type_, octets);
  for (std::size_t i = 0; i < transit.num_flips; ++i) {
    const std::uint64_t bit = transit.flips[i];
    octets[bit / 8] ^= static_cast<std::uint8_t>(0x80U >> (bit % 8));
  }
  if (made.marked) ++direction.counters.num_marked;
  if (made.num_flips != 0) ++direction.counters.num_corrupted;

  const Time after_transit = later(later(left_at, direction.impairments.delay), transit.jitter);
  made.arrival = std::max(after_transit, direction.last_arrival);
  if (made.behind != 0) {
    made.arrival = later(made.arrival, direction.impairments.reorder_hold);
    hold(direction, slot);
    in_flight_.push(slot);
    return true;
  }
  arrive_held(direction, made.arrival);
  in_flight_.push(slot);
  direction.last_arrival = made.arrival;
  count_overtaking(direction, made.sequence, made.arrival);
  return true;
}

void Link::hold(Direction& direction, SlotIndex slot) {
  Packet& packet = in_flight_[slot];
  packet.held = true;
  packet.previous_held = direction.last_held;
  (direction.last_held == no_slot ? direction.first_held : in_flight_[direction.last_held].next_held) = slot;
  direction.last_held = slot;
}

void Link::unhold(Direction& direction, SlotIndex slot) {
  Packet& packet = in_flight_[slot];
  const SlotIndex next = packet.next_held;
  const SlotIndex previous = packet.previous_held;
  (previous == no_slot ? direction.first_held : in_flight_[previous].next_held) = next;
  (next == no_slot ? direction.last_held : in_flight_[next].previous_held) = previous;
  packet.held = false;
}

// Those whose hold ends by then arrive before whatever arrives then.
void Link::arrive_held(Direction& direction, Time by) {
  for (;;) {
    SlotIndex first = no_slot;
    for (SlotIndex i = direction.first_held; i != no_slot; i = in_flight_[i].next_held) {
      if (in_flight_[i].arrival <= by && (first == no_slot || in_flight_.before(i, first))) first = i;
    }
    if (first == no_slot) return;
    unhold(direction, first);
    count_overtaking(direction, in_flight_[first].sequence, in_flight_[first].arrival);
  }
}

// A packet arrives at that time: of those held back that were sent before it, some have let enough others pass now.
// They arrive at once, and each of them overtakes in its turn.
void Link::count_overtaking(Direction& direction, std::uint64_t sequence, Time at) {
  for (;;) {
    for (SlotIndex i = direction.first_held; i != no_slot && in_flight_[i].sequence < sequence;
         i = in_flight_[i].next_held) {
      ++in_flight_[i].overtaken;
    }
    SlotIndex ready = direction.first_held;
    while (ready != no_slot && in_flight_[ready].overtaken < in_flight_[ready].behind) {
      ready = in_flight_[ready].next_held;
    }
    if (ready == no_slot) return;
    unhold(direction, ready);
    Packet& packet = in_flight_[ready];
    packet.arrival = at;
    packet.rank = num_ranks_++;
    in_flight_.moved_forward(ready);
    sequence = packet.sequence;
  }
}

std::optional<Time> Link::next_arrival() const {
  const SlotIndex slot = in_flight_.first();
  if (slot == no_slot) return std::nullopt;
  return in_flight_[slot].arrival;
}

std::optional<Delivery> Link::receive(Time now) {
  now_ = std::max(now_, now);
  const SlotIndex slot = in_flight_.first();
  if (slot == no_slot || in_flight_[slot].arrival > now_) return std::nullopt;
  in_flight_.pop();
  const Packet& packet = in_flight_[slot];
  Direction& direction = directions_[packet.direction];
  if (packet.held) {
    unhold(direction, slot);
    count_overtaking(direction, packet.sequence, packet.arrival);
  }
  ++direction.counters.num_delivered;
  direction.counters.delivered_len += packet.len;
  if (packet.overtaken != 0) ++direction.counters.num_overtaken;

  Delivery delivery;
  delivery.from = from_of(packet.direction);
  delivery.to = to_of(packet.direction);
  delivery.octets = in_flight_.octets(slot).first(packet.len);
  delivery.sent_at = packet.sent_at;
  delivery.arrived_at = packet.arrival;
  delivery.number = packet.number;
  delivery.num_overtaking = packet.overtaken;
  delivery.num_flipped_bits = packet.num_flips;
  delivery.copy = packet.copy;
  delivery.marked = packet.marked;
  return delivery;
}

}  // namespace rdmawire::link
