// A session of DDP over SCTP: chunks in and out.
#include "protocol/vectors/host.h"
#include "protocol/vectors/machines.h"
#include "protocol/vectors/sctp_fields.h"

namespace rdmawire::vectors {
namespace {

iwarp::SctpConfig config_of(const Json& setup, const QuirkNames& quirks) {
  auto out = member_or<iwarp::SctpConfig>(setup, "config");
  add_quirks(out.mpa.quirks, quirks, &iwarp::find_quirk);
  return out;
}

class Sctp final : public Machine {
 public:
  Sctp(const Json& setup, const QuirkNames& quirks) : session_(config_of(setup, quirks)) {}

  bool apply(const Json& step, Time now, Json& gives) override {
    const auto verb = step.at("do").get<std::string>();
    const auto octets = unpack(step.value("octets", ""));
    OwnedAnswer owned;
    read_answer(step, owned);
    const iwarp::SctpAnswer answer{owned.private_data, owned.answer.ird, owned.answer.ord,
                                   step.value("because_enhanced", false)};
    if (verb == "chunk") {
      session_.on_chunk(static_cast<net::SctpPayloadProtocol>(step.at("protocol").get<std::uint32_t>()), octets, now);
    } else if (verb == "start_initiator") {
      tell_result(gives, session_.start_initiator(association(step), answer.private_data, now));
    } else if (verb == "start_responder") {
      tell_result(gives, session_.start_responder(association(step), nullptr));
    } else if (verb == "accept") {
      tell_result(gives, session_.accept(answer));
    } else if (verb == "reject") {
      tell_result(gives, session_.reject(answer));
    } else if (verb == "terminate") {
      tell_result(gives, session_.terminate(now));
    } else if (verb == "send") {
      const std::array<Bytes, 1> pieces{octets};
      tell_result(gives, session_.send(pieces));
    } else if (verb == "acknowledged") {
      session_.on_acknowledged(step.at("ssn").get<std::uint16_t>());
    } else {
      return tell(verb, now);
    }
    return true;
  }
  std::optional<Json> poll(Time) override {
    const auto chunk = session_.poll_transmit();
    if (!chunk) return std::nullopt;
    return chunk_json(*chunk);
  }
  Json look(std::string_view name) override {
    if (name == "may_restart") return session_.may_restart();
    Json out = Json::array();
    if (name == "events") {
      while (const auto event = session_.poll_event()) out.push_back(event_json(*event, session_));
    } else if (name == "segments") {
      while (const auto segment = session_.next_segment()) out.push_back(segment_json(*segment));
    } else {
      while (const auto segment = session_.next_ahead()) out.push_back(segment_json(*segment));
    }
    return out;
  }
  Json state() override { return to_json(session_.state()); }

 private:
  static iwarp::SctpAssociation association(const Json& step) {
    return member_or<iwarp::SctpAssociation>(step, "association");
  }
  bool tell(std::string_view verb, Time now) {
    if (verb == "all_acknowledged") {
      session_.on_all_acknowledged();
    } else if (verb == "association_lost") {
      session_.on_association_lost();
    } else if (verb == "association_shut_down") {
      session_.on_association_shut_down();
    } else if (verb == "deadline") {
      session_.on_deadline(now);
    } else {
      return verb == "poll";
    }
    return true;
  }

  iwarp::SctpSession session_;
};

}  // namespace

std::unique_ptr<Machine> make_sctp(const Json& setup, const QuirkNames& quirks) {
  return std::make_unique<Sctp>(setup, quirks);
}

}  // namespace rdmawire::vectors
