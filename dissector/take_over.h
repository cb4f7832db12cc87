// The preference take_over: the built-in dissectors are kept from RoCE and iWARP, and what they would have called for
// payloads is called from here.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "codec/frame.h"
#include "dissector/streams.h"
#include "dissector/wireshark_api.h"

namespace rdmawire::dissector {

struct Preferences {
  std::span<const std::uint16_t> rocev2_ports;
  bool take_over = false;
};

// In the handoff.
void prepare_take_over(int protocol);
// Before the first packet of a file, and so after each change of a preference.
void apply_take_over(const Preferences& preferences);
// When the file is closed.
void end_take_over();

// The rest of a TCP conversation, from the next frame on, is given to no other dissector.
void keep_built_in_from(packet_info* pinfo);

void call_payload_dissectors(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const Frame& frame);
void call_payload_dissectors(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const KeptPdu& kept,
                             const ReadPdu& read);

// plugin.cc: the frame being dissected, read anew; null if Wireshark's link type is not one of the codec's.
const Frame* read_frame(packet_info* pinfo);
// The PDUs of iWARP that read_frame's frame shows.
std::span<const KeptPdu> read_pdus(packet_info* pinfo);
bool is_iwarp(const packet_info* pinfo);

}  // namespace rdmawire::dissector
