// The forms in which records are shown, behind one interface. Each writes into an Output, and allocates nothing once
// it has seen a few records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/catalog.h"
#include "cli/output.h"
#include "cli/record.h"

namespace rdmawire::cli {

class Writer {
 public:
  virtual ~Writer() = default;
  // Before the first record, and after the last: also when there are none or a file was damaged.
  virtual void begin() {}
  virtual void end() {}
  // Before the first record of each file.
  virtual void begin_file(std::string_view /*name*/) {}
  virtual void write(const Record& record) = 0;
  // The CRCs whose verdict it shows: others need not be computed.
  virtual NeededCrcs needed_crcs() const { return {.ib = true, .mpa = true}; }
};

enum class TimeForm : std::uint8_t { relative, absolute, delta };

struct LineOptions {
  TimeForm time = TimeForm::relative;
  bool column_titles = false;  // for a terminal
  bool file_titles = false;    // "==> NAME <==" before each file's records
};
std::unique_ptr<Writer> make_line_writer(Output& out, LineOptions options);

struct TreeOptions {
  // Octets of the payload (and of a header's options) that are shown.
  std::size_t hex_limit = 64;
  bool file_titles = false;
};
std::unique_ptr<Writer> make_tree_writer(Output& out, TreeOptions options);

struct JsonOptions {
  bool array = false;      // one JSON array; otherwise one object a line
  bool file_name = false;  // also rdma.capture.file
};
std::unique_ptr<Writer> make_json_writer(Output& out, JsonOptions options);

// Which values of a field that occurs several times in a frame are shown.
enum class Occurrence : std::uint8_t { first, last, all };

struct FieldsOptions {
  std::vector<std::string> names;  // all of them known: see find_column
  bool header = false;
  char separator = '\t';
  char aggregator = ',';
  char quote = '\0';  // none
  Occurrence occurrence = Occurrence::all;
};
std::unique_ptr<Writer> make_fields_writer(Output& out, FieldsOptions options);

}  // namespace rdmawire::cli
