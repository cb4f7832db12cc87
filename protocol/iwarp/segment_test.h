// DDP segments made by hand, also such as no real peer sends; and segments as text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/iwarp/pdu_build.h"
#include "protocol/scenario_test.h"

namespace rdmawire::iwarp::stream_test {

using SegmentOctets = std::vector<std::uint8_t>;

// The only segment of a message, until told otherwise.
class Seg {
 public:
  explicit Seg(Opcode opcode, std::uint32_t msn = 1) : spec_(segment_spec(opcode)) {
    if (spec_.untagged) spec_.untagged->msn = DdpMsn{msn};
  }

  Seg& more() { return last(false); }
  Seg& last(bool value) {
    (spec_.tagged ? spec_.tagged->last : spec_.untagged->last) = value;
    return *this;
  }
  Seg& at(std::uint32_t message_offset) {
    spec_.untagged->message_offset = message_offset;
    return *this;
  }
  Seg& to(std::uint32_t stag, std::uint64_t offset) {
    spec_.tagged->stag = {stag};
    spec_.tagged->tagged_offset = {offset};
    return *this;
  }
  Seg& queue(std::uint32_t number) {
    spec_.untagged->queue = {number};
    return *this;
  }
  Seg& invalidate(std::uint32_t stag) {
    spec_.invalidate_stag = {stag};
    return *this;
  }
  Seg& ddp_version(std::uint8_t version) {
    (spec_.tagged ? spec_.tagged->version : spec_.untagged->version) = version;
    return *this;
  }
  Seg& rdmap_version(std::uint8_t version) {
    spec_.rdmap.version = version;
    return *this;
  }
  // Both layers' reserved bits.
  Seg& reserved() {
    (spec_.tagged ? spec_.tagged->reserved4 : spec_.untagged->reserved4) = 15;
    spec_.rdmap.reserved2 = 3;
    return *this;
  }
  // The same fields in the other model.
  Seg& flipped() {
    if (spec_.tagged) {
      spec_.tagged.reset();
      spec_.untagged.emplace();
      spec_.untagged->last = true;
      spec_.untagged->msn = DdpMsn{1};
    } else {
      spec_.untagged.reset();
      spec_.tagged.emplace();
      spec_.tagged->last = true;
    }
    return *this;
  }
  // Octets first, first + 1, ...
  Seg& data(std::size_t size, unsigned first = 1) {
    payload_.resize(size);
    for (std::size_t i = 0; i < size; ++i) payload_[i] = static_cast<std::uint8_t>(first + i);
    return *this;
  }
  Seg& read(std::uint32_t sink, std::uint64_t sink_offset, std::uint32_t size, std::uint32_t source,
            std::uint64_t source_offset) {
    spec_.read_request = ReadRequest{{sink}, {sink_offset}, size, {source}, {source_offset}};
    return *this;
  }
  Seg& fetch_add(std::uint32_t stag, std::uint64_t offset, std::uint64_t value, std::uint64_t mask = 0,
                 std::uint32_t id = 0) {
    AtomicRequest& request = *spec_.atomic_request;
    request.opcode = AtomicOpcode::fetch_add;
    request.request_id = id;
    request.remote_stag = {stag};
    request.remote_offset = {offset};
    request.add_or_swap_data = value;
    request.add_or_swap_mask = mask;
    request.compare_mask = ~std::uint64_t{0};
    return *this;
  }
  Seg& swap(std::uint32_t stag, std::uint64_t offset, std::uint64_t compare, std::uint64_t value,
            std::uint64_t compare_mask = ~std::uint64_t{0}, std::uint64_t swap_mask = ~std::uint64_t{0}) {
    AtomicRequest& request = *spec_.atomic_request;
    request.opcode = AtomicOpcode::cmp_swap;
    request.remote_stag = {stag};
    request.remote_offset = {offset};
    request.add_or_swap_data = value;
    request.add_or_swap_mask = swap_mask;
    request.compare_data = compare;
    request.compare_mask = compare_mask;
    return *this;
  }
  Seg& atomic_opcode(std::uint8_t opcode) {
    spec_.atomic_request->opcode = static_cast<AtomicOpcode>(opcode);
    return *this;
  }
  Seg& answer(std::uint32_t id, std::uint64_t original) {
    spec_.atomic_response = AtomicResponse{id, original};
    return *this;
  }
  Seg& immediate(const std::array<std::uint8_t, 8>& octets) {
    spec_.immediate = ImmediateData{octets};
    return *this;
  }
  // A Terminate of that error, about that segment.
  Seg& about(TerminateReason reason, const SegmentOctets& segment = {}) {
    const std::uint32_t msn = spec_.untagged->msn.value;
    spec_ = terminate_spec(info(reason), segment);
    spec_.untagged->msn = DdpMsn{msn};
    return *this;
  }
  // Of what it is now, the first octets only.
  SegmentOctets cut(std::size_t size) const {
    SegmentOctets out = octets();
    out.resize(size);
    return out;
  }

  SegmentOctets octets() const {
    PduSpec spec = spec_;
    spec.payload = payload_;
    SegmentOctets out(pdu_size(spec));
    BOOST_REQUIRE(build_pdu(spec, out).has_value());
    return out;
  }

 private:
  PduSpec spec_;
  SegmentOctets payload_;
};

// Hex digits, a space wherever a field ends; a long payload as "[size first..last]".
inline std::string text_of(Bytes octets) {
  std::string out;
  const auto put = [&](std::size_t size) {
    const Bytes part = octets.first(std::min(size, octets.size()));
    if (part.empty()) return;
    if (!out.empty()) out += ' ';
    out += rdmawire::test::hex_of(part.data(), part.size());
    octets = octets.subspan(part.size());
  };
  const auto put_ddp = [&] {
    if (octets.empty()) return false;
    const bool tagged = (octets[0] & 0x80U) != 0;
    put(2);
    for (unsigned i = 0; !tagged && i < 4; ++i) put(4);
    if (tagged) put(4), put(8);
    return tagged;
  };
  const auto put_read_request = [&] { put(4), put(8), put(4), put(4), put(8); };
  const unsigned opcode = octets.size() > 1 ? octets[1] & 15U : 0;
  const bool tagged = put_ddp();
  if (!tagged && opcode == 1) put_read_request();
  if (!tagged && opcode == 7) {
    const unsigned control = octets.size() > 2 ? octets[2] : 0;
    put(4);
    if ((control & 0xC0U) != 0) put(2);
    if ((control & 0x40U) != 0) put_ddp();
    if ((control & 0x20U) != 0) put_read_request();
  }
  if (octets.size() <= 52) {
    put(octets.size());
  } else {
    out += " [" + std::to_string(octets.size()) + ' ' + rdmawire::test::hex_of(&octets.front(), 1) + ".." +
           rdmawire::test::hex_of(&octets.back(), 1) + ']';
  }
  return out;
}

// The Terminate that answers a segment, as text. control: its octets of error and M, D, R, in hex; what it quotes by
// that are the octets of the segment, read_header as they came if there is no other.
inline std::string terminate_text(std::string_view control, const SegmentOctets& segment = {},
                                  std::string_view read_header = {}) {
  SegmentOctets out = rdmawire::test::octets("4147 00000000 00000002 00000001 00000000");
  const SegmentOctets word = rdmawire::test::octets(control);
  out.insert(out.end(), word.begin(), word.end());
  const auto quote = [&](std::size_t from, std::size_t size) {
    for (std::size_t i = from; i < from + size; ++i) out.push_back(segment.at(i));
  };
  if ((word.at(2) & 0x80U) != 0) {
    out.push_back(static_cast<std::uint8_t>(segment.size() >> 8));
    out.push_back(static_cast<std::uint8_t>(segment.size()));
  }
  if ((word.at(2) & 0x40U) != 0) quote(0, (segment.at(0) & 0x80U) != 0 ? 14 : 18);
  if ((word.at(2) & 0x20U) != 0) {
    if (read_header.empty()) {
      quote(18, 28);
    } else {
      const SegmentOctets read = rdmawire::test::octets(read_header);
      out.insert(out.end(), read.begin(), read.end());
    }
  }
  return text_of(out);
}

}  // namespace rdmawire::iwarp::stream_test
