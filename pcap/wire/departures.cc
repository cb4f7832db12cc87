#include "pcap/wire/departures.h"

#include <chrono>

#include "codec/ib/opcode.h"
#include "protocol/ib/expected_headers.h"

namespace rdmawire::wire {
namespace {

using enum ib::Opcode;

constexpr std::uint8_t code_of_no_credits = 31;
// Longer than any network takes for what was sent: who asks again so late has waited for a timeout.
constexpr Duration late = std::chrono::milliseconds(20);
// More responses than this no READ has.
constexpr std::uint32_t max_responses = 1U << 22;

struct Packet {
  ib::Bth bth;
  Bytes rest;  // behind the BTH
};

std::optional<Packet> packet_of(Bytes frame) {
  const std::size_t at = ib::usual_bth_at(frame);
  constexpr std::size_t size = header_size<ib::Bth>;
  if (at == 0 || frame.size() < at + size) return std::nullopt;
  return Packet{decode<ib::Bth>(frame.subspan(at).first<size>()), frame.subspan(at + size)};
}

bool begins_read_response(ib::Opcode opcode) {
  return opcode == RC_RDMA_READ_RESPONSE_FIRST || opcode == RC_RDMA_READ_RESPONSE_ONLY;
}
bool continues_read_response(ib::Opcode opcode) {
  return opcode == RC_RDMA_READ_RESPONSE_MIDDLE || opcode == RC_RDMA_READ_RESPONSE_LAST;
}

}  // namespace

void Departures::on_sent(Bytes frame, Time now) {
  const auto packet = packet_of(frame);
  if (!packet) return;
  const ib::Bth& bth = packet->bth;
  if (bth.opcode == RC_SEND_ONLY_WITH_INVALIDATE || bth.opcode == RC_SEND_LAST_WITH_INVALIDATE) {
    invalidating_ = bth.psn;
  }
  if (bth.opcode == RC_RDMA_READ_REQUEST) {
    num_replays_as_before_ += asked_ && asked_->continued;
    asked_ = Asked{bth.psn};
  }
  if ((begins_read_response(bth.opcode) || continues_read_response(bth.opcode)) && answered_ &&
      bth.psn.in_window(answered_->psn, max_responses)) {
    answered_->last = bth.psn;
    answered_->at = now;
  }
}

void Departures::on_received(Bytes frame, Time now) {
  const auto packet = packet_of(frame);
  if (!packet) return;
  const ib::Bth& bth = packet->bth;
  if (static_cast<unsigned>(bth.opcode) >> 5 != static_cast<unsigned>(ib::Service::rc)) return;
  if (!bth.migrated) ++num_m_bits_clear_;
  if (bth.opcode == RC_RDMA_READ_REQUEST) on_read(bth, now);
  if (asked_ && bth.psn == asked_->psn) {
    // What the network held back of the first answer may come before one that begins as it must.
    if (begins_read_response(bth.opcode)) asked_.reset();
    if (continues_read_response(bth.opcode)) asked_->continued = true;
  }
  if (bth.opcode != RC_ACKNOWLEDGE || packet->rest.size() < header_size<ib::Aeth>) return;
  on_answer(bth, decode<ib::Aeth>(packet->rest.first<header_size<ib::Aeth>>()));
}

void Departures::on_read(const ib::Bth& bth, Time now) {
  // From the middle of the one before, behind which more was sent.
  if (answered_ && answered_->at && answered_->qp == bth.dest_qp && bth.psn != answered_->psn &&
      bth.psn != answered_->last && bth.psn.in_window(answered_->psn, answered_->psn.forward_to(answered_->last)) &&
      now - *answered_->at >= late) {
    ++num_late_rereads_;
  }
  answered_ = Answered{bth.dest_qp, bth.psn, bth.psn, std::nullopt};
}

void Departures::on_answer(const ib::Bth& bth, const ib::Aeth& aeth) {
  const auto kind = aeth.syndrome.kind();
  if (kind == ib::SyndromeKind::ack) {
    if (invalidating_ == bth.psn) {
      num_bad_invalidates_ += !counts_message(bth, aeth.msn);
      invalidating_.reset();
    }
    acknowledged_ = Acknowledged{bth.dest_qp, bth.psn, aeth.msn};
    ++num_acks_;
    if (aeth.syndrome.low5() == code_of_no_credits) ++num_without_credits_;
  }
  if (kind == ib::SyndromeKind::rnr_nak && aeth.syndrome.low5() == 0) ++num_rnr_naks_for_longest_;
  const NotReady here{bth.dest_qp, bth.psn};
  if (aeth.syndrome == ib::Syndrome::nak(ib::NakCode::psn_sequence_error) && not_ready_ == here) {
    ++num_naks_behind_rnr_nak_;
  }
  not_ready_.reset();
  if (kind == ib::SyndromeKind::rnr_nak) not_ready_ = here;
}

// Who has completed the message that this packet ends has counted it since the packet before it was acknowledged.
//= MSN-01
bool Departures::counts_message(const ib::Bth& bth, Msn msn) const {
  if (!acknowledged_ || acknowledged_->qp != bth.dest_qp) return msn != Msn{};
  return acknowledged_->psn == bth.psn || acknowledged_->msn != msn;
}

std::vector<Departure> Departures::seen() const {
  std::vector<Departure> out;
  const auto add = [&](ib::Quirk quirk, std::uint64_t count) {
    if (count != 0) out.push_back({quirk, {}, count});
  };
  add(ib::Quirk::m_bit_clear, num_m_bits_clear_);
  add(ib::Quirk::sequence_nak_after_rnr, num_naks_behind_rnr_nak_);
  add(ib::Quirk::acknowledge_bad_invalidate, num_bad_invalidates_);
  add(ib::Quirk::repeat_read_as_before, num_replays_as_before_ + (asked_ && asked_->continued));
  add(ib::Quirk::gap_waits_for_timeout, num_late_rereads_);
  if (num_acks_ != 0 && num_acks_ == num_without_credits_) {
    out.push_back({std::nullopt, "ACKs carry no credits (code 31), as with Linux rxe", num_acks_});
  }
  if (num_rnr_naks_for_longest_ != 0) {
    out.push_back({std::nullopt, "RNR NAKs ask for the longest wait, 655.36 ms (code 0), as with Linux rdma_cm",
                   num_rnr_naks_for_longest_});
  }
  return out;
}

}  // namespace rdmawire::wire
