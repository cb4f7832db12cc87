// The page docs/sctp_session_states.md, made from the tables: a diagram, the whole state x input matrix, the rows, and
// the ways in which a session ends.
#pragma once

#include <string>

#include "protocol/iwarp/sctp_state.h"
#include "protocol/states_page.h"

namespace rdmawire::iwarp {

inline std::string sctp_session_states_page() {
  namespace page = rdmawire::states_page;
  std::string out =
      "# States of a DDP stream session over SCTP\n\n"
      "Made from `protocol/iwarp/sctp_state.h` by `bazel run //protocol/iwarp:sctp_session_states_page_main`; a test "
      "compares.\n\n"
      "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n" +
      page::arrows(sctp_transitions, [](const SctpTransition& row) { return page::input_and_send(row); }) +
      "```\n\n## State x input\n\nThe state after it; `same` is the one before. Where nothing stands: what the ULP "
      "asks "
      "for is refused, a chunk counts as an illegal one, and all else changes nothing.\n\n" +
      page::matrix<SctpState, SctpInput>([](SctpState state, SctpInput input) {
        const SctpTransition* row = find_transition(state, input);
        return row == nullptr ? "" : row->to == row->from ? "same" : page::text(row->to);
      }) +
      page::transitions(sctp_transitions) +
      "\n## Ends\n\n| end | input | requirement | what it is |\n|---|---|---|---|\n";
  for (const SctpEndInfo& row : sctp_ends) {
    out += "| " + std::string(row.name) + " | " + page::text(row.input) + " | " + std::string(row.requirement) + " | " +
           std::string(row.text) + " |\n";
  }
  return out;
}

}  // namespace rdmawire::iwarp
