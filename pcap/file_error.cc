#include "pcap/file_error.h"

#include <system_error>

namespace rdmawire::pcap {

std::string to_string(const FileError& error) {
  std::string out(rdmawire::to_string(error.error).view());
  if (error.os_error != 0) {
    out += ": ";
    out += std::generic_category().message(error.os_error);
  }
  return out;
}

}  // namespace rdmawire::pcap
