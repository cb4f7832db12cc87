// What each subcommand of the command is: its options on the command line, and how it runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace rdmawire::cli {

class Subcommand {
 public:
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;
  virtual ~Subcommand() = default;

  const std::string& name() const { return app_.get_name(); }
  bool was_asked_for() const { return app_.parsed(); }
  // Runs it once the command line has been parsed; the exit code. Throws CLI::ValidationError for a bad value.
  virtual int run() = 0;

 protected:
  Subcommand(CLI::App& command, const char* name, const char* help) : app_(*command.add_subcommand(name, help)) {}
  CLI::App& app() { return app_; }

 private:
  CLI::App& app_;
};

}  // namespace rdmawire::cli
