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

// Splits [from, from + length) into one to `most` pieces.
std::vector<verbs::Sge> pieces(SplitMix64& random, std::uint64_t from, std::uint32_t length, std::uint32_t most) {
  std::vector<verbs::Sge> out;
  const std::uint64_t count = 1 + random.below(most);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto part = i + 1 == count ? length : static_cast<std::uint32_t>(random.below(length + 1ULL));
    out.push_back({from, part, {}});
    from += part;
    length -= part;
  }
  return out;
}

// Both ends' programs of one connection.
class Writer {
 public:
  Writer(SplitMix64& random, const ProgramOptions& options, const MemoryMap& map, std::uint32_t number)
      : random_(random), options_(options), map_(map), number_(number) {}

  std::array<Program, 2> write() {
    if (options_.writes_of != 0) {
      for (std::uint32_t i = 0; i < options_.num_requests; ++i) add_write();
    } else {
      for (std::uint32_t i = 0; i < 2 * options_.num_requests; ++i) add_step(i % 2);
      if (options_.has_longest) add_longest();
    }
    for (Program& program : out_) {
      for (std::size_t i = 0; i < program.requests.size(); ++i) program.requests[i].work.id = {i};
    }
    return std::move(out_);
  }

 private:
  WorkOpcode choose() {
    const bool reliable = options_.service == verbs::Service::rc;
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
          if (options_.service != verbs::Service::ud) return WorkOpcode::rdma_write;
          break;
        case 6:
          if (options_.immediate && options_.service != verbs::Service::ud) {
            return WorkOpcode::rdma_write_with_immediate;
          }
          break;
        case 7:
        case 8:
        case 9:
          if (reliable) return WorkOpcode::rdma_read;
          break;
        case 10:
          if (reliable) return WorkOpcode::fetch_add;
          break;
        case 11:
          if (reliable) return WorkOpcode::compare_swap;
          break;
        default:
          if (options_.atomic_write && reliable) {
            return random_.below(2) == 0 ? WorkOpcode::flush : WorkOpcode::atomic_write;
          }
          break;
      }
    }
  }

  void add_write() {
    Request request;
    request.work.opcode = WorkOpcode::rdma_write;
    request.work.remote_address = map_.written;
    request.length = options_.writes_of;
    request.sges.assign(1, {map_.source, request.length, {}});
    out_[0].requests.push_back(std::move(request));
  }

  void add_step(std::size_t end) {
    if (options_.lends && random_.below(12) == 0) {
      lend(end);
    } else {
      const WorkOpcode opcode = choose();
      add(end, make(opcode, random_len(random_, options_.max_len)));
    }
  }

  // What an error is likeliest to show in, somewhere in the middle.
  void add_longest() {
    constexpr std::array opcodes{WorkOpcode::send, WorkOpcode::rdma_write, WorkOpcode::rdma_read};
    const bool reliable = options_.service == verbs::Service::rc;
    for (std::size_t end = 0; end < 2; ++end) {
      add(end, make(opcodes[random_.below(reliable ? 3 : 2)], options_.max_len));
      add_step(end);
    }
  }

  Request make(WorkOpcode opcode, std::uint32_t length) {
    Request request;
    verbs::SendWork& work = request.work;
    work.opcode = opcode;
    work.signaled = random_.below(4) != 0;
    work.fence = options_.service == verbs::Service::rc && random_.below(8) == 0;
    work.solicited = random_.below(2) == 0;
    for (auto& octet : work.immediate) octet = static_cast<std::uint8_t>(random_.next());
    request.length = length;
    const auto& row = verbs::info(opcode);
    const bool atomic = opcode == WorkOpcode::fetch_add || opcode == WorkOpcode::compare_swap;
    if (atomic || opcode == WorkOpcode::atomic_write) request.length = verbs::atomic_len;
    if (opcode == WorkOpcode::flush || row.local) request.length = 0;
    const std::uint64_t room = std::uint64_t{options_.max_len} + 1 - request.length;
    if (row.reads_local) request.sges = pieces(random_, map_.source + random_.below(room), request.length, 3);
    if (row.writes_local) {
      request.sges = pieces(random_, map_.target + random_.below(room), request.length, options_.max_read_pieces);
    }
    if (atomic) request.sges.assign(1, {map_.target + 8 * random_.below(options_.max_len / 8 + 1), 8, {}});
    if (opcode == WorkOpcode::atomic_write) request.sges.assign(1, {map_.source + random_.below(room), 8, {}});
    work.inline_data =
        row.reads_local && opcode != WorkOpcode::atomic_write && request.length <= max_inline && random_.below(4) == 0;
    if (opcode == WorkOpcode::flush) {
      work.remote_address = map_.written;
      work.flush_len = options_.max_len;
    } else if (atomic) {
      work.remote_address = map_.atomics + 8 * random_.below(options_.num_atomics);
      work.swap_or_add = random_.below(3) == 0 ? random_.next() : random_.below(4);
      work.compare = random_.below(4);
    } else if (opcode == WorkOpcode::rdma_read) {
      work.remote_address = (random_.below(2) == 0 ? map_.source : map_.written) + random_.below(room);
    } else {
      work.remote_address = map_.written + random_.below(room);
      if (opcode == WorkOpcode::atomic_write) work.remote_address &= ~std::uint64_t{7};
    }
    if (options_.service == verbs::Service::ud) {
      request.to = static_cast<std::uint32_t>(random_.below(options_.num_connections));
      const std::uint64_t key = random_.below(8);
      request.q_key = key == 0 ? Request::Key::wrong : key == 1 ? Request::Key::own : Request::Key::right;
    } else {
      request.to = number_;
    }
    return request;
  }

  void add(std::size_t end, Request request) {
    const WorkOpcode opcode = request.work.opcode;
    bool& read_since_write = read_since_write_[end];
    if (opcode == WorkOpcode::rdma_read)
      read_since_write = read_since_write || request.work.remote_address >= map_.written;
    if (opcode == WorkOpcode::rdma_write || opcode == WorkOpcode::rdma_write_with_immediate ||
        opcode == WorkOpcode::atomic_write) {
      // A read may return what a later write has left (ORD-03), unless that write waits for it.
      if (read_since_write) request.work.fence = true;
      read_since_write = false;
    }
    const bool takes_receive = verbs::info(opcode).completion == verbs::CompletionOpcode::send ||
                               opcode == WorkOpcode::rdma_write_with_immediate;
    Program& out = out_[end];
    if (takes_receive) out.messages.push_back(message_of(request, out.requests.size()));
    out.requests.push_back(std::move(request));
  }

  Received message_of(const Request& request, std::size_t number) const {
    const verbs::SendWork& work = request.work;
    const bool write = work.opcode == WorkOpcode::rdma_write_with_immediate;
    Received out;
    out.opcode = write ? verbs::CompletionOpcode::receive_rdma_with_immediate : verbs::CompletionOpcode::receive;
    out.byte_len = request.length;
    out.solicited = work.solicited;
    out.has_immediate = write || work.opcode == WorkOpcode::send_with_immediate;
    if (out.has_immediate) out.immediate = work.immediate;
    out.has_invalidated = work.opcode == WorkOpcode::send_with_invalidate;
    out.invalidated = request.key;
    out.source = request.sges.empty() ? 0 : request.sges[0].address;
    out.request = number;
    out.to = request.to;
    // Its own key fits the queue pair that it is paired with.
    out.must_not_come =
        request.q_key == Request::Key::wrong || (request.q_key == Request::Key::own && request.to != number_);
    return out;
  }

  // A window or fast region is opened, and the peer told; the peer uses it, and gives it back by invalidating it or by
  // telling, so that its owner does.
  void lend(std::size_t owner) {
    const std::size_t user = 1 - owner;
    const bool window = random_.below(2) == 0;
    std::size_t& returned = returned_[owner][window ? 1 : 0];
    std::uint8_t& octet = octets_[owner][window ? 1 : 0];
    Request open = make(window ? WorkOpcode::bind_window : WorkOpcode::fast_register, 0);
    open.key = {window ? KeyName::Of::window : KeyName::Of::fast_region, ++octet};
    const std::uint64_t skipped = random_.below(options_.max_len);
    open.work.remote_address = map_.written + skipped;
    open.length = static_cast<std::uint32_t>(1 + random_.below(options_.max_len - skipped));
    open.after_received = returned;
    const KeyName key = open.key;
    const std::uint64_t at = open.work.remote_address;
    const std::uint32_t length = open.length;
    add(owner, std::move(open));
    add(owner, make(WorkOpcode::send, random_len(random_, 64)));
    const std::size_t told = out_[owner].messages.size();
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      const bool read = random_.below(3) == 0;
      Request use = make(read ? WorkOpcode::rdma_read : WorkOpcode::rdma_write, random_len(random_, length));
      use.work.remote_address = at + random_.below(length - use.length + 1ULL);
      use.key = key;
      use.after_received = told;
      add(user, std::move(use));
    }
    const bool invalidates = random_.below(2) == 0;
    Request back = make(invalidates ? WorkOpcode::send_with_invalidate : WorkOpcode::send, random_len(random_, 64));
    if (invalidates) back.key = key;
    back.after_received = told;
    back.work.fence = true;  // its READs are answered
    add(user, std::move(back));
    returned = out_[user].messages.size();
    if (invalidates) return;
    Request close = make(WorkOpcode::local_invalidate, 0);
    close.key = key;
    close.after_received = returned;
    add(owner, std::move(close));
  }

  SplitMix64& random_;
  const ProgramOptions& options_;
  const MemoryMap& map_;
  const std::uint32_t number_;
  std::array<Program, 2> out_;
  std::array<bool, 2> read_since_write_{};
  // Of each end's fast region and window: the message with which it came back, and its last 8 bits.
  std::array<std::array<std::size_t, 2>, 2> returned_{};
  std::array<std::array<std::uint8_t, 2>, 2> octets_{};
};

// The receive buffers of one end, one behind the other with some octets between them that nothing may touch.
class BufferPlan {
 public:
  BufferPlan(SplitMix64& random, std::uint64_t begin) : random_(random), next_(begin) {}

  void add(std::vector<Buffer>& to, std::uint32_t length) {
    to.push_back({next_, length});
    next_ += length + random_.below(9);
  }
  std::uint64_t end() const { return next_; }

 private:
  SplitMix64& random_;
  std::uint64_t next_;
};

std::uint32_t longest_of(const std::vector<Received>& messages) {
  std::uint32_t out = 0;
  for (const Received& one : messages) {
    if (one.opcode == verbs::CompletionOpcode::receive) out = std::max(out, one.byte_len);
  }
  return out;
}

// What an end needs to receive all that its peer sends.
std::uint64_t plan_receives(Scenario& out, std::size_t end, const ProgramOptions& options, SplitMix64& random) {
  BufferPlan plan(random, out.connections.back().map.end);
  const std::uint32_t grh = options.service == verbs::Service::ud ? grh_area_len : 0;
  std::uint32_t longest = 0;
  std::size_t num_messages = 0;
  for (const Connection& one : out.connections) {
    longest = std::max(longest, longest_of(one.programs[1 - end].messages));
    num_messages += one.programs[1 - end].messages.size();
  }
  longest += grh + static_cast<std::uint32_t>(random.below(20));
  if (options.shared_receives) {
    // A connection that fails takes one with it.
    for (std::size_t i = 0; i < num_messages + out.connections.size(); ++i) plan.add(out.shared_receives[end], longest);
    return plan.end();
  }
  for (std::uint32_t i = 0; i < out.connections.size(); ++i) {
    std::vector<Buffer>& receives = out.connections[i].receives[end];
    if (options.service == verbs::Service::rc) {
      for (const Received& one : out.connections[i].programs[1 - end].messages) {
        const bool write = one.opcode == verbs::CompletionOpcode::receive_rdma_with_immediate;
        plan.add(receives, write ? 0 : one.byte_len + static_cast<std::uint32_t>(random.below(20)));
      }
      continue;
    }
    for (const Connection& from : out.connections) {
      for (const Received& one : from.programs[1 - end].messages) {
        if (one.to == i) plan.add(receives, longest);
      }
    }
  }
  return plan.end();
}

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
  out.service = options.service;
  const std::uint64_t part = (std::uint64_t{options.max_len} + 31) & ~std::uint64_t{15};
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < options.num_connections; ++i) {
    Connection one;
    one.map.source = next;
    one.map.written = one.map.source + part;
    one.map.atomics = one.map.written + part;
    one.map.target = one.map.atomics + 8ULL * options.num_atomics;
    one.map.end = next = one.map.target + part;
    one.programs = Writer(random, options, one.map, i).write();
    out.connections.push_back(std::move(one));
  }
  for (std::size_t end = 0; end < 2; ++end) {
    std::vector<std::uint8_t>& memory = out.memory[end];
    memory.resize(plan_receives(out, end, options, random));
    random.fill(memory);
    for (const Connection& one : out.connections) {
      for (std::uint32_t i = 0; i < options.num_atomics; ++i) store(memory, one.map.atomics + 8ULL * i, i);
    }
  }
  return out;
}

}  // namespace rdmawire::hostile
