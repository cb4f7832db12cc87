// Raw Header, the EtherType of a raw packet: IBTA vol. 1, 5.3.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct Rwh {
  std::uint16_t reserved16{};
  std::uint16_t ethertype{};
};

constexpr auto layout(std::type_identity<Rwh>) {
  return Layout(Layer::rwh,  //
                field<&Rwh::reserved16, 16>("rdma.rwh.reserved", "Reserved (16 bits)").reserved(),
                field<&Rwh::ethertype, 16>("infiniband.rwh.etype", "EtherType").as(Display::hex));
}
static_assert(header_size<Rwh> == 4);

}  // namespace rdmawire::ib
