#include "pcap/reassembly/tcp_stream.h"

#include <algorithm>
#include <utility>

namespace rdmawire::reassembly {

namespace {

// No window is larger (RFC 7323, 2.3), so nothing older is sent again: what looks older lies ahead, behind octets that
// the capture lacks.
constexpr std::uint32_t max_window = std::uint32_t{1} << 30;

}  // namespace

// The offset of the octet with that sequence number: the one near the next. Negative before the first octet seen.
std::int64_t TcpStream::offset_of(std::uint32_t sequence) const {
  const std::uint32_t ahead = sequence - (first_sequence_ + static_cast<std::uint32_t>(next_));
  const std::uint32_t behind = 0 - ahead;
  const auto next = static_cast<std::int64_t>(next_);
  return ahead != 0 && behind <= max_window ? next - behind : next + ahead;
}

void TcpStream::start(std::uint32_t sequence) {
  if (started_) return;
  started_ = true;
  start_known_ = true;
  first_sequence_ = sequence;
}

void TcpStream::add(const Segment& segment, StreamConsumer& consumer) {
  const std::uint32_t sequence = segment.sequence + (segment.syn ? 1 : 0);
  if (!started_) {
    if (!segment.syn && segment.wire_len == 0) return;
    started_ = true;
    start_known_ = segment.syn;
    first_sequence_ = sequence;
  }
  const std::int64_t begin = offset_of(sequence);
  const std::int64_t end = begin + segment.wire_len;
  const auto next = static_cast<std::int64_t>(next_);
  if (segment.fin && !fin_ && end >= next) fin_ = static_cast<std::uint64_t>(end);
  if (segment.wire_len == 0) return;
  // A keep-alive, whose octet is not one of the stream (RFC 9293, 3.8.4).
  const auto high = static_cast<std::int64_t>(std::max(high_, acknowledged_));
  if (segment.wire_len == 1 && begin + 1 == high && begin >= 0 && !segment.syn && !segment.fin) return;
  if (end > next) high_ = std::max(high_, static_cast<std::uint64_t>(end));
  if (end <= next) {
    counts_.retransmitted_len += segment.wire_len;
    return;
  }
  Bytes octets = segment.octets;
  std::uint64_t wire_len = segment.wire_len;
  std::uint64_t offset = next_;
  if (begin < next) {
    const auto old = static_cast<std::uint64_t>(next - begin);
    counts_.retransmitted_len += old;
    octets = octets.subspan(std::min<std::size_t>(old, octets.size()));
    wire_len -= old;
  } else {
    offset = static_cast<std::uint64_t>(begin);
  }
  if (fin_ && offset + wire_len > *fin_) {  // there is nothing after a FIN
    if (offset >= *fin_) return;
    wire_len = *fin_ - offset;
    octets = octets.first(std::min<std::size_t>(wire_len, octets.size()));
  }
  if (offset == next_ && held_.empty() && !paused_) [[likely]] {
    return deliver(segment, octets, wire_len, consumer);
  }
  if (offset == next_ && !paused_) {
    const std::uint64_t room = std::min(wire_len, held_.front().offset - next_);
    const std::size_t now = std::min<std::size_t>(room, octets.size());
    deliver(segment, octets.first(now), room, consumer);
    octets = octets.subspan(now);
    wire_len -= room;
    offset += room;
  }
  if (wire_len != 0) insert(offset, segment, octets, wire_len, consumer);
  drain(consumer);
  enforce_limit(consumer);
}

// The octets at next_, up to the first that is held.
void TcpStream::deliver(const Segment& segment, Bytes octets, std::uint64_t wire_len, StreamConsumer& consumer) {
  const std::size_t taken = octets.empty() ? 0 : consumer.take(octets, segment.frame);
  next_ += taken;
  if (taken < octets.size()) {
    paused_ = true;
    hold(held_.begin(), next_, octets.subspan(taken), wire_len - taken, segment.frame, consumer);
    return;
  }
  if (wire_len > taken) skip_to(next_ + (wire_len - taken), consumer);
}

// Holds of the segment what is not held already.
void TcpStream::insert(std::uint64_t offset, const Segment& segment, Bytes octets, std::uint64_t wire_len,
                       StreamConsumer& consumer) {
  const auto cut = [&](std::uint64_t len) {
    const std::size_t there = std::min<std::size_t>(len, octets.size());
    const Bytes front = octets.first(there);
    octets = octets.subspan(there);
    offset += len;
    wire_len -= len;
    return front;
  };
  std::size_t i = static_cast<std::size_t>(
      std::partition_point(held_.begin(), held_.end(), [&](const Piece& piece) { return piece.end() <= offset; }) -
      held_.begin());
  while (wire_len != 0) {
    if (i == held_.size() || held_[i].offset >= offset + wire_len) {
      const std::uint64_t at = offset;
      const std::uint64_t len = wire_len;
      const Bytes front = cut(len);
      return hold(held_.begin() + static_cast<std::ptrdiff_t>(i), at, front, len, segment.frame, consumer);
    }
    if (held_[i].offset > offset) {
      const std::uint64_t at = offset;
      const std::uint64_t len = held_[i].offset - offset;
      const Bytes front = cut(len);
      const std::size_t before = held_.size();
      hold(held_.begin() + static_cast<std::ptrdiff_t>(i), at, front, len, segment.frame, consumer);
      i += held_.size() - before;
    }
    const std::uint64_t at = offset;
    const std::uint64_t len = std::min(wire_len, held_[i].end() - offset);
    counts_.retransmitted_len += len;
    const Bytes again = cut(len);
    compare(held_[i], at, again);
    ++i;
  }
}

void TcpStream::compare(const Piece& first, std::uint64_t offset, Bytes octets) {
  if (first.octets.empty()) return;
  const std::uint8_t* p = first.octets.data() + first.begin + (offset - first.offset);
  for (std::size_t i = 0; i < octets.size(); ++i) counts_.conflicting_len += p[i] != octets[i] ? 1U : 0U;
}

void TcpStream::hold(Pieces::iterator before, std::uint64_t offset, Bytes octets, std::uint64_t wire_len,
                     std::uint64_t frame, StreamConsumer& consumer) {
  const auto put = [&](std::uint64_t at, Bytes there, std::uint64_t len) {
    Piece piece{at, len, frame, {there.begin(), there.end()}};
    held_len_ += piece.cost();
    limits_.total_len += piece.cost();
    before = held_.insert(before, std::move(piece)) + 1;
    consumer.hold(frame);
  };
  if (!octets.empty()) put(offset, octets, octets.size());
  if (wire_len > octets.size()) put(offset + octets.size(), {}, wire_len - octets.size());
}

// Passes on what is held and has its turn.
void TcpStream::drain(StreamConsumer& consumer) {
  std::size_t done = 0;
  while (!paused_ && done < held_.size() && held_[done].offset == next_) {
    Piece& piece = held_[done];
    if (piece.octets.empty()) {
      consumer.skip(piece.len);
      counts_.missing_len += piece.len;
      next_ += piece.len;
    } else {
      const Bytes octets = Bytes(piece.octets).subspan(piece.begin);
      const std::size_t taken = consumer.take(octets, piece.frame);
      next_ += taken;
      if (taken < octets.size()) {
        paused_ = true;
        piece.begin += taken;
        piece.offset += taken;
        piece.len -= taken;
        break;
      }
    }
    ++done;
  }
  if (done == 0) return;
  for (std::size_t i = 0; i < done; ++i) {
    held_len_ -= held_[i].cost();
    limits_.total_len -= held_[i].cost();
    consumer.unhold(held_[i].frame);
  }
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(done));
}

void TcpStream::skip_to(std::uint64_t offset, StreamConsumer& consumer) {
  if (offset == next_) return;
  consumer.skip(offset - next_);
  counts_.missing_len += offset - next_;
  next_ = offset;
}

void TcpStream::enforce_limit(StreamConsumer& consumer) {
  while (held_len_ > limits_.max_len && !paused_) {
    skip_to(held_.front().offset, consumer);
    drain(consumer);
  }
}

void TcpStream::resume(StreamConsumer& consumer) {
  paused_ = false;
  drain(consumer);
  enforce_limit(consumer);
}

void TcpStream::acknowledge(std::uint32_t acknowledgment) {
  if (!started_) return;
  const std::int64_t offset = offset_of(acknowledgment);
  if (offset > static_cast<std::int64_t>(high_) + max_window) return;  // not even in a window: damaged
  if (offset > static_cast<std::int64_t>(acknowledged_)) acknowledged_ = static_cast<std::uint64_t>(offset);
}

void TcpStream::give_up_acknowledged(std::uint64_t up_to, StreamConsumer& consumer) {
  const std::uint64_t end = std::min(up_to, acknowledged_offset());
  while (next_ < end && !paused_) {
    skip_to(held_.empty() ? end : std::min(end, held_.front().offset), consumer);
    drain(consumer);
  }
}

void TcpStream::give_up_all(StreamConsumer& consumer) {
  while (!held_.empty() && !paused_) {
    skip_to(held_.front().offset, consumer);
    drain(consumer);
  }
  if (paused_) return;
  const std::uint64_t end = fin_.value_or(acknowledged_);
  if (end > next_) skip_to(end, consumer);
}

void TcpStream::discard(StreamConsumer& consumer) {
  for (const Piece& piece : held_) {
    limits_.total_len -= piece.cost();
    consumer.unhold(piece.frame);
  }
  held_.clear();
  held_.shrink_to_fit();
  held_len_ = 0;
  paused_ = false;
}

}  // namespace rdmawire::reassembly
