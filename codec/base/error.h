// Errors are values: what is wrong, in which layer, where, and which length or option set the limit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>

#include "codec/base/layer.h"

namespace rdmawire {

// What a caller does about an error depends on its class alone.
enum class ErrorClass : std::uint8_t {
  none,
  truncated_capture,  // the capture holds less than the wire did: show what is there, judge nothing
  truncated_wire,     // a length on the wire leaves less than a header needs: the sender is wrong
  malformed,          // a field contradicts another one or the specification: the sender is wrong
  unsupported,        // well formed, as far as can be told, but not something this library reads
  integrity,          // a checksum or CRC is wrong: the octets can't be trusted
  semantic,           // each field is fine, together they break a rule
  no_space,           // the caller's buffer is too small, or a value does not fit its field
};

enum class ErrorCode : std::uint8_t {
  none,
  truncated_capture,
  truncated_wire,
  bad_version,
  bad_length,
  bad_value,
  bad_header_length,
  reserved_opcode,
  unknown_link_type,
  unknown_next_header,
  fragment,
  too_many_layers,
  bad_ip_checksum,
  bad_udp_checksum,
  bad_icrc,
  bad_vcrc,
  bad_lpcrc,
  payload_rule,
  pad_rule,
  value_too_big,
  output_too_small,
  not_a_capture,
  damaged_file,
  bad_compression,
  record_too_big,
  cut_file,
  undefined_interface,
  too_many_interfaces,
  open_failed,
  read_failed,
  bad_mpa_crc,
  bad_marker,
  wrong_model,
  wrong_queue,
  reserved_not_zero,
  count_,
};

// What set the limit that a read ran into.
enum class Limit : std::uint8_t {
  none,
  capture,   // the captured octets end (snaplen, or a damaged file)
  frame,     // the frame's length on the wire
  erf_wlen,  // ERF record length
  ip_total_length,
  ipv6_payload_length,
  udp_length,
  grh_paylen,
  lrh_pktlen,
  header_length,  // the header's own length field (IHL, data offset, extension length)
  field_width,
  buffer,  // the caller's output buffer
  file,
  block_length,         // a pcapng block's length, or a pcap record's
  private_data_length,  // MPA PD_Length
  ulpdu_length,
  count_,
};

struct ErrorCodeInfo {
  ErrorCode code;
  ErrorClass error_class;
  std::string_view name;
  std::string_view text;
};

inline constexpr std::array error_table{
    ErrorCodeInfo{ErrorCode::none, ErrorClass::none, "none", "no error"},
    ErrorCodeInfo{ErrorCode::truncated_capture, ErrorClass::truncated_capture, "truncated-capture",
                  "the capture was cut"},
    ErrorCodeInfo{ErrorCode::truncated_wire, ErrorClass::truncated_wire, "truncated-wire", "the packet ends too early"},
    ErrorCodeInfo{ErrorCode::bad_version, ErrorClass::malformed, "bad-version", "unknown version"},
    ErrorCodeInfo{ErrorCode::bad_length, ErrorClass::malformed, "bad-length", "a length contradicts the one around it"},
    ErrorCodeInfo{ErrorCode::bad_value, ErrorClass::malformed, "bad-value",
                  "a field has a value that it must not have"},
    ErrorCodeInfo{ErrorCode::bad_header_length, ErrorClass::malformed, "bad-header-length",
                  "the header's length field is below the minimum"},
    ErrorCodeInfo{ErrorCode::reserved_opcode, ErrorClass::unsupported, "reserved-opcode",
                  "reserved or unknown operation code"},
    ErrorCodeInfo{ErrorCode::unknown_link_type, ErrorClass::unsupported, "unknown-link-type",
                  "link type not supported"},
    ErrorCodeInfo{ErrorCode::unknown_next_header, ErrorClass::unsupported, "unknown-next-header",
                  "unknown next protocol"},
    ErrorCodeInfo{ErrorCode::fragment, ErrorClass::unsupported, "fragment",
                  "IP fragment; the rest lies in other frames"},
    ErrorCodeInfo{ErrorCode::too_many_layers, ErrorClass::unsupported, "too-many-layers",
                  "more nested layers than are followed"},
    ErrorCodeInfo{ErrorCode::bad_ip_checksum, ErrorClass::integrity, "bad-ip-checksum", "wrong IPv4 header checksum"},
    ErrorCodeInfo{ErrorCode::bad_udp_checksum, ErrorClass::integrity, "bad-udp-checksum", "wrong UDP checksum"},
    ErrorCodeInfo{ErrorCode::bad_icrc, ErrorClass::integrity, "bad-icrc", "wrong invariant CRC"},
    ErrorCodeInfo{ErrorCode::bad_vcrc, ErrorClass::integrity, "bad-vcrc", "wrong variant CRC"},
    ErrorCodeInfo{ErrorCode::bad_lpcrc, ErrorClass::integrity, "bad-lpcrc", "wrong link packet CRC"},
    ErrorCodeInfo{ErrorCode::payload_rule, ErrorClass::semantic, "payload-rule",
                  "payload length not allowed for this opcode"},
    ErrorCodeInfo{ErrorCode::pad_rule, ErrorClass::semantic, "pad-rule",
                  "pad count larger than what follows the headers"},
    ErrorCodeInfo{ErrorCode::value_too_big, ErrorClass::no_space, "value-too-big", "value does not fit its field"},
    ErrorCodeInfo{ErrorCode::output_too_small, ErrorClass::no_space, "output-too-small",
                  "the output buffer is too small"},
    ErrorCodeInfo{ErrorCode::not_a_capture, ErrorClass::malformed, "not-a-capture", "neither pcap nor pcapng"},
    ErrorCodeInfo{ErrorCode::damaged_file, ErrorClass::malformed, "damaged-file", "damaged capture file"},
    ErrorCodeInfo{ErrorCode::bad_compression, ErrorClass::malformed, "bad-compression", "damaged compressed data"},
    ErrorCodeInfo{ErrorCode::record_too_big, ErrorClass::malformed, "record-too-big",
                  "record larger than any capture tool writes"},
    ErrorCodeInfo{ErrorCode::cut_file, ErrorClass::truncated_capture, "cut-file", "the file ends too early"},
    ErrorCodeInfo{ErrorCode::undefined_interface, ErrorClass::malformed, "undefined-interface",
                  "packet of an interface that its section does not describe"},
    ErrorCodeInfo{ErrorCode::too_many_interfaces, ErrorClass::unsupported, "too-many-interfaces",
                  "more interfaces in one section than are followed"},
    ErrorCodeInfo{ErrorCode::open_failed, ErrorClass::unsupported, "open-failed", "cannot be opened"},
    ErrorCodeInfo{ErrorCode::read_failed, ErrorClass::unsupported, "read-failed",
                  "the operating system could not read on"},
    ErrorCodeInfo{ErrorCode::bad_mpa_crc, ErrorClass::integrity, "bad-mpa-crc", "wrong MPA CRC"},
    ErrorCodeInfo{ErrorCode::bad_marker, ErrorClass::integrity, "bad-marker",
                  "MPA Marker does not point to the start of its FPDU"},
    ErrorCodeInfo{ErrorCode::wrong_model, ErrorClass::semantic, "wrong-model",
                  "tagged flag or last flag not allowed for this opcode"},
    ErrorCodeInfo{ErrorCode::wrong_queue, ErrorClass::semantic, "wrong-queue",
                  "queue number not allowed for this opcode"},
    ErrorCodeInfo{ErrorCode::reserved_not_zero, ErrorClass::malformed, "reserved-not-zero",
                  "reserved bits that a sender must leave zero"},
};
static_assert(error_table.size() == static_cast<std::size_t>(ErrorCode::count_));
static_assert([] {
  for (std::size_t i = 0; i < error_table.size(); ++i) {
    if (error_table[i].code != static_cast<ErrorCode>(i)) return false;
  }
  return true;
}());

constexpr const ErrorCodeInfo& info(ErrorCode code) { return error_table[static_cast<std::size_t>(code)]; }

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Limit::count_)> limit_names{
    "",           "captured length", "frame length", "ERF wire length",     "IPv4 total length", "IPv6 payload length",
    "UDP length", "GRH PayLen",      "LRH PktLen",   "header length field", "field width",       "output buffer",
    "file",       "block length",    "PD_Length",    "ULPDU_Length",
};

constexpr std::string_view name_of(Limit limit) { return limit_names[static_cast<std::size_t>(limit)]; }

struct Error {
  ErrorCode code = ErrorCode::none;
  Layer layer = Layer::none;
  Limit limit = Limit::none;
  std::uint32_t needed = 0;  // octets (or bits, for value_too_big) that were wanted at offset; 0 if that says nothing
  std::uint32_t available = 0;  // how many there are
  std::uint64_t offset = 0;     // octets from the start of the frame or file

  // True if there is an error.
  constexpr explicit operator bool() const { return code != ErrorCode::none; }
  constexpr ErrorClass error_class() const { return info(code).error_class; }
  friend constexpr bool operator==(const Error&, const Error&) = default;
};
static_assert(sizeof(Error) <= 32 && std::is_trivially_copyable_v<Error>);

template <class T>
using Result = tl::expected<T, Error>;

constexpr tl::unexpected<Error> fail(const Error& error) { return tl::unexpected<Error>(error); }

// One line for people, without a heap: at most 255 characters, e.g.
// "RDMA Extended Transport Header at offset 54: the packet ends too early (needs 16 octets, 4 left by UDP length)".
class ErrorText {
 public:
  constexpr std::string_view view() const { return {text_.data(), size_}; }
  constexpr operator std::string_view() const { return view(); }

 private:
  friend ErrorText to_string(const Error&);
  void append(std::string_view more);
  void append(std::uint64_t number);
  std::array<char, 255> text_;
  std::uint8_t size_ = 0;
};
ErrorText to_string(const Error& error);

}  // namespace rdmawire
