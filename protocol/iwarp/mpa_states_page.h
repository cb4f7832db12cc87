// The page docs/mpa_states.md, made from the tables: a diagram, the whole state x input matrix, the rows and the ends.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/iwarp/mpa_state.h"

namespace rdmawire::iwarp {

inline std::string mpa_states_page() {
  std::string out =
      "# States of MPA's start-up\n\n"
      "Made from `protocol/iwarp/mpa_state.h` by `bazel run //protocol/iwarp:mpa_states_page_main`; a test "
      "compares.\n\n"
      "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n";
  const auto text = [](auto value) { return std::string(name_of(value)); };
  const auto or_dash = [](const std::string& word) { return word.empty() ? std::string("-") : word; };
  for (const MpaTransition& row : mpa_transitions) {
    out += "    " + text(row.from) + " --> " + text(row.to) + ": " + text(row.input);
    if (row.send != MpaSend::nothing) out += " / " + text(row.send);
    out += '\n';
  }
  out +=
      "```\n\n## State x input\n\nThe state after it. Where nothing stands, nothing changes, and what the ULP asks for "
      "is "
      "refused.\n\n| |";
  constexpr auto num_inputs = static_cast<std::size_t>(MpaInput::count_);
  constexpr auto num_states = static_cast<std::size_t>(MpaState::count_);
  for (std::size_t input = 0; input < num_inputs; ++input) out += " " + text(static_cast<MpaInput>(input)) + " |";
  out += "\n|---|";
  for (std::size_t input = 0; input < num_inputs; ++input) out += "---|";
  out += '\n';
  for (std::size_t state = 0; state < num_states; ++state) {
    out += "| " + text(static_cast<MpaState>(state)) + " |";
    for (std::size_t input = 0; input < num_inputs; ++input) {
      const MpaTransition* row = find_transition(static_cast<MpaState>(state), static_cast<MpaInput>(input));
      out += row == nullptr ? " |" : " " + text(row->to) + " |";
    }
    out += '\n';
  }
  out += "\n## Transitions\n\n| from | input | to | sends | tells | requirement |\n|---|---|---|---|---|---|\n";
  for (const MpaTransition& row : mpa_transitions) {
    out += "| " + text(row.from) + " | " + text(row.input) + " | " + text(row.to) + " | " + or_dash(text(row.send)) +
           " | " + or_dash(text(row.tell)) + " | " + std::string(row.requirement) + " |\n";
  }
  out += "\n## Ends without a connection\n\n| end | what happened | the owner's part | code | requirement |\n";
  out += "|---|---|---|---|---|\n";
  for (const MpaEndInfo& row : mpa_ends) {
    const std::string code = row.code ? std::to_string(info(*row.code).error.code()) : "-";
    out += "| " + std::string(row.name) + " | " + std::string(row.text) + " | " + text(row.after) + " | " + code +
           " | " + std::string(row.requirement) + " |\n";
  }
  return out;
}

}  // namespace rdmawire::iwarp
