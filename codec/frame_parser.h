// Inside parse_frame: the walk from layer to layer. frame_parse.cc has links and networks, frame_parse_ib.cc the
// InfiniBand transport and its CRCs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codec/frame.h"
#include "codec/ib/icrc.h"
#include "codec/net/types.h"

namespace rdmawire {

class FrameParser {
 public:
  FrameParser(Frame& frame, const ParseOptions& options)
      : frame_(frame), options_(options), captured_(static_cast<std::uint32_t>(frame.captured.size())) {
    set_end(frame.wire_len, Limit::frame);
  }

  void link(LinkType type);

 private:
  // frame_parse.cc
  void erf();
  void ethernet(std::uint32_t at);
  void ethertype(net::EtherType type, std::uint32_t at);
  void mac_control(std::uint32_t at);
  void ip(std::uint32_t at);
  void ipv4(std::uint32_t at);
  void ipv6(std::uint32_t at);
  void ip_payload(net::IpProtocol protocol, std::uint32_t at, ib::IcrcStart start, std::uint32_t ip_at);
  void udp(std::uint32_t at, ib::IcrcStart start, std::uint32_t ip_at);
  void tcp(std::uint32_t at);
  void gre(std::uint32_t at);

  // frame_parse_ib.cc
  void infiniband(std::uint32_t at);
  void flow_control(std::uint32_t at);
  void rocev1(std::uint32_t at);
  // start_at: where the ICRC begins.
  void transport(std::uint32_t at, ib::IcrcStart start, std::uint32_t start_at);
  void management(std::uint32_t at);
  void check_icrc(std::uint32_t at, ib::IcrcStart start, std::uint32_t start_at, std::uint32_t crc_at);
  void check_vcrc(std::uint32_t start_at, std::uint32_t crc_at);

  bool is_rocev2(std::uint16_t port) const {
    for (const std::uint16_t known : options_.rocev2_ports) {
      if (port == known) return port != 0;
    }
    return false;
  }

  const std::uint8_t* data(std::uint32_t at) const { return frame_.captured.data() + at; }
  // A header whose octets take() has found there.
  template <Header T>
  HeaderBytes<T> header(std::uint32_t at) const {
    return HeaderBytes<T>(data(at), header_size<T>);
  }
  template <Header T>
  T read(std::uint32_t at) const {
    return decode<T>(header<T>(at));
  }

  // Adds the header if its size octets at this offset are all there; else says why not, and the walk ends.
  bool take(const HeaderInfo& info, std::uint32_t at, std::uint32_t size, bool continued = false) {
    if (std::uint64_t{at} + size > readable_) [[unlikely]] {
      return missing(info.layer, at, size);
    }
    if (frame_.num_layers_ == Frame::max_layers) [[unlikely]] {
      return stop({ErrorCode::too_many_layers, info.layer, Limit::none, 0, 0, at});
    }
    frame_.layers_[frame_.num_layers_++] = {&info, at, static_cast<std::uint16_t>(size), info.layer, continued};
    return true;
  }
  template <Header T>
  bool take(std::uint32_t at) {
    return take(header_info<T>, at, header_size<T>);
  }
  // An optional part of the layer just taken.
  template <Header T>
  bool take_part(std::uint32_t at) {
    return take(header_info<T>, at, header_size<T>, true);
  }
  // The layer taken last turns out to have this size, options included. If that is less than its fixed part, or more
  // than there is, says so, and the walk ends.
  bool extend(std::uint32_t size);
  bool missing(Layer layer, std::uint32_t at, std::uint32_t size);
  bool stop(const Error& error) {
    if (!frame_.error) frame_.error = error;
    return false;
  }

  void set_end(std::uint32_t end, Limit limit) {
    end_ = end;
    end_limit_ = limit;
    readable_ = std::min(end, captured_);
  }
  // What follows ends after size octets from at, as a length field of the layer says. If there is less, that field
  // and the one around it contradict each other: the outer end stays, and it is not known where the packet ends.
  void narrow(Layer layer, std::uint32_t at, std::uint32_t size, Limit limit);

  // What is left, from at on, is payload.
  void rest(std::uint32_t at) {
    frame_.payload_offset = at;
    frame_.payload_len = end_ > at ? end_ - at : 0;
    frame_.packet_end = end_;
  }

  Frame& frame_;
  const ParseOptions& options_;
  std::uint32_t captured_;      // octets
  std::uint32_t end_ = 0;       // offset where the innermost length says that it ends
  std::uint32_t readable_ = 0;  // the lower of the two
  Limit end_limit_ = Limit::none;
};

}  // namespace rdmawire
