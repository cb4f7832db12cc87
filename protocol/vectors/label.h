// What the recordings of a test case are called that goes through a table, a row each.
#pragma once

#include <string_view>

namespace rdmawire::vectors {

// As long as it lives, recordings that begin are named after the case and this row, and show that requirement.
class Label {
 public:
  Label(std::string_view row, std::string_view requirement);
  ~Label();
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;
};

}  // namespace rdmawire::vectors
