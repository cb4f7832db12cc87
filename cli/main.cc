// The command: its subcommands, each in a file of its name, and what becomes of errors.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "cli/dump.h"
#include "cli/exit_code.h"
#include "cli/mutants.h"
#include "cli/peer.h"
#include "cli/subcommand.h"
#include "cli/version.h"

namespace rdmawire::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app("Shows, checks and makes RDMA traffic: InfiniBand, RoCEv1, RoCEv2.", "rdmawire");
  app.set_version_flag("--version", fmt::format("rdmawire {}", version));
  app.footer("Examples:\n  rdmawire dump trace.pcap\n  rdmawire dump --help");
  app.require_subcommand(1);
  Dump dump(app);
  Mutants mutants(app);
  Peer peer(app);
  const std::array<Subcommand*, 3> subcommands{&dump, &mutants, &peer};
  const auto asked_for = [&] {
    const auto found = std::ranges::find_if(subcommands, &Subcommand::was_asked_for);
    return found == subcommands.end() ? nullptr : *found;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version come this way as well, with exit code 0.
    if (error.get_exit_code() == 0) return app.exit(error);
    const Subcommand* asked = asked_for();
    fmt::print(stderr, "rdmawire: {}\nTry 'rdmawire {}--help'.\n", error.what(),
               asked == nullptr ? std::string() : asked->name() + " ");
    return ExitCode::bad_input;
  }
  // One is required.
  return asked_for()->run();
}

}  // namespace
}  // namespace rdmawire::cli

int main(int argc, char** argv) {
  // A closed pipe is then an error of write, which Output knows.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return rdmawire::cli::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rdmawire: internal error: {}\n", error.what());
    return rdmawire::cli::ExitCode::internal;
  }
}
