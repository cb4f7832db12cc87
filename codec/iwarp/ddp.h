// The headers of Direct Data Placement: RFC 5041, 4. RsvdULP is RDMAP's: rdmap.h.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::iwarp {

inline constexpr std::uint8_t ddp_version = 1;  //= DDP-5041-4.1-08, DDP-5041-4.1-09

//= DDP-5041-4.1-01, DDP-5041-4.2-01, RDMAP-5040-3.1-04
struct DdpTagged {
  bool tagged = true;  // T
  bool last{};         // L: the message's last segment
  std::uint8_t reserved4{};
  std::uint8_t version = ddp_version;  // DV
  std::array<std::uint8_t, 1> rsvd_ulp{};
  Stag stag{};
  TaggedOffset tagged_offset{};  // TO
};

constexpr auto layout(std::type_identity<DdpTagged>) {
  return Layout(Layer::ddp_tagged,  //
                field<&DdpTagged::tagged, 1>("iwarp_ddp.tagged_flag", "Tagged flag"),
                field<&DdpTagged::last, 1>("iwarp_ddp.last_flag", "Last flag"),
                field<&DdpTagged::reserved4, 4>("iwarp_ddp.rsvd", "Reserved").as(Display::hex).reserved(),
                field<&DdpTagged::version, 2>("iwarp_ddp.dv", "DDP protocol version"),
                field<&DdpTagged::rsvd_ulp, 8>("iwarp_ddp.rsvdulp", "Reserved for use by the ULP"),
                field<&DdpTagged::stag, 32>("iwarp_ddp.stag", "Steering tag"),
                field<&DdpTagged::tagged_offset, 64>("iwarp_ddp.tagged_offset", "Tagged offset"));
}
static_assert(header_size<DdpTagged> == 14);

//= DDP-5041-4.1-01, DDP-5041-4.3-01, RDMAP-5040-3.1-04
struct DdpUntagged {
  bool tagged = false;
  bool last{};
  std::uint8_t reserved4{};
  std::uint8_t version = ddp_version;
  std::array<std::uint8_t, 5> rsvd_ulp{};
  QueueNumber queue{};             // QN
  DdpMsn msn{};                    // the first message of a queue has 1
  std::uint32_t message_offset{};  // MO, octets from the message's first
};

constexpr auto layout(std::type_identity<DdpUntagged>) {
  return Layout(Layer::ddp_untagged,  //
                field<&DdpUntagged::tagged, 1>("iwarp_ddp.tagged_flag", "Tagged flag"),
                field<&DdpUntagged::last, 1>("iwarp_ddp.last_flag", "Last flag"),
                field<&DdpUntagged::reserved4, 4>("iwarp_ddp.rsvd", "Reserved").as(Display::hex).reserved(),
                field<&DdpUntagged::version, 2>("iwarp_ddp.dv", "DDP protocol version"),
                field<&DdpUntagged::rsvd_ulp, 40>("iwarp_ddp.rsvdulp", "Reserved for use by the ULP"),
                field<&DdpUntagged::queue, 32>("iwarp_ddp.qn", "Queue number"),
                field<&DdpUntagged::msn, 32>("iwarp_ddp.msn", "Message sequence number"),
                field<&DdpUntagged::message_offset, 32>("iwarp_ddp.mo", "Message offset"));
}
static_assert(header_size<DdpUntagged> == 18);

}  // namespace rdmawire::iwarp
