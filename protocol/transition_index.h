// Finds the row of a state and an input in a machine's table of transitions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rdmawire {

// State and Input are enumerations that end with count_; rows have from and input.
template <class State, class Input>
class TransitionIndex {
 public:
  template <class Row, std::size_t num_rows>
  consteval explicit TransitionIndex(const std::array<Row, num_rows>& rows) {
    static_assert(num_rows < 255);
    for (std::size_t i = 0; i < num_rows; ++i) {
      std::uint8_t& number = numbers_[static_cast<std::size_t>(rows[i].from)][static_cast<std::size_t>(rows[i].input)];
      is_unique_ = is_unique_ && number == 0;
      number = static_cast<std::uint8_t>(i + 1);
    }
  }

  // No state and input have two rows.
  constexpr bool is_unique() const { return is_unique_; }
  // rows: those that the index was made of. nullptr if there is none.
  template <class Rows>
  constexpr const typename Rows::value_type* find(const Rows& rows, State from, Input input) const {
    const std::uint8_t number = numbers_[static_cast<std::size_t>(from)][static_cast<std::size_t>(input)];
    return number == 0 ? nullptr : &rows[number - 1U];
  }

 private:
  // Of the row, from 1; 0: there is none.
  std::array<std::array<std::uint8_t, static_cast<std::size_t>(Input::count_)>, static_cast<std::size_t>(State::count_)>
      numbers_{};
  bool is_unique_ = true;
};

}  // namespace rdmawire
