// Holes, and starts in mid-stream: what is found again, what is lost, and that nothing is made up.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "codec/stream_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::test;

struct Kind {
  bool markers;
  bool crc;
  const char* name;
};
constexpr std::array kinds{Kind{false, true, "CRC"}, Kind{true, true, "Markers, CRC"}, Kind{false, false, "neither"},
                           Kind{true, false, "Markers"}};

// All FPDUs that came out were in the stream; each is whole, or has what lies before the hole [hole, hole + hole_len);
// from the first one after the hole on none is missing, and between them exactly what is said to be lost is.
void check(const Collector& got, const Model& model, std::size_t from, std::size_t to, std::size_t hole,
           std::size_t hole_len) {
  std::size_t expected = 0;
  std::size_t end = from;
  const auto missing_in = [&](std::size_t a, std::size_t b) {
    const std::size_t first = std::max(a, hole);
    const std::size_t last = std::min(b, hole + hole_len);
    return first < last ? last - first : 0;
  };
  for (const Found& fpdu : got.fpdus) {
    while (expected < model.fpdus.size() && model.fpdus[expected].begin < fpdu.begin) ++expected;
    BOOST_REQUIRE(expected < model.fpdus.size());
    const Made& made = model.fpdus[expected];
    BOOST_REQUIRE(fpdu.begin == made.begin);
    BOOST_REQUIRE(fpdu.end() == made.end);
    BOOST_REQUIRE(fpdu.begin >= end);
    const std::size_t missing = missing_in(end, fpdu.begin);
    BOOST_REQUIRE(fpdu.lost_before.missing_len == missing);
    BOOST_REQUIRE(fpdu.lost_before.skipped_len == fpdu.begin - end - missing);
    BOOST_REQUIRE(fpdu.lost_before.num_fpdus == (fpdu.begin != end ? 1U : 0U));
    const bool is_cut = missing_in(made.begin, made.end) != 0;
    const std::size_t captured = is_cut ? hole - made.begin : made.end - made.begin;
    BOOST_REQUIRE(std::equal(fpdu.octets.begin(), fpdu.octets.end(),
                             model.stream.begin() + static_cast<std::ptrdiff_t>(made.begin),
                             model.stream.begin() + static_cast<std::ptrdiff_t>(made.begin + captured)));
    if (is_cut) BOOST_REQUIRE(fpdu.crc.status == (model.crc ? CrcStatus::unchecked : CrcStatus::disabled));
    end = fpdu.end();
    ++expected;
  }
  const Loss rest = got.deframer.lost();
  const std::size_t missing = missing_in(end, to);
  BOOST_REQUIRE(got.deframer.offset() == to);
  BOOST_REQUIRE(rest.missing_len == missing);
  BOOST_REQUIRE(rest.skipped_len == to - end - missing);
}

// FPDUs of the model wholly in [from, to).
std::size_t num_within(const Model& model, std::size_t from, std::size_t to) {
  return static_cast<std::size_t>(std::count_if(
      model.fpdus.begin(), model.fpdus.end(), [&](const Made& made) { return made.begin >= from && made.end <= to; }));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(search)

BOOST_AUTO_TEST_CASE(a_hole_at_every_place) {
  for (const Kind& kind : kinds) {
    const Model model = traffic(7, kind.markers, kind.crc, 50, 100);
    std::size_t most_lost = 0;
    for (std::size_t hole = 0; hole < model.stream.size(); ++hole) {
      for (const std::size_t hole_len : {std::size_t{1}, std::size_t{90}, std::size_t{1448}}) {
        if (hole + hole_len > model.stream.size()) continue;
        BOOST_TEST_CONTEXT(kind.name << ", " << hole_len << " octets at " << hole << " of " << model.stream.size()) {
          Collector got(params_of(model), 0, true);
          got.feed(Bytes(model.stream).first(hole));
          got.skip(hole_len);
          got.feed(Bytes(model.stream).subspan(hole + hole_len));
          got.finish();
          check(got, model, 0, model.stream.size(), hole, hole_len);
          // All before the hole, and after it all but the few that it takes to be sure.
          const std::size_t there =
              num_within(model, 0, hole) + num_within(model, hole + hole_len, model.stream.size());
          if (hole + hole_len + 800 < model.stream.size()) {
            BOOST_REQUIRE(got.fpdus.size() + 1 >= there);
            most_lost = std::max(most_lost, there - std::min(there, got.fpdus.size()));
          }
        }
      }
    }
    BOOST_TEST_MESSAGE(kind.name << ": at most " << most_lost << " FPDUs lost that were there");
  }
}

BOOST_AUTO_TEST_CASE(a_start_at_every_place) {
  for (const Kind& kind : kinds) {
    const Model model = traffic(8, kind.markers, kind.crc, 50, 100);
    for (const bool known : {true, false}) {
      std::size_t most_lost = 0;
      for (std::size_t start = 1; start + 1200 < model.stream.size(); ++start) {
        BOOST_TEST_CONTEXT(kind.name << ", from " << start << ", known " << known) {
          Collector got(known ? params_of(model) : StreamParams{}, start, false);
          got.feed(Bytes(model.stream).subspan(start));
          got.finish();
          if (known) check(got, model, start, model.stream.size(), start, 0);
          BOOST_REQUIRE(!got.fpdus.empty());
          const std::size_t there = num_within(model, start, model.stream.size());
          BOOST_REQUIRE(got.fpdus.size() <= there);
          most_lost = std::max(most_lost, there - got.fpdus.size());
          for (const Found& fpdu : got.fpdus) {
            const auto made = std::find_if(model.fpdus.begin(), model.fpdus.end(),
                                           [&](const Made& one) { return one.begin == fpdu.begin; });
            BOOST_REQUIRE(made != model.fpdus.end());
            BOOST_REQUIRE(made->end == fpdu.end());
            BOOST_REQUIRE((made->ulpdu == fpdu.ulpdu));
            BOOST_REQUIRE((made->markers == fpdu.markers));
            BOOST_REQUIRE(fpdu.num_wrong_markers == 0U);
            BOOST_REQUIRE(name_of(fpdu.crc.status) == (kind.crc ? "good" : known ? "disabled" : "unchecked"));
          }
        }
      }
      BOOST_TEST_MESSAGE(kind.name << (known ? ", known" : ", unknown") << ": at most " << most_lost
                                   << " FPDUs lost that were there");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
