#include "conformance/vectors/mutants.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "protocol/ib/quirks.h"
#include "protocol/iwarp/quirks.h"

namespace rdmawire::conformance {
namespace {

using vectors::Json;

struct Part {
  std::string_view name;
  std::vector<std::string_view> machines;  // that have it
};

Part part_of(ib::QuirkOf machine) {
  using enum ib::QuirkOf;
  if (machine == requester) return {"requester", {"rc"}};
  if (machine == responder) return {"responder", {"rc"}};
  if (machine == port) return {"port", {"port"}};
  return {"cm", {"cm"}};
}
Part part_of(iwarp::QuirkOf machine) {
  using enum iwarp::QuirkOf;
  if (machine == mpa) return {"mpa", {"mpa", "mpa_queue_pair"}};
  if (machine == fpdu) return {"fpdu", {"mpa_queue_pair"}};
  if (machine == ddp) return {"ddp", {"rdmap", "mpa_queue_pair"}};
  if (machine == rdmap) return {"rdmap", {"rdmap", "mpa_queue_pair"}};
  return {"sctp", {"sctp"}};
}

bool names(const Json& vector, std::string_view requirement) {
  return std::ranges::any_of(vector.at("requirements"), [&](const Json& id) { return id == requirement; });
}

void hunt(Mutant& mutant, const std::vector<std::string_view>& machines, const std::vector<Json>& vectors) {
  for (const bool named : {true, false}) {
    for (const Json& vector : vectors) {
      if (std::ranges::find(machines, vector.at("machine").get<std::string>()) == machines.end()) continue;
      if (names(vector, mutant.requirement) != named) continue;
      ++mutant.num_played;
      mutant.difference = vectors::play(vector, {mutant.name});
      if (mutant.difference.empty()) continue;
      mutant.caught_by = vector.at("name").get<std::string>();
      return;
    }
  }
}

}  // namespace

std::vector<Mutant> measure(const std::vector<Json>& vectors, std::size_t step, std::size_t from) {
  std::vector<Mutant> out;
  std::size_t number = 0;
  const auto each = [&](const auto& row) {
    if (number++ % step != from % step) return;
    const Part part = part_of(row.machine);
    Mutant& mutant = out.emplace_back(Mutant{row.name, part.name, row.requirement, row.text});
    hunt(mutant, part.machines, vectors);
  };
  for (const auto& row : ib::quirk_table) each(row);
  for (const auto& row : iwarp::quirk_table) each(row);
  return out;
}

std::map<std::string, std::string> read_notes(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::map<std::string, std::string> out;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) out[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return out;
}

}  // namespace rdmawire::conformance
