// Memory that a peer may read, write and operate on, and receives for what it sends. The answer to a connection request
// says where: for each region 16 octets, address, key and length, big-endian; as many as there is room for.
#include <algorithm>
#include <vector>

#include "cli/peer/inbox.h"
#include "cli/peer/memory_place.h"
#include "cli/peer/service.h"
#include "cli/peer/session.h"

namespace rdmawire::cli::peer {
namespace {

constexpr std::uint64_t first_address = 0x1'0000'0000;
constexpr std::uint64_t address_step = 0x1'0000'0000;

class Responder final : public Service {
 public:
  explicit Responder(const ServiceOptions& options) : message_len_(options.size) {
    regions_.resize(options.num_regions, std::vector<std::uint8_t>(options.region_len));
  }

  void prepare(Session& session) override {
    using namespace verbs::rights;
    std::uint64_t address = first_address;
    for (auto& region : regions_) {
      const auto key = session.add_memory(region, address, local_write | remote_write | remote_read | remote_atomic);
      places_.push_back({address, key.value, static_cast<std::uint32_t>(region.size())});
      address += address_step;
    }
    inbox_.open(session, message_len_);
  }

  std::vector<std::uint8_t> private_data(const Session& session) const override {
    const std::size_t num = std::min(places_.size(), session.max_private_data() / MemoryPlace::size);
    std::vector<std::uint8_t> out(num * MemoryPlace::size);
    for (std::size_t i = 0; i < num; ++i) places_[i].write(out.data() + i * MemoryPlace::size);
    return out;
  }

  Flow run(Session& session) override {
    while (const auto done = co_await session.next_receive()) {
      inbox_.count(*done);
      inbox_.post(session, done->id.value);
    }
  }

  void add_report(Report& report) const override {
    std::vector<Report> regions;
    for (std::size_t i = 0; i < places_.size(); ++i) regions.push_back(places_[i].report(regions_[i]));
    report.add("regions", std::move(regions));
    inbox_.add_report(report);
  }

 private:
  std::uint32_t message_len_;
  std::vector<std::vector<std::uint8_t>> regions_;
  std::vector<MemoryPlace> places_;
  Inbox inbox_;
};

}  // namespace

std::unique_ptr<Service> make_responder(const ServiceOptions& options, std::any&) {
  return std::make_unique<Responder>(options);
}

}  // namespace rdmawire::cli::peer
