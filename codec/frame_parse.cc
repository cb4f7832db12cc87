#include "codec/base/bytes.h"
#include "codec/frame.h"
#include "codec/frame_parser.h"
#include "codec/ib/headers.h"
#include "codec/net/net.h"

namespace rdmawire {

using namespace net;
using ib::IcrcStart;

Frame parse_frame(LinkType link, Bytes captured, std::uint32_t original_length, const ParseOptions& options) {
  // No capture holds more; so that offsets and sums of lengths fit 32 bits.
  constexpr std::uint32_t most = 0x4000'0000;
  Frame frame;
  frame.captured = captured.first(std::min<std::size_t>(captured.size(), most));
  frame.wire_len = std::max(std::min(original_length, most), static_cast<std::uint32_t>(frame.captured.size()));
  frame.link = link;
  FrameParser(frame, options).link(link);
  return frame;
}

bool FrameParser::missing(Layer layer, std::uint32_t at, std::uint32_t size) {
  if (std::uint64_t{at} + size > end_) {
    return stop({ErrorCode::truncated_wire, layer, end_limit_, size, end_ - at, at});
  }
  return stop({ErrorCode::truncated_capture, layer, Limit::capture, size, captured_ > at ? captured_ - at : 0, at});
}

bool FrameParser::extend(std::uint32_t size) {
  LayerRef& last = frame_.layers_[frame_.num_layers_ - 1];
  if (size < last.header->size) {
    return stop({ErrorCode::bad_header_length, last.layer, Limit::header_length, last.header->size, size, last.offset});
  }
  if (std::uint64_t{last.offset} + size > readable_) {
    --frame_.num_layers_;
    return missing(last.layer, last.offset, size);
  }
  last.size = static_cast<std::uint16_t>(size);
  return true;
}

void FrameParser::narrow(Layer layer, std::uint32_t at, std::uint32_t size, Limit limit) {
  if (size <= end_ - at) {
    set_end(at + size, limit);
    return;
  }
  frame_.packet_end_known = false;
  stop({ErrorCode::bad_length, layer, end_limit_, size, end_ - at, at});
}

void FrameParser::link(LinkType type) {
  switch (type) {
    case LinkType::ethernet:
      return ethernet(0);
    case LinkType::raw_ip:
      return ip(0);
    case LinkType::linux_sll:
      if (!take<Sll>(0)) return rest(0);
      return ethertype(peek<&Sll::protocol>(header<Sll>(0)), header_size<Sll>);
    case LinkType::linux_sll2:
      if (!take<Sll2>(0)) return rest(0);
      return ethertype(peek<&Sll2::protocol>(header<Sll2>(0)), header_size<Sll2>);
    case LinkType::erf:
      return erf();
    case LinkType::infiniband:
      return infiniband(0);
  }
  stop({ErrorCode::unknown_link_type, Layer::frame, Limit::none, 0, 0, 0});
  rest(0);
}

void FrameParser::erf() {
  if (!take<ErfRecord>(0)) return rest(0);
  const ErfRecord record = read<ErfRecord>(0);
  std::uint32_t at = header_size<ErfRecord>;
  for (bool more = record.extension_follows; more; at += header_size<ErfExtension>) {
    if (!take<ErfExtension>(at)) return rest(at);
    more = peek<&ErfExtension::extension_follows>(header<ErfExtension>(at));
  }
  if (is_ethernet(record.type)) {
    if (!take_part<ErfEthernetPad>(at)) return rest(at);
    at += header_size<ErfEthernetPad>;
  }
  // The record's own length counts padding, its wire length does not; the capture file may have cut either.
  set_end(std::max(at, std::min(end_, at + record.wire_length)), Limit::erf_wlen);
  if (is_ethernet(record.type)) return ethernet(at);
  switch (record.type) {
    case ErfType::infiniband:
    case ErfType::infiniband_link:
      return infiniband(at);
    case ErfType::ipv4:
    case ErfType::ipv6:
      return ip(at);
    default:
      return rest(at);
  }
}

void FrameParser::ethernet(std::uint32_t at) {
  if (!take<Ethernet>(at)) return rest(at);
  ethertype(peek<&Ethernet::type>(header<Ethernet>(at)), at + header_size<Ethernet>);
}

void FrameParser::ethertype(EtherType type, std::uint32_t at) {
  while (is_vlan(type)) {
    if (!take<Vlan>(at)) return rest(at);
    type = peek<&Vlan::type>(header<Vlan>(at));
    at += header_size<Vlan>;
  }
  switch (type) {
    case EtherType::ipv4:
      return ipv4(at);
    case EtherType::ipv6:
      return ipv6(at);
    case EtherType::roce:  //= V1-01
      return rocev1(at);
    case EtherType::mac_control:
      return mac_control(at);
    default:
      return rest(at);
  }
}

void FrameParser::mac_control(std::uint32_t at) {
  if (!take<MacControl>(at)) return rest(at);
  const MacControlOpcode opcode = peek<&MacControl::opcode>(header<MacControl>(at));
  at += header_size<MacControl>;
  if (opcode == MacControlOpcode::pause && take_part<Pause>(at)) return rest(at + header_size<Pause>);
  if (opcode == MacControlOpcode::priority_flow_control && take_part<PriorityFlowControl>(at)) {
    return rest(at + header_size<PriorityFlowControl>);
  }
  rest(at);
}

// Raw IP and tunnels without a type: the version says which.
void FrameParser::ip(std::uint32_t at) {
  if (at >= readable_) {
    missing(Layer::ipv4, at, header_size<Ipv4>);
    return rest(at);
  }
  const unsigned version = *data(at) >> 4;
  if (version == 4) return ipv4(at);
  if (version == 6) return ipv6(at);
  stop({ErrorCode::bad_version, Layer::ipv4, Limit::none, 0, 0, at});
  rest(at);
}

void FrameParser::ipv4(std::uint32_t at) {
  if (!take<Ipv4>(at)) return rest(at);
  const Ipv4 header4 = read<Ipv4>(at);
  const auto size = static_cast<std::uint32_t>(full_size(header4));
  if (header4.version != 4) {  //= HV-06
    stop({ErrorCode::bad_version, Layer::ipv4, Limit::none, 0, 0, at});
    return rest(at + header_size<Ipv4>);
  }
  if (size != header_size<Ipv4> && !extend(size)) return rest(at);
  if (header4.total_length < size) {
    // 0 is what a sender leaves to its adapter to fill in (segmentation offload), anything else is wrong.
    if (header4.total_length != 0) {
      stop({ErrorCode::bad_length, Layer::ipv4, Limit::ip_total_length, size, header4.total_length, at});
    }
    frame_.packet_end_known = false;
  } else {
    narrow(Layer::ipv4, at, header4.total_length, Limit::ip_total_length);  //= V2-05, V2-21
  }
  if (header4.is_fragment()) {  //= HV-27, V2-07
    stop({ErrorCode::fragment, Layer::ipv4, Limit::none, 0, 0, at});
    frame_.packet_end_known = false;
    if (header4.fragment_offset != 0) return rest(at + size);
  }
  ip_payload(header4.protocol, at + size, IcrcStart::ipv4, at);  //= V2-23
}

void FrameParser::ipv6(std::uint32_t at) {
  if (!take<Ipv6>(at)) return rest(at);
  const Ipv6 header6 = read<Ipv6>(at);
  std::uint32_t next = at + header_size<Ipv6>;
  if (header6.version != 6) {
    stop({ErrorCode::bad_version, Layer::ipv6, Limit::none, 0, 0, at});
    return rest(next);
  }
  if (header6.payload_length == 0) {
    frame_.packet_end_known = false;  // a jumbogram, or left to the adapter
  } else {
    narrow(Layer::ipv6, next, header6.payload_length, Limit::ipv6_payload_length);  //= V2-11
  }
  IpProtocol protocol = header6.next_header;
  while (is_ipv6_extension(protocol)) {
    const HeaderInfo& kind = extension_info(protocol);
    if (!take(kind, next, kind.size)) return rest(next);
    const Ipv6Extension extension = read<Ipv6Extension>(next);
    const auto size = static_cast<std::uint32_t>(extension_size(protocol, extension.length));
    if (!extend(size)) return rest(next);
    if (protocol == IpProtocol::fragment && read<Ipv6Fragment>(next).is_fragment()) {
      stop({ErrorCode::fragment, Layer::ipv6_fragment, Limit::none, 0, 0, next});
      frame_.packet_end_known = false;
      if (peek<&Ipv6Fragment::offset>(header<Ipv6Fragment>(next)) != 0) return rest(next + size);
    }
    protocol = extension.next_header;
    next += size;
  }
  ip_payload(protocol, next, IcrcStart::ipv6, at);
}

void FrameParser::ip_payload(IpProtocol protocol, std::uint32_t at, IcrcStart start, std::uint32_t ip_at) {
  switch (protocol) {
    case IpProtocol::udp:  //= HV-08, V2-09
      return udp(at, start, ip_at);
    case IpProtocol::tcp:
      return tcp(at);
    case IpProtocol::sctp:
      return rest(take<Sctp>(at) ? at + header_size<Sctp> : at);
    case IpProtocol::gre:
      return gre(at);
    case IpProtocol::ipv4:
      return ipv4(at);
    case IpProtocol::ipv6:
      return ipv6(at);
    default:
      return rest(at);
  }
}

void FrameParser::udp(std::uint32_t at, IcrcStart start, std::uint32_t ip_at) {
  if (!take<Udp>(at)) return rest(at);
  const Udp udp = read<Udp>(at);
  const std::uint32_t next = at + header_size<Udp>;
  if (udp.length >= header_size<Udp>) {
    // Of a fragment the length counts what is in other frames too.
    if (!frame_.error || frame_.error.code != ErrorCode::fragment)
      narrow(Layer::udp, at, udp.length, Limit::udp_length);
  } else {
    stop({ErrorCode::bad_length, Layer::udp, Limit::udp_length, header_size<Udp>, udp.length, at});
    frame_.packet_end_known = false;
  }
  if (is_rocev2(udp.destination_port.value)) {
    frame_.family = Family::rocev2;
    return transport(next, start, ip_at);
  }
  if (udp.destination_port == vxlan_port) {
    if (!take<Vxlan>(next)) return rest(next);
    return ethernet(next + header_size<Vxlan>);
  }
  rest(next);
}

void FrameParser::tcp(std::uint32_t at) {
  if (!take<Tcp>(at)) return rest(at);
  const Tcp tcp = read<Tcp>(at);
  const auto size = static_cast<std::uint32_t>(full_size(tcp));
  if (size != header_size<Tcp> && !extend(size)) return rest(at);
  rest(at + size);
}

void FrameParser::gre(std::uint32_t at) {
  if (!take<Gre>(at)) return rest(at);
  const Gre gre = read<Gre>(at);
  at += header_size<Gre>;
  if (!is_supported(gre)) return rest(at);
  const auto word = [&]<class T>(std::type_identity<T>, bool present) {
    if (!present) return true;
    if (!take_part<T>(at)) return false;
    at += header_size<T>;
    return true;
  };
  if (!word(std::type_identity<GreChecksum>{}, gre.checksum_present) ||
      !word(std::type_identity<GreKey>{}, gre.key_present) ||
      !word(std::type_identity<GreSequence>{}, gre.sequence_present)) {
    return rest(at);
  }
  switch (erspan_type(gre)) {
    case ErspanType::type1:
      return ethernet(at);
    case ErspanType::type2:
      if (!take<Erspan2>(at)) return rest(at);
      return ethernet(at + header_size<Erspan2>);
    case ErspanType::type3: {
      if (!take<Erspan3>(at)) return rest(at);
      const Erspan3 erspan = read<Erspan3>(at);
      at += header_size<Erspan3>;
      if (!word(std::type_identity<Erspan3Platform>{}, erspan.platform_subheader)) return rest(at);
      return erspan.frame_type == ErspanFrameType::ip ? ip(at) : ethernet(at);
    }
    case ErspanType::none:
      break;
  }
  if (gre.protocol == EtherType::ethernet) return ethernet(at);
  ethertype(gre.protocol, at);
}

}  // namespace rdmawire
