// Header of the vendor classes 0x30 to 0x4F, after the RMPP header: IBTA vol. 1, 16.5.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct Vendor {
  std::uint8_t reserved0{};
  std::uint32_t oui{};
};

constexpr auto layout(std::type_identity<Vendor>) {
  return Layout(Layer::vendor,  //
                field<&Vendor::reserved0, 8>("rdma.vendor.reserved0", "Reserved (1 octet)").reserved(),
                field<&Vendor::oui, 24>("rdma.vendor.oui", "Vendor OUI").as(Display::hex));
}
static_assert(header_size<Vendor> == 4);

}  // namespace rdmawire::mad
