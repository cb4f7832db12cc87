// bazel run -c opt //bench:iwarp
// Two ends of an iWARP connection in one thread, TCP segment by TCP segment, against the work that no implementation
// can leave out: the payload copied into the stream and out of it, and the CRC-32C made and checked.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bench/measure.h"
#include "codec/crc/crc.h"
#include "protocol/iwarp/mpa_queue_pair.h"
#include "tools/test/allocations.h"

namespace {

using namespace rdmawire;

constexpr std::uint64_t base_address = 0x100000;
constexpr std::uint32_t region_len = 1U << 17;
constexpr std::uint32_t large = 65536;

struct End {
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(region_len, 0x5A);
  verbs::MemoryTable memory{{1, 4}};
  verbs::Pd pd = memory.allocate_pd().value();
  verbs::MemoryKey key =
      memory.register_region(pd, octets, base_address, verbs::rights::local_write | verbs::rights::remote).value();
  verbs::CompletionQueue cq{512};
  verbs::EventQueue events{4};
  iwarp::MpaQueuePair qp;

  End(std::uint32_t number, const iwarp::MpaQueuePairConfig& config)
      : qp({{number}, verbs::Service::iwarp, pd, {256, 1, 0}, {1, 1, 0}, false}, {memory, cq, cq, events, nullptr},
           config) {
    verbs::QpAttributes attributes;
    attributes.access = verbs::rights::remote;
    if (!qp.modify(verbs::QpState::init, attributes, verbs::attribute::access)) std::abort();
  }
};

// All that one has to say goes to the other.
void move(End& from, End& to, std::vector<std::uint8_t>& buffer) {
  while (const std::size_t size = from.qp.poll_octets(buffer, Time{})) {
    to.qp.on_octets(Bytes(buffer).first(size), Time{});
  }
}

// As many WRITEs of length octets as the queue takes, until all are complete and have arrived.
void writes(benchmark::State& state, std::uint32_t emss, bool markers, std::uint32_t length, std::uint32_t at_once) {
  iwarp::MpaQueuePairConfig config;
  config.emss = {emss};
  config.mpa.markers = markers;
  const auto a = std::make_unique<End>(1U, config);
  const auto b = std::make_unique<End>(2U, config);
  std::vector<std::uint8_t> buffer(emss);
  if (!a->qp.connect({}, Time{}) || !b->qp.listen(Time{})) std::abort();
  move(*a, *b, buffer);
  if (!b->qp.accept({}, Time{})) std::abort();
  move(*b, *a, buffer);
  move(*a, *b, buffer);
  const verbs::Sge sge{base_address, length, a->key};
  verbs::SendWork work;
  work.opcode = verbs::WorkOpcode::rdma_write;
  work.sges = {&sge, 1};
  work.remote_address = base_address;
  work.r_key = b->key;
  std::array<verbs::Completion, 64> done;
  std::uint64_t num_done = 0;
  const std::uint64_t allocated = num_allocations;
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < at_once; ++i) {
      if (!a->qp.post_send(work)) std::abort();
    }
    move(*a, *b, buffer);
    const std::size_t count = a->cq.poll(done);
    if (count != at_once) std::abort();
    for (std::size_t i = 0; i < count; ++i) {
      if (done[i].status != verbs::CompletionStatus::success) std::abort();
    }
    num_done += count;
  }
  if (num_allocations != allocated || b->qp.stream().state() != iwarp::StreamState::running) std::abort();
  state.counters["messages"] = benchmark::Counter(static_cast<double>(num_done), benchmark::Counter::kIsRate);
  state.SetBytesProcessed(static_cast<std::int64_t>(num_done * length));
}

// The same octets with nothing but copies and CRCs.
void copies(benchmark::State& state, std::uint32_t emss, std::uint32_t length) {
  std::vector<std::uint8_t> source(region_len, 0x5A), target(region_len), stream(emss, 0);
  constexpr std::size_t headers = 2 + 14;
  const std::uint32_t payload = iwarp::mulpdu({emss}, false) - 14;
  for (auto _ : state) {
    for (std::uint32_t at = 0; at < length; at += payload) {
      const std::uint32_t size = std::min(payload, length - at);
      std::memcpy(stream.data() + headers, source.data() + at, size);
      const Bytes covered = Bytes(stream).first(headers + size);
      const std::uint32_t made = crc::crc32c(covered);
      const std::uint32_t checked = crc::crc32c(covered);
      if (made != checked) std::abort();
      std::memcpy(target.data() + at, stream.data() + headers, size);
      benchmark::DoNotOptimize(target.data());
      benchmark::ClobberMemory();
    }
  }
}

void write_64k_emss1460(benchmark::State& state) { writes(state, 1460, false, large, 1); }
void write_64k_emss8960(benchmark::State& state) { writes(state, 8960, false, large, 1); }
void write_64k_markers(benchmark::State& state) { writes(state, 8960, true, large, 1); }
void write_16_octets(benchmark::State& state) { writes(state, 1460, false, 16, 64); }
void copy_64k_emss1460(benchmark::State& state) { copies(state, 1460, large); }
void copy_64k_emss8960(benchmark::State& state) { copies(state, 8960, large); }
BENCHMARK(write_64k_emss1460);
BENCHMARK(write_64k_emss8960);
BENCHMARK(write_64k_markers);
BENCHMARK(write_16_octets);
BENCHMARK(copy_64k_emss1460);
BENCHMARK(copy_64k_emss8960);

}  // namespace

int main(int argc, char** argv) {
  bench::Best best;
  if (!best.run(argc, argv)) return 2;
  best.report_payload_against("write_64k_emss1460_vs_bound", "write_64k_emss1460", "copy_64k_emss1460", large, 0.6);
  best.report_payload_against("write_64k_emss8960_vs_bound", "write_64k_emss8960", "copy_64k_emss8960", large, 0.6);
  best.report_payload_against("write_64k_markers_vs_bound", "write_64k_markers", "copy_64k_emss8960", large, 0.6);
  if (const auto ns = best.ns("write_16_octets")) {
    std::printf("small_writes: %.1f M/s\n", 64 / *ns * 1000);
  }
}
