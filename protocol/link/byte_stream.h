// A simulated TCP connection between two hosts on a virtual clock, as those see it who use it: a reliable stream of
// octets each way, which arrive late, and in other pieces than they were written in. All of it follows from a seed, the
// same on every platform.
//
// The caller moves the time, as with a Link (link.h): it hands over what receive() gives, and goes on to next_arrival()
// when nobody has anything left to do. Nothing allocates after construction. A copy is a snapshot.
//
// What it does to a host that TCP does too: it takes fewer octets than were offered (back-pressure), ends one direction
// alone (FIN), and aborts both (RST). What TCP does to an RDMA NIC that has it inside: octets behind a gap can be had
// before the gap closes, and an octet may be damaged though TCP's checksum was good.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codec/base/bytes.h"
#include "protocol/link/random.h"
#include "protocol/link/side.h"
#include "protocol/time.h"

namespace rdmawire::link {

struct ByteStreamConfig {
  // Octets of each direction that were written and not yet read: what both hosts buffer, and what is on its way.
  std::uint32_t capacity = 65536;
  // Segments of each direction, likewise. When there is but one left, what is written then is not cut any more.
  std::uint32_t max_segments = 256;
  std::uint64_t seed = 0;
};

// What a direction does to what is written from then on.
struct StreamImpairments {
  // A write is cut into segments of 1 to max_segment_len octets, all lengths equally likely, and what arrived is read
  // in pieces that don't care for them. Or it is cut only where it is longer than that, and each is read by itself: a
  // sender that aligns its segments (RFC 5044, 5) to a receiver that sees them.
  bool keep_segments = false;
  std::uint32_t max_segment_len = 1460;

  // From writing to arriving: delay, and up to jitter more. Neither changes the order.
  Time delay{};
  Time jitter{};
  // A segment is lost and sent again: it arrives so much later, and those behind it don't wait for it.
  Ppm late{};
  Time late_by = std::chrono::milliseconds(1);
  // Those behind a gap are handed up before it closes; otherwise they stay with TCP until then.
  bool hand_up_ahead = false;
  // One bit of a segment is inverted.
  Ppm corrupt{};
};

// What shall happen at one octet of a direction, said in advance. A fate counts from when the octet is written on, so
// one for an octet that was written already comes at the next one.
struct StreamFate {
  enum class Kind : std::uint8_t {
    late,     // the segment with this octet arrives late_by later
    corrupt,  // the octet is changed by exclusive or with `flips`
    abort,    // a RST takes its place, for both sides: this octet never arrives, and all those before it do
    silence,  // nothing arrives any more in this direction, from this octet on: the host behind it died, or the path
  };
  std::uint64_t offset = 0;
  Kind kind = Kind::late;
  std::uint8_t flips = 0x01;
};

// What a side is told.
struct StreamPiece {
  enum class Kind : std::uint8_t {
    in_order,  // the next octets of the stream
    ahead,     // octets behind a gap; they come again in order
    end,       // FIN: no octets follow. Told once
    aborted,   // RST: the connection is gone. Told once, to each side that did not do it
  };
  Kind kind{};
  std::uint64_t offset = 0;  // of the first octet; of an end: how many there were
  Bytes octets;              // valid until the next call of anything that is not const
  // What was done on purpose to a segment that octets are of.
  bool late = false;
  bool corrupted = false;
};

class ByteStream {
 public:
  explicit ByteStream(const ByteStreamConfig& config);

  // As newly constructed with this seed.
  void reset(std::uint64_t seed);

  // Of the direction that `from` writes.
  void set(Side from, const StreamImpairments& impairments);
  void set_both(const StreamImpairments& impairments);
  // By ascending offset. The caller keeps them until reset() or the next call.
  void force(Side from, std::span<const StreamFate> fates) { of(from).fates = fates; }

  // Octets that write() takes now: 0 after close() and once the connection is aborted, as far as this side knows.
  std::size_t room(Side from, Time now);
  // Takes the first room() octets at most, and says how many. Time never goes back: a `now` before one that was given
  // counts as that one.
  std::size_t write(Side from, Bytes octets, Time now);
  // FIN, after all that was written. The other direction goes on.
  void close(Side from, Time now);
  // RST: what this side has not read is gone, what is on its way to the other side and arrives later too.
  void abort(Side from, Time now);

  // The next that side `to` is told by now, at most max_len octets of it (and 1 at least); nothing if there is none.
  // What it does not take stays, and holds up the writer.
  std::optional<StreamPiece> receive(Side to, Time now, std::size_t max_len = ~std::size_t{0});

  // When there may be more to receive, for any side, than there was at the last `now`; nothing if only what is written
  // meanwhile can bring it. What has arrived and nobody took is not waited for.
  std::optional<Time> next_arrival() const;

  // Octets that were taken from this side, and given to it in order.
  std::uint64_t num_written(Side from) const { return directions_[index(from)].written; }
  std::uint64_t num_received(Side to) const { return directions_[index(other(to))].read; }
  // It knows that the connection was aborted, by itself or the other side.
  bool is_aborted(Side side) const { return ends_[index(side)].aborted; }

 private:
  struct Segment {
    std::uint64_t begin = 0;  // offset in the stream
    std::uint32_t len = 0;    // octets
    bool told_ahead = false;
    bool late = false;
    bool corrupted = false;
    Time arrival{};
  };
  struct Direction {
    std::uint64_t seed = 0;
    StreamImpairments impairments{};
    std::span<const StreamFate> fates;
    std::vector<std::uint8_t> octets;  // the octet at offset n lies at n modulo its size
    std::vector<Segment> segments;     // likewise by number; those not read yet, in the order of the stream
    std::uint64_t first_segment = 0;
    std::uint64_t end_segment = 0;
    std::uint64_t written = 0;
    std::uint64_t read = 0;
    // Octets from here on never arrive.
    std::uint64_t cut = ~std::uint64_t{0};
    bool silent = false;
    Time last_arrival{};    // of those that are not late: what is written later does not arrive before
    Time latest_arrival{};  // of all
    bool closed = false;
    bool end_told = false;
    Time end_arrival{};
  };
  // What a side knows of the connection.
  struct End {
    bool aborted = false;  // it knows
    bool told = false;     // it was told, or did it itself
    std::optional<Time> abort_arrival;
  };

  static constexpr std::size_t index(Side side) { return static_cast<std::size_t>(side); }
  Direction& of(Side from) { return directions_[index(from)]; }
  Segment& segment(Direction& d, std::uint64_t number) { return d.segments[number % d.segments.size()]; }
  const Segment& segment(const Direction& d, std::uint64_t number) const {
    return d.segments[number % d.segments.size()];
  }
  void advance(Time now);
  void abort_at(Side side, Time at);
  std::size_t room_of(Side from) const;
  void add_segment(Side from, std::uint64_t begin, std::uint32_t len);
  void apply_fates(Direction& d, Segment& made, std::optional<StreamFate>& cut);
  std::optional<StreamPiece> next_in_order(Direction& d, Time by, std::size_t max_len);
  std::optional<StreamPiece> next_ahead(Direction& d, Time by);
  Bytes octets_at(const Direction& d, std::uint64_t offset, std::size_t len);

  ByteStreamConfig config_;
  std::array<Direction, 2> directions_;  // by who writes
  std::array<End, 2> ends_;
  std::vector<std::uint8_t> piece_;  // one that goes round the end of its buffer
  Time now_{};
};

}  // namespace rdmawire::link
