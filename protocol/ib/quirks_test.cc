// Each quirk of the machines is seen in at least one scenario.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>
#include <string>

#include "protocol/ib/scenario_test.h"

namespace rdmawire::ib::test {
BOOST_AUTO_TEST_SUITE(quirks)

BOOST_AUTO_TEST_CASE(each_is_seen_in_a_scenario) {
  std::vector<std::string> plain;
  for (const Scenario& scenario : scenarios()) plain.push_back(scenario.transcript());
  BOOST_TEST(plain.size() > 150U);
  for (const QuirkInfo& row : quirk_table) {
    if (row.machine == QuirkOf::cm) continue;
    bool seen = false;
    for (std::size_t i = 0; i < plain.size() && !seen; ++i) {
      seen = scenarios()[i].transcript(row.quirk) != plain[i];
    }
    BOOST_CHECK_MESSAGE(seen, "no scenario shows the quirk " << row.name);
  }
}

BOOST_AUTO_TEST_CASE(names_are_unique) {
  std::set<std::string_view> names;
  for (const QuirkInfo& row : quirk_table) BOOST_CHECK_MESSAGE(names.insert(row.name).second, row.name);
  BOOST_TEST(find_quirk("nak-every-future-packet").has_value());
  BOOST_TEST(!find_quirk("no-such-quirk").has_value());
}

BOOST_AUTO_TEST_CASE(requirements_are_in_the_register) {
  std::set<std::string> ids;
  std::ifstream file("conformance/requirements/ib.tsv");
  for (std::string line; std::getline(file, line);) ids.insert(line.substr(0, line.find('\t')));
  BOOST_REQUIRE(ids.contains("PSN-01"));
  for (const QuirkInfo& row : quirk_table) {
    BOOST_CHECK_MESSAGE(ids.contains(std::string(row.requirement)), row.name << ": " << row.requirement);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::ib::test
