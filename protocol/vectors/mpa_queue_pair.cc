// A queue pair of iWARP on a TCP connection: octets in and out.
#include "protocol/iwarp/mpa_queue_pair.h"

#include "protocol/vectors/host.h"
#include "protocol/vectors/iwarp_fields.h"
#include "protocol/vectors/machines.h"

namespace rdmawire::vectors {
namespace {

iwarp::MpaQueuePairConfig config_of(const Json& setup, const QuirkNames& quirks) {
  auto out = member_or<iwarp::MpaQueuePairConfig>(setup, "config");
  add_quirks(out.mpa.quirks, quirks, &iwarp::find_quirk);
  add_quirks(out.rdmap.quirks, quirks, &iwarp::find_quirk);
  return out;
}

class MpaQueuePair final : public Machine {
 public:
  MpaQueuePair(const Json& setup, const QuirkNames& quirks)
      : host_(setup), qp_(qp_config(setup), host_.resources(), config_of(setup, quirks)), room_(1U << 17) {}

  bool apply(const Json& step, Time now, Json& gives) override {
    if (host_.apply(step, gives) || apply_to_queue_pair(qp_, qp_, host_.octets(), step, gives)) return true;
    const auto verb = step.at("do").get<std::string>();
    OwnedAnswer answer;
    read_answer(step, answer);
    if (verb == "octets") {
      const auto octets = unpack(step.at("octets").get<std::string>());
      const std::size_t taken = qp_.on_octets(octets, now);
      if (taken != octets.size()) gives["taken"] = taken;
    } else if (verb == "octets_ahead") {
      qp_.on_octets_ahead(step.at("offset").get<std::uint64_t>(), unpack(step.at("octets").get<std::string>()));
    } else if (verb == "connect") {
      tell_result(gives, qp_.connect(answer.private_data, now));
    } else if (verb == "listen") {
      tell_result(gives, qp_.listen(now));
    } else if (verb == "accept") {
      tell_result(gives, qp_.accept(answer.answer, now));
    } else if (verb == "reject") {
      tell_result(gives, qp_.reject(answer.answer, now));
    } else if (verb == "confirm_reply") {
      tell_result(gives, qp_.confirm_reply(now));
    } else if (verb == "refuse_reply") {
      tell_result(gives, qp_.refuse_reply(now));
    } else {
      return change(verb, step, now);
    }
    return true;
  }
  std::optional<Json> poll(Time now) override {
    const std::size_t size = qp_.poll_octets(MutableBytes(room_).first(room_len_), now);
    if (size == 0) return std::nullopt;
    return pack(Bytes(room_).first(size));
  }
  Json look(std::string_view name) override {
    if (name == "completions") return host_.completions();
    if (name == "events") return host_.events();
    if (name == "action") return to_json(qp_.take_action());
    if (name == "deadline") return to_json(qp_.next_deadline());
    Json out = Json::array();
    while (const auto event = qp_.poll_event()) out.push_back(to_json(*event));
    return out;
  }
  Json state() override { return state_json(qp_.verbs(), qp_.stream().state()); }
  Bytes memory() override { return host_.octets(); }

 private:
  static verbs::QpConfig qp_config(const Json& setup) {
    auto out = from_json<verbs::QpConfig>(setup.at("qp"));
    out.service = verbs::Service::iwarp;
    return out;
  }
  bool change(std::string_view verb, const Json& step, Time now) {
    if (verb == "set_room") {
      room_len_ = step.at("octets").get<std::size_t>();
    } else if (verb == "set_emss") {
      qp_.set_emss({step.at("emss").get<std::uint32_t>()});
    } else if (verb == "close") {
      qp_.close(now);
    } else if (verb == "peer_closed") {
      qp_.on_peer_closed(now);
    } else if (verb == "connection_lost") {
      qp_.on_connection_lost(now);
    } else if (verb == "deadline") {
      qp_.on_deadline(now);
    } else {
      return false;
    }
    return true;
  }

  Host host_;
  iwarp::MpaQueuePair qp_;
  std::vector<std::uint8_t> room_;
  std::size_t room_len_ = 70000;
};

}  // namespace

std::unique_ptr<Machine> make_mpa_queue_pair(const Json& setup, const QuirkNames& quirks) {
  return std::make_unique<MpaQueuePair>(setup, quirks);
}

}  // namespace rdmawire::vectors
