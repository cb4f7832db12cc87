// What is known of a packet or PDU besides its headers' fields: the names under which all outputs show it.
#pragma once

#include <string_view>

namespace rdmawire::property {

struct Property {
  std::string_view name;
  std::string_view label;
};

inline constexpr Property family{"rdma.family", "Protocol family: ib, rocev1, rocev2, iwarp"};
inline constexpr Property opcode{"rdma.opcode",
                                 "Name of the operation code, of the RDMAP message, or of the MPA start-up frame"};
inline constexpr Property payload_len{"rdma.payload_len", "Octets of payload, without pad and CRCs"};
inline constexpr Property icrc_status{"rdma.icrc.status", "Invariant CRC: good, bad, unchecked, absent"};
inline constexpr Property vcrc_status{"rdma.vcrc.status", "Variant CRC (or LPCRC): good, bad, unchecked, absent"};
inline constexpr Property icrc_computed{"rdma.icrc.computed", "Invariant CRC that the packet should have"};
inline constexpr Property stream{"rdma.stream", "Number of the TCP conversation, from 0"};
inline constexpr Property sender{"rdma.stream.sender",
                                 "Which end sent it: initiator or responder; first or second if the start-up was not "
                                 "seen"};
inline constexpr Property recognition{"rdma.recognition",
                                      "How the conversation was recognised as iWARP: startup, mid_stream, told"};
inline constexpr Property first_frame{"rdma.first_frame",
                                      "Number of the frame in which the PDU began; it ended in the frame shown"};
inline constexpr Property stream_offset{"rdma.stream_offset",
                                        "Octets from the first that the direction was seen to send to the PDU"};
inline constexpr Property missing_len{"rdma.stream.missing_len", "Octets before the PDU that were not captured"};
inline constexpr Property skipped_len{"rdma.stream.skipped_len",
                                      "Octets before the PDU that were captured, but in which no PDU was found"};
inline constexpr Property fpdus_lost{"rdma.stream.fpdus_lost", "FPDUs lost before the PDU: at least so many"};
inline constexpr Property mpa_crc_status{"rdma.mpa.crc.status", "CRC of the FPDU: good, bad, unchecked, disabled"};
inline constexpr Property mpa_crc_computed{"rdma.mpa.crc.computed", "CRC that the FPDU should have"};
inline constexpr Property markers{"rdma.mpa.markers",
                                  "Where the FPDU's Markers lie: offsets in the stream, as rdma.stream_offset counts"};
inline constexpr Property private_data{"iwarp_mpa.privatedata",
                                       "Private data of an MPA start-up frame, with the enhanced block"};
inline constexpr Property pad{"iwarp_mpa.pad", "Pad of the FPDU, 1 to 3 octets"};
inline constexpr Property error{"rdma.error", "Where and why reading stopped"};

}  // namespace rdmawire::property
