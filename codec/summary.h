// What tells most about a packet or PDU, in one line of words: lists of packets show it.
#pragma once

#include "codec/base/text.h"
#include "codec/frame.h"
#include "codec/iwarp/fpdu.h"
#include "codec/iwarp/pdu.h"
#include "codec/stream.h"

namespace rdmawire {

// Characters that any summary has room in, with an error's text behind it.
inline constexpr std::size_t max_summary = 1024;

// "va 0x7f00 rkey 0x568 dmalen 64": congestion marks, what is in the headers after the BTH, CRCs that are bad or could
// not be checked. Nothing of a frame in which none of these is.
void append_summary(Text& text, const Frame& frame);

// "SEND msn 1 mo 0 last": the operation, what is in the headers, CRC and Markers of its FPDU (if fpdu is given) where
// they are wrong. fallback: what it is called if not even its operation was captured.
void append_summary(Text& text, const iwarp::Pdu& pdu, const iwarp::Fpdu* fpdu, std::string_view fallback);

// "2896 octets missing, 40 octets skipped, at least 1 FPDU lost".
void append_loss(Text& text, const Loss& loss);

}  // namespace rdmawire
