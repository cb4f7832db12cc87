// `rdmawire dump`: what is in a capture, packet by packet.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace rdmawire::cli {

class Dump {
 public:
  // Adds the subcommand with its options to the command.
  explicit Dump(CLI::App& command);
  ~Dump();
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;

  bool was_asked_for() const { return subcommand_->parsed(); }
  // Runs it once the command line has been parsed; the exit code. Throws CLI::ValidationError for a bad value.
  int run();

 private:
  struct Arguments;
  CLI::App* subcommand_;
  std::unique_ptr<Arguments> arguments_;
};

}  // namespace rdmawire::cli
