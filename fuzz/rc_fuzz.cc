// Packets that the fuzzer makes up, well formed or not, into one end of a connection that has requests and receives
// posted: whatever comes, nothing outside of its registered memory changes, and what it sends is legal. rc_fuzz is of a
// reliable connection; uc_fuzz, with RDMAWIRE_FUZZ_UC, of an unreliable one.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/check_fields.h"
#include "fuzz/input.h"
#include "protocol/ib/rc_queue_pair.h"
#include "protocol/ib/uc_queue_pair.h"

namespace {

using namespace rdmawire;
using fuzz::Input;
using fuzz::require;

#ifdef RDMAWIRE_FUZZ_UC
constexpr bool reliable = false;
using Machine = ib::UcQueuePair;
#else
constexpr bool reliable = true;
using Machine = ib::RcQueuePair;
#endif
constexpr ib::Service service = reliable ? ib::Service::rc : ib::Service::uc;

constexpr std::uint64_t base_address = 0x10000;
constexpr std::size_t region_len = 4096;
constexpr std::size_t margin = 64;  // octets before and behind it that must stay

struct End {
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(region_len + 2 * margin, 0xA5);
  verbs::MemoryTable memory{{1, 8}};
  verbs::Pd pd = memory.allocate_pd().value_or(verbs::Pd{});
  verbs::CompletionQueue cq{256};
  verbs::EventQueue events{16};
  verbs::MemoryKey key = memory
                             .register_region(pd, MutableBytes(octets).subspan(margin, region_len), base_address,
                                              verbs::rights::local_write | verbs::rights::remote)
                             .value_or(verbs::MemoryKey{});
  Machine qp = make<Machine>();
  Psn next_psn{0xFFFFFE};  // unreliable: of the packet that would be in sequence

  template <class M>
  M make() {
    const verbs::QpConfig config{{1},  reliable ? verbs::Service::rc : verbs::Service::uc, pd, {16, 2, 16}, {16, 2, 0},
                                 false};
    const verbs::QpResources resources{memory, cq, cq, events, nullptr};
    if constexpr (reliable) {
      return M(config, resources, ib::RcConfig{});
    } else {
      return M(config, resources);
    }
  }

  void connect() {
    verbs::QpAttributes a;
    a.access = verbs::rights::remote;
    a.path_mtu = ib::mtu256;
    a.rq_psn = a.sq_psn = Psn{0xFFFFFE};
    a.max_dest_rd_atomic = a.max_rd_atomic = 2;
    a.timeout = {8};
    a.retry_count = a.rnr_retry = 3;
    using namespace verbs::attribute;
    require(qp.modify(verbs::QpState::init, a, p_key_index | verbs::attribute::port | verbs::attribute::access)
                .has_value());
    const auto rtr = reliable ? max_dest_rd_atomic | min_rnr_timer : none;
    const auto rts = reliable ? timeout | retry_count | rnr_retry | max_rd_atomic : none;
    require(qp.modify(verbs::QpState::rtr, a, path | path_mtu | destination_qp | rq_psn | rtr).has_value());
    require(qp.modify(verbs::QpState::rts, a, sq_psn | rts).has_value());
  }
  void post(Input& input) {
    const verbs::Sge sge{base_address + input.octet(), input.word() % 1200U, key};
    verbs::SendWork work;
    work.opcode = static_cast<verbs::WorkOpcode>(input.octet() % static_cast<unsigned>(verbs::WorkOpcode::bind_window));
    work.sges = {&sge, 1};
    work.remote_address = input.word();
    work.fence = input.octet() % 2 != 0;
    (void)qp.post_send(work);
    (void)qp.post_receive({{}, {&sge, 1}});
  }
};

// What is expected now, of either half.
#ifdef RDMAWIRE_FUZZ_UC
Psn expected_psn(const End& end, bool) { return end.next_psn; }
#else
Psn expected_psn(const End& end, bool response) {
  return response ? end.qp.requester().oldest_psn() : end.qp.responder().expected_psn();
}
#endif

ib::RxPacket packet_of(Input& input, End& end, Bytes payload) {
  ib::RxPacket out;
  // Mostly of the service, now and then reserved.
  out.bth.opcode = static_cast<ib::Opcode>(static_cast<unsigned>(service) << 5 | input.octet() % 32U);
  out.row = ib::find(out.bth.opcode);
  const auto near = static_cast<std::uint32_t>(input.octet()) - 4U;
  const bool response = out.row != nullptr && out.row->direction == ib::Direction::response;
  out.bth.psn = expected_psn(end, response) + near % 8 - 4;
  end.next_psn = out.bth.psn + 1;
  const std::uint8_t flags = input.octet();
  out.bth.ack_request = (flags & 1U) != 0;
  out.bth.solicited = (flags & 2U) != 0;
  out.headers_complete = (flags & 0xF0U) != 0xF0;
  out.payload_fits = (flags & 0x0CU) != 0x0C;
  out.headers.reth.virtual_address.value = base_address + input.word() - 256;
  out.headers.reth.r_key = {(flags & 0x10U) != 0 ? end.key.value : input.octet()};
  out.headers.reth.dma_len = input.word() % 1500U;
  out.headers.atomiceth = {out.headers.reth.virtual_address, out.headers.reth.r_key, input.word(), input.word()};
  out.headers.aeth.syndrome.value = input.octet();
  out.headers.aeth.msn.value = input.octet();
  out.headers.ieth.r_key = out.headers.reth.r_key;
  out.headers.feth.placement = input.octet() & 3U;
  const std::size_t exact = out.row == nullptr || out.row->payload == ib::PayloadRule::none ? 0 : 256;
  out.payload = payload.first((flags & 0x20U) != 0 ? exact : input.word() % 300U);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input({data, size});
  End end;
  end.connect();
  const std::vector<std::uint8_t> payload(300, 0x5C);
  Time now{};
  while (!input.empty()) {
    switch (input.octet() % 8) {
      case 0:
        end.post(input);
        break;
      case 1:
        now += std::chrono::microseconds(input.word());
        end.qp.on_deadline(now);
        break;
      default:
        end.qp.on_packet(packet_of(input, end, payload), now);
        break;
    }
    ib::TxPacket out;
    for (int i = 0; i < 64 && end.qp.poll_transmit(out, now); ++i) {
      const ib::OpcodeInfo* row = ib::find(out.opcode);
      require(row != nullptr && row->service == service);
      std::uint32_t length = 0;
      for (const Bytes piece : out.payload) length += static_cast<std::uint32_t>(piece.size());
      require(length == out.payload_len && length <= 256);
    }
  }
  const auto untouched = [](Bytes octets) {
    return std::ranges::all_of(octets, [](std::uint8_t octet) { return octet == 0xA5; });
  };
  require(untouched(Bytes(end.octets).first(margin)) && untouched(Bytes(end.octets).last(margin)));
  return 0;
}
