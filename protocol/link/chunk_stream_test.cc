// What a simulated SCTP association does to chunks, exactly; and what holds for any program (laws).
#include "protocol/link/chunk_stream.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace rdmawire;
using namespace rdmawire::link;
using Octets = std::vector<std::uint8_t>;
using Kind = ChunkNews::Kind;
using P = net::SctpPayloadProtocol;

constexpr Time ns(std::int64_t n) { return Time(n); }

// "b 3.17:2" is a chunk of stream 3, payload protocol identifier 17, two octets, at side b; "a ack 5" the
// acknowledgment of the one with context 5.
std::string text(const ChunkNews& news) {
  std::string out = news.to == Side::a ? "a " : "b ";
  switch (news.kind) {
    case Kind::chunk:
      out += std::to_string(news.stream) + "." + std::to_string(static_cast<std::uint32_t>(news.protocol)) + ":" +
             std::to_string(news.octets.size());
      if (news.num_overtaking != 0) out += " behind " + std::to_string(news.num_overtaking);
      if (news.corrupted) out += " corrupted";
      break;
    case Kind::acknowledged:
      out += "ack " + std::to_string(news.context);
      break;
    case Kind::shutdown:
      out += "shutdown";
      break;
    case Kind::aborted:
      out += "aborted";
      break;
  }
  return out;
}

std::string told(ChunkStream& stream, Time by) {
  std::string out;
  while (const auto news = stream.receive(by)) out += (out.empty() ? "" : ", ") + text(*news);
  return out;
}

SentChunk chunk(Bytes octets, std::uint32_t context = 0, std::uint16_t stream = 0) {
  return {stream, P::ddp_segment, true, octets, context};
}

BOOST_AUTO_TEST_SUITE(chunk_stream)

BOOST_AUTO_TEST_CASE(chunks_arrive_and_are_acknowledged) {
  ChunkStream stream({.indications = {1U, std::nullopt}});
  stream.set(Side::a, {.delay = ns(10), .ack_delay = ns(5)});
  const Octets octets{1, 2};
  BOOST_TEST((stream.send(Side::a, {3, P::ddp_session_control, true, octets, 77}, ns(0)) == ChunkOutcome::accepted));
  BOOST_TEST((stream.next_arrival() == ns(10)));
  BOOST_TEST(told(stream, ns(9)) == "");
  BOOST_TEST(told(stream, ns(10)) == "b 3.17:2");
  BOOST_TEST(stream.num_unacknowledged(Side::a) == 1U);
  BOOST_TEST((stream.next_arrival() == ns(25)));
  BOOST_TEST(told(stream, ns(25)) == "a ack 77");
  BOOST_TEST(stream.num_unacknowledged(Side::a) == 0U);
  BOOST_TEST((stream.peer_indication(Side::b) == 1U));
  BOOST_TEST(!stream.peer_indication(Side::a).has_value());
}

BOOST_AUTO_TEST_CASE(room_is_what_is_not_acknowledged) {
  ChunkStream stream({.capacity = 2});
  stream.set_both({.delay = ns(10)});
  const Octets octets{1};
  BOOST_TEST(stream.room(Side::a) == 2U);
  stream.send(Side::a, chunk(octets), ns(0));
  stream.send(Side::a, chunk(octets), ns(0));
  BOOST_TEST(stream.room(Side::a) == 0U);
  BOOST_TEST((stream.send(Side::a, chunk(octets), ns(0)) == ChunkOutcome::no_room));
  BOOST_TEST((stream.send(Side::b, chunk(octets), ns(0)) == ChunkOutcome::accepted));
  told(stream, ns(10));
  BOOST_TEST(stream.room(Side::a) == 0U);
  told(stream, ns(20));
  BOOST_TEST(stream.room(Side::a) == 2U);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  ChunkStream stream({.num_streams = 2, .max_chunk_len = 4});
  BOOST_TEST((stream.send(Side::a, chunk(Octets(4)), ns(0)) == ChunkOutcome::accepted));
  BOOST_TEST((stream.send(Side::a, chunk(Octets(5)), ns(0)) == ChunkOutcome::too_long));
  BOOST_TEST((stream.send(Side::a, chunk(Octets(1), 0, 1), ns(0)) == ChunkOutcome::accepted));
  BOOST_TEST((stream.send(Side::a, chunk(Octets(1), 0, 2), ns(0)) == ChunkOutcome::no_stream));
  BOOST_TEST(name_of(ChunkOutcome::no_stream) == "no-stream");
}

BOOST_AUTO_TEST_CASE(fates_hold_and_corrupt) {
  ChunkStream stream({});
  stream.set_both({.delay = ns(10)});
  static constexpr std::array fates{NumberedFate{0, Fate::hold(2)}, NumberedFate{2, Fate::corrupt(8)},
                                    NumberedFate{3, Fate::drop()}, NumberedFate{4, Fate::duplicate()}};
  stream.force(Side::a, fates);
  const Octets octets{0, 0, 0};
  for (std::uint8_t i = 0; i < 5; ++i) stream.send(Side::a, chunk(Bytes(octets).first(i % 3U + 1U)), ns(i));
  BOOST_TEST(told(stream, ns(11)) == "b 0.16:2");
  const auto corrupted = stream.receive(ns(12));
  BOOST_REQUIRE(corrupted.has_value());
  BOOST_TEST(Octets(corrupted->octets.begin(), corrupted->octets.end()) == (Octets{0, 0x80, 0}));
  BOOST_TEST(corrupted->corrupted);
  // SCTP neither loses nor repeats.
  BOOST_TEST(told(stream, ns(20)) == "b 0.16:1 behind 2, b 0.16:1, b 0.16:2");
}

BOOST_AUTO_TEST_CASE(ordered_chunks_keep_their_order) {
  ChunkStream stream({.seed = 5});
  stream.set_both({.jitter = ns(100), .reorder = Ppm::percent(50)});
  const Octets octets{0};
  for (std::uint32_t i = 0; i < 200; ++i) {
    stream.send(Side::a, {0, P::ddp_segment, false, octets, i}, ns(i));
  }
  std::uint64_t expected = 0;
  while (const auto news = stream.receive(ns(10'000'000))) {
    if (news->kind == Kind::chunk) BOOST_REQUIRE(news->number == expected++);
  }
  BOOST_TEST(expected == 200U);
}

BOOST_AUTO_TEST_CASE(a_shutdown_waits_for_what_was_sent) {
  ChunkStream stream({});
  stream.set_both({.delay = ns(10)});
  const Octets octets{0};
  stream.send(Side::a, chunk(octets, 1), ns(0));
  stream.shutdown(Side::a, ns(0));
  BOOST_TEST((stream.send(Side::a, chunk(octets), ns(0)) == ChunkOutcome::closed));
  BOOST_TEST((stream.send(Side::b, chunk(octets, 2), ns(25)) == ChunkOutcome::accepted));
  BOOST_TEST(told(stream, ns(25)) == "b 0.16:1, a ack 1");
  BOOST_TEST(told(stream, ns(100)) == "a 0.16:1, b shutdown, b ack 2");
  BOOST_TEST((stream.send(Side::b, chunk(octets), ns(100)) == ChunkOutcome::closed));
  BOOST_TEST(!stream.next_arrival().has_value());
}

BOOST_AUTO_TEST_CASE(an_abort_ends_all) {
  ChunkStream stream({});
  stream.set_both({.delay = ns(10)});
  const Octets octets{0};
  stream.send(Side::b, chunk(octets), ns(0));
  stream.send(Side::a, chunk(octets), ns(0));
  stream.abort(Side::a, ns(5));
  BOOST_TEST((stream.send(Side::a, chunk(octets), ns(5)) == ChunkOutcome::closed));
  // What comes to side a is dropped, and not acknowledged.
  BOOST_TEST(told(stream, ns(100)) == "b 0.16:1, b aborted");
  BOOST_TEST((stream.send(Side::b, chunk(octets), ns(100)) == ChunkOutcome::closed));
  BOOST_TEST(!stream.next_arrival().has_value());
}

BOOST_AUTO_TEST_CASE(each_chunk_arrives_once_and_is_acknowledged_once) {
  std::uint64_t num_overtaken = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 random(seed);
      const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random()) % bound; };
      ChunkStream stream({.num_streams = 3, .capacity = 1 + below(60), .max_chunk_len = 50, .seed = seed});
      const std::uint32_t bound = 1 + below(10);
      for (const Side side : {Side::a, Side::b}) {
        ChunkImpairments i;
        i.delay = ns(below(100));
        i.jitter = ns(below(100));
        i.reorder = Ppm{below(500'000)};
        i.reorder_bound = bound;
        i.reorder_hold = ns(below(1000));
        i.ack_delay = ns(below(100));
        stream.set(side, i);
      }
      std::array<std::map<std::uint32_t, Octets>, 2> on_its_way;  // by context
      std::array<std::set<std::uint32_t>, 2> unacknowledged;
      Time now{};
      std::uint32_t context = 0;
      for (std::uint32_t step = 0; step < 500; ++step) {
        now += ns(below(20));
        for (const Side side : {Side::a, Side::b}) {
          const auto from = static_cast<std::size_t>(side);
          Octets octets(below(51));
          for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random());
          const bool room = stream.room(side) != 0;
          BOOST_REQUIRE(stream.num_unacknowledged(side) == unacknowledged[from].size());
          const SentChunk sent{static_cast<std::uint16_t>(below(3)), P::ddp_segment, below(4) != 0, octets, context};
          BOOST_REQUIRE((stream.send(side, sent, now) == (room ? ChunkOutcome::accepted : ChunkOutcome::no_room)));
          if (!room) continue;
          on_its_way[from][context] = octets;
          unacknowledged[from].insert(context++);
        }
        const bool last = step == 499;
        while (const auto news = stream.receive(last ? Time::max() : now)) {
          const std::size_t from = static_cast<std::size_t>(news->kind == Kind::chunk ? other(news->to) : news->to);
          if (news->kind == Kind::acknowledged) {
            BOOST_REQUIRE(unacknowledged[from].erase(news->context) == 1);
            BOOST_REQUIRE(!on_its_way[from].contains(news->context));
            continue;
          }
          const auto it = on_its_way[from].find(news->context);
          BOOST_REQUIRE(it != on_its_way[from].end());
          BOOST_REQUIRE(std::ranges::equal(it->second, news->octets));
          BOOST_REQUIRE(news->num_overtaking <= bound);
          num_overtaken += news->num_overtaking != 0 ? 1 : 0;
          on_its_way[from].erase(it);
        }
      }
      BOOST_REQUIRE(on_its_way[0].empty() && on_its_way[1].empty());
      BOOST_REQUIRE(unacknowledged[0].empty() && unacknowledged[1].empty());
    }
  }
  BOOST_TEST(num_overtaken > 1000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
