// Plays state vectors: conformance/vectors/SCHEMA.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"
#include "protocol/time.h"
#include "protocol/vectors/json.h"

namespace rdmawire::vectors {

// A machine that a vector is played on. What it throws means that the vector is not one: std::exception.
class Machine {
 public:
  virtual ~Machine() = default;
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Does the step, and says in gives what the call answers; false if it knows no such step.
  virtual bool apply(const Json& step, Time now, Json& gives) = 0;
  // The next packet, segment, ...; nothing if there is none now.
  virtual std::optional<Json> poll(Time now) = 0;
  // What the step says is seen then, by the names that the vectors have for it: completions, events, ... Asking takes
  // it away.
  virtual Json look(std::string_view name) = 0;
  virtual Json state() { return {}; }
  // The host's.
  virtual Bytes memory() { return {}; }
};

// By the vector's `machine` and `setup`. quirks: names of departures; those of another family are nobody's.
std::unique_ptr<Machine> make_machine(const Json& vector, const std::vector<std::string_view>& quirks = {});

// Where the machine does something else than the vector says: "step 3: out: is [...], must be [...]". Empty: nowhere.
std::string play(const Json& vector, const std::vector<std::string_view>& quirks = {});

}  // namespace rdmawire::vectors
