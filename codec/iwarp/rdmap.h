// What RDMAP has in each DDP segment: RFC 5040, 4.1. It lies in DDP's RsvdULP: the control octet, and of an untagged
// segment four more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/iwarp/opcode.h"

namespace rdmawire::iwarp {

inline constexpr std::uint8_t rdmap_version = 1;  //= RDMAP-5040-4.1-06, RDMAP-7306-4.1-01
inline constexpr std::size_t rdmap_offset = 1;    // octets, in a DDP segment

//= RDMAP-5040-4.1-01
struct RdmapControl {
  std::uint8_t version = rdmap_version;  // RV
  std::uint8_t reserved2{};
  Opcode opcode{};
};

constexpr auto layout(std::type_identity<RdmapControl>) {
  return Layout(Layer::rdmap,  //
                field<&RdmapControl::version, 2>("iwarp_rdma.version", "Version"),
                field<&RdmapControl::reserved2, 2>("iwarp_rdma.rsv", "Reserved").as(Display::hex).reserved(),
                field<&RdmapControl::opcode, 4>("iwarp_rdma.opcode", "Operation code").as(Display::hex));
}
static_assert(header_size<RdmapControl> == 1);

// After the control octet of an untagged segment whose message invalidates.
//= RDMAP-5040-4.1-02
struct InvalidateStag {
  Stag stag{};
};

constexpr auto layout(std::type_identity<InvalidateStag>) {
  return Layout(Layer::rdmap,
                field<&InvalidateStag::stag, 32>("iwarp_rdma.inval_stag", "Invalidate STag").as(Display::dec));
}
static_assert(header_size<InvalidateStag> == 4);

// After that of any other untagged segment.
struct RdmapReserved {
  std::array<std::uint8_t, 4> reserved{};
};

constexpr auto layout(std::type_identity<RdmapReserved>) {
  return Layout(Layer::rdmap, field<&RdmapReserved::reserved, 32>("iwarp_rdma.reserved", "Reserved").reserved());
}
static_assert(header_size<RdmapReserved> == 4);

}  // namespace rdmawire::iwarp
