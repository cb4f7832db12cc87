#include "bench/child_time.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>

namespace rdmawire::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double wait_for(pid_t child) {
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return -1;
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Becomes the program, its standard output going to that file; the others to nowhere.
[[noreturn]] void become(const std::vector<std::string>& command, int standard_output) {
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(standard_output < 0 ? null : standard_output, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

// Runs child(file) in a fork, and gives what it writes to that file and the seconds that it takes.
template <class Child>
std::pair<std::string, double> output_and_seconds(Child child) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {"", -1};
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    child(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  std::string output;
  std::array<char, 65536> piece;
  for (ssize_t size = 0; (size = read(ends[0], piece.data(), piece.size())) > 0;) {
    output.append(piece.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  return {output, wait_for(pid)};
}

}  // namespace

double child_seconds(void (*work)(const std::string& file), const std::string& file) {
  const pid_t child = fork();
  if (child == 0) {
    work(file);
    _exit(0);
  }
  return wait_for(child);
}

Found child_finds(std::uint64_t (*work)(const std::string& file), const std::string& file) {
  const auto [output, seconds] = output_and_seconds([&](int out) {
    const std::uint64_t number = work(file);
    if (write(out, &number, sizeof number) != sizeof number) _exit(1);
  });
  Found found;
  if (seconds < 0 || output.size() != sizeof found.number) return found;
  found.seconds = seconds;
  std::memcpy(&found.number, output.data(), sizeof found.number);
  return found;
}

double program_seconds(const std::vector<std::string>& command) {
  const pid_t child = fork();
  if (child == 0) become(command, -1);
  return wait_for(child);
}

std::optional<std::string> program_output(const std::vector<std::string>& command) {
  auto [output, seconds] = output_and_seconds([&](int out) { become(command, out); });
  if (seconds < 0) return std::nullopt;
  return std::move(output);
}

}  // namespace rdmawire::bench
