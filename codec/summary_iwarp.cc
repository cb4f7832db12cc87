#include "codec/iwarp/headers.h"
#include "codec/iwarp/pdu_view.h"
#include "codec/summary.h"

namespace rdmawire {
namespace {

class PduSummary {
 public:
  PduSummary(Text& text, const iwarp::Pdu& pdu, const iwarp::Fpdu* fpdu) : text_(text), pdu_(pdu), fpdu_(fpdu) {}

  void append(std::string_view fallback) {
    const std::string_view name = operation(pdu_);
    if (!name.empty()) {
      text_.add(name);
    } else if (const auto control = pdu_.get<iwarp::RdmapControl>()) {
      text_.add("opcode ", Hex{static_cast<std::uint8_t>(control->opcode)});
    } else {
      text_.add(fallback);
    }
    for (const LayerRef& ref : pdu_.layers()) append_layer(ref);
    append_verdicts();
  }

 private:
  template <Header T>
  T decode_at(const LayerRef& ref) const {
    return decode<T>(pdu_.octets(ref).template first<header_size<T>>());
  }

  void append_layer(const LayerRef& ref) {
    switch (ref.layer) {
      case Layer::mpa_request:
      case Layer::mpa_reply:
        return append_startup(decode_at<iwarp::MpaRequest>(ref));
      case Layer::ddp_sctp_control: {
        const auto function = decode_at<iwarp::DdpSctpControl>(ref).function;
        const std::string_view name = name_of(function);
        if (name.empty()) return text_.add(" function ", Hex{static_cast<std::uint16_t>(function)});
        return text_.add(' ', name);
      }
      case Layer::mpa_enhanced:
        return append_enhanced(decode_at<iwarp::MpaEnhanced>(ref));
      case Layer::ddp_tagged:
        return append_tagged(decode_at<iwarp::DdpTagged>(ref));
      case Layer::ddp_untagged:
        return append_untagged(decode_at<iwarp::DdpUntagged>(ref));
      case Layer::rdmap:
        if (ref.header == &header_info<iwarp::InvalidateStag>) {
          text_.add(" invalidates stag ", Hex{decode_at<iwarp::InvalidateStag>(ref).stag.value});
        }
        return;
      case Layer::read_request: {
        const auto read = decode_at<iwarp::ReadRequest>(ref);
        return text_.add(" sink stag ", Hex{read.sink_stag.value}, " to ", Hex{read.sink_offset.value}, " size ",
                         read.read_len, " source stag ", Hex{read.source_stag.value}, " to ",
                         Hex{read.source_offset.value});
      }
      case Layer::terminate:
        append_terminate(ref);
        terminated_ = true;
        return;
      case Layer::atomic_request:
        return append_atomic(decode_at<iwarp::AtomicRequest>(ref));
      case Layer::atomic_response: {
        const auto response = decode_at<iwarp::AtomicResponse>(ref);
        return text_.add(" id ", response.request_id, " original ", Hex{response.original_data});
      }
      case Layer::immediate_data:
        text_.add(" imm 0x");
        return text_.add_hex_octets(decode_at<iwarp::ImmediateData>(ref).data);
      default:
        return;
    }
  }

  void append_startup(const iwarp::MpaStartup& frame) {
    text_.add(" rev ", frame.revision);
    if (frame.rejected) text_.add(", rejected");
    text_.add(", ", frame.crc ? "" : "no ", "CRC, ", frame.markers ? "" : "no ", "Markers");
  }

  void append_enhanced(const iwarp::MpaEnhanced& enhanced) {
    text_.add(", IRD ", enhanced.ird, " ORD ", enhanced.ord);
    if (!enhanced.peer_to_peer) return;
    text_.add(", peer-to-peer");
    if (enhanced.rtr_send) text_.add(", RTR by Send");
    if (enhanced.rtr_write) text_.add(", RTR by Write");
    if (enhanced.rtr_read) text_.add(", RTR by Read");
  }

  // A segment of the message or, after a Terminate, the one to blame.
  void append_tagged(const iwarp::DdpTagged& ddp) {
    begin_segment();
    text_.add(" stag ", Hex{ddp.stag.value}, " to ", Hex{ddp.tagged_offset.value});
    if (ddp.last && !terminated_) text_.add(" last");
  }

  void append_untagged(const iwarp::DdpUntagged& ddp) {
    begin_segment();
    const iwarp::OpcodeInfo* row = opcode();
    if (row == nullptr || row->queue != ddp.queue) text_.add(" queue ", ddp.queue.value);
    text_.add(" msn ", ddp.msn.value);
    const bool many = row == nullptr || row->segments == iwarp::Segments::many;
    if (many || ddp.message_offset != 0) text_.add(" mo ", ddp.message_offset);
    if (many && ddp.last && !terminated_) text_.add(" last");
    if (!many && !ddp.last) text_.add(" not last");
  }

  void begin_segment() {
    if (!terminated_) return;
    const iwarp::OpcodeInfo* row = opcode();
    text_.add(", of ", row != nullptr ? row->name : "reserved opcode");
  }

  // Of the segment being told.
  const iwarp::OpcodeInfo* opcode() const {
    if (!terminated_) return pdu_.opcode;
    const iwarp::OpcodeInfo* last = nullptr;
    for (const LayerRef& ref : pdu_.layers()) {
      if (ref.header == &header_info<iwarp::RdmapControl>) last = find(decode_at<iwarp::RdmapControl>(ref).opcode);
    }
    return last;
  }

  void append_terminate(const LayerRef& ref) {
    const bool siw = ref.header == &header_info<iwarp::SiwTerminate>;
    const iwarp::TerminateError error =
        siw ? decode_at<iwarp::SiwTerminate>(ref).error.standard() : decode_at<iwarp::Terminate>(ref).error;
    const std::string_view layer = name_of(error.layer());
    const std::string_view name = name_of(error);
    text_.add(" by ");
    if (layer.empty()) {
      text_.add("layer ", static_cast<unsigned>(error.layer()));
    } else {
      text_.add(layer);
    }
    if (name.empty()) {
      text_.add(": error type ", error.type(), " code ", Hex{error.code(), 2});
    } else {
      text_.add(": ", name);
    }
  }

  void append_atomic(const iwarp::AtomicRequest& atomic) {
    const std::string_view name = name_of(atomic.opcode);
    if (name.empty()) {
      text_.add(" operation ", static_cast<unsigned>(atomic.opcode));
    } else {
      text_.add(' ', name);
    }
    text_.add(" id ", atomic.request_id, " stag ", Hex{atomic.remote_stag.value}, " to ",
              Hex{atomic.remote_offset.value});
    switch (atomic.opcode) {
      case iwarp::AtomicOpcode::fetch_add:
        return text_.add(" add ", Hex{atomic.add_or_swap_data});
      case iwarp::AtomicOpcode::cmp_swap:
        return text_.add(" compare ", Hex{atomic.compare_data}, " swap ", Hex{atomic.add_or_swap_data});
    }
  }

  void append_verdicts() {
    if (fpdu_ == nullptr) return;
    if (fpdu_->crc.status == CrcStatus::bad) text_.add(" CRC bad");
    // Where it is not known whether there is one, that holds for the whole stream.
    if (fpdu_->crc.status == CrcStatus::unchecked && !fpdu_->is_whole()) text_.add(" CRC unchecked");
    if (fpdu_->num_wrong_markers != 0) {
      text_.add(' ', fpdu_->num_wrong_markers, " of ", fpdu_->num_markers, " Markers wrong");
    }
  }

  Text& text_;
  const iwarp::Pdu& pdu_;
  const iwarp::Fpdu* fpdu_;
  bool terminated_ = false;  // the layers are those of the segment that a Terminate blames
};

}  // namespace

void append_summary(Text& text, const iwarp::Pdu& pdu, const iwarp::Fpdu* fpdu, std::string_view fallback) {
  PduSummary(text, pdu, fpdu).append(fallback);
}

}  // namespace rdmawire
