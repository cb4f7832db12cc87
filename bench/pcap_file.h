// The pcap files that benchmarks read.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "codec/base/bytes.h"

namespace rdmawire::bench {

// Ethernet frames, 2 microseconds apart, in the machine's octet order.
class PcapFile {
 public:
  explicit PcapFile(const std::string& path) : file_(path, std::ios::binary) {
    for (const std::uint32_t word : {0xA1B2C3D4U, 2U | 4U << 16, 0U, 0U, 65535U, 1U}) put(word);
  }
  void add(Bytes frame) {
    constexpr std::uint32_t frames_per_second = 500'000;
    const auto octets = static_cast<std::uint32_t>(frame.size());
    for (const std::uint32_t word :
         {1'700'000'000U + num_frames_ / frames_per_second, 2 * (num_frames_ % frames_per_second), octets, octets}) {
      put(word);
    }
    ++num_frames_;
    file_.write(reinterpret_cast<const char*>(frame.data()), octets);
  }
  // False if anything could not be written.
  bool close() { return static_cast<bool>(file_.flush()); }

 private:
  void put(std::uint32_t word) { file_.write(reinterpret_cast<const char*>(&word), sizeof word); }

  std::ofstream file_;
  std::uint32_t num_frames_ = 0;
};

}  // namespace rdmawire::bench
