// For tests: what is written to an Output, as a string.
#pragma once

#include <cstdio>
#include <string>

#include "cli/output.h"

namespace rdmawire::cli {

template <class Write>
std::string written(Write&& write) {
  std::FILE* file = std::tmpfile();
  {
    Output out(fileno(file));
    write(out);
  }
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text.push_back(static_cast<char>(c));
  std::fclose(file);
  return text;
}

}  // namespace rdmawire::cli
