// Where packets of a connection, or a datagram, go: IBTA vol. 1, 11.2.2.1; for RoCE A16 and A17.
#pragma once

#include <cstdint>

#include "codec/base/types.h"

namespace rdmawire::verbs {

struct AddressVector {
  // Local identifiers, of native InfiniBand.
  Lid destination_lid;
  std::uint8_t service_level = 0;  // RoCE: Ethernet priority, 0 .. 7
  std::uint8_t source_path_bits = 0;
  // Global route; RoCE always has one. IPv4 as ::ffff:a.b.c.d.
  bool global = false;
  Gid destination_gid;
  std::uint8_t source_gid_index = 0;  // in the port's GID table
  std::uint32_t flow_label = 0;       // 20 bits
  std::uint8_t hop_limit = 64;
  std::uint8_t traffic_class = 0;   // DSCP and ECN of RoCEv2
  MacAddress destination_mac;       // RoCE
  UdpPort udp_source_port{0xC000};  // RoCEv2; constant for a connection (V2-13)

  friend constexpr bool operator==(const AddressVector&, const AddressVector&) = default;
};

}  // namespace rdmawire::verbs
