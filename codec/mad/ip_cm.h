// Private data of the IP addressing service, at its front in REQ and SIDR_REQ: IBTA vol. 1, Annex A11.
// The service ID says that it is there (service_id.h), ip_version which of the two it is.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

//= IPC-02
struct IpCm4 {
  std::uint8_t major_version{};  // 0
  std::uint8_t minor_version{};  // 0
  std::uint8_t ip_version{};     // 4 or 6
  std::uint8_t reserved1{};
  std::uint16_t source_port{};
  std::array<std::uint8_t, 12> reserved4{};
  Ipv4Address source{};
  std::array<std::uint8_t, 12> reserved20{};
  Ipv4Address destination{};
};

constexpr auto layout(std::type_identity<IpCm4>) {
  return Layout(
      Layer::ip_cm4,  //
      field<&IpCm4::major_version, 4>("infiniband.cm.req.ip_cm.majv", "Major version").as(Display::hex),
      field<&IpCm4::minor_version, 4>("infiniband.cm.req.ip_cm.minv", "Minor version").as(Display::hex),
      field<&IpCm4::ip_version, 4>("infiniband.cm.req.ip_cm.ipv", "IP version").as(Display::hex),
      field<&IpCm4::reserved1, 4>("infiniband.cm.req.ip_cm.reserved", "Reserved (4 bits)").as(Display::hex).reserved(),
      field<&IpCm4::source_port, 16>("infiniband.cm.req.ip_cm.sport", "Source port").as(Display::hex),
      field<&IpCm4::reserved4, 96>("rdma.ip_cm.reserved4", "Reserved (12 octets)").reserved(),
      field<&IpCm4::source, 32>("infiniband.cm.req.ip_cm.sip4", "Source IP address"),
      field<&IpCm4::reserved20, 96>("rdma.ip_cm.reserved20", "Reserved (12 octets)").reserved(),
      field<&IpCm4::destination, 32>("infiniband.cm.req.ip_cm.dip4", "Destination IP address"));
}
static_assert(header_size<IpCm4> == 36);

//= IPC-02
struct IpCm6 {
  std::uint8_t major_version{};  // 0
  std::uint8_t minor_version{};  // 0
  std::uint8_t ip_version{};     // 4 or 6
  std::uint8_t reserved1{};
  std::uint16_t source_port{};
  Ipv6Address source{};
  Ipv6Address destination{};
};

constexpr auto layout(std::type_identity<IpCm6>) {
  return Layout(
      Layer::ip_cm6,  //
      field<&IpCm6::major_version, 4>("infiniband.cm.req.ip_cm.majv", "Major version").as(Display::hex),
      field<&IpCm6::minor_version, 4>("infiniband.cm.req.ip_cm.minv", "Minor version").as(Display::hex),
      field<&IpCm6::ip_version, 4>("infiniband.cm.req.ip_cm.ipv", "IP version").as(Display::hex),
      field<&IpCm6::reserved1, 4>("infiniband.cm.req.ip_cm.reserved", "Reserved (4 bits)").as(Display::hex).reserved(),
      field<&IpCm6::source_port, 16>("infiniband.cm.req.ip_cm.sport", "Source port").as(Display::hex),
      field<&IpCm6::source, 128>("infiniband.cm.req.ip_cm.sip6", "Source IP address"),
      field<&IpCm6::destination, 128>("infiniband.cm.req.ip_cm.dip6", "Destination IP address"));
}
static_assert(header_size<IpCm6> == 36);

// What REQ has left for the consumer.
//= IPC-03
struct IpCmReqData {
  std::array<std::uint8_t, 56> private_data{};
};

constexpr auto layout(std::type_identity<IpCmReqData>) {
  return Layout(Layer::ip_cm_req_data,  //
                field<&IpCmReqData::private_data, 448>("infiniband.cm.req.ip_cm.private", "Consumer private data"));
}
static_assert(header_size<IpCmReqData> == 56);

// What SIDR_REQ has left for the consumer.
struct IpCmSidrReqData {
  std::array<std::uint8_t, 180> private_data{};
};

constexpr auto layout(std::type_identity<IpCmSidrReqData>) {
  return Layout(
      Layer::ip_cm_sidr_req_data,  //
      field<&IpCmSidrReqData::private_data, 1440>("infiniband.cm.req.ip_cm.private", "Consumer private data"));
}
static_assert(header_size<IpCmSidrReqData> == 180);

}  // namespace rdmawire::mad
