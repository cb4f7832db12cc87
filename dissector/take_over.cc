// SPDX-License-Identifier: GPL-2.0-or-later
#include "dissector/take_over.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "codec/ib/headers.h"
#include "codec/iwarp/headers.h"
#include "codec/mad/headers.h"
#include "codec/net/ethernet.h"
#include "codec/net/types.h"
#include "dissector/messages.h"

// Last: its macros have the names of opcodes.
#include <epan/dissectors/packet-infiniband.h>
#include <epan/dissectors/packet-iwarp-ddp-rdmap.h>

namespace rdmawire::dissector {
namespace {

// The dissectors of upper layers that recognise a payload as theirs.
struct Heuristics {
  std::array<heur_dtbl_entry_t*, 64> entries{};
  std::size_t size = 0;
};

// Of the capture that is open.
struct Capture {
  Messages messages;
  std::unordered_set<std::uint64_t> cm_requests;  // transaction IDs
};

struct TakeOver {
  bool on = false;
  int protocol = -1;
  std::optional<Capture> capture;
  dissector_handle_t claim_packet = nullptr;  // of RoCE
  dissector_handle_t claim_stream = nullptr;  // of iWARP
  dissector_handle_t built_in_udp = nullptr;
  dissector_handle_t built_in_ethernet = nullptr;
  heur_dtbl_entry_t* built_in_mpa = nullptr;
  WsBool built_in_mpa_enabled = TRUE;
  std::array<std::uint16_t, ParseOptions::max_ports> ports{};  // taken; unused ones are 0
  Heuristics infiniband_payload;
  Heuristics cm_private_data;
  Heuristics iwarp_payload;
  reassembly_table messages{};          // of iWARP
  reassembly_table infiniband_sends{};  // of several packets
} state;

constexpr std::uint32_t roce_ethertype = static_cast<std::uint32_t>(net::EtherType::roce);

// What changes for the upper layers' dissectors, and is changed back after them.
struct Saved {
  address src;
  address dst;
  port_type ptype;
  std::uint32_t srcport;
  std::uint32_t destport;
};

Saved save(const packet_info* pinfo) { return {pinfo->src, pinfo->dst, pinfo->ptype, pinfo->srcport, pinfo->destport}; }

void restore(packet_info* pinfo, const Saved& saved) {
  pinfo->src = saved.src;
  pinfo->dst = saved.dst;
  pinfo->ptype = saved.ptype;
  pinfo->srcport = saved.srcport;
  pinfo->destport = saved.destport;
}

// The built-in dissector remembers connection requests of captures that were open before, and would take the answers of
// this one for theirs: it gets those whose request was in this capture.
bool is_of_this_capture(const Frame& frame) {
  const auto mad = frame.get<mad::Mad>();
  if (!mad || mad->management_class != mad::ManagementClass::communication || !state.capture) return false;
  if (frame.find(Layer::cm_req) != nullptr) state.capture->cm_requests.insert(mad->transaction_id.value);
  return state.capture->cm_requests.count(mad->transaction_id.value) != 0;
}

// It learns from CM messages which queue pairs belong together, and the upper layers' dissectors ask it. So it reads
// those, too, but shows nothing.
void let_built_in_learn(dissector_handle_t built_in, tvbuff_t* tvb, packet_info* pinfo, void* data) {
  const Saved saved = save(pinfo);
  const WsBool writable = col_get_writable(pinfo->cinfo, -1);
  col_set_writable(pinfo->cinfo, -1, FALSE);
  TRY { call_dissector_only(built_in, tvb, pinfo, nullptr, data); }
  CATCH_ALL {
    // What it can't read it does not learn from.
  }
  ENDTRY;
  col_set_writable(pinfo->cinfo, -1, writable);
  restore(pinfo, saved);
}

int claim_roce(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
  const bool ethernet = pinfo->match_uint == roce_ethertype;
  dissector_handle_t built_in = ethernet ? state.built_in_ethernet : state.built_in_udp;
  const Frame* frame = read_frame(pinfo);
  if (frame == nullptr || frame->family == Family::none) {
    // Carried by something that the codec does not look through.
    return built_in == nullptr ? 0 : call_dissector_only(built_in, tvb, pinfo, tree, data);
  }
  if (built_in != nullptr && !PINFO_FD_VISITED(pinfo) && is_of_this_capture(*frame)) {
    let_built_in_learn(built_in, tvb, pinfo, data);
  }
  return static_cast<int>(tvb_captured_length(tvb));
}

int claim_iwarp(tvbuff_t* tvb, packet_info*, proto_tree*, void*) { return static_cast<int>(tvb_captured_length(tvb)); }

WsBool claim_if_iwarp(tvbuff_t*, packet_info* pinfo, proto_tree*, void*) {
  if (!state.on || read_frame(pinfo) == nullptr) return FALSE;
  read_pdus(pinfo);
  return is_iwarp(pinfo) ? TRUE : FALSE;
}

// A payload for the dissectors of upper layers.
struct Payload {
  tvbuff_t* tvb = nullptr;
  bool datagram = false;
  bool send = false;
};

// An Ethernet frame whose type says something.
bool looks_like_ethernet(tvbuff_t* tvb, unsigned offset) {
  const unsigned captured = tvb_captured_length(tvb);
  if (offset >= captured) return false;
  const Bytes octets(tvb_get_ptr(tvb, static_cast<int>(offset), static_cast<int>(captured - offset)),
                     captured - offset);
  const Frame frame = parse_frame(LinkType::ethernet, octets, tvb_reported_length(tvb) - offset);
  const auto ethernet = frame.get<net::Ethernet>();
  return ethernet && (frame.layers().size() > 1 || ethernet->type == net::EtherType::arp);
}

// Some say yes to much that is none of theirs.
bool may_be_theirs(const heur_dtbl_entry_t& entry, const Payload& payload) {
  const std::string_view name(entry.short_name);
  // An Ethernet type and two zeros.
  if (name == "eth_over_ib") return payload.datagram;
  // Four bits, and Ethernet after four octets.
  if (name == "mellanox_eoib") return payload.datagram && looks_like_ethernet(payload.tvb, 4);
  // Two octets and a length; its messages are SENDs (RFC 7609, 4.2 and 4.3).
  if (name == "smcr_infiniband") return payload.send;
  return true;
}

void gather(const char*, heur_dtbl_entry_t* entry, void* list) {
  auto& heuristics = *static_cast<Heuristics*>(list);
  if (heuristics.size < heuristics.entries.size()) heuristics.entries[heuristics.size++] = entry;
}

// A heuristic that leaves by an exception has not recognised what it saw; what it added to the tree before stays.
bool recognises(const heur_dtbl_entry_t& entry, tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* info) {
  volatile bool taken = false;  // read after a longjmp
  TRY { taken = entry.dissector(tvb, pinfo, tree, info); }
  CATCH_ALL { taken = false; }
  ENDTRY;
  return taken;
}

void try_heuristics(const Heuristics& list, const Payload& payload, packet_info* pinfo, proto_tree* tree, void* info) {
  for (std::size_t i = 0; i < list.size; ++i) {
    const heur_dtbl_entry_t& entry = *list.entries[i];
    if (!entry.enabled || !proto_is_protocol_enabled(entry.protocol)) continue;
    if (!may_be_theirs(entry, payload)) continue;
    if (recognises(entry, payload.tvb, pinfo, tree, info)) return;
  }
}

void fill(infinibandinfo& info, const Frame& frame) {
  info = {};
  if (const auto bth = frame.get<ib::Bth>()) {
    info.opCode = static_cast<std::uint8_t>(bth->opcode);
    info.pad_count = bth->pad_count;
    info.packet_seq_num = bth->psn.value;
  }
  if (const auto reth = frame.get<ib::Reth>()) {
    info.reth_remote_key = reth->r_key.value;
    info.reth_remote_address = reth->virtual_address.value;
    info.reth_dma_length = reth->dma_len;
  }
  if (const auto mad = frame.get<mad::Mad>()) info.cm_attribute_id = mad->attribute_id;
}

// Where the private data of a CM message lie in the frame; nothing if it has none.
struct Place {
  std::uint32_t offset = 0;
  std::uint32_t len = 0;
};

Place cm_private_data(const Frame& frame) {
  for (const LayerRef& ref : frame.layers()) {
    if (ref.layer < Layer::cm_req || ref.layer > Layer::cm_apr) continue;
    const FieldInfo& last = ref.header->fields.back();
    if (last.display != Display::octets) return {};
    return {ref.offset + last.bit_offset / 8U, last.bits / 8U};
  }
  return {};
}

}  // namespace

void prepare_take_over(int protocol) {
  state.protocol = protocol;
  state.claim_packet = create_dissector_handle(claim_roce, protocol);
  state.claim_stream = create_dissector_handle(claim_iwarp, protocol);
  heur_dissector_add("tcp", claim_if_iwarp, "iWARP taken over", "rdma_iwarp", protocol, HEURISTIC_ENABLE);
  state.built_in_mpa = find_heur_dissector_by_unique_short_name("iwarp_mpa");
  if (state.built_in_mpa == nullptr) {
    state.built_in_mpa = find_heur_dissector_by_unique_short_name("iwarp_mpa_tcp");
  }
  reassembly_table_register(&state.messages, &addresses_ports_reassembly_table_functions);
  // UDP source ports may change from packet to packet.
  reassembly_table_register(&state.infiniband_sends, &addresses_reassembly_table_functions);
}

void apply_take_over(const Preferences& preferences) {
  dissector_table_t udp = find_dissector_table("udp.port");
  dissector_table_t ethertype = find_dissector_table("ethertype");
  for (std::uint16_t& port : state.ports) {
    if (port != 0 && dissector_get_uint_handle(udp, port) == state.claim_packet) dissector_reset_uint("udp.port", port);
    port = 0;
  }
  if (dissector_get_uint_handle(ethertype, roce_ethertype) == state.claim_packet) {
    dissector_reset_uint("ethertype", roce_ethertype);
  }
  if (state.on && state.built_in_mpa != nullptr) state.built_in_mpa->enabled = state.built_in_mpa_enabled;
  state.on = preferences.take_over;
  if (!state.on) return;
  state.capture.emplace();
  for (Heuristics* list : {&state.infiniband_payload, &state.cm_private_data, &state.iwarp_payload}) list->size = 0;
  heur_dissector_table_foreach("infiniband.payload", gather, &state.infiniband_payload);
  heur_dissector_table_foreach("infiniband.mad.cm.private", gather, &state.cm_private_data);
  heur_dissector_table_foreach("iwarp_ddp_rdmap", gather, &state.iwarp_payload);
  state.built_in_udp = dissector_get_uint_handle(udp, rocev2_port);
  state.built_in_ethernet = dissector_get_uint_handle(ethertype, roce_ethertype);
  std::copy(preferences.rocev2_ports.begin(), preferences.rocev2_ports.end(), state.ports.begin());
  for (const std::uint16_t port : preferences.rocev2_ports) {
    if (port != 0) dissector_change_uint("udp.port", port, state.claim_packet);
  }
  dissector_change_uint("ethertype", roce_ethertype, state.claim_packet);
  if (state.built_in_mpa != nullptr) {
    state.built_in_mpa_enabled = state.built_in_mpa->enabled;
    state.built_in_mpa->enabled = FALSE;
  }
}

void keep_built_in_from(packet_info* pinfo) {
  if (PINFO_FD_VISITED(pinfo)) return;
  conversation_t* conversation = find_or_create_conversation(pinfo);
  if (conversation_get_dissector(conversation, pinfo->num + 1) == state.claim_stream) return;
  conversation_set_dissector_from_frame_number(conversation, pinfo->num + 1, state.claim_stream);
}

void end_take_over() { state.capture.reset(); }

namespace {

// The message that a packet ends, or nothing. part: the packet itself.
tvbuff_t* whole_send(tvbuff_t* tvb, packet_info* pinfo, const Frame& frame, tvbuff_t* part) {
  // Found when the frame is seen first.
  if (!PINFO_FD_VISITED(pinfo) && state.capture) {
    if (const auto found = state.capture->messages.add(frame)) {
      auto* kept = wmem_new(wmem_file_scope(), MessagePart);
      *kept = *found;
      p_add_proto_data(wmem_file_scope(), pinfo, state.protocol, 0, kept);
    }
  }
  const auto* place = static_cast<const MessagePart*>(p_get_proto_data(wmem_file_scope(), pinfo, state.protocol, 0));
  const std::uint32_t len = tvb_captured_length(part);
  if (place == nullptr || len != tvb_reported_length(part)) return nullptr;
  fragment_head* message = fragment_add_seq_check(&state.infiniband_sends, part, 0, pinfo, place->message, nullptr,
                                                  place->number, len, place->last ? FALSE : TRUE);
  if (message == nullptr || message->reassembled_in != pinfo->num || message->tvb_data == nullptr) return nullptr;
  tvbuff_t* payload = tvb_new_chain(tvb, message->tvb_data);
  add_new_data_source(pinfo, payload, "RDMA message");
  return payload;
}

}  // namespace

void call_payload_dissectors(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const Frame& frame) {
  const bool management = frame.find(Layer::mad) != nullptr;
  if (frame.opcode == nullptr) return;
  const bool send = frame.opcode->operation == ib::Operation::send;
  Place place{frame.payload_offset, frame.payload_len};
  if (management) {
    place = cm_private_data(frame);
  } else if (!send) {
    // The dissector of RPC counts on it in what was written and read.
    place.len += frame.pad_len;
  }
  const std::uint32_t captured = tvb_captured_length(tvb);
  // They learn from READ requests, too, which data belong to what.
  const bool read_request =
      frame.opcode->operation == ib::Operation::read && frame.opcode->direction == ib::Direction::request;
  if (read_request ? frame.find(Layer::reth) == nullptr : place.len == 0 || place.offset >= captured) return;
  place.offset = std::min(place.offset, captured);
  // Read while this is called, so not on the stack.
  static infinibandinfo info;
  fill(info, frame);
  info.payload_tree = tree;
  if (send) info.pad_count = 0;
  tvbuff_t* payload = tvb_new_subset_length_caplen(tvb, static_cast<int>(place.offset),
                                                   static_cast<int>(std::min(place.len, captured - place.offset)),
                                                   static_cast<int>(place.len));
  if (send && frame.opcode->position != ib::Position::only) {
    payload = whole_send(tvb, pinfo, frame, payload);
    if (payload == nullptr) return;
    info.opCode = static_cast<std::uint8_t>(whole_message(*frame.opcode).opcode);
  }
  const Saved saved = save(pinfo);
  // As the built-in dissector leaves them.
  pinfo->ptype = PT_IBQP;
  pinfo->destport = frame.get<ib::Bth>()->dest_qp.value;
  const auto deth = frame.get<ib::Deth>();
  pinfo->srcport = deth ? deth->source_qp.value : 0xFFFFFFFF;
  try_heuristics(management ? state.cm_private_data : state.infiniband_payload, {payload, deth.has_value(), send},
                 pinfo, tree, &info);
  restore(pinfo, saved);
}

namespace {

// The payload of a PDU: as it lies in the frame, or put together.
tvbuff_t* payload_of(tvbuff_t* tvb, packet_info* pinfo, const KeptPdu& kept, const iwarp::Fpdu& fpdu,
                     const iwarp::Pdu& pdu) {
  std::uint32_t num_spans = 0;
  std::uint32_t len = 0;
  Bytes first;
  fpdu.for_each_span(pdu.payload_offset, pdu.payload_len, [&](Bytes span) {
    if (num_spans++ == 0) first = span;
    len += static_cast<std::uint32_t>(span.size());
  });
  if (len == 0) return nullptr;
  if (num_spans == 1 && kept.lies_in_frame()) {
    const auto offset = kept.frame_offset + static_cast<std::uint32_t>(first.data() - fpdu.octets.data());
    return tvb_new_subset_length_caplen(tvb, static_cast<int>(offset), static_cast<int>(len),
                                        static_cast<int>(pdu.payload_len));
  }
  auto* octets = static_cast<std::uint8_t*>(wmem_alloc(pinfo->pool, len));
  std::uint32_t at = 0;
  fpdu.for_each_span(pdu.payload_offset, pdu.payload_len, [&](Bytes span) {
    std::copy(span.begin(), span.end(), octets + at);
    at += static_cast<std::uint32_t>(span.size());
  });
  tvbuff_t* payload = tvb_new_child_real_data(tvb, octets, len, static_cast<int>(pdu.payload_len));
  add_new_data_source(pinfo, payload, "RDMA payload");
  return payload;
}

}  // namespace

void call_payload_dissectors(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const KeptPdu& kept,
                             const ReadPdu& read) {
  const iwarp::OpcodeInfo* row = read.pdu.opcode;
  if (read.fpdu_or_null() == nullptr || row == nullptr || read.pdu.error) return;
  static rdmap_info_t info;
  static rdmap_request_t request;
  info = {};
  info.opcode = static_cast<std::uint8_t>(row->opcode);
  info.is_tagged = row->tagged();
  std::uint32_t msn = 0;
  std::uint32_t message_offset = 0;
  if (const auto ddp = read.pdu.get<iwarp::DdpTagged>(); ddp && row->tagged()) {
    info.last_flag = ddp->last;
    info.steering_tag = ddp->stag.value;
    info.tagged_offset = ddp->tagged_offset.value;
  } else if (const auto untagged = read.pdu.get<iwarp::DdpUntagged>()) {
    info.last_flag = untagged->last;
    info.queue_number = untagged->queue.value;
    info.message_seq_num = msn = untagged->msn.value;
    info.message_offset = message_offset = untagged->message_offset;
  }
  tvbuff_t* payload = nullptr;
  if (const auto read_request = read.pdu.get<iwarp::ReadRequest>();
      read_request && row->operation == iwarp::Operation::read) {
    request = {read_request->sink_stag.value, read_request->sink_offset.value, read_request->source_stag.value,
               read_request->source_offset.value, read_request->read_len};
    info.read_request = &request;
  } else if (row->payload == iwarp::PayloadRule::any) {
    payload = payload_of(tvb, pinfo, kept, read.fpdu, read.pdu);
  }
  if (payload == nullptr) {
    if (info.read_request == nullptr) return;
    payload = tvb_new_subset_length(tvb, 0, 0);
  }
  // A Send of several segments is one message.
  if (row->operation == iwarp::Operation::send && !(info.last_flag && message_offset == 0)) {
    const std::uint32_t id = msn ^ kept.conversation * 0x9E3779B1U ^ (kept.from_initiator ? 0x80000000U : 0U);
    fragment_head* message = fragment_add_check(&state.messages, payload, 0, pinfo, id, nullptr, message_offset,
                                                tvb_captured_length(payload), info.last_flag ? FALSE : TRUE);
    if (message == nullptr || message->reassembled_in != pinfo->num || message->tvb_data == nullptr) return;
    payload = tvb_new_chain(tvb, message->tvb_data);
    add_new_data_source(pinfo, payload, "RDMA message");
    // They need not put together anything.
    info.last_flag = TRUE;
    info.message_offset = 0;
  }
  try_heuristics(state.iwarp_payload, {payload, false, row->operation == iwarp::Operation::send}, pinfo, tree, &info);
}

}  // namespace rdmawire::dissector
