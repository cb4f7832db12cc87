// Frames that the fuzzer makes up, right or wrong, into a port with two queue pairs for datagrams, on each carrier, and
// datagrams out of it. Nothing but posted receives changes, and those hold exactly what came; the Q_Key decides who
// gets it; what goes out is legal.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "codec/frame_build.h"
#include "fuzz/check_fields.h"
#include "fuzz/input.h"
#include "protocol/ib/port.h"
#include "protocol/ib/ud_queue_pair.h"

namespace {

using namespace rdmawire;
using fuzz::Input;
using fuzz::require;

constexpr std::uint64_t base_address = 0x10000;
constexpr std::size_t margin = 64;  // octets before and behind the registered memory
constexpr std::size_t slot_len = 384;
constexpr std::size_t num_slots = 8;  // receives; behind them lies what is sent
constexpr std::uint32_t grh_size = ib::UdQueuePair::grh_size;
constexpr std::uint32_t mtu = 256;
constexpr QKey own_key{0x11111111};
constexpr std::size_t max_frame = 1024;  // octets
constexpr int max_steps = 16;

enum class Carrier : std::uint8_t { ipv4, ipv6, rocev1, native, native_without_grh, count_ };

Gid gid_of(Carrier carrier, std::uint8_t last) {
  if (carrier == Carrier::ipv4) return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last}};
  return {{0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last}};
}

ib::PortConfig config_for(Carrier carrier) {
  ib::PortConfig out;
  out.mac = {{2, 0, 0, 0, 0, 1}};
  out.lid = {1};
  out.max_queue_pairs = 4;
  out.mtu = ib::mtu256;
  const auto kind = carrier == Carrier::rocev1                             ? ib::Carrier::rocev1
                    : carrier == Carrier::ipv4 || carrier == Carrier::ipv6 ? ib::Carrier::rocev2
                                                                           : ib::Carrier::native;
  out.gids = {{gid_of(carrier, 1), kind, std::nullopt}};
  return out;
}

struct Posted {
  std::size_t slot = 0;
  std::uint32_t first = 0;  // octets of the first piece; the second lies one octet behind it
  std::uint32_t length = 0;
};

class Host {
 public:
  explicit Host(Carrier carrier) : carrier_(carrier), port_(config_for(carrier)) {
    for (ib::UdQueuePair& qp : pairs_) require(port_.attach(qp).has_value());
  }

  // As newly made, in the same memory: to allocate takes longer than all the rest.
  void restart() {
    verbs::QpAttributes a;
    a.q_key = own_key;
    using namespace verbs::attribute;
    for (ib::UdQueuePair& qp : pairs_) {
      require(qp.modify(verbs::QpState::reset).has_value());
      require(qp.modify(verbs::QpState::init, a, p_key_index | verbs::attribute::port | q_key).has_value());
      require(qp.modify(verbs::QpState::rtr, a).has_value());
      require(qp.modify(verbs::QpState::rts, a, sq_psn).has_value());
    }
    while (events_.poll()) {
    }
    std::ranges::fill(octets_, std::uint8_t{0xA5});
    expected_ = octets_;
    used_ = {};
    for (auto& queue : posted_) queue.clear();
  }

  void run(Input& input) {
    // What comes after so many steps shows nothing new, and takes time.
    for (int step = 0; step < max_steps && !input.empty(); ++step) {
      const std::uint8_t what = input.octet();
      const std::size_t pair = what >> 3 & 1U;
      switch (what & 7U) {
        case 0:
        case 1:
          post_receive(input, pair);
          break;
        case 2:
          send(input, pair);
          break;
        default:
          take(input, pair);
          break;
      }
      // Whatever came or went: all other octets are as before.
      require(octets_ == expected_);
    }
  }

 private:
  static std::uint32_t number_of(std::size_t pair) { return pair == 0 ? 8 : ib::gsi_qp.value; }
  verbs::QpConfig qp_config(std::size_t pair) const {
    return {{number_of(pair)}, verbs::Service::ud, pd_, {4, 2, 16}, {num_slots, 2, 0}, false};
  }
  verbs::QpResources resources() { return {memory_, send_cq_, receive_cq_, events_, nullptr}; }

  void post_receive(Input& input, std::size_t pair) {
    const auto slot = std::ranges::find(used_, false);
    if (slot == used_.end()) return;
    Posted posted;
    posted.slot = static_cast<std::size_t>(slot - used_.begin());
    posted.length = input.word() % static_cast<std::uint32_t>(slot_len - 1);
    posted.first = posted.length == 0 ? 0 : input.word() % posted.length;
    const std::uint64_t at = base_address + posted.slot * slot_len;
    const std::array sges{verbs::Sge{at, posted.first, key_},
                          verbs::Sge{at + posted.first + 1, posted.length - posted.first, key_}};
    require(pairs_[pair].post_receive({{posted.slot}, sges}).has_value());
    *slot = true;
    posted_[pair].push_back(posted);
  }

  // --- In ---

  FrameSpec spec(Input& input, std::size_t pair, Bytes payload) {
    FrameSpec out = rocev2_spec();
    out.ethernet->source = {{2, 0, 0, 0, 0, 2}};
    out.ethernet->destination = {{2, 0, 0, 0, 0, 1}};
    const Gid from = gid_of(carrier_, 2);
    const Gid to = gid_of(carrier_, 1);
    if (carrier_ == Carrier::ipv4) {
      out.ipv4->source = {{10, 0, 0, 2}};
      out.ipv4->destination = {{10, 0, 0, 1}};
    } else {
      out.ipv4.reset();
    }
    if (carrier_ == Carrier::ipv6) {
      out.ipv6.emplace();
      out.ipv6->hop_limit = 64;
      out.ipv6->source = {from.octets};
      out.ipv6->destination = {to.octets};
    } else if (carrier_ != Carrier::ipv4) {
      out.udp.reset();
      if (carrier_ != Carrier::native_without_grh) {
        out.grh = ib::Grh{};
        out.grh->ip_version = 6;
        out.grh->hop_limit = 64;
        out.grh->sgid = from;
        out.grh->dgid = to;
      }
    }
    if (carrier_ == Carrier::native || carrier_ == Carrier::native_without_grh) {
      out.ethernet.reset();
      out.lrh = ib::Lrh{};
      out.lrh->dlid = {1};
      out.lrh->slid = {2};
    }
    out.bth.opcode = ib::Opcode::UD_SEND_ONLY;
    out.bth.dest_qp = {number_of(pair)};
    out.bth.psn = {input.octet()};
    out.deth.q_key = pair == 0 ? own_key : ib::gsi_q_key;
    out.deth.source_qp = {input.octet()};
    out.payload = payload.first(input.word() % (mtu + 1));
    return out;
  }

  // One thing of it wrong, or none. False: it must not be received.
  static bool spoil(Input& input, FrameSpec& spec, Bytes payload) {
    switch (input.octet() % 16) {
      case 0:
        spec.deth.q_key.value ^= 1U << (input.octet() % 32);
        return false;
      case 1:
        spec.bth.dest_qp = {input.octet() % 2 != 0 ? 9U : ib::multicast_qp.value};
        return false;
      case 2:
        spec.bth.opcode = static_cast<ib::Opcode>(input.octet());
        return spec.bth.opcode == ib::Opcode::UD_SEND_ONLY ||
               spec.bth.opcode == ib::Opcode::UD_SEND_ONLY_WITH_IMMEDIATE;
      case 3:
        spec.bth.p_key = PKey{static_cast<std::uint16_t>(input.word() & 0x7FFFU)};
        return spec.bth.p_key.value == 0x7FFF;
      case 4:
        spec.bth.version = 1 + input.octet() % 15;
        return false;
      case 5:
        spec.keep.icrc = true;
        spec.icrc.crc = input.long_word();
        return false;
      case 6:
        spec.payload = payload.first(mtu + 1 + input.octet() % 64U);
        return false;
      case 7:
        spec.keep.pad_count = true;
        spec.bth.pad_count = input.octet() & 3U;
        return false;
      case 8:
        spec.keep.ip_version = true;
        if (spec.ipv4) spec.ipv4->version = input.octet() & 15U;
        if (spec.ipv6) spec.ipv6->version = input.octet() & 15U;
        if (spec.grh) spec.grh->ip_version = input.octet() & 15U;
        return false;
      case 9:
      case 10:
        spec.bth.opcode = ib::Opcode::UD_SEND_ONLY_WITH_IMMEDIATE;
        spec.immdt.data = {1, 2, 3, input.octet()};
        return true;
      case 11:
        spec.bth.solicited = true;
        return true;
      default:
        return true;
    }
  }

  void take(Input& input, std::size_t pair) {
    static const std::vector<std::uint8_t> payload = [] {
      std::vector<std::uint8_t> out(mtu + 64);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i * 37 + 1);
      return out;
    }();
    FrameSpec given = spec(input, pair, payload);
    const bool spoiled = !spoil(input, given, payload);
    std::array<std::uint8_t, max_frame> frame;
    const auto size = build_frame(given, frame);
    if (!size) return;
    // Octets damaged on the way, or missing at the end.
    const std::uint8_t damage = input.octet();
    Bytes octets = Bytes(frame).first(*size);
    if (damage >= 0xF0) frame[input.word() % *size] ^= static_cast<std::uint8_t>(1U << (damage & 7U));
    if (damage >= 0xE0 && damage < 0xF0) octets = octets.first(input.word() % *size);
    port_.on_frame(octets, now_);
    verbs::Completion done;
    const bool any = receive_cq_.poll({&done, 1}) != 0;
    verbs::Completion more;
    require(receive_cq_.poll({&more, 1}) == 0);
    if (damage < 0xE0) {
      const bool room = !posted_[pair].empty() && given.payload.size() + grh_size <= posted_[pair].front().length;
      // A pad count or version may have been kept as it was, and libFuzzer finds right ICRCs.
      const bool may = spoiled && (given.keep.pad_count || given.keep.ip_version || given.keep.icrc);
      if (!may) require(any == (!spoiled && room));
    }
    if (any) check(done, octets);
  }

  // By the octets of the frame alone.
  void check(const verbs::Completion& done, Bytes octets) {
    const Frame frame = parse_frame(port_.link(), octets, static_cast<std::uint32_t>(octets.size()));
    const auto bth = frame.get<ib::Bth>();
    const auto deth = frame.get<ib::Deth>();
    require(bth && deth && frame.icrc.status == CrcStatus::good);
    const std::size_t pair = bth->dest_qp.value == number_of(0) ? 0 : 1;
    require(bth->dest_qp.value == number_of(pair) && done.qp == bth->dest_qp);
    //= HV-20
    require(deth->q_key == (pair == 0 ? own_key : ib::gsi_q_key));
    require(!posted_[pair].empty());
    const Posted posted = posted_[pair].front();
    posted_[pair].pop_front();
    used_[posted.slot] = false;
    require(done.id.value == posted.slot && done.status == verbs::CompletionStatus::success);
    const Bytes payload = frame.payload();
    require(payload.size() <= mtu && done.byte_len == payload.size() + grh_size && done.byte_len <= posted.length);
    require(done.source_qp == deth->source_qp && done.solicited == bth->solicited);
    require(done.has_immediate == (bth->opcode == ib::Opcode::UD_SEND_ONLY_WITH_IMMEDIATE));
    require(done.has_grh == (carrier_ != Carrier::native_without_grh));
    if (done.has_grh) place(posted, 0, grh_area(frame, posted));
    place(posted, grh_size, payload);
  }

  // Of IPv4 only the last 20 octets are defined.
  std::array<std::uint8_t, grh_size> grh_area(const Frame& frame, const Posted& posted) const {
    std::array<std::uint8_t, grh_size> out{};
    const LayerRef* ref = frame.find(Layer::grh);
    if (ref == nullptr) ref = frame.find(Layer::ipv6);
    std::size_t at = 0;
    if (ref == nullptr) {
      ref = frame.find(Layer::ipv4);
      at = 20;
      for (std::size_t i = 0; i < at; ++i) out[i] = octets_[offset_of(posted, i)];
    }
    require(ref != nullptr);
    std::ranges::copy(frame.octets(*ref).first(grh_size - at), out.begin() + static_cast<long>(at));
    return out;
  }

  static std::size_t offset_of(const Posted& posted, std::size_t at) {
    return margin + posted.slot * slot_len + at + (at >= posted.first ? 1 : 0);
  }
  void place(const Posted& posted, std::size_t at, Bytes octets) {
    for (std::size_t i = 0; i < octets.size(); ++i) expected_[offset_of(posted, at + i)] = octets[i];
  }

  // --- Out ---

  void send(Input& input, std::size_t pair) {
    ib::UdQueuePair& qp = pairs_[pair];
    const verbs::Sge sge{base_address + num_slots * slot_len, input.word() % (2 * mtu), key_};
    verbs::SendWork work;
    const std::uint8_t flags = input.octet();
    work.opcode = (flags & 1U) != 0 ? verbs::WorkOpcode::send_with_immediate : verbs::WorkOpcode::send;
    work.solicited = (flags & 2U) != 0;
    work.sges = {&sge, 1};
    work.q_key.value = input.long_word();
    work.destination.destination_gid = gid_of(carrier_, 2);
    work.destination.destination_lid = {2};
    work.destination.global = carrier_ != Carrier::native_without_grh;
    work.destination.traffic_class = input.octet();
    work.destination_qp = {2U + input.octet()};  // what goes to 0 and 1 is a MAD
    require(qp.post_send(work).has_value());
    std::array<std::uint8_t, ib::max_frame_len(4096)> frame;
    const std::size_t size = port_.poll_transmit(frame, now_);
    verbs::Completion done;
    require(send_cq_.poll({&done, 1}) == 1);
    //= UD-02
    if (sge.length > mtu) {
      require(size == 0 && done.status == verbs::CompletionStatus::local_length_error);
      require(qp.verbs().state() == verbs::QpState::sqe);
      require(qp.modify(verbs::QpState::rts).has_value());
      return;
    }
    require(size != 0 && done.status == verbs::CompletionStatus::success);
    const Bytes sent = Bytes(frame).first(size);
    const Frame parsed = parse_frame(port_.link(), sent, static_cast<std::uint32_t>(size));
    require(!first_violation(parsed));
    const auto bth = parsed.get<ib::Bth>();
    const auto deth = parsed.get<ib::Deth>();
    require(bth && deth && bth->dest_qp == work.destination_qp && deth->source_qp.value == number_of(pair));
    //= UD-07
    const bool privileged = (work.q_key.value & 0x80000000U) != 0;
    require(deth->q_key == (privileged ? qp.verbs().attributes().q_key : work.q_key));
    require(parsed.payload().size() == sge.length);
    require(port_.poll_transmit(frame, now_) == 0);
  }

  const Carrier carrier_;
  std::vector<std::uint8_t> octets_ = std::vector<std::uint8_t>(2 * margin + num_slots * slot_len + 2 * mtu, 0xA5);
  std::vector<std::uint8_t> expected_ = octets_;
  verbs::MemoryTable memory_{{1, 4}};
  verbs::Pd pd_ = memory_.allocate_pd().value_or(verbs::Pd{});
  verbs::MemoryKey key_ = memory_
                              .register_region(pd_, MutableBytes(octets_).subspan(margin, octets_.size() - 2 * margin),
                                               base_address, verbs::rights::local_write)
                              .value_or(verbs::MemoryKey{});
  verbs::CompletionQueue send_cq_{8}, receive_cq_{2 * num_slots};
  verbs::EventQueue events_{8};
  std::array<ib::UdQueuePair, 2> pairs_{ib::UdQueuePair(qp_config(0), resources(), ib::mtu256),
                                        ib::UdQueuePair(qp_config(1), resources(), ib::mtu256)};
  ib::Port port_;
  std::array<bool, num_slots> used_{};
  std::array<std::deque<Posted>, 2> posted_;
  Time now_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::array<Host, static_cast<std::size_t>(Carrier::count_)> hosts{Host(Carrier::ipv4), Host(Carrier::ipv6),
                                                                           Host(Carrier::rocev1), Host(Carrier::native),
                                                                           Host(Carrier::native_without_grh)};
  Input input({data, size});
  Host& host = hosts[input.octet() % hosts.size()];
  host.restart();
  host.run(input);
  return 0;
}
