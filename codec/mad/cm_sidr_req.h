// CM service ID resolution request: IBTA vol. 1, 12.11.1.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/service_id.h"

namespace rdmawire::mad {

struct CmSidrReq {
  CommunicationId request_id{};
  PKey p_key{};
  std::uint16_t reserved6{};
  ServiceId service_id{};
  std::array<std::uint8_t, 216> private_data{};
};

constexpr auto layout(std::type_identity<CmSidrReq>) {
  return Layout(Layer::cm_sidr_req,  //
                field<&CmSidrReq::request_id, 32>("rdma.cm.sidr_req.request_id", "Request ID"),
                field<&CmSidrReq::p_key, 16>("rdma.cm.sidr_req.pkey", "Partition key").as(Display::hex),
                field<&CmSidrReq::reserved6, 16>("rdma.cm.sidr_req.reserved6", "Reserved (2 octets)").reserved(),
                field<&CmSidrReq::service_id, 64>("rdma.cm.sidr_req.serviceid", "Service ID"),
                part("rdma.cm.sidr_req.serviceid.prefix", "IP CM prefix", 0, 40).as(Display::octets).when(is_ip_cm),
                part("rdma.cm.sidr_req.serviceid.protocol", "IP protocol", 40, 8).as(Display::hex).when(is_ip_cm),
                part("rdma.cm.sidr_req.serviceid.dport", "Destination port", 48, 16).as(Display::hex).when(is_ip_cm),
                field<&CmSidrReq::private_data, 1728>("rdma.cm.sidr_req.private", "Private data"));
}
static_assert(header_size<CmSidrReq> == 232);

}  // namespace rdmawire::mad
