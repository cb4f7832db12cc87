#include "protocol/ib/packet_writer.h"

#include <cstring>

#include "codec/frame.h"
#include "codec/ib/gid.h"
#include "codec/ib/trailer.h"
#include "codec/net/net.h"

namespace rdmawire::ib {
namespace {

template <Header T>
std::span<std::uint8_t, header_size<T>> header_at(std::uint8_t* out) {
  return std::span<std::uint8_t, header_size<T>>(out, header_size<T>);
}

template <Header T>
std::uint8_t* put(std::uint8_t* out, const T& header) {
  encode(header, header_at<T>(out));
  return out + header_size<T>;
}

}  // namespace

// The headers before the BTH, in the order of the wire; which ones, says the kind of ICRC.
PathHeaders::PathHeaders(const PortConfig& port, const verbs::AddressVector& path) {
  const GidEntry* entry = path.source_gid_index < port.gids.size() ? &port.gids[path.source_gid_index] : nullptr;
  const Carrier carrier = entry == nullptr ? Carrier::native : entry->carrier;
  native_ = carrier == Carrier::native;
  if (native_) icrc_ = path.global ? IcrcStart::lrh_grh : IcrcStart::lrh;
  if (carrier == Carrier::rocev1) icrc_ = IcrcStart::grh;
  //= V2-01
  //= V2-10
  if (carrier == Carrier::rocev2) icrc_ = is_ipv4_mapped(path.destination_gid) ? IcrcStart::ipv4 : IcrcStart::ipv6;
  add_link(port, entry, path);
  if (icrc_ == IcrcStart::grh || icrc_ == IcrcStart::lrh_grh) add_grh(entry, path);
  if (carrier == Carrier::rocev2) add_ip(*entry, path);
}

template <Header T>
void PathHeaders::add(const T& header) {
  put(octets_.data() + size_, header);
  size_ += header_size<T>;
}

void PathHeaders::add_link(const PortConfig& port, const GidEntry* entry, const verbs::AddressVector& path) {
  if (native_) {
    Lrh lrh;
    lrh.service_level = path.service_level;
    lrh.next_header = icrc_ == IcrcStart::lrh_grh ? LinkNextHeader::iba_global : LinkNextHeader::iba_local;
    lrh.dlid = path.destination_lid;
    lrh.slid = {static_cast<std::uint16_t>(port.lid.value | path.source_path_bits)};
    return add(lrh);
  }
  const net::EtherType type = ethertype_of(icrc_);
  net::Ethernet ethernet;
  ethernet.destination = path.destination_mac;
  ethernet.source = port.mac;
  ethernet.type = entry->vlan ? net::EtherType::vlan : type;
  add(ethernet);
  if (entry->vlan) {
    net::Vlan vlan;
    //= V2-20
    vlan.priority = path.service_level & 7U;
    vlan.id = *entry->vlan;
    vlan.type = type;
    add(vlan);
  }
  icrc_at_ = size_;
}

void PathHeaders::add_grh(const GidEntry* entry, const verbs::AddressVector& path) {
  Grh grh;
  grh.ip_version = 6;
  grh.traffic_class = path.traffic_class;
  grh.flow_label = path.flow_label;
  grh.next_header = Grh::iba_transport;
  grh.hop_limit = path.hop_limit;
  if (entry != nullptr) grh.sgid = entry->gid;
  grh.dgid = path.destination_gid;
  add(grh);
}

void PathHeaders::add_ip(const GidEntry& entry, const verbs::AddressVector& path) {
  if (icrc_ == IcrcStart::ipv4) {
    net::Ipv4 ip;
    ip.version = 4;
    //= V2-02
    ip.ihl = header_size<net::Ipv4> / 4;
    //= V2-03
    //= V2-04
    ip.traffic_class = {path.traffic_class};
    //= V2-06
    //= V2-07
    ip.dont_fragment = true;
    //= V2-08
    ip.time_to_live = path.hop_limit;
    //= V2-09
    ip.protocol = net::IpProtocol::udp;
    ip.source = ipv4_of(entry.gid);
    ip.destination = ipv4_of(path.destination_gid);
    add(ip);
    ipv4_sum_.add(Bytes(octets_).subspan(icrc_at_, header_size<net::Ipv4>));
  } else {
    net::Ipv6 ip;
    ip.version = 6;
    ip.traffic_class = {path.traffic_class};
    ip.flow_label = path.flow_label;
    ip.next_header = net::IpProtocol::udp;
    ip.hop_limit = path.hop_limit;
    ip.source = {entry.gid.octets};
    ip.destination = {path.destination_gid.octets};
    add(ip);
  }
  net::Udp udp;
  //= V2-13
  udp.source_port = path.udp_source_port;
  //= V2-12
  udp.destination_port = {rocev2_port};
  //= V2-15
  udp.checksum = 0;
  add(udp);
}

inline void PathHeaders::write(std::uint8_t* out, std::uint32_t transport_len) const {
  // Of a size that the compiler knows: a few moves instead of a call.
  std::memcpy(out, octets_.data(), octets_.size());
  const auto length = static_cast<std::uint16_t>(transport_len);
  const auto udp_length = static_cast<std::uint16_t>(header_size<net::Udp> + transport_len);
  std::uint8_t* const network = out + icrc_at_;
  switch (icrc_) {
    case IcrcStart::lrh_grh:
      poke<&Grh::payload_len>(header_at<Grh>(out + header_size<Lrh>), length);
      [[fallthrough]];
    case IcrcStart::lrh:
      return poke<&Lrh::packet_len_words>(header_at<Lrh>(out), static_cast<std::uint16_t>((size_ + transport_len) / 4));
    case IcrcStart::grh:
      return poke<&Grh::payload_len>(header_at<Grh>(network), length);
    case IcrcStart::ipv4: {
      //= V2-05
      const auto total_length = static_cast<std::uint16_t>(header_size<net::Ipv4> + udp_length);
      const auto ip = header_at<net::Ipv4>(network);
      poke<&net::Ipv4::total_length>(ip, total_length);
      net::InternetChecksum sum = ipv4_sum_;
      sum.add_word(total_length);
      poke<&net::Ipv4::checksum>(ip, sum.checksum());
      //= V2-14
      return poke<&net::Udp::length>(header_at<net::Udp>(network + header_size<net::Ipv4>), udp_length);
    }
    case IcrcStart::ipv6:
      //= V2-11
      poke<&net::Ipv6::payload_length>(header_at<net::Ipv6>(network), udp_length);
      //= V2-14
      return poke<&net::Udp::length>(header_at<net::Udp>(network + header_size<net::Ipv6>), udp_length);
  }
}

std::size_t write_frame(const PathHeaders& path, const TxPacket& packet, const OpcodeInfo& row, const BthRest& rest,
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
  // The last piece, which is mostly all of the payload, is copied while the CRC is made.
  Bytes last;
  if (pad == 0 && !packet.payload.empty()) last = packet.payload.back();
  for (const Bytes piece : packet.payload.first(packet.payload.size() - (last.empty() ? 0 : 1))) {
    std::memcpy(at, piece.data(), piece.size());
    at += piece.size();
  }
  for (std::uint32_t i = 0; i < pad; ++i) *at++ = 0;
  at += last.size();
  const std::uint32_t start = path.icrc_start();
  //= HV-02
  const std::uint32_t crc = icrc_copying(
      path.icrc_kind(), MutableBytes(out + start, static_cast<std::size_t>(at - out) - start), last, bth_at - start);
  // CRCs go out least significant octet first.
  at = put(at, Icrc{__builtin_bswap32(crc)});
  if (path.native()) at = put(at, Vcrc{__builtin_bswap16(vcrc(Bytes(out, static_cast<std::size_t>(at - out))))});
  return static_cast<std::size_t>(at - out);
}

}  // namespace rdmawire::ib
