#include "codec/iwarp/fpdu.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "codec/iwarp/framing_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using test::framed;
using test::Framing;
using test::laid_out;

// Octets that differ from their neighbours and from those 512 further.
std::vector<std::uint8_t> pattern(std::size_t size) {
  std::vector<std::uint8_t> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(i * 7 + i / 251 + 1);
  return out;
}

std::vector<std::uint8_t> joined(const Fpdu& fpdu, std::uint32_t from, std::uint32_t len) {
  std::vector<std::uint8_t> out;
  fpdu.for_each_span(from, len, [&](Bytes span) {
    BOOST_TEST(!span.empty());
    out.insert(out.end(), span.begin(), span.end());
  });
  return out;
}

std::vector<std::uint32_t> lengths() {
  std::vector<std::uint32_t> out;
  for (std::uint32_t len = 0; len <= 40; ++len) out.push_back(len);
  for (const std::uint32_t len : {100U, 484U, 488U, 490U, 491U, 492U,  493U,  494U,  500U,  501U,  502U, 503U,
                                  506U, 508U, 510U, 512U, 998U, 1000U, 1001U, 1018U, 1442U, 2000U, 5000U}) {
    out.push_back(len);
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fpdu)

//= MPA-5044-4.1-05, MPA-5044-4.1-09 test
BOOST_AUTO_TEST_CASE(lengths_without_markers) {
  static_assert(pad_len(0) == 2 && pad_len(1) == 1 && pad_len(2) == 0 && pad_len(3) == 3 && pad_len(65535) == 3);
  static_assert(unmarked_len(0) == 8 && unmarked_len(18) == 24 && unmarked_len(65535) == 65544);
  static_assert(max_fpdu_len == 66064 && max_num_markers == 130);
  BOOST_TEST(unmarked_len(14) == 20U);
}

// At every phase: so many Markers as a walk word by word meets, and so many octets.
//= MPA-5044-4.3-13 test
BOOST_AUTO_TEST_CASE(markers_are_counted) {
  for (std::uint32_t phase = 0; phase < 512; phase += 4) {
    for (const std::uint32_t len : lengths()) {
      const std::vector<std::uint8_t> octets = framed(pattern(len), {true, phase});
      const Fpdu walked = laid_out(octets, {true, phase});
      BOOST_REQUIRE_MESSAGE(walked.is_whole(), "phase " << phase << " length " << len);
      BOOST_REQUIRE_MESSAGE(num_markers(len, phase) == walked.num_markers, "phase " << phase << " length " << len);
      BOOST_REQUIRE(walked.num_wrong_markers == 0U);
      BOOST_REQUIRE((walked.crc.status == CrcStatus::good));
    }
  }
  for (const std::uint32_t phase : {0U, 4U, 256U, 508U}) {
    BOOST_TEST(num_markers(65535, phase) == laid_out(framed(pattern(65535), {true, phase}), {true, phase}).num_markers);
  }
}

// RFC 5044, 4.3: an FPDU that ends on the boundary has none after it.
//= MPA-5044-4.3-13 test
BOOST_AUTO_TEST_CASE(markers_at_the_edges) {
  // The FPDU of a ULPDU of 42 octets has 48.
  static_assert(num_markers(42, 512 - 48) == 0);
  static_assert(num_markers(42, 512 - 44) == 1);  // right before the CRC
  static_assert(num_markers(42, 508) == 1);
  static_assert(num_markers(42, 0) == 1);
  static_assert(num_markers(502, 0) == 1 && num_markers(503, 0) == 2);
  BOOST_TEST(num_markers(1018, 256) == 2U);
}

//= MPA-5044-4.3-14 test
BOOST_AUTO_TEST_CASE(spans_are_the_ulpdu) {
  for (std::uint32_t phase = 0; phase < 512; phase += 4) {
    for (const std::uint32_t len : lengths()) {
      const std::vector<std::uint8_t> ulpdu = pattern(len);
      const std::vector<std::uint8_t> octets = framed(ulpdu, {true, phase});
      const Fpdu fpdu = laid_out(octets, {true, phase});
      BOOST_REQUIRE_MESSAGE(joined(fpdu, 0, len) == ulpdu, "phase " << phase << " length " << len);
    }
  }
}

BOOST_AUTO_TEST_CASE(spans_of_a_part) {
  const std::vector<std::uint8_t> ulpdu = pattern(1600);
  for (const std::uint32_t phase : {0U, 4U, 400U, 508U}) {
    const std::vector<std::uint8_t> octets = framed(ulpdu, {true, phase});
    const Fpdu fpdu = laid_out(octets, {true, phase});
    for (std::uint32_t from = 0; from <= 1600; from += 37) {
      for (const std::uint32_t len : {0U, 1U, 110U, 512U, 1600U, 0xFFFFFFFFU}) {
        const auto begin = ulpdu.begin() + from;
        const std::vector<std::uint8_t> want(begin, begin + std::min(len, 1600 - from));
        BOOST_REQUIRE_MESSAGE(joined(fpdu, from, len) == want, "phase " << phase << " from " << from << " len " << len);
      }
    }
    BOOST_TEST(joined(fpdu, 1601, 5).empty());
  }
}

BOOST_AUTO_TEST_CASE(spans_end_where_the_capture_ends) {
  const std::vector<std::uint8_t> ulpdu = pattern(700);
  const std::vector<std::uint8_t> octets = framed(ulpdu, {true, 300});  // Markers at 212 and 724
  for (std::size_t n = 2; n <= octets.size(); ++n) {
    const Fpdu fpdu = laid_out(Bytes(octets).first(n), {true, 300});
    const std::vector<std::uint8_t> got = joined(fpdu, 0, 700);
    const std::size_t there = n < 212 ? n - 2 : n < 216 ? 210 : n - 6;
    const std::size_t want = std::min<std::size_t>(there, 700);
    BOOST_REQUIRE_MESSAGE(got.size() == want, n);
    BOOST_REQUIRE(std::equal(got.begin(), got.end(), ulpdu.begin()));
    BOOST_REQUIRE((fpdu.crc.status == (n == octets.size() ? CrcStatus::good : CrcStatus::unchecked)));
  }
}

BOOST_AUTO_TEST_CASE(a_head_is_copied_only_where_a_marker_interrupts_it) {
  std::vector<std::uint8_t> scratch(64, 0xA5);
  const std::vector<std::uint8_t> ulpdu = pattern(100);
  const std::vector<std::uint8_t> want(ulpdu.begin(), ulpdu.begin() + 64);
  for (std::uint32_t phase = 0; phase < 512; phase += 4) {
    std::ranges::fill(scratch, std::uint8_t{0xA5});
    const std::vector<std::uint8_t> octets = framed(ulpdu, {true, phase});
    const Bytes head = laid_out(octets, {true, phase}).head(scratch);
    BOOST_REQUIRE(std::ranges::equal(head, want));
    const std::uint32_t marker = 512 - phase;  // offset; the ULPDU's octet 64 lies at 66
    BOOST_TEST((head.data() == scratch.data()) == (phase != 0 && marker < 66), phase);
  }
  const std::vector<std::uint8_t> shorter = framed(pattern(10), {});
  BOOST_TEST(laid_out(shorter, {}).head(scratch).size() == 10U);
  BOOST_TEST(laid_out(Bytes(shorter).first(7), {}).head(scratch).size() == 5U);
  BOOST_TEST(laid_out(shorter, {}).head({}).empty());
}

BOOST_AUTO_TEST_CASE(no_marker_means_one_span) {
  const std::vector<std::uint8_t> octets = framed(pattern(3000), {});
  const Fpdu fpdu = laid_out(octets, {});
  int spans = 0;
  fpdu.for_each_span([&](Bytes span) {
    ++spans;
    BOOST_TEST(span.size() == 3000U);
    BOOST_TEST(span.data() == octets.data() + 2);
  });
  BOOST_TEST(spans == 1);
}

// RFC 5044, 4.5; the numbers are those of an independent model in Python.
//= MPA-5044-3-04, MPA-5044-4.5-01, MPA-5044-4.5-02, MPA-5044-4.5-07 test
BOOST_AUTO_TEST_CASE(mulpdu_by_emss) {
  struct Row {
    std::uint32_t emss;
    std::uint32_t with_markers;
    std::uint32_t without;
  };
  for (const Row& row : {Row{536, 522, 530}, Row{1448, 1430, 1442}, Row{1460, 1442, 1454}, Row{1461, 1442, 1454},
                         Row{1463, 1442, 1454}, Row{8960, 8882, 8954}, Row{100, 128, 128}, Row{0, 128, 128},
                         Row{65535, 64768, 64768}, Row{0xFFFFFFFF, 64768, 64768}}) {
    BOOST_TEST(mulpdu({row.emss}, true) == row.with_markers, row.emss);
    BOOST_TEST(mulpdu({row.emss}, false) == row.without, row.emss);
  }
}

// Its purpose: it fits wherever the Markers fall, and without them no longer one does.
BOOST_AUTO_TEST_CASE(mulpdu_fits_in_a_segment) {
  for (std::uint32_t emss = 160; emss < 9100; ++emss) {
    const std::uint32_t plain = mulpdu({emss}, false);
    BOOST_REQUIRE(plain == 128U || unmarked_len(plain) <= emss);
    BOOST_REQUIRE(plain == 128U || unmarked_len(plain + 1) > emss);
    const std::uint32_t marked = mulpdu({emss}, true);
    for (std::uint32_t phase = 0; phase < 512; phase += 4) {
      BOOST_REQUIRE(marked == 128U || unmarked_len(marked) + 4 * num_markers(marked, phase) <= emss);
    }
  }
}

//= MPA-5044-4.4-11 test
BOOST_AUTO_TEST_CASE(the_crc_field_has_the_least_significant_octet_first) {
  static_assert(mpa_crc_of(0x83992352) == 0x52239983);
  const std::vector<std::uint8_t> zeros(32, 0);
  BOOST_TEST(mpa_crc(zeros) == 0xAA36918AU);  // RFC 7143, A.4: aa 36 91 8a
}

BOOST_AUTO_TEST_SUITE_END()
