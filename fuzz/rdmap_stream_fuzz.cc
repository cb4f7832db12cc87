// One queue pair of iWARP, and a peer that the fuzzer speaks for: segments that are right, nearly right and wrong, in
// FPDUs that are so too. Whatever comes, no memory changes that the peer may not write, nothing is allocated, work
// completes once and in order, and what is sent is legal: framed as agreed, each message whole and in its turn, answers
// only to what was asked, and a Terminate once and last.
//
// Four octets of settings, then steps: see Settings and Peer::step.
#include "fuzz/allocations.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "codec/iwarp/pdu.h"
#include "codec/iwarp/pdu_build.h"
#include "codec/stream.h"
#include "fuzz/check_fields.h"
#include "fuzz/input.h"
#include "protocol/iwarp/fpdu_receiver.h"
#include "protocol/iwarp/mpa_queue_pair.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using fuzz::Input;
using fuzz::require;
using verbs::WorkOpcode;

constexpr std::uint64_t base_address = 0x100000;
constexpr std::size_t region_len = 4096;
constexpr std::size_t margin = 64;
constexpr std::uint8_t untouched = 0xA5;
// What RDMA Writes bring, and all other segments.
constexpr std::uint8_t written = 0x57;
constexpr std::uint8_t other_payload = 0x5C;
constexpr std::uint32_t num_posts = 64;  // requests, and receives, in the life of an end

struct Settings {
  MpaQueuePairConfig config;
  MpaConfig of_peer;
  bool initiates = false;

  explicit Settings(Input& input) {
    const std::uint8_t flags = input.octet();
    config.mpa.markers = (flags & 1U) != 0;
    of_peer.markers = (flags & 2U) != 0;
    config.mpa.crc = of_peer.crc = (flags & 4U) == 0;
    initiates = (flags & 8U) != 0;
    config.mpa.peer_to_peer = of_peer.peer_to_peer = (flags & 16U) != 0;
    config.segmentation = (flags & 32U) != 0 ? Segmentation::packed : Segmentation::aligned;
    config.rdmap.extensions = (flags & 64U) == 0;
    const std::uint8_t rtr = input.octet();
    config.mpa.rtr_send = of_peer.rtr_send = rtr % 3 == 0;
    config.mpa.rtr_write = of_peer.rtr_write = rtr % 3 == 1;
    config.mpa.rtr_read = of_peer.rtr_read = rtr % 3 == 2;
    const std::uint8_t depths = input.octet();
    config.mpa.ird = of_peer.ord = depths % 4U;
    config.mpa.ord = of_peer.ird = depths / 4U % 4U;
    config.emss = {88U + 6U * input.octet()};
  }
};

// The queue pair under test, its memory and queues.
struct End {
  // exposed: all rights. readable: remote read alone. own: no rights of the peer's; its second half is for receives.
  std::array<std::vector<std::uint8_t>, 3> octets;
  verbs::MemoryTable memory{{2, 8}};
  verbs::Pd pd = memory.allocate_pd().value_or(verbs::Pd{});
  verbs::Pd other_pd = memory.allocate_pd().value_or(verbs::Pd{});
  std::array<verbs::MemoryKey, 3> keys{};
  verbs::MemoryKey key_of_other_pd;
  verbs::CompletionQueue send_cq{num_posts};
  verbs::CompletionQueue receive_cq{num_posts};
  verbs::EventQueue events{8};
  MpaQueuePair qp;

  explicit End(const MpaQueuePairConfig& config)
      : qp({{1}, verbs::Service::iwarp, pd, {16, 2, 64}, {16, 2, 0}, true},
           {memory, send_cq, receive_cq, events, nullptr}, config) {
    using namespace verbs::rights;
    const std::array rights{local_write | remote, remote_read, local_write};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      octets[i].assign(region_len + 2 * margin, untouched);
      keys[i] = memory.register_region(pd, inside(i), base_address, rights[i]).value_or(verbs::MemoryKey{});
    }
    for (std::size_t i = 0; i < region_len; ++i) inside(1)[i] = static_cast<std::uint8_t>(i * 7);
    key_of_other_pd =
        memory.register_region(other_pd, inside(2), base_address, local_write | remote).value_or(verbs::MemoryKey{});
    verbs::QpAttributes attributes;
    attributes.access = remote;
    require(qp.modify(verbs::QpState::init, attributes, verbs::attribute::access).has_value());
  }
  MutableBytes inside(std::size_t i) { return MutableBytes(octets[i]).subspan(margin, region_len); }
};

// A Read Request or an Atomic Request that waits for its answer.
struct Asked {
  bool atomic = false;
  std::uint32_t request_id = 0;
  ReadRequest read;
  std::uint32_t done_len = 0;
};

class Peer {
 public:
  Peer(End& end, const Settings& settings) : end_(end), mpa_(settings.of_peer), ord_(settings.config.mpa.ord) {
    const Role role = settings.initiates ? Role::initiator : Role::responder;
    if (role == Role::initiator) {
      require(end_.qp.connect({}, now_).has_value());
      require(mpa_.start_responder(now_).has_value());
    } else {
      require(end_.qp.listen(now_).has_value());
      require(mpa_.start_initiator({}, now_).has_value());
    }
    start_up();
    framer_ = Framer(mpa_.sends_markers(), mpa_.negotiated().crc);
    receiver_.start(mpa_.receives_markers(), mpa_.negotiated().crc);
    expects_markers_ = mpa_.receives_markers();
  }

  void step(Input& input) {
    const std::uint8_t op = input.octet();
    switch (op % 16) {
      case 0:
        post_send(input);
        break;
      case 1:
        post_receive(input);
        break;
      case 2:
        control(input);
        break;
      case 3:
        anything_ = true;
        give(input.take(input.octet()));
        break;
      case 4:
        answer(input);
        break;
      default:
        segment(input, op / 16U);
        break;
    }
    take();
    check_memory();
  }

  void finish() {
    counted([&] { end_.qp.on_connection_lost(now_); });
    take();
    require(num_sent_ == num_send_posts_ && num_received_ == num_receive_posts_);
    check_memory();
  }

 private:
  // What the queue pair does allocates nothing.
  template <class Call>
  void counted(Call&& call) {
    const std::uint64_t before = num_allocations;
    call();
    require(num_allocations == before);
  }

  void start_up() {
    std::array<std::uint8_t, 600> octets;
    for (int i = 0; i < 4; ++i) {
      if (const std::size_t size = mpa_.poll_octets(octets)) {
        counted([&] { require(end_.qp.on_octets(Bytes(octets).first(size), now_) == size); });
      }
      // As the responder, it answers at once.
      if (end_.qp.mpa().state() == MpaState::request_received) require(end_.qp.accept({}, now_).has_value());
      // The first FPDU, if it is there already, is left where it is.
      if (end_.qp.mpa().has_octets()) {
        const std::size_t size = end_.qp.poll_octets(octets, now_);
        require(mpa_.on_octets(Bytes(octets).first(size), now_) == size);
      }
      if (mpa_.state() == MpaState::request_received) require(mpa_.accept().has_value());
    }
    require(end_.qp.verbs().state() == verbs::QpState::rts);
  }

  // --- The consumer ---

  verbs::Sge sge(Input& input, bool receive) {
    const std::uint8_t how = input.octet();
    const std::uint16_t at = input.word();
    // Now and then none of the keys, or beyond the end.
    const std::size_t which = receive || (how & 3U) == 0 ? 2 : 0;
    verbs::Sge out{base_address + at % 2048U + (receive ? region_len / 2 : 0U), at / 2048U * 40U, end_.keys[which]};
    if (how >= 0xF0) out.l_key.value ^= how;
    if (how >= 0xE0 && how < 0xF0) out.address += region_len;
    return out;
  }

  void post_send(Input& input) {
    if (num_send_posts_ == num_posts) return;
    const std::uint8_t how = input.octet();
    const std::array sges{sge(input, false), sge(input, false)};
    verbs::SendWork work;
    work.opcode = static_cast<WorkOpcode>(how % static_cast<unsigned>(WorkOpcode::count_));
    if (work.opcode == WorkOpcode::fast_register || work.opcode == WorkOpcode::bind_window) return;
    const bool one = work.opcode == WorkOpcode::rdma_read;
    work.id = {num_send_posts_};
    work.sges = std::span(sges).first(one ? 1U : how / 64U % 3U);
    if (verbs::info(work.opcode).takes_response && !one) work.sges = std::span(sges).first(1);
    work.fence = (how & 16U) != 0;
    work.solicited = (how & 32U) != 0;
    work.remote_address = input.word();
    work.r_key = {input.octet()};
    work.invalidate = {input.octet()};
    counted([&] {
      if (end_.qp.post_send(work)) ++num_send_posts_;
    });
  }

  void post_receive(Input& input) {
    if (num_receive_posts_ == num_posts) return;
    const std::array sges{sge(input, true), sge(input, true)};
    counted([&] {
      const std::size_t count = input.octet() % 3U;
      if (end_.qp.post_receive({{num_receive_posts_}, std::span(sges).first(count)})) ++num_receive_posts_;
    });
  }

  // What happens to a connection, or is done to it; rare, so that there is something to be seen before.
  void control(Input& input) {
    const std::uint8_t what = input.octet();
    counted([&] {
      if (what == 0) end_.qp.on_peer_closed(now_);
      if (what == 1) end_.qp.on_connection_lost(now_);
      if (what == 2) static_cast<void>(end_.qp.modify(verbs::QpState::err));
      if (what == 3) end_.qp.close(now_);
      if (what == 4) static_cast<void>(end_.memory.deregister(end_.keys[0]));
      if (what == 5) end_.qp.on_deadline(now_ += std::chrono::seconds(input.octet()));
      if (what == 6) end_.qp.set_emss({88U + 6U * input.octet()});
    });
  }

  // --- What it sends ---

  Stag stag(std::uint8_t how) const {
    if (how < 200) return {end_.keys[0].value};
    if (how < 225) return {end_.keys[1].value};
    if (how < 240) return {end_.keys[2].value};
    if (how < 250) return {end_.key_of_other_pd.value};
    return {how};
  }
  // Mostly inside, also across both ends, and around the end of all addresses.
  static std::uint64_t address(std::uint16_t how) {
    if (how < 0xF000) return base_address + how % region_len;
    return how < 0xF800 ? base_address + region_len - how % 64U : 0U - how % 64U;
  }

  void segment(Input& input, unsigned odd) {
    const auto opcode = static_cast<Opcode>(input.octet() % 16U);
    PduSpec spec = segment_spec(opcode);
    const std::uint8_t how = input.octet();
    const bool last = (how & 1U) == 0;
    const bool writes = opcode == Opcode::RDMA_WRITE && odd < 11;
    const std::vector<std::uint8_t> payload((how / 2U) * 9U, writes ? written : other_payload);
    const OpcodeInfo* row = find(opcode);
    if (row == nullptr || row->header == Layer::none) spec.payload = payload;
    // An answer that nothing was asked for may pass for one, and then it is not known what waits for which.
    if (row != nullptr && row->direction == Direction::response) asked_known_ = false;
    if (spec.tagged) {
      spec.tagged->last = last;
      spec.tagged->stag = stag(input.octet());
      spec.tagged->tagged_offset = {address(input.word())};
    } else {
      const std::size_t queue = std::min<std::size_t>(spec.untagged->queue.value, 3);
      spec.untagged->last = last || row == nullptr || row->header != Layer::none;
      spec.untagged->msn = next_msn_[queue];
      spec.untagged->message_offset = queue == 0 ? message_offset_ : 0;
      if (queue == 0) message_offset_ += static_cast<std::uint32_t>(spec.payload.size());
      if (spec.untagged->last) {
        ++next_msn_[queue];
        if (queue == 0) message_offset_ = 0;
      }
    }
    if (row != nullptr && row->invalidates) spec.invalidate_stag = stag(input.octet());
    if (spec.read_request) {
      *spec.read_request = {
          stag(input.octet()), {input.word()}, input.word() % 3000U, stag(input.octet()), {address(input.word())}};
    }
    if (spec.atomic_request) {
      AtomicRequest& atomic = *spec.atomic_request;
      atomic.opcode = static_cast<AtomicOpcode>(how % 3U);
      atomic.request_id = input.octet();
      atomic.remote_stag = stag(input.octet());
      atomic.remote_offset = {address(input.word()) & ~(how < 240 ? 7U : 0U)};
      atomic.add_or_swap_data = atomic.compare_data = input.word();
      atomic.add_or_swap_mask = atomic.compare_mask = input.octet() * 0x0101010101010101U;
    }
    if (spec.atomic_response) spec.atomic_response->request_id = input.octet();
    if (spec.terminate) {
      spec.terminate->error = {input.word()};
      if ((how & 2U) != 0) {
        spec.terminate->has_length = spec.terminate->has_ddp_header = true;
        spec.terminated_len.emplace(TerminatedLength{input.word()});
        if ((how & 4U) != 0) {
          spec.terminated_tagged.emplace().stag = stag(input.octet());
        } else {
          spec.terminated_untagged.emplace().msn = DdpMsn{input.octet()};
          spec.terminated_untagged->queue = {input.octet() % 4U};
        }
      }
    }
    spoil(spec, odd, input);
    send(spec, odd, input);
  }

  // One thing that is not as it should be.
  void spoil(PduSpec& spec, unsigned odd, Input& input) const {
    DdpUntagged* untagged = spec.untagged ? &*spec.untagged : nullptr;
    switch (odd) {
      case 5:
        if (untagged != nullptr) untagged->msn = untagged->msn + input.octet() - 4;
        break;
      case 6:
        if (untagged != nullptr) untagged->message_offset += input.word() - 100U;
        break;
      case 7:
        if (untagged != nullptr) untagged->queue = {input.octet()};
        break;
      case 8:
        if (untagged != nullptr) untagged->last = !untagged->last;
        break;
      case 9:
        (untagged != nullptr ? untagged->version : spec.tagged->version) =
            static_cast<std::uint8_t>(input.octet() & 3U);
        break;
      case 10:
        spec.rdmap.version = input.octet() & 3U;
        break;
      default:
        break;
    }
  }

  // Answers what was asked, a piece at a time; mostly right.
  void answer(Input& input) {
    const std::uint8_t how = input.octet();
    if (asked_.empty()) return;
    Asked& one = asked_.front();
    const bool right = how < 0xE0;
    if (one.atomic) {
      PduSpec spec = segment_spec(Opcode::ATOMIC_RESPONSE);
      spec.untagged->msn = next_msn_[3];
      ++next_msn_[3];
      spec.atomic_response->request_id = right ? one.request_id : how;
      asked_.erase(asked_.begin());
      return send(spec, 0, input);
    }
    PduSpec spec = segment_spec(Opcode::RDMA_READ_RESPONSE);
    const std::uint32_t left = one.read.read_len - one.done_len;
    const std::uint32_t len = std::min({left, (how & 31U) == 0 ? left : (how & 31U) * 16U, 2000U});
    const std::vector<std::uint8_t> payload(right ? len : len + 1, other_payload);
    spec.payload = payload;
    spec.tagged->stag = one.read.sink_stag;
    spec.tagged->tagged_offset = {one.read.sink_offset.value + one.done_len + (how >= 0xF0 ? 1U : 0U)};
    spec.tagged->last = (len == left) == (how < 0xF8);
    one.done_len += len;
    if (len == left) asked_.erase(asked_.begin());
    send(spec, 0, input);
  }

  void send(const PduSpec& spec, unsigned odd, Input& input) {
    std::vector<std::uint8_t> ulpdu(pdu_size(spec));
    if (!build_pdu(spec, ulpdu)) return;
    if (odd == 11 && !ulpdu.empty())
      ulpdu[input.octet() % ulpdu.size()] ^= static_cast<std::uint8_t>(1U << input.octet() % 8U);
    if (odd == 12) ulpdu.resize(input.octet());
    const Bytes pieces[]{ulpdu};
    std::vector<std::uint8_t> fpdu(framer_.fpdu_len(static_cast<std::uint32_t>(ulpdu.size())));
    if (!framer_.frame(pieces, fpdu)) return;
    if (odd == 13) fpdu[input.word() % fpdu.size()] ^= static_cast<std::uint8_t>(1U << input.octet() % 8U);
    if (spec.read_request && odd < 5) {
      requests_.push_back({false, 0, *spec.read_request, 0});
    } else if (spec.atomic_request && odd < 5) {
      requests_.push_back({true, spec.atomic_request->request_id, {}, 0});
    } else if (odd >= 5) {
      // It is not known what the queue pair makes of it.
      requests_known_ = requests_known_ && !spec.read_request && !spec.atomic_request && odd < 11;
    }
    if (odd != 14) return give(fpdu);
    for (std::size_t at = 0; at < fpdu.size();) {
      const std::size_t size = std::min<std::size_t>(1U + input.octet(), fpdu.size() - at);
      give(Bytes(fpdu).subspan(at, size));
      at += size;
    }
  }

  // From a block of its size, so that the sanitizer sees a read past its end.
  void give(Bytes octets) {
    const std::vector<std::uint8_t> copy(octets.begin(), octets.end());
    counted([&] { require(end_.qp.on_octets(copy, now_) == copy.size()); });
  }

  // --- What comes back ---

  void take() {
    std::array<std::uint8_t, 2048> out;
    for (int i = 0; i < 1000; ++i) {
      std::size_t size = 0;
      counted([&] { size = end_.qp.poll_octets(out, now_); });
      if (size == 0) break;
      require(size <= out.size());
      receiver_.on_octets(Bytes(out).first(size), [this](const Fpdu& fpdu) { on_fpdu(fpdu); });
    }
    HostAction action{};
    counted([&] { action = end_.qp.take_action(); });
    if (action != HostAction::none) {
      // An FPDU is never left unfinished.
      require(action == HostAction::abort || !receiver_.is_inside());
      require(++num_actions_ <= 2);
      ended_ = true;
    }
    std::array<verbs::Completion, num_posts> some;
    for (const verbs::Completion& one : std::span(some).first(end_.send_cq.poll(some))) {
      require(one.id.value == num_sent_++);
    }
    for (const verbs::Completion& one : std::span(some).first(end_.receive_cq.poll(some))) {
      require(one.id.value == num_received_++);
    }
    while (end_.events.poll()) {
    }
  }

  void on_fpdu(const Fpdu& fpdu) {
    // Nothing follows the end of the stream.
    require(!terminated_ && !ended_);
    require(fpdu.crc.status == (mpa_.negotiated().crc ? CrcStatus::good : CrcStatus::disabled));
    require(fpdu.num_wrong_markers == 0 && (expects_markers_ || fpdu.num_markers == 0));
    std::array<std::uint8_t, max_pdu_head> scratch;
    const Pdu pdu = parse_fpdu(fpdu, scratch);
    require(!first_violation(pdu, &fpdu) && !first_reserved_set(pdu) && pdu.opcode != nullptr);
    if (const auto ddp = pdu.get<DdpUntagged>()) {
      const std::size_t queue = ddp->queue.value;
      require(queue < 4 && ddp->msn == sent_msn_[queue]);
      require(ddp->message_offset == sent_offset_[queue]);
      sent_offset_[queue] = ddp->last ? 0 : sent_offset_[queue] + pdu.payload_len;
      if (ddp->last) ++sent_msn_[queue];
    }
    switch (pdu.opcode->opcode) {
      case Opcode::TERMINATE:
        terminated_ = true;
        break;
      case Opcode::RDMA_READ_REQUEST:
        asked_.push_back({false, 0, *pdu.get<ReadRequest>(), 0});
        break;
      case Opcode::ATOMIC_REQUEST:
        asked_.push_back({true, atomic_request_of(pdu)->request_id, {}, 0});
        break;
      case Opcode::RDMA_READ_RESPONSE:
        on_read_response(fpdu, pdu);
        break;
      case Opcode::ATOMIC_RESPONSE:
        if (!requests_known_) break;
        require(!requests_.empty() && requests_.front().atomic);
        require(pdu.get<AtomicResponse>()->request_id == requests_.front().request_id);
        requests_.erase(requests_.begin());
        break;
      default:
        break;
    }
    // Beside a ready-to-receive indication, no more than was agreed.
    if (asked_known_) require(asked_.size() <= ord_ + 1U);
  }

  void on_read_response(const Fpdu& fpdu, const Pdu& pdu) {
    if (!requests_known_) return;
    require(!requests_.empty() && !requests_.front().atomic);
    Asked& one = requests_.front();
    const DdpTagged ddp = *pdu.get<DdpTagged>();
    require(ddp.stag == one.read.sink_stag);
    require(ddp.tagged_offset.value == one.read.sink_offset.value + one.done_len);
    require(pdu.payload_len <= one.read.read_len - one.done_len);
    // What is there now: nothing has changed since it was sent, but by an atomic.
    const bool still = std::ranges::none_of(requests_, [](const Asked& other) { return other.atomic; });
    const std::size_t region = one.read.source_stag.value == end_.keys[0].value ? 0 : 1;
    std::uint64_t at = one.read.source_offset.value + one.done_len - base_address;
    require(pdu.payload_len == 0 || at + pdu.payload_len <= region_len);
    fpdu.for_each_span(pdu.payload_offset, pdu.payload_len, [&](Bytes span) {
      require(!still || std::memcmp(span.data(), end_.inside(region).data() + at, span.size()) == 0);
      at += span.size();
    });
    one.done_len += pdu.payload_len;
    require(ddp.last == (one.done_len == one.read.read_len));
    if (ddp.last) requests_.erase(requests_.begin());
  }

  void check_memory() {
    for (const auto& octets : end_.octets) {
      for (const std::uint8_t octet : Bytes(octets).first(margin)) require(octet == untouched);
      for (const std::uint8_t octet : Bytes(octets).last(margin)) require(octet == untouched);
    }
    for (std::size_t i = 0; i < region_len; ++i) require(end_.inside(1)[i] == static_cast<std::uint8_t>(i * 7));
    // Where the peer has no right, its Writes never go.
    if (!anything_) require(std::ranges::find(end_.inside(2), written) == end_.inside(2).end());
  }

  End& end_;
  MpaConnection mpa_;
  std::uint16_t ord_;
  Time now_{};
  Framer framer_{false, true};
  FpduReceiver receiver_;
  bool expects_markers_ = false;
  bool anything_ = false;  // octets of the fuzzer's came, which may be any segment

  std::array<DdpMsn, 4> next_msn_{DdpMsn{1}, DdpMsn{1}, DdpMsn{1}, DdpMsn{1}};
  std::uint32_t message_offset_ = 0;
  std::vector<Asked> asked_;     // by the queue pair
  std::vector<Asked> requests_;  // of this peer, to be answered in their order
  bool requests_known_ = true;
  bool asked_known_ = true;

  std::array<DdpMsn, 4> sent_msn_{DdpMsn{1}, DdpMsn{1}, DdpMsn{1}, DdpMsn{1}};
  std::array<std::uint32_t, 4> sent_offset_{};
  bool terminated_ = false;
  bool ended_ = false;
  int num_actions_ = 0;
  std::uint32_t num_send_posts_ = 0;
  std::uint32_t num_receive_posts_ = 0;
  std::uint32_t num_sent_ = 0;
  std::uint32_t num_received_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 2048) return 0;
  Input input({data, size});
  const Settings settings(input);
  End end(settings.config);
  Peer peer(end, settings);
  while (!input.empty()) peer.step(input);
  peer.finish();
  return 0;
}
