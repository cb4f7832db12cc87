#include "protocol/link/congestion.h"

#include <cstddef>
#include <cstdint>

#include "codec/base/layout.h"
#include "codec/frame.h"
#include "codec/ib/bth.h"
#include "codec/ib/icrc.h"
#include "codec/ib/trailer.h"
#include "codec/net/checksum.h"
#include "codec/net/ipv4.h"
#include "codec/net/ipv6.h"

namespace rdmawire::link {

namespace {

using net::Ecn;
using net::TrafficClass;

// Rewrites one header in place. change: takes the header and returns whether it is marked now.
template <class T, class Change>
bool rewrite(MutableBytes packet, const LayerRef& ref, Change change) {
  const auto octets = packet.subspan(ref.offset).first<header_size<T>>();
  T header = decode<T>(octets);
  const bool marked = change(header);
  if (marked) encode(header, octets);
  return marked;
}

bool mark(TrafficClass& traffic_class) {
  if (traffic_class.ecn() == Ecn::not_capable) return false;
  traffic_class = TrafficClass::of(traffic_class.dscp(), Ecn::congestion_experienced);
  return true;
}

bool mark(net::Ipv4& header) {
  const std::uint8_t before = header.traffic_class.value;
  if (!mark(header.traffic_class)) return false;
  if (header.traffic_class.value == before) return true;
  // RFC 1624, equation 3. The other octet of the word does not change, so it may count as 0 in both.
  net::InternetChecksum sum;
  sum.add_word(static_cast<std::uint16_t>(~header.checksum));
  sum.add_word(static_cast<std::uint16_t>(~std::uint16_t{before}));
  sum.add_word(header.traffic_class.value);
  header.checksum = sum.checksum();
  return true;
}

void mark_native(MutableBytes packet, const Frame& frame, const LayerRef& lrh, const LayerRef& bth) {
  const std::uint32_t vcrc_at = frame.vcrc.offset;
  const bool has_vcrc = frame.vcrc.status != CrcStatus::absent && vcrc_at + header_size<ib::Vcrc> <= packet.size();
  const Bytes covered = has_vcrc ? packet.first(vcrc_at).subspan(lrh.offset) : MutableBytes();
  const std::uint16_t before = ib::vcrc(covered);
  rewrite<ib::Bth>(packet, bth, [](ib::Bth& header) { return header.fecn = true; });
  if (!has_vcrc) return;
  const unsigned difference = before ^ ib::vcrc(covered);
  packet[vcrc_at] ^= static_cast<std::uint8_t>(difference);  // least significant octet first
  packet[vcrc_at + 1] ^= static_cast<std::uint8_t>(difference >> 8);
}

}  // namespace

bool mark_congestion(LinkType link, MutableBytes packet) {
  ParseOptions options;
  options.verify_crcs = false;
  const Frame frame = parse_frame(link, packet, static_cast<std::uint32_t>(packet.size()), options);
  for (const LayerRef& ref : frame.layers()) {
    if (ref.layer == Layer::ipv4)
      return rewrite<net::Ipv4>(packet, ref, [](net::Ipv4& header) { return mark(header); });
    if (ref.layer == Layer::ipv6) {
      return rewrite<net::Ipv6>(packet, ref, [](net::Ipv6& header) { return mark(header.traffic_class); });
    }
    if (ref.layer == Layer::bth) {
      const LayerRef* lrh = frame.find(Layer::lrh);
      if (lrh != nullptr) mark_native(packet, frame, *lrh, ref);
      return lrh != nullptr;
    }
  }
  return false;
}

}  // namespace rdmawire::link
