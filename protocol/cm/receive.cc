// What messages do.
#include <algorithm>
#include <array>

#include "protocol/cm/manager.h"
#include "protocol/cm/messages.h"

namespace rdmawire::cm {

void Manager::on_mad(Bytes octets, const verbs::AddressVector& reply_path, Time now) {
  if (events_.full()) {
    ++counters_.num_events_full;
    return;
  }
  if (octets.size() != mad::mad_size) {
    ++counters_.num_not_cm;
    return;
  }
  constexpr std::size_t header_len = header_size<mad::Mad>;
  const Rx rx{decode<mad::Mad>(octets.first<header_len>()), octets.subspan(header_len), reply_path, now};
  //= CM-20
  if (rx.mad.base_version != base_version || rx.mad.management_class != mad::ManagementClass::communication ||
      rx.mad.method != mad::Method::send) {
    ++counters_.num_not_cm;
    return;
  }
  if (rx.mad.class_version != class_version && !has(ib::Quirk::accept_any_class_version)) {
    on_bad_class_version(rx);
    return;
  }
  switch (static_cast<mad::CmAttribute>(rx.mad.attribute_id)) {
    case mad::CmAttribute::req:
      return on_req(rx);
    case mad::CmAttribute::mra:
      return on_mra(rx);
    case mad::CmAttribute::rej:
      return on_rej(rx);
    case mad::CmAttribute::rep:
      return on_rep(rx);
    case mad::CmAttribute::rtu:
      return on_rtu(rx);
    case mad::CmAttribute::dreq:
      return on_dreq(rx);
    case mad::CmAttribute::drep:
      return on_drep(rx);
    case mad::CmAttribute::sidr_req:
      return on_sidr_req(rx);
    case mad::CmAttribute::sidr_rep:
      return on_sidr_rep(rx);
    case mad::CmAttribute::lap:
      return on_lap(rx);
    case mad::CmAttribute::apr:
      return on_apr(rx);
    case mad::CmAttribute::class_port_info:
      break;
  }
  ++counters_.num_not_cm;
}

void Manager::on_bad_class_version(const Rx& rx) {
  ++counters_.num_bad_version;
  constexpr std::array<std::uint8_t, 1> supported{class_version};
  switch (static_cast<mad::CmAttribute>(rx.mad.attribute_id)) {
    case mad::CmAttribute::req:
      return refuse_req(rx, mad::RejReason::unsupported_class_version, supported);
    case mad::CmAttribute::sidr_req:
      return refuse_sidr(rx, mad::SidrStatus::version, supported);
    default:
      return;
  }
}

// Of a request for which there is no connection here, and shall be none.
void Manager::refuse_req(const Rx& rx, mad::RejReason reason, Bytes info) {
  mad::CmRej rej;
  rej.remote_id = rx.as<mad::CmReq>().local_id;
  rej.message = mad::RejMessage::req;
  rej.reason = reason;
  rej.reject_info_length = static_cast<std::uint8_t>(info.size());
  fill(rej.additional_info, info);
  MadOctets octets;
  write(octets, mad::CmAttribute::rej, rx.mad.transaction_id, rej);
  transmit(octets, rx.path);
}

void Manager::refuse_sidr(const Rx& rx, mad::SidrStatus status, Bytes info) {
  const auto req = rx.as<mad::CmSidrReq>();
  mad::CmSidrRep rep;
  rep.request_id.value = req.request_id.value ^ (has(ib::Quirk::sidr_wrong_request_id) ? 1U : 0U);
  rep.status = status;
  rep.service_id = req.service_id;
  rep.additional_info_length = static_cast<std::uint8_t>(info.size());
  fill(rep.additional_info, info);
  MadOctets octets;
  write(octets, mad::CmAttribute::sidr_rep, rx.mad.transaction_id, rep);
  transmit(octets, rx.path);
}

const Manager::Listener* Manager::find_listener(ServiceId service) const {
  //= IPC-01
  const auto found = std::ranges::find_if(listeners_, [&](const Listener& each) {
    return each.used && (each.service & each.mask) == (service.value & each.mask);
  });
  return found == listeners_.end() ? nullptr : &*found;
}

std::uint32_t Manager::num_waiting(ListenerId listener) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(connections_, [&](const Connection& c) {
    return c.listener == listener &&
           (c.state == State::req_received || c.state == State::mra_req_sent || c.state == State::sidr_req_received);
  }));
}

//= IPC-04
bool Manager::accepts_ip(ServiceId service, Bytes private_data) const {
  if (!mad::is_ip_cm(service) || has(ib::Quirk::ignore_ip_cm_header)) return true;
  const auto ip = decode<mad::IpCm6>(private_data.first<ip_cm_size>());
  if (ip.major_version != 0 || ip.minor_version != 0 || (ip.ip_version != 4 && ip.ip_version != 6)) return false;
  Gid address{ip.destination.octets};
  if (ip.ip_version == 4) address.octets[10] = address.octets[11] = 0xFF;
  return config_.ip_addresses.empty() || std::ranges::find(config_.ip_addresses, address) != config_.ip_addresses.end();
}

void Manager::on_req(const Rx& rx) {
  const auto req = rx.as<mad::CmReq>();
  // 0 is no ID: it says that there is none.
  if (req.local_id.value == 0) {
    ++counters_.num_ignored;
    return;
  }
  //= CM-03
  Connection* c = has(ib::Quirk::connect_duplicate_req) ? nullptr : by_peer(req.local_id, req.local_ca_guid);
  if (c == nullptr) {
    accept_req(rx, req);
    return;
  }
  if (c->state == State::timewait) {
    build_rej(*c, mad::RejMessage::req, mad::RejReason::stale_connection, {}, {});
    set_transaction(c->answer, rx.mad.transaction_id);
  }
  step(*c, Input::req, rx);
}

void Manager::accept_req(const Rx& rx, const mad::CmReq& req) {
  //= CM-25
  const bool known_transport = req.transport_service == mad::TransportService::rc ||
                               req.transport_service == mad::TransportService::uc ||
                               (req.transport_service == mad::TransportService::extended && config_.extended_reliable &&
                                req.extended_transport == mad::ExtendedTransport::xrc);
  if (!known_transport && !has(ib::Quirk::accept_any_transport)) {
    return refuse_req(rx, mad::RejReason::invalid_transport_service);
  }

  //= CM-05
  //= CM-15
  const auto old = std::ranges::find_if(connections_, [&](const Connection& c) {
    return c.state != State::idle && c.peer_id.value != 0 && c.state != State::sidr_req_received &&
           c.peer_guid == req.local_ca_guid && c.peer_qpn == req.local_qpn;
  });
  if (old != connections_.end() && !has(ib::Quirk::ignore_stale_connections)) {
    refuse_req(rx, mad::RejReason::stale_connection);
    if (const Transition* row = find_transition(old->state, Input::stale_req)) {
      build_dreq(*old, {}, {});
      take(*old, *row, rx.now);
    }
    return;
  }

  //= CM-17
  if (!config_.gids.empty() && !has(ib::Quirk::accept_any_gid) &&
      std::ranges::find(config_.gids, req.primary_remote_gid) == config_.gids.end()) {
    return refuse_req(rx, mad::RejReason::primary_remote_gid, config_.gids.front().octets);
  }

  //= CM-04
  const Listener* listener = find_listener(req.service_id);
  if (listener == nullptr) {
    if (has(ib::Quirk::drop_unknown_service)) return;
    return refuse_req(rx, mad::RejReason::invalid_service_id);
  }
  if (!accepts_ip(req.service_id, req.private_data)) return refuse_req(rx, mad::RejReason::consumer_reject);
  if (!ib::PathMtu{req.path_mtu}.valid()) return refuse_req(rx, mad::RejReason::invalid_path_mtu);
  if (num_waiting(listener->id) >= listener->backlog) {
    ++counters_.num_backlog_full;
    if (has(ib::Quirk::reject_beyond_backlog)) refuse_req(rx, mad::RejReason::consumer_reject);
    return;
  }
  Connection* c = take_place();
  if (c == nullptr) return refuse_req(rx, mad::RejReason::no_resources);

  c->listener = listener->id;
  c->local_id = next_comm_id({});
  c->peer_id = req.local_id;
  c->peer_guid = req.local_ca_guid;
  c->peer_qpn = req.local_qpn;
  c->transaction = rx.mad.transaction_id;
  c->req = req;
  c->mad_path = c->path = rx.path;
  // A LID is taken as it is, and never a reason to refuse: on RoCE it says nothing.
  //= V2-19
  c->path.destination_lid = req.primary_local_lid;
  c->path.destination_gid = req.primary_local_gid;
  c->path.global = !req.primary_subnet_local;
  c->path.flow_label = req.primary_flow_label;
  c->path.traffic_class = req.primary_traffic_class;
  c->path.hop_limit = req.primary_hop_limit;
  c->path.service_level = req.primary_sl;
  // The most that accept() can agree to.
  c->rep.responder_resources = std::min(req.initiator_depth, config_.max_responder_resources);
  c->rep.initiator_depth = req.responder_resources;
  if (req.alternate_remote_lid.value != 0 || req.alternate_remote_gid != Gid{}) {
    c->alternate_path = rx.path;
    c->alternate_path.destination_lid = req.alternate_local_lid;
    c->alternate_path.destination_gid = req.alternate_local_gid;
    c->alternate_path.global = !req.alternate_subnet_local;
    c->alternate_path.flow_label = req.alternate_flow_label;
    c->alternate_path.traffic_class = req.alternate_traffic_class;
    c->alternate_path.hop_limit = req.alternate_hop_limit;
    c->alternate_path.service_level = req.alternate_sl;
    if (!config_.alternate_paths) c->rep.failover_accepted = mad::FailoverAccepted::unsupported;
  }
  step(*c, Input::req, rx);
}

void Manager::on_rep(const Rx& rx) {
  const auto rep = rx.as<mad::CmRep>();
  Connection* c = by_local_id(rep.remote_id);
  if (c == nullptr || !c->active || c->state == State::sidr_req_sent) {
    ++counters_.num_unknown;
    return;
  }
  if (rep.local_id.value == 0) {
    ++counters_.num_ignored;
    return;
  }
  if (c->state != State::req_sent && c->state != State::mra_req_received) {
    //= CM-19
    if (c->peer_id != rep.local_id) {
      ++counters_.num_unknown;
      return;
    }
    //= CM-08
    if (!has(ib::Quirk::answer_rep_once)) step(*c, Input::rep, rx);
    return;
  }
  c->peer_id = rep.local_id;
  c->peer_guid = rep.local_ca_guid;
  c->peer_qpn = rep.local_qpn;
  c->rep = rep;
  //= CM-11
  if (rep.initiator_depth > c->req.responder_resources && !has(ib::Quirk::accept_any_depth)) {
    build_rej(*c, mad::RejMessage::rep, mad::RejReason::insufficient_responder_resources, {}, {});
    step(*c, Input::rep_refused, rx);
    return;
  }
  step(*c, Input::rep, rx);
}

void Manager::on_rtu(const Rx& rx) {
  const auto rtu = rx.as<mad::CmRtu>();
  //= CM-19
  Connection* c = by_ids(rtu.remote_id, rtu.local_id);
  if (c == nullptr) {
    ++counters_.num_unknown;
    return;
  }
  step(*c, Input::rtu, rx);
}

void Manager::on_rej(const Rx& rx) {
  const auto rej = rx.as<mad::CmRej>();
  //= CM-18
  Connection* c = nullptr;
  if (rej.reason == mad::RejReason::timeout && rej.remote_id.value == 0) {
    // The peer gave up before it knew our ID: it names itself by its CA GUID.
    c = by_peer(rej.local_id, {load_be<8>(rej.additional_info.data())});
  } else if (rej.message == mad::RejMessage::req) {
    // The peer may have no ID.
    c = by_local_id(rej.remote_id);
    if (c != nullptr && c->state != State::req_sent && c->state != State::mra_req_received) c = nullptr;
  } else {
    c = by_ids(rej.remote_id, rej.local_id);
  }
  if (c == nullptr) {
    ++counters_.num_unknown;
    return;
  }
  step(*c, rej.reason == mad::RejReason::stale_connection ? Input::rej_stale : Input::rej, rx);
}

void Manager::on_mra(const Rx& rx) {
  const auto mra = rx.as<mad::CmMra>();
  //= CM-06
  Connection* c = nullptr;
  bool expected = false;
  switch (mra.message) {
    case mad::MraMessage::req:
      c = by_local_id(mra.remote_id);
      expected = c != nullptr && (c->state == State::req_sent || c->state == State::mra_req_received);
      break;
    case mad::MraMessage::rep:
      c = by_ids(mra.remote_id, mra.local_id);
      expected = c != nullptr && (c->state == State::rep_sent || c->state == State::mra_rep_received);
      break;
    case mad::MraMessage::lap:
      c = by_ids(mra.remote_id, mra.local_id);
      expected = c != nullptr && (c->state == State::lap_sent || c->state == State::mra_lap_received) &&
                 rx.mad.transaction_id == transaction_of(c->request);
      break;
  }
  if (!expected) {
    ++(c == nullptr ? counters_.num_unknown : counters_.num_ignored);
    return;
  }
  if (has(ib::Quirk::ignore_mra)) return;
  step(*c, Input::mra, rx, ib::TimeoutCode{mra.service_timeout}.duration() + c->round_trip());
}

void Manager::on_dreq(const Rx& rx) {
  const auto dreq = rx.as<mad::CmDreq>();
  Connection* c = by_ids(dreq.remote_id, dreq.local_id);
  if (c == nullptr) {
    //= CM-13
    ++counters_.num_unknown;
    if (has(ib::Quirk::ignore_unknown_dreq)) return;
    mad::CmDrep drep;
    drep.local_id = dreq.remote_id;
    drep.remote_id = dreq.local_id;
    MadOctets octets;
    write(octets, mad::CmAttribute::drep, rx.mad.transaction_id, drep);
    transmit(octets, rx.path);
    return;
  }
  //= CM-12
  if (dreq.remote_qpn != c->qpn && !has(ib::Quirk::accept_dreq_for_any_qpn)) {
    ++counters_.num_ignored;
    return;
  }
  const Transition* row = find_transition(c->state, Input::dreq);
  const bool ignored = (c->state == State::timewait && has(ib::Quirk::answer_dreq_once)) ||
                       (c->state == State::dreq_sent && has(ib::Quirk::ignore_crossing_dreq));
  if (row == nullptr || ignored) {
    ++counters_.num_ignored;
    return;
  }
  //= CM-14
  //= CM-16
  c->dreq_transaction = rx.mad.transaction_id;
  if (row->send == Send::drep) {
    if (attribute_of(c->answer) == mad::CmAttribute::drep) {
      set_transaction(c->answer, c->dreq_transaction);  // with the private data of the first
    } else {
      build_drep(*c, {});
    }
  }
  take(*c, *row, rx.now, &rx);
}

void Manager::on_drep(const Rx& rx) {
  const auto drep = rx.as<mad::CmDrep>();
  //= CM-19
  Connection* c = by_ids(drep.remote_id, drep.local_id);
  if (c == nullptr) {
    ++counters_.num_unknown;
    return;
  }
  step(*c, Input::drep, rx);
}

void Manager::on_lap(const Rx& rx) {
  const auto lap = rx.as<mad::CmLap>();
  Connection* c = by_ids(lap.remote_id, lap.local_id);
  if (c == nullptr) {
    //= CM-23
    ++counters_.num_unknown;
    mad::CmApr apr;
    apr.local_id = lap.remote_id;
    apr.remote_id = lap.local_id;
    apr.status = mad::AprStatus::invalid_comm_id;
    MadOctets octets;
    write(octets, mad::CmAttribute::apr, rx.mad.transaction_id, apr);
    transmit(octets, rx.path);
    return;
  }
  if (c->has_path_answer && rx.mad.transaction_id == c->path_transaction &&
      (c->state == State::established || c->state == State::mra_lap_sent)) {
    step(*c, Input::lap_again, rx);
    return;
  }
  // While one is answered, no other counts.
  const bool busy = c->state == State::lap_received || c->state == State::mra_lap_sent;
  if (!is_established(c->state) || busy) {
    ++counters_.num_ignored;
    return;
  }
  c->path_transaction = rx.mad.transaction_id;
  mad::AprStatus status = mad::AprStatus::ok;
  if (!config_.alternate_paths) {
    status = mad::AprStatus::unsupported;
  } else if (lap.remote_qpn != c->qpn) {
    status = mad::AprStatus::qpn;
  } else if (c->state != State::established) {
    status = mad::AprStatus::rejected;  // both sides ask at once
  } else if (!config_.gids.empty() && std::ranges::find(config_.gids, lap.remote_gid) == config_.gids.end()) {
    status = mad::AprStatus::gid;
  }
  if (status != mad::AprStatus::ok) {
    const Bytes own = status == mad::AprStatus::gid ? Bytes(config_.gids.front().octets) : Bytes();
    build_apr(*c, {status, own, {}});
    step(*c, Input::lap_refused, rx);
    return;
  }
  c->has_path_answer = false;
  c->alternate_path = rx.path;
  c->alternate_path.destination_lid = lap.local_lid;
  c->alternate_path.destination_gid = lap.local_gid;
  c->alternate_path.global = !lap.subnet_local;
  c->alternate_path.flow_label = lap.flow_label;
  c->alternate_path.traffic_class = lap.traffic_class;
  c->alternate_path.hop_limit = lap.hop_limit;
  c->alternate_path.service_level = lap.sl;
  step(*c, Input::lap, rx);
}

void Manager::on_apr(const Rx& rx) {
  const auto apr = rx.as<mad::CmApr>();
  Connection* c = by_ids(apr.remote_id, apr.local_id);
  if (c == nullptr) {
    ++counters_.num_unknown;
    return;
  }
  // Not an old one's.
  if (rx.mad.transaction_id != transaction_of(c->request)) {
    ++counters_.num_ignored;
    return;
  }
  step(*c, Input::apr, rx);
}

void Manager::on_sidr_req(const Rx& rx) {
  const auto req = rx.as<mad::CmSidrReq>();
  //= CM-22
  for (Connection& c : connections_) {
    if (c.state != State::sidr_req_received || c.peer_id != req.request_id || c.mad_path != rx.path) continue;
    step(c, Input::sidr_req, rx);
    return;
  }
  const Listener* listener = find_listener(req.service_id);
  if (listener == nullptr) return refuse_sidr(rx, mad::SidrStatus::unsupported);
  if (!accepts_ip(req.service_id, req.private_data)) return refuse_sidr(rx, mad::SidrStatus::rejected);
  Connection* c = num_waiting(listener->id) < listener->backlog ? take_place() : nullptr;
  if (c == nullptr) {
    ++counters_.num_backlog_full;
    return;
  }
  c->listener = listener->id;
  c->peer_id = req.request_id;
  c->transaction = rx.mad.transaction_id;
  c->req.service_id = req.service_id;
  c->mad_path = c->path = rx.path;
  step(*c, Input::sidr_req, rx);
}

void Manager::on_sidr_rep(const Rx& rx) {
  const auto rep = rx.as<mad::CmSidrRep>();
  //= CM-22
  Connection* c = by_local_id(rep.request_id);
  if (c == nullptr || c->state != State::sidr_req_sent) {
    ++counters_.num_unknown;
    return;
  }
  step(*c, Input::sidr_rep, rx);
}

}  // namespace rdmawire::cm
