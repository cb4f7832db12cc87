// When a packet leaves: serialisation at a bit rate behind a bounded queue, exact to the fraction of a nanosecond.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "protocol/link/impairments.h"

namespace rdmawire::link {

// time, which is not negative, plus so many nanoseconds (plus more, not negative either); Time::max() if that is too
// far in the future to be said.
constexpr Time later(Time time, std::uint64_t ns) {
  const auto room = static_cast<std::uint64_t>((Time::max() - time).count());
  return ns < room ? time + Time(static_cast<Time::rep>(ns)) : Time::max();
}

constexpr Time later(Time time, Time more) { return later(time, static_cast<std::uint64_t>(more.count())); }

// Bits leave one after the other without rest, so a queue is nothing but the time at which all of it will have left.
class Transmitter {
 public:
  struct Slot {
    Time begin;      // the first bit leaves, rounded up
    Time end;        // the last bit has left, rounded up
    bool congested;  // it found more than mark_threshold_len octets before it
  };

  // Takes rate, framing, queue and threshold from there. Those that wait already keep their times.
  constexpr void set(const Impairments& impairments) {
    const std::uint64_t rate = std::min(impairments.rate.bits_per_second, max_rate);
    if (rate != rate_) idle_at_ = rounded(idle_at_);
    rate_ = rate;
    framing_len_ = std::min(impairments.framing_len, no_limit);
    queue_limit_ = span_of(impairments.queue_len);
    mark_limit_ = span_of(impairments.mark_threshold_len);
  }

  // The time of a packet of that length that comes now; nothing if the queue has no room for it. now never goes back.
  constexpr std::optional<Slot> accept(std::uint32_t len, Time now) {
    if (now > idle_at_.ns) idle_at_ = {now, 0};
    if (rate_ == 0) return Slot{rounded(idle_at_).ns, rounded(idle_at_).ns, false};
    const std::uint64_t on_wire_len = std::min(std::uint64_t{len} + framing_len_, std::uint64_t{no_limit});
    const std::uint64_t work = on_wire_len * ns_bits_per_octet + idle_at_.fraction;
    const Instant end{later(idle_at_.ns, work / rate_), work % rate_};
    if (exceeds(end, now, queue_limit_)) return std::nullopt;
    const Slot slot{rounded(idle_at_).ns, rounded(end).ns, exceeds(idle_at_, now, mark_limit_)};
    idle_at_ = end;
    return slot;
  }

 private:
  static constexpr std::uint64_t max_rate = 1'000'000'000'000'000'000;
  static constexpr std::uint64_t ns_bits_per_octet = 8'000'000'000;
  // no_limit octets and the fraction of one nanosecond fit.
  static_assert(no_limit <= (~std::uint64_t{0} - max_rate) / ns_bits_per_octet);

  struct Instant {
    Time ns;
    std::uint64_t fraction;  // of the next nanosecond, in units of 1 / rate_
  };

  // The time that so many octets take.
  struct Span {
    std::uint64_t ns;
    std::uint64_t fraction;
  };

  static constexpr Instant rounded(Instant t) { return {later(t.ns, t.fraction == 0 ? 0 : 1), 0}; }

  constexpr Span span_of(std::uint32_t len) const {
    if (len >= no_limit || rate_ == 0) return {~std::uint64_t{0}, 0};
    const std::uint64_t work = len * ns_bits_per_octet;
    return {work / rate_, work % rate_};
  }

  static constexpr bool exceeds(Instant end, Time now, Span limit) {
    const auto ns = static_cast<std::uint64_t>((end.ns - now).count());
    return ns != limit.ns ? ns > limit.ns : end.fraction > limit.fraction;
  }

  std::uint64_t rate_ = 0;
  std::uint64_t framing_len_ = 0;
  Span queue_limit_{~std::uint64_t{0}, 0};
  Span mark_limit_{~std::uint64_t{0}, 0};
  Instant idle_at_{};  // all that was accepted will have left
};

}  // namespace rdmawire::link
