// What the first octet of a captured frame is: the LINKTYPE registry (www.tcpdump.org/linktypes.html).
#pragma once

#include <cstdint>
#include <string_view>

namespace rdmawire {

// Holds any LINKTYPE number; those named are the ones this library reads.
enum class LinkType : std::uint16_t {
  ethernet = 1,
  raw_ip = 101,  // begins with an IPv4 or IPv6 header
  linux_sll = 113,
  erf = 197,
  infiniband = 247,  // begins with the LRH
  linux_sll2 = 276,
};

// The link type for a number found in a file. Numbers that mean "begins with an IP header" as well become raw_ip:
// 12 and 14 (DLT_RAW written as it is, on most systems and on OpenBSD), 228 (IPv4) and 229 (IPv6).
constexpr LinkType link_type_of(std::uint16_t number) {
  switch (number) {
    case 12:
    case 14:
    case 228:
    case 229:
      return LinkType::raw_ip;
    default:
      return static_cast<LinkType>(number);
  }
}

// The registry's name in lower case; empty for one that this library does not read.
constexpr std::string_view name_of(LinkType link) {
  switch (link) {
    case LinkType::ethernet:
      return "ethernet";
    case LinkType::raw_ip:
      return "raw";
    case LinkType::linux_sll:
      return "linux_sll";
    case LinkType::erf:
      return "erf";
    case LinkType::infiniband:
      return "infiniband";
    case LinkType::linux_sll2:
      return "linux_sll2";
  }
  return {};
}

}  // namespace rdmawire
