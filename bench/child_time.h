// CPU time of work done in a process of its own, as the operating system counts it: what a user's `time` shows.
#pragma once

#include <string>
#include <vector>

namespace rdmawire::bench {

// Seconds of user and system time that the function takes in a forked child; negative if the child fails.
double child_seconds(void (*work)(const std::string& file), const std::string& file);

// The same for a program, its output thrown away.
double program_seconds(const std::vector<std::string>& command);

}  // namespace rdmawire::bench
