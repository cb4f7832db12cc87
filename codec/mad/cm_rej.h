// CM reject: IBTA vol. 1, 12.6.7.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/cm_types.h"

namespace rdmawire::mad {

struct CmRej {
  CommunicationId local_id{};
  CommunicationId remote_id{};
  RejMessage message{};
  std::uint8_t reserved8{};
  std::uint8_t reject_info_length{};  // octets of additional_info that count
  std::uint8_t reserved9{};
  RejReason reason{};
  std::array<std::uint8_t, 72> additional_info{};
  std::array<std::uint8_t, 148> private_data{};
};

constexpr auto layout(std::type_identity<CmRej>) {
  return Layout(
      Layer::cm_rej,  //
      field<&CmRej::local_id, 32>("infiniband.cm.rej.localcommid", "Local communication ID"),
      field<&CmRej::remote_id, 32>("infiniband.cm.rej.remotecommid", "Remote communication ID"),
      field<&CmRej::message, 2>("infiniband.cm.rej.msgrej", "Message rejected").as(Display::hex),
      field<&CmRej::reserved8, 6>("infiniband.cm.rej.reserved0", "Reserved (6 bits)").as(Display::hex).reserved(),
      field<&CmRej::reject_info_length, 7>("infiniband.cm.rej.rejinfolen", "Reject information length")
          .as(Display::hex),
      field<&CmRej::reserved9, 1>("infiniband.cm.rej.reserved1", "Reserved (1 bit)").as(Display::hex).reserved(),
      field<&CmRej::reason, 16>("infiniband.cm.rej.reason", "Reason").as(Display::hex),
      field<&CmRej::additional_info, 576>("infiniband.cm.rej.ari", "Additional reject information"),
      field<&CmRej::private_data, 1184>("infiniband.cm.rej.private", "Private data"));
}
static_assert(header_size<CmRej> == 232);

}  // namespace rdmawire::mad
