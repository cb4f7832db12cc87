#include "codec/iwarp/pdu.h"

#include <algorithm>
#include <optional>

#include "codec/iwarp/headers.h"

namespace rdmawire::iwarp {

class PduParser {
 public:
  PduParser(Pdu& pdu, PduKind kind, Bytes captured, std::uint32_t end, Limit limit) : pdu_(pdu), end_(end) {
    pdu_.kind = kind;
    pdu_.captured = captured;
    limit_ = limit;
    readable_ = static_cast<std::uint32_t>(std::min<std::size_t>(end, captured.size()));
  }

  // What stands before the ULPDU; what follows it is payload until more is known.
  template <Header T>
  bool start() {
    rest(0);
    if (!take<T>(0)) return false;
    rest(header_size<T>);
    return true;
  }

  void segment(std::uint32_t at) {
    pdu_.ulpdu_offset = at;
    rest(at);
    // One octet says which of the two headers it is.
    const bool known = at < readable_;
    const bool tagged = known && (pdu_.captured[at] & 0x80U) != 0;
    if (!ddp(at, tagged || !known)) return;
    const std::uint32_t after = at + ddp_size(tagged);
    rest(after);
    const Opcode opcode = peek<&RdmapControl::opcode>(header<RdmapControl>(at + rdmap_offset));
    pdu_.opcode = find(opcode);
    if (pdu_.opcode == nullptr) {
      return stop({ErrorCode::reserved_opcode, Layer::rdmap, Limit::none, 0, 0, at + rdmap_offset});
    }
    if (pdu_.opcode->tagged() != tagged) {
      return stop({ErrorCode::wrong_model, tagged ? Layer::ddp_tagged : Layer::ddp_untagged, Limit::none, 0, 0, at});
    }
    if (pdu_.opcode->header == Layer::none) return;
    if (pdu_.opcode->header == Layer::terminate) return terminate(after);
    if (pdu_.opcode->header == Layer::atomic_request) return atomic_request(after);
    const HeaderInfo& info = *header_of(pdu_.opcode->header);
    if (take(info, after)) rest(after + info.size);
  }

  void session_control() {
    constexpr std::uint32_t size = header_size<DdpSctpControl>;
    const auto control = decode<DdpSctpControl>(header<DdpSctpControl>(0));
    if (const Error error = private_data_error(control.function, end_ - size)) return stop(error);
    if (has_enhanced_block(control.function) && take<MpaEnhanced>(size)) rest(size + header_size<MpaEnhanced>);
  }

  void startup(const StartupPrefix& prefix) {
    rest(0);
    const bool request = prefix.kind != StartupKind::reply;
    if (prefix.kind == StartupKind::none) return stop(prefix.error);
    if (!take(request ? header_info<MpaRequest> : header_info<MpaReply>, 0)) return;
    rest(startup_header_size);
    if (prefix.error) return stop(prefix.error);
    if (!decode<MpaStartup>(header<MpaStartup>(0)).is_enhanced()) return;  //= MPA-6581-6-02
    if (take<MpaEnhanced>(startup_header_size)) rest(startup_header_size + header_size<MpaEnhanced>);
  }

 private:
  static constexpr std::uint32_t ddp_size(bool tagged) {
    return static_cast<std::uint32_t>(tagged ? header_size<DdpTagged> : header_size<DdpUntagged>);
  }

  // A DDP header and what RDMAP has in it.
  bool ddp(std::uint32_t at, bool tagged) {
    if (!take(tagged ? header_info<DdpTagged> : header_info<DdpUntagged>, at)) return false;  //= DDP-5041-4.4-01
    const std::uint32_t control = at + rdmap_offset;
    push(header_info<RdmapControl>, control, false);
    if (tagged) return true;
    const OpcodeInfo* row = find(peek<&RdmapControl::opcode>(header<RdmapControl>(control)));
    const bool invalidates = row != nullptr && row->invalidates;
    push(invalidates ? header_info<InvalidateStag> : header_info<RdmapReserved>, control + header_size<RdmapControl>,
         true);
    return true;
  }

  void atomic_request(std::uint32_t at) {
    if (!take<AtomicRequest>(at)) return;
    pdu_.layers_[pdu_.num_layers_ - 1].header = &atomic_header(peek<&AtomicRequest::opcode>(header<AtomicRequest>(at)));
    rest(at + header_size<AtomicRequest>);
  }

  void terminate(std::uint32_t at) {
    if (!take<Terminate>(at)) return;
    const HeaderBytes<Terminate> octets = header<Terminate>(at);
    std::uint32_t next = at + header_size<Terminate>;
    Terminate control = decode<Terminate>(octets);
    if (order_of(octets, pdu_.captured.subspan(next, readable_ - next), end_ - next) == TerminateOrder::siw) {
      pdu_.layers_[pdu_.num_layers_ - 1].header = &header_info<SiwTerminate>;
      control = decode<SiwTerminate>(octets).standard();
    }
    rest(next);
    if (control.length_follows()) {
      if (!take<TerminatedLength>(next)) return;
      next += header_size<TerminatedLength>;
      rest(next);
    }
    if (control.has_ddp_header) {
      const bool known = next < readable_;
      const bool tagged = known && (pdu_.captured[next] & 0x80U) != 0;
      if (!ddp(next, tagged || !known)) return;
      next += ddp_size(tagged);
      rest(next);
    }
    if (control.has_rdma_header) {
      if (!take<ReadRequest>(next)) return;
      rest(next + header_size<ReadRequest>);
    }
  }

  template <Header T>
  HeaderBytes<T> header(std::uint32_t at) const {
    return HeaderBytes<T>(pdu_.captured.data() + at, header_size<T>);
  }

  // Adds the header if all its octets are there; else says why not.
  bool take(const HeaderInfo& info, std::uint32_t at) {
    if (std::uint64_t{at} + info.size <= readable_) {
      push(info, at, false);
      return true;
    }
    const bool wire = std::uint64_t{at} + info.size > end_;
    const std::uint32_t limit = wire ? end_ : readable_;
    stop({wire ? ErrorCode::truncated_wire : ErrorCode::truncated_capture, info.layer, wire ? limit_ : Limit::capture,
          info.size, limit > at ? limit - at : 0, at});
    return false;
  }
  template <Header T>
  bool take(std::uint32_t at) {
    return take(header_info<T>, at);
  }
  void push(const HeaderInfo& info, std::uint32_t at, bool continued) {
    pdu_.layers_[pdu_.num_layers_++] = {&info, at, info.size, info.layer, continued};
  }
  void stop(const Error& error) { pdu_.error = error; }

  // What is left, from at on, is payload.
  void rest(std::size_t at) {
    pdu_.payload_offset = static_cast<std::uint32_t>(at) - pdu_.ulpdu_offset;
    pdu_.payload_len = end_ > at ? end_ - static_cast<std::uint32_t>(at) : 0;
  }

  Pdu& pdu_;
  std::uint32_t end_;           // offset where the ULPDU ends on the wire
  std::uint32_t readable_ = 0;  // that, or the end of the capture
  Limit limit_{};
};

std::optional<AtomicRequest> atomic_request_of(const Pdu& pdu) {
  const LayerRef* ref = pdu.find(Layer::atomic_request);
  if (ref == nullptr) return std::nullopt;
  return decode<AtomicRequest>(pdu.octets(*ref).first<header_size<AtomicRequest>>());
}

std::optional<Terminate> terminate_of(const Pdu& pdu) {
  if (const auto siw = pdu.get<SiwTerminate>()) return siw->standard();
  return pdu.get<Terminate>();
}

Pdu parse_sctp_segment(Bytes captured, std::uint32_t len) {
  Pdu pdu;
  PduParser parser(pdu, PduKind::sctp_segment, captured, len, Limit::none);
  if (parser.start<DdpSctp>()) parser.segment(header_size<DdpSctp>);
  return pdu;
}

Pdu parse_sctp_control(Bytes captured, std::uint32_t len) {
  Pdu pdu;
  PduParser parser(pdu, PduKind::sctp_control, captured, len, Limit::none);
  if (parser.start<DdpSctpControl>()) parser.session_control();
  return pdu;
}

Pdu parse_ulpdu(Bytes captured, std::uint32_t ulpdu_len) {
  Pdu pdu;
  PduParser(pdu, PduKind::ulpdu, captured, ulpdu_len, Limit::ulpdu_length).segment(0);
  return pdu;
}

Pdu parse_fpdu(const Fpdu& fpdu, MutableBytes scratch) {
  const std::uint32_t at = fpdu.header_offset();
  const std::uint32_t end = fpdu_header_size + fpdu.ulpdu_len;
  Bytes captured = at < fpdu.octets.size() ? fpdu.octets.subspan(at) : Bytes{};
  // Up to the next Marker it can be read as it lies there.
  const std::uint32_t marker = fpdu.first_marker == 0 ? marker_interval : fpdu.first_marker;
  const std::uint32_t unmarked = marker - at;
  if (fpdu.first_marker != Fpdu::no_marker && unmarked < captured.size()) {
    captured = captured.first(unmarked);
    const std::uint32_t head = std::min({end, max_pdu_head, static_cast<std::uint32_t>(scratch.size())});
    if (unmarked < head) {
      std::copy_n(captured.begin(), std::min<std::size_t>(fpdu_header_size, captured.size()), scratch.begin());
      std::size_t copied = fpdu_header_size;
      fpdu.for_each_span(0, head - fpdu_header_size, [&](Bytes span) {
        std::copy(span.begin(), span.end(), scratch.begin() + static_cast<std::ptrdiff_t>(copied));
        copied += span.size();
      });
      captured = scratch.first(copied);
    }
  }
  Pdu pdu;
  PduParser parser(pdu, PduKind::fpdu, captured, end, Limit::ulpdu_length);
  if (parser.start<FpduHeader>()) parser.segment(fpdu_header_size);
  return pdu;
}

Pdu parse_startup(Bytes captured) {
  const StartupPrefix prefix = look_at_startup(captured);
  const std::uint32_t len = std::max<std::uint32_t>(prefix.full_len, startup_header_size);
  const PduKind kind = prefix.kind == StartupKind::reply ? PduKind::mpa_reply : PduKind::mpa_request;
  Pdu pdu;
  PduParser(pdu, kind, captured.first(std::min<std::size_t>(captured.size(), len)), len, Limit::private_data_length)
      .startup(prefix);
  return pdu;
}

}  // namespace rdmawire::iwarp
