// The plugin: what Wireshark calls, and when.
//
// All is shown after Wireshark's own dissectors are done with a frame, from the frame's octets and not from what they
// made of them. With the preference take_over they are kept from RoCE and iWARP, and everything is shown here, under
// their names.
//
// Wireshark leaves functions by longjmp. What is alive when one of its functions is called is trivially destructible
// (show.cc asserts it) or lives for good.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "codec/net/erf.h"
#include "codec/sctp_pdus.h"
#include "codec/summary.h"
#include "dissector/show.h"
#include "dissector/statistics.h"
#include "dissector/take_over.h"
#include "dissector/wireshark_api.h"
#include "dissector/wireshark_fields.h"

#define RDMAWIRE_EXPORT extern "C" __attribute__((visibility("default")))

RDMAWIRE_EXPORT const char plugin_version[];
RDMAWIRE_EXPORT const int plugin_want_major;
RDMAWIRE_EXPORT const int plugin_want_minor;
const char plugin_version[] = "0.1.0";
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

namespace rdmawire::dissector {
namespace {

int protocol = -1;
int protocol_infiniband = -1;
int protocol_mpa = -1;
int protocol_ddp = -1;
int expert_tap = 0;
bool knows_flush = false;

Preferences preferences;
range_t* udp_ports = nullptr;
WsBool verify_crcs = TRUE;
WsBool decode_payload = TRUE;
WsBool take_over = FALSE;

WiresharkFields& fields() {
  static WiresharkFields all;
  return all;
}

// Of the capture that is open.
std::unique_ptr<Streams> streams;
ParseOptions parse_options;
// Of the frame that is being dissected.
Frame current;
ReadPdu read_pdu;

LinkType link_of_erf(std::uint8_t record_type) {
  const auto type = static_cast<net::ErfType>(record_type & 0x7FU);
  if (net::is_ethernet(type)) return LinkType::ethernet;
  switch (type) {
    case net::ErfType::infiniband:
    case net::ErfType::infiniband_link:
      return LinkType::infiniband;
    case net::ErfType::ipv4:
    case net::ErfType::ipv6:
      return LinkType::raw_ip;
    default:
      return LinkType{};
  }
}

// What the frame's first octet is.
LinkType link_of(const packet_info* pinfo) {
  const int encapsulation = pinfo->rec->rec_header.packet_header.pkt_encap;
  switch (encapsulation) {
    case WTAP_ENCAP_ETHERNET:
      return LinkType::ethernet;
    case WTAP_ENCAP_RAW_IP:
    case WTAP_ENCAP_RAW_IP4:
    case WTAP_ENCAP_RAW_IP6:
      return LinkType::raw_ip;
    case WTAP_ENCAP_SLL:
      return LinkType::linux_sll;
    case WTAP_ENCAP_SLL2:
      return LinkType::linux_sll2;
    case WTAP_ENCAP_INFINIBAND:
      return LinkType::infiniband;
    case WTAP_ENCAP_ERF:
      return link_of_erf(pinfo->pseudo_header->erf.phdr.type);
    default:
      break;
  }
  // A link type of the user's, which the preferences of DLT_USER say is InfiniBand.
  if (encapsulation >= WTAP_ENCAP_USER0 && encapsulation <= WTAP_ENCAP_USER15 &&
      num_layers(pinfo, protocol_infiniband) != 0) {
    return LinkType::infiniband;
  }
  return LinkType{};
}

}  // namespace

const Frame* read_frame(packet_info* pinfo) {
  if (pinfo->data_src == nullptr || pinfo->rec->rec_type != REC_TYPE_PACKET) return nullptr;
  tvbuff_t* tvb = get_data_source_tvb(static_cast<const data_source*>(pinfo->data_src->data));
  const unsigned captured = tvb_captured_length(tvb);
  const LinkType link = link_of(pinfo);
  if (captured == 0 || link == LinkType{}) return nullptr;
  const Bytes octets(tvb_get_ptr(tvb, 0, static_cast<int>(captured)), captured);
  current = parse_frame(link, octets, tvb_reported_length(tvb), parse_options);
  return &current;
}

std::span<const KeptPdu> read_pdus(packet_info* pinfo) {
  if (!streams) return {};
  return streams->pdus(current, pinfo->num);
}

bool is_iwarp(const packet_info* pinfo) { return streams && streams->is_iwarp(pinfo->num); }

namespace {

bool shows_tree(proto_tree* tree) {
  if (tree == nullptr) return false;
  return proto_field_is_referenced(tree, protocol) || proto_field_is_referenced(tree, protocol_infiniband) ||
         proto_field_is_referenced(tree, protocol_mpa) || proto_field_is_referenced(tree, protocol_ddp) ||
         have_tap_listener(expert_tap);
}

// Puts text into the Info column. The built-in dissector's stays in front if it made sense of the frame.
void set_info(packet_info* pinfo, const char* protocol_name, const Text& text, bool append) {
  if (append) {
    col_append_fstr(pinfo->cinfo, COL_INFO, " [%.*s]", static_cast<int>(text.size()), text.view().data());
    return;
  }
  col_set_writable(pinfo->cinfo, -1, TRUE);
  col_clear_fence(pinfo->cinfo, COL_PROTOCOL);
  col_clear_fence(pinfo->cinfo, COL_INFO);
  col_set_str(pinfo->cinfo, COL_PROTOCOL, protocol_name);
  col_add_fstr(pinfo->cinfo, COL_INFO, "%.*s", static_cast<int>(text.size()), text.view().data());
}

bool shows_info(const packet_info* pinfo) {
  return pinfo->cinfo != nullptr && col_get_writable(pinfo->cinfo, COL_INFO);
}

constexpr const char* protocol_column(Family family) {
  switch (family) {
    case Family::rocev1:
      return "RoCE";
    case Family::rocev2:
      return "RRoCE";
    case Family::iwarp:
      return "iWARP";
    default:
      return "InfiniBand";
  }
}

using InfoBuffer = std::array<char, 4 * max_summary>;

void dissect_infiniband_family(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) {
  const bool taken = take_over && current.family != Family::infiniband;
  BuiltIn built_in;
  built_in.took_infiniband = !taken && num_layers(pinfo, protocol_infiniband) != 0;
  built_in.knows_flush = knows_flush;
  // It shows the LID that a CM message would have on InfiniBand in place of the sender's address.
  if (current.family == Family::rocev2 && pinfo->net_src.type != AT_NONE) {
    copy_address_shallow(&pinfo->src, &pinfo->net_src);
    copy_address_shallow(&pinfo->dst, &pinfo->net_dst);
  }
  if (shows_info(pinfo)) {
    // What was cut the built-in dissector calls malformed.
    const bool cut = current.captured.size() < current.packet_end;
    const bool append = built_in_reads(built_in, current) && !cut && current.find(Layer::flow_control) == nullptr;
    InfoBuffer buffer;
    Text text(buffer);
    append_info(text, current, !append);
    set_info(pinfo, protocol_column(current.family), text, append);
  }
  if (shows_tree(tree)) {
    const int stand_for = built_in.took_infiniband ? -1 : protocol_infiniband;
    WiresharkTree shown(fields(), protocol, {stand_for, -1}, tvb, pinfo, tree);
    show_frame(shown, fields().table(), current, built_in, taken);
  }
  if (anybody_listens()) tell_listeners(pinfo, current);
  if (taken && decode_payload) call_payload_dissectors(tvb, pinfo, tree, current);
}

void dissect_iwarp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) {
  const std::span<const KeptPdu> pdus = read_pdus(pinfo);
  const bool known = is_iwarp(pinfo);
  const bool held = known && streams->is_held(pinfo->num);
  if (take_over && known) keep_built_in_from(pinfo);
  if (pdus.empty() && !held) return;
  BuiltIn built_in;
  if (!take_over) {
    built_in.num_mpa = num_layers(pinfo, protocol_mpa);
    built_in.num_fpdus = num_layers(pinfo, protocol_ddp);
  }
  if (shows_info(pinfo) && known && !pdus.empty()) {
    InfoBuffer buffer;
    Text text(buffer);
    for (const KeptPdu& kept : pdus) {
      read_pdu.read(kept, current.captured);
      if (text.size() != 0) text.add(" | ");
      append_info(text, kept, read_pdu);
    }
    set_info(pinfo, protocol_column(Family::iwarp), text, built_in_reads(built_in, pdus));
  }
  if (shows_tree(tree)) {
    const bool told = built_in_reads(built_in, pdus);
    WiresharkTree shown(fields(), protocol, {told ? -1 : protocol_mpa, told ? -1 : protocol_ddp}, tvb, pinfo, tree);
    show_pdus(shown, fields().table(), current, pdus, held, read_pdu, built_in, take_over);
  }
  if (anybody_listens()) {
    for (const KeptPdu& kept : pdus) {
      read_pdu.read(kept, current.captured);
      tell_listeners(pinfo, kept, read_pdu);
    }
  }
  if (take_over && decode_payload) {
    for (const KeptPdu& kept : pdus) {
      read_pdu.read(kept, current.captured);
      call_payload_dissectors(tvb, pinfo, tree, kept, read_pdu);
    }
  }
}

// After all others.
int dissect(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  if (read_frame(pinfo) == nullptr) return 0;
  if (current.family != Family::none) {
    dissect_infiniband_family(tvb, pinfo, tree);
  } else if (!current.layers().empty() && current.layers().back().layer == Layer::tcp) {
    dissect_iwarp(tvb, pinfo, tree);
  } else if (!current.layers().empty() && current.layers().back().layer == Layer::sctp && shows_tree(tree)) {
    WiresharkTree shown(fields(), protocol, {-1, protocol_ddp}, tvb, pinfo, tree);
    show_sctp_pdus(shown, fields().table(), current);
  }
  return static_cast<int>(tvb_captured_length(tvb));
}

void begin_file() {
  reassembly::StreamOptions options;
  options.verify_crcs = verify_crcs != 0;
  streams = std::make_unique<Streams>(options);
  parse_options.verify_crcs = verify_crcs != 0;
  parse_options.rocev2_ports = {};
  std::size_t num = 0;
  for (unsigned i = 0; udp_ports != nullptr && i < udp_ports->nranges; ++i) {
    for (std::uint32_t port = udp_ports->ranges[i].low; port <= udp_ports->ranges[i].high; ++port) {
      if (num == parse_options.rocev2_ports.size()) break;
      parse_options.rocev2_ports[num++] = static_cast<std::uint16_t>(port);
    }
  }
  preferences.rocev2_ports = std::span(parse_options.rocev2_ports).first(num);
  preferences.take_over = take_over != 0;
  apply_take_over(preferences);
}

void end_file() {
  streams.reset();
  end_take_over();
}

void register_protocols() {
  protocol = proto_register_protocol("RDMA: CRC verdicts and what the other dissectors lack", "RDMA", "rdma");
  fields().register_own(protocol);
  module_t* module = prefs_register_protocol(protocol, nullptr);
  range_convert_str(wmem_epan_scope(), &udp_ports, "4791", 65535);
  prefs_register_range_preference(module, "udp_ports", "UDP ports of RoCEv2", "At most eight UDP destination ports",
                                  &udp_ports, 65535);
  prefs_register_bool_preference(module, "verify_crcs", "Verify CRCs",
                                 "Compute ICRC, VCRC, LPCRC and the CRC of FPDUs, and compare them", &verify_crcs);
  prefs_register_bool_preference(module, "decode_payload", "Decode payloads",
                                 "When taking over: hand payloads on to the dissectors of upper layers",
                                 &decode_payload);
  prefs_register_bool_preference(module, "take_over", "Take over RoCE and iWARP",
                                 "Decode RoCEv2, RoCEv1 and iWARP in place of the built-in dissectors, under their "
                                 "field names",
                                 &take_over);
  register_postdissector(register_dissector("rdma", dissect, protocol));
  register_init_routine(begin_file);
  register_cleanup_routine(end_file);
  register_statistics();
}

void hand_off() {
  protocol_infiniband = proto_get_id_by_filter_name("infiniband");
  protocol_mpa = proto_get_id_by_filter_name("iwarp_mpa");
  protocol_ddp = proto_get_id_by_filter_name("iwarp_ddp_rdmap");
  expert_tap = find_tap_id("expert");
  knows_flush =
      proto_registrar_get_byname("infiniband.feth.plt") != nullptr &&
      proto_registrar_get_nth(static_cast<guint>(proto_registrar_get_id_byname("infiniband.feth.plt")))->parent ==
          protocol_infiniband;
  fields().find_built_in();
  prepare_take_over(protocol);
}

}  // namespace
}  // namespace rdmawire::dissector

RDMAWIRE_EXPORT void plugin_register() {
  static proto_plugin plugin{rdmawire::dissector::register_protocols, rdmawire::dissector::hand_off};
  proto_register_plugin(&plugin);
}

RDMAWIRE_EXPORT std::uint32_t plugin_describe() { return 1; }
