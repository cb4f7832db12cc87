// A capture of small RoCEv2 packets, as a busy key-value store has: the worst case for work per packet.
#pragma once

#include <cstdint>
#include <string>

namespace rdmawire::bench {

// Writes a pcap of that many packets, the same at each call: WRITE ONLY and SEND ONLY of 16 octets and their ACKs, in
// turn, on 64 queue pairs, all CRCs right. False if the file can't be written.
bool write_small_capture(const std::string& path, std::uint32_t num_packets);

}  // namespace rdmawire::bench
