// Each scenario of a DDP stream session goes as it says, and each quirk is seen in one.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/iwarp/sctp_script_test.h"
#include "protocol/vectors/label.h"

namespace rdmawire::iwarp::sctp_test {

namespace {

std::string transcript_of(const Scenario& scenario, std::optional<Quirk> quirk = {}) {
  Script script(quirk);
  scenario.run(script);
  return script.transcript();
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> out = sctp_scenarios();
  out.insert(out.end(), sctp_enhanced_scenarios().begin(), sctp_enhanced_scenarios().end());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sctp_session)

BOOST_AUTO_TEST_CASE(does_what_each_scenario_says) {
  for (const Scenario& scenario : all_scenarios()) {
    const vectors::Label label(scenario.name, {});
    BOOST_TEST_CONTEXT(scenario.name) { BOOST_TEST(transcript_of(scenario) == scenario.expected); }
  }
}

BOOST_AUTO_TEST_CASE(each_quirk_is_seen_in_a_scenario) {
  std::size_t num_quirks = 0;
  for (const QuirkInfo& row : quirk_table) {
    if (row.machine != QuirkOf::sctp) continue;
    ++num_quirks;
    bool seen = false;
    for (const Scenario& scenario : all_scenarios()) {
      seen = seen || transcript_of(scenario, row.quirk) != scenario.expected;
    }
    BOOST_CHECK_MESSAGE(seen, "no scenario shows the quirk " << row.name);
  }
  BOOST_TEST(num_quirks >= 12U);
}

BOOST_AUTO_TEST_CASE(quirks_and_ends_name_rows_of_the_register) {
  std::set<std::string> ids;
  std::ifstream file("conformance/requirements/iwarp.tsv");
  for (std::string line; std::getline(file, line);) ids.insert(line.substr(0, line.find('\t')));
  BOOST_REQUIRE(ids.contains("SCTP-5043-6.1-01"));
  for (const QuirkInfo& row : quirk_table) {
    if (row.machine != QuirkOf::sctp) continue;
    BOOST_CHECK_MESSAGE(ids.contains(std::string(row.requirement)), row.name << ": " << row.requirement);
  }
  for (const SctpEndInfo& row : sctp_ends) {
    BOOST_CHECK_MESSAGE(ids.contains(std::string(row.requirement)), row.name << ": " << row.requirement);
  }
  for (const SctpTransition& row : sctp_transitions) {
    BOOST_CHECK_MESSAGE(ids.contains(std::string(row.requirement)), row.requirement);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::sctp_test
