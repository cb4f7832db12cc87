// The extended transport headers side by side, for who fills in or reads packets of any opcode.
#pragma once

#include <tuple>

#include "codec/ib/headers.h"

namespace rdmawire::ib {

// Which of them a packet has, and in which order, says its opcode's row (OpcodeInfo::headers).
struct ExtendedHeaders {
  Rdeth rdeth{};
  Xrceth xrceth{};
  Deth deth{};
  Feth feth{};
  Reth reth{};
  AtomicEth atomiceth{};
  Aeth aeth{};
  AtomicAckEth atomicacketh{};
  ImmDt immdt{};
  Ieth ieth{};
  CnpReserved cnp{};
};

namespace detail {

// Their layers are in their layouts.
inline constexpr std::tuple extended_members{
    &ExtendedHeaders::rdeth, &ExtendedHeaders::xrceth,    &ExtendedHeaders::deth, &ExtendedHeaders::feth,
    &ExtendedHeaders::reth,  &ExtendedHeaders::atomiceth, &ExtendedHeaders::aeth, &ExtendedHeaders::atomicacketh,
    &ExtendedHeaders::immdt, &ExtendedHeaders::ieth,      &ExtendedHeaders::cnp};

}  // namespace detail

// Calls use(header) for the header of that layer; false if there is none. Headers: ExtendedHeaders, const or not, or
// what is derived from it.
template <class Headers, class Use>
constexpr bool with_extended(Headers& headers, Layer layer, Use&& use) {
  return std::apply(
      [&](auto... member) {
        const auto one = [&](auto& header) {
          if (header_info<std::remove_cvref_t<decltype(header)>>.layer != layer) return false;
          use(header);
          return true;
        };
        return (one(headers.*member) || ...);
      },
      detail::extended_members);
}

}  // namespace rdmawire::ib
