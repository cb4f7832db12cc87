#include "cli/mutants.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/json_text.h"
#include "cli/output.h"
#include "conformance/vectors/mutants.h"
#include "conformance/vectors/state_vectors.h"

namespace rdmawire::cli {
namespace {

constexpr std::string_view footer =
    R"(A machine can be told to depart from the specification in one way: such a machine is a
mutant. Each is played on the vectors of its kind until one goes otherwise than it says:
that vector has caught it. What no vector catches has survived, and says what the vectors
do not see.

Example:
  rdmawire mutants --notes conformance/vectors/survivors.tsv conformance/vectors/state_*.json

Exit code: 0, 1 if a mutant has survived that the notes say nothing of, or 2 for wrong
usage or a file that can't be read.)";

using conformance::Mutant;

struct Share {
  std::size_t num_caught = 0;
  std::size_t num_all = 0;
  double percent() const {
    return num_all == 0 ? 0 : 100.0 * static_cast<double>(num_caught) / static_cast<double>(num_all);
  }
};

using Notes = std::map<std::string, std::string>;

std::string_view note_of(const Notes& notes, const Mutant& mutant) {
  const auto found = notes.find(std::string(mutant.name));
  return found == notes.end() ? std::string_view{} : std::string_view(found->second);
}

void count(std::map<std::string_view, Share>& parts, Share& all, const std::vector<Mutant>& mutants) {
  for (const Mutant& one : mutants) {
    for (Share* share : {&parts[one.part], &all}) {
      ++share->num_all;
      share->num_caught += !one.caught_by.empty();
    }
  }
}

void write_text(Output& out, const std::vector<Mutant>& mutants, const Notes& notes, bool verbose) {
  std::map<std::string_view, Share> parts;
  Share all;
  count(parts, all, mutants);
  for (const Mutant& one : mutants) {
    if (verbose && !one.caught_by.empty()) {
      out.append(fmt::format("caught    {} {} ({}) by {}: {}\n", one.part, one.name, one.requirement, one.caught_by,
                             one.difference));
    }
  }
  for (const Mutant& one : mutants) {
    if (!one.caught_by.empty()) continue;
    out.append(fmt::format("survived  {} {} ({}): {}\n", one.part, one.name, one.requirement, one.text));
    if (const auto note = note_of(notes, one); !note.empty()) out.append(fmt::format("          {}\n", note));
  }
  for (const auto& [name, share] : parts) {
    out.append(fmt::format("{:10}{} of {}\n", name, share.num_caught, share.num_all));
  }
  out.append(fmt::format("{:10}{} of {}: {:.1f} %\n", "all", all.num_caught, all.num_all, all.percent()));
}

void write_json(Output& out, const std::vector<Mutant>& mutants, const Notes& notes) {
  std::map<std::string_view, Share> parts;
  Share all;
  count(parts, all, mutants);
  out.append(fmt::format("{{\"mutants\":{},\"caught\":{},\"list\":[\n", all.num_all, all.num_caught));
  for (const Mutant& one : mutants) {
    const auto member = [&](std::string_view name, std::string_view value) {
      out.append(fmt::format("\"{}\":", name));
      append_json_string(out, value);
    };
    out.append("{");
    member("name", one.name);
    out.append(",");
    member("part", one.part);
    out.append(",");
    member("requirement", one.requirement);
    out.append(",");
    if (one.caught_by.empty()) {
      member("note", note_of(notes, one));
    } else {
      member("caught_by", one.caught_by);
      out.append(",");
      member("difference", one.difference);
    }
    out.append(&one == &mutants.back() ? "}\n" : "},\n");
    out.end_record();
  }
  out.append("]}\n");
}

}  // namespace

struct Mutants::Arguments {
  std::vector<std::string> files;
  std::string notes;
  bool json = false;
  bool verbose = false;
};

Mutants::Mutants(CLI::App& command)
    : Subcommand(command, "mutants", "Measures what the state vectors see of departures"),
      arguments_(std::make_unique<Arguments>()) {
  app().add_option("FILE", arguments_->files, "State vectors")->required();
  app().add_option("--notes", arguments_->notes, "Why mutants survive: NAME, a tab and a text on each line");
  app().add_flag("--json", arguments_->json, "Write JSON");
  app().add_flag("-v,--verbose", arguments_->verbose, "Say of each mutant which vector catches it");
  app().footer(std::string(footer));
}

Mutants::~Mutants() = default;

int Mutants::run() {
  std::vector<vectors::Json> all;
  Notes notes;
  try {
    for (const std::string& file : arguments_->files) {
      for (vectors::Json& one : conformance::read_state_vectors(file)) all.push_back(std::move(one));
    }
    if (!arguments_->notes.empty()) notes = conformance::read_notes(arguments_->notes);
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "rdmawire: {}\n", error.what());
    return ExitCode::bad_input;
  }
  const std::vector<Mutant> mutants = conformance::measure(all);
  Output out(STDOUT_FILENO);
  if (arguments_->json) {
    write_json(out, mutants, notes);
  } else {
    write_text(out, mutants, notes, arguments_->verbose);
  }
  for (const Mutant& one : mutants) {
    if (one.caught_by.empty() && note_of(notes, one).empty()) return ExitCode::findings;
  }
  return ExitCode::clean;
}

}  // namespace rdmawire::cli
