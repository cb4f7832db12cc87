// The page docs/cm_states.md, made from the table: a diagram, the whole state x input matrix and the rows.
#pragma once

#include <string>

#include "protocol/cm/states.h"
#include "protocol/states_page.h"

namespace rdmawire::cm {

inline std::string states_page() {
  namespace page = rdmawire::states_page;
  return "# States of the connection manager\n\n"
         "Made from `protocol/cm/states.h` by `bazel run //protocol/cm:states_page_main`; a test compares.\n\n"
         "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n" +
         page::arrows(transitions, [](const Transition& row) { return page::input_and_send(row); }) +
         "```\n\n## State x input\n\nThe state after it; `same` is the one before. Where nothing stands, a message is "
         "ignored, and what the consumer asks for is refused.\n\n" +
         page::matrix<State, Input>([](State state, Input input) {
           const Transition* row = find_transition(state, input);
           return row == nullptr ? "" : row->to == row->from ? "same" : page::text(row->to);
         }) +
         page::transitions(transitions);
}

}  // namespace rdmawire::cm
