// A capture of one iWARP connection that writes without pause: the worst case for work per octet of a stream.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codec/iwarp/ddp.h"
#include "codec/iwarp/fpdu.h"
#include "codec/stream.h"

namespace rdmawire::bench {

struct IwarpTraffic {
  std::uint32_t num_fpdus = 0;  // RDMA Write, 32 FPDUs a message; a multiple of 32
  bool markers = false;         // both ends asked for them
  bool unaligned = false;       // segments of 1,448 octets as they come, not one FPDU each
};

// Octets of payload in each FPDU, the most that always fits a TCP segment of 1,460.
constexpr std::uint32_t iwarp_payload_len(const IwarpTraffic& traffic) {
  return iwarp::mulpdu(iwarp::Emss{1460}, traffic.markers) - std::uint32_t{header_size<iwarp::DdpTagged>};
}

// The FPDUs one by one.
class IwarpFpdus {
 public:
  explicit IwarpFpdus(const IwarpTraffic& traffic);
  // Appends the next one to the stream.
  void append(std::vector<std::uint8_t>& stream);

 private:
  std::uint32_t payload_len_;
  Framer framer_;
  std::array<std::uint8_t, 4096> data_;
  std::uint32_t num_fpdus_ = 0;
};

// Writes a pcap of the whole connection, the same at each call: SYN to the last FPDU, MPA start-up frames of revision 1
// with CRC, one ACK for every two segments, all checksums and CRCs right. False if the file can't be written.
bool write_iwarp_capture(const std::string& path, const IwarpTraffic& traffic);

}  // namespace rdmawire::bench
