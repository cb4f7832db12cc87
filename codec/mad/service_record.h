// ServiceRecord: IBTA vol. 1, 15.2.5.14. (Wireshark has its fields under linkrecord.)
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct ServiceRecord {
  ServiceId service_id{};
  Gid service_gid{};
  PKey service_p_key{};
  std::uint16_t reserved26{};
  std::uint32_t service_lease{};  // seconds; 0xFFFFFFFF: for ever
  std::array<std::uint8_t, 16> service_key{};
  std::array<std::uint8_t, 64> service_name{};  // UTF-8, padded with zeros
  std::array<std::uint8_t, 64> service_data{};
};

constexpr auto layout(std::type_identity<ServiceRecord>) {
  return Layout(
      Layer::service_record,  //
      field<&ServiceRecord::service_id, 64>("infiniband.linkrecord.serviceid", "Service ID"),
      field<&ServiceRecord::service_gid, 128>("infiniband.linkrecord.servicegid", "Service GID"),
      field<&ServiceRecord::service_p_key, 16>("infiniband.linkrecord.servicep_key", "Service P_Key").as(Display::hex),
      field<&ServiceRecord::reserved26, 16>("rdma.service_record.reserved26", "Reserved (2 octets)").reserved(),
      field<&ServiceRecord::service_lease, 32>("infiniband.linkrecord.servicelease", "Service lease").as(Display::hex),
      field<&ServiceRecord::service_key, 128>("infiniband.linkrecord.servicekey", "Service key"),
      field<&ServiceRecord::service_name, 512>("infiniband.linkrecord.servicename", "Service name"),
      field<&ServiceRecord::service_data, 512>("infiniband.linkrecord.servicedata", "Service data"));
}
static_assert(header_size<ServiceRecord> == 176);

}  // namespace rdmawire::mad
