#include "protocol/hostile/iwarp_network.h"

#include <algorithm>
#include <chrono>

namespace rdmawire::hostile {
namespace {

constexpr link::Side side(std::size_t end) { return end == 0 ? link::Side::a : link::Side::b; }
// The first end opens the connection.
constexpr std::size_t initiator = 0;

}  // namespace

IwarpNetwork::IwarpNetwork(std::uint64_t seed, const RunOptions& options)
    : options_(options), random_(seed ^ 0x5DEECE66D), buffer_(iwarp::max_fpdu_len) {
  iwarp::MpaConfig& mpa = config_.mpa;
  // Without a ready-to-receive indication a responder whose peer has nothing to say is silent for ever.
  mpa.peer_to_peer = true;
  mpa.crc = random_.below(4) != 0;
  mpa.ird = mpa.ord = options.depth;
  const std::uint64_t ready = random_.below(3);
  mpa.rtr_send = false;  // it would take a receive that the program counts on
  mpa.rtr_write = ready != 1;
  mpa.rtr_read = ready != 0;
  constexpr std::array<std::uint32_t, 6> sizes{300, 536, 1448, 1460, 8948, 65000};
  config_.emss = {sizes[random_.below(sizes.size())]};
  config_.segmentation = random_.below(3) == 0 ? Segmentation::packed : Segmentation::aligned;
  config_.rdmap.max_ird = config_.rdmap.max_ord = std::max<std::uint16_t>(options.depth, 1);
}

QueuePair& IwarpNetwork::add(std::size_t end, const verbs::QpConfig& config, const verbs::QpResources& resources) {
  iwarp::MpaQueuePairConfig own = config_;
  const bool markers = options_.carrier == Carrier::iwarp_markers;
  // At least one direction has them.
  own.mpa.markers = markers && (end != initiator || random_.below(4) != 0);
  if (end != initiator) own.mpa.quirks = own.rdmap.quirks = options_.iwarp_quirks;
  verbs::QpConfig of_iwarp = config;
  of_iwarp.service = verbs::Service::iwarp;
  pairs_[end].push_back(std::make_unique<Connected>(of_iwarp, resources, own));
  return *pairs_[end].back();
}

bool IwarpNetwork::connect() {
  verbs::QpAttributes attributes;
  attributes.access = verbs::rights::remote;
  const auto ppm = [&](std::uint64_t most) { return link::Ppm{static_cast<std::uint32_t>(random_.below(most + 1))}; };
  for (std::size_t i = 0; i < pairs_[0].size(); ++i) {
    for (std::size_t end = 0; end < 2; ++end) {
      iwarp::MpaQueuePair& qp = pairs_[end][i]->machine;
      if (!qp.modify(verbs::QpState::init, attributes, verbs::attribute::access)) return false;
      if (!(end == initiator ? qp.connect({}, Time{}) : qp.listen(Time{}))) return false;
    }
    link::ByteStreamConfig tcp;
    tcp.capacity = static_cast<std::uint32_t>(2000 + random_.below(200'000));
    tcp.seed = random_.next();
    streams_.push_back(std::make_unique<link::ByteStream>(tcp));
    for (std::size_t end = 0; end < 2; ++end) {
      link::StreamImpairments does;
      does.keep_segments = random_.below(3) == 0;
      does.max_segment_len = static_cast<std::uint32_t>(1 + random_.below(random_.below(2) == 0 ? 100 : 9000));
      does.delay = std::chrono::nanoseconds(random_.below(20'000));
      does.jitter = std::chrono::nanoseconds(random_.below(20'000));
      does.late = random_.below(2) == 0 ? ppm(100'000) : link::Ppm{};
      does.late_by = std::chrono::microseconds(1 + random_.below(300));
      does.hand_up_ahead = random_.below(2) == 0;
      streams_.back()->set(side(end), does);
    }
  }
  return true;
}

bool IwarpNetwork::receive(std::size_t number, std::size_t end, Time now) {
  iwarp::MpaQueuePair& qp = pairs_[end][number]->machine;
  bool any = false;
  while (const auto piece = streams_[number]->receive(side(end), now)) {
    any = true;
    switch (piece->kind) {
      case link::StreamPiece::Kind::in_order:
        qp.on_octets(piece->octets, now);
        break;
      case link::StreamPiece::Kind::ahead:
        qp.on_octets_ahead(piece->offset, piece->octets);
        break;
      case link::StreamPiece::Kind::end:
        qp.on_peer_closed(now);
        break;
      case link::StreamPiece::Kind::aborted:
        qp.on_connection_lost(now);
        break;
    }
    // The responder's ULP takes whoever comes.
    if (const auto event = qp.poll_event(); event && event->kind == iwarp::MpaEventKind::request) {
      (void)qp.accept({}, now);
    }
  }
  return any;
}

bool IwarpNetwork::send(std::size_t number, std::size_t end, Time now) {
  Connected& pair = *pairs_[end][number];
  link::ByteStream& tcp = *streams_[number];
  bool any = false;
  for (;;) {
    if (pair.wait_at == pair.waiting.size()) {
      const std::size_t size = pair.machine.poll_octets(buffer_, now);
      if (size == 0) break;
      ++num_segments_;
      pair.waiting.assign(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(size));
      pair.wait_at = 0;
    }
    const std::size_t taken = tcp.write(side(end), Bytes(pair.waiting).subspan(pair.wait_at), now);
    if (taken == 0) break;
    pair.wait_at += taken;
    any = true;
  }
  switch (pair.machine.take_action()) {
    case iwarp::HostAction::none:
      return any;
    case iwarp::HostAction::shut_down:
    case iwarp::HostAction::close:
      tcp.close(side(end), now);
      return true;
    case iwarp::HostAction::abort:
      tcp.abort(side(end), now);
      return true;
  }
  return any;
}

void IwarpNetwork::advance(Time now) {
  for (auto& end : pairs_) {
    for (auto& pair : end) pair->machine.on_deadline(now);
  }
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      for (std::size_t end = 0; end < 2; ++end) {
        any = receive(i, end, now) || any;
        any = send(i, end, now) || any;
      }
    }
  }
}

std::optional<Time> IwarpNetwork::next_event() const {
  std::optional<Time> first;
  for (const auto& tcp : streams_) keep_sooner(first, tcp->next_arrival());
  for (const auto& end : pairs_) {
    for (const auto& pair : end) keep_sooner(first, pair->machine.next_deadline());
  }
  return first;
}

}  // namespace rdmawire::hostile
