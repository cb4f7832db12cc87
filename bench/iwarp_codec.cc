// bazel run -c opt //bench:iwarp_codec
// iWARP from the capture to its PDUs, against tshark, and the Deframer and its CRC alone, all in one run.
#include <benchmark/benchmark.h>
#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/aim.h"
#include "bench/child_time.h"
#include "bench/iwarp_capture.h"
#include "bench/measure.h"
#include "codec/crc/crc.h"
#include "codec/frame.h"
#include "codec/stream.h"
#include "pcap/reader.h"
#include "pcap/reassembly/iwarp_streams.h"

namespace {

using namespace rdmawire;

constexpr std::uint32_t segment_len = 1448;  // octets

// A stream of num FPDUs of RDMA Writes without their start-up frame.
std::vector<std::uint8_t> stream_of(std::uint32_t num, bool markers) {
  const bench::IwarpTraffic traffic{num, markers, true};
  bench::IwarpFpdus fpdus(traffic);
  std::vector<std::uint8_t> out;
  for (std::uint32_t i = 0; i < num; ++i) fpdus.append(out);
  return out;
}

// The stream through the Deframer, in pieces of piece_len octets.
void deframe(benchmark::State& state, bool markers, bool check_crc, std::uint32_t piece_len) {
  constexpr std::uint32_t num_fpdus = 64;  // all in the cache
  const std::vector<std::uint8_t> stream = stream_of(num_fpdus, markers);
  std::vector<std::uint8_t> buffer(Deframer::min_buffer);
  StreamParams params;
  params.markers = markers ? Setting::on : Setting::off;
  params.crc = Setting::on;
  params.seq_start = 0;
  params.check_crc = check_crc;
  std::uint64_t found = 0;
  for (auto _ : state) {
    Deframer deframer(buffer, params, 0, true);
    for (Bytes left = stream; !left.empty();) {
      const std::size_t len = std::min<std::size_t>(left.size(), piece_len);
      deframer.feed(left.first(len));
      left = left.subspan(len);
      while (const auto fpdu = deframer.next()) {
        found += static_cast<std::uint64_t>(!check_crc || fpdu->fpdu.crc.status == CrcStatus::good);
      }
    }
  }
  const auto num_runs = static_cast<std::uint64_t>(state.iterations());
  if (found != num_runs * num_fpdus) state.SkipWithError("FPDUs were not found");
  state.SetItemsProcessed(static_cast<std::int64_t>(found));
  state.SetBytesProcessed(static_cast<std::int64_t>(num_runs * stream.size()));
}
// Each piece is one FPDU.
constexpr std::uint32_t fpdu_len = iwarp::unmarked_len(bench::iwarp_payload_len({}) + header_size<iwarp::DdpTagged>);
void deframe_aligned(benchmark::State& state) { deframe(state, false, true, fpdu_len); }
void deframe_aligned_crc_unchecked(benchmark::State& state) { deframe(state, false, false, fpdu_len); }
void deframe_unaligned(benchmark::State& state) { deframe(state, false, true, segment_len); }
void deframe_unaligned_crc_unchecked(benchmark::State& state) { deframe(state, false, false, segment_len); }
void deframe_markers_unaligned(benchmark::State& state) { deframe(state, true, true, segment_len); }
BENCHMARK(deframe_aligned);
BENCHMARK(deframe_aligned_crc_unchecked);
BENCHMARK(deframe_unaligned);
BENCHMARK(deframe_unaligned_crc_unchecked);
BENCHMARK(deframe_markers_unaligned);

void crc32c(benchmark::State& state) {
  bench::over_octets(state, [](MutableBytes data) { return crc::crc32c(data); });
}
void isal_crc32c(benchmark::State& state) {
  bench::over_octets(
      state, [](MutableBytes data) { return ~::crc32_iscsi(data.data(), static_cast<int>(data.size()), 0xFFFFFFFF); });
}
BENCHMARK(crc32c)->Arg(1024);
BENCHMARK(isal_crc32c)->Arg(1024);

// Counts the PDUs whose CRC is good and whose headers are an RDMA Write's.
class Count final : public reassembly::PduSink {
 public:
  void pdu(const reassembly::StreamPdu& found) override {
    num_ += static_cast<std::uint64_t>(found.fpdu != nullptr && found.fpdu->crc.status == CrcStatus::good &&
                                       found.pdu.opcode != nullptr &&
                                       found.pdu.opcode->opcode == iwarp::Opcode::RDMA_WRITE && !found.pdu.error);
  }
  void keep(std::uint64_t) override {}
  void release(std::uint64_t) override {}
  void lost(std::uint32_t, bool, const Loss&) override {}
  std::uint64_t num() const { return num_; }

 private:
  std::uint64_t num_ = 0;
};

std::uint64_t walk_file(const std::string& file) {
  auto reader = rdmawire::pcap::Reader::open(file);
  if (!reader) std::_Exit(1);
  Count count;
  reassembly::IwarpStreams streams({}, count);
  for (;;) {
    const auto packets = reader->next_batch();
    if (!packets) std::_Exit(1);
    if (packets->empty()) break;
    for (const rdmawire::pcap::Packet& packet : *packets) {
      streams.add(parse_frame(packet.link, packet.data, packet.original_length), packet.number);
    }
  }
  streams.finish();
  return count.num();
}

// How many FPDUs tshark shows: a value each, with a comma between those of one frame.
std::uint64_t fpdus_in_tshark(const std::string& file) {
  const auto output = bench::program_output(
      {"tshark", "-n", "-r", file, "-Y", "iwarp_ddp", "-T", "fields", "-e", "iwarp_mpa.ulpdulength"});
  if (!output) return 0;
  return static_cast<std::uint64_t>(
      std::ranges::count_if(*output, [](char character) { return character == ',' || character == '\n'; }));
}

void whole_file(const char* name, const bench::IwarpTraffic& traffic) {
  constexpr int rounds = 5;
  const char* temporary = std::getenv("TMPDIR");
  const std::string file = std::string(temporary != nullptr ? temporary : "/tmp") + "/rdmawire-bench-iwarp.pcap";
  if (!bench::write_iwarp_capture(file, traffic)) {
    std::fprintf(stderr, "cannot write %s\n", file.c_str());
    return;
  }
  std::vector<double> seconds;
  std::uint64_t found = 0;
  for (int i = 0; i < rounds; ++i) {
    const bench::Found run = bench::child_finds(walk_file, file);
    seconds.push_back(run.seconds);
    found = run.number;
  }
  const double tshark = bench::program_seconds({"tshark", "-n", "-r", file, "-Y", "iwarp_ddp"});
  const std::uint64_t tshark_found = tshark > 0 ? fpdus_in_tshark(file) : 0;
  std::remove(file.c_str());

  const double ours = bench::median(seconds);
  std::printf("\n%s, %u FPDUs of %u octets, median of %d runs (tshark: one)\n", name, traffic.num_fpdus,
              bench::iwarp_payload_len(traffic), rounds);
  const auto row = [&](const char* program, std::uint64_t num, double time) {
    std::printf("%-30s %8llu FPDUs found, %8.1f ns each of all, %10.0f of all a second of CPU time\n", program,
                static_cast<unsigned long long>(num), 1e9 * time / traffic.num_fpdus, traffic.num_fpdus / time);
  };
  row("rdmawire, every CRC verified", found, ours);
  const std::string prefix = std::string("iwarp_") + name;
  if (tshark > 0) {
    row("tshark -Y iwarp_ddp", tshark_found, tshark);
    // On the others it gives up early, and is fast for that.
    if (!traffic.markers && !traffic.unaligned) {
      bench::report_aim(prefix + "_vs_tshark", tshark / ours, bench::Bound::at_least, 25, "x");
    }
  } else {
    std::printf("tshark could not be run (package tshark): no comparison with it\n");
  }
  bench::report_aim(prefix + "_fpdus_found", static_cast<double>(found) / traffic.num_fpdus, bench::Bound::at_least, 1,
                    " of all");
}

}  // namespace

int main(int argc, char** argv) {
  bench::Best best;
  if (!best.run(argc, argv)) return 2;
  constexpr std::uint32_t num_fpdus = 200'000;
  whole_file("plain", {num_fpdus, false, false});
  whole_file("markers", {num_fpdus, true, false});
  whole_file("unaligned", {num_fpdus, false, true});
  std::printf("\n");
  best.report_against("crc32c_1k_vs_isal", "crc32c/1024", "isal_crc32c/1024", 1);
}
