// What the consumer asks for.
#include <algorithm>

#include "protocol/cm/manager.h"
#include "protocol/cm/messages.h"

namespace rdmawire::cm {
namespace {

tl::unexpected<Refusal> refuse(Refusal refusal) { return tl::unexpected<Refusal>(refusal); }

// Why IP addresses and service do not go together, or the private data is too long; nothing if all is well.
template <std::size_t N>
CmResult<void> fill_private(std::array<std::uint8_t, N>& field, ServiceId service, const std::optional<mad::IpCm6>& ip,
                            Bytes private_data) {
  if (ip.has_value() != mad::is_ip_cm(service)) return refuse(Refusal::inconsistent_ip_addresses);
  //= IPC-03
  const std::size_t offset = ip ? ip_cm_size : 0;
  if (private_data.size() > N - offset) return refuse(Refusal::too_much_private_data);
  if (ip) {
    if (first_too_big(*ip) != nullptr) return refuse(Refusal::bad_value);
    encode(*ip, std::span<std::uint8_t, N>(field).template first<ip_cm_size>());
  }
  fill(field, private_data, offset);
  return {};
}

template <std::size_t N>
bool fits(const std::array<std::uint8_t, N>&, Bytes private_data) {
  return private_data.size() <= N;
}

}  // namespace

CmResult<ListenerId> Manager::listen(ServiceId service, const ListenParams& params) {
  for (const Listener& other : listeners_) {
    const std::uint64_t mask = other.mask & params.mask;
    if (other.used && (other.service & mask) == (service.value & mask)) return refuse(Refusal::in_use);
  }
  const auto place = std::ranges::find(listeners_, false, &Listener::used);
  if (place == listeners_.end()) return refuse(Refusal::no_room);
  *place = {true, {++listener_ids_}, service.value, params.mask, params.backlog};
  return place->id;
}

CmResult<void> Manager::stop_listening(ListenerId listener) {
  for (Listener& each : listeners_) {
    if (!each.used || each.id != listener) continue;
    each.used = false;
    return {};
  }
  return refuse(Refusal::unknown_handle);
}

CmResult<ConnectionId> Manager::connect(const ConnectParams& params, Time now) {
  mad::CmReq req;
  req.service_id = params.service;
  req.local_ca_guid = config_.ca_guid;
  req.local_q_key = params.q_key;
  req.local_qpn = params.qpn;
  req.responder_resources = params.responder_resources;
  req.initiator_depth = params.initiator_depth;
  req.remote_cm_response_timeout = params.remote_cm_response_timeout.value;
  req.transport_service = params.transport;
  req.end_to_end_flow_control = params.end_to_end_flow_control;
  req.starting_psn = params.starting_psn;
  req.local_cm_response_timeout = params.local_cm_response_timeout.value;
  req.retry_count = params.retry_count;
  req.p_key = params.p_key;
  req.path_mtu = params.path_mtu.value;
  req.rnr_retry_count = params.rnr_retry_count;
  req.max_cm_retries = params.max_cm_retries;
  req.srq = params.srq;
  req.extended_transport = params.extended_transport;
  const Path& path = params.path;
  req.primary_local_lid = path.local_lid;
  req.primary_remote_lid = path.to.destination_lid;
  req.primary_local_gid = path.local_gid;
  req.primary_remote_gid = path.to.destination_gid;
  req.primary_flow_label = path.to.flow_label;
  req.primary_packet_rate = path.rate;
  req.primary_traffic_class = path.to.traffic_class;
  req.primary_hop_limit = path.to.hop_limit;
  req.primary_sl = path.to.service_level;
  req.primary_subnet_local = path.subnet_local;
  req.primary_local_ack_timeout = ack_timeout(config_.target_ack_delay, path.packet_life_time.value);
  if (params.alternate_path) {
    const Path& other = *params.alternate_path;
    req.alternate_local_lid = other.local_lid;
    req.alternate_remote_lid = other.to.destination_lid;
    req.alternate_local_gid = other.local_gid;
    req.alternate_remote_gid = other.to.destination_gid;
    req.alternate_flow_label = other.to.flow_label;
    req.alternate_packet_rate = other.rate;
    req.alternate_traffic_class = other.to.traffic_class;
    req.alternate_hop_limit = other.to.hop_limit;
    req.alternate_sl = other.to.service_level;
    req.alternate_subnet_local = other.subnet_local;
    req.alternate_local_ack_timeout = ack_timeout(config_.target_ack_delay, other.packet_life_time.value);
  }
  if (const auto filled = fill_private(req.private_data, params.service, params.ip, params.private_data); !filled) {
    return refuse(filled.error());
  }
  if (params.local_id && by_local_id(*params.local_id) != nullptr) return refuse(Refusal::bad_value);
  if (!params.path_mtu.valid() || first_too_big(req) != nullptr) return refuse(Refusal::bad_value);
  if (is_qpn_in_use(params.qpn)) return refuse(Refusal::in_use);

  Connection* c = take_place();
  if (c == nullptr) return refuse(Refusal::no_room);
  c->active = true;
  c->local_id = req.local_id = next_comm_id(params.local_id);
  c->transaction = next_transaction(params.transaction);
  c->qpn = params.qpn;
  c->mad_path = c->path = path.to;
  if (params.alternate_path) c->alternate_path = params.alternate_path->to;
  c->req = req;
  write(c->request, mad::CmAttribute::req, c->transaction, req);
  take(*c, *find_transition(State::idle, Input::connect), now);
  return id_of(*c);
}

CmResult<void> Manager::accept(ConnectionId id, const AcceptParams& params, Time now) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::accept);
  if (!row) return refuse(row.error());
  //= CM-07
  mad::CmRep rep;
  if (!fits(rep.private_data, params.private_data)) return refuse(Refusal::too_much_private_data);
  if (params.local_id && by_local_id(*params.local_id) != nullptr && *params.local_id != c->local_id) {
    return refuse(Refusal::bad_value);
  }
  rep.remote_id = c->peer_id;
  rep.local_q_key = params.q_key;
  rep.local_qpn = params.qpn;
  rep.starting_psn = params.starting_psn;
  //= CM-11
  if (has(ib::Quirk::depths_not_swapped)) {
    rep.responder_resources = std::min(params.responder_resources, c->req.responder_resources);
    rep.initiator_depth = std::min(params.initiator_depth, c->req.initiator_depth);
  } else {
    rep.responder_resources = std::min(params.responder_resources, c->rep.responder_resources);
    rep.initiator_depth = std::min(params.initiator_depth, c->rep.initiator_depth);
  }
  rep.target_ack_delay = config_.target_ack_delay;
  rep.failover_accepted = c->rep.failover_accepted;
  rep.end_to_end_flow_control = params.end_to_end_flow_control;
  rep.rnr_retry_count = params.rnr_retry_count;
  rep.srq = params.srq;
  rep.local_ca_guid = config_.ca_guid;
  fill(rep.private_data, params.private_data);
  rep.local_id = params.local_id.value_or(c->local_id);
  if (first_too_big(rep) != nullptr) return refuse(Refusal::bad_value);
  if (is_qpn_in_use(params.qpn)) return refuse(Refusal::in_use);

  c->local_id = rep.local_id;
  c->qpn = params.qpn;
  c->rep = rep;
  const bool other = has(ib::Quirk::rep_with_new_transaction);
  write(c->request, mad::CmAttribute::rep, other ? next_transaction({}) : c->transaction, rep);
  take(*c, **row, now);
  return {};
}

CmResult<void> Manager::establish(ConnectionId id, Bytes private_data, Time now) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::establish);
  if (!row) return refuse(row.error());
  mad::CmRtu rtu;
  if (!fits(rtu.private_data, private_data)) return refuse(Refusal::too_much_private_data);
  rtu.local_id = c->local_id;
  rtu.remote_id = c->peer_id;
  fill(rtu.private_data, private_data);
  write(c->answer, mad::CmAttribute::rtu, c->transaction, rtu);
  take(*c, **row, now);
  return {};
}

CmResult<void> Manager::note_communication(ConnectionId id, Time now) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::note_communication);
  if (!row) return refuse(row.error());
  take(*c, **row, now);
  return {};
}

CmResult<void> Manager::delay(ConnectionId id, ib::TimeoutCode service_timeout, Bytes private_data, Time now) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::delay);
  if (!row) return refuse(row.error());
  //= CM-06
  mad::CmMra mra;
  if (!fits(mra.private_data, private_data)) return refuse(Refusal::too_much_private_data);
  mra.local_id = c->local_id;
  mra.remote_id = c->peer_id;
  mra.service_timeout = service_timeout.value;
  fill(mra.private_data, private_data);
  if (first_too_big(mra) != nullptr) return refuse(Refusal::bad_value);
  if (c->state == State::lap_received) {
    mra.message = mad::MraMessage::lap;
    write(c->path_answer, mad::CmAttribute::mra, c->path_transaction, mra);
    c->has_path_answer = true;
  } else {
    mra.message = c->active ? mad::MraMessage::rep : mad::MraMessage::req;
    write(c->answer, mad::CmAttribute::mra, c->transaction, mra);
  }
  take(*c, **row, now);
  return {};
}

CmResult<void> Manager::reject(ConnectionId id, const RejectParams& params, Time now) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::reject);
  if (!row) return refuse(row.error());
  if (params.private_data.size() > sizeof(mad::CmRej::private_data)) return refuse(Refusal::too_much_private_data);
  if (params.additional_info.size() > max_info_len) return refuse(Refusal::too_much_additional_info);
  //= CM-18
  mad::RejMessage message = mad::RejMessage::other;
  if (c->state == State::req_received || c->state == State::mra_req_sent) message = mad::RejMessage::req;
  if (c->state == State::rep_received || c->state == State::mra_rep_sent) message = mad::RejMessage::rep;
  build_rej(*c, message, params.reason, params.additional_info, params.private_data);
  take(*c, **row, now);
  return {};
}

CmResult<void> Manager::disconnect(ConnectionId id, Bytes private_data, Time now,
                                   std::optional<mad::TransactionId> transaction) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::disconnect);
  if (!row) return refuse(row.error());
  if ((*row)->send == Send::drep) {
    if (private_data.size() > sizeof(mad::CmDrep::private_data)) return refuse(Refusal::too_much_private_data);
    build_drep(*c, private_data);
  } else {
    if (private_data.size() > sizeof(mad::CmDreq::private_data)) return refuse(Refusal::too_much_private_data);
    build_dreq(*c, private_data, transaction);
  }
  take(*c, **row, now);
  return {};
}

CmResult<void> Manager::load_path(ConnectionId id, const Path& path, Bytes private_data, Time now) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::load_path);
  if (!row) return refuse(row.error());
  //= CM-23
  mad::CmLap lap;
  if (!fits(lap.private_data, private_data)) return refuse(Refusal::too_much_private_data);
  lap.local_id = c->local_id;
  lap.remote_id = c->peer_id;
  lap.remote_qpn = c->peer_qpn;
  lap.remote_cm_response_timeout = c->active ? c->req.remote_cm_response_timeout : c->req.local_cm_response_timeout;
  lap.local_lid = path.local_lid;
  lap.remote_lid = path.to.destination_lid;
  lap.local_gid = path.local_gid;
  lap.remote_gid = path.to.destination_gid;
  lap.flow_label = path.to.flow_label;
  lap.traffic_class = path.to.traffic_class;
  lap.hop_limit = path.to.hop_limit;
  lap.packet_rate = path.rate;
  lap.sl = path.to.service_level;
  lap.subnet_local = path.subnet_local;
  lap.local_ack_timeout = ack_timeout(config_.target_ack_delay, path.packet_life_time.value);
  fill(lap.private_data, private_data);
  if (first_too_big(lap) != nullptr) return refuse(Refusal::bad_value);
  c->alternate_path = path.to;
  write(c->request, mad::CmAttribute::lap, next_transaction({}), lap);
  take(*c, **row, now);
  return {};
}

CmResult<void> Manager::answer_path(ConnectionId id, const PathAnswer& answer, Time now) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::answer_path);
  if (!row) return refuse(row.error());
  if (answer.private_data.size() > sizeof(mad::CmApr::private_data)) return refuse(Refusal::too_much_private_data);
  if (answer.additional_info.size() > max_info_len) return refuse(Refusal::too_much_additional_info);
  build_apr(*c, answer);
  take(*c, **row, now);
  return {};
}

CmResult<ConnectionId> Manager::resolve(const ResolveParams& params, Time now) {
  //= CM-22
  mad::CmSidrReq sidr;
  sidr.p_key = params.p_key;
  sidr.service_id = params.service;
  if (const auto filled = fill_private(sidr.private_data, params.service, params.ip, params.private_data); !filled) {
    return refuse(filled.error());
  }
  if (params.response_timeout.value > 31 || params.packet_life_time.value > 31 || params.max_cm_retries > 15) {
    return refuse(Refusal::bad_value);
  }
  if (params.request_id && by_local_id(*params.request_id) != nullptr) return refuse(Refusal::bad_value);
  Connection* c = take_place();
  if (c == nullptr) return refuse(Refusal::no_room);
  c->active = true;
  c->local_id = sidr.request_id = next_comm_id(params.request_id);
  c->transaction = next_transaction(params.transaction);
  c->mad_path = c->path = params.path;
  c->req.remote_cm_response_timeout = params.response_timeout.value;
  c->req.primary_local_ack_timeout = ack_timeout(0, params.packet_life_time.value);
  c->req.max_cm_retries = params.max_cm_retries;
  write(c->request, mad::CmAttribute::sidr_req, c->transaction, sidr);
  take(*c, *find_transition(State::idle, Input::resolve), now);
  return id_of(*c);
}

CmResult<void> Manager::answer_resolve(ConnectionId id, const ResolveAnswer& answer, Time now) {
  Connection* c = find(id);
  const auto row = allowed(c, Input::answer_resolve);
  if (!row) return refuse(row.error());
  mad::CmSidrRep sidr;
  if (!fits(sidr.private_data, answer.private_data)) return refuse(Refusal::too_much_private_data);
  if (answer.additional_info.size() > max_info_len) return refuse(Refusal::too_much_additional_info);
  sidr.request_id.value = c->peer_id.value ^ (has(ib::Quirk::sidr_wrong_request_id) ? 1U : 0U);
  sidr.status = answer.status;
  sidr.service_id = c->req.service_id;
  if (answer.status == mad::SidrStatus::valid) {
    sidr.qpn = answer.qpn;
    sidr.q_key = answer.q_key;
  }
  sidr.additional_info_length = static_cast<std::uint8_t>(answer.additional_info.size());
  fill(sidr.additional_info, answer.additional_info);
  fill(sidr.private_data, answer.private_data);
  if (first_too_big(sidr) != nullptr) return refuse(Refusal::bad_value);
  write(c->answer, mad::CmAttribute::sidr_rep, c->transaction, sidr);
  take(*c, **row, now);
  return {};
}

}  // namespace rdmawire::cm
