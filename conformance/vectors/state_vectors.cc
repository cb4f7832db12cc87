#include "conformance/vectors/state_vectors.h"

#include <fstream>
#include <stdexcept>

namespace rdmawire::conformance {
namespace {

using vectors::Json;

constexpr int known_version = 1;

Json parse(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  Json out = Json::parse(file, nullptr, false);
  if (out.is_discarded()) throw std::runtime_error(path + ": not JSON");
  if (out.value("schema", "") != "rdmawire-state-vectors" || out.value("version", 0) != known_version) {
    throw std::runtime_error(path + ": not state vectors of version " + std::to_string(known_version));
  }
  return out;
}

}  // namespace

std::vector<Json> read_state_vectors(const std::string& path) {
  const Json file = parse(path);
  std::vector<Json> out;
  for (const Json& vector : file.at("vectors")) {
    Json& whole = out.emplace_back(vector);
    whole["machine"] = file.at("machine");
    const auto begins = vector.find("begins_as");
    if (begins == vector.end()) continue;
    const Json& beginning = file.at("beginnings").at(begins->get<std::string>());
    whole["setup"] = beginning.at("setup");
    Json steps = beginning.at("steps");
    for (const Json& step : vector.at("steps")) steps.push_back(step);
    whole["steps"] = std::move(steps);
  }
  return out;
}

}  // namespace rdmawire::conformance
