#include "protocol/hostile/sctp_network.h"

#include <algorithm>
#include <chrono>

namespace rdmawire::hostile {
namespace {

constexpr link::Side side(std::size_t end) { return end == 0 ? link::Side::a : link::Side::b; }
constexpr std::size_t initiator = 0;

iwarp::SctpQueuePairConfig queue_pair_config(link::SplitMix64& random, const RunOptions& options) {
  iwarp::SctpQueuePairConfig out;
  iwarp::MpaConfig& mpa = out.sctp.mpa;
  mpa.enhanced = random.below(2) == 0;
  mpa.peer_to_peer = random.below(2) == 0;
  const std::uint64_t ready = random.below(3);
  mpa.rtr_send = false;  // it would take a receive that the program counts on
  mpa.rtr_write = ready != 1;
  mpa.rtr_read = ready != 0;
  mpa.ird = mpa.ord = options.depth;
  constexpr std::array<std::uint32_t, 4> sizes{iwarp::min_ddp_chunk_len, 1000, 1420, 8900};
  out.sctp.max_chunk_len = sizes[random.below(sizes.size())];
  out.sctp.reorder_capacity = 64;
  out.sctp.max_unacknowledged = static_cast<std::uint32_t>(2 + random.below(62));
  out.sctp.send_capacity = static_cast<std::uint32_t>(1 + random.below(16));
  out.rdmap.max_ird = out.rdmap.max_ord = std::max<std::uint16_t>(options.depth, 1);
  return out;
}

link::ChunkStreamConfig association_config(std::uint64_t seed, const iwarp::SctpQueuePairConfig& config) {
  link::ChunkStreamConfig out;
  out.num_streams = max_connections;
  out.capacity = 64 * max_connections;
  out.max_chunk_len = config.sctp.max_chunk_len;
  out.indications = {iwarp::AdaptationIndication::ddp, iwarp::AdaptationIndication::ddp};
  out.seed = seed;
  return out;
}

}  // namespace

SctpNetwork::SctpNetwork(std::uint64_t seed, const RunOptions& options)
    : options_(options),
      random_(seed ^ 0x5DEECE66D),
      config_(queue_pair_config(random_, options)),
      association_(association_config(random_.next(), config_)) {}

QueuePair& SctpNetwork::add(std::size_t end, const verbs::QpConfig& config, const verbs::QpResources& resources) {
  iwarp::SctpQueuePairConfig own = config_;
  own.sctp.stream = static_cast<std::uint16_t>(pairs_[end].size());
  if (end != initiator) own.sctp.mpa.quirks = own.rdmap.quirks = options_.iwarp_quirks;
  verbs::QpConfig of_iwarp = config;
  of_iwarp.service = verbs::Service::iwarp;
  pairs_[end].push_back(std::make_unique<Paired<iwarp::SctpQueuePair>>(of_iwarp, resources, own));
  return *pairs_[end].back();
}

bool SctpNetwork::connect() {
  verbs::QpAttributes attributes;
  attributes.access = verbs::rights::remote;
  const auto ppm = [&](std::uint64_t most) { return link::Ppm{static_cast<std::uint32_t>(random_.below(most + 1))}; };
  for (std::size_t end = 0; end < 2; ++end) {
    link::ChunkImpairments does;
    does.delay = std::chrono::nanoseconds(random_.below(20'000));
    does.jitter = std::chrono::nanoseconds(random_.below(20'000));
    does.ack_delay = std::chrono::nanoseconds(random_.below(50'000));
    does.reorder = random_.below(4) == 0 ? link::Ppm{} : ppm(500'000);
    does.reorder_bound = static_cast<std::uint32_t>(1 + random_.below(30));
    does.reorder_hold = std::chrono::microseconds(1 + random_.below(300));
    association_.set(side(end), does);
  }
  iwarp::SctpAssociation association;
  association.max_chunk_len = config_.sctp.max_chunk_len;
  for (std::size_t i = 0; i < pairs_[0].size(); ++i) {
    for (std::size_t end = 0; end < 2; ++end) {
      iwarp::SctpQueuePair& qp = pairs_[end][i]->machine;
      if (!qp.modify(verbs::QpState::init, attributes, verbs::attribute::access)) return false;
      if (!(end == initiator ? qp.connect(association, {}, Time{}) : qp.listen(association, nullptr))) return false;
    }
  }
  return true;
}

bool SctpNetwork::receive(Time now) {
  bool any = false;
  while (const auto news = association_.receive(now)) {
    any = true;
    const std::size_t end = news->to == link::Side::a ? 0 : 1;
    if (news->stream >= pairs_[end].size()) continue;
    iwarp::SctpQueuePair& qp = pairs_[end][news->stream]->machine;
    switch (news->kind) {
      case link::ChunkNews::Kind::chunk:
        qp.on_chunk(news->protocol, news->octets, now);
        break;
      case link::ChunkNews::Kind::acknowledged:
        qp.on_acknowledged(static_cast<std::uint16_t>(news->context), now);
        break;
      case link::ChunkNews::Kind::shutdown:
        qp.on_association_shut_down();
        break;
      case link::ChunkNews::Kind::aborted:
        qp.on_association_lost();
        break;
    }
    // The responder's ULP takes whoever comes.
    if (const auto event = qp.poll_event(); event && event->kind == iwarp::SctpEventKind::request) {
      (void)qp.accept({}, now);
    }
  }
  return any;
}

bool SctpNetwork::send(std::size_t number, std::size_t end, Time now) {
  iwarp::SctpQueuePair& qp = pairs_[end][number]->machine;
  bool any = false;
  while (association_.room(side(end)) != 0) {
    const auto chunk = qp.poll_transmit(now);
    if (!chunk) break;
    association_.send(side(end), {chunk->stream, chunk->protocol, chunk->unordered, chunk->octets, chunk->ssn}, now);
    ++num_chunks_;
    any = true;
  }
  return any;
}

void SctpNetwork::advance(Time now) {
  for (auto& end : pairs_) {
    for (auto& pair : end) pair->machine.on_deadline(now);
  }
  for (bool any = true; any;) {
    any = receive(now);
    for (std::size_t i = 0; i < pairs_[0].size(); ++i) {
      any = send(i, 0, now) || any;
      any = send(i, 1, now) || any;
    }
  }
}

std::optional<Time> SctpNetwork::next_event() const {
  std::optional<Time> first = association_.next_arrival();
  for (const auto& end : pairs_) {
    for (const auto& pair : end) keep_sooner(first, pair->machine.next_deadline());
  }
  return first;
}

}  // namespace rdmawire::hostile
