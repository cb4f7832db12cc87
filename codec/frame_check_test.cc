// Packets that a receiver must drop, each wrong in one thing and right in all else: checksums and CRCs were made for
// the packet as it stands, by the vectors' bitwise CRCs in Python. Beside them, packets that look wrong and are not.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/frame.h"
#include "codec/ib/headers.h"
#include "codec/net/net.h"

namespace {

using namespace rdmawire;
using test::check_error;
using test::octets;

struct Judged {
  std::vector<std::uint8_t> data;
  Frame frame;
  Error error;

  Judged(LinkType link, const std::string& hex)
      : data(octets(hex)),
        frame(parse_frame(link, data, static_cast<std::uint32_t>(data.size()))),
        error(first_violation(frame)) {}

  bool has(Layer layer) const { return frame.find(layer) != nullptr; }
};

Judged ethernet(const std::string& hex) { return {LinkType::ethernet, hex}; }
Judged native(const std::string& hex) { return {LinkType::infiniband, hex}; }

// RC SEND ONLY without payload, DestQP 0x12, PSN 0x101.
const std::string bth = "0440ffff0000001280000101";
const std::string macs = "020000000002020000000001";
const std::string addresses4 = "0a0000010a000002";
const std::string good4 = macs + "08004500002c123440004011148b" + addresses4 + "c0de12b700180000" + bth + "f5438dee";
const std::string link_locals = "fe800000000000000000000000000001fe800000000000000000000000000002";
const std::string good1 = macs + "8915" + "6000000000101b40" + link_locals + bth + "865a2267";
const std::string good_native = "0002000200060001" + bth + "ff976a365d0b";

}  // namespace

BOOST_AUTO_TEST_SUITE(native_packets)

BOOST_AUTO_TEST_CASE(flawless) { BOOST_TEST(!native(good_native).error); }

//= HV-01 test
BOOST_AUTO_TEST_CASE(variant_crc_that_is_wrong) {
  check_error(native("0002000200060001" + bth + "ff976a365d0a").error,
              {ErrorCode::bad_vcrc, Layer::vcrc, Limit::none, 0, 0, 24});
}

//= HV-03 test
BOOST_AUTO_TEST_CASE(link_version_other_than_0) {
  check_error(native("0102000200060001" + bth + "b9ac0d534fd8").error,
              {ErrorCode::bad_version, Layer::lrh, Limit::none, 0, 0, 0});
}

//= HV-04 test
BOOST_AUTO_TEST_CASE(raw_packets_have_no_transport_whatever_their_octets) {
  const Judged raw = native("0000000200060001" + bth + "0d8a12b4cb6f");
  BOOST_TEST(raw.has(Layer::rwh));
  BOOST_TEST(!raw.has(Layer::bth));
  BOOST_TEST(raw.frame.opcode == nullptr);
  const Judged ipv6 = native("0001000200060001" + bth + "0d8a12b453a3");
  BOOST_TEST(!ipv6.has(Layer::bth));
  BOOST_TEST(ipv6.frame.opcode == nullptr);
  BOOST_TEST(native(good_native).has(Layer::bth));
}

//= HV-05 test
BOOST_AUTO_TEST_CASE(packet_length_that_is_not_the_octets_there) {
  check_error(native("0002000200070001" + bth + "174c918f3af5").error,
              {ErrorCode::bad_length, Layer::lrh, Limit::frame, 30, 26, 0});
  // One word short: the word before the CRCs is taken for the ICRC.
  check_error(native("0002000200050001" + bth + "86fd17275066").error,
              {ErrorCode::truncated_wire, Layer::icrc, Limit::lrh_pktlen, 4, 0, 20});
}

//= LNK-01 test
BOOST_AUTO_TEST_CASE(flow_control_packet) {
  const Judged packet = native("012324566a84");
  BOOST_TEST(!packet.error);
  BOOST_TEST((packet.frame.get<ib::FlowControl>()->op == ib::FlowControlOp::normal));
  BOOST_TEST(packet.frame.get<ib::FlowControl>()->total_blocks_sent == 0x123);
  BOOST_TEST(packet.frame.get<ib::FlowControl>()->virtual_lane == 2);
  BOOST_TEST(packet.frame.get<ib::FlowControl>()->credit_limit == 0x456);
  const Judged init = native("1123245681e3");
  BOOST_TEST(!init.error);
  BOOST_TEST((init.frame.get<ib::FlowControl>()->op == ib::FlowControlOp::init));
  BOOST_TEST(name_of(ib::FlowControlOp{2}).empty());
  check_error(native("112324566a84").error, {ErrorCode::bad_lpcrc, Layer::flow_control, Limit::none, 0, 0, 4});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rocev1_packets)

//= V1-02 test
BOOST_AUTO_TEST_CASE(padding_after_the_packet_is_not_the_packets) {
  BOOST_TEST(!ethernet(good1).error);
  const Judged padded = ethernet(good1 + "000000000000");
  BOOST_TEST(!padded.error);
  BOOST_TEST(padded.frame.packet_end == 70U);
  BOOST_TEST(padded.frame.icrc.offset == 66U);
}

//= HV-06 test
BOOST_AUTO_TEST_CASE(grh_of_another_version) {
  check_error(ethernet(macs + "8915" + "4000000000101b40" + link_locals + bth + "ace5d733").error,
              {ErrorCode::bad_version, Layer::grh, Limit::none, 0, 0, 14});
}

//= HV-08 test
BOOST_AUTO_TEST_CASE(grh_with_another_next_header) {
  const Judged udp = ethernet(macs + "8915" + "6000000000101140" + link_locals + bth + "babd1fd0");
  check_error(udp.error, {ErrorCode::unknown_next_header, Layer::grh, Limit::none, 0, 0, 14});
  BOOST_TEST(!udp.has(Layer::bth));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rocev2_packets)

BOOST_AUTO_TEST_CASE(flawless) { BOOST_TEST(!ethernet(good4).error); }

//= HV-06 test
BOOST_AUTO_TEST_CASE(ip_version_that_the_ethertype_contradicts) {
  const Judged six =
      ethernet(macs + "08006500002c123440004011f48a" + addresses4 + "c0de12b700180000" + bth + "f5438dee");
  check_error(six.error, {ErrorCode::bad_version, Layer::ipv4, Limit::none, 0, 0, 14});
  BOOST_TEST(!six.has(Layer::bth));
}

//= HV-08, V2-09 test
BOOST_AUTO_TEST_CASE(ip_protocol_other_than_udp) {
  const Judged iba =
      ethernet(macs + "08004500002c12344000401b1481" + addresses4 + "c0de12b700180000" + bth + "dfd47d84");
  BOOST_TEST((iba.frame.family == Family::none));
  BOOST_TEST(!iba.has(Layer::bth));
}

//= HV-10 test
BOOST_AUTO_TEST_CASE(transport_version_other_than_0) {
  check_error(ethernet(macs + "08004500002c123440004011148b" + addresses4 + "c0de12b700180000" +
                       "0441ffff0000001280000101" + "359c032f")
                  .error,
              {ErrorCode::bad_version, Layer::bth, Limit::none, 0, 0, 42});
}

//= HV-21, HV-22 test
BOOST_AUTO_TEST_CASE(reserved_and_congestion_bits_do_not_matter) {
  // FECN, BECN and both reserved fields of the BTH all ones.
  const Judged ones = ethernet(macs + "08004500002c123440004011148b" + addresses4 + "c0de12b700180000" +
                               "0440ffffff000012ff000101" + "3ff3d1dd");
  BOOST_TEST(!ones.error);
  BOOST_TEST(ones.frame.get<ib::Bth>()->reserved6 == 0x3F);
  BOOST_TEST(ones.frame.get<ib::Bth>()->reserved7 == 0x7F);
  // Octet 4 is outside of the ICRC, the low bits of octet 8 are inside.
  std::string changed = good4;
  changed.replace(2 * 46, 2, "ff");
  BOOST_TEST(!ethernet(changed).error);
  changed.replace(2 * 50, 2, "ff");
  check_error(ethernet(changed).error, {ErrorCode::bad_icrc, Layer::icrc, Limit::none, 0, 0, 54});
}

//= HV-23 test
BOOST_AUTO_TEST_CASE(packet_too_short_for_the_headers_of_its_opcode) {
  const Judged write = ethernet(macs + "08004500002c123440004011148b" + addresses4 + "c0de12b700180000" +
                                "0a40ffff0000001280000101" + "eb90bc07");
  check_error(write.error, {ErrorCode::truncated_wire, Layer::reth, Limit::udp_length, 16, 0, 54});
  BOOST_TEST((write.frame.icrc.status == CrcStatus::good));
}

//= HV-26, V2-02 test
BOOST_AUTO_TEST_CASE(ip_options) {
  const Judged options =
      ethernet(macs + "08004600003012344000401111850a0000010a00000201010101" + "c0de12b700180000" + bth + "a84d437c");
  check_error(options.error, {ErrorCode::bad_header_length, Layer::ipv4, Limit::none, 0, 0, 14});
  BOOST_TEST((options.frame.icrc.status == CrcStatus::good));
}

//= HV-27, V2-06, V2-07 test
BOOST_AUTO_TEST_CASE(fragments) {
  check_error(
      ethernet(macs + "08004500002c123420004011348b" + addresses4 + "c0de12b700180000" + bth + "3f163933").error,
      {ErrorCode::fragment, Layer::ipv4, Limit::none, 0, 0, 14});
  check_error(
      ethernet(macs + "08004500002c123400104011547b" + addresses4 + "c0de12b700180000" + bth + "cb269ea1").error,
      {ErrorCode::fragment, Layer::ipv4, Limit::none, 0, 0, 14});
}

//= HV-28, V2-05, V2-14 test
BOOST_AUTO_TEST_CASE(udp_length_that_the_ip_length_contradicts) {
  check_error(
      ethernet(macs + "08004500002c123440004011148b" + addresses4 + "c0de12b700140000" + bth + "f5438dee").error,
      {ErrorCode::bad_length, Layer::udp, Limit::ip_total_length, 20, 24, 34});
}

//= V2-15 test
BOOST_AUTO_TEST_CASE(udp_checksum_may_be_0_or_right) {
  const auto with = [](const std::string& checksum) {
    return ethernet(macs + "08004500002c123440004011148b" + addresses4 + "c0de12b70018" + checksum + bth + "f5438dee");
  };
  BOOST_TEST(!with("0000").error);
  BOOST_TEST(!with("0fa0").error);
  check_error(with("0fa1").error, {ErrorCode::bad_udp_checksum, Layer::udp, Limit::none, 0, 0, 34});
}

//= V2-13 test
BOOST_AUTO_TEST_CASE(any_udp_source_port) {
  BOOST_TEST(
      !ethernet(macs + "08004500002c123440004011148b" + addresses4 + "000012b700180000" + bth + "2bbaa2e0").error);
  BOOST_TEST(
      !ethernet(macs + "08004500002c123440004011148b" + addresses4 + "000112b700180000" + bth + "733a4037").error);
}

//= V2-22 test
BOOST_AUTO_TEST_CASE(ip_identification_is_under_the_icrc) {
  // 0x1235, and the header checksum for it.
  check_error(
      ethernet(macs + "08004500002c123540004011148a" + addresses4 + "c0de12b700180000" + bth + "f5438dee").error,
      {ErrorCode::bad_icrc, Layer::icrc, Limit::none, 0, 0, 54});
}

//= V2-23 test
BOOST_AUTO_TEST_CASE(link_addresses_and_vlan_tag_are_not_under_the_icrc) {
  BOOST_TEST(!ethernet("aabbccddeeff112233445566" + good4.substr(24)).error);
  BOOST_TEST(!ethernet(macs + "81006007" + good4.substr(24)).error);
}

//= CRC-04 test
BOOST_AUTO_TEST_CASE(what_may_change_on_the_way_is_not_under_the_icrc) {
  // Class 0x6B, TTL 5 and the header checksum for them; FECN and BECN.
  BOOST_TEST(!ethernet(macs + "0800456b002c123440000511" + "4f20" + addresses4 + "c0de12b700180000" +
                       "0440ffffc000001280000101" + "f5438dee")
                  .error);
}

BOOST_AUTO_TEST_SUITE_END()
