#include "pcap/wire/simulated_wire.h"

#include <array>
#include <deque>
#include <vector>

#include "pcap/wire/frame_link.h"

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

struct Cable {
  explicit Cable(std::uint64_t seed) : link(frame_link_config(seed)) {}

  link::Link link;
  std::array<std::deque<std::vector<std::uint8_t>>, 2> arrived;  // and not taken yet, by the end
};

class SimulatedWire final : public Wire {
 public:
  SimulatedWire(std::shared_ptr<Cable> cable, std::uint16_t end) : cable_(std::move(cable)), own_{end} {}

  IoResult send(Bytes frame, Time now) override {
    const link::Endpoint other{static_cast<std::uint16_t>(1 - own_.value)};
    if (cable_->link.send(own_, other, frame, now) == link::SendOutcome::no_room) return {};
    return {Status::done, frame.size(), {}};
  }
  IoResult receive(MutableBytes out, Time now) override {
    while (const auto one = cable_->link.receive(now)) {
      cable_->arrived[one->to.value].emplace_back(one->octets.begin(), one->octets.end());
    }
    auto& arrived = cable_->arrived[own_.value];
    return arrived.empty() ? IoResult{} : take_first(arrived, out);
  }

  int descriptor() const override { return -1; }
  short events() const override { return 0; }
  std::optional<Time> next_deadline() const override {
    return cable_->arrived[own_.value].empty() ? cable_->link.next_arrival() : Time{};
  }
  std::string text() const override { return "simulated link"; }

 private:
  std::shared_ptr<Cable> cable_;
  link::Endpoint own_;
};

}  // namespace

std::pair<std::unique_ptr<Wire>, std::unique_ptr<Wire>> simulated_wires(const link::Impairments& impairments,
                                                                        std::uint64_t seed) {
  auto cable = std::make_shared<Cable>(seed);
  cable->link.set_all(impairments);
  return {std::make_unique<SimulatedWire>(cable, std::uint16_t{0}),
          std::make_unique<SimulatedWire>(cable, std::uint16_t{1})};
}

}  // namespace rdmawire::wire
