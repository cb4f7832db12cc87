// Framing and deframing where it is known where the FPDUs begin.
#include "codec/stream.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/stream_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::test;

void check_whole(const Found& got, const Made& made, const Model& model) {
  BOOST_TEST(got.begin == made.begin);
  BOOST_TEST(got.end() == made.end);
  BOOST_TEST(got.octets.size() == got.wire_len);
  BOOST_TEST((got.ulpdu == made.ulpdu));
  BOOST_TEST(got.markers == made.markers, boost::test_tools::per_element());
  BOOST_TEST(got.num_wrong_markers == 0U);
  BOOST_TEST(name_of(got.crc.status) == name_of(model.crc ? CrcStatus::good : CrcStatus::disabled));
  BOOST_TEST(got.crc.offset == got.wire_len - 4);
  BOOST_TEST(!got.lost_before);
}

// Figures 5 and 6 of RFC 5044: a Send of 24 octets of zeros as the first FPDU, and as one that begins at 0x1EC.
const std::string figure5 =
    "00000000 002a4143 00000000 00000000 00000001 00000000"
    "000000000000000000000000000000000000000000000000 52239983";
const std::string figure6 =
    "002a4143 00000000 00000000 00000002 00000000 00000014"
    "000000000000000000000000000000000000000000000000 84925898";

Octets frame_of(Framer& framer, const Octets& ulpdu) {
  Octets out(framer.fpdu_len(static_cast<std::uint32_t>(ulpdu.size())));
  const std::array<Bytes, 1> pieces{Bytes(ulpdu)};
  const auto len = framer.frame(pieces, out);
  BOOST_REQUIRE(len.has_value());
  BOOST_TEST(*len == out.size());
  return out;
}

// Ends of segments, as offsets in the stream of FPDUs of these lengths.
std::vector<std::uint32_t> segment_ends(Segmentation segmentation, std::uint32_t emss,
                                        const std::vector<std::uint32_t>& lens) {
  Segmenter segmenter({emss}, segmentation);
  std::vector<std::uint32_t> ends;
  std::uint32_t begin = 0;
  for (const std::uint32_t len : lens) {
    segmenter.add(len, [&](std::uint32_t at) { ends.push_back(begin + at); });
    begin += len;
  }
  return ends;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(framing)

//= MPA-5044-4.1-01, MPA-5044-4.2-01, MPA-5044-4.3-03, MPA-5044-4.3-06, MPA-5044-4.4-12, MPA-5044-7.1.2-19 test
BOOST_AUTO_TEST_CASE(figures_5_and_6_of_rfc_5044) {
  Framer framer(true, true);
  BOOST_TEST(frame_of(framer, untagged(3, 0, 1, 0, true, Octets(24))) == octets(figure5),
             boost::test_tools::per_element());
  Framer second(true, true);
  BOOST_TEST(frame_of(second, untagged(3, 0, 1, 0, true, Octets(464))).size() == 492U);
  BOOST_TEST(frame_of(second, untagged(3, 0, 2, 0, true, Octets(24))) == octets(figure6),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_crc_its_field_is_zero) {
  Framer framer(false, false);
  BOOST_TEST(frame_of(framer, {0xAB}) == octets("0001ab00 00000000"), boost::test_tools::per_element());
  BOOST_TEST(framer.offset() == 8U);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_and_can_be_framed_again) {
  Framer framer(true, true);
  Octets out(70'000);
  const Octets ulpdu(64'769);
  const std::array<Bytes, 2> pieces{Bytes(ulpdu).first(1), Bytes(ulpdu).subspan(1)};
  check_error(framer.frame(pieces, out).error(),
              {ErrorCode::value_too_big, Layer::fpdu, Limit::ulpdu_length, 64'769, 64'768, 0});
  const std::array<Bytes, 1> one{Bytes(ulpdu).first(24)};
  BOOST_TEST(framer.fpdu_len(24) == 36U);
  check_error(framer.frame(one, MutableBytes(out).first(35)).error(),
              {ErrorCode::output_too_small, Layer::fpdu, Limit::buffer, 36, 35, 0});
  BOOST_TEST(framer.offset() == 0U);
  BOOST_TEST(framer.frame(one, MutableBytes(out).first(36)).value() == 36U);
  BOOST_TEST(framer.offset() == 36U);
}

BOOST_AUTO_TEST_CASE(the_largest_ulpdu_has_markers_that_point_to_its_beginning) {
  Framer framer(true, true);
  const Octets out = frame_of(framer, tagged(0, 1, 2, true, Octets(64'768 - 14)));
  BOOST_TEST(out.size() == 65'288U);                          // 64,776 octets and 128 Markers
  BOOST_TEST(load_be<4>(out.data() + 127 * 512) == 65'020U);  // from the ULPDU_Length, which lies at 4
  Collector stream({Setting::on, Setting::on, 0, true}, 0, true);
  stream.feed(out);
  BOOST_REQUIRE(stream.fpdus.size() == 1U);
  BOOST_TEST(stream.fpdus[0].num_wrong_markers == 0U);
  BOOST_TEST(stream.fpdus[0].markers.size() == 128U);
  BOOST_TEST(name_of(stream.fpdus[0].crc.status) == "good");
}

BOOST_AUTO_TEST_CASE(aligned_segments_begin_with_an_fpdu) {
  using Ends = std::vector<std::uint32_t>;
  const auto aligned = Segmentation::aligned;
  // Two small ones fit, the third does not.
  BOOST_TEST(segment_ends(aligned, 100, {40, 40, 40}) == (Ends{80}), boost::test_tools::per_element());
  // One that fills a segment, alone or with another.
  BOOST_TEST(segment_ends(aligned, 100, {100, 60, 40, 20}) == (Ends{100, 200}), boost::test_tools::per_element());
  // One larger than a segment has some for itself.
  BOOST_TEST(segment_ends(aligned, 100, {20, 250, 20, 200}) == (Ends{20, 120, 220, 270, 290, 390, 490}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(packed_segments_are_full) {
  using Ends = std::vector<std::uint32_t>;
  const auto packed = Segmentation::packed;
  BOOST_TEST(segment_ends(packed, 100, {40, 40, 40, 200}) == (Ends{100, 200, 300}), boost::test_tools::per_element());
  BOOST_TEST(segment_ends(packed, 100, {100, 99, 1, 300}) == (Ends{100, 200, 300, 400, 500}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_has_been_sent_is_not_waited_for) {
  Segmenter segmenter({100}, Segmentation::aligned);
  std::size_t num_ends = 0;
  segmenter.add(80, [&](std::uint32_t) { ++num_ends; });
  segmenter.flush();
  segmenter.add(80, [&](std::uint32_t) { ++num_ends; });
  BOOST_TEST(num_ends == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

// The FPDUs of testdata/reference/iwarp_vectors.tsv, made by other code.
BOOST_AUTO_TEST_SUITE(vectors)

BOOST_AUTO_TEST_CASE(each_is_framed_and_deframed_exactly) {
  // Where each of those with Markers begins: octets after SeqStart.
  const std::map<std::string, std::uint64_t> places{
      {"FPDU-5044-fig5", 0}, {"FPDU-5044-fig6-prev", 0}, {"FPDU-5044-fig6", 492},
      {"MARK-FIRST", 512},   {"MARK-PTR4", 508},         {"MARK-BEFORECRC", 468},
      {"MARK-AFTER", 464},   {"MARK-NEXT", 512},         {"MARK-TWO", 256}};
  std::ifstream file("testdata/reference/iwarp_vectors.tsv");
  std::size_t num = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    if (name.rfind("FPDU-", 0) != 0 && name.rfind("MARK-", 0) != 0) continue;
    BOOST_TEST_CONTEXT(name) {
      const Octets expected = octets(line.substr(line.rfind('\t') + 1));
      const auto place = places.find(name);
      const bool markers = place != places.end();
      const std::uint64_t offset = markers ? place->second : 0;
      StreamParams params{markers ? Setting::on : Setting::off, Setting::on, {}, true};
      if (markers) params.seq_start = 0;
      Collector stream(params, offset, true);
      stream.feed(expected);
      BOOST_REQUIRE(stream.fpdus.size() == 1U);
      BOOST_TEST(name_of(stream.fpdus[0].crc.status) == "good");
      BOOST_TEST(stream.fpdus[0].num_wrong_markers == 0U);
      BOOST_TEST(stream.fpdus[0].wire_len == expected.size());
      Framer framer(markers, true, offset);
      BOOST_TEST(frame_of(framer, stream.fpdus[0].ulpdu) == expected, boost::test_tools::per_element());
    }
    ++num;
  }
  BOOST_TEST(num == 38U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(deframing)

BOOST_AUTO_TEST_CASE(figures_5_and_6_of_rfc_5044) {
  StreamParams params{Setting::on, Setting::on, 0, true};
  Collector stream(params, 0, true);
  stream.feed(octets(figure5));
  BOOST_REQUIRE(stream.fpdus.size() == 1U);
  BOOST_TEST((stream.fpdus[0].ulpdu == untagged(3, 0, 1, 0, true, Octets(24))));
  BOOST_TEST(name_of(stream.fpdus[0].crc.status) == "good");
  BOOST_TEST(stream.fpdus[0].crc.stored == 0x52239983U);
  BOOST_TEST(stream.fpdus[0].crc.computed == 0x52239983U);
  BOOST_TEST(stream.fpdus[0].crc.offset == 48U);
  BOOST_TEST(stream.fpdus[0].markers == std::vector<std::size_t>{0}, boost::test_tools::per_element());

  Collector second(params, 0x1EC, true);
  second.feed(octets(figure6));
  BOOST_REQUIRE(second.fpdus.size() == 1U);
  BOOST_TEST((second.fpdus[0].ulpdu == untagged(3, 0, 2, 0, true, Octets(24))));
  BOOST_TEST(name_of(second.fpdus[0].crc.status) == "good");
  BOOST_TEST(second.fpdus[0].crc.stored == 0x84925898U);
  BOOST_TEST(second.fpdus[0].markers == std::vector<std::size_t>{0x200}, boost::test_tools::per_element());
  BOOST_TEST(second.fpdus[0].begin == 0x1ECU);
}

// FPDUs of every length 1 to 2,000 at every phase (an FPDU begins at multiples of 4 only), with and without Markers and
// CRC.
// RDMAWIRE_ALL_STREAMS=1 for all of them; else every phase for some lengths, and every length at some phases.
//= MPA-5044-3-01, MPA-5044-4.1-01, MPA-5044-4.1-03, MPA-5044-4.1-06, MPA-5044-4.2-04, MPA-5044-4.3-02 test
//= MPA-5044-4.3-07, MPA-5044-4.3-08, MPA-5044-4.3-09, MPA-5044-4.3-10, MPA-5044-4.3-14, MPA-5044-4.4-10 test
//= MPA-5044-4.4-12, MPA-5044-4.4-13, MPA-5044-5.2-01, MPA-5044-7.1.2-19 test
BOOST_AUTO_TEST_CASE(every_length_at_every_phase) {
  const bool all = test_all_streams();
  std::mt19937 random(1);
  const Octets payload = random_octets(random, 2000);
  Octets out(4096);
  Octets buffer(Deframer::min_buffer);
  for (const bool crc : {true, false}) {
    for (const bool markers : {true, false}) {
      for (std::size_t phase = 0; phase < (markers ? 512U : 4U); phase += 4) {
        const bool each = all || phase % 128 == 0 || phase == 508;
        for (std::size_t len = 1; len <= 2000; len += each ? 1 : 61) {
          Model model{markers, crc, 0, Octets(phase), {}};
          Framer framer(markers, crc, phase);
          const Octets ulpdu(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(len));
          model.add(ulpdu);
          const Made& made = model.fpdus.back();
          BOOST_TEST_CONTEXT("phase " << phase << ", length " << len << ", markers " << markers << ", crc " << crc) {
            const Bytes expected = Bytes(model.stream).subspan(made.begin);
            const Bytes first = Bytes(ulpdu).first(len / 2);
            const std::array<Bytes, 2> pieces{first, Bytes(ulpdu).subspan(len / 2)};
            BOOST_REQUIRE(framer.offset() == made.begin);
            const auto framed = framer.frame(pieces, out);
            BOOST_REQUIRE((framed.has_value() && *framed == expected.size()));
            BOOST_REQUIRE(std::equal(expected.begin(), expected.end(), out.begin()));
            Deframer deframer(buffer, params_of(model), made.begin, true);
            deframer.feed(expected);
            auto got = deframer.next();
            if (!crc) {
              // It has no DDP header, and without a CRC, so nothing says that it is an FPDU, until the stream ends
              // there.
              BOOST_REQUIRE(!got.has_value());
              deframer.finish();
              got = deframer.next();
            }
            BOOST_REQUIRE(got.has_value());
            check_whole(found(*got), made, model);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
