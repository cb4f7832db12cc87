// CM disconnect request: IBTA vol. 1, 12.6.10.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct CmDreq {
  CommunicationId local_id{};
  CommunicationId remote_id{};
  Qpn remote_qpn{};  // the key is Wireshark's, which has it under req
  std::uint8_t reserved11{};
  std::array<std::uint8_t, 220> private_data{};
};

constexpr auto layout(std::type_identity<CmDreq>) {
  return Layout(Layer::cm_dreq,  //
                field<&CmDreq::local_id, 32>("infiniband.cm.dreq.localcommid", "Local communication ID"),
                field<&CmDreq::remote_id, 32>("infiniband.cm.dreq.remotecommid", "Remote communication ID"),
                field<&CmDreq::remote_qpn, 24>("infiniband.cm.req.remoteqpneecn", "Remote QPN or EECN"),
                field<&CmDreq::reserved11, 8>("rdma.cm.dreq.reserved11", "Reserved (1 octet)").reserved(),
                field<&CmDreq::private_data, 1760>("infiniband.cm.dreq.private", "Private data"));
}
static_assert(header_size<CmDreq> == 232);

}  // namespace rdmawire::mad
