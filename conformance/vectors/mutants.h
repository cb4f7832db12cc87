// How much the state vectors see: each departure that a machine can be given is a mutant, and a vector that goes
// otherwise with it than it says has caught it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/vectors/machine.h"

namespace rdmawire::conformance {

struct Mutant {
  std::string_view name;         // of the quirk
  std::string_view part;         // which part of a machine departs: requester, cm, mpa, ...
  std::string_view requirement;  // that it breaks
  std::string_view text;         // what it does
  std::size_t num_played = 0;    // vectors; 0: there are none of its machine
  std::string caught_by{};       // the vector that caught it first; empty: none did
  std::string difference{};      // what that saw
};

// All mutants of all machines, each played on the vectors of its machines until one catches it, those first that name
// its requirement. step and from: only each step-th, beginning with that one.
std::vector<Mutant> measure(const std::vector<vectors::Json>& vectors, std::size_t step = 1, std::size_t from = 0);

// Why some survive: by name, out of a file with a name, a tab and a text on each line. std::runtime_error if it can't
// be read.
std::map<std::string, std::string> read_notes(const std::string& path);

}  // namespace rdmawire::conformance
