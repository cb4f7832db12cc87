// Service IDs of the IP addressing service and of SDP: IBTA vol. 1, Annexes A11 and A4.
#pragma once

#include <cstdint>

#include "codec/base/types.h"

namespace rdmawire::mad {

// The protocol octet of an IP CM service ID; Linux calls them port spaces.
enum class PortSpace : std::uint8_t {
  tcp = 0x06,
  udp = 0x11,  // datagrams; resolved with SIDR_REQ
  ib = 0x3F,   // Linux' RDMA_PS_IB
};

// True if a REQ or SIDR_REQ to this service begins its private data with an IP CM header: 40 bits of prefix
// 0x0000000001, then 8 of protocol and 16 of port.
//= IPC-01
constexpr bool is_ip_cm(std::uint64_t service_id) { return service_id >> 24 == 1; }
constexpr bool is_ip_cm(ServiceId id) { return is_ip_cm(id.value); }

// True for the Sockets Direct Protocol: prefix 0x000000000001, then 16 bits of port. Its private data is SDP's own.
constexpr bool is_sdp(ServiceId id) { return id.value >> 16 == 1; }

// The protocol of an IP CM service ID (is_ip_cm).
constexpr std::uint8_t ip_protocol(ServiceId id) { return static_cast<std::uint8_t>(id.value >> 16); }

// The destination port of an IP CM or SDP service ID.
constexpr std::uint16_t service_port(ServiceId id) { return static_cast<std::uint16_t>(id.value); }

constexpr ServiceId ip_cm_service_id(PortSpace space, std::uint16_t port) {
  return {std::uint64_t{1} << 24 | std::uint64_t{static_cast<std::uint8_t>(space)} << 16 | port};
}

constexpr ServiceId sdp_service_id(std::uint16_t port) { return {std::uint64_t{1} << 16 | port}; }

// Of a datagram service of the UDP port space, unless both sides agree on another (Linux: RDMA_UDP_QKEY).
inline constexpr QKey udp_port_space_q_key{0x01234567};

}  // namespace rdmawire::mad
