// CM alternate path response: IBTA vol. 1, 12.8.2.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/cm_types.h"

namespace rdmawire::mad {

struct CmApr {
  CommunicationId local_id{};
  CommunicationId remote_id{};
  std::uint8_t additional_info_length{};  // octets of additional_info that count
  AprStatus status{};
  std::uint16_t reserved10{};
  std::array<std::uint8_t, 72> additional_info{};
  std::array<std::uint8_t, 148> private_data{};
};

constexpr auto layout(std::type_identity<CmApr>) {
  return Layout(
      Layer::cm_apr,  //
      field<&CmApr::local_id, 32>("rdma.cm.apr.local_comm_id", "Local communication ID"),
      field<&CmApr::remote_id, 32>("rdma.cm.apr.remote_comm_id", "Remote communication ID"),
      field<&CmApr::additional_info_length, 8>("rdma.cm.apr.additional_info_length", "Additional information length"),
      field<&CmApr::status, 8>("rdma.cm.apr.status", "AP status"),
      field<&CmApr::reserved10, 16>("rdma.cm.apr.reserved10", "Reserved (2 octets)").reserved(),
      field<&CmApr::additional_info, 576>("rdma.cm.apr.additional_info", "Additional information"),
      field<&CmApr::private_data, 1184>("rdma.cm.apr.private", "Private data"));
}
static_assert(header_size<CmApr> == 232);

}  // namespace rdmawire::mad
