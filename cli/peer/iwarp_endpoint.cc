#include "cli/peer/iwarp_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

namespace rdmawire::cli::peer {
namespace {

iwarp::MpaQueuePairConfig qp_config(const PeerOptions& options) {
  iwarp::MpaQueuePairConfig out;
  out.mpa = options.mpa;
  out.rdmap.quirks = options.iwarp_quirks;
  return out;
}

}  // namespace

IwarpEndpoint::IwarpEndpoint(const PeerOptions& options, Log log)
    : Endpoint(options, std::move(log)), random_(options.seed) {
  open();
}

void IwarpEndpoint::open() {
  const std::string host = options_.host.empty() ? "0.0.0.0" : options_.host;
  const auto address = wire::SocketAddress::resolve(host, options_.port);
  if (!address) return fail("TCP: " + to_string(address.error()));
  if (!options_.listens) {
    auto stream = wire::TcpStream::connect(*address);
    if (!stream) return fail("TCP: " + to_string(stream.error()));
    return add_session(std::move(*stream), iwarp::Role::initiator, address->text());
  }
  auto listener = wire::TcpListener::listen(*address);
  if (!listener) return fail("TCP: " + to_string(listener.error()));
  listener_ = std::move(*listener);
  const auto at = listener_->address();
  log(fmt::format("listening on {}", at ? at->text() : address->text()));
}

void IwarpEndpoint::add_session(wire::TcpStream stream, iwarp::Role role, std::string peer) {
  SessionConfig config;
  config.depth = options_.depth;
  config.receive_depth = IwarpSession::receive_depth;
  // STags are not to be guessed (RFC 5040, 8.1.1).
  config.key_secret = {random_.next(), random_.next()};
  auto session = std::make_unique<IwarpSession>(config, make_service(), next_number_++, qp_config(options_),
                                                std::move(stream), role);
  session->set_peer(std::move(peer));
  sessions_.push_back(std::move(session));
}

bool IwarpEndpoint::accept() {
  bool any = false;
  while (may_accept_ && may_accept()) {
    auto stream = listener_->accept();
    if (!stream) {
      fail("TCP: " + to_string(stream.error()));
      return false;
    }
    if (!stream->is_open()) {
      may_accept_ = false;
      return any;
    }
    const auto peer = stream->peer_address();
    add_session(std::move(*stream), iwarp::Role::responder, peer ? peer->text() : std::string("a peer that is gone"));
    any = true;
  }
  return any;
}

bool IwarpEndpoint::turn(Time now) {
  bool any = accept();
  for (auto& session : sessions_) {
    any = session->turn(now) || any;
    if (session->take_established()) {
      announce(*session);
      session->begin(now);
      any = true;
    }
    if (session->wants_close() && !session->is_closing() && !session->is_gone()) {
      session->close(now);
      any = true;
    }
    if (!session->is_gone()) continue;
    session->pump(now);
    session->judge_end();
    finish(*session, now);
    session.reset();
    any = true;
  }
  std::erase(sessions_, nullptr);
  return any;
}

void IwarpEndpoint::add_descriptors(std::vector<pollfd>& out) const {
  if (may_accept()) out.push_back({listener_->descriptor(), POLLIN, 0});
  for (const auto& session : sessions_) out.push_back({session->host().descriptor(), session->host().events(), 0});
}

void IwarpEndpoint::on_ready(std::span<const pollfd> ready) {
  for (const pollfd& one : ready) {
    if (one.revents == 0) continue;
    if (listener_ && one.fd == listener_->descriptor()) may_accept_ = true;
    for (auto& session : sessions_) {
      if (session->host().descriptor() == one.fd) session->host().on_ready(one.revents);
    }
  }
}

std::optional<Time> IwarpEndpoint::next_deadline() const {
  std::optional<Time> out;
  for (const auto& session : sessions_) keep_sooner(out, session->next_deadline());
  return out;
}

void IwarpEndpoint::close(Time now) {
  closing_ = true;
  for (auto& session : sessions_) session->close(now);
}

bool IwarpEndpoint::is_done() const {
  if (!fault().empty()) return true;
  if (!sessions_.empty()) return false;
  return !options_.listens || closing_ || is_full();
}

void IwarpEndpoint::visit_sessions(const std::function<void(const Session&)>& visit) const {
  for (const auto& session : sessions_) visit(*session);
}

void IwarpEndpoint::add_report(Report&) const {}

}  // namespace rdmawire::cli::peer
