#include "codec/net/checksum.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "codec/base/header_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::net;
using test::octets;

// The definition (RFC 1071, 1), one word at a time.
std::uint16_t defined_sum(Bytes data) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    sum += i % 2 == 0 ? std::uint32_t{data[i]} << 8 : std::uint32_t{data[i]};
    if (sum > 0xFFFF) sum -= 0xFFFF;
  }
  return static_cast<std::uint16_t>(sum);
}

std::uint16_t sum_of(Bytes data) {
  InternetChecksum sum;
  sum.add(data);
  return sum.sum();
}

constexpr Ipv4Address roce_v4{{192, 168, 0, 7}};  // both ends
constexpr Ipv6Address roce_v6_source{{0x20, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x23}};
constexpr Ipv6Address roce_v6_destination{{0x20, 0x23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x24}};

// Two RoCEv2 SENDs of scapy's test/contrib/roce.uts: UDP header to ICRC.
std::vector<std::uint8_t> roce_over_ipv4() {
  return octets("c00012b7002caca2 2460ffff000000d300cf1710 4630818be28935d90e9a95505401be885e500000 78f353f3");
}
std::vector<std::uint8_t> roce_over_ipv6() {
  return octets("c00012b7002ce7c5 2460ffff000000d300cf1710 4630818be28935d90e9a95505401be885e500000 3e5b743b");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(internet_checksum)

// RFC 1071, 3: the numerical example.
BOOST_AUTO_TEST_CASE(example_of_rfc_1071) {
  static constexpr std::array<std::uint8_t, 8> data{0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};
  static_assert([] {
    InternetChecksum sum;
    sum.add(data);
    return sum.sum() == 0xDDF2 && sum.checksum() == 0x220D;
  }());
  BOOST_TEST(sum_of(data) == 0xDDF2);
}

BOOST_AUTO_TEST_CASE(of_nothing_is_zero) {
  BOOST_TEST(sum_of({}) == 0);
  BOOST_TEST(InternetChecksum{}.checksum() == 0xFFFF);
}

BOOST_AUTO_TEST_CASE(every_length_equals_the_definition) {
  std::mt19937 random(1071);
  std::vector<std::uint8_t> data(300);
  for (auto& octet : data) octet = static_cast<std::uint8_t>(random());
  for (std::size_t length = 0; length <= data.size(); ++length) {
    BOOST_REQUIRE(sum_of(Bytes(data).first(length)) == defined_sum(Bytes(data).first(length)));
  }
  const std::vector<std::uint8_t> ones(70001, 0xFF);
  BOOST_TEST(sum_of(Bytes(ones).first(70000)) == 0xFFFF);
  BOOST_TEST(sum_of(ones) == 0xFF00);
}

BOOST_AUTO_TEST_CASE(pieces_of_any_length_sum_to_the_whole) {
  constexpr std::uint32_t seed = 1624;
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> data(random() % 200);
    for (auto& octet : data) octet = static_cast<std::uint8_t>(random());
    InternetChecksum sum;
    for (Bytes left = data; !left.empty();) {
      const std::size_t n = random() % (left.size() + 1);
      sum.add(left.first(n));
      left = left.subspan(n);
    }
    BOOST_REQUIRE_MESSAGE(sum.sum() == defined_sum(data), "seed " << seed << " round " << round);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ipv4_header_checksum)

// A CNP captured on a ConnectX-4 Lx (scapy's test/contrib/roce.uts).
BOOST_AUTO_TEST_CASE(of_a_captured_packet) {
  auto header = octets("45c2003c 718c4000 40119161 0a001101 0a001201");
  BOOST_TEST((check_ipv4(header) == ChecksumStatus::good));
  BOOST_TEST(ipv4_checksum(header) == 0x9161);
  header[8] = 63;  // time to live, as a router that forgot the checksum
  BOOST_TEST((check_ipv4(header) == ChecksumStatus::bad));
  BOOST_TEST(ipv4_checksum(header) == 0x9261);
}

// scapy: IP(tos=0xba, id=0x1234, flags='MF', frag=185, ttl=17, options=[router alert])
BOOST_AUTO_TEST_CASE(covers_options) {
  auto header = octets("46ba0019 123420b9 1100cd37 0a000001 0a000002 94040000");
  BOOST_TEST((check_ipv4(header) == ChecksumStatus::good));
  BOOST_TEST(ipv4_checksum(header) == 0xCD37);
  BOOST_TEST((check_ipv4(Bytes(header).first(20)) == ChecksumStatus::bad));
}

BOOST_AUTO_TEST_CASE(zeros_have_no_checksum) {
  BOOST_TEST((check_ipv4(std::array<std::uint8_t, 20>{}) == ChecksumStatus::bad));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(udp_checksum_over)

BOOST_AUTO_TEST_CASE(ipv4) {
  auto datagram = roce_over_ipv4();
  BOOST_TEST((check_udp(roce_v4, roce_v4, datagram) == ChecksumStatus::good));
  BOOST_TEST(udp_checksum(roce_v4, roce_v4, datagram) == 0xACA2);
  datagram[20] ^= 1U;
  BOOST_TEST((check_udp(roce_v4, roce_v4, datagram) == ChecksumStatus::bad));
  datagram[20] ^= 1U;
  BOOST_TEST((check_udp(roce_v4, Ipv4Address{{192, 168, 0, 8}}, datagram) == ChecksumStatus::bad));
}

BOOST_AUTO_TEST_CASE(ipv6) {
  auto datagram = roce_over_ipv6();
  BOOST_TEST((check_udp(roce_v6_source, roce_v6_destination, datagram) == ChecksumStatus::good));
  BOOST_TEST(udp_checksum(roce_v6_source, roce_v6_destination, datagram) == 0xE7C5);
  datagram.back() ^= 0x80U;
  BOOST_TEST((check_udp(roce_v6_source, roce_v6_destination, datagram) == ChecksumStatus::bad));
}

// scapy: IP(src='10.0.0.1', dst='10.0.0.2')/UDP(sport=49374, dport=1234)/b'hello'
BOOST_AUTO_TEST_CASE(an_odd_number_of_octets) {
  const auto datagram = octets("c0de04d2000de24e 68656c6c6f");
  constexpr Ipv4Address source{{10, 0, 0, 1}};
  constexpr Ipv4Address destination{{10, 0, 0, 2}};
  BOOST_TEST((check_udp(source, destination, datagram) == ChecksumStatus::good));
  BOOST_TEST(udp_checksum(source, destination, datagram) == 0xE24E);
}

BOOST_AUTO_TEST_CASE(nothing_when_the_field_is_zero) {
  auto datagram = roce_over_ipv4();
  datagram[6] = 0;
  datagram[7] = 0;
  BOOST_TEST((check_udp(roce_v4, roce_v4, datagram) == ChecksumStatus::absent));
  BOOST_TEST(udp_checksum(roce_v4, roce_v4, datagram) == 0xACA2);
}

// Zero says that there is none, so a sum of zero is sent as ones (RFC 768). The payload is chosen for it.
BOOST_AUTO_TEST_CASE(a_computed_zero_is_sent_as_ones) {
  auto datagram = octets("03e807d0000a0000 e01f");
  constexpr Ipv4Address source{{10, 0, 0, 1}};
  constexpr Ipv4Address destination{{10, 0, 0, 2}};
  BOOST_TEST(udp_checksum(source, destination, datagram) == 0xFFFF);
  datagram[6] = 0xFF;
  datagram[7] = 0xFF;
  BOOST_TEST((check_udp(source, destination, datagram) == ChecksumStatus::good));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tcp_checksum_over)

// The SYN of ibv_rc_pingpong's own connection, captured on Linux 6.1.
BOOST_AUTO_TEST_CASE(a_captured_segment) {
  auto segment = octets("a0d84853 14a3ac81 00000000 a002faf0 8be00000 020405b4 0402080a 77ae8a94 00000000 01030306");
  constexpr Ipv4Address client{{10, 77, 0, 1}};
  constexpr Ipv4Address server{{10, 77, 0, 2}};
  BOOST_TEST((check_tcp(client, server, segment) == ChecksumStatus::good));
  BOOST_TEST(tcp_checksum(client, server, segment) == 0x8BE0);
  segment[13] = 0x12;
  BOOST_TEST((check_tcp(client, server, segment) == ChecksumStatus::bad));
}

BOOST_AUTO_TEST_SUITE_END()
