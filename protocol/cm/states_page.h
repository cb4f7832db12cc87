// The page docs/cm_states.md, made from the table: a diagram, the whole state x input matrix and the rows.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/cm/states.h"

namespace rdmawire::cm {

inline std::string states_page() {
  std::string out =
      "# States of the connection manager\n\n"
      "Made from `protocol/cm/states.h` by `bazel run //protocol/cm:states_page_main`; a test compares.\n\n"
      "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n";
  const auto text = [](auto value) { return std::string(name_of(value)); };
  for (const Transition& row : transitions) {
    if (row.from == row.to) continue;
    out += "    " + text(row.from) + " --> " + text(row.to) + ": " + text(row.input);
    if (row.send != Send::nothing) out += " / " + text(row.send);
    out += '\n';
  }
  out +=
      "```\n\n## State x input\n\nThe state after it; `same` is the one before. Where nothing stands, a message is "
      "ignored, and what the consumer asks for is refused.\n\n| |";
  constexpr auto num_inputs = static_cast<std::size_t>(Input::count_);
  constexpr auto num_states = static_cast<std::size_t>(State::count_);
  for (std::size_t input = 0; input < num_inputs; ++input) out += " " + text(static_cast<Input>(input)) + " |";
  out += "\n|---|";
  for (std::size_t input = 0; input < num_inputs; ++input) out += "---|";
  out += '\n';
  for (std::size_t state = 0; state < num_states; ++state) {
    out += "| " + text(static_cast<State>(state)) + " |";
    for (std::size_t input = 0; input < num_inputs; ++input) {
      const Transition* row = find_transition(static_cast<State>(state), static_cast<Input>(input));
      out += row == nullptr ? " |" : row->to == row->from ? " same |" : " " + text(row->to) + " |";
    }
    out += '\n';
  }
  out += "\n## Transitions\n\n| from | input | to | sends | tells | requirement |\n|---|---|---|---|---|---|\n";
  for (const Transition& row : transitions) {
    const auto or_dash = [](const std::string& word) { return word.empty() ? std::string("-") : word; };
    out += "| " + text(row.from) + " | " + text(row.input) + " | " + text(row.to) + " | " + or_dash(text(row.send)) +
           " | " + or_dash(text(row.tell)) + " | " + std::string(row.requirement) + " |\n";
  }
  return out;
}

}  // namespace rdmawire::cm
