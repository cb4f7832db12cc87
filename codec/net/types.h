// Numbers and words that several network headers share.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace rdmawire::net {

// What follows an Ethernet, VLAN, SLL or GRE header (IEEE 802 Numbers, IANA). Up to 1500 it is not a type but the
// length of an 802.3 frame.
enum class EtherType : std::uint16_t {
  ipv4 = 0x0800,
  arp = 0x0806,
  erspan3 = 0x22EB,   // GRE
  ethernet = 0x6558,  // GRE: transparent Ethernet bridging
  rarp = 0x8035,
  vlan = 0x8100,  // 802.1Q customer tag
  ipv6 = 0x86DD,
  mac_control = 0x8808,
  slow_protocols = 0x8809,  // LACP, OAM
  mpls = 0x8847,
  mpls_multicast = 0x8848,
  service_vlan = 0x88A8,  // 802.1ad service tag
  erspan = 0x88BE,        // GRE: ERSPAN type I, and II with a sequence number
  lldp = 0x88CC,
  macsec = 0x88E5,
  ptp = 0x88F7,
  fcoe = 0x8906,
  roce = 0x8915,      // RoCEv1 (IBTA A16)
  old_qinq = 0x9100,  // service tag before 802.1ad
};

constexpr std::string_view name_of(EtherType type) {
  switch (type) {
    case EtherType::ipv4:
      return "IPv4";
    case EtherType::arp:
      return "ARP";
    case EtherType::erspan3:
      return "ERSPAN type III";
    case EtherType::ethernet:
      return "Transparent Ethernet bridging";
    case EtherType::rarp:
      return "RARP";
    case EtherType::vlan:
      return "802.1Q VLAN";
    case EtherType::ipv6:
      return "IPv6";
    case EtherType::mac_control:
      return "MAC control";
    case EtherType::slow_protocols:
      return "Slow protocols";
    case EtherType::mpls:
      return "MPLS";
    case EtherType::mpls_multicast:
      return "MPLS multicast";
    case EtherType::service_vlan:
      return "802.1ad service VLAN";
    case EtherType::erspan:
      return "ERSPAN type I or II";
    case EtherType::lldp:
      return "LLDP";
    case EtherType::macsec:
      return "MACsec";
    case EtherType::ptp:
      return "PTP";
    case EtherType::fcoe:
      return "FCoE";
    case EtherType::roce:
      return "RoCEv1";
    case EtherType::old_qinq:
      return "QinQ (before 802.1ad)";
  }
  return {};
}

inline constexpr std::uint16_t max_802_3_length = 1500;  // octets (IEEE 802.3, 3.2.6)
inline constexpr std::uint16_t min_ethertype = 1536;     // what lies between is neither

// True for the length of an 802.3 frame: an LLC header follows, not the payload of a type.
constexpr bool is_length(EtherType type) { return static_cast<std::uint16_t>(type) <= max_802_3_length; }

// True for a type that a VLAN tag follows (vlan.h).
constexpr bool is_vlan(EtherType type) {
  return type == EtherType::vlan || type == EtherType::service_vlan || type == EtherType::old_qinq;
}

// IPv4's Protocol and IPv6's Next Header (IANA Protocol Numbers).
enum class IpProtocol : std::uint8_t {
  hop_by_hop = 0,
  icmp = 1,
  igmp = 2,
  ipv4 = 4,
  tcp = 6,
  udp = 17,
  ipv6 = 41,
  routing = 43,
  fragment = 44,
  gre = 47,
  esp = 50,
  authentication = 51,
  icmpv6 = 58,
  no_next_header = 59,
  destination_options = 60,
  sctp = 132,
  mobility = 135,
  udp_lite = 136,
  host_identity = 139,
  shim6 = 140,
};

constexpr std::string_view name_of(IpProtocol protocol) {
  switch (protocol) {
    case IpProtocol::hop_by_hop:
      return "IPv6 hop-by-hop options";
    case IpProtocol::icmp:
      return "ICMP";
    case IpProtocol::igmp:
      return "IGMP";
    case IpProtocol::ipv4:
      return "IPv4";
    case IpProtocol::tcp:
      return "TCP";
    case IpProtocol::udp:
      return "UDP";
    case IpProtocol::ipv6:
      return "IPv6";
    case IpProtocol::routing:
      return "IPv6 routing header";
    case IpProtocol::fragment:
      return "IPv6 fragment header";
    case IpProtocol::gre:
      return "GRE";
    case IpProtocol::esp:
      return "ESP";
    case IpProtocol::authentication:
      return "Authentication header";
    case IpProtocol::icmpv6:
      return "ICMPv6";
    case IpProtocol::no_next_header:
      return "No next header";
    case IpProtocol::destination_options:
      return "IPv6 destination options";
    case IpProtocol::sctp:
      return "SCTP";
    case IpProtocol::mobility:
      return "Mobility header";
    case IpProtocol::udp_lite:
      return "UDP-Lite";
    case IpProtocol::host_identity:
      return "Host identity protocol";
    case IpProtocol::shim6:
      return "Shim6";
  }
  return {};
}

// Explicit congestion notification (RFC 3168, 5).
enum class Ecn : std::uint8_t { not_capable = 0, capable_1 = 1, capable_0 = 2, congestion_experienced = 3 };

constexpr std::string_view name_of(Ecn ecn) {
  switch (ecn) {
    case Ecn::not_capable:
      return "Not-ECT";
    case Ecn::capable_1:
      return "ECT(1)";
    case Ecn::capable_0:
      return "ECT(0)";
    case Ecn::congestion_experienced:
      return "CE";
  }
  return {};
}

// IPv4's Type of Service and IPv6's Traffic Class: six bits of DSCP (RFC 2474) and two of ECN.
struct TrafficClass {
  std::uint8_t value{};

  // dscp: 0 to 63.
  static constexpr TrafficClass of(std::uint8_t dscp, Ecn ecn) {
    return {static_cast<std::uint8_t>(dscp << 2 | static_cast<std::uint8_t>(ecn))};
  }
  constexpr std::uint8_t dscp() const { return value >> 2; }
  constexpr Ecn ecn() const { return static_cast<Ecn>(value & 3U); }
  friend constexpr auto operator<=>(TrafficClass, TrafficClass) = default;
};

}  // namespace rdmawire::net
