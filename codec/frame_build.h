// Building whole frames, right ones and, on purpose, wrong ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "codec/frame.h"
#include "codec/ib/extended_headers.h"
#include "codec/ib/headers.h"
#include "codec/net/net.h"

namespace rdmawire {

// What build_frame does not compute but takes from the headers as they are, to build packets that are wrong there.
struct Keep {
  bool ethertype = false;    // of the Ethernet header and VLAN tags
  bool ip_protocol = false;  // IPv4 protocol, IPv6 and GRH next header
  bool ip_version = false;   // IPv4 version and IHL, IPv6 and GRH version
  bool ip_length = false;    // IPv4 total length, IPv6 and GRH payload length
  bool ip_checksum = false;  // IPv4
  bool udp_length = false;
  bool udp_checksum = false;
  bool lrh_length = false;
  bool lrh_next_header = false;
  bool pad_count = false;  // the pad octets themselves are always those that the payload needs
  bool icrc = false;       // FrameSpec::icrc instead of the right one
  bool vcrc = false;
};

// A frame to build. The headers that have a value are written, in the order of the wire; which extended transport
// headers those are says the opcode, or, for packets that are wrong there, extended.
struct FrameSpec : ib::ExtendedHeaders {
  // Ethernet (RoCE), an LRH (native), or neither (raw IP).
  std::optional<net::Ethernet> ethernet;
  std::array<net::Vlan, 2>
      vlans{};  // outer first; a VLAN type in the header before a tag is kept, others become 0x8100
  std::size_t num_vlans = 0;
  std::optional<ib::Lrh> lrh;

  std::optional<ib::Grh> grh;
  std::optional<net::Ipv4> ipv4;
  std::optional<net::Ipv6> ipv6;
  std::optional<net::Udp> udp;

  ib::Bth bth{};
  std::optional<std::span<const Layer>> extended;

  Bytes payload;
  std::array<std::uint8_t, 3> pad{};

  bool compute_udp_checksum = false;  // else it is 0, as RoCEv2 asks for (A17.3.1.3)
  Keep keep{};
  ib::Icrc icrc{};
  ib::Vcrc vcrc{};

  // A link's flow control packet; nothing else of the spec counts then but keep.vcrc, which is about its LPCRC.
  std::optional<ib::FlowControl> flow_control;
};

// A good start: RC SEND ONLY over Ethernet, IPv4 and UDP, with the values that RoCEv2 requires.
FrameSpec rocev2_spec();

// Octets that build_frame writes for this spec.
std::size_t frame_size(const FrameSpec& spec);

// Writes the frame to the front of out and returns its size: lengths, checksums, pad count, ICRC and, after an LRH,
// VCRC computed, but for what spec.keep names. Fails with
//   output_too_small  frame_size(spec) says how much it takes;
//   value_too_big     a header's value does not fit its field: layer and offset say which;
//   bad_value         of the BTH: the opcode is reserved and no extended list says which headers follow; of another
//                     layer: there is none of that kind, or the headers given are not those of one carrier
//                     (LRH, LRH GRH, GRH, IPv4 UDP, IPv6 UDP).
// What was written before the failure is not to be used.
Result<std::size_t> build_frame(const FrameSpec& spec, MutableBytes out);

// The spec that build_frame turns into the frame again, octet by octet; its payload refers to the frame's octets.
// Nothing if the frame has layers that a spec does not (tunnels, options), was not read to its payload, or was not
// captured whole.
std::optional<FrameSpec> spec_of(const Frame& frame);

}  // namespace rdmawire
