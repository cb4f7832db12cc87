// SMInfo: IBTA vol. 1, 14.2.5.13.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"
#include "codec/mad/sa.h"

namespace rdmawire::mad {

// 14.2.5.13.
enum class SmState : std::uint8_t {
  not_active = 0,
  discovering = 1,
  standby = 2,
  master = 3,
};

inline constexpr std::array sm_state_names{
    Name{SmState::not_active, "Not-active"},
    Name{SmState::discovering, "Discovering"},
    Name{SmState::standby, "Standby"},
    Name{SmState::master, "Master"},
};

constexpr std::string_view name_of(SmState value) { return find_name(sm_state_names, value); }

struct SmInfo {
  Guid guid{};
  SmKey sm_key{};
  std::uint32_t act_count{};
  std::uint8_t priority{};
  SmState state{};
};

constexpr auto layout(std::type_identity<SmInfo>) {
  return Layout(Layer::sm_info,  //
                field<&SmInfo::guid, 64>("infiniband.sminfo.guid", "GUID"),
                field<&SmInfo::sm_key, 64>("infiniband.sminfo.sm_key", "SM_Key").as(Display::hex),
                field<&SmInfo::act_count, 32>("infiniband.sminfo.actcount", "Activity count").as(Display::hex),
                field<&SmInfo::priority, 4>("infiniband.sminfo.priority", "Priority").as(Display::hex),
                field<&SmInfo::state, 4>("infiniband.sminfo.smstate", "SM state").as(Display::hex));
}
static_assert(header_size<SmInfo> == 21);

}  // namespace rdmawire::mad
