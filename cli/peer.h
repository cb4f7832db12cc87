// `rdmawire peer`: an endpoint of RDMA in user space.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace rdmawire::cli {

class Peer {
 public:
  // Adds the subcommand with its options to the command.
  explicit Peer(CLI::App& command);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool was_asked_for() const { return subcommand_->parsed(); }
  // Runs it once the command line has been parsed; the exit code.
  int run();

 private:
  struct Arguments;
  CLI::App* subcommand_;
  std::unique_ptr<Arguments> arguments_;
};

}  // namespace rdmawire::cli
