// Every link and network header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "codec/net/checksum.h"
#include "codec/net/erf.h"
#include "codec/net/erspan.h"
#include "codec/net/ethernet.h"
#include "codec/net/gre.h"
#include "codec/net/ipv4.h"
#include "codec/net/ipv6.h"
#include "codec/net/ipv6_extension.h"
#include "codec/net/mac_control.h"
#include "codec/net/sctp.h"
#include "codec/net/sll.h"
#include "codec/net/tcp.h"
#include "codec/net/types.h"
#include "codec/net/udp.h"
#include "codec/net/vlan.h"
#include "codec/net/vxlan.h"

namespace rdmawire::net {

using Headers =
    std::tuple<ErfRecord, ErfExtension, ErfEthernetPad, Sll, Sll2, Ethernet, Vlan, MacControl, Pause,
               PriorityFlowControl, Ipv4, Ipv6, Ipv6Extension, Ipv6HopByHop, Ipv6Routing, Ipv6DestinationOptions,
               Ipv6Fragment, Authentication, Udp, Tcp, Sctp, SctpChunk, SctpData, SctpInit, SctpInitAck, SctpParameter,
               Vxlan, Gre, GreChecksum, GreKey, GreSequence, Erspan2, Erspan3, Erspan3Platform>;

// Octets between the fixed part of a header and what follows it; 0 if its length field is too small.
template <Header T>
constexpr std::size_t options_size(const T& header) {
  return std::max(full_size(header), header_size<T>) - header_size<T>;
}

}  // namespace rdmawire::net
