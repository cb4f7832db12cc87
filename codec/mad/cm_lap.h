// CM load alternate path: IBTA vol. 1, 12.8.1. Its path has another layout than REQ's: the traffic class comes first.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/cm_types.h"

namespace rdmawire::mad {

struct CmLap {
  CommunicationId local_id{};
  CommunicationId remote_id{};
  std::uint32_t reserved8{};
  Qpn remote_qpn{};
  std::uint8_t remote_cm_response_timeout{};  // 4.096 us * 2^n
  std::uint8_t reserved15{};
  std::uint32_t reserved16{};
  Lid local_lid{};
  Lid remote_lid{};
  Gid local_gid{};
  Gid remote_gid{};
  std::uint32_t flow_label{};
  std::uint8_t reserved58{};
  std::uint8_t traffic_class{};
  std::uint8_t hop_limit{};
  std::uint8_t reserved61{};
  Rate packet_rate{};
  std::uint8_t sl{};
  bool subnet_local{};
  std::uint8_t reserved62{};
  std::uint8_t local_ack_timeout{};  // 4.096 us * 2^n; 0: off
  std::uint8_t reserved63{};
  std::array<std::uint8_t, 168> private_data{};
};

constexpr auto layout(std::type_identity<CmLap>) {
  return Layout(
      Layer::cm_lap,  //
      field<&CmLap::local_id, 32>("rdma.cm.lap.local_comm_id", "Local communication ID"),
      field<&CmLap::remote_id, 32>("rdma.cm.lap.remote_comm_id", "Remote communication ID"),
      field<&CmLap::reserved8, 32>("rdma.cm.lap.reserved8", "Reserved (4 octets)").reserved(),
      field<&CmLap::remote_qpn, 24>("rdma.cm.lap.remote_qpn", "Remote QPN or EECN"),
      field<&CmLap::remote_cm_response_timeout, 5>("rdma.cm.lap.remote_cm_response_timeout",
                                                   "Remote CM response timeout")
          .as(Display::hex),
      field<&CmLap::reserved15, 3>("rdma.cm.lap.reserved15", "Reserved (3 bits)").reserved(),
      field<&CmLap::reserved16, 32>("rdma.cm.lap.reserved16", "Reserved (4 octets)").reserved(),
      field<&CmLap::local_lid, 16>("rdma.cm.lap.local_lid", "Alternate local port LID"),
      field<&CmLap::remote_lid, 16>("rdma.cm.lap.remote_lid", "Alternate remote port LID"),
      field<&CmLap::local_gid, 128>("rdma.cm.lap.local_gid", "Alternate local port GID"),
      field<&CmLap::remote_gid, 128>("rdma.cm.lap.remote_gid", "Alternate remote port GID"),
      field<&CmLap::flow_label, 20>("rdma.cm.lap.flow_label", "Alternate flow label").as(Display::hex),
      field<&CmLap::reserved58, 4>("rdma.cm.lap.reserved58", "Reserved (4 bits)").reserved(),
      field<&CmLap::traffic_class, 8>("rdma.cm.lap.traffic_class", "Alternate traffic class").as(Display::hex),
      field<&CmLap::hop_limit, 8>("rdma.cm.lap.hop_limit", "Alternate hop limit").as(Display::hex),
      field<&CmLap::reserved61, 2>("rdma.cm.lap.reserved61", "Reserved (2 bits)").reserved(),
      field<&CmLap::packet_rate, 6>("rdma.cm.lap.packet_rate", "Alternate packet rate").as(Display::hex),
      field<&CmLap::sl, 4>("rdma.cm.lap.sl", "Alternate service level").as(Display::hex),
      field<&CmLap::subnet_local, 1>("rdma.cm.lap.subnet_local", "Alternate subnet local"),
      field<&CmLap::reserved62, 3>("rdma.cm.lap.reserved62", "Reserved (3 bits)").reserved(),
      field<&CmLap::local_ack_timeout, 5>("rdma.cm.lap.local_ack_timeout", "Alternate local ACK timeout")
          .as(Display::hex),
      field<&CmLap::reserved63, 3>("rdma.cm.lap.reserved63", "Reserved (3 bits)").reserved(),
      field<&CmLap::private_data, 1344>("rdma.cm.lap.private", "Private data"));
}
static_assert(header_size<CmLap> == 232);

}  // namespace rdmawire::mad
