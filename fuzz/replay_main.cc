// Runs each file below the folders on the command line through the fuzz target once; in the order of their names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Each in a block of exactly its size, so that the sanitizers see a read past its end.
bool replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return false;
  const std::vector<std::uint8_t> input(text.begin(), text.end());
  std::cout << path.string() << std::endl;  // flushed: the last name is the one that crashed
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : std::vector<const char*>(argv + 1, argv + argc)) {
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    if (!replay(path)) {
      std::cerr << "cannot read " << path << '\n';
      return 2;
    }
  }
  LLVMFuzzerTestOneInput(nullptr, 0);
  std::cout << paths.size() << " inputs replayed\n";
  if (paths.empty()) std::cerr << "the corpus is empty\n";
  return paths.empty() ? 1 : 0;
}
