// Scenarios: what is sent to a machine, step by step, and what it must answer. Each is a test case of its own; and a
// family's quirks_test.cc runs all of them for each quirk, to see that some scenario shows it.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/quirk_set.h"

namespace rdmawire::test {

// Where a scenario says what happened and what should have. Without quirks both must be equal; with some, only what
// happened is kept.
template <class Quirk>
class BasicScript {
 public:
  explicit BasicScript(std::optional<Quirk> quirk = std::nullopt) : quirk_(quirk) {
    if (quirk) quirks_.add(*quirk);
  }
  const QuirkSet<Quirk>& quirks() const { return quirks_; }
  const std::string& transcript() const { return transcript_; }

  void expect(const std::string& actual, std::string_view expected, const std::source_location& where) {
    transcript_ += actual + '\n';
    if (quirk_) return;
    BOOST_CHECK_MESSAGE(actual == expected, where.file_name() << ':' << where.line() << "\n  is      \"" << actual
                                                              << "\"\n  must be \"" << expected << '"');
  }

 private:
  std::optional<Quirk> quirk_;
  QuirkSet<Quirk> quirks_;
  std::string transcript_;
};

template <class Quirk>
struct BasicScenario {
  std::string_view name;
  void (*run)(BasicScript<Quirk>&);

  std::string transcript(std::optional<Quirk> quirk = std::nullopt) const {
    BasicScript<Quirk> script(quirk);
    run(script);
    return script.transcript();
  }
};

template <class Quirk>
std::vector<BasicScenario<Quirk>>& scenarios_of() {
  static std::vector<BasicScenario<Quirk>> all;
  return all;
}
template <class Quirk>
bool add_scenario(const BasicScenario<Quirk>& one) {
  scenarios_of<Quirk>().push_back(one);
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

inline std::string hex_of(const std::uint8_t* octets, std::size_t size) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < size; ++i) {
    out += digits[octets[i] >> 4];
    out += digits[octets[i] & 15U];
  }
  return out;
}

}  // namespace rdmawire::test

// A scenario and its test case, in a namespace in which Quirk is the family's. The body's parameter is `script`.
#define RDMAWIRE_SCENARIO(symbol)                                                                   \
  void scenario_##symbol(::rdmawire::test::BasicScript<Quirk>& script);                             \
  const bool added_##symbol = ::rdmawire::test::add_scenario<Quirk>({#symbol, &scenario_##symbol}); \
  BOOST_AUTO_TEST_CASE(symbol) {                                                                    \
    BOOST_TEST(added_##symbol);                                                                     \
    ::rdmawire::test::BasicScript<Quirk> script;                                                    \
    scenario_##symbol(script);                                                                      \
  }                                                                                                 \
  void scenario_##symbol(::rdmawire::test::BasicScript<Quirk>& script)
