// Texts of IP addresses, which are here the GIDs that stand for them (codec/ib/gid.h), and of MAC addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codec/base/types.h"
#include "pcap/wire/socket_address.h"

namespace rdmawire::wire {

// "10.77.0.9" or "fd00:77::9"; nothing if it is neither.
std::optional<Gid> parse_ip(std::string_view text);
// The same way back.
std::string ip_text(const Gid& address);

// As the operating system has it, and back.
SocketAddress socket_address(const Gid& address, std::uint16_t port);
Gid gid_of(const SocketAddress& address);

// An address and the network that it lies in: "10.77.0.9/24". Without a length 24 and 64.
struct IpPrefix {
  Gid address;
  std::uint8_t length = 128;  // bits of the GID

  bool has(const Gid& other) const;
};
std::optional<IpPrefix> parse_prefix(std::string_view text);

// "02:00:00:00:00:99" or "02-00-00-00-00-99"; nothing if it is something else.
std::optional<MacAddress> parse_mac(std::string_view text);
std::string mac_text(const MacAddress& mac);

}  // namespace rdmawire::wire
