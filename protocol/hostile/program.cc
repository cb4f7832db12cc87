#include "protocol/hostile/program.h"

#include <algorithm>
#include <cstring>

namespace rdmawire::hostile {
namespace {

using link::SplitMix64;
using verbs::WorkOpcode;

std::uint32_t random_len(SplitMix64& random, std::uint32_t most) {
  // Edges of packets are where faults are: small ones, and multiples of every path MTU, are frequent.
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
    case 2:
      return static_cast<std::uint32_t>(random.below(std::min(most, 64U) + 1));
    case 3:
    case 4: {
      const std::uint64_t multiple = 256 * random.below(std::min(most, 8192U) / 256 + 1);
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, multiple + random.below(3)));
    }
    default:
      return static_cast<std::uint32_t>(random.below(random.below(most) + 1));
  }
}

std::uint64_t load(const std::vector<std::uint8_t>& memory, std::uint64_t at) {
  std::uint64_t value;
  std::memcpy(&value, memory.data() + at, sizeof value);
  return value;
}
void store(std::vector<std::uint8_t>& memory, std::uint64_t at, std::uint64_t value) {
  std::memcpy(memory.data() + at, &value, sizeof value);
}

// Splits [from, from + length) into one to three pieces.
std::vector<verbs::Sge> pieces(SplitMix64& random, std::uint64_t from, std::uint32_t length) {
  std::vector<verbs::Sge> out;
  const std::uint64_t count = 1 + random.below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto part = i + 1 == count ? length : static_cast<std::uint32_t>(random.below(length + 1ULL));
    out.push_back({from, part, {}});
    from += part;
    length -= part;
  }
  return out;
}

class Writer {
 public:
  Writer(SplitMix64& random, const ProgramOptions& options, const MemoryMap& map)
      : random_(random), options_(options), map_(map) {}

  Program write() {
    Program out;
    out.map = map_;
    for (std::uint32_t i = 0; i < options_.num_requests; ++i) {
      if (options_.writes_of != 0) {
        add_write(out, i);
      } else {
        add(out, i);
      }
    }
    return out;
  }

 private:
  WorkOpcode choose() {
    for (;;) {
      switch (random_.below(13)) {
        case 0:
        case 1:
          return WorkOpcode::send;
        case 2:
          if (options_.immediate) return WorkOpcode::send_with_immediate;
          break;
        case 3:
        case 4:
        case 5:
          return WorkOpcode::rdma_write;
        case 6:
          if (options_.immediate) return WorkOpcode::rdma_write_with_immediate;
          break;
        case 7:
        case 8:
        case 9:
          return WorkOpcode::rdma_read;
        case 10:
          return WorkOpcode::fetch_add;
        case 11:
          return WorkOpcode::compare_swap;
        default:
          if (options_.atomic_write) return random_.below(2) == 0 ? WorkOpcode::flush : WorkOpcode::atomic_write;
          break;
      }
    }
  }

  void add_write(Program& out, std::uint32_t number) const {
    Request request;
    request.work.id = {number};
    request.work.opcode = WorkOpcode::rdma_write;
    request.work.remote_address = map_.written;
    request.length = options_.writes_of;
    request.sges.assign(1, {map_.source, request.length, {}});
    out.requests.push_back(std::move(request));
  }

  void add(Program& out, std::uint32_t number) {
    Request request;
    verbs::SendWork& work = request.work;
    work.id = {number};
    work.opcode = choose();
    work.signaled = random_.below(4) != 0;
    work.fence = random_.below(8) == 0;
    work.solicited = random_.below(2) == 0;
    for (auto& octet : work.immediate) octet = static_cast<std::uint8_t>(random_.next());
    request.length = random_len(random_, options_.max_len);
    const auto& row = verbs::info(work.opcode);
    const bool atomic = work.opcode == WorkOpcode::fetch_add || work.opcode == WorkOpcode::compare_swap;
    if (atomic || work.opcode == WorkOpcode::atomic_write) request.length = 8;
    if (work.opcode == WorkOpcode::flush) request.length = 0;
    const std::uint64_t room = std::uint64_t{options_.max_len} + 1 - request.length;
    if (row.reads_local) request.sges = pieces(random_, map_.source + random_.below(room), request.length);
    if (row.writes_local) request.sges = pieces(random_, map_.target + random_.below(room), request.length);
    if (atomic) request.sges.assign(1, {map_.target + 8 * random_.below(options_.max_len / 8 + 1), 8, {}});
    if (work.opcode == WorkOpcode::atomic_write) {
      request.sges.assign(1, {map_.source + random_.below(room), 8, {}});
    }
    place(request, atomic, room);
    if (row.completion == verbs::CompletionOpcode::send) note_receive(out, request);
    if (work.opcode == WorkOpcode::rdma_write_with_immediate) note_receive(out, request);
    out.requests.push_back(std::move(request));
  }

  // The place in the peer's memory.
  void place(Request& request, bool atomic, std::uint64_t room) {
    verbs::SendWork& work = request.work;
    switch (work.opcode) {
      case WorkOpcode::rdma_read:
        if (random_.below(2) == 0) {
          work.remote_address = map_.source + random_.below(room);
        } else {
          work.remote_address = map_.written + random_.below(room);
          read_since_write_ = true;
        }
        return;
      case WorkOpcode::atomic_write:
      case WorkOpcode::rdma_write:
      case WorkOpcode::rdma_write_with_immediate:
        work.remote_address = map_.written + random_.below(room);
        if (work.opcode == WorkOpcode::atomic_write) work.remote_address &= ~std::uint64_t{7};
        // A read may return what a later write has left (ORD-03), unless that write waits for it.
        if (read_since_write_) work.fence = true;
        read_since_write_ = false;
        return;
      case WorkOpcode::flush:
        work.remote_address = map_.written;
        work.flush_len = options_.max_len;
        return;
      default:
        break;
    }
    if (!atomic) return;
    work.remote_address = map_.atomics + 8 * random_.below(options_.num_atomics);
    work.swap_or_add = random_.below(3) == 0 ? random_.next() : random_.below(4);
    work.compare = random_.below(4);
  }

  void note_receive(Program& out, const Request& request) {
    const bool write = request.work.opcode == WorkOpcode::rdma_write_with_immediate;
    Received received;
    received.opcode = write ? verbs::CompletionOpcode::receive_rdma_with_immediate : verbs::CompletionOpcode::receive;
    received.byte_len = request.length;
    received.solicited = request.work.solicited;
    received.has_immediate = request.work.opcode != WorkOpcode::send;
    if (received.has_immediate) received.immediate = request.work.immediate;
    received.source = write || request.sges.empty() ? 0 : request.sges[0].address;
    const std::uint32_t buffer_len = write ? 0 : request.length + static_cast<std::uint32_t>(random_.below(20));
    out.buffers.push_back(next_buffer_);
    out.buffer_lens.push_back(buffer_len);
    next_buffer_ += buffer_len;
    out.received.push_back(received);
  }

  SplitMix64& random_;
  const ProgramOptions& options_;
  const MemoryMap& map_;
  std::uint64_t next_buffer_ = 0;  // in the peer's receive part
  bool read_since_write_ = false;
};

}  // namespace

void execute_ideally(const Request& request, std::vector<std::uint8_t>& own, std::vector<std::uint8_t>& peer) {
  const verbs::SendWork& work = request.work;
  const auto remote = static_cast<std::size_t>(work.remote_address);
  std::size_t done = 0;
  switch (work.opcode) {
    case WorkOpcode::rdma_write:
    case WorkOpcode::rdma_write_with_immediate:
    case WorkOpcode::atomic_write:
      for (const verbs::Sge& sge : request.sges) {
        std::memcpy(peer.data() + remote + done, own.data() + sge.address, sge.length);
        done += sge.length;
      }
      return;
    case WorkOpcode::rdma_read:
      for (const verbs::Sge& sge : request.sges) {
        std::memcpy(own.data() + sge.address, peer.data() + remote + done, sge.length);
        done += sge.length;
      }
      return;
    case WorkOpcode::fetch_add: {
      const std::uint64_t original = load(peer, remote);
      store(peer, remote, original + work.swap_or_add);
      store(own, request.sges[0].address, original);
      return;
    }
    case WorkOpcode::compare_swap: {
      const std::uint64_t original = load(peer, remote);
      if (original == work.compare) store(peer, remote, work.swap_or_add);
      store(own, request.sges[0].address, original);
      return;
    }
    default:
      return;
  }
}

Scenario make_scenario(std::uint64_t seed, const ProgramOptions& options) {
  SplitMix64 random(seed);
  Scenario out;
  MemoryMap map;
  const std::uint64_t part = (std::uint64_t{options.max_len} + 31) & ~std::uint64_t{15};
  map.source = 0;
  map.written = map.source + part;
  map.atomics = map.written + part;
  map.target = map.atomics + 8ULL * options.num_atomics;
  map.receive = map.target + part;
  for (Program& program : out.programs) program = Writer(random, options, map).write();
  if (options.writes_of != 0) out.programs[1].requests.clear();
  for (std::size_t end = 0; end < 2; ++end) {
    // The receive buffers that the peer's messages need.
    const Program& peer = out.programs[1 - end];
    std::uint64_t receive_len = 0;
    for (const std::uint32_t len : peer.buffer_lens) receive_len += len;
    out.programs[end].map.end = map.receive + receive_len;
    out.memory[end].resize(map.receive + receive_len);
    for (std::size_t i = 0; i < out.memory[end].size(); i += 8) {
      const std::uint64_t word = random.next();
      std::memcpy(out.memory[end].data() + i, &word, std::min<std::size_t>(8, out.memory[end].size() - i));
    }
    for (std::uint32_t i = 0; i < options.num_atomics; ++i) store(out.memory[end], map.atomics + 8ULL * i, i);
  }
  out.expected = out.memory;
  for (std::size_t end = 0; end < 2; ++end) {
    const Program& program = out.programs[end];
    for (const Request& request : program.requests) {
      execute_ideally(request, out.expected[end], out.expected[1 - end]);
    }
    for (std::size_t i = 0; i < program.received.size(); ++i) {
      if (program.buffer_lens[i] == 0) continue;
      const Received& received = program.received[i];
      std::memcpy(out.expected[1 - end].data() + map.receive + program.buffers[i],
                  out.expected[end].data() + received.source, received.byte_len);
    }
  }
  return out;
}

}  // namespace rdmawire::hostile
