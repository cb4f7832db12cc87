// Random streams of FPDUs in random segments: whatever a network and a capture do, the PDUs are those of the stream.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pcap/reassembly/test_talk.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::reassembly;
using namespace rdmawire::reassembly::test;

struct Random {
  std::mt19937 engine;

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  Octets octets(std::size_t len) {
    Octets out(len);
    for (std::uint8_t& octet : out) octet = static_cast<std::uint8_t>(below(256));
    return out;
  }
};

struct Message {
  std::size_t offset;
  Octets octets;
};

// One direction: all that it sends, and where each FPDU lies.
struct Side {
  Octets stream;
  std::vector<Message> fpdus;
  std::uint32_t isn = 0;

  void add(const Octets& fpdu) {
    fpdus.push_back({stream.size(), fpdu});
    stream.insert(stream.end(), fpdu.begin(), fpdu.end());
  }
};

struct Piece {
  bool server;
  std::size_t begin;
  std::size_t len;
};

struct Scene {
  Side client;
  Side server;

  Side& side(bool of_server) { return of_server ? server : client; }
};

Scene make_scene(Random& random, std::size_t num_fpdus, bool crc) {
  const std::uint8_t flags[] = {0, 0x80};
  const std::uint8_t req = flags[random.below(2)];
  const std::uint8_t rep = flags[random.below(2)];
  Scene scene;
  scene.client.stream = request(static_cast<std::uint8_t>(req | (crc ? 0x40 : 0)), random.below(40));
  scene.server.stream = reply(rep, random.below(40));
  FpduWriter from_client(rep != 0, crc);
  FpduWriter from_server(req != 0, crc);
  for (const bool server : {false, true}) {
    Side& side = scene.side(server);
    // Often just before the sequence numbers wrap.
    side.isn = random.one_in(2) ? static_cast<std::uint32_t>(0 - random.below(5000))
                                : static_cast<std::uint32_t>(random.engine());
    for (std::size_t i = 0; i < num_fpdus; ++i) {
      const std::size_t len = random.one_in(10) ? random.below(4000) : random.below(300);
      side.add((server ? from_server : from_client).send(random.octets(len)));
    }
  }
  return scene;
}

std::vector<Piece> cut(Random& random, const Scene& scene, std::size_t longest) {
  std::vector<Piece> out;
  for (const bool server : {false, true}) {
    const std::size_t len = (server ? scene.server : scene.client).stream.size();
    for (std::size_t at = 0; at < len;) {
      const std::size_t piece = std::min(1 + random.below(longest), len - at);
      out.push_back({server, at, piece});
      at += piece;
    }
  }
  // Both directions mixed, each in its order; not before the start-up frames of both.
  std::vector<Piece> mixed;
  std::size_t next[2] = {
      0, static_cast<std::size_t>(std::count_if(out.begin(), out.end(), [](const Piece& p) { return !p.server; }))};
  const std::size_t end[2] = {next[1], out.size()};
  while (next[0] != end[0] || next[1] != end[1]) {
    const std::size_t which = next[0] == end[0] ? 1 : (next[1] == end[1] ? 0 : random.below(2));
    mixed.push_back(out[next[which]++]);
  }
  return mixed;
}

void add_piece(TestStreams& streams, Scene& scene, const Piece& piece, bool ipv6) {
  const Side& side = scene.side(piece.server);
  TestSegment segment;
  segment.from_server = piece.server;
  segment.ipv6 = ipv6;
  segment.ack = false;
  segment.sequence = side.isn + 1 + static_cast<std::uint32_t>(piece.begin);
  segment.octets.assign(side.stream.begin() + static_cast<std::ptrdiff_t>(piece.begin),
                        side.stream.begin() + static_cast<std::ptrdiff_t>(piece.begin + piece.len));
  const Octets frame = build(segment);
  streams.add(parse(frame), ++streams.number);
}

void open(TestStreams& streams, Scene& scene, bool ipv6) {
  for (const bool server : {false, true}) {
    TestSegment segment;
    segment.from_server = server;
    segment.ipv6 = ipv6;
    segment.syn = true;
    segment.ack = server;
    segment.sequence = scene.side(server).isn;
    segment.acknowledgment = scene.client.isn + 1;
    const Octets frame = build(segment);
    streams.add(parse(frame), ++streams.number);
  }
}

std::vector<const SeenPdu*> of_side(const TestStreams& streams, bool server) {
  std::vector<const SeenPdu*> out;
  for (const SeenPdu* fpdu : streams.sink.fpdus()) {
    if (fpdu->from_initiator != server) out.push_back(fpdu);
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(random_streams)

BOOST_AUTO_TEST_CASE(doubled_overlapping_and_reordered_segments_change_nothing) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random{std::mt19937(seed)};
    const bool ipv6 = random.one_in(2);
    Scene scene = make_scene(random, 1 + random.below(12), random.one_in(2));
    std::vector<Piece> pieces = cut(random, scene, random.one_in(3) ? 20 : 1500);
    const std::size_t num = pieces.size();
    for (std::size_t i = 0; i < num / 5; ++i) {  // again, with other ends
      Piece more = pieces[random.below(num)];
      const std::size_t back = std::min(more.begin, random.below(100));
      more.begin -= back;
      more.len = std::min(more.len + back + random.below(100), scene.side(more.server).stream.size() - more.begin);
      pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(random.below(pieces.size())), more);
    }
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {  // later by up to eight frames
      if (random.one_in(4)) std::swap(pieces[i], pieces[std::min(i + 1 + random.below(8), pieces.size() - 1)]);
    }
    TestStreams streams;
    open(streams, scene, ipv6);
    for (const Piece& piece : pieces) add_piece(streams, scene, piece, ipv6);
    streams.finish();
    for (const bool server : {false, true}) {
      const auto fpdus = of_side(streams, server);
      const Side& side = scene.side(server);
      BOOST_REQUIRE_MESSAGE(fpdus.size() == side.fpdus.size(),
                            "seed " << seed << ": " << fpdus.size() << " of " << side.fpdus.size() << " FPDUs");
      for (std::size_t i = 0; i < fpdus.size(); ++i) {
        BOOST_REQUIRE_MESSAGE(fpdus[i]->octets == side.fpdus[i].octets, "seed " << seed << " FPDU " << i);
        BOOST_REQUIRE_MESSAGE(fpdus[i]->stream_offset == side.fpdus[i].offset, "seed " << seed << " FPDU " << i);
        BOOST_REQUIRE_MESSAGE(!fpdus[i]->lost_before, "seed " << seed << " FPDU " << i);
        BOOST_REQUIRE_MESSAGE(fpdus[i]->crc != CrcStatus::bad, "seed " << seed << " FPDU " << i);
      }
    }
    BOOST_REQUIRE_MESSAGE(streams.sink.losses.empty(), "seed " << seed);
    BOOST_REQUIRE_MESSAGE(streams.streams.counts().conflicting_len == 0, "seed " << seed);
    BOOST_REQUIRE_MESSAGE(streams.streams.counts().missing_len == 0, "seed " << seed);
  }
}

// Segments that never come: no PDU that was not there, and after the last hole all of them, if there are enough to find
// them by.
BOOST_AUTO_TEST_CASE(lost_segments_cost_what_was_in_them) {
  std::size_t found = 0;
  std::size_t captured = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    Random random{std::mt19937(seed)};
    const bool crc = random.one_in(2);
    Scene scene = make_scene(random, 60, crc);
    const std::vector<Piece> pieces = cut(random, scene, random.one_in(3) ? 100 : 1500);
    TestStreams streams;
    open(streams, scene, false);
    Octets seen[2] = {Octets(scene.client.stream.size()), Octets(scene.server.stream.size())};
    for (const Piece& piece : pieces) {
      if (random.one_in(50)) continue;
      std::fill_n(seen[piece.server ? 1 : 0].begin() + static_cast<std::ptrdiff_t>(piece.begin), piece.len,
                  std::uint8_t{1});
      add_piece(streams, scene, piece, false);
    }
    streams.finish();
    for (const bool server : {false, true}) {
      const Side& side = scene.side(server);
      const Octets& there = seen[server ? 1 : 0];
      std::size_t next = 0;
      std::uint64_t accounted = 0;
      std::uint64_t end = 0;
      for (const SeenPdu* fpdu : of_side(streams, server)) {
        while (next < side.fpdus.size() && side.fpdus[next].offset != fpdu->stream_offset) ++next;
        BOOST_REQUIRE_MESSAGE(next < side.fpdus.size(),
                              "seed " << seed << ": an FPDU that is not there, at " << fpdu->stream_offset);
        const Octets& octets = side.fpdus[next].octets;
        BOOST_REQUIRE_MESSAGE(fpdu->wire_len == octets.size() && fpdu->octets.size() <= octets.size() &&
                                  std::equal(fpdu->octets.begin(), fpdu->octets.end(), octets.begin()),
                              "seed " << seed << ": other octets at " << fpdu->stream_offset);
        BOOST_REQUIRE_MESSAGE(fpdu->crc != CrcStatus::bad, "seed " << seed << " at " << fpdu->stream_offset);
        if (accounted != 0) {
          BOOST_REQUIRE_MESSAGE(
              fpdu->lost_before.missing_len + fpdu->lost_before.skipped_len == fpdu->stream_offset - end,
              "seed " << seed << " at " << fpdu->stream_offset);
        }
        ++accounted;
        end = fpdu->stream_offset + fpdu->wire_len;
        ++next;
      }
      found += accounted;
      for (const Message& fpdu : side.fpdus) {
        const auto begin = there.begin() + static_cast<std::ptrdiff_t>(fpdu.offset);
        if (std::all_of(begin, begin + static_cast<std::ptrdiff_t>(fpdu.octets.size()), [](auto o) { return o == 1; }))
          ++captured;
      }
    }
  }
  BOOST_TEST_MESSAGE(found << " FPDUs found, " << captured << " of 18000 captured whole");
}

BOOST_AUTO_TEST_SUITE_END()
