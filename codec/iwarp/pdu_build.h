// Building PDUs, right ones and, on purpose, wrong ones. An FPDU around a ULPDU: build_fpdu; a stream of them:
// stream.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"
#include "codec/base/error.h"
#include "codec/iwarp/headers.h"
#include "codec/iwarp/pdu.h"

namespace rdmawire::iwarp {

// A PDU to build: the headers that have a value are written, in this order, then the payload. Nothing is derived from
// the opcode, so that wrong ones can be built; segment_spec gives a right start.
struct PduSpec {
  // A start-up frame. Its private_data_len is computed from what follows, unless keep_private_data_len.
  std::optional<MpaRequest> request;
  std::optional<MpaReply> reply;
  bool keep_private_data_len = false;

  // What stands before a DDP segment, or private data, in an SCTP DATA chunk.
  std::optional<DdpSctp> sctp;
  std::optional<DdpSctpControl> sctp_control;

  std::optional<MpaEnhanced> enhanced;

  // A DDP segment. Its rsvd_ulp is made of rdmap and, if untagged, invalidate_stag (0 where nothing is invalidated),
  // unless keep_rsvd_ulp.
  std::optional<DdpTagged> tagged;
  std::optional<DdpUntagged> untagged;
  bool keep_rsvd_ulp = false;
  RdmapControl rdmap;
  Stag invalidate_stag;
  std::optional<ReadRequest> read_request;
  std::optional<AtomicRequest> atomic_request;
  std::optional<AtomicResponse> atomic_response;
  std::optional<ImmediateData> immediate;
  std::optional<Terminate> terminate;
  std::optional<SiwTerminate> siw_terminate;
  std::optional<TerminatedLength> terminated_len;
  std::optional<DdpTagged> terminated_tagged;  // with its own rsvd_ulp
  std::optional<DdpUntagged> terminated_untagged;
  std::optional<ReadRequest> terminated_read_request;

  Bytes payload;  // private data of a start-up frame or a session control message
};

// A good start: the only segment, and the first, of a message of this opcode, with an empty header of each kind that it
// has. A reserved opcode gets an untagged segment of queue 0.
PduSpec segment_spec(Opcode opcode);

// The Terminate that reports this error: what RFC 5040, 7.1 wants of the segment that is to blame, as far as there is
// something. segment: that segment, from its DDP header on; empty if none is to blame. read_done_len: octets of a Read
// Response that were sent before the error; they are taken off the Read Request's header (4.8). For an error that may
// have any code, code is it.
PduSpec terminate_spec(const TerminateInfo& error, Bytes segment, std::uint32_t read_done_len = 0,
                       std::uint8_t code = 0);

// Octets that build_pdu writes for this spec.
std::size_t pdu_size(const PduSpec& spec);

// Writes the ULPDU, start-up frame or chunk to the front of out and returns its size. Fails with
//   output_too_small  pdu_size(spec) says how much it takes;
//   value_too_big     a header's value does not fit its field, or private data are longer than PD_Length can say: layer
//                     and offset tell where.
// What was written before the failure is not to be used.
Result<std::size_t> build_pdu(const PduSpec& spec, MutableBytes out);

// The spec that build_pdu turns into the PDU again (without ULPDU_Length, Markers, pad and CRC), octet by octet; its
// payload refers to the PDU's octets. Nothing if the PDU was not read to its payload, or is not there in one piece.
std::optional<PduSpec> spec_of(const Pdu& pdu);

}  // namespace rdmawire::iwarp
