// How much octets say for it that an FPDU begins at them, in bits: what a Deframer weighs that has to find one.
//
// A check that random octets pass once in 2^k times is worth k bits. Real data are not random, so what they have too is
// worth nothing:
//   zeros                      a field that must be zero is a condition, and no evidence; zeros alone are never a
//   header the same again             an FPDU like the one before it adds nothing, whatever its header and CRC were
//   worth, nor
//                              does a header's type that was there already: patterns and tables repeat
//   small numbers              an octet's worth where a number follows the one before it
// So the sums are lower bounds: random octets reach 64 bits at fewer than one offset in 2^64, and the expected number
// of false starts in 10^9 offsets of them is less than 10^-10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"

namespace rdmawire::iwarp {

// A stream begins where there is so much.
inline constexpr unsigned needed_evidence = 64;
// What it counts for that a stream is known to be iWARP, framed as is known, and that one of the next few thousand
// places is the beginning of an FPDU. What is needed beside it, 43 bits, random octets reach at fewer than one offset
// in 2^43; in 10^9 of them 10^-4 false starts are to be expected.
inline constexpr unsigned known_stream_evidence = 21;
// An FPDU's good CRC.
inline constexpr unsigned crc_evidence = 32;
// A Marker whose FPDUPTR is not zero and right.
inline constexpr unsigned marker_evidence = 12;
// The first one, of a stream whose Markers' places had to be guessed among 127.
inline constexpr unsigned first_marker_evidence = 5;

// Octets of a DDP header and what RDMAP has in it.
inline constexpr std::uint32_t max_ddp_header_len = 18;

// The first four octets of an FPDU (no Marker lies between them): reserved bits, DDP version and RDMAP version are
// those of a DDP segment. For a quick look.
constexpr bool may_begin_fpdu(const std::uint8_t* octets) {
  return (octets[2] & 0x3FU) == 0x01 && (octets[3] & 0xF0U) == 0x40;
}

// Whether a ULPDU of so many octets that begins with head (max_ddp_header_len octets, or those captured) can be a DDP
// segment of an RDMAP message: versions, reserved bits, opcode, its model, queue, length and last flag.
bool is_possible_segment(std::uint16_t ulpdu_len, Bytes head);

// The headers of a direction's FPDUs, one after the other.
class Chain {
 public:
  // An FPDU that is known to be one.
  void note(std::uint16_t ulpdu_len, Bytes head);
  // The FPDU that follows comes after a hole, or after octets in which none was found.
  void interrupt();
  // The FPDU that may follow. Returns what its header is worth; nothing if it is none. num_others: how many places
  // before it could have had the type that its header has, and had not.
  std::optional<unsigned> add(std::uint16_t ulpdu_len, Bytes head, std::uint32_t num_others);

 private:
  struct TaggedSegment {
    bool known = false;
    std::uint8_t opcode = 0;
    std::uint32_t stag = 0;
    std::uint64_t offset = 0;
    std::uint32_t payload_len = 0;
  };
  struct UntaggedSegment {
    bool known = false;
    bool last = false;
    std::uint32_t msn = 0;
    std::uint32_t offset = 0;
    std::uint32_t payload_len = 0;
  };
  static TaggedSegment tagged_segment(std::uint16_t ulpdu_len, Bytes head);
  static UntaggedSegment untagged_segment(std::uint16_t ulpdu_len, Bytes head);
  unsigned worth_of_tagged(const TaggedSegment& segment) const;
  unsigned worth_of_untagged(const UntaggedSegment& before, const UntaggedSegment& segment) const;

  TaggedSegment tagged_;
  std::array<UntaggedSegment, 4> untagged_;  // by queue
  std::uint32_t types_seen_ = 0;             // opcodes, since the chain began; a bit each
  bool interrupted_ = true;                  // none has been added since
  std::uint16_t last_ulpdu_len_ = 0;         // of the one before
  std::uint32_t last_head_len_ = 0;
  std::array<std::uint8_t, max_ddp_header_len> last_head_{};
};

}  // namespace rdmawire::iwarp
