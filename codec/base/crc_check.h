// What became of a CRC: the same words for the ICRC, the VCRC and the CRC of an FPDU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rdmawire {

enum class CrcStatus : std::uint8_t {
  absent,     // this kind of packet has none
  disabled,   // both ends agreed not to use it (MPA: RFC 5044, 7.1.1)
  unchecked,  // it or what it covers was not captured, or checking was not asked for
  good,
  bad,
};

constexpr std::string_view name_of(CrcStatus status) {
  constexpr std::array<std::string_view, 5> names{"absent", "disabled", "unchecked", "good", "bad"};
  return names[static_cast<std::size_t>(status)];
}

// A CRC of a packet. Numbers are in the order of the wire, as the field shows them.
struct CrcCheck {
  CrcStatus status = CrcStatus::absent;
  std::uint32_t offset = 0;    // in the packet; only unless absent
  std::uint32_t stored = 0;    // only if good or bad
  std::uint32_t computed = 0;  // only if good or bad

  friend constexpr bool operator==(const CrcCheck&, const CrcCheck&) = default;
};

}  // namespace rdmawire
