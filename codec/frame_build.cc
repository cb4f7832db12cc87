#include "codec/frame_build.h"

#include <algorithm>

#include "codec/base/bytes.h"
#include "codec/base/header_writer.h"
#include "codec/ib/icrc.h"

namespace rdmawire {
namespace {

using namespace ib;
using namespace net;

std::span<const Layer> extended_layers(const FrameSpec& spec) {
  if (spec.extended) return *spec.extended;
  const OpcodeInfo* row = ib::find(spec.bth.opcode);
  if (row == nullptr) return {};
  return {row->headers.data(), row->num_headers};
}

struct Sizes {
  std::size_t link = 0;       // before the network header, or the LRH
  std::size_t network = 0;    // GRH, IP and UDP headers
  std::size_t transport = 0;  // BTH and extended headers
  std::size_t pad = 0;
  std::size_t icrc_end = 0;  // of the frame
  std::size_t total = 0;
};

Sizes sizes_of(const FrameSpec& spec) {
  Sizes s;
  if (spec.flow_control) {
    s.total = header_size<FlowControl>;
    return s;
  }
  if (spec.ethernet) s.link += header_size<Ethernet> + spec.num_vlans * header_size<Vlan>;
  if (spec.lrh) s.link += header_size<Lrh>;
  if (spec.grh) s.network += header_size<Grh>;
  if (spec.ipv4) s.network += header_size<Ipv4>;
  if (spec.ipv6) s.network += header_size<Ipv6>;
  if (spec.udp) s.network += header_size<Udp>;
  s.transport = header_size<Bth>;
  for (const Layer layer : extended_layers(spec)) s.transport += header_of(layer)->size;
  s.pad = (0 - spec.payload.size()) % 4;  //= LEN-04
  s.icrc_end = s.link + s.network + s.transport + spec.payload.size() + s.pad + header_size<Icrc>;
  s.total = s.icrc_end + (spec.lrh ? header_size<Vcrc> : 0);
  return s;
}

Error unbuildable(const FrameSpec& spec) {
  const auto wrong = [](Layer layer) { return Error{ErrorCode::bad_value, layer}; };
  if (spec.num_vlans > spec.vlans.size() || (spec.num_vlans != 0 && !spec.ethernet)) return wrong(Layer::vlan);
  if (spec.lrh && spec.ethernet) return wrong(Layer::lrh);
  const int networks = int{spec.grh.has_value()} + int{spec.ipv4.has_value()} + int{spec.ipv6.has_value()};
  if (networks > 1 || (networks == 0 && !spec.lrh)) return wrong(Layer::frame);
  if (spec.lrh && (spec.ipv4 || spec.ipv6)) return wrong(Layer::lrh);
  if (spec.grh && !spec.lrh && !spec.ethernet) return wrong(Layer::grh);
  if (spec.udp.has_value() != (spec.ipv4 || spec.ipv6)) return wrong(Layer::udp);
  if (!spec.extended && ib::find(spec.bth.opcode) == nullptr) return wrong(Layer::bth);
  for (const Layer layer : extended_layers(spec)) {
    if (!with_extended(spec, layer, [](const auto&) {})) return wrong(layer);
  }
  return {};
}

EtherType network_type(const FrameSpec& spec) {
  return spec.grh ? EtherType::roce : spec.ipv4 ? EtherType::ipv4 : EtherType::ipv6;
}

// The spec with every type and length as it should be, whatever spec.keep says.
FrameSpec filled(FrameSpec spec) {
  const Sizes s = sizes_of(spec);
  const auto after = [&](std::size_t offset) { return static_cast<std::uint16_t>(s.icrc_end - offset); };
  if (spec.ethernet) {
    EtherType* type = &spec.ethernet->type;
    for (std::size_t i = 0; i < spec.num_vlans; ++i) {
      if (!is_vlan(*type)) *type = EtherType::vlan;
      type = &spec.vlans[i].type;
    }
    *type = network_type(spec);
  }
  if (spec.lrh) {
    spec.lrh->next_header = spec.grh ? LinkNextHeader::iba_global : LinkNextHeader::iba_local;
    spec.lrh->packet_len_words = static_cast<std::uint16_t>(s.icrc_end / 4);
  }
  if (spec.grh) {
    spec.grh->ip_version = 6;
    spec.grh->next_header = Grh::iba_transport;
    spec.grh->payload_len = after(s.link + header_size<Grh>);  //= V1-01
  }
  if (spec.ipv4) {
    spec.ipv4->version = 4;
    spec.ipv4->ihl = header_size<Ipv4> / 4;   //= V2-02
    spec.ipv4->protocol = IpProtocol::udp;    //= V2-09
    spec.ipv4->total_length = after(s.link);  //= V2-05
  }
  if (spec.ipv6) {
    spec.ipv6->version = 6;
    spec.ipv6->next_header = IpProtocol::udp;
    spec.ipv6->payload_length = after(s.link + header_size<Ipv6>);  //= V2-11
  }
  if (spec.udp) {
    spec.udp->length = after(s.link + s.network - header_size<Udp>);  //= V2-14
    spec.udp->checksum = 0;                                           //= V2-15
  }
  spec.bth.pad_count = static_cast<std::uint8_t>(s.pad);
  return spec;
}

// One thing that keep may name: where it stands in a spec, present in all that have the header.
struct Kept {
  bool Keep::* flag;
  void (*take)(FrameSpec& to, const FrameSpec& from);
  bool (*same)(const FrameSpec& a, const FrameSpec& b);
};

template <auto Header, auto... Members>
void take_members(FrameSpec& to, const FrameSpec& from) {
  if (to.*Header) (((*(to.*Header)).*Members = (*(from.*Header)).*Members), ...);
}
template <auto Header, auto... Members>
bool same_members(const FrameSpec& a, const FrameSpec& b) {
  return !(a.*Header) || ((((*(a.*Header)).*Members == (*(b.*Header)).*Members)) && ...);
}
template <auto Header, auto... Members>
constexpr Kept kept(bool Keep::* flag) {
  return {flag, take_members<Header, Members...>, same_members<Header, Members...>};
}

constexpr std::array kept_table{
    kept<&FrameSpec::ethernet, &Ethernet::type>(&Keep::ethertype),
    Kept{&Keep::ethertype,
         [](FrameSpec& to, const FrameSpec& from) {
           for (std::size_t i = 0; i < to.num_vlans; ++i) to.vlans[i].type = from.vlans[i].type;
         },
         [](const FrameSpec& a, const FrameSpec& b) {
           for (std::size_t i = 0; i < a.num_vlans; ++i) {
             if (a.vlans[i].type != b.vlans[i].type) return false;
           }
           return true;
         }},
    kept<&FrameSpec::lrh, &Lrh::next_header>(&Keep::lrh_next_header),
    kept<&FrameSpec::lrh, &Lrh::packet_len_words>(&Keep::lrh_length),
    kept<&FrameSpec::grh, &Grh::ip_version>(&Keep::ip_version),
    kept<&FrameSpec::grh, &Grh::next_header>(&Keep::ip_protocol),
    kept<&FrameSpec::grh, &Grh::payload_len>(&Keep::ip_length),
    kept<&FrameSpec::ipv4, &Ipv4::version, &Ipv4::ihl>(&Keep::ip_version),
    kept<&FrameSpec::ipv4, &Ipv4::protocol>(&Keep::ip_protocol),
    kept<&FrameSpec::ipv4, &Ipv4::total_length>(&Keep::ip_length),
    kept<&FrameSpec::ipv6, &Ipv6::version>(&Keep::ip_version),
    kept<&FrameSpec::ipv6, &Ipv6::next_header>(&Keep::ip_protocol),
    kept<&FrameSpec::ipv6, &Ipv6::payload_length>(&Keep::ip_length),
    kept<&FrameSpec::udp, &Udp::length>(&Keep::udp_length),
    kept<&FrameSpec::udp, &Udp::checksum>(&Keep::udp_checksum),
    Kept{&Keep::pad_count, [](FrameSpec& to, const FrameSpec& from) { to.bth.pad_count = from.bth.pad_count; },
         [](const FrameSpec& a, const FrameSpec& b) { return a.bth.pad_count == b.bth.pad_count; }},
};

Result<std::size_t> build_flow_control(FlowControl packet, bool keep_crc, MutableBytes out) {
  const Result<std::size_t> size = try_encode(packet, out);
  if (size && !keep_crc) {
    const std::uint16_t crc = vcrc(out.first<header_size<FlowControl> - header_size<Vcrc>>());
    packet.lpcrc = __builtin_bswap16(crc);
    encode(packet, out.first<header_size<FlowControl>>());
  }
  return size;
}

void put_checksums(const FrameSpec& spec, const Sizes& s, MutableBytes frame) {
  const MutableBytes network = frame.subspan(s.link);
  if (spec.ipv4 && !spec.keep.ip_checksum) {
    Ipv4 header = *spec.ipv4;
    header.checksum = ipv4_checksum(network.first(header_size<Ipv4>));
    encode(header, network.first<header_size<Ipv4>>());
  }
  if (spec.udp && spec.compute_udp_checksum && !spec.keep.udp_checksum) {
    const std::size_t udp_at = s.link + s.network - header_size<Udp>;
    const MutableBytes datagram = frame.subspan(udp_at, s.icrc_end - udp_at);
    Udp header = *spec.udp;
    header.checksum = spec.ipv4 ? udp_checksum(spec.ipv4->source, spec.ipv4->destination, datagram)
                                : udp_checksum(spec.ipv6->source, spec.ipv6->destination, datagram);
    encode(header, datagram.first<header_size<Udp>>());
  }
}

IcrcStart icrc_start(const FrameSpec& spec) {
  if (spec.lrh) return spec.grh ? IcrcStart::lrh_grh : IcrcStart::lrh;
  return spec.grh ? IcrcStart::grh : spec.ipv4 ? IcrcStart::ipv4 : IcrcStart::ipv6;
}

}  // namespace

std::size_t frame_size(const FrameSpec& spec) { return sizes_of(spec).total; }

Result<std::size_t> build_frame(const FrameSpec& spec, MutableBytes out) {
  if (spec.flow_control) return build_flow_control(*spec.flow_control, spec.keep.vcrc, out);
  if (const Error error = unbuildable(spec)) return fail(error);
  const Sizes s = sizes_of(spec);
  if (out.size() < s.total) {
    return fail({ErrorCode::output_too_small, Layer::frame, Limit::buffer, static_cast<std::uint32_t>(s.total),
                 static_cast<std::uint32_t>(out.size()), 0});
  }

  FrameSpec full = filled(spec);
  for (const Kept& kept : kept_table) {
    if (spec.keep.*kept.flag) kept.take(full, spec);
  }

  HeaderWriter writer(out);
  writer.put(full.ethernet);
  for (std::size_t i = 0; i < full.num_vlans; ++i) writer.put(full.vlans[i]);
  writer.put(full.lrh);
  writer.put(full.grh);
  writer.put(full.ipv4);
  writer.put(full.ipv6);
  writer.put(full.udp);
  writer.put(full.bth);
  for (const Layer layer : extended_layers(full)) {
    with_extended(full, layer, [&](const auto& header) { writer.put(header); });
  }
  writer.put_payload(full.payload);
  writer.put_payload(Bytes(full.pad).first(s.pad));
  if (writer.error()) return fail(writer.error());

  Icrc icrc_trailer = spec.icrc;
  if (!spec.keep.icrc) {
    const std::size_t start = spec.lrh ? 0 : s.link;
    const std::size_t bth_at = s.link + s.network;
    icrc_trailer.crc =
        __builtin_bswap32(icrc(icrc_start(spec), out.subspan(start, writer.at() - start), bth_at - start));
  }
  writer.put(icrc_trailer);
  put_checksums(full, s, out);
  if (spec.lrh) {
    Vcrc vcrc_trailer = spec.vcrc;
    if (!spec.keep.vcrc) vcrc_trailer.crc = __builtin_bswap16(vcrc(out.first(writer.at())));
    writer.put(vcrc_trailer);
  }
  return writer.at();
}

FrameSpec rocev2_spec() {
  FrameSpec spec;
  spec.ethernet.emplace();
  spec.ipv4.emplace();
  spec.ipv4->dont_fragment = true;  //= V2-06
  spec.ipv4->time_to_live = 64;
  spec.udp.emplace();
  spec.udp->source_port = {0xC000};
  spec.udp->destination_port = {rocev2_port};
  spec.bth.opcode = Opcode::RC_SEND_ONLY;
  spec.bth.migrated = true;
  spec.bth.p_key = {0xFFFF};
  return filled(spec);
}

std::optional<FrameSpec> spec_of(const Frame& frame) {
  if (frame.family == Family::none || frame.error || !frame.packet_end_known ||
      frame.packet_end > frame.captured.size()) {
    return std::nullopt;
  }
  FrameSpec spec;
  bool transport = false;
  for (const LayerRef& ref : frame.layers()) {
    const Bytes octets = frame.octets(ref);
    const auto read = [&]<class T>(T& header) { header = decode<T>(octets.first<header_size<T>>()); };
    const auto once = [&]<class T>(std::optional<T>& header) {
      if (header || ref.size != header_size<T>) return false;
      read(header.emplace());
      return true;
    };
    bool known = true;
    switch (ref.layer) {
      case Layer::ethernet:
        known = once(spec.ethernet);
        break;
      case Layer::vlan:
        known = spec.num_vlans < spec.vlans.size();
        if (known) read(spec.vlans[spec.num_vlans++]);
        break;
      case Layer::lrh:
        known = once(spec.lrh);
        break;
      case Layer::grh:
        known = once(spec.grh);
        break;
      case Layer::ipv4:
        known = once(spec.ipv4);
        break;
      case Layer::ipv6:
        known = once(spec.ipv6);
        break;
      case Layer::udp:
        known = once(spec.udp);
        break;
      case Layer::flow_control:
        known = once(spec.flow_control);
        spec.keep.vcrc = frame.vcrc.status == CrcStatus::bad;
        return known ? std::optional(spec) : std::nullopt;
      case Layer::bth:
        read(spec.bth);
        transport = true;
        break;
      default:
        // What lies in the payload (management) is the payload's.
        known = ref.offset >= frame.payload_offset || with_extended(spec, ref.layer, read);
        break;
    }
    if (!known) return std::nullopt;
  }
  if (!transport || frame.opcode == nullptr || frame.icrc.status == CrcStatus::absent) return std::nullopt;
  if (unbuildable(spec)) return std::nullopt;
  spec.payload = frame.payload();
  if (frame.pad_len == (0 - spec.payload.size()) % 4) {
    const Bytes pad = frame.captured.subspan(std::size_t{frame.payload_offset} + frame.payload_len, frame.pad_len);
    std::copy(pad.begin(), pad.end(), spec.pad.begin());
  } else {  // a wrong count: what it calls pad counts as payload
    spec.payload = frame.captured.subspan(frame.payload_offset, std::size_t{frame.payload_len} + frame.pad_len);
    if (spec.payload.size() % 4 != 0) return std::nullopt;
  }

  const FrameSpec right = filled(spec);
  for (const Kept& kept : kept_table) {
    if (!kept.same(spec, right)) spec.keep.*kept.flag = true;
  }
  if (spec.ipv4) {
    const LayerRef& ip = *frame.find(Layer::ipv4);
    spec.keep.ip_checksum = check_ipv4(frame.octets(ip)) == ChecksumStatus::bad;
  }
  if (spec.udp && spec.keep.udp_checksum) {
    const LayerRef& udp = *frame.find(Layer::udp);
    const Bytes datagram = frame.captured.subspan(udp.offset, frame.packet_end - udp.offset);
    const ChecksumStatus status = spec.ipv4 ? check_udp(spec.ipv4->source, spec.ipv4->destination, datagram)
                                            : check_udp(spec.ipv6->source, spec.ipv6->destination, datagram);
    spec.compute_udp_checksum = status == ChecksumStatus::good;
    spec.keep.udp_checksum = !spec.compute_udp_checksum;
  }
  if (spec.lrh && frame.vcrc.status == CrcStatus::bad) {
    spec.keep.vcrc = true;
    spec.vcrc.crc = static_cast<std::uint16_t>(frame.vcrc.stored);
  }
  if (frame.icrc.status == CrcStatus::bad) {
    spec.keep.icrc = true;
    spec.icrc.crc = frame.icrc.stored;
  }
  return spec;
}

}  // namespace rdmawire
