#include "protocol/iwarp/mpa_quirks.h"

#include <algorithm>
#include <utility>

namespace rdmawire::iwarp::mpa_quirks {
namespace {

using Q = Quirk;

constexpr std::uint16_t left = MpaEnhanced::left_to_ulp;
constexpr std::uint32_t block_size = header_size<MpaEnhanced>;

// Where the fields of a frame stand.
constexpr std::size_t kind_at = 9;  // the octet in which the two keys differ
constexpr std::size_t flags_at = 16;
constexpr std::size_t revision_at = 17;
constexpr std::size_t length_at = 18;
constexpr std::uint8_t rejected_bit = 0x20;
constexpr std::uint8_t enhanced_bit = 0x10;

std::uint32_t length_of(Bytes frame) {
  return static_cast<std::uint32_t>(frame[length_at]) << 8 | frame[length_at + 1];
}
void set_length(MutableBytes frame, std::uint32_t len) {
  frame[length_at] = static_cast<std::uint8_t>(len >> 8);
  frame[length_at + 1] = static_cast<std::uint8_t>(len);
}

bool names_rtr(const MpaEnhanced& block) { return block.rtr_send || block.rtr_write || block.rtr_read; }

void clear_rtr(MpaEnhanced& block) { block.rtr_send = block.rtr_write = block.rtr_read = false; }

void name_own_rtr(const MpaConfig& config, MpaEnhanced& block) {
  block.rtr_send = config.rtr_send;
  block.rtr_write = config.rtr_write;
  block.rtr_read = config.rtr_read;
}

// Leaves of the types named the first of the two, or else the second.
void name_one(MpaEnhanced& block, bool MpaEnhanced::* first, bool MpaEnhanced::* second) {
  bool MpaEnhanced::* const one = block.*first ? first : second;
  if (!(block.*one)) return;
  clear_rtr(block);
  block.*one = true;
}

}  // namespace

MpaConfig apply(const MpaConfig& config) {
  MpaConfig out = config;
  const Quirks& quirks = config.quirks;
  if (quirks.has(Q::never_ask_for_crc)) out.crc = false;
  if (quirks.has(Q::always_crc)) out.crc = true;
  if (quirks.has(Q::always_peer_to_peer)) out.peer_to_peer = true;
  if (quirks.has(Q::always_enhanced) && (!out.enhanced || out.revision < 2)) {
    out.enhanced = true;
    out.revision = 2;
    out.peer_to_peer = false;
  }
  if (quirks.has(Q::revision_1_only)) {
    out.enhanced = false;
    out.revision = 1;
  }
  return out;
}

void amend_received(const Quirks& quirks, Role role, MutableBytes frame) {
  const MpaKey& due = role == Role::initiator ? mpa_reply_key : mpa_request_key;
  const MpaKey& other = role == Role::initiator ? mpa_request_key : mpa_reply_key;
  const auto set_key = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, frame.size()); ++i) frame[i] = due[i];
  };
  if (quirks.has(Q::ignore_key)) set_key(0, due.size());
  if (quirks.has(Q::check_half_of_key)) set_key(kind_at + 2, due.size());
  const bool is_other = frame.size() > kind_at && frame[kind_at] == other[kind_at];
  if (is_other && quirks.has(role == Role::initiator ? Q::take_request_for_reply : Q::take_reply_for_request)) {
    set_key(kind_at, kind_at + 1);
  }
  if (frame.size() > flags_at && quirks.has(Q::ignore_rejection) && role == Role::initiator) {
    frame[flags_at] &= static_cast<std::uint8_t>(~rejected_bit);
  }
  if (frame.size() > revision_at) {
    std::uint8_t& revision = frame[revision_at];
    if (quirks.has(Q::take_any_revision)) revision = std::min(revision, max_mpa_revision);
    if (quirks.has(Q::ignore_enhanced_bit) && revision == 2) frame[flags_at] |= enhanced_bit;
    if (quirks.has(Q::enhanced_in_revision_1) && (frame[flags_at] & enhanced_bit) != 0) revision = 2;
  }
  if (frame.size() < startup_header_size) return;
  const bool enhanced = frame[revision_at] == 2 && (frame[flags_at] & enhanced_bit) != 0;
  const std::uint32_t len = length_of(frame);
  if (quirks.has(Q::take_any_length) && len > max_private_data_len) set_length(frame, max_private_data_len);
  if (quirks.has(Q::take_short_enhanced) && enhanced && len < block_size) {
    frame[flags_at] &= static_cast<std::uint8_t>(~enhanced_bit);
  }
  if (quirks.has(Q::answer_before_private_data) && role == Role::responder) {
    set_length(frame, std::min(len, enhanced ? block_size : 0));
  }
}

void amend_terms(const Quirks& quirks, Role role, StartupTerms& terms) {
  if (!terms.enhanced) return;
  MpaEnhanced& block = *terms.enhanced;
  constexpr std::uint16_t number = left - 1;
  if (quirks.has(Q::depth_3fff_is_a_number)) {
    block.ird = std::min(block.ird, number);
    block.ord = std::min(block.ord, number);
  }
  if (quirks.has(Q::take_3fff_for_ord) && role == Role::initiator) block.ord = std::min(block.ord, number);
  if (quirks.has(Q::depths_3fff_together) && (block.ird == left || block.ord == left)) block.ird = block.ord = left;
  if (quirks.has(Q::heed_rtr_without_a) && names_rtr(block)) block.peer_to_peer = true;
}

std::optional<MpaEnd> objection_to_request(const MpaConfig& config, const StartupTerms& request) {
  const Quirks& quirks = config.quirks;
  const MpaStartup& frame = request.frame;
  const bool reserved = frame.reserved4 != 0 || (frame.revision < 2 && frame.enhanced);
  if (quirks.has(Q::check_reserved) && reserved) return MpaEnd::wrong_form;
  if (quirks.has(Q::check_request_rejected) && frame.rejected) return MpaEnd::wrong_form;
  if (quirks.has(Q::close_on_lower_revision) && frame.revision < config.revision) return MpaEnd::bad_revision;
  if (quirks.has(Q::demand_peer_to_peer) && request.enhanced && !request.enhanced->peer_to_peer) {
    return MpaEnd::wrong_form;
  }
  return std::nullopt;
}

std::optional<MpaEnd> objection_to_reply(const MpaConfig& config, const StartupTerms& request,
                                         const StartupTerms& reply) {
  const Quirks& quirks = config.quirks;
  const MpaStartup& frame = reply.frame;
  const bool reserved = frame.reserved4 != 0 || (frame.revision < 2 && frame.enhanced);
  if (quirks.has(Q::check_reserved) && reserved) return MpaEnd::wrong_form;
  if (quirks.has(Q::reject_markers) && frame.markers) return MpaEnd::wrong_form;
  if (quirks.has(Q::reply_decides_crc) && request.frame.crc && !frame.crc) return MpaEnd::wrong_form;
  if (quirks.has(Q::demand_first_rtr) && !frame.rejected && request.enhanced && request.enhanced->peer_to_peer) {
    const bool there = reply.enhanced && (config.rtr_read ? reply.enhanced->rtr_read : reply.enhanced->rtr_write);
    if (!there) return MpaEnd::no_matching_rtr;
  }
  return std::nullopt;
}

void amend_answer(const MpaConfig& config, const MpaEnhanced& asked, const MpaEnhanced& own, bool rejected,
                  MpaEnhanced& block) {
  const Quirks& quirks = config.quirks;
  if (quirks.has(Q::answer_one_rtr)) name_one(block, &MpaEnhanced::rtr_write, &MpaEnhanced::rtr_read);
  if (quirks.has(Q::answer_read_rtr)) name_one(block, &MpaEnhanced::rtr_read, &MpaEnhanced::rtr_write);
  const bool matched =
      (asked.rtr_send && own.rtr_send) || (asked.rtr_write && own.rtr_write) || (asked.rtr_read && own.rtr_read);
  if (quirks.has(Q::no_rtr_if_none_matches) && !matched) clear_rtr(block);
  if (quirks.has(Q::never_peer_to_peer)) {
    block.peer_to_peer = false;
    clear_rtr(block);
  }
  if (quirks.has(Q::force_peer_to_peer) && !block.peer_to_peer) {
    block.peer_to_peer = true;
    name_own_rtr(config, block);
  }
  const bool ird_named = own.ird != left && asked.ord != left;
  if (quirks.has(Q::ird_not_raised) && ird_named) {
    block.ird = std::max(own.ird, std::min(asked.ord, config.max_ird));
  }
  if (quirks.has(Q::ird_unbounded) && ird_named) block.ird = std::max(own.ird, asked.ord);
  if (quirks.has(Q::answer_ird_to_3fff)) block.ird = std::min(block.ird, own.ird);
  if (quirks.has(Q::answer_ord_to_3fff)) block.ord = std::min(block.ord, own.ord);
  if (quirks.has(Q::ord_above_peer_ird) && asked.ird != left) block.ord = own.ord;
  if (quirks.has(Q::needed_ord_lowered) && rejected) block.ord = std::min(block.ord, asked.ird);
}

void amend_request(const MpaConfig& config, PduSpec& spec) {
  const Quirks& quirks = config.quirks;
  if (quirks.has(Q::flag_gso)) spec.request->reserved4 = siw_gso_flag;
  if (quirks.has(Q::send_reserved)) spec.request->reserved4 = 1;
  if (!spec.enhanced) return;
  if (quirks.has(Q::offer_one_rtr)) name_one(*spec.enhanced, &MpaEnhanced::rtr_read, &MpaEnhanced::rtr_write);
  if (quirks.has(Q::name_rtr_without_a)) name_own_rtr(config, *spec.enhanced);
  if (quirks.has(Q::swap_depths)) std::swap(spec.enhanced->ird, spec.enhanced->ord);
}

void amend_reply(const MpaConfig& config, const StartupTerms& asked, PduSpec& spec) {
  const Quirks& quirks = config.quirks;
  MpaReply& reply = *spec.reply;
  if (quirks.has(Q::flag_gso)) reply.reserved4 = asked.frame.reserved4 & siw_gso_flag;
  if (quirks.has(Q::send_reserved)) reply.reserved4 = 1;
  if (quirks.has(Q::echo_crc)) reply.crc = asked.frame.crc;
  if (quirks.has(Q::echo_markers)) reply.markers = asked.frame.markers;
  if (quirks.has(Q::reject_markers)) reply.markers = false;
  if (quirks.has(Q::reply_highest_revision)) reply.revision = max_mpa_revision;
  if (quirks.has(Q::answer_enhanced_plainly) || (quirks.has(Q::reject_plainly) && reply.rejected)) {
    reply.enhanced = false;
    spec.enhanced.reset();
  }
  if (quirks.has(Q::answer_plain_enhanced) && reply.revision >= 2 && !reply.enhanced) {
    reply.enhanced = true;
    MpaEnhanced& block = spec.enhanced.emplace();
    block.ird = config.ird;
    block.ord = config.ord;
  }
  if (!spec.enhanced) return;
  if (quirks.has(Q::name_rtr_without_a)) name_own_rtr(config, *spec.enhanced);
  if (quirks.has(Q::swap_depths)) std::swap(spec.enhanced->ird, spec.enhanced->ord);
}

std::uint32_t amend_sent(const Quirks& quirks, MutableBytes out, std::uint32_t len) {
  const MpaStartup frame = decode<MpaStartup>(Bytes(out).first<startup_header_size>());
  if (quirks.has(Q::reply_with_request_key)) out[kind_at] = mpa_request_key[kind_at];
  if (quirks.has(Q::private_data_len_is_octet)) out[length_at] = 0;
  if (frame.is_enhanced()) {
    if (quirks.has(Q::length_without_block)) set_length(out, frame.private_data_len - block_size);
    if (quirks.has(Q::private_data_before_block)) {
      const auto block = out.begin() + startup_header_size;
      std::rotate(block, block + block_size, out.begin() + len);
    }
  }
  if (!quirks.has(Q::pad_private_data)) return len;
  const std::uint32_t padded = (len + 3) / 4 * 4;
  std::fill(out.begin() + len, out.begin() + padded, std::uint8_t{0});
  return padded;
}

void amend_negotiated(const MpaConfig& config, Role role, const StartupTerms& request, const StartupTerms& reply,
                      Negotiated& both) {
  const Quirks& quirks = config.quirks;
  if (quirks.has(Q::always_crc)) both.crc = true;
  if (quirks.has(Q::crc_if_both_ask)) both.crc = request.frame.crc && reply.frame.crc;
  if (quirks.has(Q::markers_by_own_flag)) std::swap(both.markers_from_initiator, both.markers_from_responder);
  if (role != Role::initiator) return;
  if (quirks.has(Q::keep_ord) && both.initiator.ord) both.initiator.ord = request.enhanced->ord;
  if (quirks.has(Q::keep_ird) && both.initiator.ird) both.initiator.ird = request.enhanced->ird;
  if (quirks.has(Q::rtr_in_revision_1) && reply.frame.revision == 1 && config.peer_to_peer) {
    both.peer_to_peer = both.rtr_read = true;
  }
}

MpaState amend_end(const Quirks& quirks, Role role, MpaEnd end, MpaState to) {
  const auto leads = [&](Quirk quirk, MpaEnd from, MpaState other) {
    if (quirks.has(quirk) && end == from) to = other;
  };
  leads(Q::close_after_rejecting, MpaEnd::request_rejected, MpaState::closed);
  leads(Q::close_when_rejected, MpaEnd::rejected_by_peer, MpaState::closed);
  leads(Q::insufficient_ird_closes, MpaEnd::insufficient_ird, MpaState::closed);
  leads(Q::unmatched_rtr_closes, MpaEnd::no_matching_rtr, MpaState::closed);
  if (role == Role::initiator) leads(Q::terminate_bad_reply, MpaEnd::bad_key, MpaState::terminating);
  return to;
}

std::uint32_t amend_private_data(const MpaConfig& config, Role role, const MpaStartup& frame, std::uint32_t len) {
  const Quirks& quirks = config.quirks;
  if (quirks.has(Q::private_data_256_is_lost) && frame.private_data_len == 256) return 0;
  if (quirks.has(Q::hide_private_data) && role == Role::initiator && frame.rejected) return 0;
  if (quirks.has(Q::cut_private_data)) return std::min<std::uint32_t>(len, config.max_private_data_len);
  if (quirks.has(Q::private_data_over_read) && frame.is_enhanced()) {
    return std::min<std::uint32_t>(len + block_size, max_private_data_len - block_size);
  }
  return len;
}

}  // namespace rdmawire::iwarp::mpa_quirks
