// The connection manager.
#include "protocol/cm/manager.h"

#include "protocol/vectors/cm_fields.h"
#include "protocol/vectors/host.h"
#include "protocol/vectors/machines.h"

namespace rdmawire::vectors {
namespace {

cm::Config config_of(const Json& setup, const QuirkNames& quirks) {
  auto out = member_or<cm::Config>(setup, "config");
  set_capacities(out, member_or<cm::Capacities>(setup, "capacities"));
  add_quirks(out.quirks, quirks, &ib::find_quirk);
  return out;
}

class Cm final : public Machine {
 public:
  Cm(const Json& setup, const QuirkNames& quirks) : cm_(config_of(setup, quirks)) {}

  bool apply(const Json& step, Time now, Json& gives) override {
    const auto verb = step.at("do").get<std::string>();
    const auto private_octets = unpack(step.value("private_data", ""));
    const auto info_octets = unpack(step.value("additional_info", ""));
    const Octets octets{private_octets, info_octets};
    if (step.contains("id")) return apply_to(from_json<cm::ConnectionId>(step["id"]), verb, step, octets, now, gives);
    if (verb == "mad") {
      cm_.on_mad(unpack(step.at("octets").get<std::string>()), member_or<verbs::AddressVector>(step, "from"), now);
    } else if (verb == "deadline") {
      cm_.on_deadline(now);
    } else if (verb == "listen") {
      tell(gives, "listener", cm_.listen(of<ServiceId>(step, "service"), member_or<cm::ListenParams>(step, "params")));
    } else if (verb == "stop_listening") {
      tell_result(gives, cm_.stop_listening(of<cm::ListenerId>(step, "listener")));
    } else if (verb == "connect") {
      auto params = member_or<cm::ConnectParams>(step, "params");
      params.private_data = octets.private_data;
      tell(gives, "id", cm_.connect(params, now));
    } else if (verb == "resolve") {
      auto params = member_or<cm::ResolveParams>(step, "params");
      params.private_data = octets.private_data;
      tell(gives, "id", cm_.resolve(params, now));
    } else if (verb == "num_connections") {
      gives["count"] = cm_.num_connections();
    } else if (verb == "counters") {
      gives = to_json(cm_.counters());
    } else {
      return verb == "poll";
    }
    return true;
  }
  std::optional<Json> poll(Time now) override {
    cm::TxMad mad;
    if (!cm_.poll_transmit(mad, now)) return std::nullopt;
    return mad_json(mad);
  }
  Json look(std::string_view name) override {
    if (name == "deadline") return to_json(cm_.next_deadline());
    Json out = Json::array();
    while (const auto event = cm_.poll_event()) out.push_back(to_json(*event));
    return out;
  }

 private:
  struct Octets {
    Bytes private_data;
    Bytes additional_info;
  };

  template <class T>
  static T of(const Json& step, const char* name) {
    return from_json<T>(step.at(name));
  }
  template <class T>
  static void tell(Json& gives, const char* name, const cm::CmResult<T>& result) {
    tell_result(gives, result);
    if (result) gives[name] = to_json(*result);
  }

  bool apply_to(cm::ConnectionId id, std::string_view verb, const Json& step, const Octets& octets, Time now,
                Json& gives) {
    if (verb == "accept") {
      auto params = member_or<cm::AcceptParams>(step, "params");
      params.private_data = octets.private_data;
      tell_result(gives, cm_.accept(id, params, now));
    } else if (verb == "establish") {
      tell_result(gives, cm_.establish(id, octets.private_data, now));
    } else if (verb == "note_communication") {
      tell_result(gives, cm_.note_communication(id, now));
    } else if (verb == "delay") {
      tell_result(gives, cm_.delay(id, of<ib::TimeoutCode>(step, "service_timeout"), octets.private_data, now));
    } else if (verb == "reject") {
      const auto reason = static_cast<mad::RejReason>(step.at("reason").get<std::uint16_t>());
      tell_result(gives, cm_.reject(id, {reason, octets.additional_info, octets.private_data}, now));
    } else if (verb == "disconnect") {
      tell_result(gives, cm_.disconnect(id, octets.private_data, now,
                                        member_or<std::optional<mad::TransactionId>>(step, "transaction")));
    } else if (verb == "load_path") {
      tell_result(gives, cm_.load_path(id, member_or<cm::Path>(step, "path"), octets.private_data, now));
    } else if (verb == "answer_path") {
      const auto status = static_cast<mad::AprStatus>(step.at("status").get<std::uint8_t>());
      tell_result(gives, cm_.answer_path(id, {status, octets.additional_info, octets.private_data}, now));
    } else if (verb == "answer_resolve") {
      auto answer = member_or<cm::ResolveAnswer>(step, "params");
      answer.status = static_cast<mad::SidrStatus>(step.at("status").get<std::uint8_t>());
      answer.additional_info = octets.additional_info;
      answer.private_data = octets.private_data;
      tell_result(gives, cm_.answer_resolve(id, answer, now));
    } else if (verb == "state") {
      gives["state"] = to_json(cm_.state(id));
    } else if (verb == "attributes") {
      gives = changed_json(cm_.attributes(id));
    } else {
      return false;
    }
    return true;
  }

  cm::Manager cm_;
};

}  // namespace

std::unique_ptr<Machine> make_cm(const Json& setup, const QuirkNames& quirks) {
  return std::make_unique<Cm>(setup, quirks);
}

}  // namespace rdmawire::vectors
