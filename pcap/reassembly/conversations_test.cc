#include "pcap/reassembly/conversations.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "pcap/reassembly/test_frames.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::reassembly;
using test::build;
using test::parse;
using test::TestSegment;

ConversationKey key_of(std::uint16_t port) {
  ConversationKey key;
  key.ends[0].port = 1;
  key.ends[1].port = port;
  return key;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(conversations)

BOOST_AUTO_TEST_CASE(both_directions_have_one_key) {
  for (const bool ipv6 : {false, true}) {
    const auto there = build({.sequence = 7, .ipv6 = ipv6});
    const auto back = build({.from_server = true, .ipv6 = ipv6});
    const auto one = tcp_of(parse(there));
    const auto two = tcp_of(parse(back));
    BOOST_REQUIRE((one && two));
    BOOST_TEST((one->key == two->key));
    BOOST_TEST(one->key.ipv6 == ipv6);
    BOOST_TEST(hash_of(one->key) == hash_of(two->key));
    BOOST_TEST(!one->from_upper);
    BOOST_TEST(two->from_upper);
    BOOST_TEST(one->tcp.sequence == 7U);
    BOOST_TEST(one->key.ends[0].port == 40000);
    BOOST_TEST(one->key.ends[0].address[ipv6 ? 15 : 3] == 1);
    BOOST_TEST(one->key.ends[1].port == 5000);
    BOOST_TEST(one->key.ends[1].address[ipv6 ? 15 : 3] == 2);
  }
}

BOOST_AUTO_TEST_CASE(the_innermost_tcp_counts_whatever_is_around_it) {
  const auto plain = build({});
  auto tagged = plain;  // 802.1Q
  tagged.insert(tagged.begin() + 12, {0x81, 0x00, 0x00, 0x07});
  const auto vlan = tcp_of(parse(tagged));
  BOOST_REQUIRE(vlan.has_value());
  BOOST_TEST((vlan->key == tcp_of(parse(plain))->key));
  std::vector<std::uint8_t> tunnel(14, 0);  // IPv4, protocol 4
  tunnel[12] = 0x08;
  const std::vector<std::uint8_t> outer{0x45, 0, 0, 72, 0, 0, 0, 0, 64, 4, 0, 0, 192, 168, 0, 1, 192, 168, 0, 2};
  tunnel.insert(tunnel.end(), outer.begin(), outer.end());
  tunnel.insert(tunnel.end(), plain.begin() + 14, plain.end());
  const auto inner = tcp_of(parse(tunnel));
  BOOST_REQUIRE(inner.has_value());
  BOOST_TEST((inner->key == vlan->key));
}

BOOST_AUTO_TEST_CASE(fragments_belong_to_no_stream) {
  const auto first = build({.octets = std::vector<std::uint8_t>(16), .more_fragments = true});
  const auto second = build({.octets = std::vector<std::uint8_t>(16), .fragment_offset = 3});
  for (const auto* each : {&first, &second}) {
    BOOST_TEST(!tcp_of(parse(*each)).has_value());
    BOOST_TEST(is_tcp_fragment(parse(*each)));
  }
  const auto whole = build({});
  BOOST_TEST(!is_tcp_fragment(parse(whole)));
  // Cut as well: what stopped the parser is the length, yet it is a fragment.
  auto both = first;
  both.resize(both.size() - 4);
  BOOST_TEST(!tcp_of(parse(both)).has_value());
}

BOOST_AUTO_TEST_CASE(a_cut_header_is_no_segment) {
  const auto whole = build({});
  BOOST_TEST(!tcp_of(parse(Bytes(whole).first(50), whole.size())).has_value());
  BOOST_TEST(tcp_of(parse(whole)).has_value());
}

BOOST_AUTO_TEST_CASE(lengths_that_contradict_each_other_leave_the_segment_open) {
  const auto whole = build({.octets = std::vector<std::uint8_t>(40)});
  auto frame = whole;
  frame[14 + 20 + 12] = 0x40;  // a TCP header of 16 octets
  BOOST_TEST(!tcp_of(parse(frame)).has_value());
  frame = whole;
  frame[14 + 3] = 19;  // an IPv4 packet of 19 octets
  BOOST_TEST(!tcp_of(parse(frame)).has_value());
  // Cut, and the file does not say so.
  const Bytes cut = Bytes(whole).first(whole.size() - 10);
  BOOST_TEST(tcp_of(parse(cut)).has_value());
  BOOST_TEST(parse(cut).payload_len == 30U);
}

BOOST_AUTO_TEST_CASE(the_one_silent_for_longest_is_the_oldest) {
  Conversations<int> all(3);
  BOOST_TEST(all.oldest() == Conversations<int>::none);
  for (std::uint16_t port = 1; port <= 3; ++port) all[all.insert(key_of(port))] = port;
  BOOST_TEST(all.full());
  BOOST_TEST(all[all.oldest()] == 1);
  BOOST_TEST(all[all.find(key_of(1))] == 1);
  BOOST_TEST(all[all.oldest()] == 2);
  all.erase(all.oldest());
  BOOST_TEST((all.find(key_of(2)) == Conversations<int>::none));
  BOOST_TEST(!all.full());
  const auto added = all.insert(key_of(4));
  BOOST_TEST(all[added] == 0);  // nothing is left of the one before
  BOOST_TEST(all[all.oldest()] == 3);
  BOOST_TEST(all[all.newer(all.oldest())] == 1);
}

// Against a plain model: a list by last use and a search through it.
BOOST_AUTO_TEST_CASE(any_operations_behave_as_a_list_would) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    Conversations<std::uint16_t> all(40);
    std::list<std::uint16_t> model;  // the oldest first
    for (int step = 0; step < 3000; ++step) {
      const auto port = static_cast<std::uint16_t>(1 + below(80));
      const auto there = std::find(model.begin(), model.end(), port);
      const auto found = all.find(key_of(port));
      BOOST_REQUIRE_MESSAGE((found != all.none) == (there != model.end()), "seed " << seed << " step " << step);
      if (found != all.none) {
        BOOST_REQUIRE_MESSAGE(all[found] == port, "seed " << seed << " step " << step);
        model.erase(there);
        if (below(4) == 0) {
          all.erase(found);
        } else {
          model.push_back(port);
        }
      } else {
        if (all.full()) {
          BOOST_REQUIRE_MESSAGE(all[all.oldest()] == model.front(), "seed " << seed << " step " << step);
          all.erase(all.oldest());
          model.pop_front();
        }
        all[all.insert(key_of(port))] = port;
        model.push_back(port);
      }
      BOOST_REQUIRE_MESSAGE(all.size() == model.size(), "seed " << seed << " step " << step);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
