// Operations on a responder's memory, as many at a time as the depth allows. With verify the data of each round of
// WRITEs, a round being as much as the memory holds, are read back and compared, and checksums of both directions kept.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/peer/memory_place.h"
#include "cli/peer/perf_operations.h"
#include "cli/peer/service.h"
#include "cli/peer/session.h"
#include "protocol/link/random.h"

namespace rdmawire::cli::peer {
namespace {

using verbs::WorkOpcode;

constexpr std::uint64_t own_address = 0x1000'0000;
constexpr std::uint32_t max_own_len = 256 << 20;

class Perf final : public Service {
 public:
  explicit Perf(const ServiceOptions& options)
      : options_(options), operation_(*find_perf_operation(options.operation)), random_(options.seed) {
    if (info().takes_response && !is_read()) options_.size = verbs::atomic_len;
  }

  void prepare(Session& session) override {
    // A message for each request that can be outstanding, and for a round that is to be compared.
    own_len_ = std::max<std::uint64_t>(std::uint64_t{options_.size} * session.depth(), options_.region_len);
    own_len_ = std::min<std::uint64_t>(own_len_, max_own_len);
    own_len_ = std::max<std::uint64_t>(own_len_, options_.size);
    own_.resize(own_len_);
    make_up();
    own_key_ = session.add_memory(own_, own_address, verbs::rights::local_write);
  }

  std::string take_private_data(Bytes octets) override {
    const auto place = MemoryPlace::read(octets);
    if (!place && !is_send()) {
      return "the peer's private data do not say where its memory lies (address, key and length, 16 octets)";
    }
    if (place) place_ = *place;
    if (!is_send() && place_.length < options_.size) {
      return fmt::format("the peer has memory of {} octets, and {} are to be moved at a time", place_.length,
                         options_.size);
    }
    return {};
  }

  Flow run(Session& session) override {
    const std::uint64_t per_round = messages_a_round();
    for (std::uint64_t done = 0; options_.count == 0 || done < options_.count;) {
      std::uint64_t num = per_round;
      if (options_.count != 0) num = std::min(num, options_.count - done);
      if (done != 0 && options_.verify) make_up();
      for (std::uint64_t posted = 0, completed = 0; completed < num;) {
        while (posted < num && posted - completed < session.depth()) post(session, operation_, posted++);
        const auto one = co_await session.next_send();
        if (!one) co_return;
        ++completed;
      }
      done += num;
      if (!options_.verify) continue;
      const std::size_t length = num * options_.size;
      sent_ = add(sent_, length);
      if (operation_ != WorkOpcode::rdma_write) continue;
      std::ranges::fill(own_, std::uint8_t{0});
      for (std::uint64_t posted = 0, completed = 0; completed < num;) {
        while (posted < num && posted - completed < session.depth()) post(session, WorkOpcode::rdma_read, posted++);
        if (!co_await session.next_send()) co_return;
        ++completed;
      }
      back_ = add(back_, length);
      if (back_ != sent_) {
        session.fail("the data that were read back are not those that were written");
        co_return;
      }
    }
  }

  void add_report(Report& report) const override {
    if (place_.length != 0) report.add("memory", place_.report());
    if (!options_.verify) return;
    report.add(operation_ == WorkOpcode::rdma_read ? "read_crc32" : "sent_crc32", fmt::format("{:08x}", sent_));
    if (operation_ == WorkOpcode::rdma_write) report.add("read_back_crc32", fmt::format("{:08x}", back_));
  }

 private:
  const verbs::WorkOpcodeInfo& info() const { return verbs::info(operation_); }
  bool is_send() const { return info().completion == verbs::CompletionOpcode::send; }
  bool is_read() const { return operation_ == WorkOpcode::rdma_read; }
  std::uint64_t messages_a_round() const {
    std::uint64_t room = own_len_;
    if (place_.length != 0 && !is_send()) room = std::min<std::uint64_t>(room, place_.length);
    return std::max<std::uint64_t>(room / options_.size, 1);
  }
  std::uint32_t add(std::uint32_t checksum, std::size_t length) const {
    return static_cast<std::uint32_t>(crc32_z(checksum, own_.data(), length));
  }
  void make_up() {
    if (!options_.verify && made_up_) return;
    made_up_ = true;
    random_.fill(own_);
  }

  void post(Session& session, WorkOpcode opcode, std::uint64_t number) {
    const bool atomic = opcode == WorkOpcode::compare_swap || opcode == WorkOpcode::fetch_add;
    const std::uint64_t at = number * options_.size;
    const verbs::Sge sge{own_address + at, options_.size, own_key_};
    verbs::SendWork work;
    work.id = {number};
    work.opcode = opcode;
    work.sges = {&sge, 1};
    work.r_key = {place_.key};
    // The peer's region, which no SEND may invalidate; where the peer says of none, a key that nobody has.
    work.invalidate = {place_.key};
    // All atomics are for one word: that they come one after the other shows in it.
    work.remote_address = place_.address + (atomic ? 0 : at);
    work.compare = number;
    work.swap_or_add = opcode == WorkOpcode::fetch_add ? 1 : number + 1;
    session.post_send(work);
  }

  ServiceOptions options_;
  WorkOpcode operation_;
  link::SplitMix64 random_;
  MemoryPlace place_;
  std::uint64_t own_len_ = 0;
  std::vector<std::uint8_t> own_;
  verbs::MemoryKey own_key_;
  bool made_up_ = false;
  std::uint32_t sent_ = 0;
  std::uint32_t back_ = 0;
};

}  // namespace

std::unique_ptr<Service> make_perf(const ServiceOptions& options, std::any&) { return std::make_unique<Perf>(options); }

}  // namespace rdmawire::cli::peer
