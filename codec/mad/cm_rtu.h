// CM ready to use: IBTA vol. 1, 12.6.9.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct CmRtu {
  CommunicationId local_id{};
  CommunicationId remote_id{};
  std::array<std::uint8_t, 224> private_data{};
};

constexpr auto layout(std::type_identity<CmRtu>) {
  return Layout(Layer::cm_rtu,  //
                field<&CmRtu::local_id, 32>("infiniband.cm.rtu.localcommid", "Local communication ID"),
                field<&CmRtu::remote_id, 32>("infiniband.cm.rtu.remotecommid", "Remote communication ID"),
                field<&CmRtu::private_data, 1792>("infiniband.cm.rtu.private", "Private data"));
}
static_assert(header_size<CmRtu> == 232);

}  // namespace rdmawire::mad
