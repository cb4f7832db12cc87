#include "codec/base/bytes.h"
#include "codec/frame_parser.h"
#include "codec/ib/headers.h"
#include "codec/ib/icrc.h"
#include "codec/mad/dispatch.h"

namespace rdmawire {

using namespace ib;

namespace {

constexpr std::uint32_t icrc_size = header_size<Icrc>;
constexpr std::uint32_t vcrc_size = header_size<Vcrc>;

}  // namespace

void FrameParser::infiniband(std::uint32_t at) {
  frame_.family = Family::infiniband;
  // Too short for an LRH, and just as long as the one packet that has none.
  if (end_ - at == header_size<FlowControl>) return flow_control(at);
  if (!take<Lrh>(at)) return rest(at);
  const Lrh lrh = read<Lrh>(at);
  narrow(Layer::lrh, at, 4U * lrh.packet_len_words + vcrc_size, Limit::lrh_pktlen);  //= HV-05
  if (end_ - at < header_size<Lrh> + vcrc_size) {
    stop({ErrorCode::bad_length, Layer::lrh, end_limit_, header_size<Lrh> + vcrc_size, end_ - at, at});
    return rest(at + header_size<Lrh>);
  }
  // Where the packet ends says the LRH, whatever lengths follow.
  const std::uint32_t packet_end = end_;
  const bool packet_end_known = frame_.packet_end_known;
  const std::uint32_t vcrc_at = end_ - vcrc_size;
  if (frame_.packet_end_known) check_vcrc(at, vcrc_at);
  set_end(vcrc_at, end_limit_);
  const std::uint32_t next = at + header_size<Lrh>;
  switch (lrh.next_header) {  //= HV-04
    case LinkNextHeader::raw:
      if (take<Rwh>(next)) {
        rest(next + header_size<Rwh>);
      } else {
        rest(next);
      }
      break;
    case LinkNextHeader::ipv6:
      ipv6(next);
      break;
    case LinkNextHeader::iba_local:
      transport(next, IcrcStart::lrh, at);
      break;
    case LinkNextHeader::iba_global:
      if (take<Grh>(next)) {
        // The LRH says where the packet ends; a PayLen that says otherwise is for first_violation to judge.
        transport(next + header_size<Grh>, IcrcStart::lrh_grh, at);
      } else {
        rest(next);
      }
      break;
  }
  frame_.packet_end = packet_end;
  frame_.packet_end_known = packet_end_known;
}

void FrameParser::flow_control(std::uint32_t at) {
  if (!take<FlowControl>(at)) return rest(at);
  check_vcrc(at, at + header_size<FlowControl> - vcrc_size);
  rest(at + header_size<FlowControl>);
}

void FrameParser::rocev1(std::uint32_t at) {
  frame_.family = Family::rocev1;
  if (!take<Grh>(at)) return rest(at);
  const Grh grh = read<Grh>(at);
  const std::uint32_t next = at + header_size<Grh>;
  if (grh.ip_version != 6) {
    stop({ErrorCode::bad_version, Layer::grh, Limit::none, 0, 0, at});
    return rest(next);
  }
  narrow(Layer::grh, next, grh.payload_len, Limit::grh_paylen);  //= V1-02
  if (grh.next_header != Grh::iba_transport) {
    stop({ErrorCode::unknown_next_header, Layer::grh, Limit::none, 0, 0, at});
    return rest(next);
  }
  transport(next, IcrcStart::grh, at);
}

void FrameParser::transport(std::uint32_t at, IcrcStart start, std::uint32_t start_at) {
  // The ICRC is the packet's last four octets; a packet that has no room for it after a BTH has none.
  const std::uint32_t packet_end = end_;
  const bool has_icrc = end_ >= at + header_size<Bth> + icrc_size;
  if (has_icrc) {
    set_end(end_ - icrc_size, end_limit_);
    check_icrc(at, start, start_at, end_);
  }

  std::uint32_t next = at;
  if (take<Bth>(at)) {
    const Bth bth = read<Bth>(at);
    next += header_size<Bth>;
    const OpcodeInfo* row = ib::find(bth.opcode);
    frame_.opcode = row;
    if (row == nullptr) {
      stop({ErrorCode::reserved_opcode, Layer::bth, Limit::none, 0, 0, at});
    } else {
      bool whole = true;
      for (std::size_t i = 0; i < row->num_headers && whole; ++i) {
        const HeaderInfo& info = *header_of(row->headers[i]);
        whole = take(info, next, info.size);  //= HV-23
        if (whole) next += info.size;
      }
      if (whole && !has_icrc) {
        const std::uint32_t there = end_ - next;
        stop({ErrorCode::truncated_wire, Layer::icrc, end_limit_, icrc_size, there, next});
      }
      if (whole) {
        if (bth.pad_count > end_ - next) {  //= LEN-05
          stop({ErrorCode::pad_rule, Layer::bth, end_limit_, bth.pad_count, end_ - next, at});
        } else {
          frame_.pad_len = bth.pad_count;
        }
        if (row->service == Service::ud && bth.dest_qp.value <= 1) {
          set_end(end_ - frame_.pad_len, end_limit_);
          management(next);
          set_end(end_ + frame_.pad_len, end_limit_);
        }
      }
    }
  }
  rest(next);
  frame_.payload_len -= frame_.pad_len;
  frame_.packet_end = packet_end;
}

void FrameParser::management(std::uint32_t at) {
  std::uint32_t end = at;
  for (const mad::MadLayer& layer : mad::mad_layers(Bytes(data(at), readable_ - at))) {
    const std::uint32_t offset = at + layer.offset;
    // A closer look at octets that the header before it has too.
    const bool inside = offset < end;
    if (!take(*layer.header, offset, layer.header->size, inside)) return;
    end = std::max(end, offset + layer.header->size);
  }
}

void FrameParser::check_icrc(std::uint32_t at, IcrcStart start, std::uint32_t start_at, std::uint32_t crc_at) {
  CrcCheck& check = frame_.icrc;
  check.offset = crc_at;
  check.status = CrcStatus::unchecked;
  if (!options_.verify_crcs || !frame_.packet_end_known || crc_at + icrc_size > captured_) return;
  check.stored = peek<&Icrc::crc>(header<Icrc>(crc_at));
  check.computed = __builtin_bswap32(icrc(start, Bytes(data(start_at), crc_at - start_at), at - start_at));
  check.status = check.stored == check.computed ? CrcStatus::good : CrcStatus::bad;
}

void FrameParser::check_vcrc(std::uint32_t start_at, std::uint32_t crc_at) {
  CrcCheck& check = frame_.vcrc;
  check.offset = crc_at;
  check.status = CrcStatus::unchecked;
  if (!options_.verify_crcs || crc_at + vcrc_size > captured_) return;
  check.stored = peek<&Vcrc::crc>(header<Vcrc>(crc_at));
  check.computed = __builtin_bswap16(vcrc(Bytes(data(start_at), crc_at - start_at)));
  check.status = check.stored == check.computed ? CrcStatus::good : CrcStatus::bad;
}

}  // namespace rdmawire
