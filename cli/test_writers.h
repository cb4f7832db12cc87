// For tests: what the writers make of a capture of testdata/captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/test_output.h"
#include "cli/test_records.h"
#include "cli/writer.h"

namespace rdmawire::cli {

// What a writer makes of the frames first to last of a capture.
template <class Make>
std::string shown(const std::string& capture, std::uint64_t first, std::uint64_t last, Make&& make,
                  std::size_t cut_at = 65535) {
  return written([&](Output& out) {
    const std::unique_ptr<Writer> writer = make(out);
    writer->begin();
    writer->begin_file(capture);
    for_each_record(
        capture,
        [&](const Record& record) {
          if (record.packet.number >= first && record.packet.number <= last) writer->write(record);
        },
        cut_at);
    writer->end();
  });
}

inline std::string lines(const std::string& capture, std::uint64_t first, std::uint64_t last, LineOptions options = {},
                         std::size_t cut_at = 65535) {
  return shown(capture, first, last, [&](Output& out) { return make_line_writer(out, options); }, cut_at);
}

inline std::string tree(const std::string& capture, std::uint64_t number, TreeOptions options = {},
                        std::size_t cut_at = 65535) {
  return shown(capture, number, number, [&](Output& out) { return make_tree_writer(out, options); }, cut_at);
}

inline std::string json(const std::string& capture, std::uint64_t first, std::uint64_t last, JsonOptions options = {},
                        std::size_t cut_at = 65535) {
  return shown(capture, first, last, [&](Output& out) { return make_json_writer(out, options); }, cut_at);
}

inline std::string fields(const std::string& capture, std::uint64_t first, std::uint64_t last,
                          const FieldsOptions& options) {
  return shown(capture, first, last, [&](Output& out) { return make_fields_writer(out, options); });
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace rdmawire::cli
