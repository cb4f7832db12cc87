// The same stream in other pieces, cut by a snap length, damaged, or made to be hard.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "codec/stream_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::test;

bool same(const Found& a, const Found& b) {
  return a.begin == b.begin && a.wire_len == b.wire_len && a.octets == b.octets && a.ulpdu == b.ulpdu &&
         a.markers == b.markers && a.num_wrong_markers == b.num_wrong_markers && a.crc == b.crc &&
         a.lost_before.missing_len == b.lost_before.missing_len &&
         a.lost_before.skipped_len == b.lost_before.skipped_len && a.lost_before.num_fpdus == b.lost_before.num_fpdus;
}

void require_same(const Collector& got, const Collector& whole) {
  BOOST_REQUIRE(got.fpdus.size() == whole.fpdus.size());
  for (std::size_t i = 0; i < got.fpdus.size(); ++i) BOOST_REQUIRE(same(got.fpdus[i], whole.fpdus[i]));
  BOOST_REQUIRE(got.deframer.offset() == whole.deframer.offset());
  BOOST_REQUIRE(got.deframer.lost().missing_len == whole.deframer.lost().missing_len);
  BOOST_REQUIRE(got.deframer.lost().skipped_len == whole.deframer.lost().skipped_len);
}

// A stream with a hole, damage, or neither, in pieces that end where `ends` says.
void run(Collector& to, const Octets& stream, std::size_t from, std::size_t hole, std::size_t hole_len,
         const std::vector<std::size_t>& ends) {
  std::size_t at = from;
  const auto feed_to = [&](std::size_t end) {
    for (const std::size_t piece_end : ends) {
      if (piece_end <= at || piece_end >= end) continue;
      to.feed(Bytes(stream).subspan(at, piece_end - at));
      at = piece_end;
    }
    if (at < end) to.feed(Bytes(stream).subspan(at, end - at));
    at = end;
  };
  if (hole_len != 0) {
    feed_to(hole);
    to.skip(hole_len);
    at = hole + hole_len;
  }
  feed_to(stream.size());
  to.finish();
}

struct Scene {
  Model model;
  StreamParams params;
  std::size_t from = 0;
  bool synced = true;
  std::size_t hole = 0;
  std::size_t hole_len = 0;
  bool damaged = false;
};

std::vector<Scene> scenes() {
  std::vector<Scene> out;
  for (const bool crc : {true, false}) {
    for (const bool markers : {true, false}) {
      const Model model = traffic(21, markers, crc, 40, 100);
      out.push_back({model, params_of(model)});
      out.push_back({model, params_of(model), 0, true, 700, 133});
      out.push_back({model, params_of(model), 777, false});
      out.push_back({model, StreamParams{}, 333, false, 1400, 50});
      // One octet in a payload, one in a length, one in a DDP header.
      for (const std::size_t damage : {std::size_t{40}, std::size_t{1}, std::size_t{2}}) {
        Scene scene{model, params_of(model)};
        scene.damaged = true;
        scene.model.stream[model.fpdus[5].begin + damage] ^= 0x11;
        out.push_back(scene);
      }
    }
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pieces)

//= MPA-5044-5.1-04, MPA-5044-6-03, MPA-5044-A.4-01 test
BOOST_AUTO_TEST_CASE(in_whatever_pieces_a_stream_comes_it_has_the_same_fpdus) {
  std::size_t number = 0;
  for (const Scene& scene : scenes()) {
    const std::size_t size = scene.model.stream.size();
    Collector whole(scene.params, scene.from, scene.synced);
    run(whole, scene.model.stream, scene.from, scene.hole, scene.hole_len, {});
    BOOST_TEST(whole.fpdus.size() >= 25U);
    BOOST_TEST_CONTEXT("scene " << number << ", octet by octet") {
      std::vector<std::size_t> each(size);
      for (std::size_t i = 0; i < size; ++i) each[i] = i;
      Collector got(scene.params, scene.from, scene.synced);
      run(got, scene.model.stream, scene.from, scene.hole, scene.hole_len, each);
      require_same(got, whole);
    }
    // All of them for each kind of stream; with holes and damage fewer.
    const std::uint32_t num_splits = scene.synced && scene.hole_len == 0 && !scene.damaged ? 1000 : 50;
    for (std::uint32_t seed = 0; seed < num_splits; ++seed) {
      std::mt19937 random(seed);
      std::vector<std::size_t> ends(1 + random() % 40);
      for (std::size_t& end : ends) end = random() % size;
      std::sort(ends.begin(), ends.end());
      BOOST_TEST_CONTEXT("scene " << number << ", seed " << seed) {
        Collector got(scene.params, scene.from, scene.synced);
        run(got, scene.model.stream, scene.from, scene.hole, scene.hole_len, ends);
        require_same(got, whole);
      }
    }
    ++number;
  }
}

// Every TCP segment's first octets only, as with a snap length.
BOOST_AUTO_TEST_CASE(a_snap_length_costs_no_fpdu_whose_first_octets_are_there) {
  for (const bool markers : {false, true}) {
    Model model;
    model.markers = markers;
    Traffic source(5);
    std::vector<std::size_t> segments;
    for (std::size_t i = 0; i < 60; ++i) {
      model.add(source.next_ulpdu());
      segments.push_back(model.fpdus.back().begin);
    }
    segments.push_back(model.stream.size());
    for (const bool known : {true, false}) {
      Collector got(known ? params_of(model) : StreamParams{}, 0, known);
      for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
        const std::size_t len = segments[i + 1] - segments[i];
        const std::size_t captured = std::min<std::size_t>(len, 40);
        got.feed(Bytes(model.stream).subspan(segments[i], captured));
        got.skip(len - captured);
      }
      got.finish();
      BOOST_REQUIRE(got.fpdus.size() == model.fpdus.size() || (!known && markers));
      for (std::size_t i = 0; i < got.fpdus.size(); ++i) {
        const Made& made = model.fpdus[i];
        BOOST_REQUIRE(got.fpdus[i].begin == made.begin);
        BOOST_REQUIRE(got.fpdus[i].end() == made.end);
        BOOST_REQUIRE(got.fpdus[i].octets.size() == std::min<std::size_t>(made.end - made.begin, 40));
        BOOST_REQUIRE(!got.fpdus[i].lost_before);
      }
    }
  }
}

//= MPA-5044-4.4-14, MPA-5044-4.4-15 test
BOOST_AUTO_TEST_CASE(every_wrong_bit_is_found_and_costs_one_fpdu_at_most_where_crcs_are_in_use) {
  for (const bool markers : {false, true}) {
    const Model model = traffic(3, markers, true, 12, 60);
    for (std::size_t bit = 0; bit < 8 * model.stream.size(); ++bit) {
      BOOST_TEST_CONTEXT("Markers " << markers << ", bit " << bit) {
        Octets damaged = model.stream;
        damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        Collector got(params_of(model), 0, true);
        got.feed(damaged);
        got.finish();
        std::size_t num_good = 0;
        std::size_t num_bad = 0;
        bool lost = static_cast<bool>(got.deframer.lost());
        for (const Found& fpdu : got.fpdus) {
          (fpdu.crc.status == CrcStatus::good ? num_good : num_bad) += 1;
          lost = lost || fpdu.lost_before;
          const auto made = std::find_if(model.fpdus.begin(), model.fpdus.end(),
                                         [&](const Made& one) { return one.begin == fpdu.begin; });
          BOOST_REQUIRE(made != model.fpdus.end());
          if (fpdu.crc.status == CrcStatus::good) BOOST_REQUIRE((made->ulpdu == fpdu.ulpdu && made->end == fpdu.end()));
        }
        BOOST_REQUIRE(num_good == model.fpdus.size() - 1);
        BOOST_REQUIRE(num_bad + (lost ? 1U : 0U) == 1U);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_bad_crc_alone_does_not_end_the_framing) {
  Model model = traffic(3, false, true, 12, 60);
  for (const Made& made : model.fpdus) model.stream[made.end - 1] ^= 1;
  Collector got(params_of(model), 0, true);
  got.feed(model.stream);
  got.finish();
  BOOST_REQUIRE(got.fpdus.size() == model.fpdus.size());
  for (std::size_t i = 0; i < got.fpdus.size(); ++i) {
    BOOST_TEST(name_of(got.fpdus[i].crc.status) == "bad");
    BOOST_TEST((got.fpdus[i].ulpdu == model.fpdus[i].ulpdu));
    BOOST_TEST(!got.fpdus[i].lost_before);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_opcode_without_crc_does_not_end_the_framing) {
  Model model;
  model.crc = false;
  for (unsigned i = 0; i < 20; ++i) {
    model.add(untagged(i % 3 == 0 ? 0xF : 0xC, 7, i + 1, 0, true, Octets(i)));
  }
  Collector got(params_of(model), 0, true);
  got.feed(model.stream);
  got.finish();
  BOOST_TEST(got.fpdus.size() == 20U);
}

BOOST_AUTO_TEST_CASE(a_wrong_length_without_crc_costs_what_it_covers) {
  Model model = traffic(9, false, false, 30, 100);
  model.stream[model.fpdus[10].begin + 1] ^= 0x04;
  Collector got(params_of(model), 0, true);
  got.feed(model.stream);
  got.finish();
  // The wrong one came out before its end could be doubted.
  BOOST_REQUIRE(got.fpdus.size() >= 28U);
  BOOST_TEST(got.fpdus[10].begin == model.fpdus[10].begin);
  BOOST_TEST(got.fpdus[11].begin >= model.fpdus[11].begin);
  BOOST_TEST(got.fpdus[11].lost_before.num_fpdus == 1U);
  BOOST_TEST(got.fpdus[11].lost_before.skipped_len == got.fpdus[11].begin - got.fpdus[10].end());
  BOOST_TEST(got.fpdus.back().end() == model.stream.size());
}

BOOST_AUTO_TEST_CASE(wrong_markers_are_counted_and_reserved_and_low_two_bits_do_not_count) {
  Model model;
  model.markers = true;
  model.crc = false;
  model.add(tagged(0, 1, 0, true, Octets(2000)));
  BOOST_REQUIRE(model.fpdus[0].markers.size() == 4U);
  model.stream[model.fpdus[0].markers[1] + 3] |= 3;  // FPDUPTR, its low two bits
  model.stream[model.fpdus[0].markers[2]] = 1;       // reserved
  Collector tolerated(params_of(model), 0, true);
  tolerated.feed(model.stream);
  BOOST_REQUIRE(tolerated.fpdus.size() == 1U);
  BOOST_TEST(tolerated.fpdus[0].num_wrong_markers == 0U);
  model.stream[model.fpdus[0].markers[0] + 2] ^= 4;  // FPDUPTR
  model.stream[model.fpdus[0].markers[3] + 3] ^= 4;
  Collector wrong(params_of(model), 0, true);
  wrong.feed(model.stream);
  BOOST_REQUIRE(wrong.fpdus.size() == 1U);
  BOOST_TEST(wrong.fpdus[0].num_wrong_markers == 2U);
}

BOOST_AUTO_TEST_CASE(settings_that_are_not_known_are_found_out_from_the_first_fpdu_on) {
  for (const bool markers : {false, true}) {
    for (const bool crc : {false, true}) {
      const Model model = traffic(4, markers, crc, 30);
      Collector got(StreamParams{}, 0, true);
      got.feed(model.stream);
      got.finish();
      BOOST_REQUIRE(got.fpdus.size() == 30U);
      for (std::size_t i = 0; i < 30; ++i) {
        BOOST_TEST((got.fpdus[i].ulpdu == model.fpdus[i].ulpdu));
        BOOST_TEST(got.fpdus[i].markers == model.fpdus[i].markers, boost::test_tools::per_element());
        BOOST_TEST(name_of(got.fpdus[i].crc.status) == (crc ? "good" : "unchecked"));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_fpdu_that_does_not_end_is_lost) {
  const Model model = traffic(4, false, true, 3);
  for (std::size_t end = 1; end < model.stream.size(); ++end) {
    Collector got(params_of(model), 0, true);
    got.feed(Bytes(model.stream).first(end));
    BOOST_TEST(!got.deframer.lost());
    got.finish();
    const std::size_t last = got.fpdus.empty() ? 0 : got.fpdus.back().end();
    BOOST_TEST(got.deframer.lost().skipped_len == end - last);
    BOOST_TEST(got.deframer.lost().num_fpdus == (end == last ? 0U : 1U));
    BOOST_TEST(got.deframer.offset() == end);
  }
}

BOOST_AUTO_TEST_CASE(a_hole_of_many_fpdus_says_how_many_at_least) {
  const Model model = traffic(4, false, true, 40);
  Collector got(params_of(model), 0, true);
  got.feed(Bytes(model.stream).first(model.fpdus[20].begin));
  got.skip(10'000'000);
  // After the hole the stream goes on with FPDU 20, by the model's count.
  got.feed(Bytes(model.stream).subspan(model.fpdus[20].begin));
  got.finish();
  BOOST_REQUIRE(got.fpdus.size() == 40U);
  BOOST_TEST(got.fpdus[20].lost_before.missing_len == 10'000'000U);
  BOOST_TEST(got.fpdus[20].lost_before.skipped_len == 0U);
  BOOST_TEST(got.fpdus[20].lost_before.num_fpdus == 152U);  // of 66,064 octets at most
}

BOOST_AUTO_TEST_SUITE_END()
