// The start-up of MPA.
#include <array>

#include "protocol/iwarp/mpa_connection.h"
#include "protocol/vectors/host.h"
#include "protocol/vectors/iwarp_fields.h"
#include "protocol/vectors/machines.h"

namespace rdmawire::vectors {
namespace {

iwarp::MpaConfig config_of(const Json& setup, const QuirkNames& quirks) {
  auto out = member_or<iwarp::MpaConfig>(setup, "config");
  add_quirks(out.quirks, quirks, &iwarp::find_quirk);
  return out;
}

class Mpa final : public Machine {
 public:
  Mpa(const Json& setup, const QuirkNames& quirks) : mpa_(config_of(setup, quirks)) {}

  bool apply(const Json& step, Time now, Json& gives) override {
    const auto verb = step.at("do").get<std::string>();
    OwnedAnswer answer;
    read_answer(step, answer);
    if (verb == "octets") {
      const auto octets = unpack(step.at("octets").get<std::string>());
      const std::size_t taken = mpa_.on_octets(octets, now);
      if (taken != octets.size()) gives["taken"] = taken;
    } else if (verb == "start_initiator") {
      tell_result(gives, mpa_.start_initiator(answer.private_data, now));
    } else if (verb == "start_responder") {
      tell_result(gives, mpa_.start_responder(now));
    } else if (verb == "accept") {
      tell_result(gives, mpa_.accept(answer.answer));
    } else if (verb == "reject") {
      tell_result(gives, mpa_.reject(answer.answer));
    } else if (verb == "confirm_reply") {
      tell_result(gives, mpa_.confirm_reply());
    } else if (verb == "refuse_reply") {
      tell_result(gives, mpa_.refuse_reply());
    } else if (verb == "deadline") {
      mpa_.on_deadline(now);
    } else {
      return tell(verb);
    }
    return true;
  }
  std::optional<Json> poll(Time) override {
    std::array<std::uint8_t, iwarp::max_startup_len> out;
    const std::size_t size = mpa_.poll_octets(out);
    if (size == 0) return std::nullopt;
    return pack(Bytes(out).first(size));
  }
  Json look(std::string_view name) override {
    if (name == "deadline") return to_json(mpa_.next_deadline());
    if (name == "private_data") return pack(mpa_.peer_private_data());
    if (name == "negotiated") return to_json(mpa_.negotiated());
    Json out = Json::array();
    while (const auto event = mpa_.poll_event()) out.push_back(to_json(*event));
    return out;
  }
  Json state() override { return to_json(mpa_.state()); }

 private:
  bool tell(std::string_view verb) {
    if (verb == "first_fpdu_sent") {
      mpa_.on_first_fpdu_sent();
    } else if (verb == "peer_closed") {
      mpa_.on_peer_closed();
    } else if (verb == "connection_lost") {
      mpa_.on_connection_lost();
    } else if (verb == "local_error") {
      mpa_.on_local_error();
    } else {
      return verb == "poll";
    }
    return true;
  }

  iwarp::MpaConnection mpa_;
};

}  // namespace

std::unique_ptr<Machine> make_mpa(const Json& setup, const QuirkNames& quirks) {
  return std::make_unique<Mpa>(setup, quirks);
}

}  // namespace rdmawire::vectors
