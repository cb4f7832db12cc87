// The page docs/mpa_states.md, made from the tables: a diagram, the whole state x input matrix, the rows and the ends.
#pragma once

#include <string>

#include "protocol/iwarp/mpa_state.h"
#include "protocol/states_page.h"

namespace rdmawire::iwarp {

inline std::string mpa_states_page() {
  namespace page = rdmawire::states_page;
  std::string out =
      "# States of MPA's start-up\n\n"
      "Made from `protocol/iwarp/mpa_state.h` by `bazel run //protocol/iwarp:mpa_states_page_main`; a test "
      "compares.\n\n"
      "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n" +
      page::arrows(mpa_transitions, [](const MpaTransition& row) { return page::input_and_send(row); }) +
      "```\n\n## State x input\n\nThe state after it. Where nothing stands, nothing changes, and what the ULP asks for "
      "is refused.\n\n" +
      page::matrix<MpaState, MpaInput>([](MpaState state, MpaInput input) {
        const MpaTransition* row = find_transition(state, input);
        return row == nullptr ? "" : page::text(row->to);
      }) +
      page::transitions(mpa_transitions) +
      "\n## Ends without a connection\n\n| end | what happened | the owner's part | code | requirement |\n"
      "|---|---|---|---|---|\n";
  for (const MpaEndInfo& row : mpa_ends) {
    const std::string code = row.code ? std::to_string(info(*row.code).error.code()) : "-";
    out += "| " + std::string(row.name) + " | " + std::string(row.text) + " | " + page::text(row.after) + " | " + code +
           " | " + std::string(row.requirement) + " |\n";
  }
  return out;
}

}  // namespace rdmawire::iwarp
