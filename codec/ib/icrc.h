// Invariant and variant CRC: IBTA vol. 1, 7.8; for RoCE A16 and A17.3.3.
#pragma once

#include <cstdint>

#include "codec/base/bytes.h"

namespace rdmawire::ib {

// Which header the invariant CRC begins with; what may change on the way counts as ones.
enum class IcrcStart : std::uint8_t {
  lrh,      // native, no GRH: VL
  lrh_grh,  // native with GRH: the whole LRH; traffic class, flow label, hop limit
  grh,      // RoCEv1: eight octets of ones in place of an LRH, then as above
  ipv4,     // RoCEv2: eight octets of ones; TOS, TTL, header checksum, UDP checksum
  ipv6,     // RoCEv2: eight octets of ones; traffic class, flow label, hop limit, UDP checksum
};

// The invariant CRC over covered, as a number that is sent least significant octet first.
// covered: from the first octet of the header that start names to the last octet before the ICRC, pad included.
// bth_offset: of the BTH in covered, past at least that header (and, for ipv4 and ipv6, the UDP header just before
// the BTH); covered holds the whole BTH. The caller has checked both.
std::uint32_t icrc(IcrcStart start, Bytes covered, std::size_t bth_offset);

// The same of packet, into which the payload is copied on the way, as its last octets; what stands before it is there.
std::uint32_t icrc_copying(IcrcStart start, MutableBytes packet, Bytes payload, std::size_t bth_offset);

// The variant CRC over covered, LRH through ICRC, sent least significant octet first. Also a flow control packet's
// LPCRC over its first four octets.
std::uint16_t vcrc(Bytes covered);

}  // namespace rdmawire::ib
