#include "dissector/streams.h"

#include <algorithm>
#include <functional>

namespace rdmawire::dissector {

void ReadPdu::read(const KeptPdu& kept, Bytes captured) {
  const Bytes octets = kept.octets_in(captured);
  fpdu = kept.fpdu;
  fpdu.octets = octets;
  pdu = kept.kind == iwarp::PduKind::fpdu ? iwarp::parse_fpdu(fpdu, scratch) : iwarp::parse_startup(octets);
}

Streams::Streams(const reassembly::StreamOptions& options, std::size_t kept_len, std::size_t num_pdus)
    : left_len_(kept_len), left_pdus_(num_pdus), streams_(options, *this) {}

std::span<const KeptPdu> Streams::pdus(const Frame& frame, std::uint32_t number) {
  if (number > last_number_) {
    last_number_ = number;
    // As in `rdmawire dump`: frames without TCP are none of the streams' business.
    if (frame.layers().empty() || frame.layers().back().layer != Layer::tcp) return {};
    frame_ = &frame;
    found_.clear();
    waits_ = false;
    const bool is_iwarp = streams_.add(frame, number);
    frame_ = nullptr;
    if (is_iwarp) set(is_iwarp_, number);
    if (is_iwarp && waits_) set(is_held_, number);
    if (!found_.empty()) {
      found_.shrink_to_fit();
      pdus_.emplace(number, std::move(found_));
      found_ = {};
    }
  }
  const auto found = pdus_.find(number);
  return found == pdus_.end() ? std::span<const KeptPdu>() : found->second;
}

std::size_t Streams::finish() {
  found_.clear();
  streams_.finish();
  return found_.size();
}

void Streams::keep(std::uint64_t frame) {
  if (frame == last_number_) waits_ = true;
}

void Streams::set(std::vector<bool>& frames, std::uint32_t number) {
  frames.resize(std::size_t{number} + 1);
  frames[number] = true;
}

void Streams::pdu(const reassembly::StreamPdu& pdu) {
  if (left_pdus_ == 0) return;
  --left_pdus_;
  ++num_pdus_;
  KeptPdu& kept = found_.emplace_back();
  kept.kind = pdu.pdu.kind;
  if (pdu.fpdu != nullptr) kept.fpdu = *pdu.fpdu;
  kept.fpdu.octets = {};
  const Bytes captured = frame_ != nullptr ? frame_->captured : Bytes();
  const std::less_equal<const std::uint8_t*> not_after;
  if (not_after(captured.data(), pdu.octets.data()) &&
      not_after(pdu.octets.data() + pdu.octets.size(), captured.data() + captured.size()) && !captured.empty()) {
    kept.frame_offset = static_cast<std::uint32_t>(pdu.octets.data() - captured.data());
    kept.octets_len = static_cast<std::uint32_t>(pdu.octets.size());
  } else {
    kept.octets = copy(pdu.octets);
    kept.octets_len = static_cast<std::uint32_t>(kept.octets.size());
  }
  kept.stream_offset = pdu.stream_offset;
  kept.wire_len = pdu.wire_len;
  kept.first_frame = static_cast<std::uint32_t>(pdu.first_frame);
  kept.last_frame = static_cast<std::uint32_t>(pdu.last_frame);
  kept.conversation = pdu.conversation;
  kept.from_initiator = pdu.from_initiator;
  kept.recognition = pdu.recognition;
  kept.lost_before = pdu.lost_before;
}

Bytes Streams::copy(Bytes octets) {
  // Headers with a Marker in front and one inside.
  constexpr std::size_t head_len = iwarp::max_pdu_head + 2 * std::size_t{iwarp::marker_size};
  constexpr std::size_t block_len = std::size_t{64} << 10;
  const std::size_t len = octets.size() <= left_len_ ? octets.size() : std::min(octets.size(), head_len);
  left_len_ -= std::min(left_len_, len);
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < len) {
    blocks_.emplace_back().reserve(std::max(block_len, len));
  }
  std::vector<std::uint8_t>& block = blocks_.back();
  const std::size_t begin = block.size();
  block.insert(block.end(), octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(len));
  return Bytes(block).subspan(begin, len);
}

}  // namespace rdmawire::dissector
