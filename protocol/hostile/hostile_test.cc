// A slice of what hostile_main runs for hours.
#include <array>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "protocol/hostile/run.h"

namespace rdmawire::hostile {
BOOST_AUTO_TEST_SUITE(hostile)

BOOST_AUTO_TEST_CASE(random_programs_end_as_on_an_ideal_network_on_every_carrier) {
  for (const Carrier carrier : {Carrier::rocev2, Carrier::rocev2_ipv6, Carrier::rocev1, Carrier::ib}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const RunResult result = run(seed, options_for(seed, carrier));
      BOOST_TEST(result.fault == "", name_of(carrier) << " seed " << seed << ": " << result.fault);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_seed_gives_the_same_run_again) {
  const RunResult first = run(7, options_for(7, Carrier::rocev2));
  const RunResult second = run(7, options_for(7, Carrier::rocev2));
  BOOST_TEST(first.num_packets == second.num_packets);
  BOOST_TEST(first.finished.count() == second.finished.count());
}

// The test would see them: each of these breaks what it promises, with the first seed at which it shows.
BOOST_AUTO_TEST_CASE(departures_that_damage_memory_or_completions_are_found) {
  constexpr std::array<std::pair<ib::Quirk, std::uint64_t>, 6> departures{{{ib::Quirk::execute_duplicate_atomic, 9},
                                                                           {ib::Quirk::execute_duplicate_write, 3},
                                                                           {ib::Quirk::accept_future_packets, 2},
                                                                           {ib::Quirk::repeat_read_from_start, 1},
                                                                           {ib::Quirk::ignore_solicited, 1},
                                                                           {ib::Quirk::swap_always, 1}}};
  for (const auto& [quirk, seed] : departures) {
    RunOptions options = options_for(seed, Carrier::rocev2);
    options.quirks.add(quirk);
    BOOST_TEST(run(seed, options).fault != "", info(quirk).name);
  }
}

BOOST_AUTO_TEST_CASE(every_fate_of_the_first_packets_ends_well) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Exploration found = explore(seed, Carrier::rocev2, 4);
    BOOST_TEST(found.num_runs == 256U);
    BOOST_TEST(found.faults.empty(), (found.faults.empty() ? "" : found.faults.front()));
  }
}

BOOST_AUTO_TEST_CASE(goodput_is_that_of_the_page) {
  std::ifstream file("docs/goodput.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  BOOST_TEST(page == goodput_page());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::hostile
