// Two DDP stream sessions with an association between them that the input orders, and that may damage, cut and make up
// chunks, but never repeats one. What goes out is legal whatever comes in; and as long as nothing was damaged or made
// up, each side gets what the other one sent, in its order, and no session ends for an illegal chunk.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fuzz/check_fields.h"
#include "fuzz/input.h"
#include "protocol/iwarp/sctp_session.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using fuzz::Input;
using fuzz::require;
using Octets = std::vector<std::uint8_t>;

struct InFlight {
  net::SctpPayloadProtocol protocol{};
  std::uint16_t ssn = 0;
  Octets octets;
};

struct End {
  explicit End(const SctpConfig& config) : session(config) {}
  SctpSession session;
  std::vector<InFlight> out;                // on their way to the other one
  std::vector<std::uint16_t> acknowledged;  // of what it sent, on their way back
  std::vector<Octets> sent;                 // ULPDUs of this session
  std::size_t num_received = 0;             // in order
  std::uint16_t next_ssn = 0;
  bool illegal = false;
};

struct World {
  World(const SctpConfig& a, const SctpConfig& b, std::uint32_t max_pending)
      : ends{End(a), End(b)}, listener(max_pending) {}
  std::array<End, 2> ends;
  SctpListener listener;
  SctpAssociation association;
  bool honest = true;       // nothing was damaged or made up
  bool acked_truly = true;  // no acknowledgment was
  Time now{};
};

void note(World& world, std::size_t side) {
  End& own = world.ends[side];
  End& peer = world.ends[1 - side];
  std::size_t num_events = 0;
  const auto events = [&] {
    while (const auto event = own.session.poll_event()) {
      require(++num_events <= 3);
      if (event->kind == SctpEventKind::ended && info(event->end).input == SctpInput::illegal) own.illegal = true;
    }
  };
  events();
  while (const auto segment = own.session.next_ahead()) {
    if (!world.honest) continue;
    const auto index = static_cast<std::size_t>(segment->number) - 1;
    require(index >= own.num_received && index < peer.sent.size());
    require(std::ranges::equal(segment->ulpdu, peer.sent[index]));
  }
  while (const auto segment = own.session.next_segment()) {
    if (!world.honest) continue;
    require(segment->number == own.num_received + 1 && own.num_received < peer.sent.size());
    require(std::ranges::equal(segment->ulpdu, peer.sent[own.num_received++]));
  }
  events();
  require(!world.honest || !own.illegal);
  while (own.out.size() < 32) {
    const auto chunk = own.session.poll_transmit();
    if (!chunk) break;
    require(chunk->unordered && chunk->octets.size() >= header_size<DdpSctp>);
    require(chunk->octets.size() <= own.session.max_ulpdu_len() + header_size<DdpSctp>);
    require(chunk->ssn == own.next_ssn && load_be<2>(chunk->octets.data()) == own.next_ssn++);
    if (chunk->protocol == net::SctpPayloadProtocol::ddp_session_control) {
      require(parse_session_control(chunk->octets).has_value());
    } else {
      require(chunk->protocol == net::SctpPayloadProtocol::ddp_segment);
    }
    own.out.push_back({chunk->protocol, chunk->ssn, Octets(chunk->octets.begin(), chunk->octets.end())});
  }
}

void deliver(World& world, std::size_t from, Input& in) {
  End& sender = world.ends[from];
  if (sender.out.empty()) return;
  const auto which = sender.out.begin() + static_cast<std::ptrdiff_t>(in.octet() % sender.out.size());
  const InFlight chunk = *which;
  sender.out.erase(which);
  sender.acknowledged.push_back(chunk.ssn);
  world.ends[1 - from].session.on_chunk(chunk.protocol, chunk.octets, world.now);
}

void damage(World& world, std::size_t from, Input& in) {
  End& sender = world.ends[from];
  if (sender.out.empty()) return;
  InFlight& chunk = sender.out[in.octet() % sender.out.size()];
  world.honest = false;
  const std::uint8_t how = in.octet();
  if ((how & 1U) != 0) {
    chunk.octets.resize(in.octet() % (chunk.octets.size() + 1));
  } else if (!chunk.octets.empty()) {
    chunk.octets[in.octet() % chunk.octets.size()] ^= static_cast<std::uint8_t>(how | 1U);
  }
}

void make_up(World& world, std::size_t to, Input& in) {
  world.honest = false;
  const std::uint8_t how = in.octet();
  Octets octets;
  const auto word = [&](std::uint16_t value) {
    octets.push_back(static_cast<std::uint8_t>(value >> 8));
    octets.push_back(static_cast<std::uint8_t>(value));
  };
  if ((how & 1U) != 0) {
    word(in.octet());        // small numbers, so that they fit
    word(in.octet() % 10U);  // functions
    octets.resize(octets.size() + (((how & 2U) != 0 ? 508U : 0U) + (how >> 4)), how);
  }
  const Bytes more = in.take(in.octet());
  octets.insert(octets.end(), more.begin(), more.end());
  const auto protocol = static_cast<net::SctpPayloadProtocol>(16 + (how >> 2) % 3);
  world.ends[to].session.on_chunk(protocol, octets, world.now);
}

void start(World& world, std::size_t side, Input& in) {
  End& own = world.ends[side];
  const std::uint8_t len = in.octet();
  const Octets private_data(len * 2U + (len & 4U));
  // The chunks of the session before are all there: what is on its way still is none of its.
  const bool started = side == 0 ? own.session.start_initiator(world.association, private_data, world.now).has_value()
                                 : own.session.start_responder(world.association, &world.listener).has_value();
  if (!started) return;
  require(own.out.empty() || !world.acked_truly);
  own.sent.clear();
  own.num_received = 0;
  own.next_ssn = 0;
}

void send(World& world, std::size_t side, Input& in) {
  End& own = world.ends[side];
  const std::size_t len = (in.octet() & 15U) * std::size_t{own.session.max_ulpdu_len()} / 14;
  const Octets ulpdu(len, static_cast<std::uint8_t>(own.sent.size() * 37));
  const Bytes all(ulpdu);
  const std::array<Bytes, 3> pieces{all.first(len / 3), Bytes(), all.subspan(len / 3)};
  const std::size_t room = own.session.room();
  const bool taken = own.session.send(pieces).has_value();
  require(taken == (room > 0 && len <= own.session.max_ulpdu_len()));
  if (taken) own.sent.push_back(ulpdu);
}

void acknowledge(World& world, std::size_t side, Input& in) {
  End& own = world.ends[side];
  if (own.acknowledged.empty()) return;
  const auto which = own.acknowledged.begin() + static_cast<std::ptrdiff_t>(in.octet() % own.acknowledged.size());
  own.session.on_acknowledged(*which);
  own.acknowledged.erase(which);
}

void answer(World& world, Input& in) {
  SctpSession& session = world.ends[1].session;
  const std::uint8_t how = in.octet();
  const Octets private_data(in.octet() * 2U);
  SctpAnswer out{.private_data = private_data, .because_enhanced = (how & 2U) != 0};
  if ((how & 4U) != 0) out.ird = in.word();
  if ((how & 8U) != 0) out.ord = in.word();
  if ((how & 1U) != 0) {
    (void)session.reject(out);
  } else {
    (void)session.accept(out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in{Bytes(data, size)};
  const std::uint8_t options = in.octet();
  SctpConfig config;
  // As many as a peer may have outstanding, so that what is legal fits.
  config.reorder_capacity = config.max_unacknowledged = 1 + in.octet() % 16U;
  config.send_capacity = 1 + (options >> 6);
  config.mpa.enhanced = (options & 1U) != 0;
  config.mpa.peer_to_peer = (options & 2U) != 0;
  SctpConfig config_b = config;
  config_b.mpa.enhanced = (options & 4U) != 0;
  config_b.mpa.rtr_write = (options & 8U) != 0;
  World world(config, config_b, (options & 16U) != 0 ? 0U : 1U);
  world.association.max_chunk_len = (options & 32U) != 0 ? 518U : 1420U;

  start(world, 1, in);
  start(world, 0, in);
  for (std::uint32_t step = 0; !in.empty() && step < 4000; ++step) {
    note(world, 0);
    note(world, 1);
    const std::uint8_t op = in.octet();
    const std::size_t side = op >> 7;
    switch (op & 15U) {
      case 8:
        acknowledge(world, side, in);
        break;
      case 9:
        damage(world, side, in);
        break;
      case 10:
        make_up(world, side, in);
        break;
      case 11:
        answer(world, in);
        break;
      case 12:
        (void)world.ends[side].session.terminate(world.now);
        break;
      case 13:
        world.now += std::chrono::milliseconds(in.word());
        world.ends[side].session.on_deadline(world.now);
        break;
      case 14:
        start(world, side, in);
        break;
      case 15:
        if ((op & 16U) != 0) {
          world.honest = false;  // one end knows, and the other one goes on
          world.ends[side].session.on_association_lost();
          world.ends[side].out.clear();
          world.ends[side].acknowledged.clear();
        } else {
          world.honest = world.acked_truly = false;
          world.ends[side].session.on_acknowledged(in.word());
        }
        break;
      default:
        if ((op & 7U) < 4) {
          deliver(world, side, in);
        } else {
          send(world, side, in);
        }
        break;
    }
    for (const End& end : world.ends) {
      const SctpState state = end.session.state();
      require(end.session.next_deadline().has_value() ==
              (state == SctpState::initiate_sent || state == SctpState::terminating));
      require(world.listener.num_pending() <= 1);
    }
  }
  return 0;
}
