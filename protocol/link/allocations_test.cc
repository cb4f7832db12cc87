// The simulated carriers allocate when they are constructed, and never after that.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/link/byte_stream.h"
#include "protocol/link/chunk_stream.h"
#include "protocol/link/harness_test.h"
#include "protocol/link/link.h"
#include "tools/test/allocations.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::link;
using namespace rdmawire::link::test;

BOOST_AUTO_TEST_SUITE(allocations)

BOOST_AUTO_TEST_CASE(are_made_at_construction_only) {
  const std::uint64_t before = num_allocations;
  Link link(LinkConfig{.num_endpoints = 3, .capacity = 40, .seed = 1});
  const std::uint64_t constructed = num_allocations;
  BOOST_TEST(constructed > before);

  Impairments impairments;
  impairments.loss = Ppm::percent(5);
  impairments.duplicate = Ppm::percent(20);
  impairments.corrupt = Ppm::percent(5);
  impairments.reorder = Ppm::percent(20);
  impairments.reorder_bound = 4;
  impairments.jitter = ns(50);
  impairments.mark = Ppm::percent(50);
  impairments.rate = BitRate::gbit(25);
  static constexpr std::array fates{Fate::hold(3), Fate::duplicate(2), Fate::corrupt(7)};
  std::array<std::uint8_t, 200> octets{};
  std::uint64_t num_received = 0;
  const std::uint64_t start = num_allocations;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    link.reset(seed);
    link.set_all(impairments);
    link.force(fates);
    for (std::uint16_t i = 0; i < 10'000; ++i) {
      link.send({static_cast<std::uint16_t>(i % 3)}, b, octets, ns(i * 20));
      if (i % 64 == 0) {
        while (link.receive(ns(i * 20))) ++num_received;
      }
    }
  }
  const std::uint64_t end = num_allocations;
  BOOST_TEST(end - start == 0U);
  BOOST_TEST(num_received > 3'000U);
  BOOST_TEST(link.total().num(SendOutcome::no_room) > 0U);
}

BOOST_AUTO_TEST_CASE(of_a_byte_stream_are_made_at_construction_only) {
  ByteStream stream({.capacity = 1000, .max_segments = 16});
  static constexpr std::array fates{StreamFate{500, StreamFate::Kind::late}, StreamFate{9000, StreamFate::Kind::abort}};
  const std::array<std::uint8_t, 300> octets{};
  std::uint64_t num_told = 0;
  const std::uint64_t before = num_allocations;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    stream.reset(seed);
    stream.set_both({.max_segment_len = 50, .jitter = ns(100), .late = Ppm::percent(10), .hand_up_ahead = true});
    stream.force(Side::a, fates);
    for (int i = 0; i < 500; ++i) {
      stream.write(Side::a, octets, ns(i * 50));
      while (stream.receive(Side::b, ns(i * 50))) ++num_told;
    }
    stream.close(Side::b, ns(30'000));
    while (stream.receive(Side::a, ns(30'000))) ++num_told;
  }
  const std::uint64_t after = num_allocations;
  BOOST_TEST(after == before);
  BOOST_TEST(num_told > 50U);
}

BOOST_AUTO_TEST_CASE(of_a_chunk_stream_are_made_at_construction_only) {
  ChunkStream stream({.capacity = 40});
  const std::array<std::uint8_t, 200> octets{};
  std::uint64_t num_told = 0;
  const std::uint64_t before = num_allocations;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    stream.reset(seed);
    stream.set_both({.jitter = ns(100), .reorder = Ppm::percent(20)});
    for (std::uint16_t i = 0; i < 2000; ++i) {
      stream.send(i % 2 == 0 ? Side::a : Side::b, {.octets = octets, .context = i}, ns(i * 20));
      while (stream.receive(ns(i * 20))) ++num_told;
    }
    stream.shutdown(Side::a, ns(50'000));
    stream.abort(Side::b, ns(50'000));
    while (stream.receive(Time::max())) ++num_told;
  }
  const std::uint64_t after = num_allocations;
  BOOST_TEST(after == before);
  BOOST_TEST(num_told > 10'000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
