// `rdmawire mutants`: which departures of the machines the state vectors see.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/subcommand.h"

namespace rdmawire::cli {

class Mutants final : public Subcommand {
 public:
  // Adds the subcommand with its options to the command.
  explicit Mutants(CLI::App& command);
  ~Mutants() override;

  int run() override;

 private:
  struct Arguments;
  std::unique_ptr<Arguments> arguments_;
};

}  // namespace rdmawire::cli
