// CM service ID resolution response: IBTA vol. 1, 12.11.2.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/cm_types.h"

namespace rdmawire::mad {

struct CmSidrRep {
  CommunicationId request_id{};
  SidrStatus status{};
  std::uint8_t additional_info_length{};  // octets of additional_info that count
  std::uint16_t vendor_id_high{};         // OUI for the extended connection establishment; else reserved
  Qpn qpn{};
  std::uint8_t vendor_id_low{};
  ServiceId service_id{};
  QKey q_key{};
  std::array<std::uint8_t, 72> additional_info{};
  std::array<std::uint8_t, 136> private_data{};
};

constexpr auto layout(std::type_identity<CmSidrRep>) {
  return Layout(
      Layer::cm_sidr_rep,  //
      field<&CmSidrRep::request_id, 32>("rdma.cm.sidr_rep.request_id", "Request ID"),
      field<&CmSidrRep::status, 8>("rdma.cm.sidr_rep.status", "Status"),
      field<&CmSidrRep::additional_info_length, 8>("rdma.cm.sidr_rep.additional_info_length",
                                                   "Additional information length"),
      field<&CmSidrRep::vendor_id_high, 16>("rdma.cm.sidr_rep.vendor_id_high", "Vendor ID, high 16 bits")
          .as(Display::hex),
      field<&CmSidrRep::qpn, 24>("rdma.cm.sidr_rep.qpn", "QPN"),
      field<&CmSidrRep::vendor_id_low, 8>("rdma.cm.sidr_rep.vendor_id_low", "Vendor ID, low octet").as(Display::hex),
      field<&CmSidrRep::service_id, 64>("rdma.cm.sidr_rep.serviceid", "Service ID"),
      field<&CmSidrRep::q_key, 32>("rdma.cm.sidr_rep.qkey", "Q_Key"),
      field<&CmSidrRep::additional_info, 576>("rdma.cm.sidr_rep.additional_info", "Additional information"),
      field<&CmSidrRep::private_data, 1088>("rdma.cm.sidr_rep.private", "Private data"));
}
static_assert(header_size<CmSidrRep> == 232);

}  // namespace rdmawire::mad
