// What an MPA Request and its Reply mean together: RFC 5044, 7.1.1; RFC 6581, 9 and 10.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "codec/base/error.h"
#include "codec/iwarp/mpa.h"

namespace rdmawire::iwarp {

// One start-up frame without its key, and the enhanced block if it has one. Over SCTP (RFC 6581, 7): a session control
// message, of which the frame says revision 2 and, if it is an enhanced one, S.
struct StartupTerms {
  MpaStartup frame;
  std::optional<MpaEnhanced> enhanced;
};

// How many Read Requests a side lets in (IRD) and may have out (ORD). Nothing: not negotiated by MPA.
struct ReadDepths {
  std::optional<std::uint16_t> ird;
  std::optional<std::uint16_t> ord;
  friend constexpr bool operator==(const ReadDepths&, const ReadDepths&) = default;
};

// What one side says; nothing without the block.
constexpr ReadDepths depths_of(const StartupTerms& terms) {
  ReadDepths out;
  if (!terms.enhanced) return out;
  if (terms.enhanced->ird != MpaEnhanced::left_to_ulp) out.ird = terms.enhanced->ird;
  if (terms.enhanced->ord != MpaEnhanced::left_to_ulp) out.ord = terms.enhanced->ord;
  return out;
}

struct Negotiated {
  bool accepted = false;  // the Reply does not reject; the rest holds as if it were
  bool crc = false;  // both generate and check it; otherwise neither may check, and what stands there counts as good
  bool markers_from_initiator = false;  // in what the initiator sends
  bool markers_from_responder = false;
  bool enhanced = false;  // by RFC 6581
  // The initiator's first FPDU is a ready-to-receive indication, of one of the types that both named.
  bool peer_to_peer = false;
  bool rtr_send = false;
  bool rtr_write = false;
  bool rtr_read = false;
  ReadDepths initiator;
  ReadDepths responder;
};

constexpr Negotiated negotiate(const StartupTerms& request, const StartupTerms& reply) {
  Negotiated out;
  out.accepted = !reply.frame.rejected;            //= MPA-5044-7.1.1-09
  out.crc = request.frame.crc || reply.frame.crc;  //= MPA-5044-4.4-04, MPA-5044-7.1.1-07
  // Each asks for Markers in what it receives.
  //= MPA-5044-4.3-15, MPA-5044-7.1.1-06
  out.markers_from_initiator = reply.frame.markers;
  out.markers_from_responder = request.frame.markers;
  out.enhanced = request.frame.is_enhanced() && reply.frame.is_enhanced() && request.enhanced && reply.enhanced;
  if (!out.enhanced) return out;
  const MpaEnhanced& i = *request.enhanced;
  const MpaEnhanced& r = *reply.enhanced;
  //= MPA-6581-9.2-01, MPA-6581-9.2-16
  out.peer_to_peer = i.peer_to_peer && r.peer_to_peer;
  out.rtr_send = out.peer_to_peer && i.rtr_send && r.rtr_send;
  out.rtr_write = out.peer_to_peer && i.rtr_write && r.rtr_write;
  out.rtr_read = out.peer_to_peer && i.rtr_read && r.rtr_read;
  // Each direction's pair on its own (RFC 6581, 9.1): the responder has fitted its values to the request already, the
  // initiator fits its own to the reply.
  //= MPA-6581-9.1-02, MPA-6581-9.1-08, MPA-6581-9.1-12, MPA-6581-9.1-14, MPA-6581-9.1-15
  constexpr std::uint16_t left = MpaEnhanced::left_to_ulp;
  if (r.ird != left) out.responder.ird = r.ird;
  if (r.ord != left) out.responder.ord = r.ord;
  if (i.ord != left && r.ird != left) out.initiator.ord = std::min(i.ord, r.ird);
  if (i.ird != left && r.ord != left) out.initiator.ird = std::max(i.ird, r.ord);
  return out;
}

// What a responder can do.
struct ResponderAbility {
  std::uint8_t max_revision = max_mpa_revision;  // 1: RFC 5044 only
  bool revision0 = false;                        // the permissive mode of RFC 5044, appendix C
};

// The enhanced block of a responder's Reply: RFC 6581, 9.1 and 9.2. own: its IRD and ORD, and the ready-to-receive
// types that it takes, at least one (MPA-6581-9.2-04). max_ird: as far as its IRD can be raised for the initiator's
// ORD.
constexpr MpaEnhanced enhanced_answer(const MpaEnhanced& request, const MpaEnhanced& own, std::uint16_t max_ird) {
  constexpr std::uint16_t left = MpaEnhanced::left_to_ulp;
  MpaEnhanced out;
  //= MPA-6581-9.2-05, MPA-6581-9.2-14, MPA-6581-9.2-15
  out.peer_to_peer = request.peer_to_peer;
  if (out.peer_to_peer) {
    //= MPA-6581-9.2-06, MPA-6581-9.2-07
    out.rtr_send = request.rtr_send && own.rtr_send;
    out.rtr_write = request.rtr_write && own.rtr_write;
    out.rtr_read = request.rtr_read && own.rtr_read;
    if (!out.rtr_send && !out.rtr_write && !out.rtr_read) {  //= MPA-6581-9.2-08, MPA-6581-9.2-09
      out.rtr_send = own.rtr_send;
      out.rtr_write = own.rtr_write;
      out.rtr_read = own.rtr_read;
    }
  }
  //= MPA-6581-9.1-01, MPA-6581-9.1-04, MPA-6581-9.1-06, MPA-6581-9.1-13
  out.ord = request.ird == left || own.ord == left ? left : std::min(own.ord, request.ird);
  if (request.ord == left || own.ird == left) {  //= MPA-6581-9.1-11
    out.ird = left;
  } else {
    // A Read that only says that the initiator is ready takes a place too.
    //= MPA-6581-9.1-05, MPA-6581-12-01
    const std::uint16_t wanted = std::max<std::uint16_t>(request.ord, out.rtr_read ? 1 : 0);
    out.ird = std::max(own.ird, std::min(wanted, max_ird));
  }
  return out;
}

// The form in which a Request is to be answered.
struct ReplyForm {
  std::uint8_t revision = 1;
  bool enhanced = false;  // S and the enhanced block
  friend constexpr bool operator==(ReplyForm, ReplyForm) = default;
};

// Nothing: close the connection without a Reply.
//= MPA-6581-6-07, MPA-6581-10-01, MPA-6581-10-02, MPA-6581-10-04
constexpr std::optional<ReplyForm> reply_form(const MpaStartup& request, const ResponderAbility& able = {}) {
  if (request.revision > able.max_revision || (request.revision == 0 && !able.revision0)) return std::nullopt;
  return ReplyForm{request.revision, request.is_enhanced()};
}

// Why an initiator cannot go on with this Reply to its Request, or none. It closes the connection for
//   bad_version  (of the Reply, RFC 6581, 10) an enhanced Request answered in the other form, or the reverse, or by a
//                revision above that of the Request, or by revision 0, which RFC 5044 does not go on with;
// and, once accepted, sends a Terminate for
//   bad_value    (of the enhanced block, 9.2) no ready-to-receive type in common: no_matching_rtr.
//= MPA-6581-9.2-12, MPA-6581-10-06, MPA-5044-C-03
constexpr Error reply_violation(const StartupTerms& request, const StartupTerms& reply) {
  if (reply.frame.is_enhanced() != request.frame.is_enhanced() || reply.frame.revision > request.frame.revision ||
      (reply.frame.revision == 0 && request.frame.revision != 0)) {
    return {ErrorCode::bad_version, Layer::mpa_reply, Limit::none, 0, 0, 17};
  }
  const Negotiated both = negotiate(request, reply);
  if (!both.enhanced || !both.accepted || !request.enhanced->peer_to_peer) return {};
  if (!both.rtr_send && !both.rtr_write && !both.rtr_read) {
    return {ErrorCode::bad_value, Layer::mpa_enhanced, Limit::none, 0, 0, startup_header_size};
  }
  return {};
}

}  // namespace rdmawire::iwarp
