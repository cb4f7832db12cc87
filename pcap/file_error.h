// What went wrong with a capture file: the codec's Error and, where the operating system refused, its errno.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "codec/base/error.h"

namespace rdmawire::pcap {

struct FileError {
  Error error;       // offset: octets from the start of the (decompressed) file
  int os_error = 0;  // errno of open_failed and read_failed, else 0
  friend bool operator==(const FileError&, const FileError&) = default;
};

template <class T>
using FileResult = tl::expected<T, FileError>;

// One line for people, without the file's name, e.g.
// "pcap file at offset 1234: the file ends too early (needs 96 octets, 40 left by file)" or
// "cannot be opened: No such file or directory".
std::string to_string(const FileError& error);

}  // namespace rdmawire::pcap
