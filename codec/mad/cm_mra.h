// CM message receipt acknowledgement, asks for more time: IBTA vol. 1, 12.6.6.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/cm_types.h"

namespace rdmawire::mad {

struct CmMra {
  CommunicationId local_id{};
  CommunicationId remote_id{};
  MraMessage message{};
  std::uint8_t reserved8{};
  std::uint8_t service_timeout{};  // 4.096 us * 2^n
  std::uint8_t reserved9{};
  std::array<std::uint8_t, 222> private_data{};
};

constexpr auto layout(std::type_identity<CmMra>) {
  return Layout(Layer::cm_mra,  //
                field<&CmMra::local_id, 32>("rdma.cm.mra.local_comm_id", "Local communication ID"),
                field<&CmMra::remote_id, 32>("rdma.cm.mra.remote_comm_id", "Remote communication ID"),
                field<&CmMra::message, 2>("rdma.cm.mra.message", "Message MRAed").as(Display::hex),
                field<&CmMra::reserved8, 6>("rdma.cm.mra.reserved8", "Reserved (6 bits)").reserved(),
                field<&CmMra::service_timeout, 5>("rdma.cm.mra.service_timeout", "Service timeout").as(Display::hex),
                field<&CmMra::reserved9, 3>("rdma.cm.mra.reserved9", "Reserved (3 bits)").reserved(),
                field<&CmMra::private_data, 1776>("rdma.cm.mra.private", "Private data"));
}
static_assert(header_size<CmMra> == 232);

}  // namespace rdmawire::mad
