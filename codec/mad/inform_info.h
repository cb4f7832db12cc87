// InformInfo, a subscription to notices: IBTA vol. 1, 13.4.8.3.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct InformInfo {
  Gid gid{};              // of the port to be watched; zero: the LID range counts
  Lid lid_range_begin{};  // 0xFFFF: all
  Lid lid_range_end{};
  std::uint16_t reserved20{};
  std::uint8_t generic{};
  std::uint8_t subscribe{};     // 1, or 0 to end it
  std::uint16_t type{};         // NoticeType; 0xFFFF: all
  std::uint16_t trap_number{};  // 0xFFFF: all
  Qpn qpn{};
  std::uint8_t reserved31{};
  std::uint8_t resp_time_value{};  // 4.096 us * 2^n
  std::uint8_t reserved32{};
  std::uint32_t producer_type{};  // 0xFFFFFF: all
};

constexpr auto layout(std::type_identity<InformInfo>) {
  return Layout(
      Layer::inform_info,  //
      field<&InformInfo::gid, 128>("infiniband.informinfo.gid", "GID"),
      field<&InformInfo::lid_range_begin, 16>("infiniband.informinfo.lidrangebegin", "LID range begin")
          .as(Display::hex),
      field<&InformInfo::lid_range_end, 16>("infiniband.informinfo.lidrangeend", "LID range end").as(Display::hex),
      field<&InformInfo::reserved20, 16>("rdma.inform_info.reserved20", "Reserved (2 octets)").reserved(),
      field<&InformInfo::generic, 8>("infiniband.informinfo.isgeneric", "Generic").as(Display::hex),
      field<&InformInfo::subscribe, 8>("infiniband.informinfo.subscribe", "Subscribe").as(Display::hex),
      field<&InformInfo::type, 16>("infiniband.informinfo.type", "Type").as(Display::hex),
      field<&InformInfo::trap_number, 16>("infiniband.informinfo.trapnumberdeviceid", "Trap number or device ID")
          .as(Display::hex),
      field<&InformInfo::qpn, 24>("infiniband.informinfo.qpn", "Queue pair"),
      field<&InformInfo::reserved31, 3>("rdma.inform_info.reserved31", "Reserved (3 bits)").reserved(),
      field<&InformInfo::resp_time_value, 5>("infiniband.informinfo.resptimevalue", "Response time").as(Display::hex),
      field<&InformInfo::reserved32, 8>("rdma.inform_info.reserved32", "Reserved (1 octet)").reserved(),
      field<&InformInfo::producer_type, 24>("infiniband.informinfo.producertypevendorid", "Producer type or vendor ID")
          .as(Display::hex));
}
static_assert(header_size<InformInfo> == 36);

}  // namespace rdmawire::mad
