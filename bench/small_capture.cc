#include "bench/small_capture.h"

#include <array>
#include <fstream>
#include <random>

#include "codec/frame_build.h"

namespace rdmawire::bench {
namespace {

void put_host_order(std::ofstream& file, std::uint32_t word) {
  file.write(reinterpret_cast<const char*>(&word), sizeof word);
}

}  // namespace

bool write_small_capture(const std::string& path, std::uint32_t num_packets) {
  std::ofstream file(path, std::ios::binary);
  for (const std::uint32_t word : {0xA1B2C3D4U, 2U | 4U << 16, 0U, 0U, 65535U, 1U}) put_host_order(file, word);

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
    spec.bth.psn = {message / 64 % Psn::modulus};
    ++spec.ipv4->identification;
    if (i % 2 == 0) {
      data.bth.opcode = message % 2 == 0 ? ib::Opcode::RC_RDMA_WRITE_ONLY : ib::Opcode::RC_SEND_ONLY;
      data.reth = {{random()}, {static_cast<std::uint32_t>(random())}, 16};
      for (auto& octet : payload) octet = static_cast<std::uint8_t>(random());
    } else {
      ack.aeth.msn = {(message / 64 + 1) % Msn::modulus};
    }
    const auto size = build_frame(spec, frame);
    if (!size) return false;
    const auto octets = static_cast<std::uint32_t>(*size);
    for (const std::uint32_t word : {1'700'000'000U + i / 500'000, 2 * (i % 500'000), octets, octets}) {
      put_host_order(file, word);
    }
    file.write(reinterpret_cast<const char*>(frame.data()), octets);
  }
  return static_cast<bool>(file.flush());
}

}  // namespace rdmawire::bench
