// Frames around one packet of the reference vectors; what is around it is spelled out here octet by octet.
#include "codec/frame.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/ib/headers.h"
#include "codec/net/net.h"

namespace {

using namespace rdmawire;
using test::check_error;
using test::octets;

// "v4 RC SEND ONLY zero length": 58 octets, IPv4 total length 44, ICRC f5438dee.
const std::string macs = "020000000002020000000001";
const std::string ip4 = "4500002c123440004011148b0a0000010a000002c0de12b7001800000440ffff0000001280000101f5438dee";
const std::string frame4 = macs + "0800" + ip4;
// "v6 RC SEND ONLY zero length" from its IPv6 header on.
const std::string ip6 =
    "6020beef0018114020010db800000000000000000000000120010db8000000000000000000000002c0de12b7001800000440ffff0000001280"
    " 00 0101";

struct Parsed {
  std::vector<std::uint8_t> data;
  Frame frame;

  Parsed(LinkType link, const std::string& hex, std::uint32_t original = 0, const ParseOptions& options = {})
      : data(octets(hex)),
        frame(parse_frame(link, data, original == 0 ? static_cast<std::uint32_t>(data.size()) : original, options)) {}
  explicit Parsed(const std::string& hex, std::uint32_t original = 0, const ParseOptions& options = {})
      : Parsed(LinkType::ethernet, hex, original, options) {}

  std::string layers() const {
    std::string names;
    for (const LayerRef& ref : frame.layers()) names += (names.empty() ? "" : " ") + std::string(info(ref.layer).name);
    return names;
  }
  bool good() const { return !frame.error && frame.icrc.status == CrcStatus::good && frame.family == Family::rocev2; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(frames)

//= V2-23 test
BOOST_AUTO_TEST_CASE(vlan_tags_single_double_and_priority_only) {
  const Parsed tagged(macs + "8100" + "6007" + "0800" + ip4);
  BOOST_TEST(tagged.layers() == "eth vlan ip udp bth");
  BOOST_TEST(tagged.good());
  BOOST_TEST(tagged.frame.get<net::Vlan>()->priority == 3);
  BOOST_TEST(tagged.frame.get<net::Vlan>()->id == 7);
  const Parsed twice(macs + "88a8" + "0064" + "8100" + "0000" + "0800" + ip4);
  BOOST_TEST(twice.layers() == "eth vlan vlan ip udp bth");
  BOOST_TEST(twice.good());
}

BOOST_AUTO_TEST_CASE(other_link_types) {
  const Parsed raw(LinkType::raw_ip, ip4);
  BOOST_TEST(raw.layers() == "ip udp bth");
  BOOST_TEST(raw.good());
  const Parsed sll(LinkType::linux_sll, "0000 0001 0006 0200000000010000 0800" + ip4);
  BOOST_TEST(sll.layers() == "sll ip udp bth");
  BOOST_TEST(sll.good());
  const Parsed sll2(LinkType::linux_sll2, "0800 0000 00000002 0001 00 06 0200000000010000" + ip4);
  BOOST_TEST(sll2.layers() == "sll2 ip udp bth");
  BOOST_TEST(sll2.good());
  const Parsed unknown(static_cast<LinkType>(105), frame4);
  check_error(unknown.frame.error, {ErrorCode::unknown_link_type, Layer::frame, Limit::none, 0, 0, 0});
  BOOST_TEST(unknown.frame.layers().empty());
}

// ERF: timestamp, type, flags, rlen, lctr, wlen. The wire length of Ethernet counts the FCS.
BOOST_AUTO_TEST_CASE(erf_records_of_ethernet_and_infiniband) {
  const Parsed ethernet(LinkType::erf, "60eaeb7fef412b48 02 04 0050 0000 003e 0000" + frame4 + "deadbeef");
  BOOST_TEST(ethernet.layers() == "erf erf eth ip udp bth");
  BOOST_TEST(ethernet.good());
  BOOST_TEST(ethernet.frame.packet_end == 16U + 2 + 58);
  // "ib-local RC ACK credit code 0x0d (96)", with one extension header and four octets of record padding.
  const std::string ack = "00020002000700011140ffff00000021000001000d000001cabaa3e04523";
  const Parsed ib(LinkType::erf, "60eaeb7fef412b48 95 04 003c 0000 001e 0300000000000000" + ack + "00000000");
  BOOST_TEST(ib.layers() == "erf erf_ext lrh bth aeth");
  BOOST_TEST(!ib.frame.error);
  BOOST_TEST((ib.frame.icrc.status == CrcStatus::good));
  BOOST_TEST((ib.frame.vcrc.status == CrcStatus::good));
  BOOST_TEST(ib.frame.packet_end == 24U + 30);
  const Parsed link(LinkType::erf, "60eaeb7fef412b48 19 04 0018 0000 0006 012324566a84 0000");
  BOOST_TEST(link.layers() == "erf flow_control");
  BOOST_TEST((link.frame.vcrc.status == CrcStatus::good));
}

// Outer header checksums do not matter to the parser and are left 0.
BOOST_AUTO_TEST_CASE(tunnels) {
  const std::string outer_udp = macs + "0800" + "4500005e000000004011 0000 c0a80001 c0a80002 c000 12b5 004a 0000";
  const Parsed vxlan(outer_udp + "0800000000002a00" + frame4);
  BOOST_TEST(vxlan.layers() == "eth ip udp vxlan eth ip udp bth");
  BOOST_TEST(vxlan.good());

  const std::string outer_gre = macs + "0800" + "45000066000000004 02f 0000 c0a80001 c0a80002";
  const Parsed erspan1(outer_gre + "0000 88be" + frame4);
  BOOST_TEST(erspan1.layers() == "eth ip gre eth ip udp bth");
  const Parsed erspan2(outer_gre + "1000 88be 00000001 1000000a 00000000" + frame4);
  BOOST_TEST(erspan2.layers() == "eth ip gre gre erspan2 eth ip udp bth");
  BOOST_TEST(erspan2.frame.layers()[3].continued);
  const Parsed erspan3(outer_gre + "1000 22eb 00000001 2000000a 00000000 00000000" + frame4);
  BOOST_TEST(erspan3.layers() == "eth ip gre gre erspan3 eth ip udp bth");
  const Parsed keyed(outer_gre + "2000 0800 0000002a" + ip4);
  BOOST_TEST(keyed.layers() == "eth ip gre gre ip udp bth");
  // The outer total length (102) counts more than is there in some of them; where the packet ends says the inner one.
  for (const Parsed* each : {&erspan1, &erspan2, &erspan3, &keyed}) BOOST_TEST((each->frame.family == Family::rocev2));
  const Parsed exact(macs + "0800" +
                     "4500005e00000000402f 0000 c0a80001 c0a80002 1000 88be 00000001 1000000a 00000000" + frame4);
  BOOST_TEST(exact.good());
}

//= V2-21 test
BOOST_AUTO_TEST_CASE(ethernet_padding_and_fcs_are_not_the_icrc) {
  const Parsed padded(frame4 + "0000" + "deadbeef");
  BOOST_TEST(padded.good());
  BOOST_TEST(padded.frame.packet_end == 58U);
  BOOST_TEST(padded.frame.icrc.offset == 54U);
}

//= V2-12 test
BOOST_AUTO_TEST_CASE(udp_ports) {
  std::string mirrored = frame4;
  mirrored.replace(2 * 36, 4, "260d");  // 9741
  BOOST_TEST((Parsed(mirrored).frame.family == Family::none));
  ParseOptions options;
  options.rocev2_ports[1] = 9741;
  const Parsed known(mirrored, 0, options);
  BOOST_TEST((known.frame.family == Family::rocev2));
  // The destination port is in the ICRC, so this one, rewritten here, is bad.
  BOOST_TEST((known.frame.icrc.status == CrcStatus::bad));
  std::string zero = frame4;
  zero.replace(2 * 36, 4, "0000");
  BOOST_TEST((Parsed(zero).frame.family == Family::none));
}

BOOST_AUTO_TEST_CASE(header_lengths) {
  // IPv4 options are part of the packet and of the ICRC (CA17-3 forbids them).
  const Parsed options(macs + "0800" + "46000030123440004011000 00a0000010a000002 01010101" + ip4.substr(40));
  BOOST_TEST(options.layers() == "eth ip udp bth");
  BOOST_TEST(options.frame.layers()[1].size == 24);
  BOOST_TEST((options.frame.icrc.status == CrcStatus::bad));
  check_error(first_violation(options.frame), {ErrorCode::bad_ip_checksum, Layer::ipv4, Limit::none, 0, 0, 14});
  const Parsed small(macs + "0800" + "44" + ip4.substr(2));
  check_error(small.frame.error, {ErrorCode::bad_header_length, Layer::ipv4, Limit::header_length, 20, 16, 14});
  const Parsed version(macs + "0800" + "55" + ip4.substr(2));
  check_error(version.frame.error, {ErrorCode::bad_version, Layer::ipv4, Limit::none, 0, 0, 14});
}

BOOST_AUTO_TEST_CASE(lengths_that_contradict_each_other) {
  // IPv4 says 60 octets, the frame has 44 after the Ethernet header.
  const Parsed ip_long(macs + "0800" + "4500003c" + ip4.substr(8));
  check_error(ip_long.frame.error, {ErrorCode::bad_length, Layer::ipv4, Limit::frame, 60, 44, 14});
  BOOST_TEST(ip_long.layers() == "eth ip udp bth");
  BOOST_TEST(!ip_long.frame.packet_end_known);
  BOOST_TEST((ip_long.frame.icrc.status == CrcStatus::unchecked));
  // UDP says 25 octets, IPv4 leaves 24.
  std::string udp = frame4;
  udp.replace(2 * 38, 4, "0019");
  check_error(Parsed(udp).frame.error, {ErrorCode::bad_length, Layer::udp, Limit::ip_total_length, 25, 24, 34});
  // UDP ends four octets into the BTH.
  udp.replace(2 * 38, 4, "000c");
  check_error(Parsed(udp).frame.error, {ErrorCode::truncated_wire, Layer::bth, Limit::udp_length, 12, 4, 42});
  // A BTH and nothing for the ICRC.
  udp.replace(2 * 38, 4, "0014");
  check_error(Parsed(udp).frame.error, {ErrorCode::truncated_wire, Layer::icrc, Limit::udp_length, 4, 0, 54});
  BOOST_TEST((Parsed(udp).frame.icrc.status == CrcStatus::absent));
  // IPv4 total length below its own header.
  const Parsed ip_short(macs + "0800" + "45000013" + ip4.substr(8));
  check_error(ip_short.frame.error, {ErrorCode::bad_length, Layer::ipv4, Limit::ip_total_length, 20, 19, 14});
}

BOOST_AUTO_TEST_CASE(header_that_its_packet_has_no_room_for) {
  // A READ request (0x0C) whose UDP length has room for the BTH and the ICRC only.
  std::string read = frame4;
  read.replace(2 * 42, 2, "0c");
  const Parsed parsed(read);
  check_error(parsed.frame.error, {ErrorCode::truncated_wire, Layer::reth, Limit::udp_length, 16, 0, 54});
  BOOST_TEST(parsed.layers() == "eth ip udp bth");
  // The ICRC is found all the same.
  BOOST_TEST((parsed.frame.icrc.status == CrcStatus::bad));
}

//= LEN-05 test
BOOST_AUTO_TEST_CASE(pad_that_is_not_there) {
  std::string padded = frame4;
  padded.replace(2 * 43, 2, "70");  // pad count 3, nothing after the BTH
  const Parsed parsed(padded);
  check_error(parsed.frame.error, {ErrorCode::pad_rule, Layer::bth, Limit::udp_length, 3, 0, 42});
  BOOST_TEST(parsed.frame.payload_len == 0U);
}

BOOST_AUTO_TEST_CASE(reserved_opcode_has_no_headers_but_an_icrc) {
  std::string reserved = frame4;
  reserved.replace(2 * 42, 2, "18");
  const Parsed parsed(reserved);
  check_error(parsed.frame.error, {ErrorCode::reserved_opcode, Layer::bth, Limit::none, 0, 0, 42});
  BOOST_TEST(parsed.frame.opcode == nullptr);
  BOOST_TEST((parsed.frame.icrc.status == CrcStatus::bad));
}

BOOST_AUTO_TEST_CASE(cut_capture_is_neither_bad_nor_malformed) {
  // A WRITE ONLY of 1098 octets captured at 96: "ICRC not checkable", RETH still shown.
  const std::string write = macs + "0800" + "4500043c12344000401100000a0000010a000002c0de12b704280000" +
                            "0a40ffff000000128000010200000000000010000000123400000400" + std::string(2 * 26, '0');
  const Parsed cut(write, 1098);
  BOOST_TEST(cut.data.size() == 96U);
  BOOST_TEST(cut.layers() == "eth ip udp bth reth");
  BOOST_TEST(!cut.frame.error);
  BOOST_TEST((cut.frame.icrc.status == CrcStatus::unchecked));
  BOOST_TEST(cut.frame.payload_len == 1024U);
  BOOST_TEST(cut.frame.payload().size() == 26U);
  const Parsed shorter(write.substr(0, 2 * 60), 1098);
  check_error(shorter.frame.error, {ErrorCode::truncated_capture, Layer::reth, Limit::capture, 16, 6, 54});
  BOOST_TEST(shorter.layers() == "eth ip udp bth");
  check_error(first_violation(shorter.frame), {ErrorCode::bad_ip_checksum, Layer::ipv4, Limit::none, 0, 0, 14});
}

BOOST_AUTO_TEST_CASE(fragments_are_said_to_be_fragments) {
  std::string first = frame4;
  first.replace(2 * 20, 4, "2000");  // more fragments
  const Parsed begin(first);
  check_error(begin.frame.error, {ErrorCode::fragment, Layer::ipv4, Limit::none, 0, 0, 14});
  BOOST_TEST(begin.layers() == "eth ip udp bth");
  BOOST_TEST((begin.frame.icrc.status == CrcStatus::unchecked));
  first.replace(2 * 20, 4, "0010");
  BOOST_TEST(Parsed(first).layers() == "eth ip");
}

BOOST_AUTO_TEST_CASE(ipv6_extension_headers) {
  // Hop-by-hop (8 octets, router alert) before UDP; the ICRC of such a packet is not in the vectors.
  const Parsed hop(macs + "86dd" + "6020beef00200040" + ip6.substr(16, 64) + "1100050200000000" + ip6.substr(80) +
                   "00000000");
  BOOST_TEST(hop.layers() == "eth ipv6 ipv6_ext udp bth");
  BOOST_TEST((hop.frame.icrc.status == CrcStatus::bad));
  const Parsed fragment(macs + "86dd" + "6020beef00202c40" + ip6.substr(16, 64) + "1100000100000007" + ip6.substr(80) +
                        "00000000");
  check_error(fragment.frame.error, {ErrorCode::fragment, Layer::ipv6_fragment, Limit::none, 0, 0, 54});
}

BOOST_AUTO_TEST_CASE(frames_without_rdma_have_no_family_and_no_error) {
  const Parsed arp(macs + "0806" + "0001080006040001020000000001 0a000001 000000000000 0a000002");
  BOOST_TEST((arp.frame.family == Family::none));
  BOOST_TEST(!arp.frame.error);
  BOOST_TEST(arp.frame.payload_len == 28U);
  const Parsed pfc("0180c2000001 020000000001 8808 0101 0008 000000000000ffff 0000000000000000");
  BOOST_TEST(pfc.layers() == "eth macc macc");
  BOOST_TEST(pfc.frame.get<net::PriorityFlowControl>()->time(3) == 0xFFFF);
}

// scapy: IP(src='10.0.0.1', dst='10.0.0.2')/SCTP(sport=20049, dport=20050, tag=0x11223344)/SCTPChunkCookieAck()
BOOST_AUTO_TEST_CASE(sctp_is_a_common_header_and_chunks) {
  const std::string ip = "4500002400010000408466530a0000010a0000024e514e521122334469f91c7a0b000004";
  const Parsed packet(macs + "0800" + ip);
  BOOST_TEST(packet.layers() == "eth ip sctp");
  BOOST_TEST((packet.frame.family == Family::none));
  BOOST_TEST(!packet.frame.error);
  BOOST_TEST(packet.frame.payload_offset == 46U);
  BOOST_TEST(packet.frame.payload_len == 4U);
  BOOST_TEST(packet.frame.get<net::Sctp>()->verification_tag == 0x11223344U);
  const Parsed cut(macs + "0800" + ip.substr(0, 62), 50);
  BOOST_TEST(cut.layers() == "eth ip");
  check_error(cut.frame.error, {ErrorCode::truncated_capture, Layer::sctp, Limit::capture, 12, 11, 34});
}

BOOST_AUTO_TEST_CASE(captured_more_than_the_wire_had) {
  BOOST_TEST(Parsed(frame4, 10).good());
  const Parsed empty(LinkType::ethernet, "", 0);
  check_error(empty.frame.error, {ErrorCode::truncated_wire, Layer::ethernet, Limit::frame, 14, 0, 0});
}

BOOST_AUTO_TEST_CASE(nesting_ends_at_a_limit) {
  std::string deep = macs;
  for (int i = 0; i < 40; ++i) deep += "81000001";
  const Parsed parsed(deep + "0800" + ip4);
  check_error(parsed.frame.error, {ErrorCode::too_many_layers, Layer::vlan, Limit::none, 0, 0, 14 + 4 * 23});
  BOOST_TEST(parsed.frame.layers().size() == Frame::max_layers);
}

BOOST_AUTO_TEST_CASE(crcs_are_left_alone_if_asked) {
  ParseOptions options;
  options.verify_crcs = false;
  const Parsed parsed(frame4, 0, options);
  BOOST_TEST((parsed.frame.icrc.status == CrcStatus::unchecked));
  BOOST_TEST(parsed.frame.icrc.offset == 54U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(first_violation_of_a_frame)

BOOST_AUTO_TEST_CASE(flawless_frame_has_none) {
  BOOST_TEST(!first_violation(Parsed(frame4).frame));
  BOOST_TEST(parse_frame_strict(LinkType::ethernet, octets(frame4), 58).has_value());
}

BOOST_AUTO_TEST_CASE(each_rule_in_the_order_of_the_layers) {
  const auto with = [](std::size_t at, const std::string& hex) {
    std::string changed = frame4;
    changed.replace(2 * at, hex.size(), hex);
    return first_violation(Parsed(changed).frame);
  };
  check_error(with(24, "0000"), {ErrorCode::bad_ip_checksum, Layer::ipv4, Limit::none, 0, 0, 14});
  check_error(with(38, "0017"), {ErrorCode::bad_length, Layer::udp, Limit::ip_total_length, 23, 24, 34});
  check_error(with(40, "0001"), {ErrorCode::bad_udp_checksum, Layer::udp, Limit::none, 0, 0, 34});
  check_error(with(43, "41"), {ErrorCode::bad_version, Layer::bth, Limit::none, 0, 0, 42});
  check_error(with(42, "1f"), {ErrorCode::reserved_opcode, Layer::bth, Limit::none, 0, 0, 42});
  // SEND FIRST (full), SEND LAST (not empty): nothing follows the BTH.
  check_error(with(42, "00"), {ErrorCode::payload_rule, Layer::bth, Limit::none, 0, 0, 42});
  check_error(with(42, "02"), {ErrorCode::payload_rule, Layer::bth, Limit::none, 0, 0, 42});
  check_error(with(47, "000013"), {ErrorCode::bad_icrc, Layer::icrc, Limit::none, 0, 0, 54});
}

BOOST_AUTO_TEST_SUITE_END()
