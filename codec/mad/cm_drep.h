// CM disconnect reply: IBTA vol. 1, 12.6.11.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct CmDrep {
  CommunicationId local_id{};
  CommunicationId remote_id{};
  std::array<std::uint8_t, 224> private_data{};
};

constexpr auto layout(std::type_identity<CmDrep>) {
  return Layout(Layer::cm_drep,  //
                field<&CmDrep::local_id, 32>("infiniband.cm.drsp.localcommid", "Local communication ID"),
                field<&CmDrep::remote_id, 32>("infiniband.cm.drsp.remotecommid", "Remote communication ID"),
                field<&CmDrep::private_data, 1792>("infiniband.cm.drsp.private", "Private data"));
}
static_assert(header_size<CmDrep> == 232);

}  // namespace rdmawire::mad
