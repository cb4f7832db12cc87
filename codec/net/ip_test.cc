#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string_view>

#include "codec/base/header_test.h"
#include "codec/net/net.h"

// Texts and values were compared with tshark 4.0.17 -T fields on the same octets.

namespace {

using namespace rdmawire;
using namespace rdmawire::net;
using test::check_header;
using test::decoded;
using test::texts;

}  // namespace

BOOST_AUTO_TEST_SUITE(ipv4)

// A CNP captured on a ConnectX-4 Lx (scapy's test/contrib/roce.uts).
BOOST_AUTO_TEST_CASE(header_of_a_captured_packet) {
  constexpr std::string_view hex = "45c2003c 718c4000 40119161 0a001101 0a001201";
  check_header<Ipv4>(hex, [](const Ipv4& ip) {
    BOOST_TEST(ip.version == 4);
    BOOST_TEST(ip.ihl == 5);
    BOOST_TEST(ip.traffic_class.dscp() == 48);
    BOOST_TEST((ip.traffic_class.ecn() == Ecn::capable_0));
    BOOST_TEST(ip.total_length == 60);
    BOOST_TEST(ip.identification == 0x718C);
    BOOST_TEST(!ip.reserved_flag);
    BOOST_TEST(ip.dont_fragment);
    BOOST_TEST(!ip.more_fragments);
    BOOST_TEST(ip.fragment_offset == 0);
    BOOST_TEST(ip.time_to_live == 64);
    BOOST_TEST((ip.protocol == IpProtocol::udp));
    BOOST_TEST(ip.checksum == 0x9161);
    BOOST_TEST((ip.source == Ipv4Address{{10, 0, 17, 1}}));
    BOOST_TEST((ip.destination == Ipv4Address{{10, 0, 18, 1}}));
    BOOST_TEST(!ip.is_fragment());
    BOOST_TEST(full_size(ip) == 20U);
    BOOST_TEST(options_size(ip) == 0U);
  });
  BOOST_TEST(texts<Ipv4>(hex) ==
             "ip.version=4 rdma.ip.ihl=5 ip.dsfield=0xc2 ip.dsfield.dscp=48 ip.dsfield.ecn=2 ip.len=60 ip.id=0x718c "
             "ip.flags=0x02 ip.flags.rb=0 ip.flags.df=1 ip.flags.mf=0 ip.frag_offset=0 ip.ttl=64 ip.proto=17 "
             "ip.checksum=0x9161 ip.src=10.0.17.1 ip.dst=10.0.18.1");
}

// scapy: IP(tos=0xba, id=0x1234, flags='MF', frag=185, ttl=17, options=[router alert])
BOOST_AUTO_TEST_CASE(fragment_with_options) {
  constexpr std::string_view hex = "46ba0019 123420b9 1100cd37 0a000001 0a000002";
  const auto ip = decoded<Ipv4>(hex);
  BOOST_TEST(ip.is_fragment());
  BOOST_TEST(full_size(ip) == 24U);
  BOOST_TEST(options_size(ip) == 4U);
  BOOST_TEST(texts<Ipv4>(hex) ==
             "ip.version=4 rdma.ip.ihl=6 ip.dsfield=0xba ip.dsfield.dscp=46 ip.dsfield.ecn=2 ip.len=25 ip.id=0x1234 "
             "ip.flags=0x01 ip.flags.rb=0 ip.flags.df=0 ip.flags.mf=1 ip.frag_offset=185 ip.ttl=17 ip.proto=0 "
             "ip.checksum=0xcd37 ip.src=10.0.0.1 ip.dst=10.0.0.2");
}

// scapy: IP(flags=5, id=1, proto=253)
BOOST_AUTO_TEST_CASE(reserved_flag_is_kept) {
  const auto ip = decoded<Ipv4>("45000015 0001a000 40fdc5e8 0a000001 0a000002");
  BOOST_TEST(ip.reserved_flag);
  BOOST_TEST(!ip.dont_fragment);
  BOOST_TEST(ip.more_fragments);
  BOOST_TEST(ip.is_fragment());
}

BOOST_AUTO_TEST_CASE(last_fragment_is_one_too) {
  Ipv4 ip;
  BOOST_TEST(!ip.is_fragment());
  ip.fragment_offset = 1;
  BOOST_TEST(ip.is_fragment());
}

BOOST_AUTO_TEST_CASE(header_length_too_small_has_no_options) {
  Ipv4 ip;
  ip.ihl = 4;
  BOOST_TEST(full_size(ip) == 16U);
  BOOST_TEST(options_size(ip) == 0U);
  ip.ihl = 15;
  BOOST_TEST(options_size(ip) == 40U);
}

BOOST_AUTO_TEST_CASE(traffic_class_is_dscp_and_ecn) {
  static_assert(TrafficClass::of(46, Ecn::capable_0) == TrafficClass{0xBA});
  static_assert(TrafficClass::of(63, Ecn::congestion_experienced).value == 0xFF);
  BOOST_TEST(name_of(TrafficClass{0xBA}.ecn()) == "ECT(0)");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ipv6)

// A RoCEv2 SEND of scapy's test/contrib/roce.uts.
BOOST_AUTO_TEST_CASE(header_of_a_roce_packet) {
  constexpr std::string_view hex =
      "6e21face 002c11ff 20220000000000000000000000001023 20230000000000000000000000001024";
  check_header<Ipv6>(hex, [](const Ipv6& ip) {
    BOOST_TEST(ip.version == 6);
    BOOST_TEST(ip.traffic_class.value == 0xE2);
    BOOST_TEST(ip.traffic_class.dscp() == 56);
    BOOST_TEST((ip.traffic_class.ecn() == Ecn::capable_0));
    BOOST_TEST(ip.flow_label == 0x1FACEU);
    BOOST_TEST(ip.payload_length == 44);
    BOOST_TEST((ip.next_header == IpProtocol::udp));
    BOOST_TEST(ip.hop_limit == 255);
    BOOST_TEST((ip.source == Ipv6Address{{0x20, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x23}}));
    BOOST_TEST((ip.destination == Ipv6Address{{0x20, 0x23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x24}}));
  });
}

// scapy: IPv6(tc=0xb9, fl=0xabcde, hlim=63)/...
BOOST_AUTO_TEST_CASE(texts_are_those_of_tshark) {
  BOOST_TEST(texts<Ipv6>("6b9abcde 004a003f 20010db8000000000000000000000001 20010db8000000000000000000000002") ==
             "ipv6.version=6 ipv6.tclass=0x000000b9 ipv6.tclass.dscp=46 ipv6.tclass.ecn=1 ipv6.flow=0x0abcde "
             "ipv6.plen=74 ipv6.nxt=0 ipv6.hlim=63 ipv6.src=2001:db8::1 ipv6.dst=2001:db8::2");
}

BOOST_AUTO_TEST_CASE(protocols_have_names) {
  BOOST_TEST(name_of(IpProtocol{17}) == "UDP");
  BOOST_TEST(name_of(IpProtocol{0}) == "IPv6 hop-by-hop options");
  BOOST_TEST(name_of(IpProtocol{253}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ipv6_extension_headers)

// Of a multicast listener report that Linux 6.1 sent, captured: 3a 00, router alert.
BOOST_AUTO_TEST_CASE(hop_by_hop_of_a_captured_packet) {
  check_header<Ipv6HopByHop>("3a00", [](const Ipv6HopByHop& header) {
    BOOST_TEST((header.next_header == IpProtocol::icmpv6));
    BOOST_TEST(header.length == 0);
    BOOST_TEST(full_size(header) == 8U);
    BOOST_TEST(options_size(header) == 6U);
  });
  check_header<Ipv6Extension>("3a00", [](const Ipv6Extension& header) {
    BOOST_TEST((header.next_header == IpProtocol::icmpv6));
    BOOST_TEST(header.length == 0);
  });
  BOOST_TEST(texts<Ipv6HopByHop>("3a00") == "ipv6.hopopts.nxt=58 ipv6.hopopts.len=0");
  BOOST_TEST(texts<Ipv6Extension>("3a00") == "rdma.ipv6_ext.nxt=58 rdma.ipv6_ext.len=0");
}

// scapy: IPv6ExtHdrRouting(addresses=[two], segleft=1)/IPv6ExtHdrDestOpt(options=[PadN of 12])
BOOST_AUTO_TEST_CASE(routing_and_destination_options) {
  check_header<Ipv6Routing>("3c040001", [](const Ipv6Routing& header) {
    BOOST_TEST((header.next_header == IpProtocol::destination_options));
    BOOST_TEST(header.length == 4);
    BOOST_TEST(header.type == 0);
    BOOST_TEST(header.segments_left == 1);
    BOOST_TEST(full_size(header) == 40U);
    BOOST_TEST(options_size(header) == 36U);
  });
  BOOST_TEST(texts<Ipv6Routing>("3c040001") ==
             "ipv6.routing.nxt=60 ipv6.routing.len=4 ipv6.routing.type=0 ipv6.routing.segleft=1");
  check_header<Ipv6DestinationOptions>("1101", [](const Ipv6DestinationOptions& header) {
    BOOST_TEST((header.next_header == IpProtocol::udp));
    BOOST_TEST(header.length == 1);
    BOOST_TEST(full_size(header) == 16U);
    BOOST_TEST(options_size(header) == 14U);
  });
  BOOST_TEST(texts<Ipv6DestinationOptions>("1101") == "ipv6.dstopts.nxt=17 ipv6.dstopts.len=1");
}

// scapy: IPv6ExtHdrFragment(nh=17, offset=173, m=1, id=0xdeadbeef, res1=0x5a, res2=2)
BOOST_AUTO_TEST_CASE(fragment) {
  constexpr std::string_view hex = "115a056d deadbeef";
  check_header<Ipv6Fragment>(hex, [](const Ipv6Fragment& header) {
    BOOST_TEST((header.next_header == IpProtocol::udp));
    BOOST_TEST(header.reserved8 == 0x5A);
    BOOST_TEST(header.offset == 173);
    BOOST_TEST(header.reserved2 == 2);
    BOOST_TEST(header.more_fragments);
    BOOST_TEST(header.identification == 0xDEADBEEFU);
    BOOST_TEST(header.is_fragment());
  });
  BOOST_TEST(texts<Ipv6Fragment>(hex) ==
             "ipv6.fraghdr.nxt=17 ipv6.fraghdr.reserved_octet=0x5a ipv6.fraghdr.offset=173 "
             "ipv6.fraghdr.reserved_bits=2 ipv6.fraghdr.more=1 ipv6.fraghdr.ident=0xdeadbeef");
  BOOST_TEST(!decoded<Ipv6Fragment>("11000000 deadbeef").is_fragment());  // atomic, RFC 6946
  BOOST_TEST(decoded<Ipv6Fragment>("11000001 deadbeef").is_fragment());
  BOOST_TEST(decoded<Ipv6Fragment>("11000008 deadbeef").is_fragment());
}

// scapy: AH(nh=17, payloadlen=4, spi=0x11223344, seq=5, icv=12 octets)
BOOST_AUTO_TEST_CASE(authentication_counts_words_of_four_octets) {
  constexpr std::string_view hex = "11040000 11223344 00000005";
  check_header<Authentication>(hex, [](const Authentication& header) {
    BOOST_TEST((header.next_header == IpProtocol::udp));
    BOOST_TEST(header.length == 4);
    BOOST_TEST((header.reserved == std::array<std::uint8_t, 2>{0, 0}));
    BOOST_TEST(header.spi == 0x11223344U);
    BOOST_TEST(header.sequence == 5U);
    BOOST_TEST(full_size(header) == 24U);
    BOOST_TEST(options_size(header) == 12U);
  });
  BOOST_TEST(texts<Authentication>(hex) ==
             "ah.next_header=17 ah.length=4 ah.reserved=0000 ah.spi=0x11223344 ah.sequence=5");
}

BOOST_AUTO_TEST_CASE(sizes_have_their_own_unit) {
  static_assert(extension_size(IpProtocol::hop_by_hop, 255) == 2048);
  static_assert(extension_size(IpProtocol::mobility, 1) == 16);
  static_assert(extension_size(IpProtocol::fragment, 0x5A) == 8);  // the octet is reserved there
  static_assert(extension_size(IpProtocol::authentication, 255) == 1028);
  BOOST_TEST(extension_size(IpProtocol::authentication, 1) == 12U);
}

BOOST_AUTO_TEST_CASE(which_protocols_are_extensions) {
  int found = 0;
  for (unsigned protocol = 0; protocol < 256; ++protocol) {
    found += is_ipv6_extension(static_cast<IpProtocol>(protocol)) ? 1 : 0;
  }
  BOOST_TEST(found == 8);
  for (const unsigned protocol : {0U, 43U, 44U, 51U, 60U, 135U, 139U, 140U}) {
    BOOST_TEST(is_ipv6_extension(static_cast<IpProtocol>(protocol)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
