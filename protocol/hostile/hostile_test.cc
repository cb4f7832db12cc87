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
  for (const Carrier carrier : {Carrier::rocev2, Carrier::rocev2_ipv6, Carrier::rocev1, Carrier::ib, Carrier::iwarp,
                                Carrier::iwarp_markers, Carrier::iwarp_sctp}) {
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

BOOST_AUTO_TEST_CASE(messages_of_4_mib_arrive_as_on_an_ideal_network) {
  for (const Carrier carrier : {Carrier::rocev2, Carrier::ib, Carrier::iwarp}) {
    const RunResult result = run(40, options_for(40, carrier));
    BOOST_TEST(result.fault == "", name_of(carrier) << ": " << result.fault);
    BOOST_TEST(result.longest == 4194304U);
  }
}

// Any forty seeds have messages of 4 MiB, unreliable connections, datagrams, connections that share their receives, and
// memory that is lent.
BOOST_AUTO_TEST_CASE(every_range_of_seeds_has_all_kinds_of_programs) {
  for (const std::uint64_t first : {1U, 1000U, 77777U}) {
    unsigned large = 0, uc = 0, ud = 0, shared = 0, lends = 0;
    for (std::uint64_t seed = first; seed < first + 40; ++seed) {
      const ProgramOptions program = options_for(seed, Carrier::rocev2).program;
      large += program.has_longest && program.max_len == 4U << 20 ? 1 : 0;
      uc += program.service == verbs::Service::uc ? 1 : 0;
      ud += program.service == verbs::Service::ud ? 1 : 0;
      shared += program.shared_receives && program.num_connections >= 2 ? 1 : 0;
      lends += program.lends ? 1 : 0;
    }
    BOOST_TEST(large == 1U);
    BOOST_TEST((uc > 0 && ud > 0 && shared > 0 && lends > 0), "from seed " << first);
  }
}

// All work requests that the service has stand in its programs.
BOOST_AUTO_TEST_CASE(programs_have_every_work_request) {
  constexpr auto num_opcodes = static_cast<std::size_t>(verbs::WorkOpcode::count_);
  for (const verbs::Service service : {verbs::Service::rc, verbs::Service::uc, verbs::Service::ud}) {
    ProgramOptions options;
    options.service = service;
    options.num_requests = 400;
    options.max_len = 1024;
    options.lends = service == verbs::Service::rc;
    std::array<bool, num_opcodes> used{};
    bool inlined = false;
    const Scenario scenario = make_scenario(1, options);
    for (const Program& program : scenario.connections[0].programs) {
      for (const Request& request : program.requests) {
        used[static_cast<std::size_t>(request.work.opcode)] = true;
        inlined = inlined || request.work.inline_data;
      }
    }
    BOOST_TEST(inlined);
    for (const auto& row : verbs::work_opcode_table) {
      // Unreliable programs lend nothing: nobody would know when.
      const bool expected = row.offered_by.has(service) && (!row.local || options.lends);
      BOOST_TEST(used[static_cast<std::size_t>(row.opcode)] == expected, row.name);
    }
  }
}

// The test would see them: each of these breaks what it promises, with the first seed at which it shows.
BOOST_AUTO_TEST_CASE(departures_that_damage_memory_or_completions_are_found) {
  constexpr std::array<std::pair<ib::Quirk, std::uint64_t>, 11> departures{{{ib::Quirk::execute_duplicate_atomic, 12},
                                                                            {ib::Quirk::execute_duplicate_write, 36},
                                                                            {ib::Quirk::accept_future_packets, 1},
                                                                            {ib::Quirk::repeat_read_from_start, 5},
                                                                            {ib::Quirk::ignore_solicited, 1},
                                                                            {ib::Quirk::swap_always, 2},
                                                                            {ib::Quirk::invalidate_nothing, 8},
                                                                            {ib::Quirk::ignore_fence, 1},
                                                                            {ib::Quirk::ignore_q_key, 3},
                                                                            {ib::Quirk::accept_bad_icrc, 5},
                                                                            {ib::Quirk::rnr_is_fatal, 10}}};
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
