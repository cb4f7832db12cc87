#include "cli/peer/simulation.h"

#include <algorithm>
#include <tuple>

#include "cli/peer/parse_options.h"
#include "cli/peer/roce_endpoint.h"
#include "pcap/wire/ip_address.h"
#include "pcap/wire/simulated_wire.h"
#include "protocol/link/random.h"

namespace rdmawire::cli::peer {
namespace {

// How long the other end may take to notice that this one is done.
constexpr Duration rest_time = std::chrono::seconds(30);

// A cable of 10 Gbit/s Ethernet, 200 m long.
link::Impairments cable() {
  link::Impairments out;
  out.rate = link::BitRate::gbit(10);
  out.framing_len = 24;
  out.delay = std::chrono::microseconds(1);
  return out;
}

PeerOptions options_of_other(const PeerOptions& own) {
  PeerOptions out = own;
  out.service = find_service(own.service->other_side);
  out.listens = !own.listens;
  out.num_connections = 1;
  out.quirk_names.clear();
  out.ib_quirks = {};
  out.record.clear();
  out.impairments.reset();
  out.seed = link::SplitMix64::nth(own.seed, 0);
  out.of_service.seed = out.seed;
  const Gid address = other_end_of(own);
  out.network.addresses = {{address, own.network.addresses.front().length}};
  out.network.mac = made_up_mac(address);
  if (!out.listens) out.host = wire::ip_text(own.network.addresses.front().address);
  return out;
}

}  // namespace

Simulation::Simulation(const PeerOptions& options) : other_options_(options_of_other(options)) {
  std::tie(wire_, other_wire_) = wire::simulated_wires(cable(), options.seed);
  other_ = std::make_unique<RoceEndpoint>(*other_wire_, other_options_, Endpoint::Log());
}

Simulation::~Simulation() = default;

// A simulated wire can always be asked.
void Simulation::make_ready(Endpoint& endpoint) {
  descriptors_.clear();
  endpoint.add_descriptors(descriptors_);
  for (pollfd& one : descriptors_) one.revents = POLLIN | POLLOUT;
  endpoint.on_ready(descriptors_);
}

void Simulation::wait(Endpoint& endpoint, Time until) {
  make_ready(endpoint);
  make_ready(*other_);
  if (other_->turn(now_)) return;
  std::optional<Time> next = until;
  keep_sooner(next, endpoint.next_deadline());
  keep_sooner(next, other_->next_deadline());
  // What is due already had its turn.
  now_ = std::max(*next, now_ + Duration(1));
}

void Simulation::finish(Endpoint& endpoint) {
  const Time until = now_ + rest_time;
  while (!other_->is_done() && now_ < until) {
    if (!endpoint.turn(now_)) wait(endpoint, until);
  }
}

}  // namespace rdmawire::cli::peer
