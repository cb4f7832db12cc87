#include "pcap/wire/ip_frames.h"

#include <cerrno>

#include "codec/crc/crc32_backwards.h"
#include "codec/ib/bth.h"
#include "codec/ib/gid.h"
#include "codec/ib/icrc.h"
#include "codec/ib/trailer.h"

namespace rdmawire::wire {
namespace {

template <class T>
std::span<std::uint8_t, header_size<T>> room_for(MutableBytes frame, std::size_t at) {
  return frame.subspan(at).template first<header_size<T>>();
}

net::EtherType type_of(IpFamily family) {
  return family == IpFamily::four ? net::EtherType::ipv4 : net::EtherType::ipv6;
}

}  // namespace

std::optional<IpPath> udp_path_of(Bytes frame, IpFamily family) {
  if (frame.size() < link_len + ip_len(family) + header_size<net::Udp>) return std::nullopt;
  if (decode<net::Ethernet>(frame.first<link_len>()).type != type_of(family)) return std::nullopt;
  const Bytes packet = frame.subspan(link_len);
  if (family == IpFamily::four) {
    const auto ip = decode<net::Ipv4>(packet.first<header_size<net::Ipv4>>());
    if (ip.protocol != net::IpProtocol::udp) return std::nullopt;
    return IpPath{ib::gid_of(ip.source), ib::gid_of(ip.destination), ip.traffic_class, ip.time_to_live};
  }
  const auto ip = decode<net::Ipv6>(packet.first<header_size<net::Ipv6>>());
  if (ip.next_header != net::IpProtocol::udp) return std::nullopt;
  return IpPath{ib::gid_of(ip.source), ib::gid_of(ip.destination), ip.traffic_class, ip.hop_limit};
}

IoResult outcome_of_send(std::ptrdiff_t result, std::size_t frame_len, std::uint64_t& num_too_long) {
  using Status = IoResult::Status;
  if (result >= 0) return {Status::done, frame_len, {}};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {};
  if (errno == ENETDOWN || errno == EPERM) return {Status::failed, 0, {"send a packet", errno}};
  num_too_long += errno == EMSGSIZE;
  return {Status::done, frame_len, {}};
}

void write_link(MutableBytes frame, const MacAddress& source, const MacAddress& destination, IpFamily family) {
  net::Ethernet link;
  link.destination = destination;
  link.source = source;
  link.type = type_of(family);
  encode(link, room_for<net::Ethernet>(frame, 0));
}

void write_ip(MutableBytes frame, const IpPath& path, net::IpProtocol protocol, IpFamily family,
              std::size_t payload_len) {
  if (family == IpFamily::four) {
    net::Ipv4 ip;
    ip.version = 4;
    ip.ihl = header_size<net::Ipv4> / 4;
    ip.traffic_class = path.traffic_class;
    ip.total_length = static_cast<std::uint16_t>(header_size<net::Ipv4> + payload_len);
    ip.dont_fragment = true;
    ip.time_to_live = path.hop_limit;
    ip.protocol = protocol;
    ip.source = ib::ipv4_of(path.source);
    ip.destination = ib::ipv4_of(path.destination);
    const auto header = room_for<net::Ipv4>(frame, link_len);
    encode(ip, header);
    ip.checksum = net::ipv4_checksum(header);
    return encode(ip, header);
  }
  net::Ipv6 ip;
  ip.version = 6;
  ip.traffic_class = path.traffic_class;
  ip.payload_length = static_cast<std::uint16_t>(payload_len);
  ip.next_header = protocol;
  ip.hop_limit = path.hop_limit;
  ip.source = {path.source.octets};
  ip.destination = {path.destination.octets};
  encode(ip, room_for<net::Ipv6>(frame, link_len));
}

void find_identification(MutableBytes frame) {
  constexpr std::size_t bth_at = header_size<net::Ipv4> + udp_len;
  constexpr std::size_t crc_len = header_size<ib::Icrc>;
  const MutableBytes packet = frame.subspan(link_len);
  if (packet.size() < bth_at + header_size<ib::Bth> + crc_len) return;
  const MutableBytes covered = packet.first(packet.size() - crc_len);
  const std::uint32_t wanted =
      __builtin_bswap32(static_cast<std::uint32_t>(load_be<4>(packet.data() + covered.size())));
  const auto header = packet.first<header_size<net::Ipv4>>();
  auto ip = decode<net::Ipv4>(header);
  for (const bool dont_fragment : {true, false}) {
    ip.dont_fragment = dont_fragment;
    ip.identification = 0;
    encode(ip, header);
    const std::uint32_t difference = wanted ^ ib::icrc(ib::IcrcStart::ipv4, covered, bth_at);
    // Of IPv4 the identification is the octets 4 and 5.
    const auto octets = crc::two_octets_for(difference, covered.size() - 6);
    if (!octets) continue;
    ip.identification = static_cast<std::uint16_t>(load_be<2>(octets->data()));
    break;
  }
  encode(ip, header);
  ip.checksum = net::ipv4_checksum(header);
  encode(ip, header);
}

}  // namespace rdmawire::wire
