#include "protocol/ib/expected_headers.h"

#include <cstring>

#include "codec/frame.h"
#include "codec/ib/gid.h"
#include "codec/ib/trailer.h"
#include "codec/net/net.h"

namespace rdmawire::ib {
namespace {

// All bits of an address.
template <class Address>
constexpr Address all_ones() {
  Address out;
  out.octets.fill(0xFF);
  return out;
}
constexpr net::EtherType whole_type{0xFFFF};

template <Header T>
HeaderBytes<T> header_at(const std::uint8_t* octets) {
  return HeaderBytes<T>(octets, header_size<T>);
}

}  // namespace

std::size_t usual_bth_at(Bytes frame) {
  constexpr std::size_t link = header_size<net::Ethernet>;
  constexpr std::size_t tag = header_size<net::Vlan>;
  if (frame.size() < link + tag) return 0;
  net::EtherType type = peek<&net::Ethernet::type>(header_at<net::Ethernet>(frame.data()));
  std::size_t at = link;
  if (type == net::EtherType::vlan) {
    type = peek<&net::Vlan::type>(header_at<net::Vlan>(frame.data() + at));
    at += tag;
  }
  if (type == net::EtherType::ipv4) return at + header_size<net::Ipv4> + header_size<net::Udp>;
  if (type == net::EtherType::ipv6) return at + header_size<net::Ipv6> + header_size<net::Udp>;
  return type == net::EtherType::roce ? at + header_size<Grh> : 0;
}

template <Header T>
void ExpectedHeaders::add(const T& header, const T& judged) {
  encode(header, std::span<std::uint8_t, header_size<T>>(octets_.data() + size_, header_size<T>));
  encode(judged, std::span<std::uint8_t, header_size<T>>(judged_.data() + size_, header_size<T>));
  size_ += header_size<T>;
}

ExpectedHeaders::ExpectedHeaders(const PathHeaders& reply, const PortConfig& port, const verbs::AddressVector& path)
    : icrc_(reply.icrc_kind()), network_at_(reply.icrc_start()) {
  // An LRH is followed by a VCRC, whose check costs more than reading the headers.
  if (reply.native()) return;
  const Gid& own = port.gids[path.source_gid_index].gid;
  // Nothing comes from an IPv4 address to a GID that is none.
  if (icrc_ == IcrcStart::ipv4 && !is_ipv4_mapped(own)) return;
  const net::EtherType type = ethertype_of(icrc_);
  const bool tagged = network_at_ != header_size<net::Ethernet>;
  net::Ethernet ethernet, ethernet_judged;
  ethernet.type = tagged ? net::EtherType::vlan : type;
  ethernet_judged.type = whole_type;
  add(ethernet, ethernet_judged);
  if (tagged) {
    net::Vlan vlan, judged;
    vlan.type = type;
    judged.type = whole_type;
    add(vlan, judged);
  }
  if (icrc_ == IcrcStart::grh) {
    Grh grh, judged;
    //= HV-06
    grh.ip_version = 6;
    judged.ip_version = 0xFF;
    //= HV-08
    grh.next_header = Grh::iba_transport;
    judged.next_header = 0xFF;
    //= HV-07
    //= HV-09
    grh.sgid = path.destination_gid;
    grh.dgid = own;
    judged.sgid = judged.dgid = all_ones<Gid>();
    add(grh, judged);
    return;
  }
  if (icrc_ == IcrcStart::ipv4) {
    net::Ipv4 ip, judged;
    //= HV-26
    ip.version = 4;
    ip.ihl = header_size<net::Ipv4> / 4;
    judged.version = judged.ihl = 0xFF;
    //= HV-27
    judged.more_fragments = true;
    judged.fragment_offset = 0xFFFF;
    ip.protocol = net::IpProtocol::udp;
    judged.protocol = net::IpProtocol{0xFF};
    ip.source = ipv4_of(path.destination_gid);
    ip.destination = ipv4_of(own);
    judged.source = judged.destination = all_ones<Ipv4Address>();
    add(ip, judged);
  } else {
    net::Ipv6 ip, judged;
    ip.version = 6;
    judged.version = 0xFF;
    ip.next_header = net::IpProtocol::udp;
    judged.next_header = net::IpProtocol{0xFF};
    ip.source = {path.destination_gid.octets};
    ip.destination = {own.octets};
    judged.source = judged.destination = all_ones<Ipv6Address>();
    add(ip, judged);
  }
  net::Udp udp, judged;
  udp.destination_port = {rocev2_port};
  judged.destination_port = {0xFFFF};
  add(udp, judged);
}

inline bool ExpectedHeaders::same(const std::uint8_t* frame) const {
  const auto word = [](const std::uint8_t* at) {
    std::uint64_t out;
    std::memcpy(&out, at, sizeof out);
    return out;
  };
  // The last word goes past the headers, but not past the BTH; there nothing is judged.
  std::uint64_t different = 0;
  for (std::size_t at = judged_from; at < size_; at += 8) {
    different |= (word(frame + at) ^ word(octets_.data() + at)) & word(judged_.data() + at);
  }
  return different == 0;
}

// BTH through ICRC, as the lengths of the headers say; 0 if they contradict each other.
inline std::uint32_t ExpectedHeaders::transport_len(const std::uint8_t* network) const {
  if (icrc_ == IcrcStart::grh) return peek<&Grh::payload_len>(header_at<Grh>(network));
  const bool ipv4 = icrc_ == IcrcStart::ipv4;
  const std::uint32_t ip_len =
      ipv4 ? peek<&net::Ipv4::total_length>(header_at<net::Ipv4>(network)) - std::uint32_t{header_size<net::Ipv4>}
           : peek<&net::Ipv6::payload_length>(header_at<net::Ipv6>(network));
  const std::uint8_t* udp = network + (ipv4 ? header_size<net::Ipv4> : header_size<net::Ipv6>);
  //= HV-28
  const bool agree = ip_len == peek<&net::Udp::length>(header_at<net::Udp>(udp)) && ip_len >= header_size<net::Udp>;
  return agree ? ip_len - std::uint32_t{header_size<net::Udp>} : 0;
}

TransportPlace ExpectedHeaders::match(Bytes frame) const {
  constexpr std::size_t least = header_size<Bth> + header_size<Icrc>;
  if (size_ == 0 || frame.size() < size_ + least || !same(frame.data())) return {};
  const std::size_t len = transport_len(frame.data() + network_at_);
  if (len < least || size_ + len > frame.size()) return {};
  const auto crc_at = static_cast<std::uint32_t>(size_ + len - header_size<Icrc>);
  //= HV-02
  const std::uint32_t crc = icrc(icrc_, frame.first(crc_at).subspan(network_at_), size_ - network_at_);
  if (peek<&Icrc::crc>(header_at<Icrc>(frame.data() + crc_at)) != __builtin_bswap32(crc)) return {};
  return {size_, crc_at};
}

bool ExpectedHeaders::marked(Bytes frame) const {
  //= CN-10
  if (icrc_ == IcrcStart::grh) return peek<&Bth::fecn>(header_at<Bth>(frame.data() + size_));
  const std::uint8_t* network = frame.data() + network_at_;
  net::TrafficClass found;
  if (icrc_ == IcrcStart::ipv4) found = peek<&net::Ipv4::traffic_class>(header_at<net::Ipv4>(network));
  if (icrc_ == IcrcStart::ipv6) found = peek<&net::Ipv6::traffic_class>(header_at<net::Ipv6>(network));
  return found.ecn() == net::Ecn::congestion_experienced;
}

}  // namespace rdmawire::ib
