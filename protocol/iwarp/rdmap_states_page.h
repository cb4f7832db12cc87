// The page docs/rdmap_states.md, made from the tables: a diagram, the states, the whole state x event matrix, the rows.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/iwarp/stream_state.h"

namespace rdmawire::iwarp {

inline std::string rdmap_states_page() {
  std::string out =
      "# States of an RDMAP stream\n\n"
      "Made from `protocol/iwarp/stream_state.h` by `bazel run //protocol/iwarp:rdmap_states_page_main`; a test "
      "compares.\n\n"
      "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n";
  const auto text = [](auto value) { return std::string(name_of(value)); };
  for (const StreamTransition& row : stream_transitions) {
    out += "    " + text(row.from) + " --> " + text(row.to) + ": " + text(row.event) + '\n';
  }
  out += "```\n\n## States\n\n| | takes send work | sends | takes segments |\n|---|---|---|---|\n";
  const auto yes = [](bool value) { return std::string(value ? " yes |" : " |"); };
  for (const StreamStateInfo& row : stream_state_table) {
    out += "| " + text(row.state) + " |" + yes(row.may_post) + yes(row.sends) + yes(row.receives) + '\n';
  }
  out += "\nThe only thing that TERMINATING sends is the Terminate.\n\n## State x event\n\nThe state after it. Where ";
  out += "nothing stands, nothing changes.\n\n| |";
  constexpr auto num_events = static_cast<std::size_t>(StreamEvent::count_);
  for (std::size_t event = 0; event < num_events; ++event) out += " " + text(static_cast<StreamEvent>(event)) + " |";
  out += "\n|---|";
  for (std::size_t event = 0; event < num_events; ++event) out += "---|";
  out += '\n';
  for (const StreamStateInfo& row : stream_state_table) {
    out += "| " + text(row.state) + " |";
    for (std::size_t event = 0; event < num_events; ++event) {
      const StreamState to = after(row.state, static_cast<StreamEvent>(event));
      out += to == row.state ? " |" : " " + text(to) + " |";
    }
    out += '\n';
  }
  out += "\n## Transitions\n\n| from | event | to | requirement |\n|---|---|---|---|\n";
  for (const StreamTransition& row : stream_transitions) {
    out += "| " + text(row.from) + " | " + text(row.event) + " | " + text(row.to) + " | " +
           std::string(row.requirement) + " |\n";
  }
  return out;
}

}  // namespace rdmawire::iwarp
