// The page docs/rdmap_states.md, made from the tables: a diagram, the states, the whole state x event matrix, the rows.
#pragma once

#include <string>

#include "protocol/iwarp/stream_state.h"
#include "protocol/states_page.h"

namespace rdmawire::iwarp {

inline std::string rdmap_states_page() {
  namespace page = rdmawire::states_page;
  std::string out =
      "# States of an RDMAP stream\n\n"
      "Made from `protocol/iwarp/stream_state.h` by `bazel run //protocol/iwarp:rdmap_states_page_main`; a test "
      "compares.\n\n"
      "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n" +
      page::arrows(stream_transitions, [](const StreamTransition& row) { return page::text(row.event); }) +
      "```\n\n## States\n\n| | takes send work | sends | takes segments |\n|---|---|---|---|\n";
  const auto yes = [](bool value) { return std::string(value ? " yes |" : " |"); };
  for (const StreamStateInfo& row : stream_state_table) {
    out += "| " + page::text(row.state) + " |" + yes(row.may_post) + yes(row.sends) + yes(row.receives) + '\n';
  }
  out +=
      "\nThe only thing that TERMINATING sends is the Terminate.\n\n## State x event\n\nThe state after it. Where "
      "nothing stands, nothing changes.\n\n" +
      page::matrix<StreamState, StreamEvent>([](StreamState state, StreamEvent event) {
        const StreamState to = after(state, event);
        return to == state ? "" : page::text(to);
      }) +
      "\n## Transitions\n\n| from | event | to | requirement |\n|---|---|---|---|\n";
  for (const StreamTransition& row : stream_transitions) {
    out += "| " + page::text(row.from) + " | " + page::text(row.event) + " | " + page::text(row.to) + " | " +
           std::string(row.requirement) + " |\n";
  }
  return out;
}

}  // namespace rdmawire::iwarp
