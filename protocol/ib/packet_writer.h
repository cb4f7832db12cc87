// Transport packets to frames. What stays the same for a path is encoded once.
#pragma once

#include <array>
#include <cstdint>

#include "codec/base/bytes.h"
#include "codec/ib/icrc.h"
#include "codec/net/net.h"
#include "protocol/ib/packet.h"
#include "protocol/ib/port_config.h"

namespace rdmawire::ib {

// Of RoCE: what the EtherType says follows, the network header that the ICRC begins with.
constexpr net::EtherType ethertype_of(IcrcStart start) {
  if (start == IcrcStart::ipv4) return net::EtherType::ipv4;
  return start == IcrcStart::ipv6 ? net::EtherType::ipv6 : net::EtherType::roce;
}

// The headers before the BTH of all packets that take one path. Only their lengths and the IPv4 checksum differ.
class PathHeaders {
 public:
  static constexpr std::size_t max_size = 82;  // Ethernet, VLAN tag, IPv6, UDP; or LRH, GRH
  PathHeaders() = default;
  // path.source_gid_index must be in the port's table, unless the path is local to a subnet.
  PathHeaders(const PortConfig& port, const verbs::AddressVector& path);

  std::uint32_t size() const { return size_; }
  // Writes them for a transport packet of that many octets, BTH through ICRC. out has room for max_size octets: those
  // behind the headers are overwritten too.
  inline void write(std::uint8_t* out, std::uint32_t transport_len) const;
  // Where the octets that the ICRC covers begin.
  std::uint32_t icrc_start() const { return icrc_at_; }
  IcrcStart icrc_kind() const { return icrc_; }
  bool native() const { return native_; }

 private:
  template <Header T>
  void add(const T& header);
  void add_link(const PortConfig& port, const GidEntry* entry, const verbs::AddressVector& path);
  void add_grh(const GidEntry* entry, const verbs::AddressVector& path);
  void add_ip(const GidEntry& entry, const verbs::AddressVector& path);

  bool native_ = false;
  IcrcStart icrc_{};
  std::uint32_t size_ = 0;
  std::uint32_t icrc_at_ = 0;
  net::InternetChecksum ipv4_sum_;               // without the total length
  std::array<std::uint8_t, max_size> octets_{};  // lengths and the IPv4 checksum are 0
};

// What the BTH has besides what the packet says.
struct BthRest {
  PKey p_key;
  Qpn destination_qp;
  bool migrated = true;  // M
  bool becn = false;
};

// The most octets that a frame takes with a payload of payload_len.
constexpr std::size_t max_frame_len(std::uint32_t payload_len) {
  return PathHeaders::max_size + header_size<Bth> + 48 + payload_len + 3 + 4 + 2;
}

// Writes the whole frame and returns its octets. out has room for max_frame_len(packet.payload_len). row: of the
// opcode.
std::size_t write_frame(const PathHeaders& path, const TxPacket& packet, const OpcodeInfo& row, const BthRest& rest,
                        std::uint8_t* out);

}  // namespace rdmawire::ib
