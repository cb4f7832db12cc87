// What consumer, messages and time have in common: finding connections, doing what a row says, sending and telling.
#include "protocol/cm/manager.h"

#include <algorithm>

#include "protocol/cm/messages.h"

namespace rdmawire::cm {
namespace {

// States in which an answer, or the end of TIMEWAIT, is waited for.
constexpr bool waits(State state) {
  switch (state) {
    case State::req_sent:
    case State::mra_req_received:
    case State::rep_sent:
    case State::mra_rep_received:
    case State::lap_sent:
    case State::mra_lap_received:
    case State::dreq_sent:
    case State::timewait:
    case State::sidr_req_sent:
      return true;
    default:
      return false;
  }
}

struct PrivateData {
  std::uint8_t offset;
  std::uint8_t len;
  std::uint8_t info_len;
};

template <class T>
constexpr PrivateData at_the_end(std::uint8_t info_len = 0) {
  constexpr std::size_t len = sizeof(T::private_data);
  return {static_cast<std::uint8_t>(mad::cm_message_size - len), static_cast<std::uint8_t>(len), info_len};
}

// Of a request: an IP-CM header in front goes to the event apart.
PrivateData take_ip(Bytes message, PrivateData data, Event& event) {
  if (!mad::is_ip_cm(event.service_id)) return data;
  event.ip = decode<mad::IpCm6>(message.subspan(data.offset).first<ip_cm_size>());
  return {static_cast<std::uint8_t>(data.offset + ip_cm_size), static_cast<std::uint8_t>(data.len - ip_cm_size), 0};
}

}  // namespace

mad::IpCm6 ip_cm(std::uint16_t source_port, const Gid& source, const Gid& destination) {
  //= IPC-02
  mad::IpCm6 out;
  const bool v4 = is_ipv4_mapped(source);
  out.ip_version = v4 ? 4 : 6;
  out.source_port = source_port;
  const std::ptrdiff_t skipped = v4 ? 12 : 0;
  std::copy(source.octets.begin() + skipped, source.octets.end(), out.source.octets.begin() + skipped);
  std::copy(destination.octets.begin() + skipped, destination.octets.end(), out.destination.octets.begin() + skipped);
  return out;
}

verbs::QpAttributes Connection::attributes(const ib::Quirks& quirks) const {
  verbs::QpAttributes out;
  out.path = path;
  out.alternate_path = alternate_path;
  out.path_mtu = ib::PathMtu{req.path_mtu};
  out.destination_qp = peer_qpn;
  out.retry_count = req.retry_count;
  // A message's starting PSN is that of what its sender will receive: the other side begins to send with it.
  //= PSN-04
  out.rq_psn = active ? req.starting_psn : rep.starting_psn;
  out.sq_psn = active ? rep.starting_psn : req.starting_psn;
  //= CM-11
  //= CM-26
  if (active) {
    out.max_rd_atomic = std::min(req.initiator_depth, rep.responder_resources);
    out.max_dest_rd_atomic = std::min(req.responder_resources, rep.initiator_depth);
    out.rnr_retry = quirks.has(ib::Quirk::own_rnr_retry_count) ? req.rnr_retry_count : rep.rnr_retry_count;
    const std::uint8_t code = req.primary_local_ack_timeout;
    out.timeout.value = code == 0 ? code : ack_timeout(rep.target_ack_delay, static_cast<std::uint8_t>(code - 1));
  } else {
    out.max_rd_atomic = rep.initiator_depth;
    out.max_dest_rd_atomic = rep.responder_resources;
    out.rnr_retry = req.rnr_retry_count;
    out.timeout.value = req.primary_local_ack_timeout;
  }
  return out;
}

Manager::Manager(const Config& config)
    : config_(config),
      connections_(config.max_connections),
      listeners_(config.max_listeners),
      events_(config.max_events),
      mads_(config.max_mads),
      comm_ids_(config.first_comm_id.value),
      transactions_(config.first_transaction.value) {}

// --- Finding ---

Connection* Manager::find(ConnectionId id) {
  return const_cast<Connection*>(static_cast<const Manager*>(this)->find(id));
}

const Connection* Manager::find(ConnectionId id) const {
  const std::size_t index = id.value & 0xFFFFU;
  if (index >= connections_.size()) return nullptr;
  const Connection& c = connections_[index];
  return c.state != State::idle && c.generation == id.value >> 16 ? &c : nullptr;
}

ConnectionId Manager::id_of(const Connection& c) const {
  return {std::uint32_t{c.generation} << 16 | static_cast<std::uint32_t>(&c - connections_.data())};
}

// A free place, made new but still IDLE; nullptr if there is none.
Connection* Manager::take_place() {
  for (Connection& c : connections_) {
    if (c.state != State::idle) continue;
    const auto generation = static_cast<std::uint16_t>(c.generation + 1);
    c = {};
    c.generation = generation;
    return &c;
  }
  return nullptr;
}

Connection* Manager::by_local_id(CommunicationId local) {
  for (Connection& c : connections_) {
    if (c.state != State::idle && c.state != State::sidr_req_received && c.local_id == local) return &c;
  }
  return nullptr;
}

Connection* Manager::by_ids(CommunicationId local, CommunicationId peer) {
  //= CM-19
  Connection* c = by_local_id(local);
  if (c == nullptr || c->state == State::sidr_req_sent) return nullptr;
  return c->peer_id == peer || has(ib::Quirk::accept_any_peer_comm_id) ? c : nullptr;
}

Connection* Manager::by_peer(CommunicationId peer, Guid guid) {
  for (Connection& c : connections_) {
    if (c.state == State::idle || c.state == State::sidr_req_received || c.active) continue;
    if (c.peer_id == peer && c.peer_guid == guid) return &c;
  }
  return nullptr;
}

bool Manager::is_qpn_in_use(Qpn qpn) const {
  //= CM-15
  return std::ranges::any_of(connections_, [&](const Connection& c) {
    // One that is asked for, or resolved, has no queue pair here yet.
    const bool has_qp = c.state != State::idle && c.state != State::req_received && c.state != State::mra_req_sent &&
                        c.state != State::sidr_req_sent && c.state != State::sidr_req_received;
    return has_qp && c.qpn == qpn;
  });
}

CommunicationId Manager::next_comm_id(std::optional<CommunicationId> wanted) {
  if (wanted) return *wanted;
  CommunicationId out{comm_ids_++};
  while (out.value == 0 || by_local_id(out) != nullptr) out.value = comm_ids_++;
  return out;
}

mad::TransactionId Manager::next_transaction(std::optional<mad::TransactionId> wanted) {
  return wanted ? *wanted : mad::TransactionId{transactions_++};
}

verbs::QpAttributes Manager::attributes(ConnectionId id) const {
  const Connection* c = find(id);
  return c == nullptr ? verbs::QpAttributes{} : c->attributes(config_.quirks);
}

State Manager::state(ConnectionId id) const {
  const Connection* c = find(id);
  return c == nullptr ? State::idle : c->state;
}

std::size_t Manager::num_connections() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(connections_, [](const Connection& c) { return c.state != State::idle; }));
}

// --- Doing ---

CmResult<const Transition*> Manager::allowed(const Connection* c, Input input) const {
  if (c == nullptr) return tl::unexpected(Refusal::unknown_handle);
  const Transition* row = find_transition(c->state, input);
  if (row == nullptr) return tl::unexpected(Refusal::bad_state);
  if (row->tell != EventKind::none && events_.full()) return tl::unexpected(Refusal::no_room);
  return row;
}

void Manager::take(Connection& c, const Transition& row, Time now, const Rx* cause, std::optional<Duration> wait) {
  c.state = row.to;
  switch (row.send) {
    case Send::nothing:
    case Send::count_:
      break;
    case Send::req:
    case Send::rep:
    case Send::dreq:
    case Send::lap:
    case Send::sidr_req:
      c.retries_left = c.req.max_cm_retries;
      [[fallthrough]];
    case Send::request_again:
      transmit(c.request, c.mad_path);
      c.deadline = now + c.response_time();
      break;
    case Send::mra:
      if (has(ib::Quirk::mra_only_after_duplicate)) break;
      [[fallthrough]];
    case Send::rtu:
    case Send::rej:
    case Send::drep:
    case Send::sidr_rep:
    case Send::answer_again:
      transmit(c.answer, c.mad_path);
      break;
    case Send::lap_mra:
    case Send::apr:
    case Send::path_answer_again:
      transmit(c.path_answer, c.mad_path);
      break;
  }
  if (wait) {
    c.deadline = now + *wait;
  } else if (row.to == State::timewait && row.from != State::timewait) {
    //= CM-15
    const Duration duration = ib::TimeoutCode{c.attributes(config_.quirks).timeout.value}.duration();
    c.deadline = has(ib::Quirk::no_timewait) ? now : now + duration;
  } else if (!waits(row.to)) {
    c.deadline.reset();
  }
  if (row.tell != EventKind::none) tell(c, row.tell, cause);
}

bool Manager::step(Connection& c, Input input, const Rx& rx, std::optional<Duration> wait) {
  const Transition* row = find_transition(c.state, input);
  if (row == nullptr) {
    ++counters_.num_ignored;
    return false;
  }
  take(c, *row, rx.now, &rx, wait);
  return true;
}

void Manager::transmit(const MadOctets& octets, const verbs::AddressVector& path) {
  if (mads_.full()) {
    ++counters_.num_mads_full;
    return;
  }
  TxMad& out = mads_.push();
  out.octets = octets;
  out.path = path;
}

void Manager::tell(const Connection& c, EventKind kind, const Rx* cause) {
  Event& event = events_.push();
  event = {};
  event.kind = kind;
  event.connection = id_of(c);
  event.state = c.state;
  event.listener = c.listener;
  event.attributes = c.attributes(config_.quirks);
  event.service = c.req.transport_service == mad::TransportService::uc ? verbs::Service::uc : verbs::Service::rc;
  if (kind == EventKind::timed_out) event.reject_reason = mad::RejReason::timeout;
  if (cause == nullptr) return;

  std::ranges::copy(cause->message, event.message.begin());
  PrivateData data{};
  switch (static_cast<mad::CmAttribute>(cause->mad.attribute_id)) {
    case mad::CmAttribute::req:
      event.service_id = c.req.service_id;
      data = take_ip(cause->message, at_the_end<mad::CmReq>(), event);
      break;
    case mad::CmAttribute::rep:
      data = at_the_end<mad::CmRep>();
      // Only a REP that this side refuses: CM-11.
      if (kind == EventKind::rejected) event.reject_reason = mad::RejReason::insufficient_responder_resources;
      break;
    case mad::CmAttribute::rej: {
      const auto rej = cause->as<mad::CmRej>();
      event.reject_reason = rej.reason;
      data = at_the_end<mad::CmRej>(rej.reject_info_length);
      break;
    }
    case mad::CmAttribute::rtu:
      data = at_the_end<mad::CmRtu>();
      break;
    case mad::CmAttribute::dreq:
      data = at_the_end<mad::CmDreq>();
      break;
    case mad::CmAttribute::drep:
      data = at_the_end<mad::CmDrep>();
      break;
    case mad::CmAttribute::lap:
      data = at_the_end<mad::CmLap>();
      break;
    case mad::CmAttribute::apr: {
      const auto apr = cause->as<mad::CmApr>();
      event.apr_status = apr.status;
      data = at_the_end<mad::CmApr>(apr.additional_info_length);
      break;
    }
    case mad::CmAttribute::sidr_req:
      event.service_id = peek<&mad::CmSidrReq::service_id>(cause->message.first<mad::cm_message_size>());
      data = take_ip(cause->message, at_the_end<mad::CmSidrReq>(), event);
      break;
    case mad::CmAttribute::sidr_rep: {
      const auto rep = cause->as<mad::CmSidrRep>();
      event.sidr_status = rep.status;
      event.service_id = rep.service_id;
      event.qpn = rep.qpn;
      event.q_key = rep.q_key;
      data = at_the_end<mad::CmSidrRep>(rep.additional_info_length);
      break;
    }
    default:
      break;
  }
  event.private_offset = data.offset;
  event.private_len = data.len;
  event.info_len = std::min<std::uint8_t>(data.info_len, max_info_len);
}

// --- Messages that both a consumer and a message can cause ---

void Manager::build_rej(Connection& c, mad::RejMessage message, mad::RejReason reason, Bytes info,
                        Bytes private_data) const {
  mad::CmRej rej;
  rej.local_id = c.local_id;
  rej.remote_id = c.peer_id;
  rej.message = message;
  rej.reason = reason;
  rej.reject_info_length = static_cast<std::uint8_t>(info.size());
  fill(rej.additional_info, info);
  fill(rej.private_data, private_data);
  write(c.answer, mad::CmAttribute::rej, c.transaction, rej);
}

void Manager::build_dreq(Connection& c, Bytes private_data, std::optional<mad::TransactionId> transaction) {
  //= CM-12
  mad::CmDreq dreq;
  dreq.local_id = c.local_id;
  dreq.remote_id = c.peer_id;
  dreq.remote_qpn = c.peer_qpn;
  fill(dreq.private_data, private_data);
  write(c.request, mad::CmAttribute::dreq, next_transaction(transaction), dreq);
}

void Manager::build_drep(Connection& c, Bytes private_data) const {
  mad::CmDrep drep;
  drep.local_id = c.local_id;
  drep.remote_id = c.peer_id;
  fill(drep.private_data, private_data);
  write(c.answer, mad::CmAttribute::drep, c.dreq_transaction, drep);
}

void Manager::build_apr(Connection& c, const PathAnswer& answer) const {
  mad::CmApr apr;
  apr.local_id = c.local_id;
  apr.remote_id = c.peer_id;
  apr.status = answer.status;
  apr.additional_info_length = static_cast<std::uint8_t>(answer.additional_info.size());
  fill(apr.additional_info, answer.additional_info);
  fill(apr.private_data, answer.private_data);
  write(c.path_answer, mad::CmAttribute::apr, c.path_transaction, apr);
  c.has_path_answer = true;
}

// --- The host ---

bool Manager::poll_transmit(TxMad& out, Time) {
  if (mads_.empty()) return false;
  out = mads_.pop();
  return true;
}

std::optional<Event> Manager::poll_event() {
  if (events_.empty()) return std::nullopt;
  return events_.pop();
}

std::optional<Time> Manager::next_deadline() const {
  std::optional<Time> out;
  if (events_.full()) return out;
  for (const Connection& c : connections_) {
    if (c.state != State::idle && c.deadline && (!out || *c.deadline < *out)) out = c.deadline;
  }
  return out;
}

void Manager::on_deadline(Time now) {
  for (Connection& c : connections_) {
    if (events_.full()) return;
    if (c.state != State::idle && c.deadline && *c.deadline <= now) expire(c, now);
  }
}

void Manager::expire(Connection& c, Time now) {
  if (c.state == State::timewait) {
    take(c, *find_transition(c.state, Input::timewait_over), now);
    return;
  }
  //= CM-02
  //= CM-09
  if (c.retries_left != 0) {
    --c.retries_left;
    if (has(ib::Quirk::retry_with_new_transaction)) set_transaction(c.request, next_transaction({}));
    take(c, *find_transition(c.state, Input::retry), now);
    return;
  }
  const Transition& row = *find_transition(c.state, Input::timeout);
  if (row.send == Send::rej) {
    std::array<std::uint8_t, 8> guid;
    store_be<8>(guid.data(), config_.ca_guid.value);
    build_rej(c, mad::RejMessage::other, mad::RejReason::timeout, guid, {});
  }
  take(c, row, now);
}

}  // namespace rdmawire::cm
