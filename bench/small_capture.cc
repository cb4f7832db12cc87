#include "bench/small_capture.h"

#include <array>
#include <random>

#include "bench/pcap_file.h"
#include "codec/frame_build.h"

namespace rdmawire::bench {

bool write_small_capture(const std::string& path, std::uint32_t num_packets) {
  PcapFile file(path);
  std::mt19937_64 random(20261129);
  std::array<std::uint8_t, 16> payload;
  FrameSpec data = rocev2_spec();
  data.ethernet->destination = {{2, 0, 0, 0, 0, 0xBB}};
  data.ethernet->source = {{2, 0, 0, 0, 0, 0xAA}};
  data.ipv4->source = {{10, 0, 0, 1}};
  data.ipv4->destination = {{10, 0, 0, 2}};
  data.bth.ack_request = true;
  data.payload = payload;
  FrameSpec ack = data;
  std::swap(ack.ethernet->destination, ack.ethernet->source);
  std::swap(ack.ipv4->destination, ack.ipv4->source);
  ack.bth.opcode = ib::Opcode::RC_ACKNOWLEDGE;
  ack.bth.ack_request = false;
  ack.payload = {};
  ack.aeth.syndrome = ib::Syndrome::ack(31);

  std::array<std::uint8_t, 128> frame;
  for (std::uint32_t i = 0; i < num_packets; ++i) {
    const std::uint32_t message = i / 2;
    FrameSpec& spec = i % 2 == 0 ? data : ack;
    spec.udp->source_port = {static_cast<std::uint16_t>(0xC000 + message % 64)};
    spec.bth.dest_qp = {0x100 + message % 64 + (i % 2) * 0x100};
    spec.bth.psn = Psn{} + message / 64;
    ++spec.ipv4->identification;
    if (i % 2 == 0) {
      data.bth.opcode = message % 2 == 0 ? ib::Opcode::RC_RDMA_WRITE_ONLY : ib::Opcode::RC_SEND_ONLY;
      data.reth = {{random()}, {static_cast<std::uint32_t>(random())}, 16};
      for (auto& octet : payload) octet = static_cast<std::uint8_t>(random());
    } else {
      ack.aeth.msn = Msn{} + message / 64 + 1;
    }
    const auto size = build_frame(spec, frame);
    if (!size) return false;
    file.add(Bytes(frame).first(*size));
  }
  return file.close();
}

}  // namespace rdmawire::bench
