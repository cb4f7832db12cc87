#include <algorithm>
#include <limits>

#include "codec/iwarp/headers.h"
#include "codec/iwarp/pdu.h"

namespace rdmawire::iwarp {
namespace {

// Where fields lie in their headers: the offsets of errors, and by which answer_to tells them apart.
constexpr std::uint32_t control_at = 0;
constexpr std::uint32_t tagged_offset_at = 6;
constexpr std::uint32_t queue_at = 6;
constexpr std::uint32_t msn_at = 10;
constexpr std::uint32_t message_offset_at = 14;
constexpr std::uint32_t atomic_opcode_at = 3;

class Checker {
 public:
  Checker(const Pdu& pdu, const Fpdu* fpdu) : pdu_(pdu), fpdu_(fpdu) {}

  //= RDMAP-5040-7.2-01
  Error first() {
    if (fpdu_ != nullptr) framing(*fpdu_);
    if (const LayerRef* ref = pdu_.find(Layer::ddp_tagged); ref != nullptr && own(*ref)) tagged(*ref);
    if (const LayerRef* ref = pdu_.find(Layer::ddp_untagged); ref != nullptr && own(*ref)) untagged(*ref);
    if (const LayerRef* ref = pdu_.find(Layer::rdmap)) rdmap(*ref);
    if (!error_) error_ = pdu_.error;
    if (const LayerRef* ref = pdu_.find(Layer::terminate)) terminate(*ref);
    if (const LayerRef* ref = pdu_.find(Layer::atomic_request)) {
      require(!name_of(atomic_request_of(pdu_)->opcode).empty(), ErrorCode::bad_value, *ref, atomic_opcode_at);
    }
    payload();
    return error_;
  }

 private:
  // The segment's own DDP header, not that of the segment that a Terminate is about.
  bool own(const LayerRef& ref) const { return ref.offset == pdu_.ulpdu_offset; }

  void require(bool right, ErrorCode code, const LayerRef& ref, std::uint32_t at = 0) {
    if (!right && !error_) error_ = {code, ref.layer, Limit::none, 0, 0, ref.offset + at};
  }

  void framing(const Fpdu& fpdu) {
    if (fpdu.crc.status == CrcStatus::bad) {
      error_ = {ErrorCode::bad_mpa_crc,
                Layer::mpa_crc,
                Limit::none,
                0,
                0,
                fpdu_header_size + fpdu.ulpdu_len + pad_len(fpdu.ulpdu_len)};
    } else if (fpdu.num_wrong_markers != 0) {
      error_ = {ErrorCode::bad_marker, Layer::mpa_marker, Limit::none, 0, 0, 0};
    }
  }

  void tagged(const LayerRef& ref) {
    const DdpTagged ddp = decode<DdpTagged>(pdu_.octets(ref).first<header_size<DdpTagged>>());
    require(ddp.version == ddp_version, ErrorCode::bad_version, ref, control_at);
    model(true, ref);
    require(stays_below_end(ddp, pdu_.payload_len), ErrorCode::bad_value, ref, tagged_offset_at);
  }

  void untagged(const LayerRef& ref) {
    const DdpUntagged ddp = decode<DdpUntagged>(pdu_.octets(ref).first<header_size<DdpUntagged>>());
    require(ddp.version == ddp_version, ErrorCode::bad_version, ref, control_at);
    model(false, ref);
    if (pdu_.opcode != nullptr && !pdu_.opcode->tagged()) {
      const OpcodeInfo& row = *pdu_.opcode;
      require(ddp.queue == row.queue, ErrorCode::wrong_queue, ref, queue_at);  //= DDP-5041-7.1-01
      // A stream ends with its only Terminate (RFC 5040, 4.8).
      require(row.queue != terminate_queue || ddp.msn == DdpMsn{1}, ErrorCode::bad_value, ref, msn_at);
      if (row.segments == Segments::one) {  //= RDMAP-5040-4.4-06
        require(ddp.message_offset == 0, ErrorCode::bad_value, ref, message_offset_at);
        require(ddp.last, ErrorCode::bad_value, ref, control_at);
      }
    }
    const std::uint32_t room = std::numeric_limits<std::uint32_t>::max() - ddp.message_offset;
    //= DDP-5041-7.1-07
    require(pdu_.payload_len == 0 || pdu_.payload_len - 1 <= room, ErrorCode::bad_value, ref, message_offset_at);
  }

  //= RDMAP-5040-4.1-03
  void model(bool tagged, const LayerRef& ref) {
    require(pdu_.opcode == nullptr || pdu_.opcode->tagged() == tagged, ErrorCode::wrong_model, ref, control_at);
  }

  void rdmap(const LayerRef& ref) {
    const RdmapControl control = decode<RdmapControl>(pdu_.octets(ref).first<header_size<RdmapControl>>());
    require(control.version == rdmap_version, ErrorCode::bad_version, ref);     //= RDMAP-5040-7.2-03
    require(find(control.opcode) != nullptr, ErrorCode::reserved_opcode, ref);  //= RDMAP-5040-7.2-02
  }

  void terminate(const LayerRef& ref) {
    if (ref.header == &header_info<SiwTerminate>) return require(false, ErrorCode::bad_value, ref);
    const Terminate control = decode<Terminate>(pdu_.octets(ref).first<header_size<Terminate>>());
    const TerminateInfo* row = find(control.error);
    require(row != nullptr && (row->any_code || row->error == control.error), ErrorCode::bad_value, ref);
  }

  void payload() {
    if (error_ || pdu_.opcode == nullptr || pdu_.opcode->payload == PayloadRule::any) return;
    // The header it follows.
    require(pdu_.payload_len == 0, ErrorCode::payload_rule, pdu_.layers().back());
  }

  const Pdu& pdu_;
  const Fpdu* fpdu_;
  Error error_;
};

}  // namespace

Error first_violation(const Pdu& pdu, const Fpdu* fpdu) { return Checker(pdu, fpdu).first(); }

Result<Pdu> parse_fpdu_strict(const Fpdu& fpdu, MutableBytes scratch) {
  const Pdu pdu = parse_fpdu(fpdu, scratch);
  if (const Error error = first_violation(pdu, &fpdu)) return fail(error);
  return pdu;
}

Result<Pdu> parse_ulpdu_strict(Bytes captured, std::uint32_t ulpdu_len) {
  const Pdu pdu = parse_ulpdu(captured, ulpdu_len);
  if (const Error error = first_violation(pdu)) return fail(error);
  return pdu;
}

//= DDP-5041-4.1-07, RDMAP-5040-4.1-08, RDMAP-5040-4.1-10, RDMAP-5040-4.8-05, RDMAP-7306-5.2.1-02
Error first_reserved_set(const Pdu& pdu) {
  for (const LayerRef& ref : pdu.layers()) {
    if (ref.header == &header_info<SiwTerminate>) break;
    const Bytes octets = pdu.octets(ref);
    for (const FieldInfo& field : ref.header->fields) {
      if (!field.reserved || field.part) continue;
      for (std::uint16_t done = 0; done < field.bits;) {
        const auto bits = static_cast<std::uint16_t>(std::min(field.bits - done, 64));
        if (read_bits(octets, std::size_t{field.bit_offset} + done, bits) != 0) {
          return {ErrorCode::reserved_not_zero, ref.layer, Limit::none, 0, 0, ref.offset + field.bit_offset / 8U};
        }
        done = static_cast<std::uint16_t>(done + bits);
      }
    }
    // What follows is of the segment to blame, whose sender is the other end.
    if (ref.layer == Layer::terminate) break;
  }
  return {};
}

const TerminateInfo* answer_to(const Pdu& pdu, const Error& violation) {
  using enum TerminateReason;
  if (pdu.kind == PduKind::mpa_request || pdu.kind == PduKind::mpa_reply || pdu.kind == PduKind::sctp_control) {
    return nullptr;
  }
  const bool tagged = violation.layer == Layer::ddp_tagged;
  const std::uint64_t at = violation.offset - pdu.ulpdu_offset;  // in the segment
  switch (violation.code) {
    case ErrorCode::bad_mpa_crc:
      return &info(mpa_bad_crc);
    case ErrorCode::bad_marker:
      return &info(mpa_bad_marker);
    case ErrorCode::truncated_wire:
      // The RFCs name no code for either: what Intel's devices send, and the unspecified one.
      return &info(pdu.opcode == nullptr ? ddp_local_catastrophic : rdmap_operation_unspecified);
    case ErrorCode::bad_version:
      if (violation.layer == Layer::rdmap) return &info(rdmap_bad_version);
      if (violation.layer == Layer::ddp_tagged) return &info(ddp_tagged_bad_version);
      if (violation.layer == Layer::ddp_untagged) return &info(ddp_untagged_bad_version);
      return nullptr;
    case ErrorCode::reserved_opcode:
    case ErrorCode::wrong_model:
      return &info(rdmap_unexpected_opcode);
    case ErrorCode::wrong_queue:
      return &info(ddp_untagged_bad_queue);
    case ErrorCode::bad_value:
      if (tagged && at == tagged_offset_at) return &info(ddp_tagged_offset_wrap);
      if (violation.layer == Layer::ddp_untagged && at == message_offset_at) return &info(ddp_untagged_bad_offset);
      if (violation.layer == Layer::ddp_untagged && at == msn_at) return &info(ddp_untagged_msn_out_of_range);
      if (violation.layer == Layer::atomic_request) return &info(rdmap_unexpected_opcode);
      if (violation.layer == Layer::ddp_untagged) return &info(rdmap_operation_unspecified);
      return nullptr;
    case ErrorCode::payload_rule:
      // More than a Read Request is more than the buffer that waits for it holds.
      if (violation.layer == Layer::read_request) return &info(ddp_untagged_too_long);
      return &info(rdmap_operation_unspecified);
    default:
      return nullptr;
  }
}

}  // namespace rdmawire::iwarp
