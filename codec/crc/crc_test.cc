#include "codec/crc/crc.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

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

std::uint32_t zlib_crc32(Bytes data) { return static_cast<std::uint32_t>(::crc32_z(0, data.data(), data.size())); }

}  // namespace

BOOST_AUTO_TEST_SUITE(crc_of_every_length_and_offset)

BOOST_AUTO_TEST_CASE(equals_the_definition_and_zlib) {
  const auto buffer = random_octets(4096 + 63, 20261129);
  for (std::size_t offset = 0; offset < 64; ++offset) {
    std::uint32_t state32 = 0xFFFFFFFF;
    std::uint32_t state32c = 0xFFFFFFFF;
    std::uint16_t state16 = 0xFFFF;
    for (std::size_t length = 0; length <= 4096; ++length) {
      const Bytes data = Bytes(buffer).subspan(offset, length);
      if (length > 0) {
        state32 = step<std::uint32_t>(state32, data.back(), 0xEDB88320);
        state32c = step<std::uint32_t>(state32c, data.back(), 0x82F63B78);
        state16 = step<std::uint16_t>(state16, data.back(), 0xD008);
      }
      const std::uint32_t want32 = ~state32;
      const std::uint32_t want32c = ~state32c;
      const auto want16 = static_cast<std::uint16_t>(~state16);
      if (zlib_crc32(data) != want32 || crc::crc32(data) != want32 || crc::portable::crc32(data) != want32 ||
          crc::crc32c(data) != want32c || crc::portable::crc32c(data) != want32c || crc::crc16_100b(data) != want16) {
        BOOST_FAIL("offset " << offset << " length " << length);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(of_nothing_is_zero_and_changes_nothing) {
  BOOST_TEST(crc::crc32({}) == 0U);
  BOOST_TEST(crc::crc32c({}) == 0U);
  BOOST_TEST(crc::crc16_100b({}) == 0U);
  BOOST_TEST(crc::crc32({}, 0x12345678) == 0x12345678U);
  BOOST_TEST(crc::crc32c({}, 0x12345678) == 0x12345678U);
  BOOST_TEST(crc::crc16_100b({}, 0x1234) == 0x1234U);
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
      BOOST_REQUIRE(crc::portable::crc32(c, crc::crc32(b, crc::portable::crc32(a))) == crc::crc32(whole));
    }
  }
}

#ifndef RDMAWIRE_WITHOUT_ISAL
// ISA-L's CRC-32C counts in an int. The expected values come from the matrix that one zero bit applies to the register,
// raised to the power of the length. The memory is 256 KiB of zeros, mapped again and again.
BOOST_AUTO_TEST_CASE(counts_beyond_an_int) {
  constexpr std::size_t length = (std::size_t{1} << 31) + 5;
  constexpr std::size_t once = std::size_t{1} << 18;
  const int zeros = memfd_create("zeros", 0);
  BOOST_REQUIRE(zeros >= 0);
  BOOST_REQUIRE(ftruncate(zeros, once) == 0);
  void* memory = mmap(nullptr, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  BOOST_REQUIRE(memory != MAP_FAILED);
  auto* first = static_cast<std::uint8_t*>(memory);
  for (std::size_t at = 0; at + once <= length; at += once) {
    BOOST_REQUIRE(mmap(first + at, once, PROT_READ, MAP_SHARED | MAP_FIXED, zeros, 0) == first + at);
  }
  const Bytes data(first, length);
  BOOST_TEST(crc::crc32c(data) == 0x572A7C8AU);
  BOOST_TEST(crc::crc32(data) == 0xC70C0FB9U);
  munmap(memory, length);
  close(zeros);
}
#endif

BOOST_AUTO_TEST_CASE(engine_is_named) {
#ifdef RDMAWIRE_WITHOUT_ISAL
  BOOST_TEST(crc::engine == "portable");
#else
  BOOST_TEST(crc::engine == "ISA-L");
#endif
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(published_vectors)

BOOST_AUTO_TEST_CASE(crc32c_of_rfc_3720_b4) {
  std::array<std::uint8_t, 32> data{};
  BOOST_TEST(crc::crc32c(data) == 0x8A9136AAU);
  data.fill(0xFF);
  BOOST_TEST(crc::crc32c(data) == 0x62A8AB43U);
  for (std::size_t i = 0; i < 32; ++i) data[i] = static_cast<std::uint8_t>(i);
  BOOST_TEST(crc::crc32c(data) == 0x46DD794EU);
  for (std::size_t i = 0; i < 32; ++i) data[i] = static_cast<std::uint8_t>(31 - i);
  BOOST_TEST(crc::crc32c(data) == 0x113FDB5CU);
  constexpr std::array<std::uint8_t, 48> iscsi_read{0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,
                                                    0x14, 0,    0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
                                                    0x28, 0,    0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0, 0, 0, 0};
  BOOST_TEST(crc::crc32c(iscsi_read) == 0xD9963A56U);
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
