// What the dissector shows of a frame and of the PDUs in it: the walk that Wireshark and the tests share.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/base/text.h"
#include "codec/frame.h"
#include "dissector/fields.h"
#include "dissector/streams.h"
#include "dissector/tree.h"

namespace rdmawire::dissector {

// What Wireshark's own dissectors have made of a frame.
struct BuiltIn {
  bool took_infiniband = false;
  bool knows_flush = false;     // FLUSH and ATOMIC WRITE
  std::uint32_t num_mpa = 0;    // pieces of a stream that they took for iWARP
  std::uint32_t num_fpdus = 0;  // FPDUs that they found in them
};

// True if they have told what the frame's headers say; else it is shown whole.
bool built_in_reads(const BuiltIn& built_in, const Frame& frame);

// True if they have shown all PDUs that end in the frame.
bool built_in_reads(const BuiltIn& built_in, std::span<const KeptPdu> pdus);

// Shows a frame of the InfiniBand family in a tree of its own. Without `all`: its verdicts and what the built-in
// dissectors lack; they are known to lack more where they don't read the operation.
// Returns the tree's first node.
Tree::Node show_frame(Tree& tree, const FieldTable& fields, const Frame& frame, const BuiltIn& built_in, bool all);

// Likewise the PDUs of iWARP that a frame shows; held: octets of it wait for others. read: room for one after the
// other; it is not on the stack because a Tree may leave by longjmp.
Tree::Node show_pdus(Tree& tree, const FieldTable& fields, const Frame& frame, std::span<const KeptPdu> pdus, bool held,
                     ReadPdu& read, const BuiltIn& built_in, bool all);
// And those in the DATA chunks of an SCTP packet. Null if there are none.
Tree::Node show_sctp_pdus(Tree& tree, const FieldTable& fields, const Frame& frame);

// The Info column: "RC_RDMA_WRITE_ONLY QP 0x11 PSN 12257489 len 16 va 0x7f00 rkey 0x568 dmalen 16". Without the
// operation and QP it goes on where the built-in dissector's text ends.
void append_info(Text& text, const Frame& frame, bool with_operation);
// "SEND msn 1 mo 0 last"; pdu: of KeptPdu.
void append_info(Text& text, const KeptPdu& kept, const ReadPdu& read);

// How rdma.*.status says it: Wireshark's numbers, with one more for what both ends agreed not to use.
constexpr std::uint8_t status_number(CrcStatus status) {
  switch (status) {
    case CrcStatus::bad:
      return 0;
    case CrcStatus::good:
      return 1;
    case CrcStatus::unchecked:
      return 2;
    case CrcStatus::absent:
      return 3;
    case CrcStatus::disabled:
      return 4;
  }
  return 2;
}
inline constexpr std::array all_crc_statuses{CrcStatus::bad, CrcStatus::good, CrcStatus::unchecked, CrcStatus::absent,
                                             CrcStatus::disabled};

}  // namespace rdmawire::dissector
