// From a frame to a packet for one queue pair: the checks of headers in the order of the specification (HV-24).
#include <algorithm>

#include "codec/ib/gid.h"
#include "codec/net/net.h"
#include "protocol/ib/packet_reader.h"
#include "protocol/ib/port.h"

namespace rdmawire::ib {
namespace {

struct Addresses {
  Gid source;
  Gid destination;
};

// Of the innermost network header; nothing without one.
std::optional<Addresses> addresses_of(const Frame& frame) {
  if (const auto grh = frame.get<Grh>()) return Addresses{grh->sgid, grh->dgid};
  if (const auto ip = frame.get<net::Ipv4>()) return Addresses{gid_of(ip->source), gid_of(ip->destination)};
  if (const auto ip = frame.get<net::Ipv6>()) return Addresses{gid_of(ip->source), gid_of(ip->destination)};
  return std::nullopt;
}

constexpr Carrier carrier_of(Family family) {
  return family == Family::rocev2 ? Carrier::rocev2 : family == Family::rocev1 ? Carrier::rocev1 : Carrier::native;
}

//= MIG-03
bool asks_to_migrate(const Bth& bth, const verbs::QpAttributes& attributes) {
  return attributes.migration == verbs::MigrationState::armed && bth.migrated;
}

void keep_grh(const Frame& frame, RxPacket& packet) {
  //= UD-03
  //= UD-04
  const LayerRef* ref = frame.find(Layer::grh);
  std::size_t at = 0;
  if (ref == nullptr) ref = frame.find(Layer::ipv6);
  if (ref == nullptr) {
    ref = frame.find(Layer::ipv4);
    at = packet.grh.size() - header_size<net::Ipv4>;
  }
  if (ref == nullptr) return;
  packet.has_grh = true;
  std::ranges::copy(frame.octets(*ref).first(packet.grh.size() - at), packet.grh.begin() + static_cast<long>(at));
}

// Has a switch on the way marked it (CN-01)?
bool is_marked(const Frame& frame) {
  if (frame.family != Family::rocev2) {
    //= CN-10
    return peek<&Bth::fecn>(frame.octets(*frame.find(Layer::bth)).first<header_size<Bth>>());
  }
  const auto ip4 = frame.get<net::Ipv4>();
  const auto ip6 = frame.get<net::Ipv6>();
  const net::Ecn ecn = ip4 ? ip4->traffic_class.ecn() : ip6 ? ip6->traffic_class.ecn() : net::Ecn{};
  return ecn == net::Ecn::congestion_experienced;
}

}  // namespace

std::optional<DropCause> Port::check_frame(const Frame& frame) const {
  using enum DropCause;
  if (frame.family == Family::none) {
    return frame.error && frame.error.code == ErrorCode::fragment ? fragment : not_rdma;
  }
  //= HV-27
  if (frame.error && frame.error.code == ErrorCode::fragment) return fragment;
  if (frame.captured.size() < frame.packet_end) return cut;
  //= HV-01
  if (frame.vcrc.status == CrcStatus::bad) return bad_vcrc;
  //= HV-04
  if (frame.find(Layer::bth) == nullptr) {
    const auto lrh = frame.get<Lrh>();
    if (lrh && lrh->next_header != LinkNextHeader::iba_local && lrh->next_header != LinkNextHeader::iba_global)
      return raw;
    // A GRH of another version, or before something else (HV-06, HV-08).
    return frame.find(Layer::grh) != nullptr ? bad_network : cut;
  }
  //= HV-02
  if (frame.icrc.status != CrcStatus::good && !quirk(Quirk::accept_bad_icrc)) return bad_icrc;
  //= HV-05
  //= HV-28
  if (!frame.packet_end_known) return bad_network;
  //= HV-03
  if (const auto lrh = frame.get<Lrh>(); lrh && lrh->version != 0) return bad_network;
  //= HV-06
  //= HV-08
  if (const auto grh = frame.get<Grh>()) {
    if (grh->ip_version != 6 || grh->next_header != Grh::iba_transport) return bad_network;
  }
  if (const auto ip = frame.get<net::Ipv4>()) {
    if (ip->version != 4) return bad_network;
    //= HV-26
    if (ip->ihl != header_size<net::Ipv4> / 4) return bad_ihl;
  }
  if (const auto ip = frame.get<net::Ipv6>(); ip && ip->version != 6) return bad_network;
  return std::nullopt;
}

std::optional<DropCause> Port::check_address(const Frame& frame, const Bth& bth, const Attached& to) const {
  const verbs::QueuePair& qp = *to.qp;
  //= UD-11
  if (qp.config().service == verbs::Service::ud) return std::nullopt;
  //= V2-18
  if (carrier_of(frame.family) != to.carrier) return DropCause::wrong_carrier;
  const auto& attributes = qp.attributes();
  const auto& path = asks_to_migrate(bth, attributes) ? attributes.alternate_path : attributes.path;
  //= HV-07
  //= HV-09
  if (came_by(frame, to.carrier, path) || quirk(Quirk::ignore_addresses)) return std::nullopt;
  return DropCause::wrong_address;
}

// From the path's other end, to this one.
bool Port::came_by(const Frame& frame, Carrier carrier, const verbs::AddressVector& path) const {
  if (carrier == Carrier::native) {
    const auto lrh = frame.get<Lrh>();
    if (!lrh || lrh->slid != path.destination_lid) return false;
    if (!path.global) return true;
  }
  const auto addresses = addresses_of(frame);
  return addresses && path.source_gid_index < config_.gids.size() && addresses->source == path.destination_gid &&
         addresses->destination == config_.gids[path.source_gid_index].gid;
}

inline std::optional<DropCause> Port::check_partition(const Bth& bth, const Attached& to) const {
  constexpr std::uint16_t base = 0x7FFF;
  constexpr std::uint16_t full = 0x8000;
  const Qpn number = to.number;
  //= HV-16
  if (number == smi_qp) return std::nullopt;
  const auto matches = [&](PKey own) {
    //= HV-19
    if ((own.value & base) == 0) return false;
    return (own.value & base) == (bth.p_key.value & base) && ((own.value | bth.p_key.value) & full) != 0;
  };
  //= HV-17
  if (number == gsi_qp) {
    return std::ranges::any_of(config_.p_keys, matches) ? std::nullopt : std::optional(DropCause::bad_p_key);
  }
  //= HV-18
  if (matches(to.rest.p_key) || quirk(Quirk::ignore_p_key)) return std::nullopt;
  return DropCause::bad_p_key;
}

inline std::optional<DropCause> Port::check_q_key(const RxPacket& packet, const Attached& to) const {
  //= HV-20
  const verbs::QueuePair& qp = *to.qp;
  if (qp.config().service != verbs::Service::ud || quirk(Quirk::ignore_q_key)) return std::nullopt;
  const QKey own = qp.config().number == gsi_qp ? gsi_q_key : qp.attributes().q_key;
  if (packet.row == nullptr || !packet.headers_complete || packet.headers.deth.q_key == own) return std::nullopt;
  return DropCause::bad_q_key;
}

// The queue pair whose frames have the headers that this one seems to have.
inline Port::Attached* Port::await(Bytes frame) {
  const std::size_t at = usual_bth_at(frame);
  if (at == 0 || frame.size() < at + header_size<Bth>) return nullptr;
  const Qpn number = peek<&Bth::dest_qp>(HeaderBytes<Bth>(frame.data() + at, header_size<Bth>));
  Attached* to = number == multicast_qp ? nullptr : find(number);
  if (to == nullptr) return nullptr;
  refresh(*to);
  // While it may move to the other path, frames of both come.
  return to->qp->attributes().migration == verbs::MigrationState::armed ? nullptr : to;
}

void Port::on_frame(Bytes octets, Time now) {
  ++num_received_;
  Attached* to = await(octets);
  const TransportPlace place = to == nullptr ? TransportPlace{} : to->expected.match(octets);
  if (!place) return read(octets, now);
  decode_packet(octets, place, received_);
  received_.congestion = to->expected.marked(octets);
  take(nullptr, to, now);
}

// Layer by layer.
void Port::read(Bytes octets, Time now) {
  const Frame frame = parse_frame(link(), octets, static_cast<std::uint32_t>(octets.size()));
  if (const auto cause = check_frame(frame)) return drop(*cause);
  // Of a datagram queue pair, which may get what has no DETH (a CNP).
  received_.headers = {};
  decode_packet(frame.captured, {frame.find(Layer::bth)->offset, frame.icrc.offset}, received_);
  received_.congestion = is_marked(frame);
  take(&frame, nullptr, now);
}

inline void Port::take(const Frame* frame, Attached* to, Time now) {
  const RxPacket& packet = received_;
  //= HV-10
  if (packet.bth.version != 0 && !quirk(Quirk::accept_any_transport_version)) {
    return drop(DropCause::bad_transport_version);
  }
  //= HV-12
  if (packet.bth.dest_qp == smi_qp && (frame == nullptr || frame->family != Family::infiniband)) {
    return drop(DropCause::qp0_on_roce);
  }
  //= UD-10
  if (packet.bth.dest_qp == multicast_qp) {
    const auto addresses = addresses_of(*frame);
    bool any = false;
    for (const Membership& one : groups_) {
      if (!addresses || one.group != addresses->destination) continue;
      any = true;
      deliver(frame, *find(one.machine->verbs().config().number), now);
    }
    if (!any) drop(DropCause::unknown_qp);
    return;
  }
  //= HV-11
  if (to == nullptr) to = find(packet.bth.dest_qp);
  if (to == nullptr) return drop(DropCause::unknown_qp);
  deliver(frame, *to, now);
}

void Port::deliver(const Frame* frame, Attached& to, Time now) {
  const RxPacket& packet = received_;
  refresh(to);
  verbs::QueuePair& qp = *to.qp;
  //= HV-13
  //= UC-08
  //= UD-01
  const auto service = static_cast<Service>(static_cast<unsigned>(packet.bth.opcode) >> 5);
  const bool cnp = service == Service::cnp;
  constexpr std::array services{Service::rc, Service::uc, Service::ud};
  const bool own = service == services[static_cast<std::size_t>(qp.config().service)];
  if (!own && !cnp && !quirk(Quirk::accept_other_services)) return drop(DropCause::wrong_service);
  //= HV-15
  if (!verbs::info(qp.state()).receives && qp.state() != verbs::QpState::err) return;
  if (const auto cause = check_partition(packet.bth, to)) return drop(*cause);
  if (const auto cause = check_q_key(packet, to)) return drop(*cause);
  if (const auto cause = frame == nullptr ? std::nullopt : check_address(*frame, packet.bth, to)) {
    //= MIG-03
    if (*cause == DropCause::wrong_address && asks_to_migrate(packet.bth, qp.attributes())) {
      qp.raise(verbs::EventKind::path_migration_failed);
    }
    return drop(*cause);
  }
  //= CN-06
  if (cnp) return on_cnp(to, now);
  note_congestion(packet, to, now);
  migrate(packet.bth, to);
  if (qp.config().service == verbs::Service::ud) keep_grh(*frame, received_);
  to.machine->on_packet(packet, now);
}

inline void Port::migrate(const Bth& bth, Attached& to) {
  verbs::QueuePair& qp = *to.qp;
  if (qp.config().service == verbs::Service::ud) return;
  using verbs::MigrationState;
  MigrationState& state = qp.attributes().migration;
  //= MIG-02
  if (state == MigrationState::rearm && !bth.migrated) state = MigrationState::armed;
  //= MIG-03
  if (asks_to_migrate(bth, qp.attributes())) qp.migrate();
  //= MIG-05
}

void Port::note_congestion(const RxPacket& packet, Attached& to, Time now) {
  //= CN-01
  if (!packet.congestion) return;
  const verbs::QueuePair& qp = *to.qp;
  if (!config_.send_cnp || qp.config().service == verbs::Service::ud) return;
  //= CN-07
  const auto recent = [&](const std::optional<Time>& last) { return last && now - *last < config_.cnp_interval; };
  bool paced = false;
  switch (config_.cnp_pacing) {
    case CnpPacing::queue_pair:
      paced = recent(to.last_cnp);
      break;
    case CnpPacing::port:
      paced = recent(last_port_cnp_);
      break;
    case CnpPacing::destination:
      for (const Attached& other : attached_) {
        if (other.machine == nullptr || !recent(other.last_cnp)) continue;
        if (other.qp->attributes().path.destination_gid == qp.attributes().path.destination_gid) paced = true;
      }
      break;
  }
  if (paced && !quirk(Quirk::cnp_for_every_mark)) return;
  if (quirk(Quirk::never_send_cnp) || num_cnps_ == cnps_.size()) return;
  to.last_cnp = last_port_cnp_ = now;
  Cnp& cnp = cnps_[num_cnps_++];
  cnp.attached = static_cast<std::size_t>(&to - attached_.data());
  cnp.path = qp.attributes().path;
  //= CN-09
  if (to.carrier == Carrier::rocev2) cnp.path.traffic_class = config_.cnp_traffic_class;
  cnp.destination_qp = qp.attributes().destination_qp;
  //= CN-02
  cnp.p_key = packet.bth.p_key;
}

void Port::on_cnp(Attached& to, Time now) {
  ++num_cnps_received_;
  //= CN-03
  //= CN-04
  if (config_.rate_bits_per_second == 0 || quirk(Quirk::ignore_cnps)) return;
  constexpr std::uint32_t most = 64;
  to.slowness = std::min(to.slowness * 2, most);
  to.recovers = now + config_.rate_recovery;
}

}  // namespace rdmawire::ib
