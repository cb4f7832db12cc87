// The page docs/sctp_session_states.md, made from the tables: a diagram, the whole state x input matrix, the rows, and
// the ways in which a session ends.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/iwarp/sctp_state.h"

namespace rdmawire::iwarp {

inline std::string sctp_session_states_page() {
  std::string out =
      "# States of a DDP stream session over SCTP\n\n"
      "Made from `protocol/iwarp/sctp_state.h` by `bazel run //protocol/iwarp:sctp_session_states_page_main`; a test "
      "compares.\n\n"
      "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n";
  const auto text = [](auto value) { return std::string(name_of(value)); };
  for (const SctpTransition& row : sctp_transitions) {
    if (row.from == row.to) continue;
    out += "    " + text(row.from) + " --> " + text(row.to) + ": " + text(row.input);
    if (row.send != SctpSend::nothing) out += " / " + text(row.send);
    out += '\n';
  }
  out +=
      "```\n\n## State x input\n\nThe state after it; `same` is the one before. Where nothing stands: what the ULP "
      "asks "
      "for is refused, a chunk counts as an illegal one, and all else changes nothing.\n\n| |";
  constexpr auto num_inputs = static_cast<std::size_t>(SctpInput::count_);
  constexpr auto num_states = static_cast<std::size_t>(SctpState::count_);
  for (std::size_t input = 0; input < num_inputs; ++input) out += " " + text(static_cast<SctpInput>(input)) + " |";
  out += "\n|---|";
  for (std::size_t input = 0; input < num_inputs; ++input) out += "---|";
  out += '\n';
  for (std::size_t state = 0; state < num_states; ++state) {
    out += "| " + text(static_cast<SctpState>(state)) + " |";
    for (std::size_t input = 0; input < num_inputs; ++input) {
      const SctpTransition* row = find_transition(static_cast<SctpState>(state), static_cast<SctpInput>(input));
      out += row == nullptr ? " |" : row->to == row->from ? " same |" : " " + text(row->to) + " |";
    }
    out += '\n';
  }
  const auto or_dash = [](const std::string& word) { return word.empty() ? std::string("-") : word; };
  out += "\n## Transitions\n\n| from | input | to | sends | tells | requirement |\n|---|---|---|---|---|---|\n";
  for (const SctpTransition& row : sctp_transitions) {
    out += "| " + text(row.from) + " | " + text(row.input) + " | " + text(row.to) + " | " + or_dash(text(row.send)) +
           " | " + or_dash(text(row.tell)) + " | " + std::string(row.requirement) + " |\n";
  }
  out += "\n## Ends\n\n| end | input | requirement | what it is |\n|---|---|---|---|\n";
  for (const SctpEndInfo& row : sctp_ends) {
    out += "| " + std::string(row.name) + " | " + text(row.input) + " | " + std::string(row.requirement) + " | " +
           std::string(row.text) + " |\n";
  }
  return out;
}

}  // namespace rdmawire::iwarp
