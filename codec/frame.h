// One whole frame: what is in it, layer by layer, and how to build one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "codec/base/crc_check.h"
#include "codec/base/error.h"
#include "codec/base/layer_stack.h"
#include "codec/ib/opcode.h"
#include "codec/link_type.h"

namespace rdmawire {

// Which of the wire protocols a frame belongs to; none if it has no RDMA in it. What a TCP segment carries only its
// stream can tell (stream.h): parse_frame calls no frame iwarp.
enum class Family : std::uint8_t { none, infiniband, rocev1, rocev2, iwarp };

constexpr std::string_view name_of(Family family) {
  constexpr std::array<std::string_view, 5> names{"none", "ib", "rocev1", "rocev2", "iwarp"};
  return names[static_cast<std::size_t>(family)];
}

// What parse_frame found. It refers to the captured octets, which must outlive it.
//
// Offsets and lengths are those on the wire: in a cut capture the payload may reach past the captured octets.
class Frame : public LayerStack<24> {
 public:
  // The captured part of the payload, without pad.
  Bytes payload() const {
    if (payload_offset >= captured.size()) return {};
    const std::size_t there = captured.size() - payload_offset;
    return captured.subspan(payload_offset, payload_len < there ? payload_len : there);
  }

  std::uint32_t wire_len = 0;    // octets of the frame on the wire
  std::uint32_t packet_end = 0;  // where the innermost length says that the packet ends, CRCs included
  bool packet_end_known = true;  // false after contradicting lengths and in fragments; packet_end is a guess then
  LinkType link{};
  Family family = Family::none;
  const ib::OpcodeInfo* opcode = nullptr;  // of the BTH; nullptr without one or if it is reserved
  std::uint32_t payload_offset = 0;        // after the last header that was read
  std::uint32_t payload_len = 0;           // octets after it, without pad and CRCs
  std::uint8_t pad_len = 0;
  CrcCheck icrc;
  CrcCheck vcrc;  // of a flow control packet: the LPCRC
  Error error;    // why parsing stopped before the payload; none if it did not

 private:
  friend class FrameParser;
};

inline constexpr std::uint16_t rocev2_port = 4791;  //= V2-12

struct ParseOptions {
  static constexpr std::size_t max_ports = 8;

  // UDP destination ports that carry RoCEv2; unused ones are 0.
  std::array<std::uint16_t, max_ports> rocev2_ports{rocev2_port};
  bool verify_crcs = true;
};

// Every header that a frame can have, CRCs included: the fields a user may ask for.
std::span<const HeaderInfo* const> all_headers();

// Reads every layer that is there. captured holds the first octets of a frame that had original_length on the wire (if
// that is less than captured, captured counts). Never fails: what stopped it is in Frame::error, and a frame that is
// not RDMA has family none.
Frame parse_frame(LinkType link, Bytes captured, std::uint32_t original_length, const ParseOptions& options = {});

// The first rule that the frame breaks, in the order of the layers, or none: versions, lengths that contradict each
// other, checksums, reserved opcodes, payload and pad rules, CRCs. What was not captured is not judged, so a cut frame
// that is fine as far as it goes gives the truncated_capture error that stopped the parser, or none.
Error first_violation(const Frame& frame);

// parse_frame for those who want only flawless frames: the frame, or its first_violation.
Result<Frame> parse_frame_strict(LinkType link, Bytes captured, std::uint32_t original_length,
                                 const ParseOptions& options = {});

}  // namespace rdmawire
