// GIDs of a RoCEv2 port stand for its IP addresses: IBTA A17.4.1. is_ipv4_mapped (codec/base/types.h) says of which
// kind.
#pragma once

#include <algorithm>

#include "codec/base/types.h"

namespace rdmawire::ib {

constexpr Gid gid_of(const Ipv4Address& address) {
  Gid out;
  out.octets[10] = out.octets[11] = 0xFF;
  std::copy(address.octets.begin(), address.octets.end(), out.octets.begin() + 12);
  return out;
}
constexpr Gid gid_of(const Ipv6Address& address) { return {address.octets}; }

// Of a GID that is_ipv4_mapped.
constexpr Ipv4Address ipv4_of(const Gid& gid) {
  Ipv4Address out;
  std::copy(gid.octets.begin() + 12, gid.octets.end(), out.octets.begin());
  return out;
}

}  // namespace rdmawire::ib
