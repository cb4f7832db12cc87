#include "cli/peer/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rdmawire::cli::peer {
namespace {

constexpr std::uint64_t exact_in_json = std::uint64_t{1} << 53;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) {
      // What peers say is given as they said it, octet by octet.
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "0"; }

struct AsJson {
  std::string operator()(const std::string& text) const { return quoted(text); }
  std::string operator()(std::uint64_t number) const {
    return number < exact_in_json ? fmt::format("{}", number) : fmt::format("\"{}\"", number);
  }
  std::string operator()(double number) const { return number_text(number); }
  std::string operator()(bool yes) const { return yes ? "true" : "false"; }
  std::string operator()(const Report& part) const { return part.json(); }
  std::string operator()(const std::vector<Report>& parts) const {
    std::string out = "[";
    for (const Report& part : parts) out += (out.size() == 1 ? "" : ", ") + part.json();
    return out + "]";
  }
};

struct AsText {
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::uint64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return number_text(number); }
  std::string operator()(bool yes) const { return yes ? "yes" : "no"; }
  std::string operator()(const Report& part) const { return part.line(); }
  std::string operator()(const std::vector<Report>& parts) const {
    std::string out;
    for (const Report& part : parts) out += (out.empty() ? "" : "; ") + part.line();
    return out;
  }
};

// For people a name has blanks.
std::string words(std::string name) {
  for (char& c : name) {
    if (c == '_') c = ' ';
  }
  return name;
}

}  // namespace

std::string Report::json() const {
  std::string out = "{";
  for (const auto& [name, value] : fields_) {
    out += fmt::format("{}{}: {}", out.size() == 1 ? "" : ", ", quoted(name), std::visit(AsJson{}, value));
  }
  return out + "}";
}

std::string Report::line() const {
  std::string out;
  for (const auto& [name, value] : fields_) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", words(name), std::visit(AsText{}, value));
  }
  return out;
}

bool Report::has_several_parts() const {
  return std::ranges::any_of(
      fields_, [](const auto& field) { return std::holds_alternative<std::vector<Report>>(field.second); });
}

std::string Report::text(unsigned indent) const {
  const std::string margin(indent, ' ');
  std::string out;
  for (const auto& [name, value] : fields_) {
    if (const auto* parts = std::get_if<std::vector<Report>>(&value)) {
      for (const Report& part : *parts) out += margin + words(name) + ":\n" + part.text(indent + 2);
    } else if (const auto* part = std::get_if<Report>(&value); part != nullptr && part->has_several_parts()) {
      out += margin + words(name) + ":\n" + part->text(indent + 2);
    } else {
      out += fmt::format("{}{}: {}\n", margin, words(name), std::visit(AsText{}, value));
    }
  }
  return out;
}

}  // namespace rdmawire::cli::peer
