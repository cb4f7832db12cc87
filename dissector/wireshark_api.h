// Wireshark's interface, as far as the plugin uses it, and all in which 4.0 and 4.4 differ. Nothing else in this folder
// asks for the version.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <epan/packet.h>
// packet.h comes first: the others lean on it.
#include <epan/address.h>
#include <epan/column-utils.h>
#include <epan/conversation.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/proto_data.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <wiretap/wtap.h>
#include <ws_version.h>
// It does not say that it is C.
extern "C" {
#include <epan/reassemble.h>
}

#if WIRESHARK_VERSION_MAJOR != 4 || (WIRESHARK_VERSION_MINOR != 0 && WIRESHARK_VERSION_MINOR != 4)
#error "written for Wireshark 4.0 and 4.4"
#endif

namespace rdmawire::dissector {

#if WIRESHARK_VERSION_MINOR >= 4
using WsBool = bool;
#define RDMAWIRE_STATISTICS_MENU "RDMA//"
#else
using WsBool = gboolean;
#define RDMAWIRE_STATISTICS_MENU "RDMA/"
#endif

// Types whose values proto_tree_add_uint and proto_tree_add_uint64 take.
constexpr bool is_uint32(ftenum_t type) {
#if WIRESHARK_VERSION_MINOR >= 4
  return FT_IS_UINT32(type);
#else
  return IS_FT_UINT32(type);
#endif
}
constexpr bool is_uint64(ftenum_t type) {
#if WIRESHARK_VERSION_MINOR >= 4
  return FT_IS_UINT64(type);
#else
  return IS_FT_UINT64(type);
#endif
}

// How many of the frame's layers are of that protocol.
inline unsigned num_layers(const packet_info* pinfo, int protocol) {
  unsigned num = 0;
  for (wmem_list_frame_t* at = wmem_list_head(pinfo->layers); at != nullptr; at = wmem_list_frame_next(at)) {
    if (GPOINTER_TO_INT(wmem_list_frame_data(at)) == protocol) ++num;
  }
  return num;
}

}  // namespace rdmawire::dissector
