// What a peer is made of, without connections.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/peer/inbox.h"
#include "cli/peer/parse_options.h"
#include "cli/peer/report.h"
#include "cli/peer/statistics.h"

namespace rdmawire::cli::peer {
namespace {

using namespace std::chrono_literals;

}  // namespace

BOOST_AUTO_TEST_SUITE(peer_parts)

BOOST_AUTO_TEST_CASE(percentiles_are_right_to_a_sixteenth) {
  Latencies latencies;
  BOOST_TEST(!latencies.percentile(50).has_value());
  for (int i = 1; i <= 1000; ++i) latencies.add(i * 1us);
  BOOST_TEST(latencies.num() == 1000U);
  for (const int percent : {1, 10, 50, 90, 99}) {
    const double exact = percent * 10'000.0;  // ns
    const auto found = static_cast<double>(latencies.percentile(percent)->count());
    BOOST_TEST(found >= exact * 0.99);
    BOOST_TEST(found <= exact * 17 / 16 + 1);
  }
  BOOST_TEST((latencies.percentile(100) == Duration(1ms)));
  BOOST_TEST((latencies.longest() == Duration(1ms)));
}

BOOST_AUTO_TEST_CASE(any_duration_has_a_bucket) {
  Latencies latencies;
  latencies.add(-5ns);
  latencies.add(Duration::max());
  BOOST_TEST((latencies.percentile(50) == Duration(0)));
  BOOST_TEST((latencies.longest() == Duration::max()));
  BOOST_TEST(latencies.num() == 2U);
}

BOOST_AUTO_TEST_CASE(a_report_as_json_and_for_people) {
  Report inner;
  inner.add("path_mtu", std::uint64_t{1024});
  inner.add("crc", true);
  inner.add("nothing", "");
  Report report;
  report.add("text", "a \"b\"\n");
  report.add("large", std::uint64_t{9007199254740992});
  report.add("rate", 1.5);
  report.add("part", inner);
  report.add("empty", Report());
  report.add("parts", std::vector<Report>{inner});
  report.add_count("none", 0);
  BOOST_TEST(report.json() ==
             R"({"text": "a \"b\"\u000a", "large": "9007199254740992", "rate": 1.5, )"
             R"("part": {"path_mtu": 1024, "crc": true}, "parts": [{"path_mtu": 1024, "crc": true}]})");
  BOOST_TEST(inner.line() == "path mtu 1024, crc yes");
  Report plain;
  plain.add("good", false);
  plain.add("parts", std::vector<Report>{inner});
  BOOST_TEST(plain.text() == "good: no\nparts:\n  path mtu: 1024\n  crc: yes\n");
}

BOOST_AUTO_TEST_CASE(impairments_are_read) {
  const auto all = read_impairments("loss=1%,dup=0.5%,reorder=3,corrupt=0.1%,delay=2ms,jitter=50us");
  BOOST_REQUIRE(all.has_value());
  BOOST_TEST(all->loss.value == 10'000U);
  BOOST_TEST(all->duplicate.value == 5'000U);
  BOOST_TEST(all->reorder.value == 50'000U);
  BOOST_TEST(all->reorder_bound == 3U);
  BOOST_TEST(all->corrupt.value == 1'000U);
  BOOST_TEST((all->delay == Time(2ms)));
  BOOST_TEST((all->jitter == Time(50us)));
  BOOST_TEST(read_impairments("reorder=10%:7")->reorder.value == 100'000U);
  BOOST_TEST(read_impairments("reorder=10%:7")->reorder_bound == 7U);
  for (const char* wrong :
       {"loss", "loss=1", "loss=101%", "loss=-1%", "delay=2", "reorder=0", "reorder=x:3", "what=1%"}) {
    BOOST_TEST_CONTEXT(wrong) { BOOST_TEST(!read_impairments(wrong).has_value()); }
  }
}

// What was written lies in another memory, and may be longer than a slot.
BOOST_AUTO_TEST_CASE(a_write_with_immediate_is_no_message_in_the_slot_that_it_took) {
  Inbox inbox;
  verbs::Completion completion;
  completion.opcode = verbs::CompletionOpcode::receive_rdma_with_immediate;
  completion.byte_len = 1 << 20;
  BOOST_TEST(inbox.message(completion).empty());
  inbox.count(completion);
  BOOST_TEST(inbox.num_counted() == 0U);
  completion.opcode = verbs::CompletionOpcode::receive;
  completion.byte_len = 0;
  inbox.count(completion);
  BOOST_TEST(inbox.num_counted() == 1U);
  Report report;
  inbox.add_report(report);
  BOOST_TEST(report.line() == "received crc32 00000000");
}

BOOST_AUTO_TEST_CASE(sizes_are_read) {
  BOOST_TEST(*read_size("64") == 64U);
  BOOST_TEST(*read_size("64KiB") == 65536U);
  BOOST_TEST(*read_size("2GiB") == 2147483648U);
  for (const char* wrong : {"", "KiB", "64kB", "-1", "99999999999999999999", "18446744073709551615KiB"}) {
    BOOST_TEST_CONTEXT(wrong) { BOOST_TEST(!read_size(wrong).has_value()); }
  }
}

BOOST_AUTO_TEST_CASE(places_are_read) {
  PeerArguments arguments;
  arguments.service = "rping";
  arguments.wire = "tcp";
  const auto of = [&](const char* place) {
    arguments.connect = place;
    const auto options = read_arguments(arguments);
    return options ? options->host + " " + std::to_string(options->port) : std::string("wrong");
  };
  BOOST_TEST(of("192.0.2.1") == "192.0.2.1 7174");
  BOOST_TEST(of("192.0.2.1:9") == "192.0.2.1 9");
  BOOST_TEST(of("fd00::1") == "fd00::1 7174");
  BOOST_TEST(of("[fd00::1]:9") == "fd00::1 9");
  BOOST_TEST(of("host.example:9") == "host.example 9");
  BOOST_TEST(of("192.0.2.1:0") == "wrong");
  BOOST_TEST(of("192.0.2.1:70000") == "wrong");
  BOOST_TEST(of("[fd00::1") == "wrong");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cli::peer
