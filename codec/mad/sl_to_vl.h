// SLtoVLMappingTable: IBTA vol. 1, 14.2.5.8. 15 drops the packet.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct SlToVl {
  std::uint8_t sl0{};
  std::uint8_t sl1{};
  std::uint8_t sl2{};
  std::uint8_t sl3{};
  std::uint8_t sl4{};
  std::uint8_t sl5{};
  std::uint8_t sl6{};
  std::uint8_t sl7{};
  std::uint8_t sl8{};
  std::uint8_t sl9{};
  std::uint8_t sl10{};
  std::uint8_t sl11{};
  std::uint8_t sl12{};
  std::uint8_t sl13{};
  std::uint8_t sl14{};
  std::uint8_t sl15{};
};

constexpr auto layout(std::type_identity<SlToVl>) {
  return Layout(Layer::sl_to_vl,  //
                field<&SlToVl::sl0, 4>("rdma.sl_to_vl.sl0", "VL of SL 0"),
                field<&SlToVl::sl1, 4>("rdma.sl_to_vl.sl1", "VL of SL 1"),
                field<&SlToVl::sl2, 4>("rdma.sl_to_vl.sl2", "VL of SL 2"),
                field<&SlToVl::sl3, 4>("rdma.sl_to_vl.sl3", "VL of SL 3"),
                field<&SlToVl::sl4, 4>("rdma.sl_to_vl.sl4", "VL of SL 4"),
                field<&SlToVl::sl5, 4>("rdma.sl_to_vl.sl5", "VL of SL 5"),
                field<&SlToVl::sl6, 4>("rdma.sl_to_vl.sl6", "VL of SL 6"),
                field<&SlToVl::sl7, 4>("rdma.sl_to_vl.sl7", "VL of SL 7"),
                field<&SlToVl::sl8, 4>("rdma.sl_to_vl.sl8", "VL of SL 8"),
                field<&SlToVl::sl9, 4>("rdma.sl_to_vl.sl9", "VL of SL 9"),
                field<&SlToVl::sl10, 4>("rdma.sl_to_vl.sl10", "VL of SL 10"),
                field<&SlToVl::sl11, 4>("rdma.sl_to_vl.sl11", "VL of SL 11"),
                field<&SlToVl::sl12, 4>("rdma.sl_to_vl.sl12", "VL of SL 12"),
                field<&SlToVl::sl13, 4>("rdma.sl_to_vl.sl13", "VL of SL 13"),
                field<&SlToVl::sl14, 4>("rdma.sl_to_vl.sl14", "VL of SL 14"),
                field<&SlToVl::sl15, 4>("rdma.sl_to_vl.sl15", "VL of SL 15"));
}
static_assert(header_size<SlToVl> == 8);

}  // namespace rdmawire::mad
