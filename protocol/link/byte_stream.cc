#include "protocol/link/byte_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"
#include "protocol/link/random.h"
#include "protocol/link/transmitter.h"

namespace rdmawire::link {

ByteStream::ByteStream(const ByteStreamConfig& config) : config_(config) {
  config_.capacity = std::max(config_.capacity, 1U);
  config_.max_segments = std::max(config_.max_segments, 1U);
  for (Direction& d : directions_) {
    d.octets.resize(config_.capacity);
    d.segments.resize(config_.max_segments);
  }
  piece_.resize(config_.capacity);
  reset(config.seed);
}

void ByteStream::reset(std::uint64_t seed) {
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    Direction& d = directions_[i];
    d.seed = SplitMix64::nth(seed, i);
    d.impairments = {};
    d.fates = {};
    d.first_segment = d.end_segment = 0;
    d.written = d.read = 0;
    d.cut = ~std::uint64_t{0};
    d.silent = d.closed = d.end_told = false;
    d.last_arrival = d.latest_arrival = d.end_arrival = {};
  }
  ends_ = {};
  now_ = {};
}

void ByteStream::set(Side from, const StreamImpairments& impairments) {
  StreamImpairments& own = of(from).impairments = impairments;
  own.max_segment_len = std::max(own.max_segment_len, 1U);
  for (Time* time : {&own.delay, &own.jitter, &own.late_by}) *time = std::max(*time, Time{});
}

void ByteStream::set_both(const StreamImpairments& impairments) {
  set(Side::a, impairments);
  set(Side::b, impairments);
}

void ByteStream::advance(Time now) {
  now_ = std::max(now_, now);
  for (End& end : ends_) end.aborted = end.aborted || (end.abort_arrival && *end.abort_arrival <= now_);
}

void ByteStream::abort_at(Side side, Time at) {
  End& end = ends_[index(side)];
  if (end.told || (end.abort_arrival && *end.abort_arrival <= at)) return;
  end.abort_arrival = at;
}

std::size_t ByteStream::room_of(Side from) const {
  const Direction& d = directions_[index(from)];
  if (d.closed || ends_[index(from)].aborted || d.end_segment - d.first_segment == d.segments.size()) return 0;
  return d.octets.size() - static_cast<std::size_t>(d.written - d.read);
}

std::size_t ByteStream::room(Side from, Time now) {
  advance(now);
  return room_of(from);
}

std::size_t ByteStream::write(Side from, Bytes octets, Time now) {
  advance(now);
  Direction& d = of(from);
  const std::size_t taken = std::min(octets.size(), room_of(from));
  for (std::size_t done = 0; done < taken;) {
    const std::size_t left = taken - done;
    std::size_t len = left;
    if (d.end_segment - d.first_segment + 1 < d.segments.size()) {
      const std::size_t most = std::min<std::size_t>(left, d.impairments.max_segment_len);
      // Of its own, so that no other number of the segment depends on how long it is.
      SplitMix64 random(SplitMix64::nth(~d.seed, d.end_segment));
      len = d.impairments.keep_segments ? most : static_cast<std::size_t>(random.below(most)) + 1;
    }
    for (std::size_t i = 0; i < len; ++i) d.octets[(d.written + i) % d.octets.size()] = octets[done + i];
    const std::uint64_t begin = d.written;
    d.written += len;
    done += len;
    add_segment(from, begin, static_cast<std::uint32_t>(len));
  }
  return taken;
}

void ByteStream::apply_fates(Direction& d, Segment& made, std::optional<StreamFate>& cut) {
  const std::uint64_t end = made.begin + made.len;
  while (!d.fates.empty() && d.fates.front().offset < end) {
    StreamFate fate = d.fates.front();
    d.fates = d.fates.subspan(1);
    fate.offset = std::max(fate.offset, made.begin);
    switch (fate.kind) {
      case StreamFate::Kind::late:
        made.late = true;
        break;
      case StreamFate::Kind::corrupt:
        d.octets[fate.offset % d.octets.size()] ^= fate.flips;
        made.corrupted = true;
        break;
      case StreamFate::Kind::abort:
      case StreamFate::Kind::silence:
        if (!cut) cut = fate;
        break;
    }
  }
}

void ByteStream::add_segment(Side from, std::uint64_t begin, std::uint32_t len) {
  Direction& d = of(from);
  // All are drawn, whether they are needed or not: so no chance depends on another.
  SplitMix64 random(SplitMix64::nth(d.seed, d.end_segment));
  Segment& made = segment(d, d.end_segment++);
  made = {.begin = begin, .len = len};
  const auto jitter =
      static_cast<Time::rep>(random.below(static_cast<std::uint64_t>(d.impairments.jitter.count()) + 1));
  made.late = random.chance(d.impairments.late);
  const std::uint64_t bit = random.below(std::uint64_t{len} * 8);
  if (random.chance(d.impairments.corrupt)) {
    d.octets[(begin + bit / 8) % d.octets.size()] ^= static_cast<std::uint8_t>(0x80U >> (bit % 8));
    made.corrupted = true;
  }
  std::optional<StreamFate> cut;
  apply_fates(d, made, cut);

  made.arrival = std::max(later(later(now_, d.impairments.delay), Time(jitter)), d.last_arrival);
  if (made.late) {
    made.arrival = later(made.arrival, d.impairments.late_by);
  } else {
    d.last_arrival = made.arrival;
  }
  d.latest_arrival = std::max(d.latest_arrival, made.arrival);
  if (!cut || d.cut != ~std::uint64_t{0}) return;
  d.cut = cut->offset;
  if (cut->kind == StreamFate::Kind::silence) {
    d.silent = true;
    return;
  }
  // It comes where the octet would have come in order, so all those before it are there.
  abort_at(Side::a, d.latest_arrival);
  abort_at(Side::b, d.latest_arrival);
}

void ByteStream::close(Side from, Time now) {
  advance(now);
  Direction& d = of(from);
  if (d.closed || ends_[index(from)].aborted) return;
  d.closed = true;
  d.end_arrival = std::max(later(now_, d.impairments.delay), d.latest_arrival);
}

void ByteStream::abort(Side from, Time now) {
  advance(now);
  End& own = ends_[index(from)];
  if (own.aborted) return;
  own.aborted = own.told = true;
  const Direction& d = of(from);
  if (!d.silent) abort_at(other(from), later(now_, d.impairments.delay));
}

// piece_ has room for all that a buffer holds.
Bytes ByteStream::octets_at(const Direction& d, std::uint64_t offset, std::size_t len) {
  const std::size_t at = offset % d.octets.size();
  if (at + len <= d.octets.size()) return Bytes(d.octets).subspan(at, len);
  const std::size_t head = d.octets.size() - at;
  std::copy_n(d.octets.begin() + static_cast<std::ptrdiff_t>(at), head, piece_.begin());
  std::copy_n(d.octets.begin(), len - head, piece_.begin() + static_cast<std::ptrdiff_t>(head));
  return Bytes(piece_).first(len);
}

std::optional<StreamPiece> ByteStream::next_in_order(Direction& d, Time by, std::size_t max_len) {
  max_len = std::max<std::size_t>(max_len, 1);
  StreamPiece out{StreamPiece::Kind::in_order, d.read, {}};
  std::uint64_t end = d.read;
  for (std::uint64_t number = d.first_segment; number != d.end_segment; ++number) {
    const Segment& next = segment(d, number);
    if (next.arrival > by || d.cut <= end || end - d.read >= max_len) break;
    end = std::min(next.begin + next.len, d.cut);
    out.late = out.late || next.late;
    out.corrupted = out.corrupted || next.corrupted;
    if (d.impairments.keep_segments) break;
  }
  if (end == d.read) return std::nullopt;
  const std::uint64_t len = std::min<std::uint64_t>(end - d.read, max_len);
  out.octets = octets_at(d, d.read, static_cast<std::size_t>(len));
  d.read += len;
  while (d.first_segment != d.end_segment) {
    const Segment& first = segment(d, d.first_segment);
    if (first.begin + first.len > d.read) break;
    ++d.first_segment;
  }
  return out;
}

std::optional<StreamPiece> ByteStream::next_ahead(Direction& d, Time by) {
  if (!d.impairments.hand_up_ahead) return std::nullopt;
  for (std::uint64_t number = d.first_segment; number != d.end_segment; ++number) {
    Segment& next = segment(d, number);
    if (next.told_ahead || next.arrival > by) continue;
    if (next.begin >= d.cut) break;
    next.told_ahead = true;
    const std::uint64_t len = std::min<std::uint64_t>(next.len, d.cut - next.begin);
    return StreamPiece{StreamPiece::Kind::ahead, next.begin, octets_at(d, next.begin, static_cast<std::size_t>(len)),
                       next.late, next.corrupted};
  }
  return std::nullopt;
}

std::optional<StreamPiece> ByteStream::receive(Side to, Time now, std::size_t max_len) {
  advance(now);
  Direction& d = of(other(to));
  End& end = ends_[index(to)];
  if (end.told) return std::nullopt;
  // What arrives after the RST is dropped.
  const Time by = end.aborted ? std::min(now_, *end.abort_arrival) : now_;
  if (auto piece = next_in_order(d, by, max_len)) return piece;
  if (end.aborted) {
    end.told = true;
    return StreamPiece{StreamPiece::Kind::aborted, d.read, {}};
  }
  if (auto piece = next_ahead(d, by)) return piece;
  if (d.closed && !d.end_told && !d.silent && d.end_arrival <= now_ && d.read == d.written) {
    d.end_told = true;
    return StreamPiece{StreamPiece::Kind::end, d.read, {}};
  }
  return std::nullopt;
}

std::optional<Time> ByteStream::next_arrival() const {
  std::optional<Time> out;
  const auto note = [&](Time at) {
    if (at > now_ && (!out || at < *out)) out = at;
  };
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    const End& reader = ends_[1 - i];
    if (reader.aborted) continue;
    if (reader.abort_arrival) note(*reader.abort_arrival);
    const Direction& d = directions_[i];
    for (std::uint64_t number = d.first_segment; number != d.end_segment; ++number) {
      const Segment& next = segment(d, number);
      if (next.begin >= d.cut) break;
      note(next.arrival);
    }
    if (d.closed && !d.end_told && !d.silent) note(d.end_arrival);
  }
  return out;
}

}  // namespace rdmawire::link
