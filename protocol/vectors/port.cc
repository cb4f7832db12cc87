// A port of InfiniBand or RoCE, with queue pairs: whole frames.
#include "protocol/ib/port.h"

#include <map>
#include <stdexcept>
#include <variant>

#include "protocol/ib/rc_queue_pair.h"
#include "protocol/ib/ud_queue_pair.h"
#include "protocol/vectors/host.h"
#include "protocol/vectors/machines.h"
#include "protocol/vectors/port_fields.h"

namespace rdmawire::vectors {
namespace {

class PortMachine final : public Machine {
 public:
  PortMachine(const Json& setup, const QuirkNames& quirks)
      : host_(setup), quirks_(quirks), port_(quirky<ib::PortConfig>(setup, quirks)) {}

  bool apply(const Json& step, Time now, Json& gives) override {
    if (host_.apply(step, gives)) return true;
    const auto verb = step.at("do").get<std::string>();
    if (verb == "frame") {
      const DropCounts before = drop_counts(port_);
      port_.on_frame(unpack(step.at("octets").get<std::string>()), now);
      if (Json dropped = dropped_since(port_, before); !dropped.is_null()) gives["dropped"] = std::move(dropped);
    } else if (verb == "deadline") {
      port_.on_deadline(now);
    } else if (verb == "create_qp") {
      create(step);
    } else if (step.contains("qp")) {
      return apply_to_member(verb, step, gives);
    } else {
      return false;
    }
    return true;
  }
  std::optional<Json> poll(Time now) override {
    const std::size_t size = port_.poll_transmit(frame_, now);
    if (size == 0) return std::nullopt;
    return pack(Bytes(frame_).first(size));
  }
  Json look(std::string_view name) override {
    if (name == "completions") return host_.completions();
    if (name == "events") return host_.events();
    return to_json(port_.next_deadline());
  }
  Json state() override { return states_of(attached_); }
  Bytes memory() override { return host_.octets(); }

 private:
  using AnyQueuePair = std::variant<ib::RcQueuePair, ib::UdQueuePair>;

  template <class Config>
  static Config quirky(const Json& from, const QuirkNames& quirks) {
    auto out = member_or<Config>(from, "config");
    add_quirks(out.quirks, quirks, &ib::find_quirk);
    return out;
  }
  void create(const Json& step) {
    const auto qp = from_json<verbs::QpConfig>(step.at("qp"));
    const auto service = step.at("service").get<std::string>();
    if (service == "rc") {
      queue_pairs_.try_emplace(qp.number.value, std::in_place_type<ib::RcQueuePair>, qp, host_.resources(),
                               quirky<ib::RcConfig>(step, quirks_));
    } else if (service == "ud") {
      verbs::QpConfig datagrams = qp;
      datagrams.service = verbs::Service::ud;
      queue_pairs_.try_emplace(qp.number.value, std::in_place_type<ib::UdQueuePair>, datagrams, host_.resources(),
                               from_json<ib::PathMtu>(step.at("mtu")));
    } else {
      throw std::invalid_argument("no such service: " + service);
    }
  }
  bool apply_to_member(const std::string& verb, const Json& step, Json& gives) {
    return std::visit(
        [&](auto& qp) {
          if (apply_to_queue_pair(qp, qp, host_.octets(), step, gives)) return true;
          if (verb == "attach") {
            tell_result(gives, port_.attach(qp));
            attached_.push_back(&qp.verbs());
          } else if (verb == "detach") {
            port_.detach(qp);
            std::erase(attached_, &qp.verbs());
          } else if (verb == "join") {
            tell_result(gives, port_.join(qp, from_json<Gid>(step.at("group"))));
          } else if (verb == "leave") {
            port_.leave(qp, from_json<Gid>(step.at("group")));
          } else {
            return false;
          }
          return true;
        },
        queue_pairs_.at(step.at("qp").get<std::uint32_t>()));
  }

  Host host_;
  QuirkNames quirks_;
  std::map<std::uint32_t, AnyQueuePair> queue_pairs_;
  std::vector<const verbs::QueuePair*> attached_;
  ib::Port port_;  // goes before they do
  std::vector<std::uint8_t> frame_ = std::vector<std::uint8_t>(ib::max_frame_len(4096));
};

}  // namespace

std::unique_ptr<Machine> make_port(const Json& setup, const QuirkNames& quirks) {
  return std::make_unique<PortMachine>(setup, quirks);
}

}  // namespace rdmawire::vectors
