// Scenarios: what is sent to a machine, step by step, and what it must answer. Each is a test case of its own; and
// quirks_test.cc runs all of them for each quirk, to see that some scenario shows it.
#pragma once

#include <boost/test/unit_test.hpp>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/ib/quirks.h"

namespace rdmawire::ib::test {

// Where a scenario says what happened and what should have. Without quirks both must be equal; with some, only what
// happened is kept.
class Script {
 public:
  explicit Script(std::optional<Quirk> quirk = std::nullopt) : quirk_(quirk) {
    if (quirk) quirks_.add(*quirk);
  }
  const Quirks& quirks() const { return quirks_; }
  const std::string& transcript() const { return transcript_; }

  void expect(const std::string& actual, std::string_view expected, const std::source_location& where) {
    transcript_ += actual + '\n';
    if (quirk_) return;
    BOOST_CHECK_MESSAGE(actual == expected, where.file_name() << ':' << where.line() << "\n  is      \"" << actual
                                                              << "\"\n  must be \"" << expected << '"');
  }

 private:
  std::optional<Quirk> quirk_;
  Quirks quirks_;
  std::string transcript_;
};

struct Scenario {
  std::string_view name;
  void (*run)(Script&);
};

inline std::vector<Scenario>& scenarios() {
  static std::vector<Scenario> all;
  return all;
}
inline bool add_scenario(const Scenario& one) {
  scenarios().push_back(one);
  return true;
}

// Texts of one step, in order.
class Joined {
 public:
  void add(std::string_view text) {
    if (!text_.empty()) text_ += ", ";
    text_ += text;
  }
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

inline std::string hex(const std::uint8_t* octets, std::size_t size) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < size; ++i) {
    out += digits[octets[i] >> 4];
    out += digits[octets[i] & 15U];
  }
  return out;
}

}  // namespace rdmawire::ib::test

// A scenario and its test case. The body's parameter is `script`.
#define RDMAWIRE_SCENARIO(symbol)                                                                \
  void scenario_##symbol(::rdmawire::ib::test::Script& script);                                  \
  const bool added_##symbol = ::rdmawire::ib::test::add_scenario({#symbol, &scenario_##symbol}); \
  BOOST_AUTO_TEST_CASE(symbol) {                                                                 \
    BOOST_TEST(added_##symbol);                                                                  \
    ::rdmawire::ib::test::Script script;                                                         \
    scenario_##symbol(script);                                                                   \
  }                                                                                              \
  void scenario_##symbol(::rdmawire::ib::test::Script& script)
