// What the pages have in common that show the table of a machine's states: docs/*_states.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rdmawire::states_page {

template <class Value>
std::string text(Value value) {
  return std::string(name_of(value));
}

inline std::string or_dash(std::string word) { return word.empty() ? "-" : word; }

// Of a diagram of mermaid: a line for each row that leads to another state, with what label(row) says.
template <class Rows, class Label>
std::string arrows(const Rows& rows, Label&& label) {
  std::string out;
  for (const auto& row : rows) {
    if (row.from != row.to) out += "    " + text(row.from) + " --> " + text(row.to) + ": " + label(row) + '\n';
  }
  return out;
}

// The input, and what is sent then.
template <class Row>
std::string input_and_send(const Row& row) {
  const std::string sent = text(row.send);
  return text(row.input) + (sent.empty() ? "" : " / " + sent);
}

// A table of all states by all inputs; cell(state, input) is what stands there.
template <class State, class Input, class Cell>
std::string matrix(Cell&& cell) {
  constexpr auto num_inputs = static_cast<std::size_t>(Input::count_);
  std::string out = "| |";
  for (std::size_t input = 0; input < num_inputs; ++input) out += " " + text(static_cast<Input>(input)) + " |";
  out += "\n|---|";
  for (std::size_t input = 0; input < num_inputs; ++input) out += "---|";
  out += '\n';
  for (std::size_t state = 0; state < static_cast<std::size_t>(State::count_); ++state) {
    out += "| " + text(static_cast<State>(state)) + " |";
    for (std::size_t input = 0; input < num_inputs; ++input) {
      const std::string word = cell(static_cast<State>(state), static_cast<Input>(input));
      out += (word.empty() ? "" : " " + word) + " |";
    }
    out += '\n';
  }
  return out;
}

// The table of the rows themselves, of machines that send and tell.
template <class Rows>
std::string transitions(const Rows& rows) {
  std::string out =
      "\n## Transitions\n\n| from | input | to | sends | tells | requirement |\n|---|---|---|---|---|---|\n";
  for (const auto& row : rows) {
    out += "| " + text(row.from) + " | " + text(row.input) + " | " + text(row.to) + " | " + or_dash(text(row.send)) +
           " | " + or_dash(text(row.tell)) + " | " + std::string(row.requirement) + " |\n";
  }
  return out;
}

}  // namespace rdmawire::states_page
