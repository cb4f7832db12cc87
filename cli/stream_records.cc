#include "cli/stream_records.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rdmawire::cli {

StreamRecords::StreamRecords(const reassembly::StreamOptions& options, const ParseOptions& parse_options, Sink& sink)
    : parse_options_(parse_options), sink_(sink), streams_(options, *this) {}

bool StreamRecords::add(const pcap::Packet& packet, const Frame& frame) {
  packet_ = &packet;
  frame_ = &frame;
  has_pdu_ = false;
  const bool is_iwarp = streams_.add(frame, packet.number);
  packet_ = nullptr;
  frame_ = nullptr;
  if (const auto held = held_.find(packet.number); held != held_.end()) {
    held->second.has_pdu = has_pdu_;
  } else if (!has_pdu_) {
    sink_.no_pdu(packet, frame);
  }
  return is_iwarp;
}

void StreamRecords::finish() {
  streams_.finish();
  // Nothing is held any more; if it were, no frame should be left out for it.
  std::vector<std::uint64_t> left;
  for (const auto& [number, held] : held_) left.push_back(number);
  std::ranges::sort(left);
  for (const std::uint64_t number : left) release(number);
}

void StreamRecords::pdu(const reassembly::StreamPdu& pdu) {
  if (packet_ != nullptr && packet_->number == pdu.last_frame) {
    has_pdu_ = true;
    return sink_.pdu(*packet_, *frame_, pdu);
  }
  const auto held = held_.find(pdu.last_frame);
  if (held == held_.end()) throw std::logic_error("a PDU ended in a packet that was not kept");
  held->second.has_pdu = true;
  sink_.pdu(held->second.packet, frame_of(held->second), pdu);
}

void StreamRecords::keep(std::uint64_t number) {
  if (packet_ == nullptr || packet_->number != number || held_.contains(number)) return;
  if (spare_.empty()) {
    held_.try_emplace(number);
  } else {
    spare_.back().key() = number;
    held_.insert(std::move(spare_.back()));
    spare_.pop_back();
  }
  Held& held = held_.find(number)->second;
  held.packet = *packet_;
  held.data.assign(packet_->data.begin(), packet_->data.end());
  held.packet.data = held.data;
  held.has_pdu = false;
}

void StreamRecords::release(std::uint64_t number) {
  const auto held = held_.find(number);
  if (held == held_.end()) return;
  // What becomes of the packet being added is said at its end.
  const bool is_current = packet_ != nullptr && packet_->number == number;
  if (!held->second.has_pdu && !is_current) sink_.no_pdu(held->second.packet, frame_of(held->second));
  if (reread_number_ == number) reread_number_ = 0;
  spare_.push_back(held_.extract(held));
}

const Frame& StreamRecords::frame_of(const Held& held) {
  if (reread_number_ != held.packet.number) {
    reread_number_ = held.packet.number;
    reread_ = parse_frame(held.packet.link, held.packet.data, held.packet.original_length, parse_options_);
  }
  return reread_;
}

}  // namespace rdmawire::cli
