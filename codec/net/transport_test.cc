#include <boost/test/unit_test.hpp>
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

BOOST_AUTO_TEST_SUITE(udp)

// A RoCEv2 SEND of scapy's test/contrib/roce.uts.
BOOST_AUTO_TEST_CASE(header_of_a_roce_packet) {
  constexpr std::string_view hex = "c00012b7 002caca2";
  check_header<Udp>(hex, [](const Udp& udp) {
    BOOST_TEST((udp.source_port == UdpPort{49152}));
    BOOST_TEST((udp.destination_port == UdpPort{4791}));
    BOOST_TEST(udp.length == 44);
    BOOST_TEST(udp.checksum == 0xACA2);
  });
  BOOST_TEST(texts<Udp>(hex) == "udp.srcport=49152 udp.dstport=4791 udp.length=44 udp.checksum=0xaca2");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tcp)

// The SYN, ACK of ibv_rc_pingpong's own connection, captured on Linux 6.1.
BOOST_AUTO_TEST_CASE(header_of_a_captured_segment) {
  constexpr std::string_view hex = "4853a0d8 2e673bf7 14a3ac82 a012fe88 51e50000";
  check_header<Tcp>(hex, [](const Tcp& tcp) {
    BOOST_TEST((tcp.source_port == TcpPort{18515}));
    BOOST_TEST((tcp.destination_port == TcpPort{41176}));
    BOOST_TEST(tcp.sequence == 778517495U);
    BOOST_TEST(tcp.acknowledgment == 346270850U);
    BOOST_TEST(tcp.data_offset == 10);
    BOOST_TEST(tcp.reserved3 == 0);
    BOOST_TEST(!tcp.accurate_ecn);
    BOOST_TEST(!tcp.cwr);
    BOOST_TEST(!tcp.ece);
    BOOST_TEST(!tcp.urg);
    BOOST_TEST(tcp.ack);
    BOOST_TEST(!tcp.psh);
    BOOST_TEST(!tcp.rst);
    BOOST_TEST(tcp.syn);
    BOOST_TEST(!tcp.fin);
    BOOST_TEST(tcp.window == 65160);
    BOOST_TEST(tcp.checksum == 0x51E5);
    BOOST_TEST(tcp.urgent_pointer == 0);
    BOOST_TEST(full_size(tcp) == 40U);
    BOOST_TEST(options_size(tcp) == 20U);
  });
}

// scapy: TCP(sport=4001, dport=18515, seq=0x01020304, ack=0x05060708, flags='SAECPUN', reserved=5, window=4660,
// urgptr=291, options=[MSS, NOP, WScale])
BOOST_AUTO_TEST_CASE(every_flag_has_its_place) {
  BOOST_TEST(texts<Tcp>("0fa14853 01020304 05060708 7bfa1234 24590123") ==
             "tcp.srcport=4001 tcp.dstport=18515 tcp.seq_raw=16909060 tcp.ack_raw=84281096 rdma.tcp.data_offset=7 "
             "tcp.flags=0x0bfa rdma.tcp.reserved3=5 tcp.flags.ae=1 tcp.flags.cwr=1 tcp.flags.ece=1 tcp.flags.urg=1 "
             "tcp.flags.ack=1 tcp.flags.push=1 tcp.flags.reset=0 tcp.flags.syn=1 tcp.flags.fin=0 "
             "tcp.window_size_value=4660 tcp.checksum=0x2459 tcp.urgent_pointer=291");
  BOOST_TEST(texts<Tcp>("0fa14853 01020304 05060708 50051234 24590000")
                 .find("tcp.flags.reset=1 tcp.flags.syn=0 tcp.flags.fin=1") != std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(header_length_too_small_has_no_options) {
  Tcp tcp;
  tcp.data_offset = 4;
  BOOST_TEST(full_size(tcp) == 16U);
  BOOST_TEST(options_size(tcp) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
