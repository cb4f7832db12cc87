// NodeInfo: IBTA vol. 1, 14.2.5.3.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::mad {

// 14.2.5.3.
enum class NodeType : std::uint8_t {
  channel_adapter = 1,
  switch_ = 2,
  router = 3,
};

inline constexpr std::array node_type_names{
    Name{NodeType::channel_adapter, "Channel Adapter"},
    Name{NodeType::switch_, "Switch"},
    Name{NodeType::router, "Router"},
};

constexpr std::string_view name_of(NodeType value) { return find_name(node_type_names, value); }

struct NodeInfo {
  std::uint8_t base_version{};
  std::uint8_t class_version{};
  NodeType node_type{};
  std::uint8_t num_ports{};
  Guid system_image_guid{};
  Guid node_guid{};
  Guid port_guid{};
  std::uint16_t partition_cap{};  // entries
  std::uint16_t device_id{};
  std::uint32_t revision{};
  std::uint8_t local_port_num{};
  std::uint32_t vendor_id{};  // IEEE OUI
};

constexpr auto layout(std::type_identity<NodeInfo>) {
  return Layout(
      Layer::node_info,  //
      field<&NodeInfo::base_version, 8>("infiniband.nodeinfo.baseversion", "Base version").as(Display::hex),
      field<&NodeInfo::class_version, 8>("infiniband.nodeinfo.classversion", "Class version").as(Display::hex),
      field<&NodeInfo::node_type, 8>("infiniband.nodeinfo.nodetype", "Node type").as(Display::hex),
      field<&NodeInfo::num_ports, 8>("infiniband.nodeinfo.numports", "Number of ports").as(Display::hex),
      field<&NodeInfo::system_image_guid, 64>("infiniband.nodeinfo.systemimageguid", "System image GUID"),
      field<&NodeInfo::node_guid, 64>("infiniband.nodeinfo.nodeguid", "Node GUID"),
      field<&NodeInfo::port_guid, 64>("infiniband.nodeinfo.portguid", "Port GUID"),
      field<&NodeInfo::partition_cap, 16>("infiniband.nodeinfo.partitioncap", "Partition table capacity")
          .as(Display::hex),
      field<&NodeInfo::device_id, 16>("infiniband.nodeinfo.deviceid", "Device ID").as(Display::hex),
      field<&NodeInfo::revision, 32>("infiniband.nodeinfo.revision", "Revision").as(Display::hex),
      field<&NodeInfo::local_port_num, 8>("infiniband.nodeinfo.localportnum", "Local port number").as(Display::hex),
      field<&NodeInfo::vendor_id, 24>("infiniband.nodeinfo.vendorid", "Vendor ID").as(Display::hex));
}
static_assert(header_size<NodeInfo> == 40);

}  // namespace rdmawire::mad
