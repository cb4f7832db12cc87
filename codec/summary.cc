#include "codec/summary.h"

#include "codec/frame_view.h"
#include "codec/ib/encodings.h"
#include "codec/mad/headers.h"
#include "codec/net/net.h"

namespace rdmawire {
namespace {

class FrameSummary {
 public:
  FrameSummary(Text& text, const Frame& frame) : text_(text), frame_(frame), start_(text.size()) {}

  void append() {
    for (const LayerRef& ref : frame_.layers()) append_layer(ref);
    if (frame_.icrc.status == CrcStatus::bad) words("ICRC bad");
    if (frame_.icrc.status == CrcStatus::unchecked) words("ICRC unchecked");
    if (frame_.vcrc.status == CrcStatus::bad) {
      words(frame_.find(Layer::flow_control) != nullptr ? "LPCRC bad" : "VCRC bad");
    }
  }

 private:
  // A separator stands before each but the first.
  template <class... Pieces>
  void words(const Pieces&... pieces) {
    if (text_.size() != start_) text_.add(' ');
    text_.add(pieces...);
  }

  template <Header T>
  T decode_at(const LayerRef& ref) const {
    return decode<T>(frame_.octets(ref).template first<header_size<T>>());
  }

  void append_layer(const LayerRef& ref) {
    switch (ref.layer) {
      case Layer::ipv4:
        if (decode_at<net::Ipv4>(ref).traffic_class.ecn() == net::Ecn::congestion_experienced) words("CE");
        return;
      case Layer::ipv6:
        if (decode_at<net::Ipv6>(ref).traffic_class.ecn() == net::Ecn::congestion_experienced) words("CE");
        return;
      case Layer::bth: {
        const auto bth = decode_at<ib::Bth>(ref);
        if (bth.fecn) words("FECN");
        if (bth.becn) words("BECN");
        return;
      }
      case Layer::rdeth:
        return words("eec ", Hex{decode_at<ib::Rdeth>(ref).ee_context.value});
      case Layer::xrceth:
        return words("srq ", Hex{decode_at<ib::Xrceth>(ref).srqn.value});
      case Layer::deth:
        // Management goes from queue pair 0 to 0 and from 1 to 1.
        if (const auto qp = decode_at<ib::Deth>(ref).source_qp.value; qp > 1) words("from QP ", Hex{qp});
        return;
      case Layer::feth: {
        const auto feth = decode_at<ib::Feth>(ref);
        return words("placement ", Hex{feth.placement}, ", ", name_of(feth.selectivity));
      }
      case Layer::reth: {
        const auto reth = decode_at<ib::Reth>(ref);
        return words("va ", Hex{reth.virtual_address.value}, " rkey ", Hex{reth.r_key.value}, " dmalen ", reth.dma_len);
      }
      case Layer::atomiceth:
        return append_atomic(decode_at<ib::AtomicEth>(ref));
      case Layer::aeth:
        return append_aeth(decode_at<ib::Aeth>(ref));
      case Layer::atomicacketh:
        return words("original ", Hex{decode_at<ib::AtomicAckEth>(ref).original_remote_data});
      case Layer::immdt:
        words("imm 0x");
        return text_.add_hex_octets(decode_at<ib::ImmDt>(ref).data);
      case Layer::ieth:
        return words("invalidates rkey ", Hex{decode_at<ib::Ieth>(ref).r_key.value});
      case Layer::flow_control: {
        const auto packet = decode_at<ib::FlowControl>(ref);
        return words("flow control ", name_of(packet.op), " VL ", packet.virtual_lane, " FCTBS ",
                     packet.total_blocks_sent, " FCCL ", packet.credit_limit);
      }
      case Layer::rwh:
        return words("raw packet, EtherType ", Hex{decode_at<ib::Rwh>(ref).ethertype, 4});
      case Layer::mad:
        return append_mad(decode_at<mad::Mad>(ref));
      case Layer::cm_req: {
        const auto req = decode_at<mad::CmReq>(ref);
        return words(info(ref.layer).title, " QP ", Hex{req.local_qpn.value}, " PSN ", req.starting_psn.value,
                     " service ", Hex{req.service_id.value});
      }
      case Layer::cm_rep: {
        const auto rep = decode_at<mad::CmRep>(ref);
        return words(info(ref.layer).title, " QP ", Hex{rep.local_qpn.value}, " PSN ", rep.starting_psn.value);
      }
      case Layer::cm_rej: {
        const auto rej = decode_at<mad::CmRej>(ref);
        const std::string_view reason = name_of(rej.reason);
        words(info(ref.layer).title);
        if (reason.empty()) return text_.add(" reason ", static_cast<unsigned>(rej.reason));
        return text_.add(' ', reason);
      }
      default:
        // The other messages and attributes of management say most by their names.
        if (is_management_content(ref.layer)) words(info(ref.layer).title);
        return;
    }
  }

  // Layers after those that every MAD of its class has.
  static bool is_management_content(Layer layer) { return layer >= Layer::node_description && layer <= Layer::cm_apr; }

  void append_atomic(const ib::AtomicEth& atomic) {
    words("va ", Hex{atomic.virtual_address.value}, " rkey ", Hex{atomic.r_key.value});
    const auto opcode = frame_.opcode == nullptr ? ib::Opcode{} : frame_.opcode->opcode;
    using enum ib::Opcode;
    if (opcode == RC_FETCH_ADD || opcode == RD_FETCH_ADD || opcode == XRC_FETCH_ADD) {
      text_.add(" add ", Hex{atomic.swap_or_add});
    } else {
      text_.add(" compare ", Hex{atomic.compare}, " swap ", Hex{atomic.swap_or_add});
    }
  }

  void append_aeth(const ib::Aeth& aeth) {
    switch (aeth.syndrome.kind()) {
      case ib::SyndromeKind::ack:
        words("ACK");
        if (const auto credits = ib::CreditCode{aeth.syndrome.low5()}.receive_wqes()) text_.add(" credits ", *credits);
        break;
      case ib::SyndromeKind::rnr_nak: {
        const auto hundredths = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(ib::RnrTimer{aeth.syndrome.low5()}.duration())
                .count() /
            10);
        words("RNR NAK, wait ", hundredths / 100, '.', hundredths / 10 % 10, hundredths % 10, " ms");
        break;
      }
      case ib::SyndromeKind::reserved:
        words("reserved syndrome ", Hex{aeth.syndrome.value, 2});
        break;
      case ib::SyndromeKind::nak: {
        const std::string_view name = name_of(static_cast<ib::NakCode>(aeth.syndrome.low5()));
        if (name.empty()) {
          words("NAK code ", aeth.syndrome.low5());
        } else {
          words("NAK ", name);
        }
        break;
      }
    }
    text_.add(" msn ", aeth.msn.value);
  }

  // CM messages say the method by their own names.
  void append_mad(const mad::Mad& header) {
    if (header.management_class == mad::ManagementClass::communication) return;
    const std::string_view management_class = name_of(header.management_class);
    const std::string_view method = name_of(header.method);
    if (management_class.empty()) {
      words("MAD class ", Hex{static_cast<std::uint8_t>(header.management_class), 2});
    } else {
      words(management_class);
    }
    if (method.empty()) {
      text_.add(" method ", Hex{static_cast<std::uint8_t>(header.method), 2});
    } else {
      text_.add(' ', method);
    }
    // In a directed route SMP the first bit is its direction.
    const bool directed = header.management_class == mad::ManagementClass::subnet_directed;
    const unsigned status = directed ? header.status.value & 0x7FFFU : header.status.value;
    if (status != 0) text_.add(" status ", Hex{status, 4});
  }

  Text& text_;
  const Frame& frame_;
  std::size_t start_;
};

}  // namespace

void append_summary(Text& text, const Frame& frame) { FrameSummary(text, frame).append(); }

void append_loss(Text& text, const Loss& loss) {
  std::string_view separator;
  const auto part = [&](std::string_view before, std::uint64_t number, std::string_view noun, std::string_view after) {
    if (number == 0) return;
    text.add(separator, before, number, noun, number == 1 ? std::string_view() : "s", after);
    separator = ", ";
  };
  part("", loss.missing_len, " octet", " missing");
  part("", loss.skipped_len, " octet", " skipped");
  part("at least ", loss.num_fpdus, " FPDU", " lost");
}

}  // namespace rdmawire
