// A simulated SCTP association between two hosts on a virtual clock, as those see it who use it: user messages, each
// in one DATA chunk, which arrive late and, if they are sent unordered, in another order; each once. All of it follows
// from a seed, the same on every platform. There are no SCTP packets in it.
//
// It lies on a Link (link.h) that neither loses nor duplicates, and is used as one: the caller moves the time, and
// hands over what receive() gives. Nothing allocates after construction. A copy is a snapshot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/net/sctp.h"
#include "protocol/link/fate.h"
#include "protocol/link/link.h"
#include "protocol/link/random.h"
#include "protocol/link/side.h"
#include "protocol/time.h"

namespace rdmawire::link {

struct ChunkStreamConfig {
  std::uint16_t num_streams = 16;  // in each direction: DDP wants both alike (RFC 5043, 8)
  // Chunks of each direction that are not acknowledged.
  std::uint32_t capacity = 256;
  // Octets of user data that fit in one chunk without fragmentation.
  std::uint32_t max_chunk_len = 1452;
  // Adaptation Layer Indication of INIT and INIT ACK, by side; nothing: the parameter is not there.
  std::array<std::optional<std::uint32_t>, 2> indications{};
  std::uint64_t seed = 0;
};

// What a direction does to what is sent from then on.
struct ChunkImpairments {
  Time delay{};
  Time jitter{};  // up to so much more; changes no order
  // An unordered chunk is held back until 1 to reorder_bound later ones have overtaken it, or for reorder_hold.
  Ppm reorder{};
  std::uint32_t reorder_bound = 8;
  Time reorder_hold = std::chrono::milliseconds(1);
  Ppm corrupt{};     // a bit of the user data is inverted, though SCTP's checksum was good
  Time ack_delay{};  // beyond delay, of the acknowledgments of what this direction carries
};

struct SentChunk {
  std::uint16_t stream = 0;
  net::SctpPayloadProtocol protocol{};
  bool unordered = true;
  Bytes octets;
  // The sender's own, which comes back with the acknowledgment.
  std::uint32_t context = 0;
};

enum class ChunkOutcome : std::uint8_t {
  accepted,   //
  no_room,    // capacity chunks are not acknowledged: try again after an acknowledgment
  too_long,   // longer than max_chunk_len
  no_stream,  // num_streams and above
  closed,     // shut down or aborted, as far as this side knows
};

constexpr std::string_view name_of(ChunkOutcome outcome) {
  constexpr std::array<std::string_view, 5> names{"accepted", "no-room", "too-long", "no-stream", "closed"};
  return names[static_cast<std::size_t>(outcome)];
}

// What a side is told.
struct ChunkNews {
  enum class Kind : std::uint8_t {
    chunk,         // arrived
    acknowledged,  // one that this side sent: stream, protocol, context
    shutdown,      // the other side sends no more, and takes no more than is on its way. Told once
    aborted,       // the association is gone. Told once, to the side that did not do it
  };
  Kind kind{};
  Side to{};
  std::uint16_t stream = 0;
  net::SctpPayloadProtocol protocol{};
  bool unordered = false;
  std::uint32_t context = 0;
  Bytes octets;                      // valid until the next receive() or reset()
  std::uint64_t number = 0;          // of the chunk, in its direction, from 0
  std::uint64_t num_overtaking = 0;  // later ones that arrived before it
  bool corrupted = false;
};

class ChunkStream {
 public:
  explicit ChunkStream(const ChunkStreamConfig& config);

  // As newly constructed with this seed.
  void reset(std::uint64_t seed);

  // Of the direction in which `from` sends.
  void set(Side from, const ChunkImpairments& impairments);
  void set_both(const ChunkImpairments& impairments);
  // Fates for single chunks of a direction, by ascending number; the caller keeps them until reset() or the next call.
  // Of them hold and corrupt (bit 0 is the highest of the first octet of user data) have a meaning: SCTP loses nothing.
  void force(Side from, std::span<const NumberedFate> fates) { directions_[index(from)].fates = fates; }

  std::uint16_t num_streams() const { return config_.num_streams; }
  std::uint32_t max_chunk_len() const { return config_.max_chunk_len; }
  // What the other side's INIT or INIT ACK had.
  std::optional<std::uint32_t> peer_indication(Side side) const { return config_.indications[index(other(side))]; }

  // Sends a copy. Time never goes back: a `now` before one that was given counts as that one.
  ChunkOutcome send(Side from, const SentChunk& chunk, Time now);
  // Chunks that it takes now.
  std::size_t room(Side from) const;
  std::uint64_t num_unacknowledged(Side from) const { return directions_[index(from)].num_unacknowledged; }

  // No more is sent; the other side is told when all that was is acknowledged.
  void shutdown(Side from, Time now);
  void abort(Side from, Time now);

  std::optional<Time> next_arrival() const;
  // The next that any side is told by now, nothing if there is none.
  std::optional<ChunkNews> receive(Time now);

 private:
  struct Direction {
    std::uint64_t num_sent = 0;
    std::uint64_t num_unacknowledged = 0;
    std::span<const NumberedFate> fates;
    bool closing = false;  // shutdown() was called
    bool shutdown_sent = false;
    bool closed = false;  // this side may not send
  };

  static constexpr std::size_t index(Side side) { return static_cast<std::size_t>(side); }
  static constexpr Endpoint endpoint(Side side) { return {static_cast<std::uint16_t>(side)}; }
  static constexpr Side side_of(Endpoint end) { return end.value == 0 ? Side::a : Side::b; }
  void send_control(Side from, ChunkNews::Kind kind, Time at);
  void send_shutdown_if_due(Side from, Time at);
  std::optional<ChunkNews> read(const Delivery& delivery, bool is_ack);

  ChunkStreamConfig config_;
  Link data_;
  Link acks_;
  std::array<Direction, 2> directions_;  // by who sends
  std::array<bool, 2> gone_{};           // a side that is told nothing any more
  std::vector<std::uint8_t> packet_;
  Time now_{};
};

}  // namespace rdmawire::link
