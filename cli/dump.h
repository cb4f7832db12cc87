// `rdmawire dump`: what is in a capture, packet by packet.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/subcommand.h"

namespace rdmawire::cli {

class Dump final : public Subcommand {
 public:
  // Adds the subcommand with its options to the command.
  explicit Dump(CLI::App& command);
  ~Dump() override;

  int run() override;

 private:
  struct Arguments;
  std::unique_ptr<Arguments> arguments_;
};

}  // namespace rdmawire::cli
