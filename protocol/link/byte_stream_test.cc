// What a byte stream does to what is written, exactly; and what holds for any program (laws).
#include "protocol/link/byte_stream.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace rdmawire;
using namespace rdmawire::link;
using Octets = std::vector<std::uint8_t>;
using Kind = StreamPiece::Kind;

constexpr Time ns(std::int64_t n) { return Time(n); }

// first, first + 1, ... modulo 256.
Octets counting(std::size_t len, std::uint8_t first = 0) {
  Octets out(len);
  std::iota(out.begin(), out.end(), first);
  return out;
}

// "0:3" is octets in order, three from offset 0; "ahead 8:4"; "end 12"; "aborted 12".
std::string text(const StreamPiece& piece) {
  const std::string at = std::to_string(piece.offset);
  const std::string range = at + ":" + std::to_string(piece.octets.size());
  switch (piece.kind) {
    case Kind::in_order:
      return range;
    case Kind::ahead:
      return "ahead " + range;
    case Kind::end:
      return "end " + at;
    case Kind::aborted:
      return "aborted " + at;
  }
  return {};
}

// All that a side is told by then, separated by commas. Whatever octets come are those of counting().
std::string told(ByteStream& stream, Side to, Time now, std::size_t max_len = ~std::size_t{0}) {
  std::string out;
  while (const auto piece = stream.receive(to, now, max_len)) {
    if (!out.empty()) out += ", ";
    out += text(*piece);
    for (std::size_t i = 0; i < piece->octets.size(); ++i) {
      BOOST_REQUIRE(piece->octets[i] == static_cast<std::uint8_t>(piece->offset + i));
    }
  }
  return out;
}

StreamImpairments kept(Time delay = ns(10)) {
  StreamImpairments out;
  out.keep_segments = true;
  out.delay = delay;
  return out;
}

BOOST_AUTO_TEST_SUITE(byte_stream)

BOOST_AUTO_TEST_CASE(octets_arrive_after_the_delay_and_join) {
  ByteStream stream({});
  stream.set_both({.delay = ns(10)});
  BOOST_TEST(stream.write(Side::a, counting(5), ns(0)) == 5U);
  BOOST_TEST(stream.write(Side::a, counting(7, 5), ns(4)) == 7U);
  BOOST_TEST(told(stream, Side::b, ns(9)) == "");
  BOOST_TEST((stream.next_arrival() == ns(10)));
  BOOST_TEST(told(stream, Side::b, ns(20)) == "0:12");
  BOOST_TEST(told(stream, Side::a, ns(20)) == "");
  BOOST_TEST(!stream.next_arrival().has_value());
}

BOOST_AUTO_TEST_CASE(a_write_is_split_on_its_way) {
  // With a delay that grows within a write, its pieces are seen one by one.
  ByteStream stream({.seed = 3});
  stream.set_both({.max_segment_len = 4, .delay = ns(10), .jitter = ns(1000)});
  stream.write(Side::a, counting(12), ns(0));
  std::vector<std::string> pieces;
  while (const auto at = stream.next_arrival()) pieces.push_back(told(stream, Side::b, *at));
  BOOST_TEST(pieces.size() >= 2U);
  BOOST_TEST(stream.num_received(Side::b) == 12U);
}

BOOST_AUTO_TEST_CASE(segments_can_be_kept) {
  ByteStream stream({});
  StreamImpairments impairments = kept();
  impairments.max_segment_len = 6;
  stream.set_both(impairments);
  stream.write(Side::b, counting(5), ns(0));
  stream.write(Side::b, counting(8, 5), ns(0));
  stream.write(Side::b, counting(1, 13), ns(0));
  BOOST_TEST(told(stream, Side::a, ns(10)) == "0:5, 5:6, 11:2, 13:1");
}

BOOST_AUTO_TEST_CASE(the_reader_says_how_much_it_takes) {
  ByteStream stream({});
  stream.set_both(kept());
  stream.write(Side::a, counting(8), ns(0));
  BOOST_TEST(text(*stream.receive(Side::b, ns(10), 3)) == "0:3");
  BOOST_TEST(told(stream, Side::b, ns(10)) == "3:5");
}

BOOST_AUTO_TEST_CASE(a_piece_says_what_was_done_to_the_segments_that_it_is_of) {
  const std::array fates{StreamFate{4, StreamFate::Kind::corrupt}, StreamFate{9, StreamFate::Kind::late}};
  ByteStream stream({});
  StreamImpairments impairments = kept();
  impairments.late_by = ns(100);
  stream.set_both(impairments);
  stream.force(Side::a, fates);
  for (std::uint8_t i = 0; i < 4; ++i) stream.write(Side::a, counting(3, 3 * i), ns(0));
  const ByteStream before = stream;
  std::string out;
  // Three octets are a segment, and the second one is in two pieces.
  for (const std::size_t len : {3U, 2U, 1U, 3U, 3U}) {
    const StreamPiece piece = stream.receive(Side::b, ns(110), len).value();
    BOOST_REQUIRE(piece.octets.size() == len);
    out += piece.corrupted ? "c" : piece.late ? "l" : "-";
  }
  BOOST_TEST(out == "-cc-l");
  // And one of several segments.
  stream = before;
  impairments.keep_segments = false;
  stream.set_both(impairments);
  const StreamPiece first = stream.receive(Side::b, ns(110), 3).value();
  BOOST_TEST((!first.corrupted && !first.late));
  const StreamPiece rest = stream.receive(Side::b, ns(110)).value();
  BOOST_TEST(rest.octets.size() == 9U);
  BOOST_TEST((rest.corrupted && rest.late));
}

BOOST_AUTO_TEST_CASE(a_full_buffer_takes_no_more_until_it_is_read) {
  ByteStream stream({.capacity = 10});
  stream.set_both({.delay = ns(10)});
  BOOST_TEST(stream.room(Side::a, ns(0)) == 10U);
  BOOST_TEST(stream.write(Side::a, counting(14), ns(0)) == 10U);
  BOOST_TEST(stream.room(Side::a, ns(50)) == 0U);
  BOOST_TEST(stream.room(Side::b, ns(50)) == 10U);
  BOOST_TEST(text(*stream.receive(Side::b, ns(50), 6)) == "0:6");
  BOOST_TEST(stream.room(Side::a, ns(50)) == 6U);
  BOOST_TEST(stream.write(Side::a, counting(9, 10), ns(50)) == 6U);
  BOOST_TEST(told(stream, Side::b, ns(60)) == "6:10");
}

BOOST_AUTO_TEST_CASE(as_many_segments_as_there_is_room_for) {
  ByteStream stream({.capacity = 100, .max_segments = 2});
  stream.set_both(kept());
  BOOST_TEST(stream.write(Side::a, counting(3), ns(0)) == 3U);
  BOOST_TEST(stream.write(Side::a, counting(3, 3), ns(0)) == 3U);
  BOOST_TEST(stream.write(Side::a, counting(3, 6), ns(0)) == 0U);
  BOOST_TEST(text(*stream.receive(Side::b, ns(10))) == "0:3");
  BOOST_TEST(stream.write(Side::a, counting(3, 6), ns(10)) == 3U);
}

BOOST_AUTO_TEST_CASE(one_direction_ends_and_the_other_goes_on) {
  ByteStream stream({});
  stream.set_both(kept());
  stream.write(Side::a, counting(3), ns(0));
  stream.close(Side::a, ns(0));
  BOOST_TEST(stream.write(Side::a, counting(3, 3), ns(0)) == 0U);
  BOOST_TEST(told(stream, Side::b, ns(10)) == "0:3, end 3");
  BOOST_TEST(stream.write(Side::b, counting(2), ns(20)) == 2U);
  BOOST_TEST(told(stream, Side::a, ns(30)) == "0:2");
  stream.close(Side::b, ns(30));
  BOOST_TEST((stream.next_arrival() == ns(40)));
  BOOST_TEST(told(stream, Side::a, ns(40)) == "end 2");
  BOOST_TEST(!stream.next_arrival().has_value());
}

BOOST_AUTO_TEST_CASE(an_end_waits_for_the_octets_before_it) {
  ByteStream stream({});
  StreamImpairments impairments = kept();
  impairments.late_by = ns(100);
  stream.set_both(impairments);
  static constexpr std::array fates{StreamFate{1, StreamFate::Kind::late}};
  stream.force(Side::a, fates);
  stream.write(Side::a, counting(3), ns(0));
  stream.close(Side::a, ns(1));
  BOOST_TEST(told(stream, Side::b, ns(109)) == "");
  BOOST_TEST(told(stream, Side::b, ns(110)) == "0:3, end 3");
}

BOOST_AUTO_TEST_CASE(what_arrives_behind_a_gap_can_be_had_ahead) {
  ByteStream stream({});
  StreamImpairments impairments = kept();
  impairments.late_by = ns(100);
  impairments.hand_up_ahead = true;
  stream.set_both(impairments);
  static constexpr std::array fates{StreamFate{5, StreamFate::Kind::late}};
  stream.force(Side::a, fates);
  for (std::uint8_t i = 0; i < 4; ++i) stream.write(Side::a, counting(4, static_cast<std::uint8_t>(4 * i)), ns(i));
  BOOST_TEST(told(stream, Side::b, ns(10)) == "0:4");
  BOOST_TEST(told(stream, Side::b, ns(12)) == "ahead 8:4");
  BOOST_TEST(told(stream, Side::b, ns(20)) == "ahead 12:4");
  BOOST_TEST((stream.next_arrival() == ns(111)));
  BOOST_TEST(told(stream, Side::b, ns(111)) == "4:4, 8:4, 12:4");

  // Otherwise they wait.
  stream.reset(0);
  impairments.hand_up_ahead = false;
  stream.set_both(impairments);
  stream.force(Side::a, fates);
  stream.write(Side::a, counting(4), ns(0));
  stream.write(Side::a, counting(4, 4), ns(0));
  stream.write(Side::a, counting(4, 8), ns(0));
  BOOST_TEST(told(stream, Side::b, ns(50)) == "0:4");
  BOOST_TEST(told(stream, Side::b, ns(110)) == "4:4, 8:4");
}

BOOST_AUTO_TEST_CASE(an_abort_overtakes_nothing_that_arrived_before_it) {
  ByteStream stream({});
  stream.set_both(kept());
  stream.write(Side::a, counting(3), ns(0));
  stream.write(Side::b, counting(3), ns(0));
  stream.abort(Side::a, ns(5));
  BOOST_TEST(stream.is_aborted(Side::a));
  BOOST_TEST(told(stream, Side::a, ns(14)) == "");  // what was on its way to it is gone
  BOOST_TEST(!stream.is_aborted(Side::b));
  BOOST_TEST(stream.write(Side::b, counting(1, 3), ns(14)) == 1U);
  BOOST_TEST((stream.next_arrival() == ns(15)));
  BOOST_TEST(told(stream, Side::b, ns(15)) == "0:3, aborted 3");
  BOOST_TEST(stream.write(Side::b, counting(1, 4), ns(15)) == 0U);
  BOOST_TEST(!stream.next_arrival().has_value());
}

BOOST_AUTO_TEST_CASE(an_abort_loses_what_is_late) {
  ByteStream stream({});
  StreamImpairments impairments = kept();
  impairments.late_by = ns(100);
  stream.set_both(impairments);
  static constexpr std::array fates{StreamFate{3, StreamFate::Kind::late}};
  stream.force(Side::a, fates);
  stream.write(Side::a, counting(3), ns(0));
  stream.write(Side::a, counting(3, 3), ns(0));
  stream.abort(Side::a, ns(50));
  BOOST_TEST(told(stream, Side::b, ns(200)) == "0:3, aborted 3");
}

BOOST_AUTO_TEST_CASE(a_cut_comes_in_place_of_any_octet) {
  for (std::uint64_t at = 0; at < 9; ++at) {
    ByteStream stream({});
    stream.set_both(kept());
    const std::array fates{StreamFate{at, StreamFate::Kind::abort}};
    stream.force(Side::a, fates);
    std::size_t taken = 0;
    for (std::uint8_t i = 0; i < 3; ++i) {
      taken += stream.write(Side::a, counting(3, static_cast<std::uint8_t>(3 * i)), ns(i));
    }
    BOOST_TEST(taken == 9U);
    std::string text_of_b;
    while (const auto time = stream.next_arrival()) {
      const std::string more = told(stream, Side::b, *time, 1);
      text_of_b += more.empty() || text_of_b.empty() ? more : ", " + more;
    }
    std::string expected;
    for (std::uint64_t i = 0; i < at; ++i) expected += std::to_string(i) + ":1, ";
    BOOST_TEST(text_of_b == expected + "aborted " + std::to_string(at));
    BOOST_TEST(told(stream, Side::a, ns(100)) == "aborted 0");
  }
}

BOOST_AUTO_TEST_CASE(silence_takes_all_that_follows_and_tells_nobody) {
  ByteStream stream({.capacity = 16});
  stream.set_both(kept());
  static constexpr std::array fates{StreamFate{4, StreamFate::Kind::silence}};
  stream.force(Side::a, fates);
  BOOST_TEST(stream.write(Side::a, counting(10), ns(0)) == 10U);
  BOOST_TEST(told(stream, Side::b, ns(10)) == "0:4");
  // Nobody acknowledges the rest, so its buffer fills.
  BOOST_TEST(stream.write(Side::a, counting(30, 10), ns(20)) == 10U);
  stream.close(Side::a, ns(20));
  stream.abort(Side::a, ns(30));
  BOOST_TEST(told(stream, Side::b, ns(100)) == "");
  BOOST_TEST(!stream.next_arrival().has_value());
  BOOST_TEST(stream.write(Side::b, counting(2), ns(100)) == 2U);
}

BOOST_AUTO_TEST_CASE(an_octet_can_be_damaged) {
  ByteStream stream({});
  StreamImpairments impairments = kept();
  impairments.hand_up_ahead = true;
  stream.set_both(impairments);
  static constexpr std::array fates{StreamFate{0, StreamFate::Kind::late},
                                    StreamFate{5, StreamFate::Kind::corrupt, 0x81}};
  stream.force(Side::a, fates);
  stream.write(Side::a, Octets{1, 2, 3, 4}, ns(0));
  stream.write(Side::a, Octets{5, 6, 7}, ns(0));
  // The same octets ahead and in order.
  const auto ahead = stream.receive(Side::b, ns(10));
  BOOST_REQUIRE(ahead.has_value());
  BOOST_TEST(Octets(ahead->octets.begin(), ahead->octets.end()) == (Octets{5, 0x87, 7}));
  Octets all;
  while (const auto piece = stream.receive(Side::b, std::chrono::seconds(1))) {
    all.insert(all.end(), piece->octets.begin(), piece->octets.end());
  }
  BOOST_TEST(all == (Octets{1, 2, 3, 4, 5, 0x87, 7}));
}

// A random program; the transcript of all that it saw.
std::string run_random(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random()) % bound; };
  ByteStream stream({.capacity = 1 + below(300), .max_segments = 1 + below(40), .seed = seed});
  for (const Side side : {Side::a, Side::b}) {
    StreamImpairments i;
    i.keep_segments = below(2) == 0;
    i.max_segment_len = 1 + below(40);
    i.delay = ns(below(100));
    i.jitter = ns(below(100));
    i.late = Ppm{below(2) == 0 ? 0 : below(400'000)};
    i.late_by = ns(below(500));
    i.hand_up_ahead = below(2) == 0;
    i.corrupt = Ppm{below(2) == 0 ? 0 : below(100'000)};
    stream.set(side, i);
  }
  std::array<StreamFate, 1> cut{StreamFate{below(3000), StreamFate::Kind::abort}};
  if (below(3) == 0) stream.force(Side::a, cut);

  struct Model {
    Octets written;
    Octets read;
    std::vector<std::optional<std::uint8_t>> ahead;
    bool closed = false;
    bool ended = false;
    bool aborted = false;
  };
  std::array<Model, 2> model;  // by who writes
  std::string transcript;
  Time now{};
  const auto take = [&](Side to) {
    Model& m = model[static_cast<std::size_t>(other(to))];
    const auto piece = stream.receive(to, now, 1 + below(100));
    if (!piece) return false;
    transcript += text(*piece) + "@" + std::to_string(now.count()) + " ";
    BOOST_REQUIRE(!m.aborted);
    BOOST_REQUIRE((!m.ended || piece->kind == Kind::aborted));
    switch (piece->kind) {
      case Kind::in_order:
        BOOST_REQUIRE(piece->offset == m.read.size());
        BOOST_REQUIRE(!piece->octets.empty());
        m.read.insert(m.read.end(), piece->octets.begin(), piece->octets.end());
        for (std::size_t i = static_cast<std::size_t>(piece->offset); i < m.read.size() && i < m.ahead.size(); ++i) {
          if (m.ahead[i]) BOOST_REQUIRE(*m.ahead[i] == m.read[i]);
        }
        break;
      case Kind::ahead:
        BOOST_REQUIRE(piece->offset > m.read.size());
        if (m.ahead.size() < piece->offset + piece->octets.size()) m.ahead.resize(piece->offset + piece->octets.size());
        for (std::size_t i = 0; i < piece->octets.size(); ++i) {
          auto& known = m.ahead[static_cast<std::size_t>(piece->offset) + i];
          BOOST_REQUIRE(!known);  // given once
          known = piece->octets[i];
        }
        break;
      case Kind::end:
        BOOST_REQUIRE(m.closed && m.read.size() == m.written.size());
        m.ended = true;
        break;
      case Kind::aborted:
        m.aborted = true;
        break;
    }
    return true;
  };
  for (std::uint32_t step = 0; step < 400; ++step) {
    const Side side = below(2) == 0 ? Side::a : Side::b;
    Model& m = model[static_cast<std::size_t>(side)];
    switch (below(12)) {
      case 0:
        if (const auto at = stream.next_arrival()) now = *at;
        break;
      case 1:
        now += ns(below(60));
        break;
      case 2:
        if (below(80) == 0) {
          stream.close(side, now);
          m.closed = true;
        }
        break;
      case 3:
      case 4:
      case 5:
        take(side);
        break;
      default: {
        Octets some(below(60));
        for (std::uint8_t& octet : some) octet = static_cast<std::uint8_t>(random());
        const std::size_t room = stream.room(side, now);
        const std::size_t taken = stream.write(side, some, now);
        BOOST_REQUIRE(taken <= some.size() && taken <= room);
        if (m.closed) BOOST_REQUIRE(taken == 0);
        m.written.insert(m.written.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(taken));
        BOOST_REQUIRE(stream.num_written(side) == m.written.size());
        break;
      }
    }
  }
  // All arrives in the end, unless the connection was cut.
  for (;;) {
    while (take(Side::a) || take(Side::b)) {
    }
    const auto at = stream.next_arrival();
    if (!at) break;
    now = *at;
  }
  std::uint64_t num_damaged = 0;
  for (const Model& m : model) {
    BOOST_REQUIRE(m.read.size() <= m.written.size());
    for (std::size_t i = 0; i < m.read.size(); ++i) num_damaged += m.read[i] != m.written[i] ? 1 : 0;
    if (model[0].aborted || model[1].aborted) continue;
    BOOST_REQUIRE(m.read.size() == m.written.size());
    BOOST_REQUIRE(m.ended == m.closed);
  }
  return transcript + std::to_string(num_damaged);
}

BOOST_AUTO_TEST_CASE(laws_hold_for_random_programs) {
  std::uint32_t num_ahead = 0;
  std::uint32_t num_aborted = 0;
  std::uint32_t num_damaged = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const std::string first = run_random(seed);
      BOOST_REQUIRE(first == run_random(seed));
      num_ahead += first.find("ahead") != std::string::npos ? 1 : 0;
      num_aborted += first.find("aborted") != std::string::npos ? 1 : 0;
      num_damaged += first.substr(first.rfind(' ') + 1) != "0" ? 1 : 0;
    }
  }
  BOOST_TEST(num_ahead > 50U);
  BOOST_TEST(num_aborted > 20U);
  BOOST_TEST(num_damaged > 50U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
