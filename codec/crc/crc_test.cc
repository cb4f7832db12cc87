#include "codec/crc/crc.h"

#include <isa-l/crc.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace rdmawire;

// The published check value of a CRC is that of these nine octets.
constexpr std::array<std::uint8_t, 9> digits{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
static_assert(crc::crc32(digits) == 0xCBF43926);
static_assert(crc::crc32c(digits) == 0xE3069283);

// RFC 7143, A.4 (and RFC 3720, B.4, which it repeats).
constexpr std::array<std::uint8_t, 32> zeros{};
constexpr auto ones = [] {
  std::array<std::uint8_t, 32> out{};
  out.fill(0xFF);
  return out;
}();
constexpr auto ascending = [] {
  std::array<std::uint8_t, 32> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i);
  return out;
}();
constexpr auto descending = [] {
  std::array<std::uint8_t, 32> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(31 - i);
  return out;
}();
constexpr std::array<std::uint8_t, 48> iscsi_read{0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,
                                                  0x14, 0,    0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
                                                  0x28, 0,    0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0, 0, 0, 0};
static_assert(crc::crc32c(zeros) == 0x8A9136AA);
static_assert(crc::crc32c(ones) == 0x62A8AB43);
static_assert(crc::crc32c(ascending) == 0x46DD794E);
static_assert(crc::crc32c(descending) == 0x113FDB5C);
static_assert(crc::crc32c(iscsi_read) == 0xD9963A56);
// Not published for 0x100B: computed bit by bit from the parameters that the sample packets below confirm.
static_assert(crc::crc16_100b(digits) == 0x0A3D);
static_assert(crc::crc32(Bytes(digits).subspan(5), crc::crc32(Bytes(digits).first(5))) == 0xCBF43926);

// One octet more, from the definition and bit by bit; the register is not inverted.
template <class Word>
Word step(Word state, std::uint8_t octet, Word reflected_polynomial) {
  state = static_cast<Word>(state ^ octet);
  for (int bit = 0; bit < 8; ++bit) {
    const bool low = (state & 1U) != 0;
    state = static_cast<Word>(state >> 1);
    if (low) state = static_cast<Word>(state ^ reflected_polynomial);
  }
  return state;
}

std::vector<std::uint8_t> random_octets(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> out(n);
  for (auto& octet : out) octet = static_cast<std::uint8_t>(random());
  return out;
}

// ISA-L neither inverts, nor takes a pointer to const although it only reads.
std::uint32_t isal_crc32c(Bytes data) {
  return ~::crc32_iscsi(const_cast<std::uint8_t*>(data.data()), static_cast<int>(data.size()), 0xFFFFFFFF);
}

std::uint32_t zlib_crc32(Bytes data) { return static_cast<std::uint32_t>(::crc32_z(0, data.data(), data.size())); }

}  // namespace

BOOST_AUTO_TEST_SUITE(crc_of_every_length_and_offset)

// 1100 covers the ways that the engines begin and end and several rounds of the loops between, but for the longest
// parts of the CRC-32C instruction's engine (3 * 4096).
BOOST_AUTO_TEST_CASE(equals_the_definition_and_zlib) {
  const auto buffer = random_octets(13500 + 63, 20261129);
  for (std::size_t offset = 0; offset < 64; ++offset) {
    std::uint32_t state32 = 0xFFFFFFFF;
    std::uint32_t state32c = 0xFFFFFFFF;
    std::uint16_t state16 = 0xFFFF;
    const std::size_t longest = offset == 54 ? 13500 : 1100;
    for (std::size_t length = 0; length <= longest; ++length) {
      const Bytes data = Bytes(buffer).subspan(offset, length);
      if (length > 0) {
        state32 = step<std::uint32_t>(state32, data.back(), 0xEDB88320);
        state32c = step<std::uint32_t>(state32c, data.back(), 0x82F63B78);
        state16 = step<std::uint16_t>(state16, data.back(), 0xD008);
      }
      const std::uint32_t want32 = ~state32;
      const std::uint32_t want32c = ~state32c;
      const auto want16 = static_cast<std::uint16_t>(~state16);
      bool good = zlib_crc32(data) == want32 && crc::crc32(data) == want32 && isal_crc32c(data) == want32c &&
                  crc::crc32c(data) == want32c && crc::crc16_100b(data) == want16;
      for (const crc::Engine& engine : crc::engines()) {
        good = good && engine.crc32(data, 0) == want32 && engine.crc32c(data, 0) == want32c;
      }
      if (!good) BOOST_FAIL("offset " << offset << " length " << length);
    }
  }
}

// Each in memory of its own and just as long, so that AddressSanitizer sees a read before or behind it.
BOOST_AUTO_TEST_CASE(reads_nothing_else) {
  const auto buffer = random_octets(1100, 5);
  for (std::size_t length = 0; length <= buffer.size(); ++length) {
    const std::vector<std::uint8_t> exact(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(length));
    for (const crc::Engine& engine : crc::engines()) {
      BOOST_REQUIRE_MESSAGE(engine.crc32(exact, 0) == zlib_crc32(exact), engine.name << " length " << length);
      BOOST_REQUIRE_MESSAGE(engine.crc32c(exact, 0) == isal_crc32c(exact), engine.name << " length " << length);
    }
  }
}

// Intrinsics are not what AddressSanitizer looks at with every compiler: here the page before and the one behind may
// not be read.
BOOST_AUTO_TEST_CASE(reads_no_page_but_its_own) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  BOOST_REQUIRE(memory != MAP_FAILED);
  std::uint8_t* const first = static_cast<std::uint8_t*>(memory) + page;
  BOOST_REQUIRE(mprotect(first, page, PROT_READ | PROT_WRITE) == 0);
  const auto octets = random_octets(page, 6);
  std::copy(octets.begin(), octets.end(), first);
  for (std::size_t length = 0; length <= 600; ++length) {
    for (const Bytes data : {Bytes(first, length), Bytes(first + page - length, length)}) {
      for (const crc::Engine& engine : crc::engines()) {
        BOOST_REQUIRE_MESSAGE(engine.crc32(data, 0) == zlib_crc32(data), engine.name << " length " << length);
        BOOST_REQUIRE_MESSAGE(engine.crc32c(data, 0) == isal_crc32c(data), engine.name << " length " << length);
      }
    }
  }
  munmap(memory, 3 * page);
}

BOOST_AUTO_TEST_CASE(of_nothing_is_zero_and_changes_nothing) {
  BOOST_TEST(crc::crc32({}) == 0U);
  BOOST_TEST(crc::crc32c({}) == 0U);
  BOOST_TEST(crc::crc16_100b({}) == 0U);
  BOOST_TEST(crc::crc32({}, 0x12345678) == 0x12345678U);
  BOOST_TEST(crc::crc32c({}, 0x12345678) == 0x12345678U);
  BOOST_TEST(crc::crc16_100b({}, 0x1234) == 0x1234U);
  for (const crc::Engine& engine : crc::engines()) {
    BOOST_TEST(engine.crc32({}, 0x12345678) == 0x12345678U);
    BOOST_TEST(engine.crc32c({}, 0x12345678) == 0x12345678U);
  }
}

BOOST_AUTO_TEST_CASE(chains_at_any_split) {
  constexpr std::uint32_t seed = 7;
  std::mt19937 random(seed);
  const auto buffer = random_octets(5000, 8);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t length = random() % buffer.size();
    const std::size_t first = random() % (length + 1);
    const std::size_t second = first + random() % (length - first + 1);
    const Bytes whole = Bytes(buffer).first(length);
    const Bytes a = whole.first(first);
    const Bytes b = whole.subspan(first, second - first);
    const Bytes c = whole.subspan(second);
    BOOST_TEST_CONTEXT("seed " << seed << " round " << i << " length " << length << " splits " << first << ' '
                               << second) {
      BOOST_REQUIRE(crc::crc32(c, crc::crc32(b, crc::crc32(a))) == crc::crc32(whole));
      BOOST_REQUIRE(crc::crc32c(c, crc::crc32c(b, crc::crc32c(a))) == crc::crc32c(whole));
      BOOST_REQUIRE(crc::crc16_100b(c, crc::crc16_100b(b, crc::crc16_100b(a))) == crc::crc16_100b(whole));
      // Also from one engine to another.
      for (const crc::Engine& engine : crc::engines()) {
        BOOST_REQUIRE(engine.crc32(c, crc::portable::crc32(b, engine.crc32(a, 0))) == crc::crc32(whole));
        BOOST_REQUIRE(engine.crc32c(c, crc::portable::crc32c(b, engine.crc32c(a, 0))) == crc::crc32c(whole));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(engines_begin_with_the_portable_one) {
  BOOST_TEST(crc::engines().front().name == "portable");
  for (const crc::Engine& engine : crc::engines()) BOOST_TEST_MESSAGE("engine " << engine.name);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(published_vectors)

BOOST_AUTO_TEST_CASE(crc32c_of_rfc_7143_a4_by_every_engine) {
  for (const crc::Engine& engine : crc::engines()) {
    BOOST_TEST_CONTEXT(engine.name) {
      BOOST_TEST(engine.crc32c(digits, 0) == 0xE3069283U);
      BOOST_TEST(engine.crc32c(zeros, 0) == 0x8A9136AAU);
      BOOST_TEST(engine.crc32c(ones, 0) == 0x62A8AB43U);
      BOOST_TEST(engine.crc32c(ascending, 0) == 0x46DD794EU);
      BOOST_TEST(engine.crc32c(descending, 0) == 0x113FDB5CU);
      BOOST_TEST(engine.crc32c(iscsi_read, 0) == 0xD9963A56U);
    }
  }
}

// Heads around the 64 octets of a block, tails of every length modulo 64.
BOOST_AUTO_TEST_CASE(crc32c_copying_leaves_head_and_tail_and_gives_their_crc) {
  constexpr std::uint32_t seed = 1460;
  std::mt19937 random(seed);
  std::vector<std::uint8_t> source(1600);
  for (auto& octet : source) octet = static_cast<std::uint8_t>(random());
  for (std::size_t head_len = 0; head_len <= 130; head_len += head_len < 70 ? 1 : 20) {
    for (std::size_t tail_len = 0; tail_len <= 1500; tail_len += tail_len < 400 ? 1 : 65) {
      const Bytes tail = Bytes(source).subspan(random() % 64, tail_len);
      const auto previous = static_cast<std::uint32_t>(random());
      // A guard on both sides.
      std::vector<std::uint8_t> start(head_len + tail_len + 2, 0x5A);
      for (std::size_t i = 0; i < head_len; ++i) start[1 + i] = static_cast<std::uint8_t>(random());
      std::vector<std::uint8_t> want = start;
      std::copy(tail.begin(), tail.end(), want.begin() + 1 + static_cast<std::ptrdiff_t>(head_len));
      const std::uint32_t expected = crc::portable::crc32c(Bytes(want).subspan(1, head_len + tail_len), previous);
      BOOST_TEST_CONTEXT("seed " << seed << " head " << head_len << " tail " << tail_len) {
        for (const crc::Engine& engine : crc::engines()) {
          std::vector<std::uint8_t> out = start;
          const MutableBytes whole = MutableBytes(out).subspan(1, head_len + tail_len);
          BOOST_REQUIRE_MESSAGE(engine.crc32c_copying(whole, tail, previous) == expected, engine.name);
          BOOST_REQUIRE_MESSAGE(out == want, engine.name);
        }
        BOOST_REQUIRE(crc::crc32c_copying(MutableBytes(start).subspan(1, head_len + tail_len), tail, previous) ==
                      expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(crc32_check_value_by_every_engine) {
  for (const crc::Engine& engine : crc::engines()) {
    BOOST_TEST_CONTEXT(engine.name) { BOOST_TEST(engine.crc32(digits, 0) == 0xCBF43926U); }
  }
}

// A table entry is what one octet leaves in a register of zero; these eight stand in Mellanox's MPGA sources.
BOOST_AUTO_TEST_CASE(crc16_table_of_mpga) {
  constexpr std::array<std::uint16_t, 8> want{0x4B07, 0x50A6, 0x7C45, 0x67E4, 0x2583, 0x3E22, 0x12C1, 0x0960};
  for (std::size_t i = 0; i < want.size(); ++i) {
    const std::array<std::uint8_t, 1> octet{static_cast<std::uint8_t>(248 + i)};
    // previous 0xFFFF is a register of zero, and the result is inverted.
    BOOST_TEST(static_cast<std::uint16_t>(~crc::crc16_100b(octet, 0xFFFF)) == want[i]);
  }
}

// A sample packet of IBTA vol. 1 (RC RDMA WRITE ONLY, as in MPGA's packet_append.c): LRH to ICRC, VCRC 45 fa.
BOOST_AUTO_TEST_CASE(variant_crc_of_a_sample_packet) {
  constexpr std::array<std::uint8_t, 56> packet{
      0x70, 0x12, 0x37, 0x5C, 0x00, 0x0E, 0x17, 0xD2, 0x0A, 0x20, 0x24, 0x87, 0x00, 0x87, 0xB1, 0xB3, 0x00, 0x0D, 0xEC,
      0x2A, 0x01, 0x71, 0x0A, 0x1C, 0x01, 0x5D, 0x40, 0x02, 0x38, 0xF2, 0x7A, 0x05, 0x00, 0x00, 0x00, 0x0E, 0xBB, 0x88,
      0x4D, 0x85, 0xFD, 0x5C, 0xFB, 0xA4, 0x72, 0x8B, 0xC0, 0x69, 0x0E, 0xD4, 0x00, 0x00, 0x96, 0x25, 0xB7, 0x5A};
  BOOST_TEST(crc::crc16_100b(packet) == 0xFA45U);
}

BOOST_AUTO_TEST_CASE(link_packet_crc_of_a_flow_control_packet) {
  constexpr std::array<std::uint8_t, 4> packet{0x01, 0x23, 0x24, 0x56};  // on the wire 6a 84 follow
  BOOST_TEST(crc::crc16_100b(packet) == 0x846AU);
}

BOOST_AUTO_TEST_SUITE_END()
