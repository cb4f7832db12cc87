// SPDX-License-Identifier: GPL-2.0-or-later
#include "dissector/statistics.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "codec/frame_view.h"
#include "codec/iwarp/pdu_view.h"

namespace rdmawire::dissector {
namespace {

int tap = -1;
int root_node = -1;

constexpr const char* service_name(const ib::OpcodeInfo* row) {
  if (row == nullptr) return "other";
  constexpr std::array<const char*, 6> names{"RC", "UC", "RD", "UD", "CNP", "XRC"};
  return names[static_cast<std::size_t>(row->service)];
}

// Wireshark keeps neither text: a place for each, ended by a 0, in the packet's own memory.
const char* c_string(packet_info* pinfo, std::string_view text) {
  return wmem_strndup(pinfo->pool, text.data(), text.size());
}

void begin_tree(stats_tree* tree) {
  root_node = stats_tree_create_node(tree, "Packets and PDUs", 0, STAT_DT_INT, TRUE);
}

tap_packet_status count(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
  const auto& told = *static_cast<const TapData*>(data);
  tick_stat_node(tree, "Packets and PDUs", 0, TRUE);
  const int service = tick_stat_node(tree, told.service, root_node, TRUE);
  tick_stat_node(tree, told.operation, service, FALSE);
  return TAP_PACKET_REDRAW;
}

}  // namespace

void register_statistics() {
  tap = register_tap("rdma");
  stats_tree_register_plugin("rdma", "rdma_ops", RDMAWIRE_STATISTICS_MENU "Operations", 0, count, begin_tree, nullptr);
}

bool anybody_listens() { return have_tap_listener(tap); }

void tell_listeners(packet_info* pinfo, const Frame& frame) {
  TapData* data = wmem_new0(pinfo->pool, TapData);
  data->family = frame.family;
  data->service = frame.find(Layer::flow_control) != nullptr ? "link" : service_name(frame.opcode);
  data->operation = frame.opcode != nullptr ? c_string(pinfo, frame.opcode->name)
                                            : c_string(pinfo, frame.layers().empty() ? std::string_view("unreadable")
                                                              : frame.find(Layer::bth) != nullptr
                                                                  ? std::string_view("reserved opcode")
                                                                  : info(frame.layers().back().layer).title);
  data->payload_len = payload_len(frame).value_or(0);
  data->crc = frame.icrc.status;
  data->frame = &frame;
  tap_queue_packet(tap, pinfo, data);
}

void tell_listeners(packet_info* pinfo, const KeptPdu& kept, const ReadPdu& read) {
  TapData* data = wmem_new0(pinfo->pool, TapData);
  data->family = Family::iwarp;
  data->service = "iWARP";
  const std::string_view name = operation(read.pdu);
  data->operation = c_string(pinfo, name.empty() ? std::string_view("reserved opcode") : name);
  data->payload_len = iwarp::payload_len(read.pdu).value_or(0);
  data->crc = kept.fpdu.crc.status;
  data->pdu = &kept;
  tap_queue_packet(tap, pinfo, data);
}

}  // namespace rdmawire::dissector
