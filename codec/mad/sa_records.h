// What stands before an SMP attribute in its Subnet Administration record (the record identifier), and LinkRecord:
// IBTA vol. 1, 15.2.5. The attribute itself follows at once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

// NodeInfo and NodeDescription follow: 15.2.5.2.
struct NodeRecord {
  Lid lid{};
  std::uint16_t reserved2{};
};

constexpr auto layout(std::type_identity<NodeRecord>) {
  return Layout(Layer::node_record,  //
                field<&NodeRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
                field<&NodeRecord::reserved2, 16>("rdma.node_record.reserved2", "Reserved (2 octets)").reserved());
}
static_assert(header_size<NodeRecord> == 4);

// PortInfo follows: 15.2.5.3.
struct PortInfoRecord {
  Lid endport_lid{};
  std::uint8_t port_num{};
  std::uint8_t options{};
};

constexpr auto layout(std::type_identity<PortInfoRecord>) {
  return Layout(Layer::port_info_record,  //
                field<&PortInfoRecord::endport_lid, 16>("infiniband.sa.endportlid", "End port LID").as(Display::hex),
                field<&PortInfoRecord::port_num, 8>("infiniband.sa.portnum", "Port number").as(Display::hex),
                field<&PortInfoRecord::options, 8>("rdma.port_info_record.options", "Options").as(Display::hex));
}
static_assert(header_size<PortInfoRecord> == 4);

// SlToVl follows: 15.2.5.4.
struct SlToVlRecord {
  Lid lid{};
  std::uint8_t input_port_num{};
  std::uint8_t output_port_num{};
  std::uint32_t reserved4{};
};

constexpr auto layout(std::type_identity<SlToVlRecord>) {
  return Layout(
      Layer::sl_to_vl_record,  //
      field<&SlToVlRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
      field<&SlToVlRecord::input_port_num, 8>("infiniband.sa.inputportnum", "Input port number").as(Display::hex),
      field<&SlToVlRecord::output_port_num, 8>("infiniband.sa.outputportnum", "Output port number").as(Display::hex),
      field<&SlToVlRecord::reserved4, 32>("rdma.sl_to_vl_record.reserved4", "Reserved (4 octets)").reserved());
}
static_assert(header_size<SlToVlRecord> == 8);

// SwitchInfo follows: 15.2.5.5.
struct SwitchInfoRecord {
  Lid lid{};
  std::uint16_t reserved2{};
};

constexpr auto layout(std::type_identity<SwitchInfoRecord>) {
  return Layout(
      Layer::switch_info_record,  //
      field<&SwitchInfoRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
      field<&SwitchInfoRecord::reserved2, 16>("rdma.switch_info_record.reserved2", "Reserved (2 octets)").reserved());
}
static_assert(header_size<SwitchInfoRecord> == 4);

// LinearForwarding follows: 15.2.5.6.
struct LinearForwardingRecord {
  Lid lid{};
  std::uint16_t block_num{};
  std::uint32_t reserved4{};
};

constexpr auto layout(std::type_identity<LinearForwardingRecord>) {
  return Layout(
      Layer::linear_forwarding_record,  //
      field<&LinearForwardingRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
      field<&LinearForwardingRecord::block_num, 16>("infiniband.sa.blocknum_sixteenbit", "Block number")
          .as(Display::hex),
      field<&LinearForwardingRecord::reserved4, 32>("rdma.linear_forwarding_record.reserved4", "Reserved (4 octets)")
          .reserved());
}
static_assert(header_size<LinearForwardingRecord> == 8);

// MulticastForwarding follows: 15.2.5.8.
struct MulticastForwardingRecord {
  Lid lid{};
  std::uint8_t position{};
  std::uint8_t reserved2{};
  std::uint16_t block_num{};
  std::uint32_t reserved4{};
};

constexpr auto layout(std::type_identity<MulticastForwardingRecord>) {
  return Layout(
      Layer::multicast_forwarding_record,  //
      field<&MulticastForwardingRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
      field<&MulticastForwardingRecord::position, 4>("infiniband.sa.position", "Position").as(Display::hex),
      field<&MulticastForwardingRecord::reserved2, 3>("rdma.multicast_forwarding_record.reserved2", "Reserved (3 bits)")
          .reserved(),
      field<&MulticastForwardingRecord::block_num, 9>("infiniband.sa.blocknum_ninebit", "Block number")
          .as(Display::hex),
      field<&MulticastForwardingRecord::reserved4, 32>("rdma.multicast_forwarding_record.reserved4",
                                                       "Reserved (4 octets)")
          .reserved());
}
static_assert(header_size<MulticastForwardingRecord> == 8);

// SmInfo follows: 15.2.5.10.
struct SmInfoRecord {
  Lid lid{};
  std::uint16_t reserved2{};
};

constexpr auto layout(std::type_identity<SmInfoRecord>) {
  return Layout(Layer::sm_info_record,  //
                field<&SmInfoRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
                field<&SmInfoRecord::reserved2, 16>("rdma.sm_info_record.reserved2", "Reserved (2 octets)").reserved());
}
static_assert(header_size<SmInfoRecord> == 4);

// Complete in itself: 15.2.5.13.
struct LinkRecord {
  Lid from_lid{};
  std::uint8_t from_port{};
  std::uint8_t to_port{};
  Lid to_lid{};
};

constexpr auto layout(std::type_identity<LinkRecord>) {
  return Layout(Layer::link_record,  //
                field<&LinkRecord::from_lid, 16>("infiniband.linkrecord.fromlid", "From LID").as(Display::hex),
                field<&LinkRecord::from_port, 8>("infiniband.linkrecord.fromport", "From port").as(Display::hex),
                field<&LinkRecord::to_port, 8>("infiniband.linkrecord.toport", "To port").as(Display::hex),
                field<&LinkRecord::to_lid, 16>("infiniband.linkrecord.tolid", "To LID").as(Display::hex));
}
static_assert(header_size<LinkRecord> == 6);

// GuidInfo follows: 15.2.5.18.
struct GuidInfoRecord {
  Lid lid{};
  std::uint8_t block_num{};
  std::uint64_t reserved3{};
};

constexpr auto layout(std::type_identity<GuidInfoRecord>) {
  return Layout(
      Layer::guid_info_record,  //
      field<&GuidInfoRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
      field<&GuidInfoRecord::block_num, 8>("infiniband.sa.blocknum_eightbit", "Block number").as(Display::hex),
      field<&GuidInfoRecord::reserved3, 40>("rdma.guid_info_record.reserved3", "Reserved (5 octets)").reserved());
}
static_assert(header_size<GuidInfoRecord> == 8);

// PKeyTable follows: 15.2.5.11.
struct PKeyTableRecord {
  Lid lid{};
  std::uint16_t block_num{};
  std::uint8_t port_num{};
  std::uint32_t reserved5{};
};

constexpr auto layout(std::type_identity<PKeyTableRecord>) {
  return Layout(
      Layer::pkey_table_record,  //
      field<&PKeyTableRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
      field<&PKeyTableRecord::block_num, 16>("infiniband.sa.blocknum_sixteenbit", "Block number").as(Display::hex),
      field<&PKeyTableRecord::port_num, 8>("infiniband.sa.portnum", "Port number").as(Display::hex),
      field<&PKeyTableRecord::reserved5, 24>("rdma.pkey_table_record.reserved5", "Reserved (3 octets)").reserved());
}
static_assert(header_size<PKeyTableRecord> == 8);

// VlArbitration follows: 15.2.5.9.
struct VlArbitrationRecord {
  Lid lid{};
  std::uint8_t output_port_num{};
  std::uint8_t block_num{};
  std::uint32_t reserved4{};
};

constexpr auto layout(std::type_identity<VlArbitrationRecord>) {
  return Layout(
      Layer::vl_arbitration_record,  //
      field<&VlArbitrationRecord::lid, 16>("infiniband.sa.lid", "LID").as(Display::hex),
      field<&VlArbitrationRecord::output_port_num, 8>("infiniband.sa.outputportnum", "Output port number")
          .as(Display::hex),
      field<&VlArbitrationRecord::block_num, 8>("infiniband.sa.blocknum_eightbit", "Block number").as(Display::hex),
      field<&VlArbitrationRecord::reserved4, 32>("rdma.vl_arbitration_record.reserved4", "Reserved (4 octets)")
          .reserved());
}
static_assert(header_size<VlArbitrationRecord> == 8);

// InformInfo follows: 15.2.5.12.
struct InformInfoRecord {
  Gid subscriber_gid{};
  std::uint16_t enumeration{};
  std::uint64_t reserved18{};
};

constexpr auto layout(std::type_identity<InformInfoRecord>) {
  return Layout(
      Layer::inform_info_record,  //
      field<&InformInfoRecord::subscriber_gid, 128>("infiniband.informinforecord.subscribergid", "Subscriber GID"),
      field<&InformInfoRecord::enumeration, 16>("infiniband.informinforecord.enum", "Enumeration").as(Display::hex),
      field<&InformInfoRecord::reserved18, 48>("rdma.inform_info_record.reserved18", "Reserved (6 octets)").reserved());
}
static_assert(header_size<InformInfoRecord> == 24);

}  // namespace rdmawire::mad
