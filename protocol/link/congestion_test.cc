#include "protocol/link/congestion.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/frame.h"

namespace {

using namespace rdmawire;
using test::octets;

// Marks `before` and checks the whole packet after it.
void check(LinkType link, std::string_view before, std::string_view after) {
  std::vector<std::uint8_t> packet = octets(before);
  const std::vector<std::uint8_t> wanted = octets(after);
  BOOST_TEST(link::mark_congestion(link, packet));
  BOOST_TEST(packet == wanted, boost::test_tools::per_element());
  // Once more changes nothing.
  BOOST_TEST(link::mark_congestion(link, packet));
  BOOST_TEST(packet == wanted, boost::test_tools::per_element());
}

void check_unmarked(LinkType link, std::string_view hex) {
  std::vector<std::uint8_t> packet = octets(hex);
  BOOST_TEST(!link::mark_congestion(link, packet));
  BOOST_TEST(packet == octets(hex), boost::test_tools::per_element());
}

void check_crcs(LinkType link, std::string_view hex) {
  const std::vector<std::uint8_t> packet = octets(hex);
  const Error error = first_violation(parse_frame(link, packet, static_cast<std::uint32_t>(packet.size())));
  BOOST_TEST(!error, std::string_view(to_string(error)));
}

BOOST_AUTO_TEST_SUITE(congestion)

// A CNP of a ConnectX-4 Lx: DSCP 48, ECT(0).
BOOST_AUTO_TEST_CASE(ipv4_becomes_ce_and_its_checksum_follows) {
  check(LinkType::ethernet,
        "e41d2dab2bc2 7cfe90643b32 0800 45c2003c718c4000 40119161 0a0011010a001201 000012b700280000"
        "8100ffff40000118000000000000000000000000000000000000000082fd002a",
        "e41d2dab2bc2 7cfe90643b32 0800 45c3003c718c4000 40119160 0a0011010a001201 000012b700280000"
        "8100ffff40000118000000000000000000000000000000000000000082fd002a");
}

// The ACK of Soft-RoCE that a switch in our lab marked (rxe-ecn-ce, frame 12), but with ECT(1), for which its checksum
// is one less than without.
BOOST_AUTO_TEST_CASE(the_other_capable_codepoint_counts_too) {
  constexpr std::string_view marked =
      "5254007700015254007700020800 45030030416640004011e4b7 0a4d00020a4d0001 dcf112b7001c0000"
      "1100ffff00000024001b394c1f0000011a9d1170";
  check(LinkType::ethernet,
        "5254007700015254007700020800 45010030416640004011e4b9 0a4d00020a4d0001 dcf112b7001c0000"
        "1100ffff00000024001b394c1f0000011a9d1170",
        marked);
  check_crcs(LinkType::ethernet, marked);
}

BOOST_AUTO_TEST_CASE(senders_that_are_not_capable_are_left_alone) {
  check_unmarked(LinkType::ethernet,
                 "5254007700015254007700020800 45000030416640004011e4ba 0a4d00020a4d0001 dcf112b7001c0000"
                 "1100ffff00000024001b394c1f0000011a9d1170");
  check_unmarked(LinkType::ethernet,
                 "52540077000152540077000286dd 60000000001c1140 fd000077000000000000000000000002"
                 "fd000077000000000000000000000001 c21112b7001c0000 1100ffff00000017 00984a8e1f000001 2bbe0058");
}

BOOST_AUTO_TEST_CASE(a_wrong_checksum_stays_as_wrong_as_it_was) {
  check(LinkType::ethernet,
        "5254007700015254007700020800 45020030416640004011e4b9 0a4d00020a4d0001 dcf112b7001c0000"
        "1100ffff00000024001b394c1f0000011a9d1170",
        "5254007700015254007700020800 45030030416640004011e4b8 0a4d00020a4d0001 dcf112b7001c0000"
        "1100ffff00000024001b394c1f0000011a9d1170");
}

// An ACK of Soft-RoCE over IPv6, with ECT(0) in its traffic class: the bits lie across two octets.
BOOST_AUTO_TEST_CASE(ipv6_becomes_ce) {
  constexpr std::string_view marked =
      "52540077000152540077000286dd 60300000001c1140 fd000077000000000000000000000002"
      "fd000077000000000000000000000001 c21112b7001c0000 1100ffff00000017 00984a8e1f000001 2bbe0058";
  check(LinkType::ethernet,
        "52540077000152540077000286dd 60200000001c1140 fd000077000000000000000000000002"
        "fd000077000000000000000000000001 c21112b7001c0000 1100ffff00000017 00984a8e1f000001 2bbe0058",
        marked);
  check_crcs(LinkType::ethernet, marked);
}

BOOST_AUTO_TEST_CASE(tags_before_and_no_link_before_are_understood) {
  check(LinkType::ethernet,
        "525400770001525400770002 8100 6005 0800 45020030416640004011e4b8 0a4d00020a4d0001 dcf112b7001c0000"
        "1100ffff00000024001b394c1f0000011a9d1170",
        "525400770001525400770002 8100 6005 0800 45030030416640004011e4b7 0a4d00020a4d0001 dcf112b7001c0000"
        "1100ffff00000024001b394c1f0000011a9d1170");
  check(LinkType::raw_ip,
        "45020030416640004011e4b8 0a4d00020a4d0001 dcf112b7001c0000 1100ffff00000024001b394c1f0000011a9d1170",
        "45030030416640004011e4b7 0a4d00020a4d0001 dcf112b7001c0000 1100ffff00000024001b394c1f0000011a9d1170");
}

// IBTA sample packets, with an LRH alone and with a GRH too. The new VCRC was computed bit by bit in Python.
BOOST_AUTO_TEST_CASE(native_packets_get_fecn_and_their_vcrc_follows) {
  constexpr std::string_view marked =
      "7012375c000e17d2 0a2024878087b1b3000dec2a 01710a1c015d400238f27a050000000e bb884d85fd5cfba4728bc0690ed40000"
      "9625b75a 018b";
  check(LinkType::infiniband,
        "7012375c000e17d2 0a2024870087b1b3000dec2a 01710a1c015d400238f27a050000000e bb884d85fd5cfba4728bc0690ed40000"
        "9625b75a 45fa",
        marked);
  check_crcs(LinkType::infiniband, marked);
  check(LinkType::infiniband,
        "7013375c001817d2 6000000000320010000000000000012500000000000000260000000000000117000000000000 0096"
        "0a2024870087b1b3000dec2a 01710a1c015d400238f27a050000000e bb884d85fd5cfba4728bc0690ed40000 1493ec46 7c44",
        "7013375c001817d2 6000000000320010000000000000012500000000000000260000000000000117000000000000 0096"
        "0a2024878087b1b3000dec2a 01710a1c015d400238f27a050000000e bb884d85fd5cfba4728bc0690ed40000 1493ec46 3835");
}

BOOST_AUTO_TEST_CASE(what_has_no_mark_is_left_alone) {
  // RoCEv1.
  check_unmarked(LinkType::ethernet,
                 "7cfe90753cd87cfe90753cd88915 6020000000141b40 00000000000000000000ffff0f000002"
                 "00000000000000000000ffff0f000002 1140ffff00000109 00a788c000000005 25f0c038");
  // Not RDMA, cut short, and nothing.
  check_unmarked(LinkType::ethernet, "ffffffffffff525400770002 0806 0001080006040001");
  check_unmarked(LinkType::ethernet, "525400770001525400770002 0800 450200304166");
  check_unmarked(LinkType::infiniband, "7012375c");
  check_unmarked(LinkType::ethernet, "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
