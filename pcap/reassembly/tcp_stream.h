// One direction of a TCP connection as a capture shows it: segments in any order in, octets in theirs out.
// RFC 9293, 3.4. A capture is not a receiver: it may lack what the receiver got, and nothing is sent again for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/base/bytes.h"

namespace rdmawire::reassembly {

// What one frame says of its direction.
struct Segment {
  std::uint64_t frame = 0;     // the frame's number: ascending
  std::uint32_t sequence = 0;  // of the first octet; with syn, of the SYN before it
  Bytes octets;                // those captured
  std::uint32_t wire_len = 0;  // octets on the wire: at least those captured. SYN and FIN are none
  bool syn = false;
  bool fin = false;
};

// Who gets the octets of a direction. Offsets count from the first octet that it was seen to send (after a SYN: the
// first of the connection).
class StreamConsumer {
 public:
  virtual ~StreamConsumer() = default;
  // The next octets, and the frame that they came in. They are valid during the call. Returns how many it takes; if
  // fewer, the stream is paused: the rest is held until resume.
  virtual std::size_t take(Bytes octets, std::uint64_t frame) = 0;
  // The next len octets were not captured.
  virtual void skip(std::uint64_t len) = 0;
  // Octets of that frame are held, and no longer; calls pair. The frame is the one being added, or held in part
  // already.
  virtual void hold(std::uint64_t frame) = 0;
  virtual void unhold(std::uint64_t frame) = 0;
};

// What directions hold, all together.
struct HeldLimits {
  std::size_t max_len;        // octets that a direction may hold
  std::size_t max_total_len;  // all together; whoever owns the directions sees to it
  std::size_t total_len = 0;
};

struct TcpCounts {
  std::uint64_t retransmitted_len = 0;  // octets that came again
  std::uint64_t conflicting_len = 0;  // of those: with other content than the first copy, which counts (if it is there)
  std::uint64_t missing_len = 0;      // octets that never came
};

// Octets are passed on without a copy as long as they come in order; what comes too early is copied and held. First
// copies win. What lies before the first octet seen is not known. Memory: what is held (each piece counts
// piece_overhead more), at most HeldLimits::max_len and one segment.
//
// A hole is given up, which the consumer sees as skip, by give_up_acknowledged, give_up_all, or because more is held
// than may be.
class TcpStream {
 public:
  static constexpr std::size_t piece_overhead = 64;  // octets

  TcpStream(HeldLimits& limits, TcpCounts& counts) : limits_(limits), counts_(counts) {}
  ~TcpStream() { limits_.total_len -= held_len_; }
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  // The sequence number of its first octet is known: the other end's SYN,ACK says so.
  void start(std::uint32_t sequence);
  void add(const Segment& segment, StreamConsumer& consumer);
  // The consumer takes again what it left.
  void resume(StreamConsumer& consumer);
  // The other end has received all before this sequence number.
  void acknowledge(std::uint32_t acknowledgment);

  // Gives up holes up to the offset, as far as they were acknowledged.
  void give_up_acknowledged(std::uint64_t up_to, StreamConsumer& consumer);
  // Gives up every hole, those before an acknowledged octet or the FIN too.
  void give_up_all(StreamConsumer& consumer);
  // What is held, and what comes, is of no interest any more.
  void discard(StreamConsumer& consumer);

  bool started() const { return started_; }
  // True if the direction's first octet is known, not only the first that was captured.
  bool start_known() const { return start_known_; }
  // The sequence number of offset 0.
  std::uint32_t first_sequence() const { return first_sequence_; }
  std::uint64_t next_offset() const { return next_; }
  bool paused() const { return paused_; }
  std::size_t held_len() const { return held_len_; }
  // The other end has octets that the capture has not, or not yet: so far as this offset.
  std::uint64_t acknowledged_offset() const { return std::min(acknowledged_, fin_.value_or(acknowledged_)); }
  bool acknowledged_hole() const { return started_ && acknowledged_offset() > next_; }
  // The FIN, and all before it, came or was given up.
  bool ended() const { return fin_ && next_ >= *fin_ && !paused_; }

 private:
  struct Piece {
    std::uint64_t offset;
    std::uint64_t len;
    std::uint64_t frame;
    std::vector<std::uint8_t> octets;  // len of them, from `begin` on; none if the capture cut them off
    std::size_t begin = 0;

    std::uint64_t end() const { return offset + len; }
    std::size_t cost() const { return octets.size() + piece_overhead; }
  };
  using Pieces = std::vector<Piece>;

  std::int64_t offset_of(std::uint32_t sequence) const;
  void deliver(const Segment& segment, Bytes octets, std::uint64_t wire_len, StreamConsumer& consumer);
  void insert(std::uint64_t offset, const Segment& segment, Bytes octets, std::uint64_t wire_len,
              StreamConsumer& consumer);
  void compare(const Piece& first, std::uint64_t offset, Bytes octets);
  void hold(Pieces::iterator before, std::uint64_t offset, Bytes octets, std::uint64_t wire_len, std::uint64_t frame,
            StreamConsumer& consumer);
  void drain(StreamConsumer& consumer);
  void skip_to(std::uint64_t offset, StreamConsumer& consumer);
  void enforce_limit(StreamConsumer& consumer);

  HeldLimits& limits_;
  TcpCounts& counts_;
  bool started_ = false;
  bool start_known_ = false;
  bool paused_ = false;
  std::uint32_t first_sequence_ = 0;
  std::uint64_t next_ = 0;          // the offset of the next octet to pass on
  std::uint64_t high_ = 0;          // one past the last octet seen
  std::uint64_t acknowledged_ = 0;  // offset of the first octet that the other end did not have
  std::optional<std::uint64_t> fin_;
  Pieces held_;  // by offset, none overlapping
  std::size_t held_len_ = 0;
};

}  // namespace rdmawire::reassembly
