// Encapsulated remote switch port analyzer, in GRE: draft-foschiano-erspan-03.
//
// Type I (GRE protocol 0x88BE without a sequence number) has no header of its own: Ethernet follows the GRE header.
// Type II (0x88BE with a sequence number) has Erspan2 and then Ethernet, type III (0x22EB) Erspan3, with its flag O
// Erspan3Platform, and then what the frame type says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/net/gre.h"

namespace rdmawire::net {

enum class ErspanType : std::uint8_t { none, type1, type2, type3 };

// Which of them a GRE header announces.
constexpr ErspanType erspan_type(const Gre& gre) {
  if (gre.protocol == EtherType::erspan3) return ErspanType::type3;
  if (gre.protocol != EtherType::erspan) return ErspanType::none;
  return gre.sequence_present ? ErspanType::type2 : ErspanType::type1;
}

// How the mirrored frame's VLAN tag was treated.
enum class ErspanEncapsulation : std::uint8_t { untagged = 0, isl = 1, dot1q = 2, tag_preserved = 3 };

constexpr std::string_view name_of(ErspanEncapsulation encapsulation) {
  switch (encapsulation) {
    case ErspanEncapsulation::untagged:
      return "without VLAN tag";
    case ErspanEncapsulation::isl:
      return "ISL";
    case ErspanEncapsulation::dot1q:
      return "802.1Q";
    case ErspanEncapsulation::tag_preserved:
      return "VLAN tag preserved in the frame";
  }
  return {};
}

struct Erspan2 {
  std::uint8_t version{};  // 1
  std::uint16_t vlan{};
  std::uint8_t class_of_service{};
  ErspanEncapsulation encapsulation{};
  bool truncated{};  // T: the mirrored frame was cut
  std::uint16_t session_id{};
  std::uint16_t reserved12{};
  std::uint32_t index{};  // port and direction, as the switch likes
};

constexpr auto layout(std::type_identity<Erspan2>) {
  return Layout(Layer::erspan2,  //
                field<&Erspan2::version, 4>("erspan.version", "Version"),
                field<&Erspan2::vlan, 12>("erspan.vlan", "VLAN"),
                field<&Erspan2::class_of_service, 3>("erspan.cos", "Class of service"),
                field<&Erspan2::encapsulation, 2>("erspan.encap", "Encapsulation"),
                field<&Erspan2::truncated, 1>("erspan.truncated", "Truncated"),
                field<&Erspan2::session_id, 10>("erspan.spanid", "Session ID"),
                field<&Erspan2::reserved12, 12>("erspan.reserved", "Reserved (12 bits)").reserved(),
                field<&Erspan2::index, 20>("erspan.index", "Index"));
}
static_assert(header_size<Erspan2> == 8);

// What kind of frame was mirrored. (3 to 31 are reserved.)
enum class ErspanFrameType : std::uint8_t { ethernet = 0, ip = 2 };

constexpr std::string_view name_of(ErspanFrameType type) {
  switch (type) {
    case ErspanFrameType::ethernet:
      return "Ethernet";
    case ErspanFrameType::ip:
      return "IP";
  }
  return {};
}

// The mirrored frame's health.
enum class ErspanIntegrity : std::uint8_t { good = 0, short_ = 1, oversized = 2, bad = 3 };

constexpr std::string_view name_of(ErspanIntegrity integrity) {
  switch (integrity) {
    case ErspanIntegrity::good:
      return "good or unknown";
    case ErspanIntegrity::short_:
      return "short";
    case ErspanIntegrity::oversized:
      return "oversized";
    case ErspanIntegrity::bad:
      return "bad CRC or alignment";
  }
  return {};
}

// Units of the timestamp.
enum class ErspanGranularity : std::uint8_t { us100 = 0, ns100 = 1, ieee1588 = 2, user_defined = 3 };

constexpr std::string_view name_of(ErspanGranularity granularity) {
  switch (granularity) {
    case ErspanGranularity::us100:
      return "100 us";
    case ErspanGranularity::ns100:
      return "100 ns";
    case ErspanGranularity::ieee1588:
      return "IEEE 1588";
    case ErspanGranularity::user_defined:
      return "user defined";
  }
  return {};
}

struct Erspan3 {
  std::uint8_t version{};  // 2
  std::uint16_t vlan{};
  std::uint8_t class_of_service{};
  ErspanIntegrity integrity{};  // BSO
  bool truncated{};             // T: the mirrored frame was cut
  std::uint16_t session_id{};
  std::uint32_t timestamp{};  // in units of granularity
  std::uint16_t security_group_tag{};
  bool ethernet_pdu{};  // P: an Ethernet protocol frame, not a mirrored one's payload
  ErspanFrameType frame_type{};
  std::uint8_t hardware_id{};
  bool egress{};  // D
  ErspanGranularity granularity{};
  bool platform_subheader{};  // O
};

constexpr auto layout(std::type_identity<Erspan3>) {
  return Layout(Layer::erspan3,  //
                field<&Erspan3::version, 4>("erspan.version", "Version"),
                field<&Erspan3::vlan, 12>("erspan.vlan", "VLAN"),
                field<&Erspan3::class_of_service, 3>("erspan.cos", "Class of service"),
                field<&Erspan3::integrity, 2>("erspan.bso", "Bad, short or oversized"),
                field<&Erspan3::truncated, 1>("erspan.truncated", "Truncated"),
                field<&Erspan3::session_id, 10>("erspan.spanid", "Session ID"),
                field<&Erspan3::timestamp, 32>("erspan.timestamp", "Timestamp"),
                field<&Erspan3::security_group_tag, 16>("erspan.sgt", "Security group tag"),
                field<&Erspan3::ethernet_pdu, 1>("erspan.p", "Ethernet protocol data unit"),
                field<&Erspan3::frame_type, 5>("erspan.ft", "Frame type"),
                field<&Erspan3::hardware_id, 6>("erspan.hw", "Hardware ID"),
                field<&Erspan3::egress, 1>("erspan.direction", "Direction: egress"),
                field<&Erspan3::granularity, 2>("erspan.gra", "Timestamp granularity"),
                field<&Erspan3::platform_subheader, 1>("erspan.o", "Platform subheader present"));
}
static_assert(header_size<Erspan3> == 12);

// The form of all but the first six bits depends on them, so it is one word with a closer look by platform.
struct Erspan3Platform {
  std::uint64_t value{};

  constexpr std::uint8_t id() const { return static_cast<std::uint8_t>(value >> 58); }
};

namespace detail {

template <std::uint8_t... ids>
constexpr bool platform_is(std::uint64_t word) {
  return ((word >> 58 == ids) || ...);
}

}  // namespace detail

constexpr auto layout(std::type_identity<Erspan3Platform>) {
  using detail::platform_is;
  return Layout(Layer::erspan3_platform,  //
                field<&Erspan3Platform::value, 64>("rdma.erspan3_platform.word", "Platform subheader").as(Display::hex),
                part("erspan.platid", "Platform ID", 0, 6),
                part("erspan.pid1.rsvd1", "Reserved", 6, 14).when(platform_is<1>),
                part("erspan.pid1.vsmid", "VSM domain ID", 20, 12).when(platform_is<1>),
                part("erspan.pid1.port_index", "Port ID or index", 32, 32).when(platform_is<1>),
                part("erspan.pid3.rsvd1", "Reserved", 6, 12).when(platform_is<3>),
                part("erspan.pid3.port_index", "Port ID or index", 18, 14).when(platform_is<3>),
                part("erspan.pid3.timestamp", "Upper half of the timestamp", 32, 32).when(platform_is<3>),
                part("erspan.pid4.rsvd1", "Reserved", 6, 12).when(platform_is<4>),
                part("erspan.pid4.rsvd2", "Reserved", 18, 14).when(platform_is<4>),
                part("erspan.pid4.rsvd3", "Reserved", 32, 32).when(platform_is<4>),
                part("erspan.pid5.switchid", "Switch ID", 6, 10).when(platform_is<5, 6>),
                part("erspan.pid5.port_index", "Port ID or index", 16, 16).when(platform_is<5, 6>),
                part("erspan.pid5.timestamp", "Timestamp, in seconds", 32, 32).when(platform_is<5, 6>),
                part("erspan.pid7.rsvd1", "Reserved", 6, 6).when(platform_is<0, 7>),
                part("erspan.pid7.source_index", "Source index", 12, 20).when(platform_is<0, 7>),
                part("erspan.pid7.timestamp", "Upper half of the timestamp", 32, 32).when(platform_is<0, 7>));
}
static_assert(header_size<Erspan3Platform> == 8);

// Octets of the header with its platform subheader.
constexpr std::size_t full_size(const Erspan3& header) {
  return header_size<Erspan3> + (header.platform_subheader ? header_size<Erspan3Platform> : 0);
}

}  // namespace rdmawire::net
