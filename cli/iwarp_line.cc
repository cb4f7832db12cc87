#include "cli/iwarp_line.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "cli/loss_text.h"
#include "codec/iwarp/headers.h"

namespace rdmawire::cli {
namespace {

class IwarpLine {
 public:
  IwarpLine(Output& out, const Record& record) : out_(out), record_(record), pdu_(*record.pdu) {}

  void write() {
    write_operation();
    for (const LayerRef& ref : pdu_.layers()) write_layer(ref);
    write_verdicts();
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  template <Header T>
  T decode_at(const LayerRef& ref) const {
    return decode<T>(pdu_.octets(ref).template first<header_size<T>>());
  }

  void write_operation() {
    const std::string_view name = operation(pdu_);
    if (!name.empty()) {
      out_.append(name);
    } else if (const auto control = pdu_.get<iwarp::RdmapControl>()) {
      put("opcode {:#x}", static_cast<unsigned>(control->opcode));
    } else {
      out_.append(info(record_.chunk != nullptr ? Layer::ddp_sctp : Layer::fpdu).title);
    }
  }

  void write_layer(const LayerRef& ref) {
    switch (ref.layer) {
      case Layer::mpa_request:
      case Layer::mpa_reply:
        return write_startup(decode_at<iwarp::MpaRequest>(ref));
      case Layer::ddp_sctp_control: {
        const auto function = decode_at<iwarp::DdpSctpControl>(ref).function;
        const std::string_view name = name_of(function);
        if (name.empty()) {
          put(" function {:#x}", static_cast<unsigned>(function));
        } else {
          put(" {}", name);
        }
        return;
      }
      case Layer::mpa_enhanced:
        return write_enhanced(decode_at<iwarp::MpaEnhanced>(ref));
      case Layer::ddp_tagged:
        return write_tagged(decode_at<iwarp::DdpTagged>(ref));
      case Layer::ddp_untagged:
        return write_untagged(decode_at<iwarp::DdpUntagged>(ref));
      case Layer::rdmap:
        if (ref.header == &header_info<iwarp::InvalidateStag>) {
          put(" invalidates stag {:#x}", decode_at<iwarp::InvalidateStag>(ref).stag.value);
        }
        return;
      case Layer::read_request: {
        const auto read = decode_at<iwarp::ReadRequest>(ref);
        put(" sink stag {:#x} to {:#x} size {} source stag {:#x} to {:#x}", read.sink_stag.value,
            read.sink_offset.value, read.read_len, read.source_stag.value, read.source_offset.value);
        return;
      }
      case Layer::terminate:
        write_terminate(ref);
        terminated_ = true;
        return;
      case Layer::atomic_request:
        return write_atomic(decode_at<iwarp::AtomicRequest>(ref));
      case Layer::atomic_response: {
        const auto response = decode_at<iwarp::AtomicResponse>(ref);
        put(" id {} original {:#x}", response.request_id, response.original_data);
        return;
      }
      case Layer::immediate_data: {
        out_.append(" imm 0x");
        for (const std::uint8_t octet : decode_at<iwarp::ImmediateData>(ref).data) put("{:02x}", octet);
        return;
      }
      default:
        return;
    }
  }

  void write_startup(const iwarp::MpaStartup& frame) {
    put(" rev {}", frame.revision);
    if (frame.rejected) out_.append(", rejected");
    put(", {}CRC, {}Markers", frame.crc ? "" : "no ", frame.markers ? "" : "no ");
  }

  void write_enhanced(const iwarp::MpaEnhanced& enhanced) {
    put(", IRD {} ORD {}", enhanced.ird, enhanced.ord);
    if (!enhanced.peer_to_peer) return;
    out_.append(", peer-to-peer");
    if (enhanced.rtr_send) out_.append(", RTR by Send");
    if (enhanced.rtr_write) out_.append(", RTR by Write");
    if (enhanced.rtr_read) out_.append(", RTR by Read");
  }

  // A segment of the message or, after a Terminate, the one to blame.
  void write_tagged(const iwarp::DdpTagged& ddp) {
    begin_segment();
    put(" stag {:#x} to {:#x}", ddp.stag.value, ddp.tagged_offset.value);
    if (ddp.last && !terminated_) out_.append(" last");
  }

  void write_untagged(const iwarp::DdpUntagged& ddp) {
    begin_segment();
    const iwarp::OpcodeInfo* row = opcode();
    if (row == nullptr || row->queue != ddp.queue) put(" queue {}", ddp.queue.value);
    put(" msn {}", ddp.msn.value);
    const bool many = row == nullptr || row->segments == iwarp::Segments::many;
    if (many || ddp.message_offset != 0) put(" mo {}", ddp.message_offset);
    if (many && ddp.last && !terminated_) out_.append(" last");
    if (!many && !ddp.last) out_.append(" not last");
  }

  void begin_segment() {
    if (!terminated_) return;
    const iwarp::OpcodeInfo* row = opcode();
    put(", of {}", row != nullptr ? row->name : "reserved opcode");
  }

  // Of the segment being written.
  const iwarp::OpcodeInfo* opcode() const {
    if (!terminated_) return pdu_.opcode;
    const iwarp::OpcodeInfo* last = nullptr;
    for (const LayerRef& ref : pdu_.layers()) {
      if (ref.header == &header_info<iwarp::RdmapControl>) last = find(decode_at<iwarp::RdmapControl>(ref).opcode);
    }
    return last;
  }

  void write_terminate(const LayerRef& ref) {
    const bool siw = ref.header == &header_info<iwarp::SiwTerminate>;
    const iwarp::TerminateError error =
        siw ? decode_at<iwarp::SiwTerminate>(ref).error.standard() : decode_at<iwarp::Terminate>(ref).error;
    const std::string_view layer = name_of(error.layer());
    const std::string_view text = name_of(error);
    if (layer.empty()) {
      put(" by layer {}", static_cast<unsigned>(error.layer()));
    } else {
      put(" by {}", layer);
    }
    if (text.empty()) {
      put(": error type {} code {:#04x}", error.type(), error.code());
    } else {
      put(": {}", text);
    }
  }

  void write_atomic(const iwarp::AtomicRequest& atomic) {
    const std::string_view name = name_of(atomic.opcode);
    if (name.empty()) {
      put(" operation {}", static_cast<unsigned>(atomic.opcode));
    } else {
      put(" {}", name);
    }
    put(" id {} stag {:#x} to {:#x}", atomic.request_id, atomic.remote_stag.value, atomic.remote_offset.value);
    switch (atomic.opcode) {
      case iwarp::AtomicOpcode::fetch_add:
        return put(" add {:#x}", atomic.add_or_swap_data);
      case iwarp::AtomicOpcode::cmp_swap:
        return put(" compare {:#x} swap {:#x}", atomic.compare_data, atomic.add_or_swap_data);
    }
  }

  void write_verdicts() {
    if (const iwarp::Fpdu* fpdu = record_.fpdu()) {
      if (fpdu->crc.status == CrcStatus::bad) out_.append(" CRC bad");
      // Where it is not known whether there is one, that holds for the whole stream.
      if (fpdu->crc.status == CrcStatus::unchecked && !fpdu->is_whole()) out_.append(" CRC unchecked");
      if (fpdu->num_wrong_markers != 0) put(" {} of {} Markers wrong", fpdu->num_wrong_markers, fpdu->num_markers);
    }
    const reassembly::StreamPdu* stream = record_.stream;
    if (stream == nullptr || !stream->lost_before) return;
    out_.append(" [");
    append_loss(out_, stream->lost_before);
    put(", resumed at offset {}]", stream->stream_offset);
  }

  Output& out_;
  const Record& record_;
  const iwarp::Pdu& pdu_;
  bool terminated_ = false;  // the layers are those of the segment that a Terminate blames
};

}  // namespace

void append_iwarp(Output& out, const Record& record) { IwarpLine(out, record).write(); }

}  // namespace rdmawire::cli
