// Every JSON output of every capture, read by a strict parser.
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "cli/test_output.h"
#include "cli/test_records.h"
#include "cli/writer.h"

namespace rdmawire::cli {
namespace {

std::string json(const std::string& capture, JsonOptions options) {
  return written([&](Output& out) {
    const auto writer = make_json_writer(out, options);
    writer->begin();
    for_each_record(capture, [&](const Record& record) { writer->write(record); });
    writer->end();
  });
}

// True for one flat object without a key that comes twice; the parser itself would take the last.
bool is_flat_object(std::string_view line) {
  std::set<std::string> keys;
  bool twice = false;
  const auto object = nlohmann::json::parse(
      line,
      [&](int, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
        if (event == nlohmann::json::parse_event_t::key) twice |= !keys.insert(value.get<std::string>()).second;
        return true;
      },
      false);
  if (!object.is_object() || twice) return false;
  for (const auto& value : object) {
    if (value.is_object()) return false;
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(every_capture)

BOOST_AUTO_TEST_CASE(gives_strict_json_in_both_forms) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("testdata/captures")) {
    const std::string name = entry.path().filename().string();
    if (name.find(".pcap") == std::string::npos) continue;
    ++files;
    const std::string lines = json(name, {});
    std::string array = "[";  // as --json should be
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      const std::string_view line = std::string_view(lines).substr(at, end - at);
      BOOST_TEST_REQUIRE(is_flat_object(line), name + ": " + std::string(line));
      array += at == 0 ? "\n" : ",\n";
      array += line;
      at = end + 1;
    }
    array += lines.empty() ? "]\n" : "\n]\n";
    BOOST_TEST_REQUIRE((json(name, {.array = true}) == array), name);
  }
  BOOST_TEST(files > 100U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cli
