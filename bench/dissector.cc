// What the Wireshark plugin costs: tshark with it and without it on the same capture, in one run.
//
//   bazel run -c opt //bench:dissector [-- PACKETS]
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/aim.h"
#include "bench/child_time.h"
#include "bench/pcap_file.h"
#include "codec/frame_build.h"

namespace {

using namespace rdmawire;
namespace fs = std::filesystem;

// RDMA WRITEs of 1 KiB, four packets a message, all CRCs right.
bool write_capture(const std::string& path, std::uint32_t num_packets) {
  bench::PcapFile file(path);
  std::array<std::uint8_t, 1024> payload;
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(i * 7);
  FrameSpec spec = rocev2_spec();
  spec.payload = payload;
  std::array<std::uint8_t, 1200> frame;
  for (std::uint32_t i = 0; i < num_packets; ++i) {
    constexpr std::array opcodes{ib::Opcode::RC_RDMA_WRITE_FIRST, ib::Opcode::RC_RDMA_WRITE_MIDDLE,
                                 ib::Opcode::RC_RDMA_WRITE_MIDDLE, ib::Opcode::RC_RDMA_WRITE_LAST};
    spec.bth.opcode = opcodes[i % 4];
    spec.bth.psn = Psn{} + i;
    spec.reth = {{i * 1024ULL}, {0x1234}, 4096};
    const auto size = build_frame(spec, frame);
    if (!size) return false;
    file.add(Bytes(frame).first(*size));
  }
  return file.close();
}

// CPU seconds of tshark in a home folder; as another user than root, for whom Wireshark loads no plugin.
double tshark_seconds(const std::string& home, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"env", "HOME=" + home};
  if (::getuid() == 0) command.insert(command.end(), {"unshare", "-U"});
  command.push_back("tshark");
  command.insert(command.end(), arguments.begin(), arguments.end());
  return bench::program_seconds(command);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t num_packets = argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : 200'000;
  std::string folder = "/tmp/rdmawire-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const std::string capture = folder + "/write.pcap";
  const auto version = bench::program_output({"pkg-config", "--modversion", "wireshark"});
  bool good = version.has_value() && write_capture(capture, num_packets);
  if (good) {
    const std::string short_version = version->substr(0, version->find('.', version->find('.') + 1));
    const fs::path plugins = folder + "/with/.local/lib/wireshark/plugins/" + short_version + "/epan";
    fs::create_directories(plugins);
    fs::create_directories(folder + "/without");
    fs::copy_file("dissector/rdmawire.so", plugins / "rdmawire.so");
    struct Case {
      const char* name;
      std::vector<std::string> arguments;
    };
    const std::vector<Case> cases{
        {"list of packets", {"-n", "-r", capture}},
        {"one field", {"-n", "-r", capture, "-T", "fields", "-e", "infiniband.bth.psn"}},
        {"a filter", {"-n", "-r", capture, "-Y", "infiniband.bth.psn == 5"}},
    };
    std::printf("%u packets of 1 KiB, tshark %s, CPU time of the best of 3\n", num_packets, short_version.c_str());
    for (const Case& each : cases) {
      double with = 1e9;
      double without = 1e9;
      // In turn, so that what else the machine does meets both.
      for (int round = 0; round < 3; ++round) {
        without = std::min(without, tshark_seconds(folder + "/without", each.arguments));
        with = std::min(with, tshark_seconds(folder + "/with", each.arguments));
      }
      good = good && with > 0 && without > 0;
      std::printf("%s: %.2f s without the plugin, %.2f s with it\n", each.name, without, with);
      bench::report_aim(std::string("dissector, ") + each.name, with / without, bench::Bound::at_most, 1.3, " times");
    }
  }
  fs::remove_all(folder);
  if (!good) std::fprintf(stderr, "tshark, pkg-config or the capture failed\n");
  return good ? 0 : 1;
}
