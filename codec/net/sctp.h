// Stream Control Transmission Protocol: RFC 9260, 3.1 to 3.3.3; its checksum: 6.8 and appendix A. I bit: RFC 7053.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"
#include "codec/base/types.h"
#include "codec/crc/crc.h"
#include "codec/net/checksum.h"

namespace rdmawire::net {

// The common header, with which a packet begins. Chunks follow, each on a multiple of 4 octets.
struct Sctp {
  SctpPort source_port{};
  SctpPort destination_port{};
  std::uint32_t verification_tag{};
  std::uint32_t checksum{};  // the CRC-32C with its octets turned round: sctp_checksum
};

constexpr auto layout(std::type_identity<Sctp>) {
  return Layout(Layer::sctp,  //
                field<&Sctp::source_port, 16>("sctp.srcport", "Source port"),
                field<&Sctp::destination_port, 16>("sctp.dstport", "Destination port"),
                field<&Sctp::verification_tag, 32>("sctp.verification_tag", "Verification tag").as(Display::hex),
                field<&Sctp::checksum, 32>("sctp.checksum", "Checksum").as(Display::hex));
}
static_assert(header_size<Sctp> == 12);

// IANA, SCTP Parameters, Chunk Types.
enum class SctpChunkType : std::uint8_t {
  data = 0,
  init = 1,
  init_ack = 2,
  sack = 3,
  heartbeat = 4,
  heartbeat_ack = 5,
  abort = 6,
  shutdown = 7,
  shutdown_ack = 8,
  error = 9,
  cookie_echo = 10,
  cookie_ack = 11,
  ecne = 12,
  cwr = 13,
  shutdown_complete = 14,
  authentication = 15,
  i_data = 64,
  asconf_ack = 128,
  re_config = 130,
  pad = 132,
  forward_tsn = 192,
  asconf = 193,
  i_forward_tsn = 194,
};

constexpr std::string_view name_of(SctpChunkType type) {
  constexpr std::array names{
      Name{SctpChunkType::data, "DATA"},
      Name{SctpChunkType::init, "INIT"},
      Name{SctpChunkType::init_ack, "INIT ACK"},
      Name{SctpChunkType::sack, "SACK"},
      Name{SctpChunkType::heartbeat, "HEARTBEAT"},
      Name{SctpChunkType::heartbeat_ack, "HEARTBEAT ACK"},
      Name{SctpChunkType::abort, "ABORT"},
      Name{SctpChunkType::shutdown, "SHUTDOWN"},
      Name{SctpChunkType::shutdown_ack, "SHUTDOWN ACK"},
      Name{SctpChunkType::error, "ERROR"},
      Name{SctpChunkType::cookie_echo, "COOKIE ECHO"},
      Name{SctpChunkType::cookie_ack, "COOKIE ACK"},
      Name{SctpChunkType::ecne, "ECNE"},
      Name{SctpChunkType::cwr, "CWR"},
      Name{SctpChunkType::shutdown_complete, "SHUTDOWN COMPLETE"},
      Name{SctpChunkType::authentication, "AUTH"},
      Name{SctpChunkType::i_data, "I-DATA"},
      Name{SctpChunkType::asconf_ack, "ASCONF-ACK"},
      Name{SctpChunkType::re_config, "RE-CONFIG"},
      Name{SctpChunkType::pad, "PAD"},
      Name{SctpChunkType::forward_tsn, "FORWARD TSN"},
      Name{SctpChunkType::asconf, "ASCONF"},
      Name{SctpChunkType::i_forward_tsn, "I-FORWARD-TSN"},
  };
  return find_name(names, type);
}

// What every chunk begins with.
struct SctpChunk {
  SctpChunkType type{};
  std::uint8_t flags{};    // their meaning depends on the type
  std::uint16_t length{};  // octets with this header, without the padding; 4 and more
};

constexpr auto layout(std::type_identity<SctpChunk>) {
  return Layout(Layer::sctp_chunk,  //
                field<&SctpChunk::type, 8>("sctp.chunk_type", "Chunk type"),
                field<&SctpChunk::flags, 8>("sctp.chunk_flags", "Chunk flags").as(Display::hex),
                field<&SctpChunk::length, 16>("sctp.chunk_length", "Chunk length"));
}
static_assert(header_size<SctpChunk> == 4);

// IANA, SCTP Parameters, Payload Protocol Identifiers: those of RDMA.
//= SCTP-5043-5.2-01
enum class SctpPayloadProtocol : std::uint32_t {
  unspecified = 0,
  ddp_segment = 16,          // RFC 5043, 5.2
  ddp_session_control = 17,  // RFC 5043, 5.2
};

constexpr std::string_view name_of(SctpPayloadProtocol protocol) {
  constexpr std::array names{
      Name{SctpPayloadProtocol::unspecified, "Unspecified"},
      Name{SctpPayloadProtocol::ddp_segment, "DDP segment"},
      Name{SctpPayloadProtocol::ddp_session_control, "DDP stream session control"},
  };
  return find_name(names, protocol);
}

// A DATA chunk up to its user data (3.3.1).
struct SctpData {
  SctpChunkType type = SctpChunkType::data;
  std::uint8_t reserved4{};
  bool immediate{};        // I: the receiver should not delay its SACK
  bool unordered{};        // U: stream_sequence has no meaning
  bool beginning{};        // B: first fragment of a user message
  bool ending{};           // E: last fragment
  std::uint16_t length{};  // octets with this header, without the padding
  std::uint32_t tsn{};
  std::uint16_t stream_id{};
  std::uint16_t stream_sequence{};
  SctpPayloadProtocol payload_protocol{};
};

constexpr auto layout(std::type_identity<SctpData>) {
  return Layout(Layer::sctp_data,  //
                field<&SctpData::type, 8>("sctp.chunk_type", "Chunk type"), whole("sctp.chunk_flags", "Chunk flags", 8),
                field<&SctpData::reserved4, 4>("rdma.sctp_data.reserved4", "Reserved (4 bits)").reserved(),
                field<&SctpData::immediate, 1>("sctp.data_i_bit", "Immediate"),
                field<&SctpData::unordered, 1>("sctp.data_u_bit", "Unordered"),
                field<&SctpData::beginning, 1>("sctp.data_b_bit", "Beginning fragment"),
                field<&SctpData::ending, 1>("sctp.data_e_bit", "Ending fragment"),
                field<&SctpData::length, 16>("sctp.chunk_length", "Chunk length"),
                // Wireshark's sctp.data_tsn counts from the association's first.
                field<&SctpData::tsn, 32>("sctp.data_tsn_raw", "Transmission sequence number"),
                field<&SctpData::stream_id, 16>("sctp.data_sid", "Stream identifier").as(Display::hex),
                field<&SctpData::stream_sequence, 16>("sctp.data_ssn", "Stream sequence number"),
                field<&SctpData::payload_protocol, 32>("sctp.data_payload_proto_id", "Payload protocol identifier"));
}
static_assert(header_size<SctpData> == 16);

// INIT up to its parameters (3.3.2).
struct SctpInit {
  SctpChunkType type = SctpChunkType::init;
  std::uint8_t flags{};    // reserved
  std::uint16_t length{};  // octets with this header and the parameters
  std::uint32_t initiate_tag{};
  std::uint32_t receiver_window{};  // a_rwnd, octets
  std::uint16_t num_outbound_streams{};
  std::uint16_t num_inbound_streams{};  // at most
  std::uint32_t initial_tsn{};
};

constexpr auto layout(std::type_identity<SctpInit>) {
  return Layout(Layer::sctp_init,  //
                field<&SctpInit::type, 8>("sctp.chunk_type", "Chunk type"),
                field<&SctpInit::flags, 8>("sctp.chunk_flags", "Chunk flags").as(Display::hex),
                field<&SctpInit::length, 16>("sctp.chunk_length", "Chunk length"),
                field<&SctpInit::initiate_tag, 32>("sctp.init_initiate_tag", "Initiate tag").as(Display::hex),
                field<&SctpInit::receiver_window, 32>("sctp.init_credit", "Advertised receiver window credit"),
                field<&SctpInit::num_outbound_streams, 16>("sctp.init_nr_out_streams", "Number of outbound streams"),
                field<&SctpInit::num_inbound_streams, 16>("sctp.init_nr_in_streams", "Number of inbound streams"),
                field<&SctpInit::initial_tsn, 32>("sctp.init_initial_tsn", "Initial TSN"));
}
static_assert(header_size<SctpInit> == 20);

// INIT ACK up to its parameters (3.3.3).
struct SctpInitAck {
  SctpChunkType type = SctpChunkType::init_ack;
  std::uint8_t flags{};    // reserved
  std::uint16_t length{};  // octets with this header and the parameters
  std::uint32_t initiate_tag{};
  std::uint32_t receiver_window{};  // a_rwnd, octets
  std::uint16_t num_outbound_streams{};
  std::uint16_t num_inbound_streams{};  // at most
  std::uint32_t initial_tsn{};
};

constexpr auto layout(std::type_identity<SctpInitAck>) {
  return Layout(
      Layer::sctp_init_ack,  //
      field<&SctpInitAck::type, 8>("sctp.chunk_type", "Chunk type"),
      field<&SctpInitAck::flags, 8>("sctp.chunk_flags", "Chunk flags").as(Display::hex),
      field<&SctpInitAck::length, 16>("sctp.chunk_length", "Chunk length"),
      field<&SctpInitAck::initiate_tag, 32>("sctp.initack_initiate_tag", "Initiate tag").as(Display::hex),
      field<&SctpInitAck::receiver_window, 32>("sctp.initack_credit", "Advertised receiver window credit"),
      field<&SctpInitAck::num_outbound_streams, 16>("sctp.initack_nr_out_streams", "Number of outbound streams"),
      field<&SctpInitAck::num_inbound_streams, 16>("sctp.initack_nr_in_streams", "Number of inbound streams"),
      field<&SctpInitAck::initial_tsn, 32>("sctp.initack_initial_tsn", "Initial TSN"));
}
static_assert(header_size<SctpInitAck> == 20);

// IANA, SCTP Parameters, Chunk Parameter Types of INIT and INIT ACK.
enum class SctpParameterType : std::uint16_t {
  heartbeat_info = 1,
  ipv4_address = 5,
  ipv6_address = 6,
  state_cookie = 7,
  unrecognized = 8,
  cookie_preservative = 9,
  host_name = 11,
  supported_address_types = 12,
  ecn_capable = 0x8000,
  zero_checksum = 0x8001,
  random = 0x8002,
  chunk_list = 0x8003,
  hmac_algorithms = 0x8004,
  padding = 0x8005,
  supported_extensions = 0x8008,
  forward_tsn_supported = 0xC000,
  set_primary_address = 0xC004,
  adaptation_indication = 0xC006,
};

constexpr std::string_view name_of(SctpParameterType type) {
  constexpr std::array names{
      Name{SctpParameterType::heartbeat_info, "Heartbeat info"},
      Name{SctpParameterType::ipv4_address, "IPv4 address"},
      Name{SctpParameterType::ipv6_address, "IPv6 address"},
      Name{SctpParameterType::state_cookie, "State cookie"},
      Name{SctpParameterType::unrecognized, "Unrecognized parameter"},
      Name{SctpParameterType::cookie_preservative, "Cookie preservative"},
      Name{SctpParameterType::host_name, "Host name address"},
      Name{SctpParameterType::supported_address_types, "Supported address types"},
      Name{SctpParameterType::ecn_capable, "ECN capable"},
      Name{SctpParameterType::zero_checksum, "Zero checksum acceptable"},
      Name{SctpParameterType::random, "Random"},
      Name{SctpParameterType::chunk_list, "Chunk list"},
      Name{SctpParameterType::hmac_algorithms, "Requested HMAC algorithm"},
      Name{SctpParameterType::padding, "Padding"},
      Name{SctpParameterType::supported_extensions, "Supported extensions"},
      Name{SctpParameterType::forward_tsn_supported, "Forward TSN supported"},
      Name{SctpParameterType::set_primary_address, "Set primary address"},
      Name{SctpParameterType::adaptation_indication, "Adaptation layer indication"},
  };
  return find_name(names, type);
}

// What every parameter begins with (3.2.1).
struct SctpParameter {
  SctpParameterType type{};
  std::uint16_t length{};  // octets with this header, without the padding; 4 and more
};

constexpr auto layout(std::type_identity<SctpParameter>) {
  return Layout(Layer::sctp_parameter,  //
                field<&SctpParameter::type, 16>("sctp.parameter_type", "Parameter type").as(Display::hex),
                field<&SctpParameter::length, 16>("sctp.parameter_length", "Parameter length"));
}
static_assert(header_size<SctpParameter> == 4);

// The header of the fixed part of such a chunk; that of SctpChunk for the types that have none here.
constexpr const HeaderInfo& fixed_part(SctpChunkType type) {
  switch (type) {
    case SctpChunkType::data:
      return header_info<SctpData>;
    case SctpChunkType::init:
      return header_info<SctpInit>;
    case SctpChunkType::init_ack:
      return header_info<SctpInitAck>;
    default:
      return header_info<SctpChunk>;
  }
}
constexpr const HeaderInfo& fixed_part(SctpParameterType) { return header_info<SctpParameter>; }

// Goes through what stands one behind the other with a type and a length each: the chunks of a packet, the parameters
// of an INIT. T: SctpChunk or SctpParameter.
//
//   for (SctpWalk walk = sctp_chunks(packet, packet_len, offset); walk.next();) use(walk.header(), walk.octets());
//   if (walk.error()) ...
template <Header T>
class SctpWalk {
 public:
  // captured: what is there of items that take wire_len octets; offset: of its first octet, for errors.
  constexpr SctpWalk(Bytes captured, std::size_t wire_len, std::uint64_t offset)
      : left_(captured.first(captured.size() < wire_len ? captured.size() : wire_len)),
        wire_left_(wire_len),
        next_offset_(offset) {}

  // Goes to the next item, or to the first; false if there is none, or if it is not right.
  constexpr bool next() {
    if (error_ || wire_left_ == 0) return false;
    if (wire_left_ < header_size<T>) {
      return stop({ErrorCode::truncated_wire, header_info<T>.layer, Limit::none, header_size<T>, size32(wire_left_)});
    }
    if (left_.size() < header_size<T>) return cut(header_info<T>.layer, header_size<T>);
    header_ = decode<T>(left_.template first<header_size<T>>());
    const HeaderInfo& fixed = fixed_part(header_.type);
    const std::size_t length = header_.length;
    if (length < fixed.size) {
      return stop({ErrorCode::bad_header_length, fixed.layer, Limit::header_length, fixed.size, size32(length)});
    }
    if (length > wire_left_) {
      return stop({ErrorCode::bad_length, fixed.layer, Limit::none, size32(length), size32(wire_left_)});
    }
    if (left_.size() < fixed.size) return cut(fixed.layer, fixed.size);
    offset_ = next_offset_;
    octets_ = left_.first(length < left_.size() ? length : left_.size());
    if (octets_.size() < length) cut(fixed.layer, size32(length));
    // The last one's padding may be missing: nothing that counts is lost.
    const std::size_t padded = (length + 3) / 4 * 4;
    const std::size_t step = padded < wire_left_ ? padded : wire_left_;
    left_ = left_.subspan(step < left_.size() ? step : left_.size());
    wire_left_ -= step;
    next_offset_ += step;
    return true;
  }

  // Of the item that next() went to.
  constexpr const T& header() const { return header_; }
  constexpr std::uint64_t offset() const { return offset_; }
  // All of it without padding: at least the fixed part of its type, and less than header().length only if the capture
  // was cut; error() then says so already.
  constexpr Bytes octets() const { return octets_; }

  // Why there are no more; none at the proper end.
  // truncated_capture: the capture was cut, here; what was given before is right.
  // truncated_wire, bad_header_length, bad_length: the packet is wrong from Error::offset on, which RFC 9260 answers
  // with discarding it (6.10) or with an ABORT.
  constexpr const Error& error() const { return error_; }

 private:
  static constexpr std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }
  constexpr bool stop(Error error) {
    error.offset = next_offset_;
    error_ = error;
    return false;
  }
  constexpr bool cut(Layer layer, std::uint32_t needed) {
    return stop({ErrorCode::truncated_capture, layer, Limit::capture, needed, size32(left_.size())});
  }

  Bytes left_;
  std::size_t wire_left_;
  std::uint64_t next_offset_;
  std::uint64_t offset_ = 0;
  T header_{};
  Bytes octets_;
  Error error_;
};

// The chunks of a packet. captured: from its common header on, at least that; packet_len: octets of the packet on the
// wire; offset: of the common header in the frame.
constexpr SctpWalk<SctpChunk> sctp_chunks(Bytes captured, std::size_t packet_len, std::uint64_t offset = 0) {
  constexpr std::size_t header = header_size<Sctp>;
  return {captured.subspan(header), packet_len > header ? packet_len - header : 0, offset + header};
}

// The parameters of an INIT or INIT ACK; none of another chunk. captured: the chunk as SctpWalk gave it (octets,
// header, offset).
constexpr SctpWalk<SctpParameter> sctp_parameters(Bytes captured, const SctpChunk& header, std::uint64_t offset = 0) {
  const bool has = header.type == SctpChunkType::init || header.type == SctpChunkType::init_ack;
  const std::size_t fixed = has ? header_size<SctpInit> : captured.size();
  return {captured.subspan(fixed), has ? header.length - fixed : 0, offset + fixed};
}

namespace detail {
inline constexpr std::size_t sctp_checksum_at = 8;
}

// The checksum that a packet should have, as its field shows it: CRC-32C is sent least significant octet first.
// packet: common header and chunks with their padding, at least 12 octets; what its checksum field holds does not
// count.
constexpr std::uint32_t sctp_checksum(Bytes packet) {
  constexpr std::array<std::uint8_t, 4> zero{};
  const std::uint32_t crc = crc::crc32c(packet.subspan(detail::sctp_checksum_at + zero.size()),
                                        crc::crc32c(zero, crc::crc32c(packet.first(detail::sctp_checksum_at))));
  return __builtin_bswap32(crc);
}

// good or bad; packet as above. A packet that goes without a checksum by agreement (RFC 9653) has a zero and is bad.
constexpr ChecksumStatus check_sctp(Bytes packet) {
  const auto stored = static_cast<std::uint32_t>(load_be<4>(packet.data() + detail::sctp_checksum_at));
  return stored == sctp_checksum(packet) ? ChecksumStatus::good : ChecksumStatus::bad;
}

}  // namespace rdmawire::net
