// Two ends of one or two connections, reliable or not, over a network that the fuzzer controls, against an ideal one.
// The first octets choose program and settings, each two that follow the fate of one packet.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/check_fields.h"
#include "protocol/hostile/run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmawire;
  constexpr std::size_t num_settings = 8;
  if (size < num_settings) return 0;
  hostile::RunOptions options;
  options.carrier = static_cast<hostile::Carrier>(data[0] % 4);
  options.path_mtu = ib::PathMtu{static_cast<std::uint8_t>(1 + data[1] % 5)};
  options.window = data[2] % 32 + 1U;
  options.ack_interval = data[3] % 32 + 1U;
  options.depth = static_cast<std::uint8_t>(data[4] % 8 + 1);
  options.program.lends = (data[4] & 0x08U) != 0;
  options.program.num_connections = 1 + (data[4] >> 4 & 1U);
  options.program.shared_receives = (data[4] & 0x20U) != 0;
  if ((data[4] & 0xC0U) == 0xC0) {
    options.program.service = verbs::Service::uc;
    options.program.lends = options.program.shared_receives = false;
  }
  options.num_receives_ahead = data[5] % 4;
  options.flow_control = (data[5] & 0x80U) != 0;
  options.program.num_requests = data[6] % 12 + 1U;
  options.program.max_len = 2048;
  options.capacity = 256;
  options.impairments.delay = std::chrono::microseconds(1);
  options.impairments.reorder_hold = std::chrono::microseconds(5);
  std::vector<link::Fate> fates;
  for (std::size_t i = num_settings; i + 2 <= size; i += 2) {
    link::Fate fate = link::fate_of(static_cast<std::uint16_t>(load_be<2>(data + i)));
    // What no CRC covers would be damage that nobody can see: MAC addresses, and the LRH's VL.
    if (fate.kind == link::Fate::Kind::corrupt) fate.value = 8 * 14 + fate.value % 1024;
    fates.push_back(fate);
  }
  options.fates = fates;
  const hostile::RunResult result = hostile::run(data[7], options);
  fuzz::require(result.fault.empty());
  return 0;
}
