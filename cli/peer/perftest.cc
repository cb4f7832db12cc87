// The server of perftest's programs with -R (ib_send_bw, ib_write_bw, ib_read_bw, ib_atomic_bw, ib_read_lat,
// ib_atomic_lat), seen with version 6.06 of their exchange.
//
// A client connects twice or more. On the first connection both say words of perftest in SENDs, the client first, and
// the server answers each with one of the same length: the version in text (16 octets), the size of its buffer, that of
// a cache line (4 each), the path MTU's code in text (2); then again and again how to reach it (56), with zeros as long
// as it has no queue pair for the test; at the end its results (8 each). After the first zeros it opens the connections
// of the test. On iWARP, which does not hold back SENDs, a client of ib_send_bw says where the server is to write how
// many it has received.
#include <algorithm>
#include <any>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "cli/peer/inbox.h"
#include "cli/peer/memory_place.h"
#include "cli/peer/service.h"
#include "cli/peer/session.h"

namespace rdmawire::cli::peer {
namespace {

constexpr std::uint64_t memory_address = 0x1'0000'0000;
constexpr std::uint64_t count_address = 0x1000;

// Clients of later versions leave out what this one did not know.
constexpr std::string_view version = "6.06";
constexpr std::size_t version_len = 16;

// How to reach a queue pair; big-endian: LID 4, reads at a time 4, QPN 4, PSN 4, R_Key 4, nothing 4, address 8, GID 16,
// SRQ 4, index of the GID 4.
struct Destination {
  static constexpr std::size_t size = 56;

  std::uint32_t num_reads = 0;
  std::uint32_t qpn = 0;
  std::uint32_t key = 0;
  std::uint64_t address = 0;

  static Destination decode(std::span<const std::uint8_t, size> octets) {
    const auto word = [&](std::size_t at) { return static_cast<std::uint32_t>(load_be<4>(octets.data() + at)); };
    return {word(4), word(8), word(16), load_be<8>(octets.data() + 24)};
  }
  void write(std::uint8_t* out) const {
    std::fill_n(out, size, std::uint8_t{0});
    store_be<4>(out + 4, num_reads);
    store_be<4>(out + 8, qpn);
    store_be<4>(out + 16, key);
    store_be<8>(out + 24, address);
  }
};

// One run of a client's program.
struct Run {
  std::string host;
  bool awaits_connections = false;     // those of the test
  std::vector<Destination> own;        // of the test's connections, in the order in which they came
  std::vector<Destination> of_client;  // in the order in which they were said
};
// All that may still be going on.
using Runs = std::vector<std::weak_ptr<Run>>;

std::string host_of(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

class Perftest final : public Service {
 public:
  Perftest(const ServiceOptions& options, std::shared_ptr<Runs> runs) : options_(options), runs_(std::move(runs)) {}

  // Whether it is the first connection of a run is known when the request is there.
  void prepare(Session& session) override { session_ = &session; }

  std::string take_private_data(Bytes) override {
    const std::string host = host_of(session_->peer());
    std::erase_if(*runs_, [](const auto& one) { return one.expired(); });
    const auto awaiting = std::ranges::find_if(*runs_, [&](const auto& one) {
      const auto run = one.lock();
      return run && run->awaits_connections && run->host == host;
    });
    if (awaiting != runs_->end()) {
      run_ = awaiting->lock();
      prepare_test();
    } else {
      run_ = std::make_shared<Run>(Run{host, false, {}, {}});
      runs_->push_back(run_);
      inbox_.open(*session_, Destination::size);
    }
    return {};
  }

  Flow run(Session& session) override { return number_ ? test(session) : exchange(session); }

  void add_report(Report& report) const override {
    report.add("part", number_ ? "test" : "exchange");
    if (!number_) {
      report.add("version_of_client", version_of_client_);
      return;
    }
    report.add("memory", MemoryPlace{memory_address, run_->own[*number_].key, options_.region_len}.report(memory_));
    inbox_.add_report(report);
  }

 private:
  void prepare_test() {
    using namespace verbs::rights;
    memory_.resize(options_.region_len);
    const auto key =
        session_->add_memory(memory_, memory_address, local_write | remote_write | remote_read | remote_atomic);
    count_key_ = session_->add_memory(count_, count_address, local_write);
    inbox_.open(*session_, options_.size);
    number_ = run_->own.size();
    run_->own.push_back({0, session_->number(), key.value, memory_address});
  }

  Flow exchange(Session& session) {
    while (const auto said = co_await session.next_receive()) {
      const Bytes message = inbox_.message(*said);
      std::array<std::uint8_t, Destination::size> answer{};
      std::ranges::copy(message, answer.begin());
      if (message.size() == version_len) {
        take_version(message);
        std::ranges::fill(answer, std::uint8_t{0});
        std::ranges::copy(version, answer.begin());
      } else if (message.size() == Destination::size &&
                 !answer_destination(message.first<Destination::size>(), answer)) {
        session.fail(
            "perftest's client wants a queue pair without a connection for it: only -R, where RDMA-CM makes the "
            "connections of the test, works with this peer");
        co_return;
      }
      verbs::SendWork work;
      work.opcode = verbs::WorkOpcode::send;
      work.inline_data = true;
      work.data = Bytes(answer).first(message.size());
      inbox_.post(session, said->id.value);
      session.post_send(work);
      if (!co_await session.next_send()) co_return;
    }
  }

  void take_version(Bytes message) {
    const auto end = std::ranges::find(message, std::uint8_t{0});
    version_of_client_.clear();
    for (auto at = message.begin(); at != end; ++at) version_of_client_ += *at > ' ' && *at <= '~' ? char(*at) : '?';
  }

  // false: there is no connection for it.
  bool answer_destination(std::span<const std::uint8_t, Destination::size> message, MutableBytes answer) {
    const Destination client = Destination::decode(message);
    if (client.qpn == 0) {
      // It has none yet, and wants none to be said.
      run_->awaits_connections = run_->of_client.empty();
      return true;
    }
    run_->awaits_connections = false;
    auto& said = run_->of_client;
    auto at = std::ranges::find(said, client.qpn, &Destination::qpn);
    const auto number = static_cast<std::size_t>(at - said.begin());
    if (number >= run_->own.size()) return false;
    if (at == said.end()) {
      said.push_back(client);
    } else {
      *at = client;
    }
    Destination own = run_->own[number];
    own.num_reads = client.num_reads;
    own.write(answer.data());
    return true;
  }

  Flow test(Session& session) {
    while (const auto done = co_await session.next_receive()) {
      inbox_.count(*done);
      inbox_.post(session, done->id.value);
      if (!session.is_iwarp() || *number_ >= run_->of_client.size()) continue;
      if (session.has_receive() && inbox_.num_counted() % count_interval != 0) continue;
      write_count(session, run_->of_client[*number_]);
      if (!co_await session.next_send()) co_return;
    }
  }

  // How many messages came, in the byte order that perftest's machines nearly all have: it is memory of theirs.
  void write_count(Session& session, const Destination& client) {
    for (std::size_t i = 0; i < count_.size(); ++i)
      count_[i] = static_cast<std::uint8_t>(inbox_.num_counted() >> (8 * i));
    const verbs::Sge sge{count_address, static_cast<std::uint32_t>(count_.size()), count_key_};
    verbs::SendWork work;
    work.opcode = verbs::WorkOpcode::rdma_write;
    work.sges = {&sge, 1};
    work.remote_address = client.address;
    work.r_key = {client.key};
    session.post_send(work);
  }

  // A client holds back when as many as its --rx-depth are not counted, 512 or all that it will send. Besides, it is
  // told whenever nothing more is there.
  static constexpr std::uint64_t count_interval = 128;

  ServiceOptions options_;
  std::shared_ptr<Runs> runs_;
  std::shared_ptr<Run> run_;
  Session* session_ = nullptr;
  std::optional<std::size_t> number_;  // of the connection of the test; the first one has none
  Inbox inbox_;
  std::string version_of_client_;

  std::vector<std::uint8_t> memory_;
  std::array<std::uint8_t, 4> count_{};
  verbs::MemoryKey count_key_;
};

}  // namespace

std::unique_ptr<Service> make_perftest_server(const ServiceOptions& options, std::any& shared) {
  if (!shared.has_value()) shared = std::make_shared<Runs>();
  return std::make_unique<Perftest>(options, std::any_cast<std::shared_ptr<Runs>>(shared));
}

}  // namespace rdmawire::cli::peer
