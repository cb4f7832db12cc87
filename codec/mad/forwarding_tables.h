// LinearForwardingTable: IBTA vol. 1, 14.2.5.10; MulticastForwardingTable: 14.2.5.12.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/bytes.h"
#include "codec/base/layout.h"

namespace rdmawire::mad {

// Ports of 64 LIDs; 255: none. The attribute modifier is the block: the first LID is 64 times that.
struct LinearForwarding {
  std::array<std::uint8_t, 64> ports{};
};

constexpr auto layout(std::type_identity<LinearForwarding>) {
  return Layout(Layer::linear_forwarding,  //
                field<&LinearForwarding::ports, 512>("rdma.linear_forwarding.ports", "Ports of 64 LIDs"));
}
static_assert(header_size<LinearForwarding> == 64);

// Port masks of 32 multicast LIDs, for 16 ports.
struct MulticastForwarding {
  std::array<std::uint8_t, 64> port_masks{};

  // Mask i of the block, bit n for port n of the position's 16; i is 0 to 31.
  constexpr std::uint16_t mask(std::size_t i) const {
    return static_cast<std::uint16_t>(load_be<2>(port_masks.data() + 2 * i));
  }
};

constexpr auto layout(std::type_identity<MulticastForwarding>) {
  return Layout(
      Layer::multicast_forwarding,  //
      field<&MulticastForwarding::port_masks, 512>("rdma.multicast_forwarding.port_masks", "Port masks of 32 LIDs"));
}
static_assert(header_size<MulticastForwarding> == 64);

}  // namespace rdmawire::mad
