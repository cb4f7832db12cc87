// What this end has to say about depths and ready-to-receive indications, in MPA's frames and in the messages of a
// session of SCTP alike: RFC 6581, 7, 9 and 10. What two sides mean together: codec/iwarp/negotiation.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "codec/iwarp/negotiation.h"
#include "protocol/iwarp/mpa_config.h"

namespace rdmawire::iwarp {

constexpr bool is_depth(std::uint16_t depth) { return depth <= MpaEnhanced::left_to_ulp; }

// An end can be set up so. peer_to_peer: the indication is in use, or may be asked for.
//= MPA-6581-9.2-04
constexpr bool are_possible_terms(const MpaConfig& config, bool peer_to_peer) {
  const bool depths = is_depth(config.ird) && is_depth(config.ord) && config.max_ird < MpaEnhanced::left_to_ulp;
  return depths && (!peer_to_peer || config.rtr_send || config.rtr_write || config.rtr_read);
}

// What it can do.
constexpr MpaEnhanced own_terms(const MpaConfig& config) {
  MpaEnhanced out;
  out.ird = config.ird;
  out.ord = config.ord;
  out.rtr_send = config.rtr_send;
  out.rtr_write = config.rtr_write;
  out.rtr_read = config.rtr_read;
  return out;
}

// The block of an initiator.
constexpr MpaEnhanced requested_terms(const MpaConfig& config) {
  MpaEnhanced out = own_terms(config);
  out.peer_to_peer = config.peer_to_peer;  //= MPA-6581-9.2-02, MPA-6581-9.2-13
  //= MPA-6581-9.2-03, MPA-6581-9.2-15
  out.rtr_send = out.rtr_send && out.peer_to_peer;
  out.rtr_write = out.rtr_write && out.peer_to_peer;
  out.rtr_read = out.rtr_read && out.peer_to_peer;
  return out;
}

// Whether a responder's ULP may give these depths instead of those configured: each is one, and, in an answer that
// accepts, the ORD is not beyond the initiator's IRD. asked: the initiator's block, if it has one.
constexpr bool are_possible_depths(std::optional<std::uint16_t> ird, std::optional<std::uint16_t> ord,
                                   const std::optional<MpaEnhanced>& asked, bool rejected) {
  if (!is_depth(ird.value_or(0)) || !is_depth(ord.value_or(0))) return false;
  constexpr std::uint16_t left = MpaEnhanced::left_to_ulp;
  const bool is_named = asked && ord && *ord != left && asked->ird != left;
  return rejected || !is_named || *ord <= asked->ird;
}

// The initiator cannot make room for all that the responder wants.
//= MPA-6581-9.1-08, MPA-6581-9.1-09
constexpr bool is_ird_insufficient(const MpaConfig& initiator, const Negotiated& both) {
  return both.initiator.ird.value_or(0) > std::max(initiator.ird, initiator.max_ird);
}

}  // namespace rdmawire::iwarp
