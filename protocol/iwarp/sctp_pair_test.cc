// Two DDP stream sessions over a simulated association; endpoints with many; numbers that wrap.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "protocol/iwarp/sctp_script_test.h"
#include "protocol/iwarp/sctp_session.h"
#include "protocol/iwarp/sctp_session_states_page.h"
#include "protocol/link/chunk_stream.h"
#include "tools/test/num_allocations.h"

namespace rdmawire::iwarp::sctp_test {

namespace {

using namespace std::chrono_literals;
using link::ChunkNews;
using link::ChunkStream;
using link::Side;

// Both ends of the sessions of one association, each stream with one, and what they saw.
struct Pair {
  Pair(const link::ChunkStreamConfig& stream_config, const SctpConfig& config) : stream(stream_config) {
    for (std::uint16_t i = 0; i < stream_config.num_streams; ++i) {
      SctpConfig own = config;
      own.stream = i;
      a.emplace_back(own);
      b.emplace_back(own);
    }
    association.max_chunk_len = stream_config.max_chunk_len;
  }

  SctpSession& at(Side side, std::uint16_t number) { return (side == Side::a ? a : b)[number]; }

  void transmit() {
    for (const Side side : {Side::a, Side::b}) {
      for (std::uint16_t i = 0; i < stream.num_streams(); ++i) {
        while (stream.room(side) > 0) {
          const auto chunk = at(side, i).poll_transmit();
          if (!chunk) break;
          const auto outcome =
              stream.send(side, {chunk->stream, chunk->protocol, chunk->unordered, chunk->octets, chunk->ssn}, now);
          if (outcome != link::ChunkOutcome::accepted) BOOST_FAIL(name_of(outcome));
        }
      }
    }
  }

  // Hands over the next that arrives, and takes what comes of it; false if nothing is on its way.
  bool step(bool take = true) {
    transmit();
    const auto at_time = stream.next_arrival();
    if (!at_time) return false;
    now = std::max(now, *at_time);
    while (const auto news = stream.receive(now)) {
      SctpSession& session = at(news->to, news->stream);
      if (news->kind == ChunkNews::Kind::acknowledged) {
        session.on_acknowledged(static_cast<std::uint16_t>(news->context));
      } else if (news->kind == ChunkNews::Kind::chunk) {
        session.on_chunk(news->protocol, news->octets, now);
        if (take) on_arrival(news->to, session);
      }
    }
    return true;
  }

  void on_arrival(Side to, SctpSession& session) {
    while (const auto segment = session.next_ahead()) {
      ++num_ahead;
      ahead[to == Side::a ? 1 : 0].emplace_back(
          segment->number, std::vector<std::uint8_t>(segment->ulpdu.begin(), segment->ulpdu.end()));
    }
    while (const auto segment = session.next_segment()) {
      got[to == Side::a ? 1 : 0].emplace_back(segment->ulpdu.begin(), segment->ulpdu.end());
    }
  }

  ChunkStream stream;
  SctpAssociation association;
  std::vector<SctpSession> a;
  std::vector<SctpSession> b;
  // By who sent them.
  std::array<std::vector<std::vector<std::uint8_t>>, 2> got;
  std::array<std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>>, 2> ahead;
  std::uint64_t num_ahead = 0;
  Time now{};
};

link::ChunkImpairments reordering(std::uint32_t bound) {
  link::ChunkImpairments out;
  out.delay = 10us;
  out.jitter = 5us;
  out.reorder = link::Ppm::percent(30);
  out.reorder_bound = bound;
  out.reorder_hold = 200us;
  return out;
}

void open(Pair& pair) {
  BOOST_REQUIRE(pair.b[0].start_responder(pair.association, nullptr).has_value());
  BOOST_REQUIRE(pair.a[0].start_initiator(pair.association, {}, pair.now).has_value());
  while (pair.b[0].state() != SctpState::initiate_received) BOOST_REQUIRE(pair.step());
  BOOST_REQUIRE(pair.b[0].accept().has_value());
}

std::vector<std::uint8_t> ulpdu_of(std::uint32_t number, std::size_t len) {
  std::vector<std::uint8_t> out(len);
  for (std::size_t i = 0; i < len; ++i) out[i] = static_cast<std::uint8_t>(number * 31 + i * 7);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sctp_pair)

//= SCTP-5043-10-02, SCTP-5043-6-01, SCTP-5043-6.2-01 test
BOOST_AUTO_TEST_CASE(segments_cross_a_reordering_association_both_ways) {
  std::uint64_t num_ahead = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 random(seed);
      const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random()) % bound; };
      SctpConfig config;
      config.reorder_capacity = 64;
      config.max_unacknowledged = 64;
      config.send_capacity = 1 + below(8);
      Pair pair({.num_streams = 1, .capacity = 8 + below(100), .max_chunk_len = 1420, .seed = seed}, config);
      pair.stream.set_both(reordering(1 + below(20)));
      open(pair);
      std::array<std::vector<std::vector<std::uint8_t>>, 2> sent;
      bool done = false;
      for (std::uint32_t i = 0; !done; ++i) {
        BOOST_REQUIRE(i < 100'000U);
        done = sent[0].size() == 150 && sent[1].size() == 150;
        for (const Side side : {Side::a, Side::b}) {
          SctpSession& session = pair.at(side, 0);
          auto& own = sent[static_cast<std::size_t>(side)];
          while (session.room() > 0 && own.size() < 150 && below(4) != 0) {
            own.push_back(ulpdu_of(static_cast<std::uint32_t>(own.size()), below(session.max_ulpdu_len() + 1)));
            const Bytes all(own.back());
            const std::size_t cut = all.size() / 3;
            BOOST_REQUIRE(session.send(std::array<Bytes, 2>{all.first(cut), all.subspan(cut)}).has_value());
          }
        }
        pair.step();
      }
      BOOST_REQUIRE(pair.a[0].terminate(pair.now).has_value());
      while (pair.step()) {
      }
      BOOST_REQUIRE(pair.got == sent);
      for (std::size_t side = 0; side < 2; ++side) {
        for (const auto& [number, ulpdu] : pair.ahead[side]) {
          // The first chunk was the Initiate or the Accept.
          BOOST_REQUIRE(ulpdu == sent[side][static_cast<std::size_t>(number) - 1]);
        }
      }
      BOOST_REQUIRE(pair.a[0].may_restart());
      BOOST_REQUIRE(pair.b[0].may_restart());
      num_ahead += pair.num_ahead;
    }
  }
  BOOST_TEST(num_ahead > 1000U);
}

//= SCTP-5043-5.2.1-01 test
BOOST_AUTO_TEST_CASE(numbers_wrap) {
  SctpConfig config;
  config.mpa.enhanced = false;
  SctpSession session(config);
  BOOST_REQUIRE(session.start_initiator({}, {}, {}).has_value());
  BOOST_REQUIRE(session.poll_transmit().has_value());
  const std::array<std::uint8_t, 4> accept{0, 0, 0, 2};
  session.on_chunk(net::SctpPayloadProtocol::ddp_session_control, accept, {});
  BOOST_REQUIRE(session.state() == SctpState::established);
  session.on_acknowledged(0);
  for (std::uint32_t number = 1; number < 70'000; ++number) {
    const std::array<std::uint8_t, 3> octets{static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number),
                                             0x55};
    BOOST_REQUIRE(session.send(std::array<Bytes, 1>{Bytes(octets).subspan(2)}).has_value());
    const auto chunk = session.poll_transmit();
    BOOST_REQUIRE(chunk.has_value());
    BOOST_REQUIRE(std::ranges::equal(chunk->octets, octets));
    session.on_acknowledged(chunk->ssn);
    session.on_chunk(net::SctpPayloadProtocol::ddp_segment, octets, {});
    const auto segment = session.next_segment();
    BOOST_REQUIRE(segment.has_value());
    BOOST_REQUIRE(segment->number == number);
  }
}

//= SCTP-5043-10-03 test
BOOST_AUTO_TEST_CASE(at_most_32767_chunks_are_not_acknowledged) {
  SctpConfig config;
  config.mpa.enhanced = false;
  config.max_unacknowledged = 100'000;
  config.reorder_capacity = 1;
  SctpSession session(config);
  BOOST_REQUIRE(session.start_initiator({}, {}, {}).has_value());
  BOOST_REQUIRE(session.poll_transmit().has_value());
  session.on_chunk(net::SctpPayloadProtocol::ddp_session_control, std::array<std::uint8_t, 4>{0, 0, 0, 2}, {});
  std::uint32_t num_sent = 1;
  for (;;) {
    if (session.room() > 0) BOOST_REQUIRE(session.send({}).has_value());
    if (!session.poll_transmit()) break;
    ++num_sent;
  }
  BOOST_TEST(num_sent == 32767U);
  session.on_acknowledged(5);
  BOOST_TEST(!session.poll_transmit().has_value());
  session.on_acknowledged(0);
  BOOST_TEST(session.poll_transmit()->ssn == 32767U);
  BOOST_TEST(!session.poll_transmit().has_value());
}

//= SCTP-5043-5.2.3-07, SCTP-5043-5.2.3-08, SCTP-5043-6.4-02, SCTP-5043-6.4-03 test
BOOST_AUTO_TEST_CASE(a_listener_lets_so_many_requests_wait) {
  SctpConfig config;
  config.mpa.enhanced = false;
  config.reorder_capacity = 4;
  Pair pair({.num_streams = 6, .capacity = 64}, config);
  SctpListener listener(4);
  for (std::uint16_t i = 0; i < 5; ++i) {
    BOOST_REQUIRE(pair.b[i].start_responder(pair.association, &listener).has_value());
    BOOST_REQUIRE(pair.a[i].start_initiator(pair.association, {}, {}).has_value());
    while (pair.step()) {
    }
  }
  BOOST_TEST(listener.num_pending() == 4U);
  BOOST_TEST((pair.a[3].state() == SctpState::initiate_sent));
  BOOST_TEST((pair.a[4].state() == SctpState::ended));
  BOOST_TEST((pair.a[4].poll_event()->end == SctpEnd::refused_by_peer));
  BOOST_TEST((pair.b[4].poll_event()->end == SctpEnd::too_many_requests));
  // An answer makes room for another one, whatever it is.
  BOOST_REQUIRE(pair.b[0].accept().has_value());
  BOOST_REQUIRE(pair.b[1].reject().has_value());
  BOOST_TEST(listener.num_pending() == 2U);
  BOOST_REQUIRE(pair.b[5].start_responder(pair.association, &listener).has_value());
  BOOST_REQUIRE(pair.a[5].start_initiator(pair.association, {}, {}).has_value());
  while (pair.step()) {
  }
  BOOST_TEST((pair.b[5].state() == SctpState::initiate_received));
  BOOST_TEST(listener.num_pending() == 3U);
  pair.b[2].on_association_lost();
  BOOST_TEST(listener.num_pending() == 2U);
}

//= SCTP-5043-6.6-03, SCTP-5043-6.1-01, SCTP-5043-6-02 test
BOOST_AUTO_TEST_CASE(sessions_follow_each_other_on_a_stream_without_mixing) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      SctpConfig config;
      config.reorder_capacity = 32;
      config.max_unacknowledged = 32;
      Pair pair({.num_streams = 1, .seed = seed}, config);
      pair.stream.set_both(reordering(10));
      for (std::uint32_t session = 0; session < 4; ++session) {
        pair.got = {};
        open(pair);
        for (std::uint32_t i = 0; i < 10; ++i) {
          const auto ulpdu = ulpdu_of(session * 100 + i, 20);
          while (pair.a[0].room() == 0) BOOST_REQUIRE(pair.step());
          BOOST_REQUIRE(pair.a[0].send(std::array<Bytes, 1>{ulpdu}).has_value());
        }
        BOOST_REQUIRE(pair.b[0].terminate(pair.now).has_value());
        while (!pair.a[0].may_restart() || !pair.b[0].may_restart()) BOOST_REQUIRE(pair.step());
        // Those that were given when the peer's Terminate came have not all gone.
        BOOST_REQUIRE(pair.got[0].size() <= 10U);
        for (std::uint32_t i = 0; i < pair.got[0].size(); ++i) {
          BOOST_REQUIRE(pair.got[0][i] == ulpdu_of(session * 100 + i, 20));
        }
        while (pair.a[0].poll_event()) {
        }
      }
    }
  }
}

// One stream's session ends, and the others don't notice.
//= SCTP-5043-6-02 test
BOOST_AUTO_TEST_CASE(an_illegal_chunk_ends_one_session_only) {
  SctpConfig config;
  Pair pair({.num_streams = 2}, config);
  for (std::uint16_t i = 0; i < 2; ++i) {
    BOOST_REQUIRE(pair.b[i].start_responder(pair.association, nullptr).has_value());
    BOOST_REQUIRE(pair.a[i].start_initiator(pair.association, {}, {}).has_value());
    while (pair.step()) {
    }
    BOOST_REQUIRE(pair.b[i].accept().has_value());
    while (pair.step()) {
    }
  }
  pair.b[0].on_chunk(net::SctpPayloadProtocol::ddp_segment, {}, {});
  while (pair.step()) {
  }
  BOOST_TEST((pair.a[0].state() == SctpState::ended));
  BOOST_TEST((pair.b[0].state() == SctpState::ended));
  BOOST_TEST((pair.a[1].state() == SctpState::established));
  BOOST_TEST((pair.b[1].state() == SctpState::established));
}

// The memory is taken at construction, whatever a peer's numbers are.
//= SCTP-5043-10-05 test
BOOST_AUTO_TEST_CASE(allocates_at_construction_only) {
  SctpConfig config;
  config.reorder_capacity = 32;
  Pair pair({.num_streams = 1}, config);
  pair.stream.set_both(reordering(8));
  const std::array<std::uint8_t, 500> octets{};
  const std::array<Bytes, 1> pieces{octets};
  std::uint32_t num_got = 0;
  const std::uint64_t before = num_allocations;
  for (int session = 0; session < 3; ++session) {
    (void)pair.b[0].start_responder(pair.association, nullptr);
    (void)pair.a[0].start_initiator(pair.association, {}, pair.now);
    while (pair.b[0].state() != SctpState::initiate_received && pair.step()) {
    }
    (void)pair.b[0].accept();
    for (int i = 0; i < 400; ++i) {
      (void)pair.a[0].send(pieces);
      (void)pair.b[0].send(pieces);
      pair.step(false);
      while (pair.b[0].next_ahead()) ++num_got;
      while (pair.b[0].next_segment()) ++num_got;
      while (pair.a[0].next_segment()) ++num_got;
    }
    // Far ahead, in both directions of time.
    const std::array<std::uint8_t, 4> far{0x7F, 0xFF, 0, 0};
    pair.b[0].on_chunk(net::SctpPayloadProtocol::ddp_segment, far, pair.now);
    while (pair.step(false)) {
    }
  }
  const std::uint64_t after = num_allocations;
  BOOST_TEST(after == before);
  BOOST_TEST(num_got > 500U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sctp_association)

//= SCTP-5043-7.1-01, SCTP-5043-7.1-03, SCTP-5043-7.1-04, SCTP-5043-11.1-02, SCTP-5043-11.1-03, SCTP-5043-11.1-04 test
//= SCTP-5043-11.1-05, SCTP-5043-11.1-06 test
BOOST_AUTO_TEST_CASE(is_used_as_both_indicate) {
  using Use = SctpAssociationUse;
  const SctpEndpointPolicy ddp_only;
  BOOST_TEST((use_of_association(ddp_only, 1) == Use::ddp));
  BOOST_TEST((use_of_association(ddp_only, 2) == Use::refuse));
  BOOST_TEST((use_of_association(ddp_only, std::nullopt) == Use::refuse));
  const SctpEndpointPolicy ddp_or_none{.refuse_others = false};
  BOOST_TEST((use_of_association(ddp_or_none, 1) == Use::ddp));
  BOOST_TEST((use_of_association(ddp_or_none, 2) == Use::without_ddp));
  BOOST_TEST((use_of_association(ddp_or_none, std::nullopt) == Use::without_ddp));
  const SctpEndpointPolicy other{.indication = 2};
  BOOST_TEST((use_of_association(other, 1) == Use::refuse));
  BOOST_TEST((use_of_association(other, 2) == Use::without_ddp));
  const SctpEndpointPolicy none{.indication = std::nullopt};
  BOOST_TEST((use_of_association(none, 1) == Use::refuse));
  BOOST_TEST((use_of_association(none, std::nullopt) == Use::without_ddp));
}

//= SCTP-5043-5.1-01, SCTP-5043-11.1-01, SCTP-5043-8-01 test
BOOST_AUTO_TEST_CASE(begins_with_the_indication_and_as_many_streams_each_way) {
  BOOST_TEST(hex_of(adaptation_parameter(2)) == "c006000800000002");
  net::SctpInit init = ddp_init(10, 8);
  init.initiate_tag = 0x11223344;
  init.receiver_window = 0x10000;
  init.initial_tsn = 7;
  std::array<std::uint8_t, header_size<net::SctpInit> + 8> out{};
  encode(init, MutableBytes(out).first<header_size<net::SctpInit>>());
  std::ranges::copy(adaptation_parameter(AdaptationIndication::ddp), out.begin() + header_size<net::SctpInit>);
  BOOST_TEST(hex_of(out) == "0100001c1122334400010000000a000a00000007c006000800000001");
  // The other end finds it there.
  auto parameters = net::sctp_parameters(out, decode<net::SctpChunk>(Bytes(out).first<header_size<net::SctpChunk>>()));
  BOOST_REQUIRE(parameters.next());
  BOOST_REQUIRE((parameters.header().type == net::SctpParameterType::adaptation_indication));
  const auto found = decode<AdaptationIndication>(parameters.octets().first<header_size<AdaptationIndication>>());
  BOOST_TEST((use_of_association({}, found.indication) == SctpAssociationUse::ddp));
}

// In one piece, and unordered.
//= SCTP-5043-4-01, SCTP-5043-10-01 test
BOOST_AUTO_TEST_CASE(carries_a_ulpdu_in_one_unordered_chunk) {
  SctpConfig config;
  config.mpa.enhanced = false;
  config.stream = 9;
  SctpSession session(config);
  BOOST_REQUIRE(session.start_initiator({}, {}, {}).has_value());
  std::array<std::uint8_t, header_size<net::SctpData>> out{};
  encode(data_header(*session.poll_transmit(), 0x01020304), out);
  BOOST_TEST(hex_of(out) == "00070014010203040009000000000011");
  session.on_chunk(net::SctpPayloadProtocol::ddp_session_control, std::array<std::uint8_t, 4>{0, 0, 0, 2}, {});
  const std::array<std::uint8_t, 2> ulpdu{0x41, 0x43};
  BOOST_REQUIRE(session.send(std::array<Bytes, 1>{ulpdu}).has_value());
  const auto segment = session.poll_transmit();
  encode(data_header(*segment, 0x01020305), out);
  BOOST_TEST(hex_of(out) + hex_of(segment->octets) == "0007001401020305000900000000001000014143");
}

//= SCTP-5043-9-01, SCTP-5043-9-02, SCTP-5043-9-03 test
BOOST_AUTO_TEST_CASE(tells_the_largest_segment) {
  // 1500 - 20 - 12 - 32 (SACK) - 16.
  BOOST_TEST(max_ddp_chunk_len(1500, 20) == 1420U);
  BOOST_TEST(max_ddp_chunk_len(1500, 40) == 1400U);
  BOOST_TEST(max_ddp_chunk_len(9001, 20) == 8920U);
  BOOST_TEST(max_ddp_chunk_len(576, 20) == 518U);
  BOOST_TEST(max_ddp_chunk_len(0, 40) == 518U);
  SctpConfig config;
  config.mpa.enhanced = false;
  SctpSession session(config);
  for (const auto& [chunk_len, ulpdu_len] : {std::pair{1420U, 1418U}, {518U, 516U}, {100U, 516U}, {9000U, 1450U}}) {
    BOOST_REQUIRE(session.start_initiator({.max_chunk_len = chunk_len}, {}, {}).has_value());
    BOOST_TEST(session.max_ulpdu_len() == ulpdu_len);
    session.on_association_lost();
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sctp_states)

BOOST_AUTO_TEST_CASE(page_is_made_from_the_table) {
  std::ifstream file("docs/sctp_session_states.md");
  std::ostringstream text;
  text << file.rdbuf();
  BOOST_TEST(text.str() == sctp_session_states_page(),
             "bazel run //protocol/iwarp:sctp_session_states_page_main > docs/sctp_session_states.md");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::sctp_test
