#include "cli/peer/iwarp_session.h"

#include <fmt/format.h>

#include "cli/peer/departure.h"

namespace rdmawire::cli::peer {
namespace {

using wire::ConnectionEnd;

wire::IwarpHostConfig host_config(iwarp::Role role, Bytes private_data) {
  wire::IwarpHostConfig out;
  out.role = role;
  out.private_data = private_data;
  out.receive_len = IwarpSession::receive_len;
  return out;
}

// siw on little-endian machines puts layer and error type into each other's place (seen on Linux 6.1 and 6.12).
std::string as_siw_means(iwarp::TerminateError error) {
  const auto swapped = iwarp::terminate_error(static_cast<iwarp::TerminateLayer>(error.type()),
                                              static_cast<std::uint8_t>(error.layer()), error.code());
  if (swapped == error) return {};
  const iwarp::TerminateInfo* row = iwarp::find(swapped);
  if (row == nullptr || row->any_code) return {};
  return fmt::format("; Linux siw, which swaps layer and type, would mean {}: {}", name_of(swapped.layer()), row->text);
}

}  // namespace

IwarpSession::IwarpSession(const SessionConfig& config, std::unique_ptr<Service> service, std::uint32_t number,
                           const iwarp::MpaQueuePairConfig& qp, std::unique_ptr<wire::Stream> stream, iwarp::Role role)
    : Session(config, std::move(service)),
      qp_({{number}, verbs::Service::iwarp, pd(), send_sizes(), receive_sizes(), false}, resources(), qp),
      private_data_(role == iwarp::Role::initiator ? this->service().private_data(*this) : std::vector<std::uint8_t>{}),
      host_(qp_, std::move(stream), host_config(role, private_data_)),
      is_initiator_(role == iwarp::Role::initiator) {
  verbs::QpAttributes attributes;
  attributes.access = verbs::rights::remote_write | verbs::rights::remote_read | verbs::rights::remote_atomic;
  static_cast<void>(qp_.modify(verbs::QpState::init, attributes, verbs::attribute::access));
  this->service().prepare(*this);
}

bool IwarpSession::turn(Time now) {
  bool any = host_.turn(now);
  take_mpa_events(now);
  any = pump(now) || any;
  nudge(now);
  if (peer_closed_ && !is_closing()) {
    if (is_initiator_ && !wants_close()) fail("the peer ended the connection before the service was done");
    set_end("the peer closed");
    close(now);
    any = true;
  }
  return any;
}

// Linux siw may miss the first FPDU after its Reply, and reads it only when more comes: a WRITE of nothing, which needs
// no memory and no receive of the peer's.
void IwarpSession::nudge(Time now) {
  constexpr Duration patience = std::chrono::seconds(1);
  constexpr std::uint32_t max_nudges = 3;
  if (!is_initiator_ || !has_begun()) return;
  if (!nudge_at_) {
    nudge_at_ = now + patience;
    num_startup_octets_ = host_.num_received();
  }
  // Never again once it was heard of.
  const bool over = is_closing() || host_.state() != wire::HostState::running;
  if (host_.num_received() != num_startup_octets_ || over) nudge_at_ = Time::max();
  const verbs::SendQueue& queue = qp_.verbs().send_queue();
  const bool awaits_answer = waits_for_message() || (!queue.empty() && info(queue.front().opcode).takes_response);
  if (now < *nudge_at_ || !awaits_answer) return;
  verbs::SendWork work;
  work.opcode = verbs::WorkOpcode::rdma_write;
  work.signaled = false;
  if (qp_.post_send(work)) ++num_nudges_;
  nudge_at_ = num_nudges_ == max_nudges ? Time::max() : now + patience;
}

std::optional<Time> IwarpSession::next_deadline() const {
  std::optional<Time> out = host_.next_deadline();
  if (nudge_at_ != Time::max()) keep_sooner(out, nudge_at_);
  return out;
}

void IwarpSession::take_mpa_events(Time now) {
  while (const auto event = qp_.poll_event()) {
    switch (event->kind) {
      case iwarp::MpaEventKind::request: {
        const std::string why = service().take_private_data(qp_.mpa().peer_private_data());
        iwarp::MpaAnswer answer;
        if (!why.empty()) {
          fail(why);
          static_cast<void>(qp_.reject(answer, now));
          break;
        }
        private_data_ = service().private_data(*this);
        answer.private_data = private_data_;
        if (const auto accepted = qp_.accept(answer, now); !accepted) {
          fail(fmt::format("MPA: the request cannot be accepted: {}", name_of(accepted.error())));
          static_cast<void>(qp_.reject({}, now));
        }
        break;
      }
      case iwarp::MpaEventKind::established: {
        set_parameters(parameters_now());
        if (is_initiator_) {
          if (const std::string why = service().take_private_data(qp_.mpa().peer_private_data()); !why.empty()) {
            fail(why);
            break;
          }
        }
        if (!is_initiator_ && iwarp::ready_to_receive(qp_.mpa().negotiated()) == iwarp::ReadyToReceive::send) {
          expect_ready_message();
        }
        established_ = true;
        break;
      }
      default:
        break;
    }
  }
}

Report IwarpSession::parameters_now() const {
  const iwarp::MpaConnection& mpa = qp_.mpa();
  const iwarp::Negotiated& terms = mpa.negotiated();
  Report out;
  out.add("family", "iWARP");
  out.add("mpa_revision", std::uint64_t{mpa.revision()});
  out.add("crc", terms.crc);
  out.add("markers_sent", mpa.sends_markers());
  out.add("markers_received", mpa.receives_markers());
  out.add("peer_to_peer", terms.peer_to_peer);
  if (terms.peer_to_peer) {
    constexpr std::array<std::string_view, 4> names{"none", "send", "write", "read"};
    out.add("ready_to_receive", names[static_cast<std::size_t>(iwarp::ready_to_receive(terms))]);
  }
  out.add("ird", std::uint64_t{qp_.verbs().attributes().max_dest_rd_atomic});
  out.add("ord", std::uint64_t{qp_.verbs().attributes().max_rd_atomic});
  out.add("mulpdu", std::uint64_t{qp_.mulpdu()});
  if (const std::uint8_t reserved = mpa.peer_frame().reserved4; reserved != 0) {
    out.add("peer_reserved_flags", fmt::format("{:#x}", reserved));
  }
  out.add("peer_private_data", std::uint64_t{mpa.peer_private_data().size()});
  return out;
}

void IwarpSession::on_event(verbs::EventKind kind, Time) {
  if (kind == verbs::EventKind::peer_closed) peer_closed_ = true;
}

void IwarpSession::close(Time now) {
  if (is_closing()) return;
  note_closing();
  set_end("closed in order");
  if (!has_begun()) return host_.abort(now);
  // The peer is told of a fault, as far as there is a Terminate for it.
  if (!fault().empty() && qp_.stream().state() == iwarp::StreamState::running) {
    static_cast<void>(qp_.modify(verbs::QpState::err));
    return;
  }
  qp_.close(now);
}

void IwarpSession::judge_end() {
  const std::string text = host_.end_text();
  const iwarp::StreamEnd& end = qp_.stream().end();
  std::string more;
  if (end.by == iwarp::StreamEnd::By::peer && end.has_error && !end.in_siw_order) more = as_siw_means(end.error);
  const bool in_order = host_.end() == ConnectionEnd::closed && end.by == iwarp::StreamEnd::By::ulp;
  if (!in_order && !(is_closing() && has_begun() && fault().empty() && host_.end() != ConnectionEnd::stalled)) {
    fail(text.empty() ? "the connection ended" : text + more);
  }
  set_end(text + more);
}

std::string IwarpSession::cause(verbs::CompletionStatus) const { return host_.end_text(); }

std::vector<Report> IwarpSession::departures() const {
  std::vector<Report> out;
  if (qp_.mpa().peer_frame().reserved4 == iwarp::siw_gso_flag)
    out.push_back(departure(info(iwarp::Quirk::flag_gso), 1));
  if (qp_.stream().end().in_siw_order) out.push_back(departure(info(iwarp::Quirk::terminate_bits_reversed), 1));
  return out;
}

void IwarpSession::add_counts(Report& report) const {
  const iwarp::RdmapStream::Counters& counters = qp_.stream().counters();
  report.add("segments_sent", counters.num_segments_sent);
  report.add("segments_received", counters.num_segments);
  report.add_count("segments_dropped", counters.num_dropped);
  report.add("octets_sent", host_.num_sent());
  report.add("octets_received", host_.num_received());
  report.add_count("empty_writes_because_the_first_fpdu_was_not_read", num_nudges_);
}

}  // namespace rdmawire::cli::peer
