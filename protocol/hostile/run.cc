#include "protocol/hostile/run.h"

#include <algorithm>
#include <array>
#include <memory>

#include "protocol/hostile/compare.h"
#include "protocol/hostile/consumer.h"
#include "protocol/hostile/ib_network.h"
#include "protocol/hostile/iwarp_network.h"
#include "protocol/hostile/sctp_network.h"

namespace rdmawire::hostile {
namespace {

using link::SplitMix64;

constexpr Time give_up = std::chrono::hours(10);  // virtual; nothing takes so long that ends at all

// A family of protocols is added here, with its carriers.
std::unique_ptr<Network> make_network(std::uint64_t seed, const RunOptions& options) {
  if (options.carrier == Carrier::iwarp_sctp) return std::make_unique<SctpNetwork>(seed, options);
  if (is_iwarp(options.carrier)) return std::make_unique<IwarpNetwork>(seed, options);
  return std::make_unique<IbNetwork>(seed, options);
}

class World {
 public:
  World(std::uint64_t seed, const RunOptions& options)
      : options_(options),
        scenario_(make_scenario(seed, options.program)),
        network_(make_network(seed, options)),
        a_(0, options, scenario_, *network_),
        b_(1, options, scenario_, *network_) {
    a_.meet(b_);
    b_.meet(a_);
  }

  // Until nothing more will happen: what is still under way when all is complete must do no harm.
  RunResult run() {
    if (!network_->connect()) return failed("cannot connect");
    RunResult out;
    for (;;) {
      a_.post(now_);
      b_.post(now_);
      network_->advance(now_);
      for (Consumer* end : {&a_, &b_}) {
        if (std::string fault = end->check_completions(); !fault.empty()) return failed(fault);
      }
      const bool posted = a_.post(now_);
      if (b_.post(now_) || posted) continue;
      const bool done = all([&](std::size_t i) { return is_done(i); });
      if (done && out.finished == Time{}) out.finished = now_;
      const auto next = next_event();
      if (!next) break;
      if (*next > give_up) return failed("does not end");
      now_ = std::max(now_, *next);
    }
    if (!all([&](std::size_t i) { return is_over(i); })) return failed("nothing more will happen, and not all is done");
    if (std::string fault = check_counts(); !fault.empty()) return failed(fault);
    if (std::string fault = compare(scenario_, options_, {&a_, &b_}); !fault.empty()) return failed(fault);
    out.retries_exceeded = !all([&](std::size_t i) { return !a_.gave_up(i) && !b_.gave_up(i); });
    // Where packets wait longer than an ACK may take, giving up is no fault.
    const bool patient = options_.impairments.rate.bits_per_second == 0 && options_.loses_nothing();
    if (out.retries_exceeded && patient) return failed("gave up, and nothing was lost");
    out.num_packets = network_->num_packets();
    for (const Connection& connection : scenario_.connections) {
      for (const Program& program : connection.programs) {
        for (const Request& request : program.requests) {
          if (!verbs::info(request.work.opcode).local) out.payload_len += request.length;
          out.longest = std::max(out.longest, request.length);
        }
      }
    }
    return out;
  }

 private:
  template <class Predicate>
  bool all(Predicate&& predicate) const {
    for (std::size_t i = 0; i < scenario_.connections.size(); ++i) {
      if (!predicate(i)) return false;
    }
    return true;
  }
  bool is_done(std::size_t connection) const {
    return a_.all_sent(connection) && b_.all_sent(connection) && a_.all_received(connection) &&
           b_.all_received(connection);
  }
  // Done, or one end has lost the connection.
  bool is_over(std::size_t connection) const {
    return is_done(connection) || a_.in_error(connection) || b_.in_error(connection);
  }

  std::optional<Time> next_event() const {
    std::optional<Time> first = network_->next_event();
    for (const Consumer* end : {&a_, &b_}) keep_sooner(first, end->next_post(now_));
    return first;
  }

  // Of unreliable services: no more than what was sent and doubled; all of it when nothing is lost and all receives
  // were there.
  std::string check_counts() const {
    if (scenario_.service == verbs::Service::rc) return {};
    for (std::size_t end = 0; end < 2; ++end) {
      const Consumer& receiver = end == 0 ? b_ : a_;
      std::size_t num_messages = 0;
      for (const Connection& connection : scenario_.connections) {
        for (const Received& one : connection.programs[end].messages) num_messages += one.must_not_come ? 0 : 1;
      }
      const std::size_t num_arrived = receiver.arrivals().size();
      if (num_arrived > num_messages + network_->num_copies()) return "more messages came than were sent and doubled";
      const bool must_come = options_.loses_nothing() && options_.num_receives_ahead == 0;
      if (must_come && num_arrived != num_messages) return "a message is missing, and nothing was lost";
    }
    return {};
  }

  RunResult failed(std::string fault) const {
    RunResult out;
    out.fault = std::move(fault) + " at " + std::to_string(now_.count()) + " ns";
    return out;
  }

  const RunOptions& options_;
  const Scenario scenario_;
  std::unique_ptr<Network> network_;
  Consumer a_, b_;
  Time now_{};
};

}  // namespace

RunResult run(std::uint64_t seed, const RunOptions& options) { return World(seed, options).run(); }

namespace {

// Every so many seeds have messages of 4 MiB, so that each range has them: they take time.
constexpr std::uint64_t seeds_per_large = 40;

// Which service, how many connections, and what they ask of each other.
void choose_program(SplitMix64& random, bool large, RunOptions& out) {
  ProgramOptions& program = out.program;
  program.num_requests = static_cast<std::uint32_t>(1 + random.below(60));
  program.max_len = static_cast<std::uint32_t>(64 + random.below(30000));
  program.lends = random.below(2) == 0;
  if (large) {
    program.max_len = 4U << 20;
    program.num_requests = 2;
    program.has_longest = true;
  }
  const bool unreliable = !is_iwarp(out.carrier);
  const std::uint64_t kind = random.below(8);
  if (kind == 0 && unreliable) {
    program.service = verbs::Service::uc;
    program.lends = false;
  } else if (kind == 1 && !large && unreliable) {
    program.service = verbs::Service::ud;
    program.lends = false;
    program.num_connections = static_cast<std::uint32_t>(1 + random.below(max_connections));
    program.max_len = out.path_mtu.octets();
  } else if (kind == 2 && !large) {
    program.num_connections = static_cast<std::uint32_t>(2 + random.below(max_connections - 1));
    program.shared_receives = true;
    program.num_requests = 1 + program.num_requests / 2;
  }
}

void choose_losses(SplitMix64& random, bool large, RunOptions& out) {
  link::Impairments& bad = out.impairments;
  const auto ppm = [&](std::uint64_t most) { return link::Ppm{static_cast<std::uint32_t>(random.below(most + 1))}; };
  // Large messages would never get through the worst network, and least of all unreliably.
  const bool reliable = out.program.service == verbs::Service::rc;
  const std::uint64_t most_loss = !large ? 200'000 : reliable ? 2000 : 50;
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
    bad.protected_len = out.carrier == Carrier::ib ? 0 : 14;
  }
  if (random.below(4) == 0 && !large) bad.burst = {ppm(20'000), ppm(500'000), link::Ppm::always()};
}

}  // namespace

RunOptions options_for(std::uint64_t seed, Carrier carrier) {
  SplitMix64 random(seed * 2 + 1);
  RunOptions out;
  out.carrier = carrier;
  out.path_mtu = ib::PathMtu{static_cast<std::uint8_t>(1 + random.below(5))};
  out.global = random.below(2) == 0;
  const bool large = seed % seeds_per_large == 0;
  choose_program(random, large, out);
  out.depth = static_cast<std::uint8_t>(1 + random.below(16));
  out.window = random.below(3) == 0 ? static_cast<std::uint32_t>(1 + random.below(64)) : 1U << 23;
  out.ack_interval = static_cast<std::uint32_t>(1 + random.below(100));
  out.num_receives_ahead = static_cast<std::uint8_t>(random.below(6));
  out.receive_delay = std::chrono::microseconds(random.below(200));
  out.flow_control = random.below(2) == 0;
  if (is_iwarp(carrier)) {
    out.program.immediate = out.program.atomic_write = false;
    // A message for which no receive is there ends the stream (RFC 5041, 7.1).
    out.num_receives_ahead = 0;
    // What becomes of the stream the network decides.
    return out;
  }
  link::Impairments& bad = out.impairments;
  bad.delay = std::chrono::nanoseconds(random.below(20'000));
  bad.jitter = std::chrono::nanoseconds(random.below(20'000));
  if (random.below(2) == 0) bad.rate = link::BitRate::gbit(1 + random.below(100));
  // Now and then a good network, on which all must arrive, and nobody give up.
  const bool reliable = out.program.service == verbs::Service::rc;
  if (random.below(reliable ? 16 : 4) != 0) {
    choose_losses(random, large, out);
  } else if (!reliable) {
    out.num_receives_ahead = 0;
  }
  return out;
}

}  // namespace rdmawire::hostile
