// MPA's start-up frames: RFC 5044, 7.1.1; the enhanced ones: RFC 6581. What the two of them mean: negotiation.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/bytes.h"
#include "codec/base/error.h"
#include "codec/base/layout.h"

namespace rdmawire::iwarp {

using MpaKey = std::array<std::uint8_t, 16>;

namespace detail {

constexpr MpaKey mpa_key(const char (&text)[17]) {
  MpaKey key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(text[i]);
  return key;
}

}  // namespace detail

inline constexpr MpaKey mpa_request_key = detail::mpa_key("MPA ID Req Frame");  //= MPA-5044-7.1.1-01
inline constexpr MpaKey mpa_reply_key = detail::mpa_key("MPA ID Rep Frame");    //= MPA-5044-7.1.1-02

// Revisions: 0 is the RDMA Consortium's (RFC 5044, appendix C), 1 RFC 5044's, 2 RFC 6581's.
inline constexpr std::uint8_t max_mpa_revision = 2;
inline constexpr std::uint16_t max_private_data_len = 512;  // octets, the enhanced block included

// Of MpaStartup::reserved4, of Linux siw: it would send segments of 64 KiB (try_gso).
inline constexpr std::uint8_t siw_gso_flag = 8;

// What a Request and a Reply have in common: all but the key. private_data_len octets follow, without pad.
//= MPA-5044-7.1.1-05, MPA-6581-6-01
struct MpaStartup {
  MpaKey key{};
  bool markers{};            // M: I require Markers in what you send me
  bool crc{};                // C: I require the CRC
  bool rejected{};           // R; of a Reply
  bool enhanced{};           // S: the private data begins with an MpaEnhanced; a reserved bit before revision 2
  std::uint8_t reserved4{};  //= MPA-5044-7.1.1-11, MPA-6581-6-04
  std::uint8_t revision{};
  std::uint16_t private_data_len{};  // octets

  // The S bit, where the revision gives it a meaning.
  //= MPA-6581-6-11
  constexpr bool is_enhanced() const { return enhanced && revision >= 2; }
};

namespace detail {

consteval auto startup_layout(Layer layer, std::string_view key_name, std::string_view key_label) {
  using T = MpaStartup;
  return Layout(layer,  //
                field<&T::key, 128>(key_name, key_label), field<&T::markers, 1>("iwarp_mpa.marker_flag", "Marker flag"),
                field<&T::crc, 1>("iwarp_mpa.crc_flag", "CRC flag"),
                field<&T::rejected, 1>("iwarp_mpa.rej_flag", "Connection rejected flag"),
                // What Wireshark before 4.6 calls reserved, as it is in revision 1.
                whole("iwarp_mpa.res", "S and reserved", 5),
                field<&T::enhanced, 1>("iwarp_mpa.enhanced_flag", "Enhanced connection flag (S)"),
                field<&T::reserved4, 4>("rdma.mpa.reserved4", "Reserved").as(Display::hex).reserved(),
                field<&T::revision, 8>("iwarp_mpa.rev", "Revision"),
                field<&T::private_data_len, 16>("iwarp_mpa.pdlength", "Private data length"));
}

}  // namespace detail

// To read either one without knowing which it is.
constexpr auto layout(std::type_identity<MpaStartup>) {
  return detail::startup_layout(Layer::mpa_request, "rdma.mpa.key", "Key");
}

struct MpaRequest : MpaStartup {
  constexpr MpaRequest() { key = mpa_request_key; }
};

constexpr auto layout(std::type_identity<MpaRequest>) {
  return detail::startup_layout(Layer::mpa_request, "iwarp_mpa.key.req", "ID Req frame");
}
static_assert(header_size<MpaRequest> == 20);

struct MpaReply : MpaStartup {
  constexpr MpaReply() { key = mpa_reply_key; }
};

constexpr auto layout(std::type_identity<MpaReply>) {
  return detail::startup_layout(Layer::mpa_reply, "iwarp_mpa.key.rep", "ID Rep frame");
}
static_assert(header_size<MpaReply> == 20);

inline constexpr std::uint32_t startup_header_size = header_size<MpaStartup>;
inline constexpr std::uint32_t max_startup_len = startup_header_size + max_private_data_len;

// The first private data of an enhanced frame: RFC 6581, 9. IRD: incoming Read Requests that the sender allows; ORD:
// outgoing ones that it wants.
//= MPA-6581-9-01, MPA-6581-9-02
struct MpaEnhanced {
  //= MPA-6581-9-03
  static constexpr std::uint16_t left_to_ulp = 0x3FFF;  // as IRD or ORD: not negotiated here

  bool peer_to_peer{};  // A: the initiator's first FPDU is a ready-to-receive indication
  bool rtr_send{};      // B: it may be a Send without payload
  std::uint16_t ird{};
  bool rtr_write{};  // C: an RDMA Write without payload
  bool rtr_read{};   // D: an RDMA Read Request for no octets
  std::uint16_t ord{};
};

// The names are those of Wireshark 4.6, the capital D as well.
constexpr auto layout(std::type_identity<MpaEnhanced>) {
  return Layout(Layer::mpa_enhanced,  //
                field<&MpaEnhanced::peer_to_peer, 1>("iwarp_mpa.enhanced.a", "Peer-to-peer model (A)"),
                field<&MpaEnhanced::rtr_send, 1>("iwarp_mpa.enhanced.b", "RTR by zero-length Send (B)"),
                field<&MpaEnhanced::ird, 14>("iwarp_mpa.enhanced.ird", "Inbound RDMA Read Request depth"),
                field<&MpaEnhanced::rtr_write, 1>("iwarp_mpa.enhanced.c", "RTR by zero-length RDMA Write (C)"),
                field<&MpaEnhanced::rtr_read, 1>("iwarp_mpa.enhanced.D", "RTR by zero-length RDMA Read (D)"),
                field<&MpaEnhanced::ord, 14>("iwarp_mpa.enhanced.ord", "Outbound RDMA Read Request depth"));
}
static_assert(header_size<MpaEnhanced> == 4);

enum class StartupKind : std::uint8_t { undecided, request, reply, none };

// What the first octets of a direction are, as far as they go.
struct StartupPrefix {
  StartupKind kind = StartupKind::undecided;  // none: the error says where the key differs
  std::uint32_t wanted = 0;                   // octets of the direction that decide more than those given; 0 if none do
  std::uint32_t full_len = 0;                 // octets of the frame, private data included; 0 while unknown
  Error error;                                // why no MPA connection can come of it

  // The frame is there whole, and can be read.
  constexpr bool is_whole() const { return full_len != 0 && wanted == 0 && !error; }
};

// Looks at the first octets of a direction of a TCP connection; give it more while wanted is not 0. Errors, after each
// of which the receiver closes the connection (RFC 5044, 7.1.1 and 8, code 4):
//   bad_value    of the key, at its first wrong octet: this is no start-up frame;
//   bad_version  a revision that is not known. full_len is what RFC 5044's layout would make of it;
//   bad_length   PD_Length above 512, or below 4 with an enhanced block.
//= MPA-5044-7.1.1-20
constexpr StartupPrefix look_at_startup(Bytes first) {
  StartupPrefix out;
  const std::size_t there = first.size() < mpa_request_key.size() ? first.size() : mpa_request_key.size();
  bool request = true;
  bool reply = true;
  for (std::size_t i = 0; i < there; ++i) {
    request = request && first[i] == mpa_request_key[i];
    reply = reply && first[i] == mpa_reply_key[i];
    if (!request && !reply) {  //= MPA-5044-7.1.1-03, MPA-5044-7.1.1-04
      out.kind = StartupKind::none;
      out.error = {ErrorCode::bad_value, Layer::mpa_request, Limit::none, 0, 0, i};
      return out;
    }
  }
  if (request != reply) out.kind = request ? StartupKind::request : StartupKind::reply;
  if (first.size() < startup_header_size) {
    out.wanted = startup_header_size;
    return out;
  }
  const MpaStartup frame = decode<MpaStartup>(first.first<startup_header_size>());
  const Layer layer = request ? Layer::mpa_request : Layer::mpa_reply;
  const std::uint32_t len = frame.private_data_len;
  out.full_len = startup_header_size + len;
  if (frame.revision > max_mpa_revision) {  //= MPA-5044-7.1.1-13
    out.error = {ErrorCode::bad_version, layer, Limit::none, 0, 0, 17};
  } else if (len > max_private_data_len) {  //= MPA-5044-7.1.1-16, MPA-5044-7.1.1-17
    out.error = {ErrorCode::bad_length, layer, Limit::private_data_length, len, max_private_data_len, 18};
  } else if (frame.is_enhanced() && len < header_size<MpaEnhanced>) {  //= MPA-6581-6-10
    out.error = {ErrorCode::bad_length, layer, Limit::private_data_length, header_size<MpaEnhanced>, len, 18};
  } else if (first.size() < out.full_len) {
    out.wanted = out.full_len;
  }
  return out;
}

}  // namespace rdmawire::iwarp
