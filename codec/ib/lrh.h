// Local Route Header: IBTA vol. 1, 7.7.
#pragma once

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::ib {

// Link next header: what follows the LRH (table 7).
enum class LinkNextHeader : std::uint8_t {
  raw = 0,         // RWH, then a payload of the EtherType it names; no ICRC
  ipv6 = 1,        // an IPv6 packet; no ICRC
  iba_local = 2,   // BTH
  iba_global = 3,  // GRH, BTH
};

inline constexpr std::array link_next_header_names{
    Name{LinkNextHeader::raw, "raw"},
    Name{LinkNextHeader::ipv6, "raw IPv6"},
    Name{LinkNextHeader::iba_local, "IBA local"},
    Name{LinkNextHeader::iba_global, "IBA global"},
};

constexpr std::string_view name_of(LinkNextHeader value) { return find_name(link_next_header_names, value); }

struct Lrh {
  std::uint8_t virtual_lane{};
  std::uint8_t version{};  // LVer, 0
  std::uint8_t service_level{};
  std::uint8_t reserved2{};
  LinkNextHeader next_header{};
  Lid dlid{};  // 0xFFFF permissive, 0xC000 .. 0xFFFE multicast
  std::uint8_t reserved5{};
  std::uint16_t packet_len_words{};  // 4-octet words from the LRH through the ICRC
  Lid slid{};
};

constexpr auto layout(std::type_identity<Lrh>) {
  return Layout(Layer::lrh,  //
                field<&Lrh::virtual_lane, 4>("infiniband.lrh.vl", "Virtual lane").as(Display::hex),
                field<&Lrh::version, 4>("infiniband.lrh.lver", "Link version"),
                field<&Lrh::service_level, 4>("infiniband.lrh.sl", "Service level"),
                field<&Lrh::reserved2, 2>("infiniband.lrh.reserved2", "Reserved (2 bits)").reserved(),
                field<&Lrh::next_header, 2>("infiniband.lrh.lnh", "Link next header").as(Display::hex),
                field<&Lrh::dlid, 16>("infiniband.lrh.dlid", "Destination local identifier"),
                field<&Lrh::reserved5, 5>("infiniband.lrh.reserved5", "Reserved (5 bits)").reserved(),
                field<&Lrh::packet_len_words, 11>("infiniband.lrh.pktlen", "Packet length (4-octet words)"),
                field<&Lrh::slid, 16>("infiniband.lrh.slid", "Source local identifier"));
}
static_assert(header_size<Lrh> == 8);

}  // namespace rdmawire::ib
