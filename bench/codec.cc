// bazel run -c opt //bench:codec
// Decoding, encoding and the CRCs in cache, and a whole file against libpcap and tshark, all in one run.
#include <benchmark/benchmark.h>
#include <isa-l/crc.h>
#include <pcap/pcap.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/aim.h"
#include "bench/child_time.h"
#include "bench/measure.h"
#include "bench/small_capture.h"
#include "codec/crc/crc.h"
#include "codec/frame.h"
#include "codec/frame_build.h"
#include "codec/ib/icrc.h"
#include "pcap/reader.h"

namespace {

using namespace rdmawire;

std::vector<std::uint8_t> write_only(std::size_t payload_len) {
  FrameSpec spec = rocev2_spec();
  const std::vector<std::uint8_t> payload(payload_len, 0x5A);
  spec.bth.opcode = ib::Opcode::RC_RDMA_WRITE_ONLY;
  spec.reth = {{0x1000}, {0x1234}, static_cast<std::uint32_t>(payload_len)};
  spec.payload = payload;
  std::vector<std::uint8_t> out(frame_size(spec));
  if (!build_frame(spec, out)) std::abort();
  return out;
}

// Uses every field of a header, so that none is left out.
template <Header T>
std::uint64_t fold(const T& header) {
  std::uint64_t sum = 0;
  for_each_field(header, [&](const FieldInfo&, const auto& value) {
    if constexpr (requires { value.octets; }) {
      for (const std::uint8_t octet : value.octets) sum += octet;
    } else if constexpr (requires { value.value; }) {
      sum += value.value;
    } else {
      sum += static_cast<std::uint64_t>(value);
    }
  });
  return sum;
}

// For comparison with decode_headers: the whole walk to the payload, which also finds pad, ICRC and opcode and judges
// every length, and then every field.
void parse_and_decode(benchmark::State& state) {
  const std::vector<std::uint8_t> frame = write_only(16);
  ParseOptions options;
  options.verify_crcs = false;
  Bytes data(frame);
  for (auto _ : state) {
    benchmark::DoNotOptimize(data);
    const Frame parsed = parse_frame(LinkType::ethernet, data, static_cast<std::uint32_t>(data.size()), options);
    std::uint64_t sum = parsed.payload_len;
    const auto layers = parsed.layers();
    sum += fold(decode<net::Ethernet>(data.subspan(layers[0].offset).first<14>()));
    sum += fold(decode<net::Ipv4>(data.subspan(layers[1].offset).first<20>()));
    sum += fold(decode<net::Udp>(data.subspan(layers[2].offset).first<8>()));
    sum += fold(decode<ib::Bth>(data.subspan(layers[3].offset).first<12>()));
    sum += fold(decode<ib::Reth>(data.subspan(layers[4].offset).first<16>()));
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(parse_and_decode);

struct Headers {
  net::Ethernet ethernet;
  net::Ipv4 ipv4;
  net::Udp udp;
  ib::Bth bth;
  ib::Reth reth;
};

// The five headers into structs with every field.
void decode_headers(benchmark::State& state) {
  const std::vector<std::uint8_t> frame = write_only(16);
  Bytes data(frame);
  for (auto _ : state) {
    benchmark::DoNotOptimize(data);
    Headers headers{decode<net::Ethernet>(data.first<14>()), decode<net::Ipv4>(data.subspan<14, 20>()),
                    decode<net::Udp>(data.subspan<34, 8>()), decode<ib::Bth>(data.subspan<42, 12>()),
                    decode<ib::Reth>(data.subspan<54, 16>())};
    benchmark::DoNotOptimize(headers);
  }
}
BENCHMARK(decode_headers);

void encode_headers(benchmark::State& state) {
  const std::vector<std::uint8_t> frame = write_only(16);
  const Bytes data(frame);
  Headers headers{decode<net::Ethernet>(data.first<14>()), decode<net::Ipv4>(data.subspan<14, 20>()),
                  decode<net::Udp>(data.subspan<34, 8>()), decode<ib::Bth>(data.subspan<42, 12>()),
                  decode<ib::Reth>(data.subspan<54, 16>())};
  std::array<std::uint8_t, 70> out;
  const MutableBytes to(out);
  for (auto _ : state) {
    benchmark::DoNotOptimize(headers);
    encode(headers.ethernet, to.first<14>());
    encode(headers.ipv4, to.subspan<14, 20>());
    encode(headers.udp, to.subspan<34, 8>());
    encode(headers.bth, to.subspan<42, 12>());
    encode(headers.reth, to.subspan<54, 16>());
    benchmark::DoNotOptimize(out);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(encode_headers);

void build_whole_frame(benchmark::State& state) {
  FrameSpec spec = rocev2_spec();
  const std::vector<std::uint8_t> payload(static_cast<std::size_t>(state.range(0)), 0x5A);
  spec.bth.opcode = ib::Opcode::RC_RDMA_WRITE_ONLY;
  spec.payload = payload;
  std::vector<std::uint8_t> out(frame_size(spec));
  for (auto _ : state) {
    benchmark::DoNotOptimize(build_frame(spec, out));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(build_whole_frame)->Arg(16)->Arg(1024);

// The invariant CRC of a RoCEv2/IPv4 packet that covers so many octets, masking included.
void icrc_of_packet(benchmark::State& state) {
  const auto covered = static_cast<std::size_t>(state.range(0));
  const std::vector<std::uint8_t> frame = write_only(covered - 20 - 8 - 12 - 16);
  Bytes data = Bytes(frame).subspan(14, covered);
  for (auto _ : state) {
    benchmark::DoNotOptimize(data);
    benchmark::DoNotOptimize(ib::icrc(ib::IcrcStart::ipv4, data, 28));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

// The plain CRCs, the library's and ISA-L's.
void crc32(benchmark::State& state) {
  bench::over_octets(state, [](MutableBytes data) { return crc::crc32(data); });
}
void isal_crc32(benchmark::State& state) {
  bench::over_octets(state, [](MutableBytes data) { return ::crc32_gzip_refl(0, data.data(), data.size()); });
}
void crc32c(benchmark::State& state) {
  bench::over_octets(state, [](MutableBytes data) { return crc::crc32c(data); });
}
void isal_crc32c(benchmark::State& state) {
  bench::over_octets(
      state, [](MutableBytes data) { return ~::crc32_iscsi(data.data(), static_cast<int>(data.size()), 0xFFFFFFFF); });
}
BENCHMARK(icrc_of_packet)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Arg(65536);
BENCHMARK(crc32)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Arg(65536);
BENCHMARK(isal_crc32)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Arg(65536);
BENCHMARK(crc32c)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Arg(65536);
BENCHMARK(isal_crc32c)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Arg(65536);

std::uint64_t walk_file(const std::string& file, bool verify) {
  ParseOptions options;
  options.verify_crcs = verify;
  auto reader = rdmawire::pcap::Reader::open(file);
  if (!reader) std::_Exit(1);
  std::uint64_t sum = 0;
  for (;;) {
    const auto packets = reader->next_batch();
    if (!packets) std::_Exit(1);
    if (packets->empty()) return sum;
    for (const rdmawire::pcap::Packet& packet : *packets) {
      const Frame frame = parse_frame(packet.link, packet.data, packet.original_length, options);
      const LayerRef* bth = frame.find(Layer::bth);
      if (bth != nullptr) sum += peek<&ib::Bth::psn>(frame.octets(*bth).first<12>()).value;
      sum += static_cast<std::uint64_t>(frame.icrc.status == CrcStatus::bad);
    }
  }
}

void read_and_parse(const std::string& file) { benchmark::DoNotOptimize(walk_file(file, false)); }
void read_parse_and_verify(const std::string& file) { benchmark::DoNotOptimize(walk_file(file, true)); }

void bare_libpcap(const std::string& file) {
  std::array<char, PCAP_ERRBUF_SIZE> error;
  pcap_t* capture = pcap_open_offline(file.c_str(), error.data());
  if (capture == nullptr) std::_Exit(1);
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  std::uint64_t sum = 0;
  while (pcap_next_ex(capture, &header, &data) == 1) sum += header->caplen;
  benchmark::DoNotOptimize(sum);
}

void whole_file() {
  constexpr std::uint32_t num_packets = 2'000'000;
  constexpr int rounds = 7;
  const char* temporary = std::getenv("TMPDIR");
  const std::string file = std::string(temporary != nullptr ? temporary : "/tmp") + "/rdmawire-bench-small.pcap";
  if (!bench::write_small_capture(file, num_packets)) {
    std::fprintf(stderr, "cannot write %s\n", file.c_str());
    return;
  }
  // In turn, so that what else the machine does falls on all alike.
  std::vector<double> parse;
  std::vector<double> verify;
  std::vector<double> libpcap;
  for (int i = 0; i < rounds; ++i) {
    parse.push_back(bench::child_seconds(read_and_parse, file));
    libpcap.push_back(bench::child_seconds(bare_libpcap, file));
    verify.push_back(bench::child_seconds(read_parse_and_verify, file));
  }
  std::vector<double> against_libpcap;
  against_libpcap.reserve(rounds);
  for (int i = 0; i < rounds; ++i)
    against_libpcap.push_back(libpcap[static_cast<std::size_t>(i)] / parse[static_cast<std::size_t>(i)]);
  const double tshark = bench::program_seconds({"tshark", "-n", "-r", file, "-Y", "infiniband.bth.psn==1"});
  std::remove(file.c_str());

  const auto row = [&](const char* name, double seconds) {
    std::printf("%-34s %8.1f ns a packet, %10.0f packets/s of CPU time\n", name, 1e9 * seconds / num_packets,
                num_packets / seconds);
  };
  std::printf("\nwhole file, %u packets, median of %d runs (tshark: one)\n", num_packets, rounds);
  row("bare libpcap loop", bench::median(libpcap));
  row("rdmawire, no CRC checked", bench::median(parse));
  row("rdmawire, every ICRC checked", bench::median(verify));
  if (tshark > 0) {
    row("tshark -Y infiniband.bth.psn==1", tshark);
  } else {
    std::printf("tshark could not be run (package tshark): no comparison with it\n");
  }
  std::printf("\n");
  if (tshark > 0) {
    bench::report_aim("file_verified_vs_tshark", tshark / bench::median(verify), bench::Bound::at_least, 70, "x");
  }
  bench::report_aim("file_parsed_vs_libpcap", bench::median(against_libpcap), bench::Bound::at_least, 1.4, "x");
}

}  // namespace

int main(int argc, char** argv) {
  bench::Best best;
  if (!best.run(argc, argv)) return 2;
  whole_file();
  if (const auto ns = best.ns("decode_headers")) bench::report_aim("decode", *ns, bench::Bound::at_most, 10, " ns");
  if (const auto ns = best.ns("encode_headers")) bench::report_aim("encode", *ns, bench::Bound::at_most, 5, " ns");
  best.report_against("icrc_1k_vs_isal", "icrc_of_packet/1024", "isal_crc32/1024", 0.95);
  best.report_against("crc32_1k_vs_isal", "crc32/1024", "isal_crc32/1024", 0.95);
  best.report_against("crc32c_1k_vs_isal", "crc32c/1024", "isal_crc32c/1024", 1);
  if (const auto ns = best.ns("icrc_of_packet/64")) bench::report_aim("icrc_64", *ns, bench::Bound::at_most, 8, " ns");
}
