// How a network says that it is congested.
#pragma once

#include "codec/base/bytes.h"
#include "codec/link_type.h"

namespace rdmawire::link {

// Marks a packet as a switch would, and returns whether it is marked now:
// - IPv4 and IPv6: Congestion Experienced if the sender says that its transport is capable of ECN (RFC 3168, 5); of
//   nested headers in the outermost one. IPv4's header checksum is adjusted (RFC 1624), so that a wrong one stays
//   wrong;
// - native InfiniBand: FECN in the BTH (IBTA vol. 1, A10), and the VCRC adjusted in the same way;
// - all else, RoCEv1 too, has no mark and stays as it is.
// The ICRC covers none of these bits.
bool mark_congestion(LinkType link, MutableBytes packet);

}  // namespace rdmawire::link
