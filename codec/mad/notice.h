// Notice: IBTA vol. 1, 13.4.8.2.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::mad {

// 13.4.8.2.
enum class NoticeType : std::uint8_t {
  fatal = 0,
  urgent = 1,
  security = 2,
  subnet_management = 3,
  informational = 4,
  empty = 0x7F,
};

inline constexpr std::array notice_type_names{
    Name{NoticeType::fatal, "Fatal"},
    Name{NoticeType::urgent, "Urgent"},
    Name{NoticeType::security, "Security"},
    Name{NoticeType::subnet_management, "Subnet management"},
    Name{NoticeType::informational, "Informational"},
    Name{NoticeType::empty, "Empty"},
};

constexpr std::string_view name_of(NoticeType value) { return find_name(notice_type_names, value); }

// The part that an SMP has room for; a GMP has NoticeIssuer after it.
struct Notice {
  bool generic{};
  NoticeType type{};
  std::uint32_t producer_type{};  // of a generic notice a NodeType, else an OUI
  std::uint16_t trap_number{};
  Lid issuer_lid{};
  bool toggle{};
  std::uint16_t count{};
  std::array<std::uint8_t, 54> data_details{};
};

constexpr auto layout(std::type_identity<Notice>) {
  return Layout(
      Layer::notice,  //
      field<&Notice::generic, 1>("infiniband.notice.isgeneric", "Generic").as(Display::hex),
      field<&Notice::type, 7>("infiniband.notice.type", "Type").as(Display::hex),
      field<&Notice::producer_type, 24>("infiniband.notice.producertypevendorid", "Producer type or vendor ID")
          .as(Display::hex),
      field<&Notice::trap_number, 16>("infiniband.notice.trapnumberdeviceid", "Trap number or device ID")
          .as(Display::hex),
      field<&Notice::issuer_lid, 16>("infiniband.notice.issuerlid", "Issuer LID").as(Display::hex),
      field<&Notice::toggle, 1>("infiniband.notice.noticetoggle", "Notice toggle").as(Display::hex),
      field<&Notice::count, 15>("infiniband.notice.noticecount", "Notice count").as(Display::hex),
      field<&Notice::data_details, 432>("infiniband.notice.datadetails", "Data details"));
}
static_assert(header_size<Notice> == 64);

struct NoticeIssuer {
  Gid issuer_gid{};
};

constexpr auto layout(std::type_identity<NoticeIssuer>) {
  return Layout(Layer::notice_issuer,  //
                field<&NoticeIssuer::issuer_gid, 128>("rdma.notice_issuer.issuer_gid", "Issuer GID"));
}
static_assert(header_size<NoticeIssuer> == 16);

}  // namespace rdmawire::mad
