// What is told of a run: names and values in order, for people and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rdmawire::cli::peer {

class Report {
 public:
  // A value is a text, a number, a yes or no, a report of its own, or several of them.
  using Value = std::variant<std::string, std::uint64_t, double, bool, Report, std::vector<Report>>;

  // An empty text says nothing, and is left out.
  void add(std::string_view name, std::string text) {
    if (!text.empty()) fields_.emplace_back(name, std::move(text));
  }
  void add(std::string_view name, const char* text) { add(name, std::string(text)); }
  void add(std::string_view name, std::string_view text) { add(name, std::string(text)); }
  void add(std::string_view name, std::uint64_t number) { fields_.emplace_back(name, number); }
  void add(std::string_view name, double number) { fields_.emplace_back(name, number); }
  void add(std::string_view name, bool yes) { fields_.emplace_back(name, yes); }
  void add(std::string_view name, Report part) {
    if (!part.is_empty()) fields_.emplace_back(name, std::move(part));
  }
  void add(std::string_view name, std::vector<Report> parts) { fields_.emplace_back(name, std::move(parts)); }
  // Only if it is not 0.
  void add_count(std::string_view name, std::uint64_t number) {
    if (number != 0) add(name, number);
  }

  // One of its values is several reports, so that it does not fit on a line.
  bool has_several_parts() const;
  bool is_empty() const { return fields_.empty(); }

  // One JSON object; numbers of 2^53 and more are strings.
  std::string json() const;
  // A line for each value, parts indented under their name.
  std::string text(unsigned indent = 0) const;
  // The values behind each other: "path_mtu 1024, retry_count 7".
  std::string line() const;

 private:
  std::vector<std::pair<std::string, Value>> fields_;
};

}  // namespace rdmawire::cli::peer
