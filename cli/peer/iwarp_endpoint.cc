#include "cli/peer/iwarp_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "pcap/wire/recorded_stream.h"

namespace rdmawire::cli::peer {
namespace {

iwarp::MpaQueuePairConfig qp_config(const PeerOptions& options) {
  iwarp::MpaQueuePairConfig out;
  out.mpa = options.mpa;
  out.rdmap.quirks = options.iwarp_quirks;
  return out;
}

}  // namespace

IwarpEndpoint::IwarpEndpoint(const PeerOptions& options, Log log, wire::Recorder* recorder)
    : Endpoint(options, std::move(log)), random_(options.seed), recorder_(recorder) {
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

std::unique_ptr<wire::Stream> IwarpEndpoint::wrapped(wire::TcpStream tcp, iwarp::Role role) {
  auto stream = std::make_unique<wire::TcpStream>(std::move(tcp));
  const auto opened_by = role == iwarp::Role::initiator ? wire::OpenedBy::here : wire::OpenedBy::peer;
  if (options_.stream_impairments) {
    return std::make_unique<wire::ImpairedStream>(std::move(stream), *options_.stream_impairments,
                                                  link::SplitMix64::nth(options_.seed, next_number_), impaired_,
                                                  wire::TcpRecording(recorder_, opened_by));
  }
  if (recorder_ == nullptr) return stream;
  return std::make_unique<wire::RecordedStream>(std::move(stream), *recorder_, opened_by);
}

void IwarpEndpoint::add_session(wire::TcpStream tcp, iwarp::Role role, std::string peer) {
  SessionConfig config;
  config.depth = options_.depth;
  config.receive_depth = IwarpSession::receive_depth;
  // STags are not to be guessed (RFC 5040, 8.1.1).
  config.key_secret = {random_.next(), random_.next()};
  auto session = std::make_unique<IwarpSession>(config, make_service(), next_number_, qp_config(options_),
                                                wrapped(std::move(tcp), role), role);
  ++next_number_;
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

void IwarpEndpoint::add_report(Report& report) const {
  if (!options_.stream_impairments) return;
  Report out;
  const auto add = [&](std::string_view way, const wire::StreamCounts& counts) {
    Report one;
    one.add("segments", counts.num_segments);
    one.add_count("late", counts.num_late);
    one.add_count("corrupted", counts.num_corrupted);
    out.add(way, std::move(one));
  };
  add("sent", impaired_.sent);
  add("received", impaired_.received);
  report.add("on_purpose", std::move(out));
}

}  // namespace rdmawire::cli::peer
