// DDP over SCTP: RFC 5043, and RFC 6581, 7. Its messages are the user data of DATA chunks (codec/net/sctp.h), unordered
// and in one piece each; the payload protocol identifier says which of the two below it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"
#include "codec/iwarp/mpa.h"
#include "codec/net/sctp.h"

namespace rdmawire::iwarp {

// The parameter of INIT and INIT ACK that says what the association carries (RFC 5061, 4.2.6).
//= SCTP-5043-5.1-01
struct AdaptationIndication {
  static constexpr std::uint32_t ddp = 1;  // RFC 5043, 5.1

  net::SctpParameterType type = net::SctpParameterType::adaptation_indication;
  std::uint16_t length = 8;  // octets, always 8
  std::uint32_t indication = ddp;
};

constexpr auto layout(std::type_identity<AdaptationIndication>) {
  return Layout(
      Layer::ddp_sctp_indication,  //
      field<&AdaptationIndication::type, 16>("sctp.parameter_type", "Parameter type").as(Display::hex),
      field<&AdaptationIndication::length, 16>("sctp.parameter_length", "Parameter length"),
      field<&AdaptationIndication::indication, 32>("sctp.adaptation_layer_indication", "Indication").as(Display::hex));
}
static_assert(header_size<AdaptationIndication> == 8);

// What stands before the DDP segment in a DDP segment chunk (RFC 5043, 5.2.2).
//= SCTP-5043-5.2.2-01
struct DdpSctp {
  std::uint16_t sequence{};  // DDP-SSN: the stream sequence number of ordered delivery, from 0 in each session
};

constexpr auto layout(std::type_identity<DdpSctp>) {
  return Layout(Layer::ddp_sctp, field<&DdpSctp::sequence, 16>("rdma.ddp_sctp.ssn", "DDP stream sequence number"));
}
static_assert(header_size<DdpSctp> == 2);

// RFC 5043, 5.2.3; the enhanced ones: RFC 6581, 7.
//= SCTP-5043-5.2.3-01, MPA-6581-7-01, IANA-6580-3.5-01
enum class SessionFunction : std::uint16_t {
  initiate = 1,
  accept = 2,
  reject = 3,
  terminate = 4,
  enhanced_initiate = 5,
  enhanced_accept = 6,
  enhanced_reject = 7,
  experimental = 0xFFFF,
};

constexpr std::string_view name_of(SessionFunction function) {
  constexpr std::array names{
      Name{SessionFunction::initiate, "DDP Stream Session Initiate"},
      Name{SessionFunction::accept, "DDP Stream Session Accept"},
      Name{SessionFunction::reject, "DDP Stream Session Reject"},
      Name{SessionFunction::terminate, "DDP Stream Session Terminate"},
      Name{SessionFunction::enhanced_initiate, "Enhanced DDP Stream Session Initiate"},
      Name{SessionFunction::enhanced_accept, "Enhanced DDP Stream Session Accept"},
      Name{SessionFunction::enhanced_reject, "Enhanced DDP Stream Session Reject"},
      Name{SessionFunction::experimental, "Experimental"},
  };
  return find_name(names, function);
}

// What stands before the private data in a session control chunk (RFC 5043, 5.2.3).
//= SCTP-5043-5.2.3-01
struct DdpSctpControl {
  std::uint16_t sequence{};  // DDP-SSN, counted with that of the segments
  SessionFunction function{};
};

constexpr auto layout(std::type_identity<DdpSctpControl>) {
  return Layout(
      Layer::ddp_sctp_control,  //
      field<&DdpSctpControl::sequence, 16>("rdma.ddp_sctp_control.ssn", "DDP stream sequence number"),
      field<&DdpSctpControl::function, 16>("rdma.ddp_sctp_control.function", "Function code").as(Display::hex));
}
static_assert(header_size<DdpSctpControl> == 4);

// How much private data a session control message may have, octets.
struct PrivateDataBounds {
  std::size_t min = 0;
  std::size_t max = 0;
};

// Its private data begins with an MpaEnhanced (RFC 6581, 7).
constexpr bool has_enhanced_block(SessionFunction function) {
  return function == SessionFunction::enhanced_initiate || function == SessionFunction::enhanced_accept;
}

// RFC 5043, 5.2.3: at most 512, none in a Terminate. RFC 6581, 7: the enhanced block counts.
//= SCTP-5043-5.2.3-03, SCTP-5043-5.2.3-04, MPA-6581-7-03, MPA-6581-7-04, MPA-6581-7-05
constexpr PrivateDataBounds private_data_bounds(SessionFunction function) {
  if (function == SessionFunction::terminate) return {0, 0};
  return {has_enhanced_block(function) ? header_size<MpaEnhanced> : 0, max_private_data_len};
}

// Why a session control message with this function code and so many octets of private data is wrong, or none: as
// parse_session_control has it.
constexpr Error private_data_error(SessionFunction function, std::size_t private_data_len, std::uint64_t offset = 0) {
  constexpr Layer layer = Layer::ddp_sctp_control;
  if (name_of(function).empty()) return {ErrorCode::reserved_opcode, layer, Limit::none, 0, 0, offset + 2};
  const PrivateDataBounds bounds = private_data_bounds(function);
  if (private_data_len >= bounds.min && private_data_len <= bounds.max) return {};
  const std::size_t bound = private_data_len < bounds.min ? bounds.min : bounds.max;
  return {ErrorCode::bad_length,
          layer,
          Limit::none,
          static_cast<std::uint32_t>(bound),
          static_cast<std::uint32_t>(private_data_len),
          offset + header_size<DdpSctpControl>};
}

// The header of a session control message whose private data is as much as it may be; what follows the header is the
// private data. message: the user data of its DATA chunk, captured whole, at that offset in the frame.
// Fails with truncated_wire (there is no whole header), reserved_opcode (an unknown function code: what it means is not
// known) or bad_length (the private data is too short or too long: needed is the bound, available what there is). A
// receiver answers each with a session Terminate (6.1).
constexpr Result<DdpSctpControl> parse_session_control(Bytes message, std::uint64_t offset = 0) {
  constexpr auto size = static_cast<std::uint32_t>(header_size<DdpSctpControl>);
  if (message.size() < size) {
    return fail({ErrorCode::truncated_wire, Layer::ddp_sctp_control, Limit::none, size,
                 static_cast<std::uint32_t>(message.size()), offset});
  }
  const auto control = decode<DdpSctpControl>(message.first<size>());
  if (const Error error = private_data_error(control.function, message.size() - size, offset)) return fail(error);
  return control;
}

}  // namespace rdmawire::iwarp
