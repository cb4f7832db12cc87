// `rdmawire peer`: an endpoint of RDMA in user space.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/subcommand.h"

namespace rdmawire::cli {

class Peer final : public Subcommand {
 public:
  // Adds the subcommand with its options to the command.
  explicit Peer(CLI::App& command);
  ~Peer() override;

  int run() override;

 private:
  struct Arguments;
  std::unique_ptr<Arguments> arguments_;
};

}  // namespace rdmawire::cli
