#include "cli/peer/roce_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/peer/departure.h"
#include "cli/peer/roce_session.h"
#include "codec/mad/service_id.h"

namespace rdmawire::cli::peer {
namespace {

constexpr std::uint32_t first_qpn = 0x100;

// The code of a quarter of that time. Twice the path's life time and the peer's delay, a quarter each, are what it
// waits.
std::uint8_t quarter(std::uint8_t timeout_code) {
  return static_cast<std::uint8_t>(std::max<int>(timeout_code - 2, 0));
}

wire::RoceHostConfig host_config(const PeerOptions& options) {
  wire::RoceHostConfig out;
  out.network = options.network;
  out.p_key = options.p_key;
  out.max_connections = static_cast<std::size_t>(options.max_sessions) + 1;
  out.max_responder_resources = options.responder_resources;
  out.target_ack_delay = quarter(options.ack_timeout);
  out.seed = options.seed;
  out.quirks = options.ib_quirks;
  return out;
}

std::string peer_text(const Gid& address, std::optional<std::uint16_t> port) {
  const std::string host = wire::ip_text(address);
  if (!port) return host;
  return is_ipv4_mapped(address) ? fmt::format("{}:{}", host, *port) : fmt::format("[{}]:{}", host, *port);
}

}  // namespace

RoceEndpoint::RoceEndpoint(wire::Wire& wire, const PeerOptions& options, Log log)
    : Endpoint(options, std::move(log)),
      host_(wire, host_config(options)),
      random_(options.seed),
      next_qpn_(static_cast<std::uint32_t>(first_qpn + random_.below(1U << 20))) {
  if (options_.listens) {
    const auto service = mad::ip_cm_service_id(mad::PortSpace::tcp, options_.port);
    if (const auto listening = host_.cm().listen(service); !listening) {
      fail(fmt::format("cannot listen: {}", name_of(listening.error())));
    }
    for (const wire::IpPrefix& own : options_.network.addresses) {
      this->log(fmt::format("listening on {}, {}, on {}", peer_text(own.address, options_.port),
                            wire::mac_text(host_.port().config().mac), wire.text()));
    }
    return;
  }
  peer_ = wire::parse_ip(options_.host);
  if (!peer_) fail(fmt::format("'{}' is not an IP address", options_.host));
}

RoceEndpoint::~RoceEndpoint() {
  for (auto& [id, session] : sessions_) host_.port().detach(session->machine());
}

std::unique_ptr<RoceSession> RoceEndpoint::make_session(const Gid& peer) {
  SessionConfig config;
  config.depth = options_.depth;
  config.receive_depth = std::max(options_.depth, std::uint32_t{128});
  config.key_secret = {random_.next(), random_.next()};
  ib::RcConfig rc;
  rc.max_responder_resources = std::max<std::uint8_t>(options_.responder_resources, 1);
  rc.max_outstanding_packets = options_.window;
  rc.ack_interval = std::max<std::uint32_t>(options_.window / 4, 1);
  rc.quirks = options_.ib_quirks;
  const Qpn qpn{next_qpn_++ & 0xFFFFFFU};
  auto out = std::make_unique<RoceSession>(config, make_service(), qpn, rc, !options_.listens);
  out->set_peer(peer_text(peer, std::nullopt));
  out->service().prepare(*out);
  return out;
}

void RoceEndpoint::start_connecting(Time now) {
  if (!give_up_at_) give_up_at_ = now + options_.connect_timeout;
  host_.neighbours().look_for(*peer_, now);
  auto path = host_.path_to(*peer_);
  if (!path) {
    if (host_.neighbours().failed(*peer_) || now >= *give_up_at_) {
      fail(fmt::format("network: nobody answers for {} on the wire (ARP or neighbour solicitation)",
                       wire::ip_text(*peer_)));
    }
    return;
  }
  path->hop_limit = options_.hop_limit;
  path->traffic_class = options_.traffic_class.value_or(0);
  auto session = make_session(*peer_);
  const Gid own = host_.own_gid(*path);
  cm::ConnectParams params;
  params.service = mad::ip_cm_service_id(mad::PortSpace::tcp, options_.port);
  params.path.to = *path;
  params.path.local_gid = own;
  params.path.local_lid = {0xFFFF};
  params.path.rate = mad::Rate::gbps100;
  params.path.packet_life_time = {quarter(options_.ack_timeout)};
  params.p_key = options_.p_key;
  params.path_mtu = options_.path_mtu;
  params.qpn = session->machine().verbs().config().number;
  params.starting_psn = {static_cast<std::uint32_t>(random_.below(Psn::modulus))};
  params.responder_resources = options_.responder_resources;
  params.initiator_depth = options_.initiator_depth;
  params.retry_count = options_.retry_count;
  params.rnr_retry_count = options_.rnr_retry;
  params.remote_cm_response_timeout = params.local_cm_response_timeout = {18};
  params.max_cm_retries = 7;
  const auto source_port = static_cast<std::uint16_t>(0xC000 + random_.below(0x4000));
  params.ip = cm::ip_cm(source_port, own, *peer_);
  const auto private_data = session->service().private_data(*session);
  params.private_data = private_data;
  const auto connected = host_.cm().connect(params, now);
  if (!connected)
    return fail(fmt::format("CM: the connection request is refused here: {}", name_of(connected.error())));
  session->set_peer(peer_text(*peer_, options_.port));
  connecting_ = true;
  sessions_.emplace(*connected, std::move(session));
}

void RoceEndpoint::reject(cm::ConnectionId id, mad::RejReason reason, Time now) {
  ++num_rejected_;
  cm::RejectParams params;
  params.reason = reason;
  static_cast<void>(host_.cm().reject(id, params, now));
}

void RoceEndpoint::on_request(const cm::Event& event, Time now) {
  if (closing_ || is_full() || sessions_.size() >= options_.max_sessions) {
    return reject(event.connection, mad::RejReason::no_resources, now);
  }
  if (event.service != verbs::Service::rc) {
    return reject(event.connection, mad::RejReason::invalid_transport_service, now);
  }
  const Gid peer = event.attributes.path.destination_gid;
  auto session = make_session(peer);
  if (event.ip) session->set_peer(peer_text(peer, event.ip->source_port));
  if (const std::string why = session->service().take_private_data(event.private_data()); !why.empty()) {
    log(fmt::format("{}: rejected: {}", session->peer(), why));
    return reject(event.connection, mad::RejReason::consumer_reject, now);
  }
  cm::AcceptParams params;
  params.qpn = session->machine().verbs().config().number;
  params.starting_psn = {static_cast<std::uint32_t>(random_.below(Psn::modulus))};
  params.responder_resources = options_.responder_resources;
  params.initiator_depth = options_.initiator_depth;
  params.rnr_retry_count = options_.rnr_retry;
  const auto private_data = session->service().private_data(*session);
  params.private_data = private_data;
  if (const auto accepted = host_.cm().accept(event.connection, params, now); !accepted) {
    log(fmt::format("{}: rejected: {}", session->peer(), name_of(accepted.error())));
    return reject(event.connection, mad::RejReason::no_resources, now);
  }
  on_reply(event, *session, now);
  sessions_.emplace(event.connection, std::move(session));
}

// Both sides are agreed: the queue pair gets what it needs.
void RoceEndpoint::on_reply(const cm::Event& event, RoceSession& session, Time) {
  verbs::QpAttributes attributes = host_.cm().attributes(event.connection);
  attributes.min_rnr_timer = {options_.rnr_timer};
  attributes.timeout = {options_.ack_timeout};
  attributes.path.hop_limit = options_.hop_limit;
  if (options_.traffic_class) attributes.path.traffic_class = *options_.traffic_class;
  const Qpn qpn = session.machine().verbs().config().number;
  const UdpPort usual{static_cast<std::uint16_t>(0xC000U | (qpn.value & 0x3FFFU))};
  attributes.path.udp_source_port = host_.only_source_port().value_or(options_.udp_source_port.value_or(usual));
  if (!host_.port().attach(session.machine())) session.fail("the port has no room for another queue pair");
  session.set_up(attributes);
  session.set_parameters(session.parameters_of(attributes));
}

void RoceEndpoint::on_event(const cm::Event& event, Time now) {
  using cm::EventKind;
  if (event.kind == EventKind::connect_request) return on_request(event, now);
  const auto found = sessions_.find(event.connection);
  if (found == sessions_.end()) return;
  RoceSession& session = *found->second;
  switch (event.kind) {
    case EventKind::replied: {
      const std::string why = session.service().take_private_data(event.private_data());
      if (!why.empty()) {
        session.fail(why);
        reject(event.connection, mad::RejReason::consumer_reject, now);
        return remove(event.connection, now);
      }
      on_reply(event, session, now);
      static_cast<void>(host_.cm().establish(event.connection, {}, now));
      announce(session);
      session.note_life(now);
      return session.begin(now);
    }
    case EventKind::established:
      announce(session);
      session.note_life(now);
      return session.begin(now);
    case EventKind::rejected:
      session.fail(fmt::format("CM: the peer rejects: {} (reason {})", event.reason(),
                               static_cast<unsigned>(event.reject_reason)));
      return remove(event.connection, now);
    case EventKind::timed_out:
      session.fail("CM: the peer does not answer");
      return remove(event.connection, now);
    case EventKind::disconnect_request:
      session.pump(now);
      if (!options_.listens && !session.wants_close()) {
        session.fail("the peer ended the connection (DREQ) before the service was done");
      }
      session.note_closing();
      session.set_end("the peer disconnected");
      static_cast<void>(session.machine().modify(verbs::QpState::err));
      static_cast<void>(host_.cm().disconnect(event.connection, {}, now));
      return;
    case EventKind::disconnected:
      return remove(event.connection, now);
    default:
      return;
  }
}

void RoceEndpoint::disconnect(cm::ConnectionId id, RoceSession& session, Time now) {
  session.note_closing();
  session.set_end("disconnected");
  // Otherwise there is no connection yet, and the manager gives up by itself.
  if (!host_.cm().disconnect(id, {}, now)) {
    reject(id, mad::RejReason::consumer_reject, now);
    remove(id, now);
  }
}

void RoceEndpoint::remove(cm::ConnectionId id, Time now) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  RoceSession& session = *found->second;
  session.pump(now);
  session.note_closing();
  if (session.machine().verbs().state() != verbs::QpState::err) {
    static_cast<void>(session.machine().modify(verbs::QpState::err));
  }
  finish(session, now);
  host_.port().detach(session.machine());
  sessions_.erase(found);
}

bool RoceEndpoint::turn(Time now) {
  if (!fault().empty()) return false;
  bool any = host_.turn(now);
  if (host_.error()) {
    fail("wire: " + to_string(*host_.error()));
    while (!sessions_.empty()) {
      sessions_.begin()->second->fail(fault());
      remove(sessions_.begin()->first, now);
    }
    return false;
  }
  if (!options_.listens && !connecting_ && !closing_) start_connecting(now);
  while (const auto event = host_.cm().poll_event()) {
    on_event(*event, now);
    any = true;
  }
  std::vector<cm::ConnectionId> to_close;
  for (auto& [id, session] : sessions_) {
    if (session->pump(now)) {
      session->note_life(now);
      // The peer's packets may come before its RTU. In other states the manager refuses it, and nothing changes.
      if (!session->has_begun()) static_cast<void>(host_.cm().note_communication(id, now));
      any = true;
    }
    session->keep_alive(now, options_.keep_alive);
    if (session->has_begun() && !session->is_over() && session->machine().verbs().state() == verbs::QpState::err &&
        !session->is_closing()) {
      session->fail("the queue pair is in error");
    }
    if (session->wants_close() && !session->is_closing()) to_close.push_back(id);
  }
  for (const cm::ConnectionId id : to_close) {
    disconnect(id, *sessions_.find(id)->second, now);
    any = true;
  }
  return any;
}

void RoceEndpoint::add_descriptors(std::vector<pollfd>& out) const {
  out.push_back({host_.descriptor(), host_.events(), 0});
}

void RoceEndpoint::on_ready(std::span<const pollfd> ready) {
  for (const pollfd& one : ready) {
    if (one.revents != 0) host_.on_ready(one.revents);
  }
}

std::optional<Time> RoceEndpoint::next_deadline() const {
  std::optional<Time> out = host_.next_deadline();
  if (!options_.listens && !connecting_) keep_sooner(out, give_up_at_);
  for (const auto& [id, session] : sessions_) keep_sooner(out, session->next_probe(options_.keep_alive));
  return out;
}

void RoceEndpoint::close(Time now) {
  closing_ = true;
  std::vector<cm::ConnectionId> ids;
  for (const auto& [id, session] : sessions_) {
    if (!session->is_closing()) ids.push_back(id);
  }
  for (const cm::ConnectionId id : ids) disconnect(id, *sessions_.find(id)->second, now);
}

bool RoceEndpoint::is_done() const {
  if (!fault().empty()) return true;
  if (!sessions_.empty()) return false;
  return options_.listens ? closing_ || is_full() : connecting_ || closing_;
}

void RoceEndpoint::visit_sessions(const std::function<void(const Session&)>& visit) const {
  for (const auto& [id, session] : sessions_) visit(*session);
}

void RoceEndpoint::add_report(Report& report) const {
  const ib::Port& port = host_.port();
  Report out;
  out.add("frames_sent", port.num_sent());
  out.add("frames_received", port.num_received());
  out.add_count("cnps_sent", port.num_cnps_sent());
  out.add_count("cnps_received", port.num_cnps_received());
  out.add_count("requests_rejected", num_rejected_);
  // Then the path MTU is larger than what the interface, or the path, has room for.
  out.add_count("frames_lost_because_too_long", host_.num_too_long());
  report.add("port", std::move(out));
  std::vector<Report> departures;
  for (const wire::Departure& seen : host_.departures().seen()) {
    if (seen.quirk) {
      departures.push_back(departure(info(*seen.quirk), seen.count));
      continue;
    }
    Report& one = departures.emplace_back();
    one.add("text", seen.allowed);
    one.add("packets", seen.count);
  }
  const bool marked = options_.traffic_class && (*options_.traffic_class & 3U) == 3U;
  if (marked && num_finished() != 0 && port.num_cnps_received() == 0) {
    departures.push_back(departure(info(ib::Quirk::never_send_cnp), port.num_sent()));
  }
  report.add("departures", std::move(departures));
  Report dropped;
  for (const ib::DropCauseInfo& cause : ib::drop_cause_table) {
    dropped.add_count(cause.name, port.num_dropped(cause.cause));
  }
  report.add("frames_dropped", std::move(dropped));
  const cm::Counters& cm = host_.cm().counters();
  Report ignored;
  ignored.add_count("no CM message", cm.num_not_cm);
  ignored.add_count("another version", cm.num_bad_version);
  ignored.add_count("of no connection", cm.num_unknown);
  ignored.add_count("not due", cm.num_ignored);
  ignored.add_count("backlog full", cm.num_backlog_full);
  report.add("cm_messages_ignored", std::move(ignored));
}

}  // namespace rdmawire::cli::peer
