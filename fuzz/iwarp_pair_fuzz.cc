// Two queue pairs of iWARP and the TCP connection between them, which the fuzzer splits, delays, corrupts and cuts,
// against an ideal memory: whatever completes with success has arrived right, octets that were corrupted never become
// data where CRCs are in use, and an undisturbed connection completes everything. In the end all work has completed,
// each once and in order.
//
// Seven octets of settings, then steps: see Settings and Pair::step.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fuzz/check_fields.h"
#include "fuzz/input.h"
#include "protocol/iwarp/mpa_queue_pair.h"
#include "protocol/link/byte_stream.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using fuzz::Input;
using fuzz::require;
using link::Side;
using link::StreamFate;
using link::StreamPiece;
using verbs::CompletionStatus;
using verbs::WorkOpcode;

constexpr std::uint32_t num_slots = 16;  // requests of an end
constexpr std::uint32_t slot_len = 768;  // octets of a message, at most
constexpr std::uint32_t area_len = num_slots * slot_len;
constexpr std::uint64_t base_address = 0x100000;
constexpr std::uint8_t untouched = 0xA5;

// Parts of an end's memory, with some octets between them that nobody may touch.
enum class Area : std::uint8_t { source, target, sink, receive, words, count_ };
constexpr std::uint32_t margin = 64;
constexpr std::uint64_t offset_of(Area area) {
  return margin + static_cast<std::uint64_t>(area) * (std::uint64_t{area_len} + margin);
}
constexpr std::uint64_t address_of(Area area) { return base_address + offset_of(area); }

// What is there to be sent: octet i of what this end has in this slot.
std::uint8_t content(Side side, std::uint32_t slot, std::uint32_t i) {
  const std::uint32_t x = (static_cast<std::uint32_t>(side) << 24 | slot << 16 | i) * 2654435761U;
  return static_cast<std::uint8_t>(x >> 24 ^ x >> 9);
}

struct Settings {
  MpaQueuePairConfig of_a;
  MpaQueuePairConfig of_b;
  link::ByteStreamConfig stream;
  link::StreamImpairments impairments;

  explicit Settings(Input& input) {
    const std::uint8_t flags = input.octet();
    of_a.mpa.markers = (flags & 1U) != 0;
    of_b.mpa.markers = (flags & 2U) != 0;
    of_a.mpa.crc = (flags & 4U) == 0;
    of_b.mpa.crc = (flags & 8U) == 0;
    of_a.segmentation = of_b.segmentation = (flags & 16U) != 0 ? Segmentation::packed : Segmentation::aligned;
    of_a.mpa.peer_to_peer = (flags & 32U) == 0;
    of_a.mpa.enhanced = (flags & 64U) == 0;
    impairments.keep_segments = (flags & 128U) != 0;
    of_a.emss = of_b.emss = {90U + 6U * input.octet()};
    impairments.max_segment_len = 1U + 8U * input.octet();
    stream.capacity = 256U + 64U * input.octet();
    const std::uint8_t delays = input.octet();
    impairments.delay = std::chrono::microseconds(delays & 7U);
    impairments.jitter = std::chrono::microseconds(delays >> 3 & 7U);
    impairments.late = link::Ppm::percent((delays >> 6) * 10U);
    impairments.late_by = std::chrono::microseconds(20);
    impairments.hand_up_ahead = (delays & 1U) != 0;
    stream.seed = input.octet();
    const std::uint8_t depths = input.octet();
    of_a.mpa.ord = of_b.mpa.ird = static_cast<std::uint16_t>(1 + depths % 16);
    of_b.mpa.ord = of_a.mpa.ird = static_cast<std::uint16_t>(1 + depths / 16);
  }
};

struct Request {
  WorkOpcode opcode{};
  std::uint32_t len = 0;
  std::uint32_t send_number = 0;  // of those that take a receive of the peer's
  bool solicited = false;
};

bool takes_receive(WorkOpcode opcode) { return opcode == WorkOpcode::send || opcode == WorkOpcode::immediate_data; }

std::array<std::uint8_t, 8> immediate_of(std::uint32_t slot) {
  return {1, 2, 3, 4, 5, 6, 7, static_cast<std::uint8_t>(slot)};
}

struct End {
  Side side;
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(offset_of(Area::count_), untouched);
  verbs::MemoryTable memory{{1, 8}};
  verbs::Pd pd = memory.allocate_pd().value_or(verbs::Pd{});
  std::array<verbs::MemoryKey, 5> keys{};
  verbs::CompletionQueue send_cq{64};
  verbs::CompletionQueue receive_cq{64};
  verbs::EventQueue events{16};
  MpaQueuePair qp;

  std::vector<Request> requests;
  std::uint32_t num_sends = 0;      // of them that take a receive
  std::uint32_t num_completed = 0;  // of requests
  std::uint32_t num_succeeded = 0;
  std::uint32_t num_received = 0;  // receives that are complete, with success
  std::uint32_t num_receives_ended = 0;
  std::uint64_t words_sum = 0;  // what its fetch-and-adds that are complete have added

  // As the host of the connection.
  std::vector<std::uint8_t> out = std::vector<std::uint8_t>(2048);
  std::size_t out_at = 0;
  std::size_t out_len = 0;
  bool shut_down_due = false;
  bool over = false;
  std::vector<StreamFate> fates;

  End(Side which, const MpaQueuePairConfig& config)
      : side(which),
        qp({{1}, verbs::Service::iwarp, pd, {num_slots, 2, 0}, {num_slots, 1, 0}, true},
           {memory, send_cq, receive_cq, events, nullptr}, config) {
    using namespace verbs::rights;
    const std::array rights{remote_read, local_write | remote_write, local_write, local_write,
                            local_write | remote_atomic};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto area = static_cast<Area>(i);
      keys[i] =
          memory.register_region(pd, at(area, 0, area_len), address_of(area), rights[i]).value_or(verbs::MemoryKey{});
    }
    for (std::uint32_t slot = 0; slot < num_slots; ++slot) {
      for (std::uint32_t i = 0; i < slot_len; ++i) at(Area::source, slot, slot_len)[i] = content(side, slot, i);
    }
    std::ranges::fill(at(Area::words, 0, 8), std::uint8_t{0});
    verbs::QpAttributes attributes;
    attributes.access = remote;
    require(qp.modify(verbs::QpState::init, attributes, verbs::attribute::access).has_value());
    for (std::uint32_t slot = 0; slot < num_slots; ++slot) {
      const verbs::Sge sge = place(Area::receive, slot, slot_len);
      require(qp.post_receive({{slot}, {&sge, 1}}).has_value());
    }
  }

  MutableBytes at(Area area, std::uint32_t slot, std::size_t len) {
    return MutableBytes(octets).subspan(offset_of(area) + slot * slot_len, len);
  }
  verbs::MemoryKey key(Area area) const { return keys[static_cast<std::size_t>(area)]; }
  verbs::Sge place(Area area, std::uint32_t slot, std::uint32_t len) const {
    return {address_of(area) + slot * slot_len, len, key(area)};
  }
};

class Pair {
 public:
  explicit Pair(const Settings& settings)
      : a_(Side::a, settings.of_a), b_(Side::b, settings.of_b), stream_(settings.stream) {
    stream_.set_both(settings.impairments);
    require(a_.qp.connect({}, now_).has_value());
    require(b_.qp.listen(now_).has_value());
  }

  void step(Input& input) {
    const std::uint8_t op = input.octet();
    End& end = (op & 0x80U) != 0 ? b_ : a_;
    switch (op & 0xFU) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return post(end, input);
      case 5:
        return fate(end, StreamFate::Kind::corrupt, input);
      case 6:
        return fate(end, StreamFate::Kind::late, input);
      case 7: {
        // Rare, or little would be seen of what comes after.
        const std::uint8_t what = input.octet();
        if (what < 8) return fate(end, StreamFate::Kind::abort, input);
        if (what < 16) return fate(end, StreamFate::Kind::silence, input);
        if (what < 24) return abort(end);
        if (what < 32) return fail(end);
        if (what < 64) return close(end);
        return;
      }
      case 8:
        now_ += std::chrono::microseconds(input.octet());
        return;
      default:
        // Most is seen when octets come in small pieces.
        pump(end, 1U + input.octet(), 1U + (op >> 4 & 7U));
        return;
    }
  }

  void finish() {
    // A responder is silent until the initiator has spoken, which it need not do.
    const bool complete = is_established() && !disturbed_ &&
                          (a_.qp.mpa().negotiated().peer_to_peer || !a_.requests.empty() || b_.requests.empty());
    run(false);
    if (complete) check_all_done();
    a_.qp.close(now_);
    b_.qp.close(now_);
    run(true);
    if (complete) {
      require(a_.qp.stream().state() == StreamState::ended && b_.qp.stream().state() == StreamState::ended);
      require(a_.qp.stream().end().by == StreamEnd::By::ulp && b_.qp.stream().end().by == StreamEnd::By::ulp);
    }
    // Whatever is left has lost its connection.
    for (End* end : {&a_, &b_}) {
      end->qp.on_connection_lost(now_);
      poll(*end);
      require(end->num_completed == end->requests.size());
      require(end->qp.verbs().state() == verbs::QpState::err || !is_established(*end));
      require(end->qp.poll_octets(end->out, now_) == 0 && end->qp.take_action() == HostAction::none);
    }
    check_memory();
  }

 private:
  static bool is_established(const End& end) { return end.qp.stream().state() != StreamState::idle; }
  // Without disturbance it is so in the end.
  bool is_established() {
    if (!disturbed_) run(false);
    return is_established(a_) && is_established(b_);
  }
  End& other(const End& end) { return &end == &a_ ? b_ : a_; }

  // --- What the fuzzer does ---

  void post(End& end, Input& input) {
    const std::uint16_t how = input.word();
    const auto slot = static_cast<std::uint32_t>(end.requests.size());
    if (slot == num_slots) return;
    constexpr std::array opcodes{WorkOpcode::rdma_write, WorkOpcode::send,      WorkOpcode::rdma_read,
                                 WorkOpcode::rdma_write, WorkOpcode::fetch_add, WorkOpcode::immediate_data,
                                 WorkOpcode::send,       WorkOpcode::rdma_read};
    Request request;
    request.opcode = opcodes[how >> 13];
    request.solicited = (how & 0x400U) != 0;
    request.len = request.opcode == WorkOpcode::fetch_add        ? 8
                  : request.opcode == WorkOpcode::immediate_data ? 0
                                                                 : (how & 0x3FFU) % (slot_len + 1);
    request.send_number = end.num_sends;
    const bool reads_local = verbs::info(request.opcode).reads_local;
    const verbs::Sge whole = end.place(reads_local ? Area::source : Area::sink, slot, request.len);
    std::array<verbs::Sge, 2> sges{whole, whole};
    std::size_t num_sges = request.opcode == WorkOpcode::immediate_data ? 0 : 1;
    if (reads_local && (how & 0x800U) != 0) {
      sges[0].length = whole.length / 3;
      sges[1] = {whole.address + sges[0].length, whole.length - sges[0].length, whole.l_key};
      num_sges = 2;
    }
    End& peer = other(end);
    const bool atomic = request.opcode == WorkOpcode::fetch_add;
    const Area area = atomic ? Area::words : request.opcode == WorkOpcode::rdma_read ? Area::source : Area::target;
    verbs::SendWork work;
    work.id = {slot};
    work.opcode = request.opcode;
    work.fence = (how & 0x1000U) != 0;
    work.solicited = request.solicited;
    work.sges = std::span(sges).first(num_sges);
    work.remote_address = peer.place(area, atomic ? 0 : slot, 0).address;
    work.r_key = peer.key(area);
    work.swap_or_add = slot + 1;
    work.immediate_data = immediate_of(slot);
    if (!end.qp.post_send(work)) return;
    end.requests.push_back(request);
    if (takes_receive(request.opcode)) ++end.num_sends;
    poll(end);
  }

  void fate(End& end, StreamFate::Kind kind, Input& input) {
    const std::uint16_t ahead = input.word();
    StreamFate one;
    one.kind = kind;
    one.offset = stream_.num_written(end.side) + ahead % 2048U;
    one.flips = static_cast<std::uint8_t>(1U << (ahead >> 13 & 7U));
    std::erase_if(end.fates, [&](const StreamFate& old) { return old.offset < stream_.num_written(end.side); });
    if (std::ranges::any_of(end.fates, [&](const StreamFate& old) { return old.offset == one.offset; })) return;
    end.fates.push_back(one);
    std::ranges::sort(end.fates, {}, &StreamFate::offset);
    stream_.force(end.side, end.fates);
    if (kind == StreamFate::Kind::late) return;
    disturbed_ = true;
    corrupted_ = corrupted_ || kind == StreamFate::Kind::corrupt;
  }

  void abort(End& end) {
    disturbed_ = true;
    if (end.over) return;
    end.over = true;
    stream_.abort(end.side, now_);
    end.qp.on_connection_lost(now_);
    poll(end);
  }

  void fail(End& end) {
    disturbed_ = true;
    static_cast<void>(end.qp.modify(verbs::QpState::err));
    poll(end);
  }

  void close(End& end) {
    disturbed_ = true;
    end.qp.close(now_);
  }

  // --- The host ---

  // Hands over what has come, in up to num_pieces pieces of max_len octets, and sends what there is. False if there was
  // nothing.
  bool pump(End& end, std::size_t max_len, std::size_t num_pieces) {
    bool any = false;
    for (std::size_t i = 0; i < num_pieces; ++i) {
      const auto piece = stream_.receive(end.side, now_, max_len);
      if (!piece) break;
      any = true;
      take(end, *piece);
      poll(end);
    }
    while (const auto event = end.qp.poll_event()) {
      if (event->kind == MpaEventKind::request) static_cast<void>(end.qp.accept({}, now_));
      any = true;
    }
    any = send(end) || any;
    const HostAction action = end.qp.take_action();
    any = any || action != HostAction::none;
    if (action == HostAction::abort) {
      end.over = true;
      stream_.abort(end.side, now_);
    }
    if (action == HostAction::shut_down || action == HostAction::close) end.shut_down_due = true;
    if (end.shut_down_due && end.out_at == end.out_len && !end.over) {
      end.shut_down_due = false;
      stream_.close(end.side, now_);
    }
    poll(end);
    return any;
  }

  void take(End& end, const StreamPiece& piece) {
    switch (piece.kind) {
      case StreamPiece::Kind::in_order:
        end.qp.on_octets(piece.octets, now_);
        break;
      case StreamPiece::Kind::ahead:
        end.qp.on_octets_ahead(piece.offset, piece.octets);
        break;
      case StreamPiece::Kind::end:
        end.qp.on_peer_closed(now_);
        break;
      case StreamPiece::Kind::aborted:
        end.over = true;
        end.qp.on_connection_lost(now_);
        break;
    }
  }

  bool send(End& end) {
    bool any = false;
    while (!end.over) {
      if (end.out_at == end.out_len) {
        end.out_at = 0;
        end.out_len = end.qp.poll_octets(end.out, now_);
        poll(end);
        if (end.out_len == 0) break;
      }
      const std::size_t taken =
          stream_.write(end.side, Bytes(end.out).subspan(end.out_at, end.out_len - end.out_at), now_);
      if (taken == 0) break;
      end.out_at += taken;
      any = true;
    }
    return any;
  }

  // Until nobody has anything left to do; with deadlines: nor to wait for.
  void run(bool deadlines) {
    for (int turns = 0;; ++turns) {
      require(turns < 100'000);
      const bool any_a = pump(a_, ~std::size_t{0}, 1000);
      const bool any_b = pump(b_, ~std::size_t{0}, 1000);
      if (any_a || any_b) continue;
      std::optional<Time> next = stream_.next_arrival();
      for (const End* end : {&a_, &b_}) {
        const auto due = end->qp.next_deadline();
        if (deadlines && due) next = next ? std::min(*next, *due) : *due;
      }
      if (!next) return;
      now_ = std::max(now_, *next);
      if (!deadlines) continue;
      a_.qp.on_deadline(now_);
      b_.qp.on_deadline(now_);
    }
  }

  // --- The ideal memory ---

  // What arrives may be believed.
  bool is_protected() const { return !corrupted_ || (a_.qp.mpa().negotiated().crc && b_.qp.mpa().negotiated().crc); }
  bool arrived(End& at, Area area, std::uint32_t slot, std::uint32_t len, Side from, std::uint32_t from_slot) {
    const Bytes found = at.at(area, slot, len);
    for (std::uint32_t i = 0; i < len; ++i) {
      if (found[i] != content(from, from_slot, i)) return false;
    }
    return true;
  }

  void poll(End& end) {
    std::array<verbs::Completion, num_slots> some;
    for (std::size_t size = end.send_cq.poll(some); size != 0; size = end.send_cq.poll(some)) {
      for (const verbs::Completion& one : std::span(some).first(size)) on_sent(end, one);
    }
    for (std::size_t size = end.receive_cq.poll(some); size != 0; size = end.receive_cq.poll(some)) {
      for (const verbs::Completion& one : std::span(some).first(size)) on_received(end, one);
    }
  }

  void on_sent(End& end, const verbs::Completion& one) {
    require(end.num_completed < end.requests.size() && one.id.value == end.num_completed);
    const std::uint32_t slot = end.num_completed++;
    if (one.status != CompletionStatus::success) return;
    // No success after a failure.
    require(end.num_succeeded++ == slot);
    const Request& request = end.requests[slot];
    if (!is_protected()) return;
    if (request.opcode == WorkOpcode::rdma_read) {
      require(one.byte_len == request.len);
      require(arrived(end, Area::sink, slot, request.len, other(end).side, slot));
    } else if (request.opcode == WorkOpcode::fetch_add) {
      std::uint64_t original = 0;
      std::memcpy(&original, end.at(Area::sink, slot, 8).data(), 8);
      require(original == end.words_sum);
      end.words_sum += slot + 1;
    }
  }

  void on_received(End& end, const verbs::Completion& one) {
    require(one.id.value == end.num_receives_ended++);
    if (one.status != CompletionStatus::success) return;
    const std::uint32_t number = end.num_received++;
    require(number + 1 == end.num_receives_ended);
    if (!is_protected()) return;
    const End& peer = other(end);
    require(number < peer.num_sends);
    for (std::uint32_t slot = 0; slot < peer.requests.size(); ++slot) {
      const Request& request = peer.requests[slot];
      if (takes_receive(request.opcode)) {
        if (request.send_number != number) continue;
        require(one.byte_len == (request.opcode == WorkOpcode::send ? request.len : one.byte_len));
        require(one.solicited == request.solicited);
        if (request.opcode == WorkOpcode::immediate_data) {
          require(one.opcode == verbs::CompletionOpcode::receive_immediate_data);
          require(one.immediate_data == immediate_of(slot));
        } else {
          require(arrived(end, Area::receive, number, request.len, peer.side, slot));
        }
        return;
      }
      // What was written before it is there.
      if (request.opcode == WorkOpcode::rdma_write) {
        require(arrived(end, Area::target, slot, request.len, peer.side, slot));
      }
    }
  }

  void check_all_done() {
    for (End* end : {&a_, &b_}) {
      End& peer = other(*end);
      require(end->num_succeeded == end->requests.size());
      require(peer.num_received == end->num_sends);
      std::uint64_t sum = 0;
      for (std::uint32_t slot = 0; slot < end->requests.size(); ++slot) {
        const Request& request = end->requests[slot];
        if (request.opcode == WorkOpcode::fetch_add) sum += slot + 1;
        if (request.opcode == WorkOpcode::rdma_write) {
          require(arrived(peer, Area::target, slot, request.len, end->side, slot));
        }
      }
      std::uint64_t word = 0;
      std::memcpy(&word, peer.at(Area::words, 0, 8).data(), 8);
      require(word == sum);
    }
  }

  void check_memory() {
    for (End* end : {&a_, &b_}) {
      for (std::size_t area = 0; area <= static_cast<std::size_t>(Area::count_); ++area) {
        const std::size_t before = offset_of(static_cast<Area>(area)) - margin;
        const std::size_t len = std::min<std::size_t>(margin, end->octets.size() - before);
        for (const std::uint8_t octet : Bytes(end->octets).subspan(before, len)) require(octet == untouched);
      }
      const bool good = is_protected();
      for (std::uint32_t slot = 0; slot < num_slots; ++slot) {
        require(arrived(*end, Area::source, slot, slot_len, end->side, slot));
        if (!good) continue;
        check_slot(*end, Area::target, slot, slot);
        check_slot(*end, Area::sink, slot, slot);
      }
    }
  }

  // Each octet is what it was, or what the peer has there. (Results of atomics are checked when they complete.)
  void check_slot(End& end, Area area, std::uint32_t slot, std::uint32_t from_slot) {
    const End& peer = other(end);
    if (area == Area::sink && slot < end.requests.size() && end.requests[slot].opcode == WorkOpcode::fetch_add) return;
    std::uint32_t len = 0;
    if (area == Area::target && slot < peer.requests.size() && peer.requests[slot].opcode == WorkOpcode::rdma_write) {
      len = peer.requests[slot].len;
    }
    if (area == Area::sink && slot < end.requests.size()) len = end.requests[slot].len;
    const Bytes found = end.at(area, slot, slot_len);
    for (std::uint32_t i = 0; i < slot_len; ++i) {
      require(found[i] == untouched || (i < len && found[i] == content(peer.side, from_slot, i)));
    }
  }

  End a_;
  End b_;
  link::ByteStream stream_;
  Time now_{};
  bool disturbed_ = false;  // not everything has to complete
  bool corrupted_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1024) return 0;
  Input input({data, size});
  const Settings settings(input);
  Pair pair(settings);
  while (!input.empty()) pair.step(input);
  pair.finish();
  return 0;
}
