// A reliable connection of InfiniBand.
#include "protocol/ib/rc_queue_pair.h"

#include "protocol/vectors/host.h"
#include "protocol/vectors/ib_packet.h"
#include "protocol/vectors/machines.h"
#include "protocol/vectors/rc_fields.h"

namespace rdmawire::vectors {
namespace {

ib::RcConfig rc_config(const Json& setup, const QuirkNames& quirks) {
  auto out = member_or<ib::RcConfig>(setup, "config");
  add_quirks(out.quirks, quirks, &ib::find_quirk);
  return out;
}

class Rc final : public Machine {
 public:
  Rc(const Json& setup, const QuirkNames& quirks)
      : host_(setup), qp_(from_json<verbs::QpConfig>(setup.at("qp")), host_.resources(), rc_config(setup, quirks)) {}

  bool apply(const Json& step, Time now, Json& gives) override {
    if (host_.apply(step, gives) || apply_to_queue_pair(qp_, qp_, host_.octets(), step, gives)) return true;
    const auto verb = step.at("do").get<std::string>();
    if (verb == "packet") {
      const auto octets = unpack(step.at("octets").get<std::string>());
      ib::RxPacket packet = read_packet(octets);
      packet.congestion = step.value("congestion", false);
      qp_.on_packet(packet, now);
    } else if (verb == "deadline") {
      qp_.on_deadline(now);
    } else {
      return false;
    }
    return true;
  }
  std::optional<Json> poll(Time now) override {
    ib::TxPacket packet;
    if (!qp_.poll_transmit(packet, now)) return std::nullopt;
    return pack(packet_octets(packet, qp_.verbs().attributes().destination_qp));
  }
  Json look(std::string_view name) override {
    if (name == "completions") return host_.completions();
    if (name == "events") return host_.events();
    return to_json(qp_.next_deadline());
  }
  Json state() override { return to_json(qp_.verbs().state()); }
  Bytes memory() override { return host_.octets(); }

 private:
  Host host_;
  ib::RcQueuePair qp_;
};

}  // namespace

std::unique_ptr<Machine> make_rc(const Json& setup, const QuirkNames& quirks) {
  return std::make_unique<Rc>(setup, quirks);
}

}  // namespace rdmawire::vectors
