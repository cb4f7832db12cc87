// One whole frame: what is in it, layer by layer, and how to build one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "codec/base/error.h"
#include "codec/base/layout.h"
#include "codec/ib/opcode.h"
#include "codec/link_type.h"

namespace rdmawire {

// Which of the wire protocols a frame belongs to; none if it has no RDMA in it.
enum class Family : std::uint8_t { none, infiniband, rocev1, rocev2 };

constexpr std::string_view name_of(Family family) {
  constexpr std::array<std::string_view, 4> names{"none", "ib", "rocev1", "rocev2"};
  return names[static_cast<std::size_t>(family)];
}

enum class CrcStatus : std::uint8_t {
  absent,     // this kind of packet has none
  unchecked,  // it or what it covers was not captured, or checking was not asked for
  good,
  bad,
};

constexpr std::string_view name_of(CrcStatus status) {
  constexpr std::array<std::string_view, 4> names{"absent", "unchecked", "good", "bad"};
  return names[static_cast<std::size_t>(status)];
}

// A CRC of the frame. Numbers are in the order of the wire, as the field shows them.
struct CrcCheck {
  CrcStatus status = CrcStatus::absent;
  std::uint32_t offset = 0;    // in the frame; only unless absent
  std::uint32_t stored = 0;    // only if good or bad
  std::uint32_t computed = 0;  // only if good or bad
};

// One header found in a frame.
struct LayerRef {
  const HeaderInfo* header;  // what its octets mean
  std::uint32_t offset;      // in the frame, octets
  std::uint16_t size;        // octets, options included; header->size at least
  Layer layer;               // header->layer
  bool continued;            // an optional part of the layer before it, such as a GRE key
};

// What parse_frame found. It refers to the captured octets, which must outlive it.
//
// Offsets and lengths are those on the wire: in a cut capture the payload may reach past the captured octets.
class Frame {
 public:
  static constexpr std::size_t max_layers = 24;

  // The layers whose header was captured whole, in the order of the wire. CRCs are not among them.
  std::span<const LayerRef> layers() const { return {layers_.data(), num_layers_}; }
  const LayerRef* find(Layer layer) const {
    for (const LayerRef& ref : layers()) {
      if (ref.layer == layer) return &ref;
    }
    return nullptr;
  }
  Bytes octets(const LayerRef& ref) const { return captured.subspan(ref.offset, ref.size); }
  // The first header of that type, decoded.
  template <Header T>
  std::optional<T> get() const {
    for (const LayerRef& ref : layers()) {
      if (ref.header == &header_info<T>) return decode<T>(octets(ref).template first<header_size<T>>());
    }
    return std::nullopt;
  }
  // The captured part of the payload, without pad.
  Bytes payload() const {
    if (payload_offset >= captured.size()) return {};
    const std::size_t there = captured.size() - payload_offset;
    return captured.subspan(payload_offset, payload_len < there ? payload_len : there);
  }

  Bytes captured;
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
  std::array<LayerRef, max_layers> layers_;  // the first num_layers_ are set
  std::size_t num_layers_ = 0;
};

inline constexpr std::uint16_t rocev2_port = 4791;  // CA17-20

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
