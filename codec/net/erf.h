// Extensible Record Format of Endace capture cards: LINKTYPE_ERF (197), one record a packet. A record is ErfRecord, its
// extension headers (ErfExtension, as long as each says that another follows), for Ethernet ErfEthernetPad, then the
// packet and padding up to the record length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::net {

enum class ErfType : std::uint8_t {
  ethernet = 2,
  color_ethernet = 11,
  dsm_color_ethernet = 16,
  color_hash_ethernet = 20,
  infiniband = 21,
  ipv4 = 22,
  ipv6 = 23,
  raw_link = 24,
  infiniband_link = 25,
  metadata = 27,
  pad = 48,
};

constexpr std::string_view name_of(ErfType type) {
  switch (type) {
    case ErfType::ethernet:
      return "ETH";
    case ErfType::color_ethernet:
      return "COLOR_ETH";
    case ErfType::dsm_color_ethernet:
      return "DSM_COLOR_ETH";
    case ErfType::color_hash_ethernet:
      return "COLOR_HASH_ETH";
    case ErfType::infiniband:
      return "INFINIBAND";
    case ErfType::ipv4:
      return "IPV4";
    case ErfType::ipv6:
      return "IPV6";
    case ErfType::raw_link:
      return "RAW_LINK";
    case ErfType::infiniband_link:
      return "INFINIBAND_LINK";
    case ErfType::metadata:
      return "META";
    case ErfType::pad:
      return "PAD";
  }
  return {};
}

// True for the types whose packet is an Ethernet frame after an ErfEthernetPad.
constexpr bool is_ethernet(ErfType type) {
  return type == ErfType::ethernet || type == ErfType::color_ethernet || type == ErfType::dsm_color_ethernet ||
         type == ErfType::color_hash_ethernet;
}

// Time since 1970 (UTC), a fixed-point number with 32 bits of fraction. It alone is little-endian, so it is octets.
struct ErfTimestamp {
  std::array<std::uint8_t, 8> octets{};

  constexpr std::uint32_t seconds() const { return little_endian(4); }
  // Units of 2^-32 s.
  constexpr std::uint32_t fraction() const { return little_endian(0); }
  // The fraction in ns, rounded down: 0 to 999'999'999.
  constexpr std::uint32_t nanoseconds() const {
    return static_cast<std::uint32_t>(std::uint64_t{fraction()} * 1'000'000'000 >> 32);
  }
  friend constexpr bool operator==(const ErfTimestamp&, const ErfTimestamp&) = default;

 private:
  constexpr std::uint32_t little_endian(std::size_t at) const {
    return std::uint32_t{octets[at]} | std::uint32_t{octets[at + 1]} << 8 | std::uint32_t{octets[at + 2]} << 16 |
           std::uint32_t{octets[at + 3]} << 24;
  }
};

struct ErfRecord {
  ErfTimestamp timestamp{};
  bool extension_follows{};
  ErfType type{};
  std::uint8_t reserved2{};
  bool ds_error{};        // the card's own error
  bool rx_error{};        // the link's, as a wrong FCS
  bool truncated{};       // the card lost a part
  bool varying_length{};  // records end with their packet, not at a fixed size
  std::uint8_t interface{};
  std::uint16_t record_length{};  // octets from the first of this header, padding included
  std::uint16_t loss_counter{};   // packets lost since the record before; the color in the color types
  std::uint16_t wire_length{};    // octets of the packet on the wire
};

constexpr auto layout(std::type_identity<ErfRecord>) {
  return Layout(Layer::erf,  //
                field<&ErfRecord::timestamp, 64>("rdma.erf.ts", "Timestamp, little-endian"),
                whole("erf.types", "Record type", 8),
                field<&ErfRecord::extension_follows, 1>("erf.types.ext_header", "Extension header present"),
                field<&ErfRecord::type, 7>("erf.types.type", "Type"),  //
                whole("erf.flags", "Flags", 8),
                field<&ErfRecord::reserved2, 2>("erf.flags.res", "Reserved").as(Display::hex).reserved(),
                field<&ErfRecord::ds_error, 1>("erf.flags.dse", "DS error"),
                field<&ErfRecord::rx_error, 1>("erf.flags.rxe", "RX error"),
                field<&ErfRecord::truncated, 1>("erf.flags.trunc", "Truncated"),
                field<&ErfRecord::varying_length, 1>("erf.flags.vlen", "Varying record length"),
                field<&ErfRecord::interface, 2>("erf.flags.cap", "Capture interface"),
                field<&ErfRecord::record_length, 16>("erf.rlen", "Record length"),
                field<&ErfRecord::loss_counter, 16>("erf.lctr", "Loss counter"),
                field<&ErfRecord::wire_length, 16>("erf.wlen", "Wire length"));
}
static_assert(header_size<ErfRecord> == 16);

struct ErfExtension {
  bool extension_follows{};
  std::uint8_t type{};
  std::array<std::uint8_t, 7> data{};
};

constexpr auto layout(std::type_identity<ErfExtension>) {
  return Layout(Layer::erf_extension,  //
                field<&ErfExtension::extension_follows, 1>("rdma.erf_ext.more", "Extension header follows"),
                field<&ErfExtension::type, 7>("erf.ehdr.types", "Extension header type"),
                field<&ErfExtension::data, 56>("rdma.erf_ext.data", "Data"));
}
static_assert(header_size<ErfExtension> == 8);

// Between the headers and the frame of types that are is_ethernet.
struct ErfEthernetPad {
  std::uint8_t offset{};  // octets cut from the frame's start
  std::uint8_t pad{};
};

constexpr auto layout(std::type_identity<ErfEthernetPad>) {
  return Layout(Layer::erf,  //
                field<&ErfEthernetPad::offset, 8>("erf.eth.off", "Offset"),
                field<&ErfEthernetPad::pad, 8>("erf.eth.pad", "Padding").as(Display::hex).reserved());
}
static_assert(header_size<ErfEthernetPad> == 2);

}  // namespace rdmawire::net
