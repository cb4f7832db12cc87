// ACK Extended Transport Header: IBTA vol. 1, 9.3.5; the syndrome: 9.7.5.2.
#pragma once

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::ib {

enum class SyndromeKind : std::uint8_t { ack = 0, rnr_nak = 1, reserved = 2, nak = 3 };

inline constexpr std::array syndrome_kind_names{
    Name{SyndromeKind::ack, "ACK"},
    Name{SyndromeKind::rnr_nak, "RNR NAK"},
    Name{SyndromeKind::reserved, "reserved"},
    Name{SyndromeKind::nak, "NAK"},
};

constexpr std::string_view name_of(SyndromeKind value) { return find_name(syndrome_kind_names, value); }

//= NAK-01
enum class NakCode : std::uint8_t {
  psn_sequence_error = 0,
  invalid_request = 1,
  remote_access_error = 2,
  remote_operational_error = 3,
  invalid_rd_request = 4,
};

inline constexpr std::array nak_code_names{
    Name{NakCode::psn_sequence_error, "PSN sequence error"},
    Name{NakCode::invalid_request, "invalid request"},
    Name{NakCode::remote_access_error, "remote access error"},
    Name{NakCode::remote_operational_error, "remote operational error"},
    Name{NakCode::invalid_rd_request, "invalid RD request"},
};

constexpr std::string_view name_of(NakCode value) { return find_name(nak_code_names, value); }

// Bit 7 reserved, bits 6-5 the kind, bits 4-0 a credit code, RNR timer code or NAK code.
//= ACK-10, ACK-11, NAK-01
struct Syndrome {
  std::uint8_t value{};
  friend constexpr bool operator==(Syndrome, Syndrome) = default;

  static constexpr Syndrome ack(std::uint8_t credit_code) { return {credit_code}; }
  static constexpr Syndrome rnr_nak(std::uint8_t timer_code) { return {static_cast<std::uint8_t>(0x20U | timer_code)}; }
  static constexpr Syndrome nak(NakCode code) {
    return {static_cast<std::uint8_t>(0x60U | static_cast<unsigned>(code))};
  }

  constexpr SyndromeKind kind() const { return static_cast<SyndromeKind>(value >> 5 & 3U); }
  constexpr std::uint8_t low5() const { return value & 0x1FU; }
};

// True for syndromes of one kind, in the form that part().when() takes.
template <SyndromeKind kind>
constexpr bool syndrome_is(std::uint64_t syndrome) {
  return Syndrome{static_cast<std::uint8_t>(syndrome)}.kind() == kind;
}

struct Aeth {
  Syndrome syndrome{};
  Msn msn{};
};

constexpr auto layout(std::type_identity<Aeth>) {
  return Layout(
      Layer::aeth,  //
      field<&Aeth::syndrome, 8>("infiniband.aeth.syndrome", "Syndrome"),
      part("infiniband.aeth.syndrome.reserved", "Reserved (1 bit)", 0, 1).reserved(),
      part("infiniband.aeth.syndrome.opcode", "Kind", 1, 2).named([](std::uint64_t v) {
        return name_of(static_cast<SyndromeKind>(v));
      }),
      part("infiniband.aeth.syndrome.credit_count", "Credit code", 3, 5).when(syndrome_is<SyndromeKind::ack>),
      part("infiniband.aeth.syndrome.timer", "RNR timer code", 3, 5).when(syndrome_is<SyndromeKind::rnr_nak>),
      part("infiniband.aeth.syndrome.reserved_value", "Reserved value", 3, 5).when(syndrome_is<SyndromeKind::reserved>),
      part("infiniband.aeth.syndrome.error_code", "NAK code", 3, 5)
          .named([](std::uint64_t v) { return name_of(static_cast<NakCode>(v)); })
          .when(syndrome_is<SyndromeKind::nak>),
      field<&Aeth::msn, 24>("infiniband.aeth.msn", "Message sequence number"));
}
static_assert(header_size<Aeth> == 4);

}  // namespace rdmawire::ib
