// Subnet Administration header, after the RMPP header: IBTA vol. 1, 15.2.1.1. Attributes: 15.2.5.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::mad {

// Proves a subnet manager to others: 14.4.5.
using SmKey = Identifier<struct SmKeyTag, std::uint64_t>;

// 15.2.5, those with a layout here.
enum class SaAttribute : std::uint16_t {
  class_port_info = 0x0001,
  notice = 0x0002,
  inform_info = 0x0003,
  node_record = 0x0011,
  port_info_record = 0x0012,
  sl_to_vl_record = 0x0013,
  switch_info_record = 0x0014,
  linear_forwarding_record = 0x0015,
  multicast_forwarding_record = 0x0017,
  sm_info_record = 0x0018,
  link_record = 0x0020,
  guid_info_record = 0x0030,
  service_record = 0x0031,
  pkey_table_record = 0x0033,
  path_record = 0x0035,
  vl_arbitration_record = 0x0036,
  mc_member_record = 0x0038,
  inform_info_record = 0x00F3,
};

inline constexpr std::array sa_attribute_names{
    Name{SaAttribute::class_port_info, "ClassPortInfo"},
    Name{SaAttribute::notice, "Notice"},
    Name{SaAttribute::inform_info, "InformInfo"},
    Name{SaAttribute::node_record, "NodeRecord"},
    Name{SaAttribute::port_info_record, "PortInfoRecord"},
    Name{SaAttribute::sl_to_vl_record, "SLtoVLMappingTableRecord"},
    Name{SaAttribute::switch_info_record, "SwitchInfoRecord"},
    Name{SaAttribute::linear_forwarding_record, "LinearForwardingTableRecord"},
    Name{SaAttribute::multicast_forwarding_record, "MulticastForwardingTableRecord"},
    Name{SaAttribute::sm_info_record, "SMInfoRecord"},
    Name{SaAttribute::link_record, "LinkRecord"},
    Name{SaAttribute::guid_info_record, "GuidInfoRecord"},
    Name{SaAttribute::service_record, "ServiceRecord"},
    Name{SaAttribute::pkey_table_record, "P_KeyTableRecord"},
    Name{SaAttribute::path_record, "PathRecord"},
    Name{SaAttribute::vl_arbitration_record, "VLArbitrationTableRecord"},
    Name{SaAttribute::mc_member_record, "MCMemberRecord"},
    Name{SaAttribute::inform_info_record, "InformInfoRecord"},
};

constexpr std::string_view name_of(SaAttribute value) { return find_name(sa_attribute_names, value); }

// The class-specific half of the status in a response: 15.2.1.2.
enum class SaStatus : std::uint8_t {
  ok = 0,
  no_resources = 1,
  request_invalid = 2,
  no_records = 3,
  too_many_records = 4,
  invalid_gid = 5,
  insufficient_components = 6,
  denied = 7,
  priority_suggested = 8,
};

inline constexpr std::array sa_status_names{
    Name{SaStatus::ok, "no error"},
    Name{SaStatus::no_resources, "no resources"},
    Name{SaStatus::request_invalid, "request invalid"},
    Name{SaStatus::no_records, "no records"},
    Name{SaStatus::too_many_records, "too many records"},
    Name{SaStatus::invalid_gid, "invalid GID"},
    Name{SaStatus::insufficient_components, "insufficient components"},
    Name{SaStatus::denied, "request denied"},
    Name{SaStatus::priority_suggested, "priority suggested"},
};

constexpr std::string_view name_of(SaStatus value) { return find_name(sa_status_names, value); }

struct Sa {
  SmKey sm_key{};
  std::uint16_t attribute_offset{};  // from one record of a table to the next, in units of 8 octets
  std::uint16_t reserved10{};
  std::uint64_t component_mask{};  // bit n: the n-th component of the record counts
};

constexpr auto layout(std::type_identity<Sa>) {
  return Layout(Layer::sa,  //
                field<&Sa::sm_key, 64>("infiniband.sa.smkey", "SM_Key").as(Display::hex),
                field<&Sa::attribute_offset, 16>("infiniband.sa.attributeoffset", "Attribute offset").as(Display::hex),
                field<&Sa::reserved10, 16>("rdma.sa.reserved10", "Reserved (2 octets)").reserved(),
                field<&Sa::component_mask, 64>("infiniband.sa.componentmask", "Component mask").as(Display::hex));
}
static_assert(header_size<Sa> == 20);

}  // namespace rdmawire::mad
