// bazel run -c opt //bench:rc
// Two ends of a reliable connection in one thread, frame by frame from port to port, against the work that no
// implementation can leave out: the payload copied into the packet and out of it, and the ICRC made and checked.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bench/measure.h"
#include "codec/ib/icrc.h"
#include "protocol/ib/port.h"
#include "protocol/ib/rc_queue_pair.h"
#include "tools/test/allocations.h"

namespace {

using namespace rdmawire;

constexpr std::uint64_t base_address = 0x100000;
constexpr std::uint32_t region_len = 1U << 17;

ib::PortConfig port_config(std::uint8_t number) {
  ib::PortConfig out;
  out.mac = MacAddress{{2, 0, 0, 0, 0, number}};
  out.gids = {{Gid{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, number}}, ib::Carrier::rocev2, std::nullopt}};
  out.max_queue_pairs = 1;
  return out;
}

struct End {
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(region_len, 0x5A);
  verbs::MemoryTable memory{{1, 4}};
  verbs::Pd pd = memory.allocate_pd().value();
  verbs::MemoryKey key =
      memory.register_region(pd, octets, base_address, verbs::rights::local_write | verbs::rights::remote).value();
  verbs::CompletionQueue cq{512};
  verbs::EventQueue events{4};
  ib::Port port;
  ib::RcQueuePair qp;

  explicit End(std::uint8_t number)
      : port(port_config(number)),
        qp({{number}, verbs::Service::rc, pd, {256, 1, 0}, {1, 1, 0}, false}, {memory, cq, cq, events, nullptr}, {}) {
    if (!port.attach(qp)) std::abort();
  }
  void connect(const End& peer, ib::PathMtu mtu) {
    verbs::QpAttributes a;
    a.access = verbs::rights::remote;
    a.path_mtu = mtu;
    a.destination_qp = peer.qp.verbs().config().number;
    a.path.destination_mac = peer.port.config().mac;
    a.path.destination_gid = peer.port.config().gids[0].gid;
    a.retry_count = a.rnr_retry = 7;
    using namespace verbs::attribute;
    if (!qp.modify(verbs::QpState::init, a, p_key_index | verbs::attribute::port | verbs::attribute::access) ||
        !qp.modify(verbs::QpState::rtr, a,
                   path | path_mtu | destination_qp | rq_psn | max_dest_rd_atomic | min_rnr_timer) ||
        !qp.modify(verbs::QpState::rts, a,
                   sq_psn | verbs::attribute::timeout | retry_count | rnr_retry | max_rd_atomic)) {
      std::abort();
    }
  }
};

// As many WRITEs of length octets as the queue takes, until all are complete.
void writes(benchmark::State& state, ib::PathMtu mtu, std::uint32_t length, std::uint32_t at_once) {
  const auto a = std::make_unique<End>(std::uint8_t{1});
  const auto b = std::make_unique<End>(std::uint8_t{2});
  a->connect(*b, mtu);
  b->connect(*a, mtu);
  std::vector<std::uint8_t> frame(ib::max_frame_len(4096));
  const verbs::Sge sge{base_address, length, a->key};
  verbs::SendWork work;
  work.opcode = verbs::WorkOpcode::rdma_write;
  work.sges = {&sge, 1};
  work.remote_address = base_address;
  work.r_key = b->key;
  std::array<verbs::Completion, 64> done;
  const Time now{};
  std::uint64_t num_done = 0;
  const std::uint64_t allocated = num_allocations;
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < at_once; ++i) {
      if (!a->qp.post_send(work)) std::abort();
    }
    for (std::uint32_t left = at_once; left != 0;) {
      while (const std::size_t size = a->port.poll_transmit(frame, now))
        b->port.on_frame(Bytes(frame).first(size), now);
      while (const std::size_t size = b->port.poll_transmit(frame, now))
        a->port.on_frame(Bytes(frame).first(size), now);
      const std::size_t count = a->cq.poll(done);
      if (count == 0) std::abort();
      for (std::size_t i = 0; i < count; ++i) {
        if (done[i].status != verbs::CompletionStatus::success) std::abort();
      }
      left -= static_cast<std::uint32_t>(count);
      num_done += count;
    }
  }
  if (num_allocations != allocated) std::abort();
  state.counters["messages"] = benchmark::Counter(static_cast<double>(num_done), benchmark::Counter::kIsRate);
  state.SetBytesProcessed(static_cast<std::int64_t>(num_done * length));
}

// The same octets with nothing but copies and CRCs.
void copies(benchmark::State& state, std::uint32_t mtu, std::uint32_t length) {
  std::vector<std::uint8_t> source(region_len, 0x5A), target(region_len), frame(4096 + 128, 0);
  constexpr std::size_t headers = 20 + 8 + 12 + 16;
  for (auto _ : state) {
    for (std::uint32_t at = 0; at < length; at += mtu) {
      const std::uint32_t size = std::min(mtu, length - at);
      std::memcpy(frame.data() + headers, source.data() + at, size);
      const Bytes covered = Bytes(frame).first(headers + size);
      const std::uint32_t made = ib::icrc(ib::IcrcStart::ipv4, covered, 28);
      const std::uint32_t checked = ib::icrc(ib::IcrcStart::ipv4, covered, 28);
      if (made != checked) std::abort();
      std::memcpy(target.data() + at, frame.data() + headers, size);
      benchmark::DoNotOptimize(target.data());
      benchmark::ClobberMemory();
    }
  }
}

constexpr std::uint32_t large = 65536;
void write_64k_mtu1024(benchmark::State& state) { writes(state, ib::mtu1024, large, 1); }
void write_64k_mtu4096(benchmark::State& state) { writes(state, ib::mtu4096, large, 1); }
void write_16_octets(benchmark::State& state) { writes(state, ib::mtu1024, 16, 64); }
void copy_64k_mtu1024(benchmark::State& state) { copies(state, 1024, large); }
void copy_64k_mtu4096(benchmark::State& state) { copies(state, 4096, large); }
BENCHMARK(write_64k_mtu1024);
BENCHMARK(write_64k_mtu4096);
BENCHMARK(write_16_octets);
BENCHMARK(copy_64k_mtu1024);
BENCHMARK(copy_64k_mtu4096);

}  // namespace

int main(int argc, char** argv) {
  bench::Best best;
  if (!best.run(argc, argv)) return 2;
  best.report_payload_against("write_64k_mtu1024_vs_bound", "write_64k_mtu1024", "copy_64k_mtu1024", large, 0.6);
  best.report_payload_against("write_64k_mtu4096_vs_bound", "write_64k_mtu4096", "copy_64k_mtu4096", large, 0.6);
  if (const auto ns = best.ns("write_16_octets")) {
    bench::report_aim("small_writes", 64 / *ns * 1000, bench::Bound::at_least, 4, " M/s");
  }
}
