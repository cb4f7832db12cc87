// CPU time of work done in a process of its own, as the operating system counts it: what a user's `time` shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rdmawire::bench {

// Seconds of user and system time that the function takes in a forked child; negative if the child fails.
double child_seconds(void (*work)(const std::string& file), const std::string& file);

// The same of a function that finds a number.
struct Found {
  double seconds = -1;
  std::uint64_t number = 0;
};
Found child_finds(std::uint64_t (*work)(const std::string& file), const std::string& file);

// The same for a program, its output thrown away.
double program_seconds(const std::vector<std::string>& command);

// What a program writes to standard output; nothing if it fails.
std::optional<std::string> program_output(const std::vector<std::string>& command);

}  // namespace rdmawire::bench
