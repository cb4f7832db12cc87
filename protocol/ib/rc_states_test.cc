#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "protocol/ib/rc_states_page.h"

namespace rdmawire::ib {
BOOST_AUTO_TEST_SUITE(rc_states)

// The whole state x event matrix, cell by cell.
BOOST_AUTO_TEST_CASE(machines_do_in_each_state_what_the_page_says) {
  std::ifstream file("docs/rc_states.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string now = rc_states_page();
  std::size_t line = 1, at = 0;
  while (at < page.size() && at < now.size() && page[at] == now[at]) line += page[at++] == '\n' ? 1 : 0;
  BOOST_TEST((page == now), "docs/rc_states.md differs in line " << line);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::ib
