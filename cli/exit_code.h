#pragma once

namespace rdmawire::cli {

// What the command's exit code says, for scripts.
enum ExitCode : int {
  clean = 0,
  findings = 1,   // the input was read, and something is wrong in it
  bad_input = 2,  // wrong usage, or a file that can't be read (to its end)
  internal = 3,   // a fault of this program
};

}  // namespace rdmawire::cli
