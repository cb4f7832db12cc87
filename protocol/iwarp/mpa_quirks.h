// What the quirks of the MPA connection change of octets and values, away from the code that does it right. Without
// quirks each of these changes nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"
#include "codec/iwarp/mpa.h"
#include "codec/iwarp/negotiation.h"
#include "codec/iwarp/pdu_build.h"
#include "protocol/iwarp/mpa_config.h"
#include "protocol/iwarp/mpa_state.h"

namespace rdmawire::iwarp::mpa_quirks {

MpaConfig apply(const MpaConfig& config);

// The first octets of the peer's frame before they are judged; frame: those that are there.
void amend_received(const Quirks& quirks, Role role, MutableBytes frame);
// What the peer's frame says.
void amend_terms(const Quirks& quirks, Role role, StartupTerms& terms);
// Reasons to end that a right end does not have.
std::optional<MpaEnd> objection_to_request(const MpaConfig& config, const StartupTerms& request);
std::optional<MpaEnd> objection_to_reply(const MpaConfig& config, const StartupTerms& request,
                                         const StartupTerms& reply);

// The enhanced block of a Reply. own: as of enhanced_answer.
void amend_answer(const MpaConfig& config, const MpaEnhanced& asked, const MpaEnhanced& own, bool rejected,
                  MpaEnhanced& block);
// A Request or Reply before it is built. asked: the Request that the Reply answers.
void amend_request(const MpaConfig& config, PduSpec& spec);
void amend_reply(const MpaConfig& config, const StartupTerms& asked, PduSpec& spec);
// The built frame, which is at the front of out; returns its length.
std::uint32_t amend_sent(const Quirks& quirks, MutableBytes out, std::uint32_t len);

void amend_negotiated(const MpaConfig& config, Role role, const StartupTerms& request, const StartupTerms& reply,
                      Negotiated& both);
// Where an end leads to.
MpaState amend_end(const Quirks& quirks, Role role, MpaEnd end, MpaState to);
// Octets of the peer's private data that the ULP gets. frame: the peer's.
std::uint32_t amend_private_data(const MpaConfig& config, Role role, const MpaStartup& frame, std::uint32_t len);

}  // namespace rdmawire::iwarp::mpa_quirks
