#include "cli/peer/roce_session.h"

#include <fmt/format.h>

#include "codec/ib/aeth.h"
#include "pcap/wire/ip_address.h"

namespace rdmawire::cli::peer {

using verbs::CompletionStatus;

RoceSession::RoceSession(const SessionConfig& config, std::unique_ptr<Service> service, Qpn qpn, const ib::RcConfig& rc,
                         bool is_active)
    : Session(config, std::move(service)),
      qp_({qpn, verbs::Service::rc, pd(), send_sizes(), receive_sizes(), false}, resources(), rc),
      is_active_(is_active) {
  // Receives can be posted from INIT on.
  verbs::QpAttributes attributes;
  attributes.access = verbs::rights::remote_write | verbs::rights::remote_read | verbs::rights::remote_atomic;
  using namespace verbs::attribute;
  static_cast<void>(qp_.modify(verbs::QpState::init, attributes, p_key_index | port | access));
}

bool RoceSession::set_up(const verbs::QpAttributes& attributes) {
  using namespace verbs::attribute;
  const auto ready = qp_.modify(verbs::QpState::rtr, attributes,
                                path | path_mtu | destination_qp | rq_psn | max_dest_rd_atomic | min_rnr_timer);
  const auto sends =
      !ready ? ready
             : qp_.modify(verbs::QpState::rts, attributes, sq_psn | timeout | retry_count | rnr_retry | max_rd_atomic);
  if (sends) return true;
  fail(fmt::format("the queue pair cannot be set up so: {}", name_of(sends.error())));
  return false;
}

std::optional<Time> RoceSession::next_probe(Duration patience) const {
  // What is under way has a timeout of its own.
  if (patience == Duration{} || !has_begun() || is_over() || is_closing() || !qp_.verbs().send_queue().empty()) {
    return std::nullopt;
  }
  return heard_at_ + patience;
}

void RoceSession::keep_alive(Time now, Duration patience) {
  const auto due = next_probe(patience);
  if (!due || now < *due) return;
  heard_at_ = now;
  verbs::SendWork work;
  work.opcode = verbs::WorkOpcode::rdma_write;
  work.signaled = false;
  if (qp_.post_send(work)) ++num_probes_;
}

Report RoceSession::parameters_of(const verbs::QpAttributes& a) const {
  Report out;
  out.add("family", "RoCEv2");
  out.add("qpn", fmt::format("{:#x}", qp().config().number.value));
  out.add("peer_qpn", fmt::format("{:#x}", a.destination_qp.value));
  out.add("path_mtu", std::uint64_t{a.path_mtu.octets()});
  out.add("psn", fmt::format("{:#x}", a.sq_psn.value));
  out.add("peer_psn", fmt::format("{:#x}", a.rq_psn.value));
  out.add("initiator_depth", std::uint64_t{a.max_rd_atomic});
  out.add("responder_resources", std::uint64_t{a.max_dest_rd_atomic});
  if (const auto timeout = a.timeout.duration()) {
    out.add("ack_timeout_ms", std::chrono::duration<double, std::milli>(*timeout).count());
  }
  out.add("retry_count", std::uint64_t{a.retry_count});
  out.add("rnr_retry", std::uint64_t{a.rnr_retry});
  out.add("udp_source_port", std::uint64_t{a.path.udp_source_port.value});
  out.add("peer_mac", wire::mac_text(a.path.destination_mac));
  return out;
}

void RoceSession::on_event(verbs::EventKind kind, Time) {
  switch (kind) {
    case verbs::EventKind::qp_request_error:
    case verbs::EventKind::qp_access_error: {
      const ib::RequestFault fault = qp_.responder().last_fault();
      const std::string_view why = fault == ib::RequestFault::none ? std::string_view{} : info(fault).text;
      return fail(fmt::format("the peer's request was refused{}{}", why.empty() ? "" : ": ", why));
    }
    default:
      return;
  }
}

std::string RoceSession::cause(CompletionStatus status) const {
  const auto nak = [](ib::NakCode code) { return fmt::format("the peer sent a NAK, {}", name_of(code)); };
  const ib::Requester::Counters& counters = qp_.requester().counters();
  switch (status) {
    case CompletionStatus::remote_invalid_request:
      return nak(ib::NakCode::invalid_request);
    case CompletionStatus::remote_access_error:
      return nak(ib::NakCode::remote_access_error);
    case CompletionStatus::remote_operation_error:
      return nak(ib::NakCode::remote_operational_error) +
             " (Linux rxe has it for a message that is longer than the receive, where the standard has invalid "
             "request)";
    case CompletionStatus::remote_invalid_rd_request:
      return nak(ib::NakCode::invalid_rd_request);
    case CompletionStatus::retries_exceeded:
      return fmt::format("the peer does not acknowledge it ({} timeouts, {} sequence NAKs, {} implied NAKs so far)",
                         counters.num_timeouts, counters.num_sequence_naks, counters.num_implied_naks);
    case CompletionStatus::rnr_retries_exceeded:
      return fmt::format("the peer has no receive posted ({} RNR NAKs)", counters.num_rnr_naks);
    case CompletionStatus::local_length_error:
      return "the message is longer than the receive, or the response has the wrong length";
    case CompletionStatus::local_qp_operation_error: {
      const ib::RequestFault fault = qp_.responder().last_fault();
      return fault == ib::RequestFault::none ? std::string() : "the peer's request: " + std::string(info(fault).text);
    }
    case CompletionStatus::bad_response:
      return "the peer answered with an opcode that does not fit";
    default:
      return "";
  }
}

void RoceSession::add_counts(Report& report) const {
  const ib::Requester::Counters& counters = qp_.requester().counters();
  report.add_count("retransmitted_packets", counters.num_retransmitted);
  report.add_count("timeouts", counters.num_timeouts);
  report.add_count("sequence_naks", counters.num_sequence_naks);
  report.add_count("implied_naks", counters.num_implied_naks);
  report.add_count("rnr_naks", counters.num_rnr_naks);
  report.add_count("ignored_responses", counters.num_ignored);
  report.add_count("empty_writes_to_see_if_the_peer_lives", num_probes_);
}

}  // namespace rdmawire::cli::peer
