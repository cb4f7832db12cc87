// A connection manager and its consumer, driven by the input: MADs with fields of its choice, with the numbers of
// connections that exist or nearly so; consumer's calls; time. Nothing may crash, nothing may grow, and what goes out
// is a legal message.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "fuzz/check_fields.h"
#include "fuzz/input.h"
#include "protocol/cm/manager.h"
#include "protocol/cm/messages.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::cm;
using fuzz::require;

// Small numbers, so that messages meet connections: the manager's own begin with 1, the peer's with 0xA0.
CommunicationId own_id(fuzz::Input& in) { return {in.octet() % 8U}; }
CommunicationId peer_id(fuzz::Input& in) { return {0xA0U + in.octet() % 4U}; }

verbs::AddressVector peer_path() {
  verbs::AddressVector out;
  out.destination_lid = {7};
  return out;
}

mad::CmReq make_req(fuzz::Input& in) {
  mad::CmReq req;
  const std::uint8_t odd = in.octet();
  req.local_id = peer_id(in);
  req.service_id = {(odd & 1U) != 0 ? 0x0000000001061C06U : 0x1234U + (in.octet() & 3U)};
  req.local_ca_guid = {2};
  req.local_qpn = {in.octet() % 4U};
  req.responder_resources = in.octet();
  req.initiator_depth = in.octet();
  req.transport_service = static_cast<mad::TransportService>((odd & 2U) != 0 ? in.octet() & 3U : 0U);
  req.extended_transport = static_cast<mad::ExtendedTransport>(odd >> 2 & 7U);
  req.local_cm_response_timeout = in.octet() & 31U;
  req.path_mtu = (odd & 32U) != 0 ? in.octet() & 15U : 3;
  req.max_cm_retries = in.octet() & 3U;
  req.primary_local_ack_timeout = in.octet() & 31U;
  req.primary_subnet_local = (odd & 64U) != 0;
  if ((odd & 128U) != 0) req.alternate_remote_lid = {9};
  req.private_data[0] = in.octet() & 0x10U;
  req.private_data[1] = in.octet() & 0x60U;
  return req;
}

void give_mad(Manager& cm, fuzz::Input& in, Time now) {
  MadOctets octets{};
  mad::TransactionId transaction{in.octet() % 4U};
  switch (in.octet() % 13U) {
    case 0:
      write(octets, mad::CmAttribute::req, transaction, make_req(in));
      break;
    case 1: {
      mad::CmRep rep;
      rep.local_id = peer_id(in);
      rep.remote_id = own_id(in);
      rep.local_qpn = {in.octet() % 4U};
      rep.responder_resources = in.octet();
      rep.initiator_depth = in.octet() & 7U;
      rep.target_ack_delay = in.octet() & 31U;
      rep.local_ca_guid = {2};
      write(octets, mad::CmAttribute::rep, transaction, rep);
      break;
    }
    case 2:
      write(octets, mad::CmAttribute::rtu, transaction, mad::CmRtu{peer_id(in), own_id(in), {}});
      break;
    case 3: {
      mad::CmRej rej;
      rej.local_id = peer_id(in);
      rej.remote_id = own_id(in);
      rej.message = static_cast<mad::RejMessage>(in.octet() & 3U);
      rej.reason = static_cast<mad::RejReason>(in.octet() % 36U);
      rej.reject_info_length = in.octet() & 0x7FU;
      rej.additional_info[7] = in.octet() & 3U;
      write(octets, mad::CmAttribute::rej, transaction, rej);
      break;
    }
    case 4: {
      mad::CmMra mra;
      mra.local_id = peer_id(in);
      mra.remote_id = own_id(in);
      mra.message = static_cast<mad::MraMessage>(in.octet() & 3U);
      mra.service_timeout = in.octet() & 31U;
      // Of the LAPs that it sent.
      transaction.value += in.octet() % 8U;
      write(octets, mad::CmAttribute::mra, transaction, mra);
      break;
    }
    case 5: {
      mad::CmDreq dreq;
      dreq.local_id = peer_id(in);
      dreq.remote_id = own_id(in);
      dreq.remote_qpn = {in.octet() % 4U};
      write(octets, mad::CmAttribute::dreq, transaction, dreq);
      break;
    }
    case 6:
      write(octets, mad::CmAttribute::drep, transaction, mad::CmDrep{peer_id(in), own_id(in), {}});
      break;
    case 7: {
      mad::CmLap lap;
      lap.local_id = peer_id(in);
      lap.remote_id = own_id(in);
      lap.remote_qpn = {in.octet() % 4U};
      write(octets, mad::CmAttribute::lap, transaction, lap);
      break;
    }
    case 8: {
      mad::CmApr apr;
      apr.local_id = peer_id(in);
      apr.remote_id = own_id(in);
      apr.status = static_cast<mad::AprStatus>(in.octet());
      apr.additional_info_length = in.octet();
      transaction.value += in.octet() % 8U;
      write(octets, mad::CmAttribute::apr, transaction, apr);
      break;
    }
    case 9: {
      mad::CmSidrReq sidr;
      sidr.request_id = peer_id(in);
      sidr.service_id = {0x1234U + (in.octet() & 3U)};
      write(octets, mad::CmAttribute::sidr_req, transaction, sidr);
      break;
    }
    case 10: {
      mad::CmSidrRep sidr;
      sidr.request_id = own_id(in);
      sidr.status = static_cast<mad::SidrStatus>(in.octet());
      sidr.additional_info_length = in.octet();
      write(octets, mad::CmAttribute::sidr_rep, transaction, sidr);
      break;
    }
    case 11: {  // any octets at all
      const Bytes given = in.take(in.octet());
      std::ranges::copy(given, octets.begin());
      cm.on_mad(Bytes(octets).first(in.octet() != 0 ? octets.size() : given.size()), peer_path(), now);
      return;
    }
    default:  // a well-formed header before any octets
      write(octets, static_cast<mad::CmAttribute>(in.octet() & 0x1FU), transaction, mad::CmRtu{});
      octets[2] = in.octet() & 3U;
      std::ranges::copy(in.take(232), octets.begin() + 24);
      break;
  }
  cm.on_mad(octets, peer_path(), now);
}

struct Seen {
  std::array<ConnectionId, 8> ids{};
  std::size_t num = 0;
  void add(ConnectionId id) { ids[num++ % ids.size()] = id; }
};

void ask(Manager& cm, fuzz::Input& in, const Seen& seen, Time now) {
  const ConnectionId id = seen.ids[in.octet() % seen.ids.size()];
  const State before = cm.state(id);
  const std::array<std::uint8_t, 230> data{};
  const Bytes words = Bytes(data).first(std::min<std::size_t>(in.octet(), data.size()));
  switch (in.octet() % 10U) {
    case 0: {
      AcceptParams params;
      params.qpn = {in.octet() % 4U};
      params.private_data = words;
      (void)cm.accept(id, params, now);
      break;
    }
    case 1:
      (void)cm.establish(id, words, now);
      break;
    case 2:
      (void)cm.note_communication(id, now);
      break;
    case 3:
      (void)cm.delay(id, {static_cast<std::uint8_t>(in.octet() & 63U)}, words, now);
      break;
    case 4:
      (void)cm.reject(id, {static_cast<mad::RejReason>(in.octet()), words, words}, now);
      break;
    case 5:
      (void)cm.disconnect(id, words, now);
      break;
    case 6:
      (void)cm.load_path(id, Path{}, words, now);
      break;
    case 7:
      (void)cm.answer_path(id, {static_cast<mad::AprStatus>(in.octet()), words, words}, now);
      break;
    case 8:
      (void)cm.answer_resolve(id, {static_cast<mad::SidrStatus>(in.octet()), {1}, {2}, words, words}, now);
      break;
    default: {
      // What is refused changes nothing.
      require(!cm.establish({0xFFFFFFFF}, {}, now));
      require(cm.state(id) == before);
      break;
    }
  }
}

void start(Manager& cm, fuzz::Input& in, Seen& seen, Time now) {
  if (in.octet() % 4U == 0) {
    ResolveParams params;
    params.service = {0x1234};
    params.path = peer_path();
    params.max_cm_retries = in.octet() & 3U;
    if (const auto id = cm.resolve(params, now)) seen.add(*id);
    return;
  }
  ConnectParams params;
  params.service = {0x1234};
  params.path.to = peer_path();
  params.qpn = {in.octet() % 4U};
  params.responder_resources = in.octet() & 7U;
  params.max_cm_retries = in.octet() & 3U;
  if (const auto id = cm.connect(params, now)) seen.add(*id);
}

// What goes out: a CM message of this version, with codes that exist.
void check(const TxMad& tx) {
  const auto header = decode<mad::Mad>(Bytes(tx.octets).first<header_size<mad::Mad>>());
  require(header.base_version == 1 && header.class_version == 2 && header.method == mad::Method::send);
  require(header.management_class == mad::ManagementClass::communication && header.status.ok());
  require(header.attribute_id >= 0x10 && header.attribute_id <= 0x1A);
  require(header.attribute_modifier == 0);
  const auto message = Bytes(tx.octets).last<mad::cm_message_size>();
  switch (static_cast<mad::CmAttribute>(header.attribute_id)) {
    case mad::CmAttribute::req: {
      const auto req = decode<mad::CmReq>(message);
      require(req.local_id.value != 0 && ib::PathMtu{req.path_mtu}.valid());
      break;
    }
    case mad::CmAttribute::rep: {
      const auto rep = decode<mad::CmRep>(message);
      require(rep.local_id.value != 0 && rep.remote_id.value != 0);
      break;
    }
    case mad::CmAttribute::rtu: {
      const auto rtu = decode<mad::CmRtu>(message);
      require(rtu.local_id.value != 0);
      break;
    }
    case mad::CmAttribute::rej: {
      const auto rej = decode<mad::CmRej>(message);
      require(rej.message <= mad::RejMessage::other && rej.reject_info_length <= max_info_len);
      break;
    }
    case mad::CmAttribute::mra: {
      const auto mra = decode<mad::CmMra>(message);
      require(mra.message <= mad::MraMessage::lap);
      break;
    }
    default:
      break;
  }
}

constexpr int max_steps = 64;
constexpr std::size_t max_events = 4;
constexpr std::size_t max_mads = 8;
constexpr std::size_t max_connections = 4;

Manager make_manager(bool alternate_paths, bool extended_reliable, std::optional<ib::Quirk> quirk) {
  Config config;
  config.max_connections = max_connections;
  config.max_listeners = 2;
  config.max_events = max_events;
  config.max_mads = max_mads;
  config.ca_guid = {1};
  config.alternate_paths = alternate_paths;
  config.extended_reliable = extended_reliable;
  if (quirk) config.quirks.add(*quirk);
  Manager out(config);
  require(out.listen({0x1234}, {~std::uint64_t{1}, 2}).has_value());
  require(out.listen({0x0000000001061C06}).has_value());
  return out;
}

// A new one. Most inputs get a copy into the same memory: to allocate takes longer than all the rest.
Manager& new_manager(fuzz::Input& in) {
  static const std::array fresh{make_manager(false, false, {}), make_manager(true, false, {}),
                                make_manager(false, true, {}), make_manager(true, true, {})};
  static Manager cm = fresh[0];
  const std::uint8_t options = in.octet();
  if ((options & 4U) != 0) {
    const auto quirk = static_cast<ib::Quirk>(in.octet() % static_cast<unsigned>(ib::Quirk::count_));
    cm = make_manager((options & 1U) != 0, (options & 2U) != 0, quirk);
  } else {
    cm = fresh[options & 3U];
  }
  return cm;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input in({data, size});
  Manager& cm = new_manager(in);
  Seen seen;
  Time now{};

  const auto drain = [&] {
    TxMad tx;
    std::size_t num_sent = 0;
    while (cm.poll_transmit(tx, now)) {
      check(tx);
      require(++num_sent <= max_mads);
    }
  };
  const auto take_events = [&] {
    std::size_t num_told = 0;
    while (const auto event = cm.poll_event()) {
      require(++num_told <= max_events);
      require(event->kind != EventKind::none && event->kind < EventKind::count_);
      require(event->private_offset + event->private_len <= 232 && event->info_len <= max_info_len);
      require(event->attributes.destination_qp.value < Psn::modulus);
      require(event->attributes.timeout.value < 32 && event->attributes.retry_count < 8);
      (void)event->reason();
      seen.add(event->connection);
    }
  };

  // What comes after so many steps shows nothing new, and takes time.
  for (int step = 0; step < max_steps && !in.empty(); ++step) {
    switch (in.octet() % 8U) {
      case 0:
        start(cm, in, seen, now);
        break;
      case 1:
      case 2:
        ask(cm, in, seen, now);
        break;
      case 3:
        now += std::chrono::microseconds(in.long_word());
        cm.on_deadline(now);
        break;
      case 4:
        if (const auto deadline = cm.next_deadline()) {
          now = std::max(now, *deadline);
          cm.on_deadline(now);
        }
        break;
      default:
        give_mad(cm, in, now);
        break;
    }
    require(cm.num_connections() <= max_connections);
    drain();
    if (in.octet() % 4U != 0) take_events();
  }

  // Left alone, it comes to rest: only what waits for the consumer stays.
  take_events();
  for (int i = 0; const auto deadline = cm.next_deadline(); ++i) {
    require(i < 1000);
    now = std::max(now, *deadline);
    cm.on_deadline(now);
    drain();
    take_events();
  }
  return 0;
}
