// What the operating system does not tell of a packet, found again.
#include "pcap/wire/ip_frames.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "codec/net/checksum.h"
#include "pcap/reader.h"

namespace rdmawire::wire {
namespace {

using Octets = std::vector<std::uint8_t>;

// The frames of a capture of Linux rxe over IPv4, whose identification counts.
std::vector<Octets> captured() {
  std::vector<Octets> out;
  auto reader = pcap::Reader::open("testdata/captures/rxe-rc-send-mtu+1.pcap");
  BOOST_REQUIRE(reader.has_value());
  for (;;) {
    const auto packet = reader->next();
    BOOST_REQUIRE(packet.has_value());
    if (!*packet) return out;
    const Bytes frame = (*packet)->data;
    if (udp_path_of(frame, IpFamily::four)) out.emplace_back(frame.begin(), frame.end());
  }
}

// As it would be without what a UDP socket does not tell.
Octets forgotten(Octets frame) {
  const auto header = std::span(frame).subspan(link_len).first<header_size<net::Ipv4>>();
  auto ip = decode<net::Ipv4>(header);
  ip.identification = 0;
  ip.dont_fragment = false;
  ip.checksum = 0;
  encode(ip, header);
  return frame;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ip_frames)

BOOST_AUTO_TEST_CASE(the_icrc_tells_the_identification) {
  std::size_t num_not_zero = 0;
  const auto frames = captured();
  for (const Octets& frame : frames) {
    Octets found = forgotten(frame);
    num_not_zero += found != frame;
    find_identification(found);
    BOOST_TEST(found == frame, boost::test_tools::per_element());
  }
  BOOST_TEST(frames.size() > 5U);
  BOOST_TEST(num_not_zero == frames.size());
}

BOOST_AUTO_TEST_CASE(a_damaged_packet_is_given_none) {
  const Octets frame = captured().front();
  std::size_t num_given = 0;
  for (std::size_t bit = (link_len + 20 + 8) * 8; bit < frame.size() * 8; ++bit) {
    Octets damaged = forgotten(frame);
    damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ 0x80U >> bit % 8);
    const Octets before = damaged;
    find_identification(damaged);
    const auto ip = decode<net::Ipv4>(std::span(damaged).subspan(link_len).first<header_size<net::Ipv4>>());
    num_given += ip.identification != 0;
    BOOST_TEST((net::check_ipv4(Bytes(damaged).subspan(link_len, 20)) == net::ChecksumStatus::good));
    BOOST_TEST(std::ranges::equal(std::span(damaged).subspan(link_len + 20), std::span(before).subspan(link_len + 20)));
  }
  // Those of the BTH's octet that the ICRC leaves out, where nothing is wrong; and by chance one of some 9,000.
  BOOST_TEST(num_given == 8U + 1U);
}

BOOST_AUTO_TEST_CASE(what_is_too_short_for_an_icrc_stays) {
  Octets frame = captured().front();
  frame.resize(link_len + 20 + 8 + 12 + 3);
  const Octets before = frame;
  find_identification(frame);
  BOOST_TEST(frame == before, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::wire
