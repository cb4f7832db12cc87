#include "protocol/hostile/run.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "protocol/hostile/ib_network.h"

namespace rdmawire::hostile {
namespace {

using link::SplitMix64;
using verbs::Completion;
using verbs::CompletionStatus;

constexpr std::uint64_t base_address = 0x7000'0000'0000;
constexpr Time give_up = std::chrono::hours(10);  // virtual; nothing takes so long that ends at all

constexpr bool is_read(verbs::WorkOpcode opcode) { return verbs::info(opcode).writes_local; }

// A family of protocols is added here, with its carriers.
std::unique_ptr<Network> make_network(std::uint64_t seed, const RunOptions& options) {
  return std::make_unique<IbNetwork>(seed, options);
}

// One end: memory, verbs, queue pair, and the consumer that drives them.
class End {
 public:
  // number: 0 or 1.
  End(std::size_t number, const RunOptions& options, const Program& own, const Program& peer,
      std::vector<std::uint8_t> octets, Network& network)
      : options_(options),
        program_(own),
        peer_(peer),
        octets_(std::move(octets)),
        send_cq_(own.requests.size() + 8),
        receive_cq_(peer.received.size() + 8),
        qp_(network.add(number,
                        {{static_cast<std::uint32_t>(number) + 1},
                         verbs::Service::rc,
                         pd_,
                         {depth_of(own.requests.size()), 4, 64},
                         {depth_of(peer.received.size()), 1, 0},
                         false},
                        {memory_, send_cq_, receive_cq_, events_, nullptr})) {
    key_ = memory_
               .register_region(pd_, octets_, base_address,
                                verbs::rights::local_write | verbs::rights::remote | verbs::rights::bind_window)
               .value_or(verbs::MemoryKey{});
  }

  void post_sends(verbs::MemoryKey peer_key) {
    while (num_posted_ < program_.requests.size()) {
      const Request& request = program_.requests[num_posted_];
      verbs::SendWork work = request.work;
      std::vector<verbs::Sge> sges = request.sges;
      for (verbs::Sge& sge : sges) sge.address += base_address, sge.l_key = key_;
      work.sges = sges;
      work.remote_address += base_address;
      work.r_key = peer_key;
      if (!qp_.post_send(work)) return;
      ++num_posted_;
    }
  }
  // As many as shall be there.
  void post_receives(Time now) {
    if (now < next_receive_) return;
    bool posted = false;
    while (num_receives_ < peer_.received.size()) {
      const bool all = options_.num_receives_ahead == 0;
      if (!all && num_receives_ >= num_received_ + options_.num_receives_ahead) break;
      if (!all && posted) break;
      const verbs::Sge sge{base_address + peer_.map.receive + peer_.buffers[num_receives_],
                           peer_.buffer_lens[num_receives_], key_};
      if (!qp_.post_receive({{num_receives_}, {&sge, 1}})) break;
      ++num_receives_;
      posted = true;
    }
    if (posted) next_receive_ = now + options_.receive_delay;
  }
  std::optional<Time> next_post(Time now) const {
    if (num_receives_ == peer_.received.size() || next_receive_ <= now) return std::nullopt;
    return next_receive_;
  }

  // What is wrong with the completions that came; empty if nothing is.
  std::string check_completions() {
    std::array<Completion, 16> done;
    while (const std::size_t count = send_cq_.poll(done)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (std::string fault = check_send(done[i]); !fault.empty()) return fault;
      }
    }
    while (const std::size_t count = receive_cq_.poll(done)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (std::string fault = check_receive(done[i]); !fault.empty()) return fault;
      }
    }
    return {};
  }

  bool finished() const { return num_sent_ == program_.requests.size() && num_received_ == peer_.received.size(); }
  // After the last completion: silent requests at the end are done too.
  void count_silent() {
    if (!qp_.verbs().send_queue().empty() || in_error() || num_posted_ != program_.requests.size()) return;
    for (std::uint64_t n = num_sent_; n < program_.requests.size(); ++n) {
      if (program_.requests[n].work.signaled) return;
    }
    num_sent_ = next_completion_ = program_.requests.size();
  }

  bool gave_up() const { return gave_up_; }
  std::size_t num_sent() const { return num_sent_; }
  bool in_error() const { return qp_.verbs().state() == verbs::QpState::err; }
  verbs::MemoryKey key() const { return key_; }
  const std::vector<std::uint8_t>& octets() const { return octets_; }

 private:
  static std::uint32_t depth_of(std::size_t count) { return static_cast<std::uint32_t>(count + 1); }
  std::string check_send(const Completion& done) {
    const std::uint64_t id = done.id.value;
    if (id >= program_.requests.size() || id < next_completion_) return "send completion out of order";
    // Those before it succeeded, and were not to be told.
    for (std::uint64_t n = next_completion_; n < id; ++n) {
      if (program_.requests[n].work.signaled || flushed_) return "send completion missing";
    }
    next_completion_ = id + 1;
    if (!flushed_) num_sent_ = id;
    if (done.status == CompletionStatus::retries_exceeded || done.status == CompletionStatus::rnr_retries_exceeded) {
      if (gave_up_) return "two requests gave up";
      gave_up_ = flushed_ = true;
      return {};
    }
    if (done.status == CompletionStatus::work_flushed) {
      flushed_ = true;
      return {};
    }
    if (flushed_) return "success after the end of the connection";
    if (done.status != CompletionStatus::success) return "send completed with " + std::string(name_of(done.status));
    const Request& request = program_.requests[id];
    if (done.opcode != verbs::info(request.work.opcode).completion) return "wrong opcode of a send completion";
    if (is_read(request.work.opcode) && done.byte_len != request.length) return "wrong length of a read";
    num_sent_ = id + 1;
    return {};
  }

  std::string check_receive(const Completion& done) {
    if (done.status == CompletionStatus::work_flushed) return {};
    if (done.status != CompletionStatus::success) return "receive completed with " + std::string(name_of(done.status));
    if (done.id.value != num_received_) return "receive completion out of order";
    const Received& expected = peer_.received[num_received_++];
    if (done.opcode != expected.opcode || done.byte_len != expected.byte_len) return "wrong receive completion";
    if (done.solicited != expected.solicited) return "wrong solicited event";
    if (done.has_immediate != expected.has_immediate || done.immediate != expected.immediate) return "wrong immediate";
    return {};
  }

  const RunOptions& options_;
  const Program& program_;
  const Program& peer_;
  std::vector<std::uint8_t> octets_;
  verbs::MemoryTable memory_{{2, 16}};
  verbs::Pd pd_ = memory_.allocate_pd().value_or(verbs::Pd{});
  verbs::CompletionQueue send_cq_, receive_cq_;
  verbs::EventQueue events_{16};
  QueuePair& qp_;
  verbs::MemoryKey key_;
  std::size_t num_posted_ = 0;
  std::size_t num_receives_ = 0;
  std::uint64_t num_sent_ = 0;
  std::uint64_t num_received_ = 0;
  std::uint64_t next_completion_ = 0;
  bool gave_up_ = false;
  bool flushed_ = false;  // the connection has ended
  Time next_receive_{};
};

class World {
 public:
  World(std::uint64_t seed, const RunOptions& options)
      : options_(options),
        scenario_(make_scenario(seed, options.program)),
        network_(make_network(seed, options)),
        a_(0, options, scenario_.programs[0], scenario_.programs[1], scenario_.memory[0], *network_),
        b_(1, options, scenario_.programs[1], scenario_.programs[0], scenario_.memory[1], *network_) {}

  RunResult run() {
    if (!network_->connect()) return failed("cannot connect");
    for (;;) {
      if (std::string fault = step(); !fault.empty()) return failed(fault);
      if (a_.finished() && b_.finished()) break;
      const auto next = next_event();
      if (!next) {
        if (over()) break;
        return failed("nothing more will happen, and not all is done");
      }
      if (*next > give_up) return failed("does not end");
      now_ = std::max(now_, *next);
    }
    return compare();
  }

 private:
  // Nothing more is to come: each end is through, or has lost its connection or its peer.
  bool over() const {
    const auto through = [](const End& end, const End& peer) {
      return end.finished() || end.in_error() || peer.in_error();
    };
    return through(a_, b_) && through(b_, a_);
  }

  // All that can happen now.
  std::string step() {
    for (End* end : {&a_, &b_}) {
      end->post_receives(now_);
      end->post_sends(end == &a_ ? b_.key() : a_.key());
    }
    network_->advance(now_);
    for (End* end : {&a_, &b_}) {
      if (std::string fault = end->check_completions(); !fault.empty()) return fault;
      end->count_silent();
      end->post_receives(now_);
    }
    return {};
  }
  std::optional<Time> next_event() const {
    std::optional<Time> first;
    const auto add = [&](std::optional<Time> one) {
      if (one && (!first || *one < *first)) first = one;
    };
    add(network_->next_event());
    for (const End* end : {&a_, &b_}) add(end->next_post(now_));
    return first;
  }

  RunResult failed(std::string fault) const {
    RunResult out;
    out.fault = std::move(fault) + " at " + std::to_string(now_.count()) + " ns";
    return out;
  }

  RunResult compare() {
    RunResult out;
    out.finished = now_;
    out.num_packets = network_->num_packets();
    for (const Program& program : scenario_.programs) {
      for (const Request& request : program.requests) out.payload_len += request.length;
    }
    if (a_.gave_up() || b_.gave_up()) {
      out.retries_exceeded = true;
      if (!is_prefix(a_, b_, 0) || !is_prefix(b_, a_, 1)) return failed("memory differs after a connection gave up");
      return out;
    }
    for (std::size_t end = 0; end < 2; ++end) {
      const auto& octets = (end == 0 ? a_ : b_).octets();
      const auto& expected = scenario_.expected[end];
      const auto differs = std::ranges::mismatch(octets, expected);
      if (differs.in1 != octets.end()) {
        return failed("memory of end " + std::to_string(end) + " differs at offset " +
                      std::to_string(differs.in1 - octets.begin()));
      }
    }
    return out;
  }

  // What from has written to the memory of to is that of its first requests, at least of those that are complete, and
  // perhaps a part of the next.
  bool is_prefix(const End& from, const End& to, std::size_t number) const {
    const Program& program = scenario_.programs[number];
    std::vector<std::uint8_t> own = scenario_.memory[number];
    std::vector<std::uint8_t> peer = scenario_.memory[1 - number];
    const auto begin = static_cast<std::ptrdiff_t>(program.map.written);
    const auto end = static_cast<std::ptrdiff_t>(program.map.target);
    const auto same_but = [&](std::uint64_t at, std::uint64_t len, const std::vector<std::uint8_t>& after) {
      // Outside of the next request's range as before it, inside as before or after it.
      for (auto i = begin; i < end; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const bool inside = place >= at && place < at + len;
        if (to.octets()[place] == peer[place]) continue;
        if (!inside || to.octets()[place] != after[place]) return false;
      }
      return true;
    };
    for (std::size_t n = 0; n <= program.requests.size(); ++n) {
      if (n >= from.num_sent()) {
        if (n == program.requests.size()) return same_but(0, 0, peer);
        std::vector<std::uint8_t> after = peer;
        execute_ideally(program.requests[n], own, after);
        if (same_but(program.requests[n].work.remote_address, program.requests[n].length, after)) return true;
        peer = std::move(after);
        continue;
      }
      execute_ideally(program.requests[n], own, peer);
    }
    return false;
  }

  const RunOptions& options_;
  Scenario scenario_;
  std::unique_ptr<Network> network_;
  End a_, b_;
  Time now_{};
};

}  // namespace

RunResult run(std::uint64_t seed, const RunOptions& options) { return World(seed, options).run(); }

RunOptions options_for(std::uint64_t seed, Carrier carrier) {
  SplitMix64 random(seed * 2 + 1);
  RunOptions out;
  out.carrier = carrier;
  out.program.num_requests = static_cast<std::uint32_t>(1 + random.below(60));
  out.program.max_len = random.below(40) == 0 ? 4U << 20 : static_cast<std::uint32_t>(64 + random.below(30000));
  if (out.program.max_len > 1U << 20) out.program.num_requests = 3;
  out.path_mtu = ib::PathMtu{static_cast<std::uint8_t>(1 + random.below(5))};
  out.depth = static_cast<std::uint8_t>(1 + random.below(16));
  out.window = random.below(3) == 0 ? static_cast<std::uint32_t>(1 + random.below(64)) : 1U << 23;
  out.ack_interval = static_cast<std::uint32_t>(1 + random.below(100));
  out.num_receives_ahead = static_cast<std::uint8_t>(random.below(6));
  out.receive_delay = std::chrono::microseconds(random.below(200));
  out.flow_control = random.below(2) == 0;
  link::Impairments& bad = out.impairments;
  const auto ppm = [&](std::uint64_t most) { return link::Ppm{static_cast<std::uint32_t>(random.below(most + 1))}; };
  // Large messages would never get through the worst network.
  const std::uint64_t most_loss = out.program.max_len > 1U << 20 ? 2000 : 200'000;
  if (random.below(8) != 0) bad.loss = ppm(random.below(2) == 0 ? most_loss : most_loss / 10);
  if (random.below(2) == 0) bad.duplicate = ppm(most_loss / 2);
  if (random.below(2) == 0) {
    bad.reorder = ppm(most_loss / 2);
    bad.reorder_bound = static_cast<std::uint32_t>(1 + random.below(8));
    bad.reorder_hold = std::chrono::microseconds(1 + random.below(300));
  }
  if (random.below(2) == 0) {
    bad.corrupt = ppm(most_loss / 4);
    bad.max_flips = static_cast<std::uint32_t>(1 + random.below(3));
    // What no CRC covers would be damage that nobody can see: MAC addresses, and the LRH's VL.
    bad.protected_len = carrier == Carrier::ib ? 0 : 14;
  }
  bad.delay = std::chrono::nanoseconds(random.below(20'000));
  bad.jitter = std::chrono::nanoseconds(random.below(20'000));
  if (random.below(2) == 0) bad.rate = link::BitRate::gbit(1 + random.below(100));
  if (random.below(4) == 0) bad.burst = {ppm(20'000), ppm(500'000), link::Ppm::always()};
  return out;
}

}  // namespace rdmawire::hostile
