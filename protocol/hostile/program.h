// A random program: what both ends of some connections ask of each other, and what must come of it. It knows of verbs
// only, and not of what carries them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "protocol/link/random.h"
#include "protocol/verbs/work.h"

namespace rdmawire::hostile {

inline constexpr std::uint32_t max_inline = 64;    // octets
inline constexpr std::uint32_t grh_area_len = 40;  // octets in front of a datagram in its receive buffer

// What a connection has of each end's memory. Each part has one writer only, so that what it must hold does not depend
// on time: of `written` and `atomics` that is the peer, of the others the end itself. Both ends have the same map.
struct MemoryMap {
  std::uint64_t source = 0;   // never written: what is sent, written from, and read by the peer
  std::uint64_t written = 0;  // target of the peer's WRITEs; the peer reads it too
  std::uint64_t atomics = 0;  // eight octets each
  std::uint64_t target = 0;   // of own READs, and results of own atomics
  std::uint64_t end = 0;
};

struct ProgramOptions {
  verbs::Service service = verbs::Service::rc;
  std::uint32_t num_connections = 1;  // between the two ends; of ud: queue pairs of each end
  bool shared_receives = false;       // one SRQ for all connections of an end
  std::uint32_t num_requests = 40;    // of each end of a connection
  std::uint32_t max_len = 20000;      // octets of a message; few are so long
  bool has_longest = false;           // but one is, of each end
  std::uint32_t num_atomics = 4;
  std::uint32_t writes_of = 0;        // octets: nothing but WRITEs of that length, and only by the first end
  bool immediate = true;              // the carrier has immediate data with SEND and WRITE
  bool atomic_write = true;           // and FLUSH
  bool lends = false;                 // windows and fast regions are lent to the peer, and taken back
  std::uint32_t max_read_pieces = 3;  // scatter/gather entries of a READ
};

// A key of an end's memory by what it is of; the number is known when there is a memory table. The window is of type 2.
// Each end of a connection has one window and one fast region.
struct KeyName {
  enum class Of : std::uint8_t { region, window, fast_region };
  Of of = Of::region;
  std::uint8_t octet = 0;  // the 8 bits that its owner chose
  friend constexpr bool operator==(const KeyName&, const KeyName&) = default;
};

struct Request {
  verbs::SendWork work;            // without pieces, keys and destination
  std::vector<verbs::Sge> sges;    // offsets in memory as addresses, one behind the other; also of inline data
  std::uint32_t length = 0;        // octets of the message; of bind and fast register: of the range
  KeyName key;                     // remote access, send with invalidate: of the peer; bind, register, invalidate: own
  std::size_t after_received = 0;  // may be posted when so many messages have come on the connection
  // ud
  std::uint32_t to = 0;  // the peer's queue pair
  enum class Key : std::uint8_t { right, wrong, own } q_key = Key::right;
};

// What a receive must complete with: a message, in the eyes of the receiver.
struct Received {
  verbs::CompletionOpcode opcode{};
  std::uint32_t byte_len = 0;  // without the area of the GRH
  bool has_immediate = false;
  bool solicited = false;
  bool has_invalidated = false;
  std::array<std::uint8_t, 4> immediate{};
  KeyName invalidated;
  std::uint64_t source = 0;    // offset in the sender's memory; inline data lies there too
  std::size_t request = 0;     // number of the sender's request
  std::uint32_t to = 0;        // connection on which it comes; of ud: the queue pair to which it goes
  bool must_not_come = false;  // ud: its Q_Key is wrong
};

// One end's part of a connection.
struct Program {
  std::vector<Request> requests;
  std::vector<Received> messages;  // what it sends that takes a receive of the peer, in order
};

struct Buffer {
  std::uint64_t at = 0;
  std::uint32_t length = 0;
};

struct Connection {
  MemoryMap map;
  std::array<Program, 2> programs;
  std::array<std::vector<Buffer>, 2> receives;  // of each end, in order; none with an SRQ
};

// All follows from the seed.
struct Scenario {
  verbs::Service service{};
  std::vector<Connection> connections;
  std::array<std::vector<Buffer>, 2> shared_receives;  // of each end's SRQ
  std::array<std::vector<std::uint8_t>, 2> memory;     // of each end, at the start

  bool shared() const { return !shared_receives[0].empty() || !shared_receives[1].empty(); }
};

Scenario make_scenario(std::uint64_t seed, const ProgramOptions& options);

// Executes one request as an ideal network would: at once and once.
void execute_ideally(const Request& request, std::vector<std::uint8_t>& own, std::vector<std::uint8_t>& peer);

}  // namespace rdmawire::hostile
