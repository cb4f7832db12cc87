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

BOOST_AUTO_TEST_SUITE(ethernet)

// A CNP captured on a ConnectX-4 Lx (scapy's test/contrib/roce.uts).
BOOST_AUTO_TEST_CASE(header_of_a_captured_frame) {
  constexpr std::string_view hex = "e41d2dab2bc2 7cfe90643b32 0800";
  check_header<Ethernet>(hex, [](const Ethernet& eth) {
    BOOST_TEST((eth.destination == MacAddress{{0xE4, 0x1D, 0x2D, 0xAB, 0x2B, 0xC2}}));
    BOOST_TEST((eth.source == MacAddress{{0x7C, 0xFE, 0x90, 0x64, 0x3B, 0x32}}));
    BOOST_TEST((eth.type == EtherType::ipv4));
  });
  BOOST_TEST(texts<Ethernet>(hex) == "eth.dst=e4:1d:2d:ab:2b:c2 eth.src=7c:fe:90:64:3b:32 eth.type=0x0800");
}

// A spanning tree frame as scapy builds it: Dot3()/LLC()/STP().
BOOST_AUTO_TEST_CASE(type_up_to_1500_is_a_length) {
  BOOST_TEST(texts<Ethernet>("020000000001 020000000002 0026") ==
             "eth.dst=02:00:00:00:00:01 eth.src=02:00:00:00:00:02 eth.len=38");
  static_assert(is_length(EtherType{38}) && is_length(EtherType{1500}) && !is_length(EtherType{1501}));
  BOOST_TEST(texts<Ethernet>("020000000001 020000000002 05dc").ends_with(" eth.len=1500"));
  BOOST_TEST(texts<Ethernet>("020000000001 020000000002 05dd").ends_with("02 eth.invalid_lentype=0x05dd"));
  BOOST_TEST(texts<Ethernet>("020000000001 020000000002 05ff").ends_with("02 eth.invalid_lentype=0x05ff"));
  BOOST_TEST(texts<Ethernet>("020000000001 020000000002 0600").ends_with("02 eth.type=0x0600"));
}

BOOST_AUTO_TEST_CASE(types_have_names) {
  BOOST_TEST(name_of(EtherType::roce) == "RoCEv1");
  BOOST_TEST(name_of(EtherType{0x8915}) == "RoCEv1");
  BOOST_TEST(name_of(EtherType::service_vlan) == "802.1ad service VLAN");
  BOOST_TEST(name_of(EtherType{0x1234}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(vlan)

// scapy: Dot1AD(prio=5, id=1, vlan=100)/Dot1Q(prio=3, vlan=2748)/IP()
BOOST_AUTO_TEST_CASE(service_tag_before_customer_tag) {
  check_header<Vlan>("b064 8100", [](const Vlan& tag) {
    BOOST_TEST(tag.priority == 5);
    BOOST_TEST(tag.drop_eligible);
    BOOST_TEST(tag.id == 100);
    BOOST_TEST((tag.type == EtherType::vlan));
  });
  BOOST_TEST(texts<Vlan>("6abc 0800") == "vlan.priority=3 vlan.dei=0 vlan.id=2748 vlan.etype=0x0800");
  BOOST_TEST(texts<Vlan>("6abc 0026") == "vlan.priority=3 vlan.dei=0 vlan.id=2748 vlan.len=38");
}

// From a capture of rping over soft-RoCE on a VLAN of Linux: TPID 8100, VLAN 7.
BOOST_AUTO_TEST_CASE(tag_of_a_captured_frame) {
  check_header<Vlan>("0007 0800", [](const Vlan& tag) {
    BOOST_TEST(tag.priority == 0);
    BOOST_TEST(!tag.drop_eligible);
    BOOST_TEST(tag.id == 7);
    BOOST_TEST((tag.type == EtherType::ipv4));
  });
}

BOOST_AUTO_TEST_CASE(three_types_announce_a_tag) {
  static_assert(is_vlan(EtherType{0x8100}) && is_vlan(EtherType{0x88A8}) && is_vlan(EtherType{0x9100}));
  BOOST_TEST(!is_vlan(EtherType::ipv4));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(mac_control)

// scapy: Ether()/MACControlPause(pause_time=0x1234)
BOOST_AUTO_TEST_CASE(pause_of_the_whole_link) {
  check_header<MacControl>("0001", [](const MacControl& control) {
    BOOST_TEST((control.opcode == MacControlOpcode::pause));
    BOOST_TEST(name_of(control.opcode) == "Pause");
  });
  check_header<Pause>("1234", [](const Pause& pause) { BOOST_TEST(pause.time == 0x1234); });
  BOOST_TEST(texts<MacControl>("0001") == "macc.opcode=0x0001");
  BOOST_TEST(texts<Pause>("1234") == "macc.pause_time=4660");
}

// scapy: MACControlClassBasedFlowControl(c0_enabled=0, c3_enabled=1, c3_pause_time=0xffff, c7_enabled=1,
// c7_pause_time=300)
BOOST_AUTO_TEST_CASE(priority_flow_control) {
  constexpr std::string_view hex = "0088 0000 0000 0000 ffff 0000 0000 0000 012c";
  check_header<PriorityFlowControl>(hex, [](const PriorityFlowControl& pfc) {
    BOOST_TEST(pfc.reserved == 0);
    BOOST_TEST(pfc.enabled == 0x88);
    for (unsigned priority = 0; priority < 8; ++priority) {
      BOOST_TEST(pfc.is_enabled(priority) == (priority == 3 || priority == 7));
      BOOST_TEST(pfc.time(priority) == (priority == 3 ? 0xFFFF : priority == 7 ? 300 : 0));
    }
    BOOST_TEST(pfc.time3 == 0xFFFF);
    BOOST_TEST(pfc.time7 == 300);
  });
  BOOST_TEST(texts<PriorityFlowControl>(hex) ==
             "macc.cbfc.enbv=0x0088 rdma.macc.reserved=0 rdma.macc.enabled=0x88 macc.cbfc.enbv.c7=1 "
             "macc.cbfc.enbv.c6=0 macc.cbfc.enbv.c5=0 macc.cbfc.enbv.c4=0 macc.cbfc.enbv.c3=1 macc.cbfc.enbv.c2=0 "
             "macc.cbfc.enbv.c1=0 macc.cbfc.enbv.c0=0 macc.cbfc.pause_time.c0=0 macc.cbfc.pause_time.c1=0 "
             "macc.cbfc.pause_time.c2=0 macc.cbfc.pause_time.c3=65535 macc.cbfc.pause_time.c4=0 "
             "macc.cbfc.pause_time.c5=0 macc.cbfc.pause_time.c6=0 macc.cbfc.pause_time.c7=300");
  constexpr PriorityFlowControl all_times{0, 0, 10, 11, 12, 13, 14, 15, 16, 17};
  for (unsigned priority = 0; priority < 8; ++priority) BOOST_TEST(all_times.time(priority) == 10 + priority);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(linux_cooked)

// Captured by dumpcap on "any" of Linux 6.18: a VXLAN packet leaving an Ethernet device.
BOOST_AUTO_TEST_CASE(version_1) {
  constexpr std::string_view hex = "0004 0001 0006 0200000000010000 0800";
  check_header<Sll>(hex, [](const Sll& sll) {
    BOOST_TEST((sll.packet_type == SllPacketType::from_us));
    BOOST_TEST((sll.hardware_type == SllHardwareType::ethernet));
    BOOST_TEST(sll.address_length == 6);
    BOOST_TEST((sll.address == std::array<std::uint8_t, 8>{2, 0, 0, 0, 0, 1, 0, 0}));
    BOOST_TEST((sll.protocol == EtherType::ipv4));
  });
  BOOST_TEST(texts<Sll>(hex) ==
             "sll.pkttype=4 sll.hatype=1 sll.halen=6 rdma.sll.address=0200000000010000 sll.etype=0x0800");
  BOOST_TEST(name_of(SllPacketType::from_us) == "sent by us");
  BOOST_TEST(name_of(SllHardwareType{32}) == "InfiniBand");
}

// scapy: CookedLinuxV2(proto=0x800, ifindex=3, lladdrtype=1, pkttype=4, lladdrlen=6, src=...)
BOOST_AUTO_TEST_CASE(version_2) {
  constexpr std::string_view hex = "0800 0000 00000003 0001 04 06 0200000000020000";
  check_header<Sll2>(hex, [](const Sll2& sll) {
    BOOST_TEST((sll.protocol == EtherType::ipv4));
    BOOST_TEST(sll.reserved == 0);
    BOOST_TEST(sll.interface_index == 3U);
    BOOST_TEST((sll.hardware_type == SllHardwareType::ethernet));
    BOOST_TEST((sll.packet_type == SllPacketType::from_us));
    BOOST_TEST(sll.address_length == 6);
    BOOST_TEST((sll.address == std::array<std::uint8_t, 8>{2, 0, 0, 0, 0, 2, 0, 0}));
  });
  BOOST_TEST(texts<Sll2>(hex) ==
             "sll.etype=0x0800 rdma.sll2.reserved=0 sll.ifindex=3 sll.hatype=1 sll.pkttype=4 sll.halen=6 "
             "rdma.sll2.address=0200000000020000");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(extensible_record_format)

// The first record of Wireshark's infiniband.pcap (an Endace card, 2008).
BOOST_AUTO_TEST_CASE(record_of_a_captured_packet) {
  constexpr std::string_view hex = "60eaeb7fef412b48 15 05 0138 0000 0122";
  check_header<ErfRecord>(hex, [](const ErfRecord& record) {
    BOOST_TEST(record.timestamp.seconds() == 1210794479U);
    BOOST_TEST(record.timestamp.fraction() == 0x7FEBEA60U);
    BOOST_TEST(record.timestamp.nanoseconds() == 499693535U);
    BOOST_TEST(!record.extension_follows);
    BOOST_TEST((record.type == ErfType::infiniband));
    BOOST_TEST(record.reserved2 == 0);
    BOOST_TEST(!record.ds_error);
    BOOST_TEST(!record.rx_error);
    BOOST_TEST(!record.truncated);
    BOOST_TEST(record.varying_length);
    BOOST_TEST(record.interface == 1);
    BOOST_TEST(record.record_length == 312);
    BOOST_TEST(record.loss_counter == 0);
    BOOST_TEST(record.wire_length == 290);
  });
  BOOST_TEST(texts<ErfRecord>(hex) ==
             "rdma.erf.ts=60eaeb7fef412b48 erf.types=0x15 erf.types.ext_header=0 erf.types.type=21 erf.flags=0x05 "
             "erf.flags.res=0x00 erf.flags.dse=0 erf.flags.rxe=0 erf.flags.trunc=0 erf.flags.vlen=1 erf.flags.cap=1 "
             "erf.rlen=312 erf.lctr=0 erf.wlen=290");
}

// Built for this test from the format's description, and read by tshark.
BOOST_AUTO_TEST_CASE(flags_and_types) {
  const auto record = decoded<ErfRecord>("00000080c3b2a165 95 3a 005a 1234 003a");
  BOOST_TEST(record.extension_follows);
  BOOST_TEST((record.type == ErfType::infiniband));
  BOOST_TEST(record.ds_error);
  BOOST_TEST(record.rx_error);
  BOOST_TEST(record.truncated);
  BOOST_TEST(!record.varying_length);
  BOOST_TEST(record.interface == 2);
  BOOST_TEST(record.timestamp.seconds() == 0x65A1B2C3U);
  BOOST_TEST(record.timestamp.nanoseconds() == 500000000U);
  static_assert(ErfTimestamp{{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}}.nanoseconds() == 999999999);
  BOOST_TEST(is_ethernet(ErfType{2}));
  BOOST_TEST(is_ethernet(ErfType{11}));
  BOOST_TEST(is_ethernet(ErfType{16}));
  BOOST_TEST(is_ethernet(ErfType{20}));
  BOOST_TEST(!is_ethernet(ErfType{21}));
  BOOST_TEST(name_of(ErfType{25}) == "INFINIBAND_LINK");
}

BOOST_AUTO_TEST_CASE(extension_header) {
  constexpr std::string_view hex = "83 01020304050607";
  check_header<ErfExtension>(hex, [](const ErfExtension& extension) {
    BOOST_TEST(extension.extension_follows);
    BOOST_TEST(extension.type == 3);
    BOOST_TEST((extension.data == std::array<std::uint8_t, 7>{1, 2, 3, 4, 5, 6, 7}));
  });
  BOOST_TEST(texts<ErfExtension>(hex) == "rdma.erf_ext.more=1 erf.ehdr.types=3 rdma.erf_ext.data=01020304050607");
}

BOOST_AUTO_TEST_CASE(pad_before_ethernet) {
  check_header<ErfEthernetPad>("015a", [](const ErfEthernetPad& pad) {
    BOOST_TEST(pad.offset == 1);
    BOOST_TEST(pad.pad == 0x5A);
  });
  BOOST_TEST(texts<ErfEthernetPad>("015a") == "erf.eth.off=1 erf.eth.pad=0x5a");
}

BOOST_AUTO_TEST_SUITE_END()
