// User Datagram Protocol: RFC 768. Its checksum: checksum.h.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/types.h"

namespace rdmawire::net {

struct Udp {
  UdpPort source_port{};
  UdpPort destination_port{};
  std::uint16_t length{};    // octets from the first of this header
  std::uint16_t checksum{};  // 0: none
};

constexpr auto layout(std::type_identity<Udp>) {
  return Layout(Layer::udp,  //
                field<&Udp::source_port, 16>("udp.srcport", "Source port"),
                field<&Udp::destination_port, 16>("udp.dstport", "Destination port"),
                field<&Udp::length, 16>("udp.length", "Length"),
                field<&Udp::checksum, 16>("udp.checksum", "Checksum").as(Display::hex));
}
static_assert(header_size<Udp> == 8);

}  // namespace rdmawire::net
