// ClassPortInfo: IBTA vol. 1, 13.4.8.1.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct ClassPortInfo {
  std::uint8_t base_version{};
  std::uint8_t class_version{};
  std::uint16_t capability_mask{};
  std::uint32_t capability_mask2{};
  std::uint8_t resp_time_value{};  // 4.096 us * 2^n
  Gid redirect_gid{};
  std::uint8_t redirect_tc{};
  std::uint8_t redirect_sl{};
  std::uint32_t redirect_fl{};
  Lid redirect_lid{};
  PKey redirect_p_key{};
  std::uint8_t reserved32{};
  Qpn redirect_qp{};
  QKey redirect_q_key{};
  Gid trap_gid{};
  std::uint8_t trap_tc{};
  std::uint8_t trap_sl{};
  std::uint32_t trap_fl{};
  Lid trap_lid{};
  PKey trap_p_key{};
  std::uint8_t trap_hop_limit{};
  Qpn trap_qp{};
  QKey trap_q_key{};
};

constexpr auto layout(std::type_identity<ClassPortInfo>) {
  return Layout(
      Layer::class_port_info,  //
      field<&ClassPortInfo::base_version, 8>("infiniband.classportinfo.baseversion", "Base version").as(Display::hex),
      field<&ClassPortInfo::class_version, 8>("infiniband.classportinfo.classversion", "Class version")
          .as(Display::hex),
      field<&ClassPortInfo::capability_mask, 16>("infiniband.classportinfo.capabilitymask", "Capability mask")
          .as(Display::hex),
      field<&ClassPortInfo::capability_mask2, 27>("infiniband.classportinfo.capabilitymask2", "Capability mask 2")
          .as(Display::hex),
      field<&ClassPortInfo::resp_time_value, 5>("infiniband.classportinfo.resptimevalue", "Response time")
          .as(Display::hex),
      field<&ClassPortInfo::redirect_gid, 128>("infiniband.classportinfo.redirectgid", "Redirect GID"),
      field<&ClassPortInfo::redirect_tc, 8>("infiniband.classportinfo.redirecttc", "Redirect traffic class")
          .as(Display::hex),
      field<&ClassPortInfo::redirect_sl, 4>("infiniband.classportinfo.redirectsl", "Redirect SL").as(Display::hex),
      field<&ClassPortInfo::redirect_fl, 20>("infiniband.classportinfo.redirectfl", "Redirect flow label")
          .as(Display::hex),
      field<&ClassPortInfo::redirect_lid, 16>("infiniband.classportinfo.redirectlid", "Redirect LID").as(Display::hex),
      field<&ClassPortInfo::redirect_p_key, 16>("infiniband.classportinfo.redirectpkey", "Redirect P_Key")
          .as(Display::hex),
      field<&ClassPortInfo::reserved32, 8>("rdma.class_port_info.reserved32", "Reserved (1 octet)").reserved(),
      field<&ClassPortInfo::redirect_qp, 24>("infiniband.classportinfo.redirectqp", "Redirect QP"),
      field<&ClassPortInfo::redirect_q_key, 32>("infiniband.classportinfo.redirectqkey", "Redirect Q_Key"),
      field<&ClassPortInfo::trap_gid, 128>("infiniband.classportinfo.trapgid", "Trap GID"),
      field<&ClassPortInfo::trap_tc, 8>("infiniband.classportinfo.traptc", "Trap traffic class").as(Display::hex),
      field<&ClassPortInfo::trap_sl, 4>("infiniband.classportinfo.trapsl", "Trap SL").as(Display::hex),
      field<&ClassPortInfo::trap_fl, 20>("infiniband.classportinfo.trapfl", "Trap flow label").as(Display::hex),
      field<&ClassPortInfo::trap_lid, 16>("infiniband.classportinfo.traplid", "Trap LID").as(Display::hex),
      field<&ClassPortInfo::trap_p_key, 16>("infiniband.classportinfo.trappkey", "Trap P_Key").as(Display::hex),
      field<&ClassPortInfo::trap_hop_limit, 8>("rdma.class_port_info.trap_hop_limit", "Trap hop limit")
          .as(Display::hex),
      field<&ClassPortInfo::trap_qp, 24>("infiniband.classportinfo.trapqp", "Trap QP"),
      field<&ClassPortInfo::trap_q_key, 32>("infiniband.classportinfo.trapqkey", "Trap Q_Key"));
}
static_assert(header_size<ClassPortInfo> == 72);

}  // namespace rdmawire::mad
