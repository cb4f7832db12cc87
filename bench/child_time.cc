#include "bench/child_time.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace

double child_seconds(void (*work)(const std::string& file), const std::string& file) {
  const pid_t child = fork();
  if (child == 0) {
    work(file);
    _exit(0);
  }
  return wait_for(child);
}

double program_seconds(const std::vector<std::string>& command) {
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  return wait_for(child);
}

}  // namespace rdmawire::bench
