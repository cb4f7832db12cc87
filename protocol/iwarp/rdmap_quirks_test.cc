// Each quirk of DDP, RDMAP and MPA's Full Operation is seen in at least one scenario.
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "protocol/iwarp/rdmap_states_page.h"
#include "protocol/iwarp/stream_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

// The others have tests of their own: mpa_quirks_test.cc, sctp_quirks_test.cc.
bool is_ours(const QuirkInfo& row) {
  return row.machine == QuirkOf::ddp || row.machine == QuirkOf::rdmap || row.machine == QuirkOf::fpdu;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rdmap_quirks)

BOOST_AUTO_TEST_CASE(each_is_seen_in_a_scenario) {
  const auto& scenarios = rdmawire::test::scenarios_of<Quirk>();
  std::vector<std::string> plain;
  for (const auto& scenario : scenarios) plain.push_back(scenario.transcript());
  BOOST_TEST(plain.size() > 150U);
  unsigned num_invented = 0;
  for (const QuirkInfo& row : quirk_table) {
    if (!is_ours(row)) continue;
    num_invented += row.origin == "invented";
    bool seen = false;
    for (std::size_t i = 0; i < plain.size() && !seen; ++i) seen = scenarios[i].transcript(row.quirk) != plain[i];
    BOOST_CHECK_MESSAGE(seen, "no scenario shows the quirk " << row.name);
  }
  BOOST_TEST(num_invented >= 60U);
}

BOOST_AUTO_TEST_CASE(requirements_are_in_the_register) {
  std::set<std::string> ids;
  std::ifstream file("conformance/requirements/iwarp.tsv");
  for (std::string line; std::getline(file, line);) ids.insert(line.substr(0, line.find('\t')));
  BOOST_REQUIRE(ids.contains("DDP-5041-3-01"));
  std::set<std::string_view> names;
  for (const QuirkInfo& row : quirk_table) {
    BOOST_CHECK_MESSAGE(ids.contains(std::string(row.requirement)), row.name << ": " << row.requirement);
    BOOST_CHECK_MESSAGE(names.insert(row.name).second, row.name);
  }
  for (const StreamTransition& row : stream_transitions) {
    BOOST_CHECK_MESSAGE(ids.contains(std::string(row.requirement)), row.requirement);
  }
}

BOOST_AUTO_TEST_CASE(page_of_states_is_that_of_the_table) {
  std::ifstream file("docs/rdmap_states.md");
  std::ostringstream text;
  text << file.rdbuf();
  BOOST_TEST((text.str() == rdmap_states_page()),
             "run: bazel run //protocol/iwarp:rdmap_states_page_main > docs/rdmap_states.md");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::stream_test
