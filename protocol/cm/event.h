// What the connection manager tells the consumer.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/base/layout.h"
#include "protocol/cm/parameters.h"
#include "protocol/cm/states.h"
#include "protocol/verbs/qp_state.h"

namespace rdmawire::cm {

// kind says what happened, and what is expected:
//   connect_request     passive: accept, reject, or delay and then one of them
//   replied             active: the peer accepted. Move the queue pair to RTR and RTS, then establish; or reject
//   established         passive: move the queue pair to RTS
//   rejected            the attempt is over: reason, private data. In REP_RCVD and later a TIMEWAIT follows
//   timed_out           the same, as the peer does not answer
//   disconnect_request  the peer leaves: move the queue pair to ERR, then disconnect
//   disconnected        the connection is over, and in TIMEWAIT; move the queue pair to ERR if it isn't
//   timewait_over       the QPN may be used again. The handle is gone, as after rejected and timed_out without TIMEWAIT
//   path_request        passive: answer_path, or delay and then that; attributes.alternate_path is the path
//   path_answered       apr_status; if ok, the alternate path of the queue pair may be set
//   path_timed_out      the peer does not answer; the connection goes on
//   resolve_request     answer_resolve
//   resolved            sidr_status; if valid, qpn and q_key. The handle is gone
//   resolve_timed_out   the handle is gone
struct Event {
  EventKind kind{};
  ConnectionId connection;
  State state{};  // after it
  ListenerId listener;
  // What the queue pair needs of the peer and of what was agreed: path, path MTU, destination QP, PSNs, depths, ACK
  // timeout, retry counts, alternate path. Not: P_Key index, port, access, minimum RNR timer. In connect_request the
  // own starting PSN is not known yet, and the depths are the most that can be agreed.
  verbs::QpAttributes attributes;
  verbs::Service service{};
  mad::RejReason reject_reason{};           // rejected, timed_out (timeout)
  mad::AprStatus apr_status{};              // path_answered
  mad::SidrStatus sidr_status{};            // resolved
  Qpn qpn;                                  // resolved
  QKey q_key;                               // resolved
  ServiceId service_id;                     // connect_request, resolve_request
  std::optional<mad::IpCm6> ip;             // connect_request, resolve_request of an IP CM service
  std::array<std::uint8_t, 232> message{};  // the peer's, after the MAD header; zeros if time did it
  std::uint8_t private_offset = 0;
  std::uint8_t private_len = 0;
  std::uint8_t info_len = 0;  // octets of additional information: REJ, APR, SIDR_REP

  // The consumer's private data: without the IP CM header. Always as long as the message has room: the length is not
  // on the wire.
  Bytes private_data() const { return Bytes(message).subspan(private_offset, private_len); }
  // The whole message, by its type, which kind tells.
  template <class T>
  T as() const {
    return decode<T>(Bytes(message).template first<232>());
  }
  // In words: "Consumer reject".
  std::string_view reason() const {
    const std::string_view name = mad::name_of(reject_reason);
    return name.empty() ? std::string_view("reserved reason") : name;
  }
};

}  // namespace rdmawire::cm
