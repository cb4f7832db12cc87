// Terminate header: RFC 5040, 4.8. Its errors: errors.h.
//
//   Terminate(4) [TerminatedLength(2)] [DDP header(14 or 18)] [Read Request header(28)]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/iwarp/ddp.h"
#include "codec/iwarp/errors.h"
#include "codec/iwarp/read_request.h"

namespace rdmawire::iwarp {

// Terminate Control and the reserved bits after it.
//= RDMAP-5040-4.8-01, RDMAP-5040-4.8-02
struct Terminate {
  TerminateError error;
  bool has_length{};         // M: the DDP Segment Length is valid
  bool has_ddp_header{};     // D: it and the terminated segment's DDP header are there
  bool has_rdma_header{};    // R: its Read Request header is there
  std::uint16_t reserved{};  // 13 bits

  // There is a DDP Segment Length, valid or not.
  //= RDMAP-5040-4.8-08
  constexpr bool length_follows() const { return has_length || has_ddp_header; }
};

// Error Type, Layer, Error Code: the order of Linux siw.
struct SiwTerminateError {
  std::uint16_t value{};
  constexpr TerminateError standard() const {
    return terminate_error(static_cast<TerminateLayer>(value >> 8 & 0xFU), static_cast<std::uint8_t>(value >> 12),
                           static_cast<std::uint8_t>(value));
  }
};

constexpr std::string_view name_of(SiwTerminateError error) { return name_of(error.standard()); }

// The same octets as Linux siw writes them on a little-endian host, by C bit-fields: the nibbles of the first octet
// change places, and M, D and R are the lowest bits of the third.
struct SiwTerminate {
  SiwTerminateError error;
  std::uint8_t reserved5{};
  bool has_rdma_header{};
  bool has_ddp_header{};
  bool has_length{};
  std::uint8_t reserved8{};

  // What it means.
  constexpr Terminate standard() const {
    return {error.standard(), has_length, has_ddp_header, has_rdma_header,
            static_cast<std::uint16_t>(reserved5 << 8 | reserved8)};
  }
};

namespace detail {

// Wireshark's names of the type depend on the layer, those of the code on both.
enum class TerminateNames : std::uint8_t {
  rdma,
  rdma_other,
  ddp_tagged,
  ddp_untagged,
  ddp_other,
  llp,
  llp_other,
  other
};

constexpr TerminateNames names_for(TerminateError error) {
  using enum TerminateNames;
  switch (error.layer()) {
    case TerminateLayer::rdmap:
      return error.type() == 1 || error.type() == 2 ? rdma : rdma_other;
    case TerminateLayer::ddp:
      return error.type() == 1 ? ddp_tagged : error.type() == 2 ? ddp_untagged : ddp_other;
    case TerminateLayer::llp:
      return error.type() == 0 ? llp : llp_other;
  }
  return other;
}

constexpr TerminateError standard_order(TerminateError error) { return error; }
constexpr TerminateError standard_order(SiwTerminateError error) { return error.standard(); }

// For part().when(): E says in which order the bits lie.
template <class E, TerminateNames... names>
constexpr bool terminate_is(std::uint64_t raw) {
  const TerminateNames found = names_for(standard_order(E{static_cast<std::uint16_t>(raw)}));
  return ((found == names) || ...);
}

constexpr std::string_view rdma_type_name(std::uint64_t type) {
  constexpr std::array<std::string_view, 3> names{"Local catastrophic error", "Remote protection error",
                                                  "Remote operation error"};
  return type < names.size() ? names[type] : std::string_view{};
}
constexpr std::string_view ddp_type_name(std::uint64_t type) {
  constexpr std::array<std::string_view, 4> names{"Local catastrophic error", "Tagged buffer error",
                                                  "Untagged buffer error", "LLP error"};
  return type < names.size() ? names[type] : std::string_view{};
}
constexpr std::string_view llp_type_name(std::uint64_t type) {
  return type == 0 || type == 3 ? std::string_view("MPA error") : std::string_view{};
}
constexpr std::string_view layer_name(std::uint64_t layer) { return name_of(static_cast<TerminateLayer>(layer)); }

// The one declaration of what both have: whole_word comes first, then the error's 16 bits; flags are those after it.
template <class E, class WholeWord, class ErrorField, class... Flags>
consteval auto terminate_layout(const WholeWord& whole_word, const ErrorField& error, std::uint16_t layer_bit,
                                std::uint16_t type_bit, const Flags&... flags) {
  using enum TerminateNames;
  return Layout(
      Layer::terminate, whole_word, error,
      part("iwarp_rdma.term_layer", "Layer", layer_bit, 4).as(Display::hex).named(layer_name),
      part("iwarp_rdma.term_etype_rdma", "Error type", type_bit, 4)
          .as(Display::hex)
          .named(rdma_type_name)
          .when(terminate_is<E, rdma, rdma_other>),
      part("iwarp_rdma.term_etype_ddp", "Error type", type_bit, 4)
          .as(Display::hex)
          .named(ddp_type_name)
          .when(terminate_is<E, ddp_tagged, ddp_untagged, ddp_other>),
      part("iwarp_rdma.term_etype_llp", "Error type", type_bit, 4)
          .as(Display::hex)
          .named(llp_type_name)
          .when(terminate_is<E, llp, llp_other>),
      part("iwarp_rdma.term_etype", "Error type", type_bit, 4).as(Display::hex).when(terminate_is<E, other>),
      part("iwarp_rdma.term_errcode_rdma", "Error code", 8, 8).as(Display::hex).when(terminate_is<E, rdma>),
      part("iwarp_rdma.term_errcode_ddp_tagged", "Error code", 8, 8).as(Display::hex).when(terminate_is<E, ddp_tagged>),
      part("iwarp_rdma.term_errcode_ddp_untagged", "Error code", 8, 8)
          .as(Display::hex)
          .when(terminate_is<E, ddp_untagged>),
      part("iwarp_rdma.term_errcode_llp", "Error code", 8, 8).as(Display::hex).when(terminate_is<E, llp>),
      part("iwarp_rdma.term_errcode", "Error code", 8, 8)
          .as(Display::hex)
          .when(terminate_is<E, rdma_other, ddp_other, llp_other, other>),
      flags...);
}

}  // namespace detail

constexpr auto layout(std::type_identity<Terminate>) {
  return detail::terminate_layout<TerminateError>(
      whole("rdma.terminate.control", "Terminate control", 32),
      field<&Terminate::error, 16>("rdma.terminate.error", "Error").as(Display::hex), 0, 4,
      field<&Terminate::has_length, 1>("iwarp_rdma.term_hdrct_m", "DDP segment length valid (M)"),
      field<&Terminate::has_ddp_header, 1>("iwarp_rdma.hdrct_d", "DDP header included (D)"),
      field<&Terminate::has_rdma_header, 1>("iwarp_rdma.hdrct_r", "RDMA header included (R)"),
      field<&Terminate::reserved, 13>("iwarp_rdma.term_rsvd", "Reserved").as(Display::hex).reserved());
}
static_assert(header_size<Terminate> == 4);

constexpr auto layout(std::type_identity<SiwTerminate>) {
  return detail::terminate_layout<SiwTerminateError>(
      whole("rdma.terminate.siw_control", "Terminate control, its bits in the order of Linux siw", 32),
      field<&SiwTerminate::error, 16>("rdma.terminate.error", "Error").as(Display::hex), 4, 0,
      field<&SiwTerminate::reserved5, 5>("rdma.terminate.reserved5", "Reserved").as(Display::hex).reserved(),
      field<&SiwTerminate::has_rdma_header, 1>("iwarp_rdma.hdrct_r", "RDMA header included (R)"),
      field<&SiwTerminate::has_ddp_header, 1>("iwarp_rdma.hdrct_d", "DDP header included (D)"),
      field<&SiwTerminate::has_length, 1>("iwarp_rdma.term_hdrct_m", "DDP segment length valid (M)"),
      field<&SiwTerminate::reserved8, 8>("rdma.terminate.reserved8", "Reserved").as(Display::hex).reserved());
}
static_assert(header_size<SiwTerminate> == 4);

// DDP Segment Length: there if M or D is set. Octets of the terminated segment with its DDP header; Linux siw counts
// those after it.
struct TerminatedLength {
  std::uint16_t segment_len{};
};

constexpr auto layout(std::type_identity<TerminatedLength>) {
  return Layout(Layer::terminated_length,
                field<&TerminatedLength::segment_len, 16>("iwarp_rdma.term_ddp_seg_len", "DDP segment length")
                    .as(Display::octets),
                part("rdma.terminated_length.octets", "DDP segment length, as a number", 0, 16));
}
static_assert(header_size<TerminatedLength> == 2);

// In which order the bits of a Terminate Control are to be read.
enum class TerminateOrder : std::uint8_t { standard, siw };

// Octets after the control: every header that there can be.
inline constexpr std::uint32_t max_terminate_body_len =
    header_size<TerminatedLength> + header_size<DdpUntagged> + header_size<ReadRequest>;

// What the octets after a Terminate Control have to be for it, as far as they were captured.
constexpr bool fits(const Terminate& control, Bytes captured_body, std::uint32_t body_len) {
  std::size_t len = control.length_follows() ? header_size<TerminatedLength> : 0;
  if (control.has_ddp_header) {
    const bool tagged = captured_body.size() > len && (captured_body[len] & 0x80U) != 0;
    len += tagged ? header_size<DdpTagged> : header_size<DdpUntagged>;
  }
  if (control.has_rdma_header) len += header_size<ReadRequest>;
  if (len > body_len || body_len > max_terminate_body_len) return false;
  // RFC 5040, 7.1 can be read as asking for headers set to zero where there are none.
  for (std::size_t i = len; i < captured_body.size() && i < body_len; ++i) {
    if (captured_body[i] != 0) return false;
  }
  return true;
}

// The standard's order, unless only siw's makes sense: a registered error, no reserved bits, and exactly the headers
// that M, D and R announce. body: what was captured of the body_len octets after the control. A Terminate of siw's
// that has a meaning in the standard's order as well (0/2/06 without headers is 2/0/06 there) is taken for that.
constexpr TerminateOrder order_of(HeaderBytes<Terminate> control, Bytes captured_body, std::uint32_t body_len) {
  const auto sensible = [&](const Terminate& read) {
    return find(read.error) != nullptr && read.reserved == 0 && fits(read, captured_body, body_len);
  };
  if (sensible(decode<Terminate>(control))) return TerminateOrder::standard;
  return sensible(decode<SiwTerminate>(control).standard()) ? TerminateOrder::siw : TerminateOrder::standard;
}

}  // namespace rdmawire::iwarp
