// Files of state vectors: SCHEMA.md.
#pragma once

#include <string>
#include <vector>

#include "protocol/vectors/machine.h"

namespace rdmawire::conformance {

// The vectors of a file, each whole: with its machine, its setup and all its steps. std::runtime_error if the file
// can't be read or is of another schema or version, with its name.
std::vector<vectors::Json> read_state_vectors(const std::string& path);

}  // namespace rdmawire::conformance
