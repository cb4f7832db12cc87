// GUIDInfo, a block of eight: IBTA vol. 1, 14.2.5.5.
#pragma once

#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

struct GuidInfo {
  Guid guid0{};
  Guid guid1{};
  Guid guid2{};
  Guid guid3{};
  Guid guid4{};
  Guid guid5{};
  Guid guid6{};
  Guid guid7{};
};

constexpr auto layout(std::type_identity<GuidInfo>) {
  return Layout(Layer::guid_info,  //
                field<&GuidInfo::guid0, 64>("rdma.guid_info.guid0", "GUID 0 of the block"),
                field<&GuidInfo::guid1, 64>("rdma.guid_info.guid1", "GUID 1 of the block"),
                field<&GuidInfo::guid2, 64>("rdma.guid_info.guid2", "GUID 2 of the block"),
                field<&GuidInfo::guid3, 64>("rdma.guid_info.guid3", "GUID 3 of the block"),
                field<&GuidInfo::guid4, 64>("rdma.guid_info.guid4", "GUID 4 of the block"),
                field<&GuidInfo::guid5, 64>("rdma.guid_info.guid5", "GUID 5 of the block"),
                field<&GuidInfo::guid6, 64>("rdma.guid_info.guid6", "GUID 6 of the block"),
                field<&GuidInfo::guid7, 64>("rdma.guid_info.guid7", "GUID 7 of the block"));
}
static_assert(header_size<GuidInfo> == 64);

}  // namespace rdmawire::mad
