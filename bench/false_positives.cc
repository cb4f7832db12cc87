// How often a Deframer that does not know where a stream begins finds FPDUs where there are none.
//
//   bazel run -c opt //bench:false_positives -- [-n OFFSETS] [CAPTURE...]
//
// Random octets (10^9 offsets unless told otherwise), zeros and text, and the octets of all packets of captures without
// iWARP, end to end; each with all that may be known of a stream's framing. Exit 1 if an FPDU was found.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/iwarp/evidence.h"
#include "codec/stream.h"
#include "pcap/file_error.h"
#include "pcap/reader.h"

namespace {

using namespace rdmawire;

struct Mode {
  const char* name;
  StreamParams params;
};

// Known settings need less evidence: that the stream is iWARP counts for something.
const std::array modes{
    Mode{"nothing known", {}},
    Mode{"CRC, no Markers", {Setting::off, Setting::on, {}, true}},
    Mode{"no CRC, no Markers", {Setting::off, Setting::off, {}, true}},
    Mode{"CRC, Markers", {Setting::on, Setting::on, {}, true}},
    Mode{"no CRC, Markers", {Setting::on, Setting::off, {}, true}},
    Mode{"CRC, Markers in known places", {Setting::on, Setting::on, 0, true}},
};

using Source = std::function<Bytes()>;  // the next octets; none at the end

std::uint64_t num_found = 0;

void scan(std::string_view name, const std::function<Source()>& source) {
  for (const Mode& mode : modes) {
    std::vector<std::uint8_t> buffer(Deframer::min_buffer);
    Deframer deframer(buffer, mode.params, 1, false);
    std::uint64_t num_octets = 0;
    std::uint64_t num_fpdus = 0;
    const Source next = source();
    const auto count = [&] {
      while (deframer.next()) ++num_fpdus;
    };
    for (Bytes piece = next(); !piece.empty(); piece = next()) {
      num_octets += piece.size();
      deframer.feed(piece);
      count();
    }
    deframer.finish();
    count();
    // With Markers in known places, FPDUs begin at every fourth octet only.
    const std::uint64_t num_offsets = mode.params.seq_start ? num_octets / 4 : num_octets;
    std::printf(
        "%-40.*s %-30s %13llu offsets %4llu FPDUs, %.1f octets looked at for each\n", static_cast<int>(name.size()),
        name.data(), mode.name, static_cast<unsigned long long>(num_offsets),
        static_cast<unsigned long long>(num_fpdus),
        static_cast<double>(deframer.search_work()) / static_cast<double>(std::max<std::uint64_t>(num_octets, 1)));
    std::fflush(stdout);
    num_found += num_fpdus;
  }
}

// xoshiro256**, by D. Blackman and S. Vigna: octets at memory speed, the same ones each time.
class Random {
 public:
  std::uint64_t next() {
    const std::uint64_t out = rotate(s_[1] * 5, 7) * 9;
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotate(s_[3], 45);
    return out;
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return x << k | x >> (64 - k); }
  std::array<std::uint64_t, 4> s_{1, 2, 3, 4};
};

constexpr std::size_t block_len = std::size_t{1} << 16;

Source random_source(std::uint64_t len) {
  return [len, random = Random(), block = std::vector<std::uint8_t>(block_len)]() mutable -> Bytes {
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(len, block_len));
    for (std::size_t i = 0; i < piece; i += 8) store_be<8>(block.data() + i, random.next());
    len -= piece;
    return Bytes(block).first(piece);
  };
}

Source repeated_source(std::string line, std::uint64_t len) {
  std::vector<std::uint8_t> block;
  while (block.size() < block_len) block.insert(block.end(), line.begin(), line.end());
  return [len, block]() mutable -> Bytes {
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(len, block.size()));
    len -= piece;
    return Bytes(block).first(piece);
  };
}

Source capture_source(const std::string& path) {
  auto opened = pcap::Reader::open(path);
  if (!opened) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), pcap::to_string(opened.error()).c_str());
    std::exit(2);
  }
  return [reader = std::make_shared<pcap::Reader>(std::move(*opened))]() -> Bytes {
    for (;;) {
      const auto packet = reader->next();
      if (!packet || *packet == nullptr) return {};
      if (!(*packet)->data.empty()) return (*packet)->data;
    }
  };
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t num_offsets = 1'000'000'000;
  std::vector<std::string> captures;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "-n" && i + 1 < argc) {
      num_offsets = std::strtoull(argv[++i], nullptr, 10);
    } else {
      captures.push_back(argv[i]);
    }
  }
  std::printf(
      "A stream begins at %u bits of evidence; that it is known to be iWARP, framed as is known, counts for %u.\n",
      iwarp::needed_evidence, iwarp::known_stream_evidence);
  scan("random", [&] { return random_source(num_offsets); });
  scan("zeros", [&] { return repeated_source(std::string(8, '\0'), num_offsets / 10); });
  scan("text", [&] { return repeated_source("ABACADAE the same line of text again and again\r\n", num_offsets / 10); });
  for (const std::string& capture : captures) {
    scan(capture.substr(capture.rfind('/') + 1), [&] { return capture_source(capture); });
  }
  return num_found == 0 ? 0 : 1;
}
