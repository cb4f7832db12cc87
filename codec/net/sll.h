// What Linux puts before a packet captured on the device "any": LINKTYPE_LINUX_SLL (113) and LINKTYPE_LINUX_SLL2 (276),
// as specified by the tcpdump group.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/net/types.h"

namespace rdmawire::net {

enum class SllPacketType : std::uint16_t { to_us = 0, broadcast = 1, multicast = 2, to_other = 3, from_us = 4 };

constexpr std::string_view name_of(SllPacketType type) {
  switch (type) {
    case SllPacketType::to_us:
      return "to us";
    case SllPacketType::broadcast:
      return "broadcast";
    case SllPacketType::multicast:
      return "multicast";
    case SllPacketType::to_other:
      return "to another host";
    case SllPacketType::from_us:
      return "sent by us";
  }
  return {};
}

// Linux ARPHRD_ types. For netlink, IP GRE and a few others the protocol is no EtherType.
enum class SllHardwareType : std::uint16_t {
  ethernet = 1,
  infiniband = 32,
  loopback = 772,
  ip_gre = 778,
  none = 65534,  // no link-layer header, as tun devices
};

constexpr std::string_view name_of(SllHardwareType type) {
  switch (type) {
    case SllHardwareType::ethernet:
      return "Ethernet";
    case SllHardwareType::infiniband:
      return "InfiniBand";
    case SllHardwareType::loopback:
      return "loopback";
    case SllHardwareType::ip_gre:
      return "GRE over IP";
    case SllHardwareType::none:
      return "none";
  }
  return {};
}

struct Sll {
  SllPacketType packet_type{};
  SllHardwareType hardware_type{};
  std::uint16_t address_length{};         // octets of address that count; more than 8 when it was cut
  std::array<std::uint8_t, 8> address{};  // the sender's
  EtherType protocol{};
};

constexpr auto layout(std::type_identity<Sll>) {
  return Layout(Layer::sll,  //
                field<&Sll::packet_type, 16>("sll.pkttype", "Packet type"),
                field<&Sll::hardware_type, 16>("sll.hatype", "Link-layer address type"),
                field<&Sll::address_length, 16>("sll.halen", "Link-layer address length"),
                field<&Sll::address, 64>("rdma.sll.address", "Link-layer address, padded"),
                field<&Sll::protocol, 16>("sll.etype", "Protocol").as(Display::hex));
}
static_assert(header_size<Sll> == 16);

struct Sll2 {
  EtherType protocol{};
  std::uint16_t reserved{};
  std::uint32_t interface_index{};
  SllHardwareType hardware_type{};
  SllPacketType packet_type{};            // 8 bits here
  std::uint8_t address_length{};          // octets of address that count; more than 8 when it was cut
  std::array<std::uint8_t, 8> address{};  // the sender's
};

constexpr auto layout(std::type_identity<Sll2>) {
  return Layout(Layer::sll2,  //
                field<&Sll2::protocol, 16>("sll.etype", "Protocol").as(Display::hex),
                field<&Sll2::reserved, 16>("rdma.sll2.reserved", "Reserved").reserved(),
                field<&Sll2::interface_index, 32>("sll.ifindex", "Interface index"),
                field<&Sll2::hardware_type, 16>("sll.hatype", "Link-layer address type"),
                field<&Sll2::packet_type, 8>("sll.pkttype", "Packet type"),
                field<&Sll2::address_length, 8>("sll.halen", "Link-layer address length"),
                field<&Sll2::address, 64>("rdma.sll2.address", "Link-layer address, padded"));
}
static_assert(header_size<Sll2> == 20);

}  // namespace rdmawire::net
