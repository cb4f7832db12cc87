// One protocol data unit of iWARP, header by header: an MPA start-up frame, or a DDP segment with what RDMAP has in it,
// out of an FPDU or an SCTP DATA chunk (and the session control chunks of SCTP). What parse_frame is to a packet of
// InfiniBand. To build one: pdu_build.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "codec/base/bytes.h"
#include "codec/base/crc_check.h"
#include "codec/base/error.h"
#include "codec/base/layer_stack.h"
#include "codec/iwarp/atomic.h"
#include "codec/iwarp/ddp.h"
#include "codec/iwarp/errors.h"
#include "codec/iwarp/fpdu.h"
#include "codec/iwarp/opcode.h"
#include "codec/iwarp/rdmap.h"
#include "codec/iwarp/terminate.h"

namespace rdmawire::iwarp {

enum class PduKind : std::uint8_t { mpa_request, mpa_reply, fpdu, ulpdu, sctp_segment, sctp_control };

// It refers to octets of the caller's, which must outlive it. Offsets of layers and errors are those in `captured`: the
// PDU's octets without Markers, from the ULPDU_Length on (from the key, the DDP-SSN; of a bare ULPDU, its first octet).
//
// The layers of a segment: fpdu, then ddp_tagged or ddp_untagged, then rdmap, which lies inside of it, with a second
// part (continued) if the segment is untagged, then the opcode's header. After terminate and terminated_length those of
// the terminated segment follow in the same way, so the first one of a kind is always the segment's own.
class Pdu : public LayerStack<10> {
 public:
  // The captured part of the payload, of a PDU that no Marker interrupts there; otherwise ask the Fpdu for its spans.
  Bytes payload() const {
    const std::size_t from = std::size_t{ulpdu_offset} + payload_offset;
    if (from >= captured.size()) return {};
    const std::size_t there = captured.size() - from;
    return captured.subspan(from, payload_len < there ? payload_len : there);
  }

  PduKind kind{};
  const OpcodeInfo* opcode = nullptr;  // nullptr for a reserved one, and for what is no DDP segment
  std::uint32_t ulpdu_offset = 0;      // of the ULPDU (start-up frame: of the key) in captured
  std::uint32_t payload_offset = 0;    // in the ULPDU (start-up frame, chunk), after the last header that was read
  std::uint32_t payload_len = 0;  // octets on the wire after it, without pad and CRC; private data of a start-up frame
  Error error;                    // why parsing stopped before the payload; none if it did not. Offsets as above

 private:
  friend class PduParser;
};

// The header of an Atomic Request, whatever its fields are called there.
std::optional<AtomicRequest> atomic_request_of(const Pdu& pdu);
// The control of a Terminate, in the standard's meaning, whatever the order of its bits there.
std::optional<Terminate> terminate_of(const Pdu& pdu);

// Octets that hold every header of any PDU: what Fpdu::head and a scratch buffer need.
inline constexpr std::uint32_t max_pdu_head = 128;

// Reads every header of an FPDU. scratch, max_pdu_head octets that must outlive the Pdu too, is used where a Marker
// interrupts the headers; Pdu::captured then has the first octets only. Never fails: what stopped it is in Pdu::error,
//   truncated_capture  the rest of a header was not captured: show what is there, judge nothing;
//   truncated_wire     ULPDU_Length leaves less than a header needs;
//   reserved_opcode    by RFC 5040 and RFC 7306: what follows the DDP header is shown as payload;
//   wrong_model        the opcode's segments are of the other model: likewise.
Pdu parse_fpdu(const Fpdu& fpdu, MutableBytes scratch);

// Likewise a ULPDU alone: captured has its first octets of ulpdu_len.
Pdu parse_ulpdu(Bytes captured, std::uint32_t ulpdu_len);

// Likewise an MPA start-up frame, of which captured has the first octets; those after it do not count. Errors beside
// truncated_capture are look_at_startup's (mpa.h).
Pdu parse_startup(Bytes captured);

// The user data of an SCTP DATA chunk, of which captured has the first octets of len: a DDP segment chunk (its payload
// protocol identifier is ddp_segment), read like an FPDU; and a DDP stream session control chunk (ddp_session_control),
// whose payload is the private data, after the enhanced block where the function has one. Errors of the second are
// truncated_capture and those of parse_session_control (sctp.h).
Pdu parse_sctp_segment(Bytes captured, std::uint32_t len);
Pdu parse_sctp_control(Bytes captured, std::uint32_t len);

// The first rule that the PDU breaks, or none. In this order, which RFC 5040, 7.2 asks for as far as it asks (the LLP
// first, then DDP, then RDMAP): the CRC and the Markers of its FPDU (if fpdu is given), a segment too short for its DDP
// header, DDP version, the model, queue, offset and last flag that the opcode asks for, RDMAP version, opcode, and what
// follows. Of a start-up frame: what stopped the parser. What was not captured is not judged: a cut PDU that is fine as
// far as it goes gives the truncated_capture error that stopped the parser, or none.
//
// Reserved bits do not count: receivers must not look at them. Those who judge senders ask first_reserved_set.
Error first_violation(const Pdu& pdu, const Fpdu* fpdu = nullptr);

// Whether the offset of the payload's last octet does not wrap (RFC 5041, 7.1).
//= DDP-5041-7.1-13, DDP-5041-7.1-14
constexpr bool stays_below_end(const DdpTagged& ddp, std::uint32_t payload_len) {
  return payload_len == 0 || payload_len - 1 <= std::numeric_limits<std::uint64_t>::max() - ddp.tagged_offset.value;
}

// A tagged segment without a fault.
struct FlawlessTagged {
  DdpTagged ddp;
  const OpcodeInfo* opcode = nullptr;  // of a segment that is none: nullptr
  explicit operator bool() const { return opcode != nullptr; }
};
// What first_violation would say of a ULPDU of ulpdu_len octets that is a tagged segment, of which most of a stream
// consists, at a fraction of the cost: its header if nothing is wrong with it. Without an opcode: parse it. captured:
// its first octets.
inline FlawlessTagged flawless_tagged(Bytes captured, std::uint32_t ulpdu_len) {
  constexpr std::size_t size = header_size<DdpTagged>;
  const bool is_there = captured.size() >= size && ulpdu_len >= size;
  // Made where the caller has it: a copy would wait for its fields to be stored.
  FlawlessTagged out{is_there ? decode<DdpTagged>(captured.first<size>()) : DdpTagged{}, nullptr};
  if (!is_there || !out.ddp.tagged || out.ddp.version != ddp_version) return out;
  const RdmapControl control = decode<RdmapControl>(captured.subspan<rdmap_offset, header_size<RdmapControl>>());
  const OpcodeInfo* const row = find(control.opcode);
  if (control.version != rdmap_version || row == nullptr || !row->tagged()) return out;
  if (stays_below_end(out.ddp, ulpdu_len - static_cast<std::uint32_t>(size))) out.opcode = row;
  return out;
}

// parse_fpdu and parse_ulpdu for those who want only flawless PDUs: the PDU, or its first_violation.
Result<Pdu> parse_fpdu_strict(const Fpdu& fpdu, MutableBytes scratch);
Result<Pdu> parse_ulpdu_strict(Bytes captured, std::uint32_t ulpdu_len);

// The first reserved bits that the sender did not leave zero (reserved_not_zero, at their first octet), or none. A
// Terminate in siw's order is not blamed for it here.
Error first_reserved_set(const Pdu& pdu);

// The Terminate with which a receiver answers a violation that first_violation found; nullptr where there is none: a
// start-up frame has the connection closed (RFC 5044, 8), a session control chunk is answered with another one
// (RFC 5043, 6.1), and a cut capture or a wrong Terminate with nothing.
const TerminateInfo* answer_to(const Pdu& pdu, const Error& violation);

}  // namespace rdmawire::iwarp
