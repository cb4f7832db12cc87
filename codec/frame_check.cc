#include "codec/frame.h"
#include "codec/ib/encodings.h"
#include "codec/ib/headers.h"
#include "codec/net/net.h"

namespace rdmawire {
namespace {

using namespace ib;
using namespace net;

class Checker {
 public:
  explicit Checker(const Frame& frame) : frame_(frame) {}

  Error first() {
    for (const LayerRef& ref : frame_.layers()) {
      const Bytes octets = frame_.octets(ref);
      if (ref.layer == Layer::lrh) lrh(decode<Lrh>(octets.first<header_size<Lrh>>()), ref);
      if (ref.layer == Layer::grh) grh(decode<Grh>(octets.first<header_size<Grh>>()), ref);
      if (ref.layer == Layer::ipv4) ipv4(decode<Ipv4>(octets.first<header_size<Ipv4>>()), ref);
      if (ref.layer == Layer::ipv6) ipv6(ref);
      if (ref.layer == Layer::udp) udp(decode<Udp>(octets.first<header_size<Udp>>()), ref);
      if (ref.layer == Layer::bth) bth(decode<Bth>(octets.first<header_size<Bth>>()), ref);
      if (error_) return error_;
    }
    if (frame_.error) return frame_.error;
    payload();
    crc(frame_.icrc, ErrorCode::bad_icrc, Layer::icrc);  //= HV-02
    const bool link = frame_.find(Layer::flow_control) != nullptr;
    //= HV-01, LNK-01
    crc(frame_.vcrc, link ? ErrorCode::bad_lpcrc : ErrorCode::bad_vcrc, link ? Layer::flow_control : Layer::vcrc);
    return error_;
  }

 private:
  void require(bool right, ErrorCode code, const LayerRef& ref) {
    if (!right && !error_) error_ = {code, ref.layer, Limit::none, 0, 0, ref.offset};
  }
  // A length field against the length that the layers around it leave.
  void require_length(std::size_t said, std::size_t there, Limit limit, const LayerRef& ref) {
    if (said == there || error_) return;
    error_ = {ErrorCode::bad_length,
              ref.layer,
              limit,
              static_cast<std::uint32_t>(said),
              static_cast<std::uint32_t>(there),
              ref.offset};
  }

  //= HV-03
  void lrh(const Lrh& lrh, const LayerRef& ref) { require(lrh.version == 0, ErrorCode::bad_version, ref); }  // C7-1

  void grh(const Grh& grh, const LayerRef& ref) {
    require(grh.ip_version == 6, ErrorCode::bad_version, ref);  //= HV-06
    if (!frame_.packet_end_known) return;
    require(grh.next_header == Grh::iba_transport, ErrorCode::unknown_next_header, ref);  //= HV-08
    const bool native = frame_.find(Layer::lrh) != nullptr;
    const std::size_t end = frame_.packet_end - (native ? header_size<Vcrc> : 0);
    require_length(grh.payload_len, end - ref.offset - ref.size, native ? Limit::lrh_pktlen : Limit::frame, ref);
  }

  void ipv4(const Ipv4& ip, const LayerRef& ref) {
    require(check_ipv4(frame_.octets(ref)) == ChecksumStatus::good, ErrorCode::bad_ip_checksum, ref);
    ip_end_ = std::size_t{ref.offset} + ip.total_length;
    ip_limit_ = Limit::ip_total_length;
    ipv4_ = ip;
    ipv6_.reset();
    ip_options_ = ref.size != header_size<Ipv4>;
    ip_ref_ = &ref;
  }

  void ipv6(const LayerRef& ref) {
    ipv6_ = decode<Ipv6>(frame_.octets(ref).first<header_size<Ipv6>>());
    ipv4_.reset();
    ip_end_ = std::size_t{ref.offset} + ref.size + ipv6_->payload_length;
    ip_limit_ = Limit::ipv6_payload_length;
    ip_options_ = false;
    ip_ref_ = &ref;
  }

  void udp(const Udp& udp, const LayerRef& ref) {
    if (!frame_.packet_end_known || ip_ref_ == nullptr) return;
    const bool rocev2 = &ref + 1 != frame_.layers().data() + frame_.layers().size() && (&ref + 1)->layer == Layer::bth;
    if (rocev2 && ip_options_) require(false, ErrorCode::bad_header_length, *ip_ref_);  //= HV-26, V2-02
    if (rocev2) require_length(udp.length, ip_end_ - ref.offset, ip_limit_, ref);       //= HV-28, V2-14
    const std::size_t end = std::size_t{ref.offset} + udp.length;
    if (end > frame_.captured.size()) return;
    const Bytes datagram = frame_.captured.subspan(ref.offset, udp.length);
    const ChecksumStatus status = ipv4_ ? check_udp(ipv4_->source, ipv4_->destination, datagram)
                                        : check_udp(ipv6_->source, ipv6_->destination, datagram);
    require(status != ChecksumStatus::bad, ErrorCode::bad_udp_checksum, ref);  //= V2-15
  }

  void bth(const Bth& bth, const LayerRef& ref) {
    require(bth.version == 0, ErrorCode::bad_version, ref);  //= HV-10
    bth_ref_ = &ref;
  }

  // C9-92, C9-94: the path MTU itself is the connection's; here any of the five will do.
  void payload() {
    if (error_ || bth_ref_ == nullptr || frame_.opcode == nullptr || !frame_.packet_end_known) return;
    const std::uint32_t len = frame_.payload_len;
    bool right = (len + frame_.pad_len) % 4 == 0;
    switch (frame_.opcode->payload) {
      case PayloadRule::none:
        right = right && len + frame_.pad_len == 0;
        break;
      case PayloadRule::eight:
        right = right && len == 8 && frame_.pad_len == 0;
        break;
      case PayloadRule::any:
        right = right && len <= mtu4096.octets();
        break;
      case PayloadRule::nonempty:
        right = right && len >= 1 && len <= mtu4096.octets();
        break;
      case PayloadRule::full: {
        bool mtu = false;
        for (const PathMtu each : {mtu256, mtu512, mtu1024, mtu2048, mtu4096}) mtu = mtu || len == each.octets();
        right = mtu && frame_.pad_len == 0;
        break;
      }
    }
    require(right, ErrorCode::payload_rule, *bth_ref_);
  }

  void crc(const CrcCheck& check, ErrorCode code, Layer layer) {
    if (check.status == CrcStatus::bad && !error_) error_ = {code, layer, Limit::none, 0, 0, check.offset};
  }

  const Frame& frame_;
  Error error_;
  // The innermost IP header so far.
  const LayerRef* ip_ref_ = nullptr;
  std::optional<Ipv4> ipv4_;
  std::optional<Ipv6> ipv6_;
  std::size_t ip_end_ = 0;
  Limit ip_limit_ = Limit::none;
  bool ip_options_ = false;
  const LayerRef* bth_ref_ = nullptr;
};

}  // namespace

Error first_violation(const Frame& frame) { return Checker(frame).first(); }

Result<Frame> parse_frame_strict(LinkType link, Bytes captured, std::uint32_t original_length,
                                 const ParseOptions& options) {
  Frame frame = parse_frame(link, captured, original_length, options);
  if (const Error error = first_violation(frame)) return fail(error);
  return frame;
}

}  // namespace rdmawire
