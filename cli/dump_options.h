// What `rdmawire dump` was asked to do, from the words of its command line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/selection.h"
#include "cli/writer.h"
#include "codec/frame.h"
#include "pcap/reassembly/iwarp_streams.h"

namespace rdmawire::cli {

// The options as they were typed.
struct DumpArguments {
  std::vector<std::string> files;
  bool tree = false;
  bool hex = false;
  bool json = false;
  bool ndjson = false;
  std::string format;  // -T
  std::vector<std::string> fields;
  std::vector<std::string> field_options;  // -E
  std::string time;
  bool list_fields = false;

  bool all = false;
  std::string count;
  std::string from;
  std::string to;
  std::vector<std::string> queue_pairs;
  std::vector<std::string> psns;
  std::vector<std::string> streams;
  std::vector<std::string> opcodes;
  std::vector<std::string> sources;
  std::vector<std::string> destinations;
  std::vector<std::string> udp_ports;
  std::vector<std::string> decode_as;
};

// The error names the option and says what is wrong with its value.
Parsed<Selection> make_selection(const DumpArguments& arguments);
Parsed<ParseOptions> make_parse_options(const DumpArguments& arguments);
Parsed<reassembly::StreamOptions> make_stream_options(const DumpArguments& arguments);
// How many records are shown at most; without the option, as many as there are.
Parsed<std::uint64_t> make_count(const DumpArguments& arguments);
// to_terminal: a person looks at the output as it comes.
Parsed<std::unique_ptr<Writer>> make_writer(const DumpArguments& arguments, Output& out, bool to_terminal);

}  // namespace rdmawire::cli
