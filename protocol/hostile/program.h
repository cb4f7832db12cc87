// A random program: what both ends of a connection ask of each other, and what memory must look like afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "protocol/link/random.h"
#include "protocol/verbs/work.h"

namespace rdmawire::hostile {

// The parts of an end's memory. Each has one writer only, so that what it must hold does not depend on time: of
// `written` and `atomics` that is the peer, of the others the end itself.
struct MemoryMap {
  std::uint64_t source = 0;   // never written: what is sent, written from, and read by the peer
  std::uint64_t written = 0;  // target of the peer's WRITEs; the peer reads it too
  std::uint64_t atomics = 0;  // eight octets each
  std::uint64_t target = 0;   // of own READs, and results of own atomics
  std::uint64_t receive = 0;  // receive buffers, one after the other
  std::uint64_t end = 0;
};

struct ProgramOptions {
  std::uint32_t num_requests = 40;  // of each end
  std::uint32_t max_len = 20000;    // octets of a message; few are so long
  std::uint32_t num_atomics = 4;
  std::uint32_t writes_of = 0;  // octets: nothing but WRITEs of that length, and only by the first end
  bool immediate = true;        // the carrier has immediate data with SEND and WRITE
  bool atomic_write = true;     // and FLUSH
};

struct Request {
  verbs::SendWork work;          // without its pieces and keys
  std::vector<verbs::Sge> sges;  // offsets in memory as addresses
  std::uint32_t length = 0;
};

// What a receive must complete with.
struct Received {
  verbs::CompletionOpcode opcode{};
  std::uint32_t byte_len = 0;
  bool has_immediate = false;
  bool solicited = false;
  std::array<std::uint8_t, 4> immediate{};
  std::uint64_t source = 0;  // offset in the sender's memory; inline data lies there too
};

// One end's part. The peer's memory has the same map.
struct Program {
  MemoryMap map;
  std::vector<Request> requests;
  std::vector<Received> received;      // what the peer receives, in order
  std::vector<std::uint64_t> buffers;  // offsets of the peer's receive buffers, one for each of received
  std::vector<std::uint32_t> buffer_lens;
};

// Both ends' programs and memories follow from the seed.
struct Scenario {
  std::array<Program, 2> programs;
  std::array<std::vector<std::uint8_t>, 2> memory;    // at the start
  std::array<std::vector<std::uint8_t>, 2> expected;  // at the end, if all requests succeed
};

Scenario make_scenario(std::uint64_t seed, const ProgramOptions& options);

// Executes one request as an ideal network would: at once and once.
void execute_ideally(const Request& request, std::vector<std::uint8_t>& own, std::vector<std::uint8_t>& peer);

}  // namespace rdmawire::hostile
