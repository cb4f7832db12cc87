#include "protocol/ib/packet_writer.h"

#include <algorithm>
#include <cstring>

#include "codec/frame.h"
#include "codec/ib/trailer.h"
#include "codec/net/net.h"

namespace rdmawire::ib {
namespace {

template <Header T>
std::uint8_t* put(std::uint8_t* out, const T& header) {
  encode(header, std::span<std::uint8_t, header_size<T>>(out, header_size<T>));
  return out + header_size<T>;
}

Ipv4Address ipv4_of(const Gid& gid) {
  Ipv4Address out;
  std::copy(gid.octets.begin() + 12, gid.octets.end(), out.octets.begin());
  return out;
}

}  // namespace

PathHeaders::PathHeaders(const PortConfig& port, const verbs::AddressVector& path) {
  const GidEntry* entry = path.source_gid_index < port.gids.size() ? &port.gids[path.source_gid_index] : nullptr;
  const Carrier carrier = entry == nullptr ? Carrier::native : entry->carrier;
  native_ = carrier == Carrier::native;
  has_grh_ = carrier == Carrier::rocev1 || (native_ && path.global);
  if (native_) {
    lrh_.service_level = path.service_level;
    lrh_.next_header = has_grh_ ? LinkNextHeader::iba_global : LinkNextHeader::iba_local;
    lrh_.dlid = path.destination_lid;
    lrh_.slid = {static_cast<std::uint16_t>(port.lid.value | path.source_path_bits)};
    size_ = header_size<Lrh>;
    icrc_ = has_grh_ ? IcrcStart::lrh_grh : IcrcStart::lrh;
  } else {
    has_vlan_ = entry->vlan.has_value();
    ethernet_.destination = path.destination_mac;
    ethernet_.source = port.mac;
    //= V2-20
    vlan_.priority = path.service_level & 7U;
    vlan_.id = entry->vlan.value_or(0);
    size_ = header_size<net::Ethernet> + (has_vlan_ ? header_size<net::Vlan> : 0);
    icrc_at_ = size_;
  }
  if (has_grh_) {
    grh_.ip_version = 6;
    grh_.traffic_class = path.traffic_class;
    grh_.flow_label = path.flow_label;
    grh_.next_header = Grh::iba_transport;
    grh_.hop_limit = path.hop_limit;
    if (entry != nullptr) grh_.sgid = entry->gid;
    grh_.dgid = path.destination_gid;
    size_ += header_size<Grh>;
    if (!native_) icrc_ = IcrcStart::grh;
  }
  if (carrier == Carrier::rocev2) add_ip(*entry, path);
  if (native_) return;
  auto type = net::EtherType::roce;
  if (icrc_ == IcrcStart::ipv4) type = net::EtherType::ipv4;
  if (icrc_ == IcrcStart::ipv6) type = net::EtherType::ipv6;
  ethernet_.type = has_vlan_ ? net::EtherType::vlan : type;
  vlan_.type = type;
}

void PathHeaders::add_ip(const GidEntry& entry, const verbs::AddressVector& path) {
  //= V2-01
  //= V2-10
  if (is_ipv4_mapped(path.destination_gid)) {
    icrc_ = IcrcStart::ipv4;
    ipv4_.version = 4;
    //= V2-02
    ipv4_.ihl = header_size<net::Ipv4> / 4;
    //= V2-03
    //= V2-04
    ipv4_.traffic_class = {path.traffic_class};
    //= V2-06
    //= V2-07
    ipv4_.dont_fragment = true;
    //= V2-08
    ipv4_.time_to_live = path.hop_limit;
    //= V2-09
    ipv4_.protocol = net::IpProtocol::udp;
    ipv4_.source = ipv4_of(entry.gid);
    ipv4_.destination = ipv4_of(path.destination_gid);
    size_ += header_size<net::Ipv4>;
  } else {
    icrc_ = IcrcStart::ipv6;
    ipv6_.version = 6;
    ipv6_.traffic_class = {path.traffic_class};
    ipv6_.flow_label = path.flow_label;
    ipv6_.next_header = net::IpProtocol::udp;
    ipv6_.hop_limit = path.hop_limit;
    std::ranges::copy(entry.gid.octets, ipv6_.source.octets.begin());
    std::ranges::copy(path.destination_gid.octets, ipv6_.destination.octets.begin());
    size_ += header_size<net::Ipv6>;
  }
  //= V2-13
  udp_.source_port = path.udp_source_port;
  //= V2-12
  udp_.destination_port = {rocev2_port};
  //= V2-15
  udp_.checksum = 0;
  size_ += header_size<net::Udp>;
}

void PathHeaders::write(std::uint8_t* out, std::uint32_t transport_len) {
  if (native_) {
    lrh_.packet_len_words = static_cast<std::uint16_t>((size_ + transport_len) / 4);
    out = put(out, lrh_);
  } else {
    out = put(out, ethernet_);
    if (has_vlan_) out = put(out, vlan_);
  }
  if (has_grh_) {
    grh_.payload_len = static_cast<std::uint16_t>(transport_len);
    put(out, grh_);
    return;
  }
  const auto udp_len = static_cast<std::uint16_t>(header_size<net::Udp> + transport_len);
  if (icrc_ == IcrcStart::ipv4) {
    //= V2-05
    ipv4_.total_length = static_cast<std::uint16_t>(header_size<net::Ipv4> + udp_len);
    ipv4_.checksum = 0;
    put(out, ipv4_);
    ipv4_.checksum = net::ipv4_checksum(Bytes(out, header_size<net::Ipv4>));
    out = put(out, ipv4_);
  } else if (icrc_ == IcrcStart::ipv6) {
    //= V2-11
    ipv6_.payload_length = udp_len;
    out = put(out, ipv6_);
  } else {
    return;
  }
  //= V2-14
  udp_.length = udp_len;
  put(out, udp_);
}

std::size_t write_frame(PathHeaders& path, const TxPacket& packet, const OpcodeInfo& row, const BthRest& rest,
                        std::uint8_t* out) {
  //= LEN-04
  const std::uint32_t pad = -packet.payload_len & 3U;
  const auto transport_len =
      static_cast<std::uint32_t>(transport_size(row) + header_size<Icrc>) + packet.payload_len + pad;
  path.write(out, transport_len);
  Bth bth;
  bth.opcode = packet.opcode;
  bth.solicited = packet.solicited;
  bth.migrated = rest.migrated;
  bth.pad_count = static_cast<std::uint8_t>(pad);
  bth.p_key = rest.p_key;
  bth.becn = rest.becn;
  bth.dest_qp = rest.destination_qp;
  bth.ack_request = packet.ack_request;
  bth.psn = packet.psn;
  const std::uint32_t bth_at = path.size();
  std::uint8_t* at = put(out + bth_at, bth);
  for (std::size_t i = 0; i < row.num_headers; ++i) {
    with_extended(packet.headers, row.headers[i], [&](const auto& header) { at = put(at, header); });
  }
  for (const Bytes piece : packet.payload) {
    std::memcpy(at, piece.data(), piece.size());
    at += piece.size();
  }
  for (std::uint32_t i = 0; i < pad; ++i) *at++ = 0;
  const std::uint32_t start = path.icrc_start();
  //= HV-02
  const std::uint32_t crc =
      icrc(path.icrc_kind(), Bytes(out + start, static_cast<std::size_t>(at - out) - start), bth_at - start);
  // CRCs go out least significant octet first.
  at = put(at, Icrc{__builtin_bswap32(crc)});
  if (path.native()) at = put(at, Vcrc{__builtin_bswap16(vcrc(Bytes(out, static_cast<std::size_t>(at - out))))});
  return static_cast<std::size_t>(at - out);
}

}  // namespace rdmawire::ib
