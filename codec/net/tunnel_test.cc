#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
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

BOOST_AUTO_TEST_SUITE(vxlan)

// Sent by a VXLAN device of Linux 6.18 (id 1193046), captured.
BOOST_AUTO_TEST_CASE(header_of_a_captured_packet) {
  constexpr std::string_view hex = "08000000 12345600";
  check_header<Vxlan>(hex, [](const Vxlan& vxlan) {
    BOOST_TEST(!vxlan.group_policy);
    BOOST_TEST(vxlan.reserved3 == 0);
    BOOST_TEST(vxlan.vni_valid);
    BOOST_TEST(vxlan.reserved4 == 0);
    BOOST_TEST(!vxlan.dont_learn);
    BOOST_TEST(vxlan.reserved2 == 0);
    BOOST_TEST(!vxlan.policy_applied);
    BOOST_TEST(vxlan.reserved3b == 0);
    BOOST_TEST(vxlan.group_policy_id == 0);
    BOOST_TEST(vxlan.vni == 0x123456U);
    BOOST_TEST(vxlan.reserved8 == 0);
  });
  BOOST_TEST(vxlan_port.value == 4789);
}

// Octets of the group policy draft's form in scapy's IP()/UDP(dport=4789)/VXLAN().
BOOST_AUTO_TEST_CASE(group_policy) {
  BOOST_TEST(texts<Vxlan>("88481234 12345699") ==
             "vxlan.flags=0x8848 vxlan.flag_g=1 rdma.vxlan.reserved3=0 vxlan.flag_i=1 rdma.vxlan.reserved4=0 "
             "vxlan.flag_d=1 rdma.vxlan.reserved2=0 vxlan.flag_a=1 rdma.vxlan.reserved3b=0 vxlan.gbp=4660 "
             "vxlan.vni=1193046 vxlan.reserved8=153");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gre)

// scapy: GRE(proto=0x6558, chksum_present=1, key_present=1, seqnum_present=1, key=0x01020304, seqence_number=77)
BOOST_AUTO_TEST_CASE(header_with_all_optional_words) {
  constexpr std::string_view hex = "b0006558";
  check_header<Gre>(hex, [](const Gre& gre) {
    BOOST_TEST(gre.checksum_present);
    BOOST_TEST(!gre.routing_present);
    BOOST_TEST(gre.key_present);
    BOOST_TEST(gre.sequence_present);
    BOOST_TEST(!gre.strict_source_route);
    BOOST_TEST(gre.recursion_control == 0);
    BOOST_TEST(gre.reserved5 == 0);
    BOOST_TEST(gre.version == 0);
    BOOST_TEST((gre.protocol == EtherType::ethernet));
    BOOST_TEST(full_size(gre) == 16U);
    BOOST_TEST(options_size(gre) == 12U);
    BOOST_TEST(is_supported(gre));
  });
  BOOST_TEST(texts<Gre>(hex) ==
             "gre.flags_and_version=0xb000 gre.flags.checksum=1 gre.flags.routing=0 gre.flags.key=1 "
             "gre.flags.sequence_number=1 gre.flags.strict_source_route=0 gre.flags.recursion_control=0 "
             "gre.flags.reserved=0 gre.flags.version=0 gre.proto=0x6558");
  check_header<GreChecksum>("d86c0000", [](const GreChecksum& word) {
    BOOST_TEST(word.checksum == 0xD86C);
    BOOST_TEST(word.reserved1 == 0);
  });
  check_header<GreKey>("01020304", [](const GreKey& word) { BOOST_TEST(word.key == 0x01020304U); });
  check_header<GreSequence>("0000004d", [](const GreSequence& word) { BOOST_TEST(word.sequence == 77U); });
  BOOST_TEST(texts<GreChecksum>("d86c0000") == "gre.checksum=0xd86c gre.offset=0");
  BOOST_TEST(texts<GreKey>("01020304") == "gre.key=0x01020304");
  BOOST_TEST(texts<GreSequence>("0000004d") == "gre.sequence_number=77");
}

BOOST_AUTO_TEST_CASE(each_flag_announces_its_word) {
  BOOST_TEST(full_size(decoded<Gre>("00000800")) == 4U);
  BOOST_TEST(full_size(decoded<Gre>("80000800")) == 8U);
  BOOST_TEST(full_size(decoded<Gre>("20000800")) == 8U);
  BOOST_TEST(full_size(decoded<Gre>("10000800")) == 8U);
  BOOST_TEST(full_size(decoded<Gre>("30000800")) == 12U);
}

BOOST_AUTO_TEST_CASE(source_routes_and_version_1_are_not_supported) {
  BOOST_TEST(!is_supported(decoded<Gre>("40000800")));
  BOOST_TEST(!is_supported(decoded<Gre>("3001880b")));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(erspan)

BOOST_AUTO_TEST_CASE(gre_tells_the_type) {
  BOOST_TEST((erspan_type(decoded<Gre>("000088be")) == ErspanType::type1));
  BOOST_TEST((erspan_type(decoded<Gre>("100088be")) == ErspanType::type2));
  BOOST_TEST((erspan_type(decoded<Gre>("100022eb")) == ErspanType::type3));
  BOOST_TEST((erspan_type(decoded<Gre>("10006558")) == ErspanType::none));
}

// scapy: ERSPAN_II(ver=1, vlan=100, cos=5, en=3, t=1, session_id=777, reserved=0x123, index=0xabcde)
BOOST_AUTO_TEST_CASE(type_2) {
  constexpr std::string_view hex = "1064bf09 123abcde";
  check_header<Erspan2>(hex, [](const Erspan2& erspan) {
    BOOST_TEST(erspan.version == 1);
    BOOST_TEST(erspan.vlan == 100);
    BOOST_TEST(erspan.class_of_service == 5);
    BOOST_TEST((erspan.encapsulation == ErspanEncapsulation::tag_preserved));
    BOOST_TEST(erspan.truncated);
    BOOST_TEST(erspan.session_id == 777);
    BOOST_TEST(erspan.reserved12 == 0x123);
    BOOST_TEST(erspan.index == 0xABCDEU);
  });
  BOOST_TEST(texts<Erspan2>(hex) ==
             "erspan.version=1 erspan.vlan=100 erspan.cos=5 erspan.encap=3 erspan.truncated=1 erspan.spanid=777 "
             "erspan.reserved=291 erspan.index=703710");
}

// Built for this test from the draft's figure 6, and read by tshark.
BOOST_AUTO_TEST_CASE(type_3) {
  constexpr std::string_view hex = "2064b709 01020304 beef82ad";
  check_header<Erspan3>(hex, [](const Erspan3& erspan) {
    BOOST_TEST(erspan.version == 2);
    BOOST_TEST(erspan.vlan == 100);
    BOOST_TEST(erspan.class_of_service == 5);
    BOOST_TEST((erspan.integrity == ErspanIntegrity::oversized));
    BOOST_TEST(erspan.truncated);
    BOOST_TEST(erspan.session_id == 777);
    BOOST_TEST(erspan.timestamp == 0x01020304U);
    BOOST_TEST(erspan.security_group_tag == 0xBEEF);
    BOOST_TEST(erspan.ethernet_pdu);
    BOOST_TEST((erspan.frame_type == ErspanFrameType::ethernet));
    BOOST_TEST(erspan.hardware_id == 42);
    BOOST_TEST(erspan.egress);
    BOOST_TEST((erspan.granularity == ErspanGranularity::ieee1588));
    BOOST_TEST(erspan.platform_subheader);
    BOOST_TEST(full_size(erspan) == 20U);
    BOOST_TEST(options_size(erspan) == 8U);
  });
  BOOST_TEST(texts<Erspan3>(hex) ==
             "erspan.version=2 erspan.vlan=100 erspan.cos=5 erspan.bso=2 erspan.truncated=1 erspan.spanid=777 "
             "erspan.timestamp=16909060 erspan.sgt=48879 erspan.p=1 erspan.ft=0 erspan.hw=42 erspan.direction=1 "
             "erspan.gra=2 erspan.o=1");
  const auto ip = decoded<Erspan3>("2064b709 01020304 beef0aac");
  BOOST_TEST((ip.frame_type == ErspanFrameType::ip));
  BOOST_TEST(full_size(ip) == 12U);
}

BOOST_AUTO_TEST_CASE(platform_subheader_has_a_form_for_each_platform) {
  check_header<Erspan3Platform>("15234567 65a1b2c3", [](const Erspan3Platform& platform) {
    BOOST_TEST(platform.value == 0x1523456765A1B2C3U);
    BOOST_TEST(platform.id() == 5);
  });
  BOOST_TEST(texts<Erspan3Platform>("15234567 65a1b2c3") ==
             "rdma.erspan3_platform.word=0x1523456765a1b2c3 erspan.platid=5 erspan.pid5.switchid=291 "
             "erspan.pid5.port_index=17767 erspan.pid5.timestamp=1705095875");
  // The same 58 bits under each platform ID.
  const auto of = [](const char* id) { return texts<Erspan3Platform>(std::string(id) + "0f0f 65a1b2c3"); };
  BOOST_TEST(of("03a5").ends_with(
      " erspan.platid=0 erspan.pid7.rsvd1=58 erspan.pid7.source_index=331535 erspan.pid7.timestamp=1705095875"));
  BOOST_TEST(of("07a5").ends_with(
      " erspan.platid=1 erspan.pid1.rsvd1=14928 erspan.pid1.vsmid=3855 erspan.pid1.port_index=1705095875"));
  BOOST_TEST(of("0ba5").ends_with("c3 erspan.platid=2"));
  BOOST_TEST(of("0fa5").ends_with(
      " erspan.platid=3 erspan.pid3.rsvd1=3732 erspan.pid3.port_index=3855 erspan.pid3.timestamp=1705095875"));
  BOOST_TEST(of("13a5").ends_with(
      " erspan.platid=4 erspan.pid4.rsvd1=3732 erspan.pid4.rsvd2=3855 erspan.pid4.rsvd3=1705095875"));
  BOOST_TEST(of("1ba5").ends_with(
      " erspan.platid=6 erspan.pid5.switchid=933 erspan.pid5.port_index=3855 erspan.pid5.timestamp=1705095875"));
  BOOST_TEST(of("1fa5").ends_with(
      " erspan.platid=7 erspan.pid7.rsvd1=58 erspan.pid7.source_index=331535 erspan.pid7.timestamp=1705095875"));
  BOOST_TEST(of("ffa5").ends_with("c3 erspan.platid=63"));
}

BOOST_AUTO_TEST_SUITE_END()
