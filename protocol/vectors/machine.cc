#include "protocol/vectors/machine.h"

#include <array>
#include <stdexcept>

#include "protocol/vectors/digest.h"
#include "protocol/vectors/machines.h"

namespace rdmawire::vectors {
namespace {

struct Player {
  const Json& vector;
  Machine& machine;
  std::size_t number = 0;
  Time now{};
  Json state{};
  std::string difference{};

  bool must_be(std::string_view what, const Json& is, const Json& must) {
    if (is == must) return true;
    difference =
        "step " + std::to_string(number) + ": " + std::string(what) + ": is " + is.dump() + ", must be " + must.dump();
    return false;
  }

  bool step(const Json& one) {
    if (const auto time = one.find("now"); time != one.end()) now = Time(time->get<std::int64_t>());
    Json gives = Json::object();
    if (!machine.apply(one, now, gives)) throw std::invalid_argument("no such step: " + one.dump());
    if (!must_be("gives", gives, one.value("gives", Json::object()))) return false;
    return !one.contains("out") || outputs(one);
  }
  bool outputs(const Json& one) {
    for (const Json& must : one["out"]) {
      const auto is = machine.poll(now);
      if (!must_be("out", is.value_or(Json()), must)) return false;
    }
    if (one.contains("more")) return true;
    const auto is = machine.poll(now);
    return must_be("out", is.value_or(Json()), Json());
  }
  bool seen(const Json& one) {
    // The host does what it shall do before it looks at what has ended: that may flush.
    for (const char* name : {"action", "completions", "segments", "events", "ahead", "mpa_events", "deadline",
                             "peer_private_data", "negotiated", "wants_end", "may_restart"}) {
      const auto must = one.find(name);
      if (must != one.end() && !must_be(name, machine.look(name), *must)) return false;
    }
    state = one.value("state", state);
    return must_be("state", machine.state(), state);
  }
};

}  // namespace

std::string play(const Json& vector, const std::vector<std::string_view>& quirks) {
  const auto machine = make_machine(vector, quirks);
  Player player{vector, *machine};
  player.state = machine->state();
  for (const Json& one : vector.at("steps")) {
    ++player.number;
    if (!player.step(one) || !player.seen(one)) return player.difference;
  }
  const auto memory = vector.find("memory");
  if (memory != vector.end()) player.must_be("memory", digest(machine->memory()), *memory);
  return player.difference;
}

std::unique_ptr<Machine> make_machine(const Json& vector, const std::vector<std::string_view>& quirks) {
  const auto name = vector.at("machine").get<std::string>();
  for (const MachineKind& kind : machine_kinds) {
    if (kind.name == name) return kind.make(vector.at("setup"), quirks);
  }
  throw std::invalid_argument("no such machine: " + name);
}

}  // namespace rdmawire::vectors
