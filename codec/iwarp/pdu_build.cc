#include "codec/iwarp/pdu_build.h"

#include <type_traits>

#include "codec/base/header_writer.h"

namespace rdmawire::iwarp {
namespace {

template <Header T>
std::size_t size_of(const std::optional<T>& value) {
  return value ? header_size<T> : 0;
}

// The private data's length in a start-up frame's header.
template <class Frame>
void startup(HeaderWriter& writer, const PduSpec& spec, std::optional<Frame> frame) {
  if (!frame) return;
  if (!spec.keep_private_data_len) {
    const std::size_t len = size_of(spec.enhanced) + spec.payload.size();
    if (len > 0xFFFF) {
      return writer.fail(
          {ErrorCode::value_too_big, header_info<Frame>.layer, Limit::field_width, 17, 16, startup_header_size - 2});
    }
    frame->private_data_len = static_cast<std::uint16_t>(len);  //= MPA-5044-7.1.1-15, MPA-6581-6-08
  }
  writer.put(*frame);
}

// A DDP header with RDMAP's octets in it.
template <class Ddp>
void ddp(HeaderWriter& writer, const PduSpec& spec, std::optional<Ddp> header) {
  if (!header) return;
  if (!spec.keep_rsvd_ulp) {
    const MutableBytes ulp = header->rsvd_ulp;
    const auto control = try_encode(spec.rdmap, ulp, rdmap_offset);
    if (!control) return writer.fail(control.error());
    if constexpr (std::is_same_v<Ddp, DdpUntagged>) {
      //= RDMAP-5040-4.1-09
      encode(InvalidateStag{spec.invalidate_stag},
             ulp.subspan<header_size<RdmapControl>, header_size<InvalidateStag>>());
    }
  }
  writer.put(*header);
}

}  // namespace

PduSpec segment_spec(Opcode opcode) {
  PduSpec spec;
  spec.rdmap.opcode = opcode;
  const OpcodeInfo* row = find(opcode);
  if (row != nullptr && row->tagged()) {
    spec.tagged.emplace();
    spec.tagged->last = true;
    return spec;
  }
  spec.untagged.emplace();
  spec.untagged->last = true;
  spec.untagged->msn = DdpMsn{1};
  if (row == nullptr) return spec;
  spec.untagged->queue = row->queue;
  if (row->header == Layer::read_request) spec.read_request.emplace();
  if (row->header == Layer::atomic_request) spec.atomic_request.emplace();
  if (row->header == Layer::atomic_response) spec.atomic_response.emplace();
  if (row->header == Layer::immediate_data) spec.immediate.emplace();
  if (row->header == Layer::terminate) spec.terminate.emplace();
  return spec;
}

//= RDMAP-5040-4.8-04, RDMAP-5040-4.8-11, RDMAP-5040-4.8-14, RDMAP-5040-4.8-15
PduSpec terminate_spec(const TerminateInfo& error, Bytes segment, std::uint32_t read_done_len, std::uint8_t code) {
  PduSpec spec = segment_spec(Opcode::TERMINATE);
  Terminate& control = *spec.terminate;
  control.error = error.error;
  if (error.any_code) control.error.value = static_cast<std::uint16_t>((control.error.value & 0xFF00U) | code);
  if (error.headers == TerminatedHeaders::none || segment.empty()) return spec;

  control.has_length = true;
  spec.terminated_len = TerminatedLength{static_cast<std::uint16_t>(segment.size())};  //= RDMAP-5040-4.8-09
  if (error.headers == TerminatedHeaders::length) return spec;

  const Pdu pdu = parse_ulpdu(segment, static_cast<std::uint32_t>(segment.size()));
  // Its own headers: a Terminate quotes those of another segment.
  const bool tagged = (segment.front() & 0x80U) != 0;
  if (tagged) spec.terminated_tagged = pdu.get<DdpTagged>();  //= RDMAP-5040-4.8-10
  if (!tagged) spec.terminated_untagged = pdu.get<DdpUntagged>();
  control.has_ddp_header = spec.terminated_tagged || spec.terminated_untagged;
  if (error.headers != TerminatedHeaders::read) return spec;

  if (pdu.opcode == nullptr || pdu.opcode->header != Layer::read_request) return spec;
  spec.terminated_read_request = pdu.get<ReadRequest>();  //= RDMAP-5040-4.8-12, RDMAP-7306-8.1-02
  control.has_rdma_header = spec.terminated_read_request.has_value();
  if (control.has_rdma_header) {
    ReadRequest& read = *spec.terminated_read_request;
    read.sink_offset.value += read_done_len;  //= RDMAP-5040-4.8-13
    read.source_offset.value += read_done_len;
    read.read_len -= read_done_len;
  }
  return spec;
}

std::size_t pdu_size(const PduSpec& spec) {
  return size_of(spec.request) + size_of(spec.reply) + size_of(spec.sctp) + size_of(spec.sctp_control) +
         size_of(spec.enhanced) + size_of(spec.tagged) + size_of(spec.untagged) + size_of(spec.read_request) +
         size_of(spec.atomic_request) + size_of(spec.atomic_response) + size_of(spec.immediate) +
         size_of(spec.terminate) + size_of(spec.siw_terminate) + size_of(spec.terminated_len) +
         size_of(spec.terminated_tagged) + size_of(spec.terminated_untagged) + size_of(spec.terminated_read_request) +
         spec.payload.size();
}

Result<std::size_t> build_pdu(const PduSpec& spec, MutableBytes out) {
  HeaderWriter writer(out);
  startup(writer, spec, spec.request);
  startup(writer, spec, spec.reply);
  writer.put(spec.sctp);
  writer.put(spec.sctp_control);
  writer.put(spec.enhanced);
  ddp(writer, spec, spec.tagged);
  ddp(writer, spec, spec.untagged);
  writer.put(spec.read_request);
  writer.put(spec.atomic_request);
  writer.put(spec.atomic_response);
  writer.put(spec.immediate);
  writer.put(spec.terminate);
  writer.put(spec.siw_terminate);
  writer.put(spec.terminated_len);
  writer.put(spec.terminated_tagged);
  writer.put(spec.terminated_untagged);
  writer.put(spec.terminated_read_request);
  writer.put_payload(spec.payload);
  return writer.result();
}

std::optional<PduSpec> spec_of(const Pdu& pdu) {
  const Bytes payload = pdu.payload();
  if (pdu.error || payload.size() != pdu.payload_len) return std::nullopt;
  PduSpec spec;
  spec.payload = payload;
  spec.request = pdu.get<MpaRequest>();
  spec.reply = pdu.get<MpaReply>();
  spec.sctp = pdu.get<DdpSctp>();
  spec.sctp_control = pdu.get<DdpSctpControl>();
  spec.enhanced = pdu.get<MpaEnhanced>();
  if (spec.request || spec.reply || spec.sctp_control) return spec;

  bool terminated = false;
  for (const LayerRef& ref : pdu.layers()) {
    const Bytes octets = pdu.octets(ref);
    const auto read = [&]<Header T>(std::optional<T>& to) {
      if (ref.header->layer == header_info<T>.layer && ref.size == header_size<T>) {
        to = decode<T>(octets.first<header_size<T>>());
      }
    };
    if (ref.header == &header_info<Terminate>) {
      read(spec.terminate);
      terminated = true;
    } else if (ref.header == &header_info<SiwTerminate>) {
      read(spec.siw_terminate);
      terminated = true;
    } else if (terminated) {
      read(spec.terminated_len);
      read(spec.terminated_tagged);
      read(spec.terminated_untagged);
      read(spec.terminated_read_request);
    } else {
      read(spec.tagged);
      read(spec.untagged);
      read(spec.read_request);
      read(spec.atomic_request);
      read(spec.atomic_response);
      read(spec.immediate);
      if (ref.header == &header_info<RdmapControl>) spec.rdmap = decode<RdmapControl>(octets.first<1>());
      if (ref.layer == Layer::rdmap && ref.continued) {
        spec.invalidate_stag = decode<InvalidateStag>(octets.first<header_size<InvalidateStag>>()).stag;
      }
    }
  }
  return spec;
}

}  // namespace rdmawire::iwarp
