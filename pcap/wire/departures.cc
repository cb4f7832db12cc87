#include "pcap/wire/departures.h"

#include <fmt/format.h>

#include <optional>

#include "codec/ib/aeth.h"
#include "codec/ib/bth.h"
#include "codec/ib/opcode.h"
#include "protocol/ib/expected_headers.h"

namespace rdmawire::wire {
namespace {

constexpr std::uint8_t code_of_no_credits = 31;

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

}  // namespace

void Departures::on_sent(Bytes frame) {
  const auto packet = packet_of(frame);
  if (!packet || packet->bth.opcode != ib::Opcode::RC_RDMA_READ_REQUEST) return;
  asked_ = true;
  asked_psn_ = packet->bth.psn;
}

void Departures::on_received(Bytes frame) {
  const auto packet = packet_of(frame);
  if (!packet) return;
  const ib::Bth& bth = packet->bth;
  if (static_cast<unsigned>(bth.opcode) >> 5 != static_cast<unsigned>(ib::Service::rc)) return;
  if (!bth.migrated) ++num_m_bits_clear_;
  if (bth.opcode == ib::Opcode::RC_RDMA_READ_RESPONSE_MIDDLE && asked_ && bth.psn == asked_psn_) {
    ++num_replays_from_middle_;
    asked_ = false;
  }
  if (bth.opcode != ib::Opcode::RC_ACKNOWLEDGE || packet->rest.size() < header_size<ib::Aeth>) return;
  const auto aeth = decode<ib::Aeth>(packet->rest.first<header_size<ib::Aeth>>());
  const auto kind = aeth.syndrome.kind();
  if (kind == ib::SyndromeKind::ack) {
    ++num_acks_;
    if (aeth.syndrome.low5() == code_of_no_credits) ++num_without_credits_;
  }
  if (kind == ib::SyndromeKind::rnr_nak && aeth.syndrome.low5() == 0) ++num_rnr_naks_for_longest_;
  if (aeth.syndrome == ib::Syndrome::nak(ib::NakCode::psn_sequence_error) && rnr_nak_ && rnr_qp_ == bth.dest_qp.value &&
      rnr_psn_ == bth.psn) {
    ++num_naks_behind_rnr_nak_;
  }
  rnr_nak_ = kind == ib::SyndromeKind::rnr_nak;
  rnr_qp_ = bth.dest_qp.value;
  rnr_psn_ = bth.psn;
}

std::vector<std::string> Departures::lines() const {
  std::vector<std::string> out;
  if (num_m_bits_clear_ != 0) {
    out.emplace_back("the M bit is clear in packets of a connection, as Linux rxe has it (MIG-01)");
  }
  if (num_acks_ != 0 && num_acks_ == num_without_credits_) {
    out.emplace_back("ACKs carry no credits (code 31), as Linux rxe has it");
  }
  if (num_rnr_naks_for_longest_ != 0) {
    out.push_back(fmt::format("{} RNR NAKs ask for the longest wait, 655.36 ms (code 0), as Linux rdma_cm has it",
                              num_rnr_naks_for_longest_));
  }
  if (num_naks_behind_rnr_nak_ != 0) {
    out.push_back(fmt::format("{} RNR NAKs were followed by a NAK for the packets behind, as Linux rxe has it",
                              num_naks_behind_rnr_nak_));
  }
  if (num_replays_from_middle_ != 0) {
    out.push_back(
        fmt::format("{} READs that were asked for again were answered with a middle packet first, as Linux rxe has it",
                    num_replays_from_middle_));
  }
  return out;
}

}  // namespace rdmawire::wire
