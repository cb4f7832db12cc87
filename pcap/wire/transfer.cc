#include "pcap/wire/transfer.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/bytes.h"
#include "protocol/link/random.h"

namespace rdmawire::wire {
namespace {

using verbs::CompletionStatus;
using verbs::WorkOpcode;

constexpr std::uint32_t magic = 0x52575458;  // "RWTX"
constexpr std::uint64_t region_address = 0x1000'0000;
constexpr std::uint64_t control_address = 0x1000;
constexpr std::size_t control_len = 16;
constexpr std::uint32_t num_control_slots = 4;
constexpr std::uint32_t max_messages_a_round = 1024;
constexpr std::uint32_t max_message_len = 1U << 30;

enum class Kind : std::uint32_t { ready = 1, done = 2, arrived = 3 };

// What the identifiers of work requests say.
constexpr std::uint64_t control_work = std::uint64_t{1} << 32;

struct Control {
  Kind kind{};
  std::uint64_t round = 0;
  std::uint32_t checksum = 0;  // of all rounds before it; DONE: this one included
};

struct Request {
  TransferPlan plan;
  std::uint32_t region_len = 0;
};
constexpr std::size_t request_len = 25;

std::array<std::uint8_t, request_len> write_request(const Request& request) {
  std::array<std::uint8_t, request_len> out{};
  store_be<4>(out.data(), magic);
  out[4] = static_cast<std::uint8_t>(request.plan.by);
  store_be<8>(out.data() + 5, request.plan.total_len);
  store_be<4>(out.data() + 13, request.plan.message_len);
  store_be<4>(out.data() + 17, request.plan.seed);
  store_be<4>(out.data() + 21, request.region_len);
  return out;
}

std::optional<Request> read_request(Bytes octets) {
  if (octets.size() != request_len || load_be<4>(octets.data()) != magic || octets[4] > 2) return std::nullopt;
  Request out;
  out.plan.by = static_cast<TransferBy>(octets[4]);
  out.plan.total_len = load_be<8>(octets.data() + 5);
  out.plan.message_len = static_cast<std::uint32_t>(load_be<4>(octets.data() + 13));
  out.plan.seed = static_cast<std::uint32_t>(load_be<4>(octets.data() + 17));
  out.region_len = static_cast<std::uint32_t>(load_be<4>(octets.data() + 21));
  if (out.plan.message_len == 0 || out.plan.message_len > max_message_len || out.region_len == 0) return std::nullopt;
  return out;
}

struct Reply {
  std::uint32_t key = 0;
  std::uint32_t region_len = 0;
};
constexpr std::size_t reply_len = 8;

iwarp::MpaQueuePairConfig config_of(const TransferOptions& options) {
  iwarp::MpaQueuePairConfig out;
  out.mpa.markers = options.markers;
  out.mpa.crc = options.crc;
  out.mpa.startup_timeout = options.startup_timeout;
  out.segmentation = options.segmentation;
  out.linger = options.linger;
  return out;
}

IwarpHostConfig host_config_of(const TransferOptions& options, iwarp::Role role, Bytes private_data) {
  IwarpHostConfig out;
  out.role = role;
  out.private_data = private_data;
  out.stall_timeout = options.stall_timeout;
  return out;
}

// One end: memory, queues, queue pair, connection.
class Party {
 public:
  Party(const TransferOptions& options, TcpStream stream, iwarp::Role role, Bytes private_data, Time until)
      : options_(options),
        until_(until),
        region_(std::max<std::uint32_t>(options.region_len, 1)),
        host_(qp_, std::make_unique<TcpStream>(std::move(stream)), host_config_of(options, role, private_data)) {
    verbs::QpAttributes attributes;
    attributes.access = verbs::rights::remote;
    if (!qp_.modify(verbs::QpState::init, attributes, verbs::attribute::access)) fail("no queue pair");
  }

  // --- What the rounds are made of ---

  void plan(const TransferPlan& plan, std::uint32_t peer_region_len) {
    plan_ = plan;
    const std::uint64_t region_len = std::min<std::uint64_t>(region_.size(), peer_region_len);
    round_len_ = std::min(region_len, std::uint64_t{plan.message_len} * max_messages_a_round);
    num_rounds_ = (plan.total_len + round_len_ - 1) / round_len_;
  }
  std::uint64_t num_rounds() const { return num_rounds_; }
  std::uint32_t len_of(std::uint64_t round) const {
    return static_cast<std::uint32_t>(std::min(round_len_, plan_.total_len - round * round_len_));
  }
  std::uint32_t num_messages(std::uint64_t round) const {
    return (len_of(round) + plan_.message_len - 1) / plan_.message_len;
  }
  verbs::Sge message(std::uint64_t round, std::uint32_t number) const {
    const std::uint32_t at = number * plan_.message_len;
    return {region_address + at, std::min(plan_.message_len, len_of(round) - at), region_key_};
  }
  void make_up_data(std::uint64_t round) {
    // Nothing that a constant, or octets in the wrong place, would be taken for.
    link::SplitMix64(plan_.seed + (round << 32)).fill(MutableBytes(region_).first(len_of(round)));
  }
  void clear() { std::ranges::fill(region_, std::uint8_t{0}); }
  void add_to_checksum(std::uint64_t round) {
    result_.checksum = static_cast<std::uint32_t>(crc32_z(result_.checksum, region_.data(), len_of(round)));
    result_.num_octets += len_of(round);
  }

  // --- Work ---

  void post_data_receive(std::uint64_t round, std::uint32_t number) {
    const verbs::Sge sge = message(round, number);
    if (!qp_.post_receive({{number}, {&sge, 1}})) fail("a receive is refused");
  }
  // Room for so many more of the peer's words.
  void expect(std::uint32_t num_words) {
    for (std::uint32_t i = 0; i < num_words; ++i) {
      const std::uint32_t slot = next_slot_++ % num_control_slots;
      const verbs::Sge sge{control_address + slot * control_len, control_len, control_key_};
      if (!qp_.post_receive({{control_work + slot}, {&sge, 1}})) fail("a receive is refused");
    }
  }
  void post_data(std::uint64_t round, std::uint32_t number) {
    const verbs::Sge sge = message(round, number);
    verbs::SendWork work;
    work.id = {number};
    work.opcode = plan_.by == TransferBy::write  ? WorkOpcode::rdma_write
                  : plan_.by == TransferBy::read ? WorkOpcode::rdma_read
                                                 : WorkOpcode::send;
    work.sges = {&sge, 1};
    work.remote_address = sge.address;
    work.r_key = peer_key_;
    post(work);
  }
  void say(Kind kind, std::uint64_t round) {
    std::array<std::uint8_t, control_len> octets;
    store_be<4>(octets.data(), static_cast<std::uint32_t>(kind));
    store_be<8>(octets.data() + 4, round);
    store_be<4>(octets.data() + 12, result_.checksum);
    verbs::SendWork work;
    work.id = {control_work};
    work.opcode = WorkOpcode::send;
    work.inline_data = true;
    work.data = octets;
    post(work);
  }

  // --- Waiting ---

  // Until done() says so; false if there is a fault instead.
  template <class Done>
  bool wait(Done&& done) {
    if (!result_.fault.empty()) return false;
    bool is_done = false;
    // What the peer says of its own accord neither the queue pair waits for nor its host.
    for (std::uint64_t before = ~std::uint64_t{0}, moved = 0; before != moved && monotonic_now() < until_;) {
      before = moved;
      const bool over = host_.run_until(
          [&] {
            poll();
            is_done = result_.fault.empty() && done();
            if (!is_done && peer_closed_) fail("the peer closes too early");
            return is_done || !result_.fault.empty();
          },
          std::min(until_, monotonic_now() + options_.stall_timeout));
      if (over || host_.is_closed() || host_.state() == HostState::left) break;
      moved = host_.num_sent() + host_.num_received();
    }
    if (is_done) return true;
    if (host_.is_closed() && !host_.end_text().empty()) {
      fail(host_.end_text());
    } else if (host_.state() == HostState::left) {
      fail(host_.end_text());
    } else {
      fail("the peer is silent");
    }
    return false;
  }
  // The peer's next word, which has to be this one.
  std::optional<Control> hear(Kind kind, std::uint64_t round) {
    if (!wait([&] { return !heard_.empty(); })) return std::nullopt;
    const Control word = heard_.front();
    heard_.pop_front();
    if (word.kind == kind && word.round == round) return word;
    fail("the peer says something else than was due");
    return std::nullopt;
  }
  bool compare(std::uint32_t peer_checksum) {
    result_.peer_checksum = peer_checksum;
    if (peer_checksum != result_.checksum) fail("the checksums differ");
    return result_.fault.empty();
  }
  // Both directions are ended in order.
  TransferResult finish() {
    if (result_.fault.empty()) {
      qp_.close(monotonic_now());
      host_.run_until([this] { return poll(), false; }, until_);
      const bool in_order = host_.end() == ConnectionEnd::closed &&
                            qp_.stream().end().by == iwarp::StreamEnd::By::ulp && result_.fault.empty();
      if (!in_order) fail(host_.is_closed() ? host_.end_text() : "out of time");
    } else {
      // The peer is told, as far as there is one.
      if (qp_.stream().state() == iwarp::StreamState::running) {
        static_cast<void>(qp_.modify(verbs::QpState::err));
      }
      host_.run_until([] { return false; }, until_);
      host_.abort(monotonic_now());
    }
    result_.good = result_.fault.empty();
    return result_;
  }

  void fail(const std::string& what) {
    if (result_.fault.empty()) result_.fault = what;
  }

  iwarp::MpaQueuePair& qp() { return qp_; }
  TransferResult& result() { return result_; }
  void begin_round(std::uint64_t round) const {
    if (round == 1 && options_.after_first_round != nullptr) options_.after_first_round();
  }
  std::uint32_t depth() const { return options_.depth; }
  std::uint32_t num_sent() const { return num_sent_; }
  void count_from_zero() { num_sent_ = 0; }
  std::uint32_t region_key() const { return region_key_.value; }
  void set_peer_key(std::uint32_t key) { peer_key_ = {key}; }

 private:
  void post(const verbs::SendWork& work) {
    if (!qp_.post_send(work)) fail("a request is refused");
  }
  void poll() {
    std::array<verbs::Completion, 32> some;
    while (const std::size_t size = send_cq_.poll(some)) {
      for (const verbs::Completion& one : std::span(some).first(size)) {
        if (one.status != CompletionStatus::success) return fail_by(one);
        if (one.id.value < control_work) ++num_sent_;
      }
    }
    while (const auto event = events_.poll()) {
      peer_closed_ = peer_closed_ || event->kind == verbs::EventKind::peer_closed;
    }
    while (const std::size_t size = receive_cq_.poll(some)) {
      for (const verbs::Completion& one : std::span(some).first(size)) {
        if (one.status != CompletionStatus::success) return fail_by(one);
        if (one.id.value < control_work) {
          take_data(one);
        } else {
          take_control(static_cast<std::uint32_t>(one.id.value - control_work), one.byte_len);
        }
      }
    }
  }
  void fail_by(const verbs::Completion& completion) {
    std::string text =
        std::string(name_of(completion.opcode)) + " ended with " + std::string(name_of(completion.status));
    const std::string why = host_.end_text();
    if (!why.empty()) text += " (" + why + ")";
    fail(text);
  }
  void take_data(const verbs::Completion& one) {
    if (one.byte_len > plan_.message_len) fail("a message of the wrong length");
  }
  void take_control(std::uint32_t slot, std::uint32_t size) {
    const std::uint8_t* octets = control_.data() + slot * control_len;
    if (size != control_len) return fail("a message of the wrong length");
    heard_.push_back({static_cast<Kind>(load_be<4>(octets)), load_be<8>(octets + 4),
                      static_cast<std::uint32_t>(load_be<4>(octets + 12))});
  }

  TransferOptions options_;
  Time until_;
  TransferPlan plan_;
  std::uint64_t round_len_ = 1;
  std::uint64_t num_rounds_ = 0;
  TransferResult result_;
  std::uint32_t num_sent_ = 0;  // data requests that are complete
  std::deque<Control> heard_;
  std::uint32_t next_slot_ = 0;
  bool peer_closed_ = false;
  verbs::MemoryKey peer_key_;

  std::vector<std::uint8_t> region_;
  std::vector<std::uint8_t> control_ = std::vector<std::uint8_t>(num_control_slots * control_len);
  verbs::MemoryTable memory_{{1, 4}};
  verbs::Pd pd_ = memory_.allocate_pd().value_or(verbs::Pd{});
  verbs::MemoryKey region_key_ =
      memory_
          .register_region(pd_, region_, region_address,
                           verbs::rights::local_write | verbs::rights::remote_write | verbs::rights::remote_read)
          .value_or(verbs::MemoryKey{});
  verbs::MemoryKey control_key_ =
      memory_.register_region(pd_, control_, control_address, verbs::rights::local_write).value_or(verbs::MemoryKey{});
  verbs::CompletionQueue send_cq_{options_.depth + 16};
  verbs::CompletionQueue receive_cq_{max_messages_a_round + 2 * num_control_slots};
  verbs::EventQueue events_{64};
  iwarp::MpaQueuePair qp_{{{1},
                           verbs::Service::iwarp,
                           pd_,
                           {options_.depth + 8, 1, control_len},
                           {max_messages_a_round + 2 * num_control_slots, 1, 0},
                           true},
                          {memory_, send_cq_, receive_cq_, events_, nullptr},
                          config_of(options_)};
  IwarpHost host_;
};

TransferResult client_rounds(Party& party, const TransferPlan& plan) {
  TransferResult& result = party.result();
  for (std::uint64_t round = 0;; ++round) {
    const bool last = round == party.num_rounds();
    if (!last) party.begin_round(round);
    if (!last && plan.by != TransferBy::read) party.make_up_data(round);
    const std::optional<Control> ready = party.hear(Kind::ready, round);
    if (!ready || !party.compare(ready->checksum) || last) return party.finish();
    if (plan.by == TransferBy::read) {
      party.clear();
    } else {
      party.add_to_checksum(round);
    }
    party.expect(2);

    const Time begin = monotonic_now();
    const std::uint32_t num_messages = party.num_messages(round);
    std::uint32_t num_posted = 0;
    party.count_from_zero();
    const bool sent = party.wait([&] {
      while (num_posted < num_messages && num_posted - party.num_sent() < party.depth()) {
        party.post_data(round, num_posted++);
      }
      return party.num_sent() == num_messages;
    });
    Time end = monotonic_now();
    if (!sent) return party.finish();
    if (plan.by == TransferBy::read) party.add_to_checksum(round);
    party.say(Kind::done, round);
    if (!party.hear(Kind::arrived, round)) return party.finish();
    if (plan.by != TransferBy::read) end = monotonic_now();
    result.seconds += std::chrono::duration<double>(end - begin).count();
  }
}

TransferResult server_rounds(Party& party, const TransferPlan& plan) {
  for (std::uint64_t round = 0;; ++round) {
    const bool last = round == party.num_rounds();
    if (!last) party.begin_round(round);
    if (last) {
      party.say(Kind::ready, round);
      return party.finish();
    }
    if (plan.by == TransferBy::read) {
      party.make_up_data(round);
    } else {
      party.clear();
    }
    for (std::uint32_t i = 0; plan.by == TransferBy::send && i < party.num_messages(round); ++i) {
      party.post_data_receive(round, i);
    }
    party.expect(1);
    party.say(Kind::ready, round);
    if (plan.by == TransferBy::read) party.add_to_checksum(round);
    const std::optional<Control> done = party.hear(Kind::done, round);
    if (!done) return party.finish();
    party.say(Kind::arrived, round);
    if (plan.by != TransferBy::read) party.add_to_checksum(round);
    if (!party.compare(done->checksum)) return party.finish();
  }
}

}  // namespace

std::string_view name_of(TransferBy by) {
  return by == TransferBy::write ? "write" : by == TransferBy::send ? "send" : "read";
}

TransferResult run_transfer_client(TcpStream stream, const TransferPlan& plan, const TransferOptions& options,
                                   Time until) {
  const auto request = write_request({plan, options.region_len});
  Party party(options, std::move(stream), iwarp::Role::initiator, request, until);
  party.expect(1);
  if (!party.wait([&] { return party.qp().verbs().state() == verbs::QpState::rts; })) return party.finish();
  const Bytes reply = party.qp().mpa().peer_private_data();
  if (reply.size() != reply_len || load_be<4>(reply.data() + 4) == 0) {
    party.fail("the peer's private data are not those of a transfer");
    return party.finish();
  }
  party.set_peer_key(static_cast<std::uint32_t>(load_be<4>(reply.data())));
  party.plan(plan, static_cast<std::uint32_t>(load_be<4>(reply.data() + 4)));
  return client_rounds(party, plan);
}

TransferResult run_transfer_server(TcpStream stream, const TransferOptions& options, Time until) {
  Party party(options, std::move(stream), iwarp::Role::responder, {}, until);
  if (!party.wait([&] { return party.qp().mpa().state() == iwarp::MpaState::request_received; })) {
    return party.finish();
  }
  const std::optional<Request> request = read_request(party.qp().mpa().peer_private_data());
  if (!request) {
    party.fail("the peer's private data are not those of a transfer");
    static_cast<void>(party.qp().reject({}, monotonic_now()));
    return party.finish();
  }
  party.plan(request->plan, request->region_len);
  std::array<std::uint8_t, reply_len> reply;
  store_be<4>(reply.data(), party.region_key());
  store_be<4>(reply.data() + 4, options.region_len);
  iwarp::MpaAnswer answer;
  answer.private_data = reply;
  if (!party.qp().accept(answer, monotonic_now())) {
    party.fail("the connection cannot be accepted");
    return party.finish();
  }
  if (!party.wait([&] { return party.qp().verbs().state() == verbs::QpState::rts; })) return party.finish();
  return server_rounds(party, request->plan);
}

}  // namespace rdmawire::wire
