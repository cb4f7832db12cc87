// Frames of what goes and comes by the operating system's own IP: headers that nobody sees are made up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/net/net.h"
#include "pcap/wire/wire.h"

namespace rdmawire::wire {

inline constexpr MadeUpLink made_up{{{0x02, 0, 0, 0, 0, 0xFD}}, {{0x02, 0, 0, 0, 0, 0xFE}}};

enum class IpFamily : std::uint8_t { four, six };

constexpr std::size_t link_len = header_size<net::Ethernet>;
constexpr std::size_t udp_len = header_size<net::Udp>;
constexpr std::size_t ip_len(IpFamily family) {
  return family == IpFamily::four ? header_size<net::Ipv4> : header_size<net::Ipv6>;
}

// What an IP packet is sent or has come with. Addresses as GIDs.
struct IpPath {
  Gid source;
  Gid destination;
  net::TrafficClass traffic_class{};
  std::uint8_t hop_limit = 64;
};

// Of a frame without IP options or extension headers; nothing if it is no UDP of that family.
std::optional<IpPath> udp_path_of(Bytes frame, IpFamily family);

// What became of a frame of that length that was sent: result and errno as sendto() and sendmsg() leave them. Counts
// those that the path has no room for.
IoResult outcome_of_send(std::ptrdiff_t result, std::size_t frame_len, std::uint64_t& num_too_long);

// As the frame's first octets.
void write_link(MutableBytes frame, const MacAddress& source, const MacAddress& destination, IpFamily family);
// Behind them; payload_len: octets behind the IP header. IPv4 may not be fragmented, its identification is 0, its
// checksum right.
void write_ip(MutableBytes frame, const IpPath& path, net::IpProtocol protocol, IpFamily family,
              std::size_t payload_len);

// Gives a RoCEv2 frame over IPv4, whose identification is not known, the one with which its ICRC is right, and the flag
// that forbids fragments as that has it; the header's checksum follows. Without one the frame is damaged, and its ICRC
// stays wrong. 15 of the ICRC's 32 bits are left to tell that.
void find_identification(MutableBytes frame);

}  // namespace rdmawire::wire
