// `rdmawire mutants`: which departures of the machines the state vectors see.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace rdmawire::cli {

class Mutants {
 public:
  // Adds the subcommand with its options to the command.
  explicit Mutants(CLI::App& command);
  ~Mutants();
  Mutants(const Mutants&) = delete;
  Mutants& operator=(const Mutants&) = delete;

  bool was_asked_for() const { return subcommand_->parsed(); }
  // Runs it once the command line has been parsed; the exit code.
  int run();

 private:
  struct Arguments;
  CLI::App* subcommand_;
  std::unique_ptr<Arguments> arguments_;
};

}  // namespace rdmawire::cli
