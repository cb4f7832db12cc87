// Captured messages: frames of Linux rxe (rxe-rping, rxe-rping-ipv6, rxe-cm-reject, rxe-udaddy), the values as tshark
// shows them. Messages that no capture has are made by hand from IBTA vol. 1, chapter 12, another value in each field.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/mad/headers.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::mad;
using test::check_header;

// The octets that hex digits stand for, those of more at offset, zeros elsewhere.
template <class T>
std::vector<std::uint8_t> padded(std::string_view hex, std::size_t offset = 0, std::string_view more = "") {
  std::vector<std::uint8_t> out = test::octets(hex);
  const std::vector<std::uint8_t> tail = test::octets(more);
  BOOST_REQUIRE(out.size() <= header_size<T> && offset + tail.size() <= header_size<T>);
  out.resize(header_size<T>);
  std::ranges::copy(tail, out.begin() + static_cast<std::ptrdiff_t>(offset));
  return out;
}

template <class T>
std::string text(std::string_view key, Bytes header) {
  for (const FieldInfo& field : header_info<T>.fields) {
    if (field.key != key) continue;
    if (!is_present(field, header)) return "absent";
    std::array<char, 512> out;
    return std::string(out.data(), format_value(field, header, out));
  }
  return "no such key";
}

template <std::size_t N>
bool all_zero(const std::array<std::uint8_t, N>& octets) {
  return octets == std::array<std::uint8_t, N>{};
}

// fe80::LAST
Gid gid(std::uint8_t last) {
  Gid out{{0xFE, 0x80}};
  out.octets[15] = last;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_messages)

BOOST_AUTO_TEST_CASE(every_message_has_the_size_of_the_data) {
  static_assert(header_size<CmReq> == cm_message_size && header_size<CmMra> == cm_message_size);
  static_assert(header_size<CmRej> == cm_message_size && header_size<CmRep> == cm_message_size);
  static_assert(header_size<CmRtu> == cm_message_size && header_size<CmDreq> == cm_message_size);
  static_assert(header_size<CmDrep> == cm_message_size && header_size<CmSidrReq> == cm_message_size);
  static_assert(header_size<CmSidrRep> == cm_message_size && header_size<CmLap> == cm_message_size);
  static_assert(header_size<CmApr> == cm_message_size);
  static_assert(header_size<Mad> + cm_message_size == mad_size);
  BOOST_TEST(cm_message_size == 232U);
}

//= CM-21 test
BOOST_AUTO_TEST_CASE(private_data_has_the_size_of_its_message) {
  static_assert(sizeof(CmReq::private_data) == 92 && sizeof(CmMra::private_data) == 222);
  static_assert(sizeof(CmRej::private_data) == 148 && sizeof(CmRep::private_data) == 196);
  static_assert(sizeof(CmRtu::private_data) == 224 && sizeof(CmDreq::private_data) == 220);
  static_assert(sizeof(CmDrep::private_data) == 224 && sizeof(CmLap::private_data) == 168);
  static_assert(sizeof(CmApr::private_data) == 148 && sizeof(CmSidrReq::private_data) == 216);
  static_assert(sizeof(CmSidrRep::private_data) == 136);
  //= IPC-03 test
  static_assert(sizeof(IpCmReqData::private_data) == 56 && sizeof(IpCmSidrReqData::private_data) == 180);
  BOOST_TEST(CmReq{}.private_data.size() == 92U);
}

//= CM-01 test
BOOST_AUTO_TEST_CASE(mad_header_of_a_captured_req) {
  check_header<Mad>("0107020300000000000000024018d8140010000000000000", [](const Mad& h) {
    BOOST_TEST(h.base_version == 1);
    BOOST_TEST((h.management_class == ManagementClass::communication));
    BOOST_TEST(h.class_version == 2);
    BOOST_TEST((h.method == Method::send));
    BOOST_TEST(h.status.ok());
    BOOST_TEST(h.class_specific == 0);
    BOOST_TEST(h.transaction_id.value == 0x24018D814U);
    BOOST_TEST(h.attribute_id == static_cast<std::uint16_t>(CmAttribute::req));
    BOOST_TEST(h.attribute_modifier == 0U);
    BOOST_TEST(!h.is_response());
  });
}

//= IPC-02 test
BOOST_AUTO_TEST_CASE(captured_req) {
  const auto req = padded<CmReq>(
      "14d81840000000000000000001061c06505400fffe77000100000000000000000000110100000001000000a0758f1ca7"
      "ffff37f0ffffffff00000000000000000000ffff0a4d000100000000000000000000ffff0a4d00021e92500000400098",
      140, "004093010000000000000000000000000a4d00010000000000000000000000000a4d0002");
  BOOST_REQUIRE(req.size() == 232U);
  const Gid local{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 77, 0, 1}};
  const Gid remote{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 77, 0, 2}};
  check_header<CmReq>(Bytes(req), [&](const CmReq& h) {
    BOOST_TEST(h.local_id.value == 0x14D81840U);
    BOOST_TEST(h.vendor_id == 0U);
    BOOST_TEST(h.service_id.value == 0x01061C06U);
    BOOST_TEST(h.local_ca_guid.value == 0x505400FFFE770001U);
    BOOST_TEST(h.local_q_key.value == 0U);
    BOOST_TEST(h.local_qpn.value == 0x11U);
    BOOST_TEST(h.responder_resources == 1);
    BOOST_TEST(h.local_eecn.value == 0U);
    BOOST_TEST(h.initiator_depth == 1);
    BOOST_TEST(h.remote_eecn.value == 0U);
    BOOST_TEST(h.remote_cm_response_timeout == 20);
    BOOST_TEST((h.transport_service == TransportService::rc));
    BOOST_TEST(!h.end_to_end_flow_control);
    BOOST_TEST(h.starting_psn.value == 0x758F1CU);
    BOOST_TEST(h.local_cm_response_timeout == 20);
    BOOST_TEST(h.retry_count == 7);
    BOOST_TEST(h.p_key.value == 0xFFFF);
    BOOST_TEST(h.path_mtu == 3);
    BOOST_TEST(!h.rdc_exists);
    BOOST_TEST(h.rnr_retry_count == 7);
    BOOST_TEST(h.max_cm_retries == 15);
    BOOST_TEST(!h.srq);
    BOOST_TEST((h.extended_transport == ExtendedTransport::none));
    BOOST_TEST(h.primary_local_lid.value == 0xFFFF);
    BOOST_TEST(h.primary_remote_lid.value == 0xFFFF);
    BOOST_TEST((h.primary_local_gid == local));
    BOOST_TEST((h.primary_remote_gid == remote));
    BOOST_TEST(h.primary_flow_label == 0x1E925U);  // tshark shows 0x001e9: wireshark.md, defect 18
    BOOST_TEST(h.primary_reserved0 == 0);
    BOOST_TEST(static_cast<int>(h.primary_packet_rate) == 0);
    BOOST_TEST(h.primary_traffic_class == 0);
    BOOST_TEST(h.primary_hop_limit == 64);
    BOOST_TEST(h.primary_sl == 0);
    BOOST_TEST(!h.primary_subnet_local);
    BOOST_TEST(h.primary_local_ack_timeout == 19);
    BOOST_TEST((h.alternate_local_gid == Gid{}));
    BOOST_TEST(h.alternate_local_lid.value == 0);
    BOOST_TEST(h.alternate_flow_label == 0U);
    BOOST_TEST(h.private_data[0] == 0);
    BOOST_TEST(h.private_data[1] == 0x40);
  });
  BOOST_TEST(text<CmReq>("infiniband.cm.req.serviceid", req) == "0x0000000001061c06");
  BOOST_TEST(text<CmReq>("infiniband.cm.req.serviceid.prefix", req) == "0000000001");
  BOOST_TEST(text<CmReq>("infiniband.cm.req.serviceid.protocol", req) == "0x06");
  BOOST_TEST(text<CmReq>("infiniband.cm.req.serviceid.dport", req) == "0x1c06");
  BOOST_TEST(text<CmReq>("infiniband.cm.req.prim_remotegid", req) == "::ffff:10.77.0.2");

  check_header<IpCm4>(Bytes(req).subspan(140, 36), [](const IpCm4& h) {
    BOOST_TEST(h.major_version == 0);
    BOOST_TEST(h.minor_version == 0);
    BOOST_TEST(h.ip_version == 4);
    BOOST_TEST(h.source_port == 0x9301);
    BOOST_TEST((h.source == Ipv4Address{{10, 77, 0, 1}}));
    BOOST_TEST((h.destination == Ipv4Address{{10, 77, 0, 2}}));
  });
}

BOOST_AUTO_TEST_CASE(each_field_of_a_req_lies_at_its_own_place) {
  const auto req = padded<CmReq>(
      "01020304 00 00c0de 1122334455667788 99aabbccddeeff00 00000000 0a0b0c0d 0a1b2c 05 0e0f10 06 111213"
      "9d 141516 a3 8001 5e 7b 0014 0015 fe800000000000000000000000000001 fe800000000000000000000000000002"
      "abcde003 17 18 98 a8 0016 0017 fe800000000000000000000000000003 fe800000000000000000000000000004"
      "12345007 19 1a 70 6c 77");
  check_header<CmReq>(Bytes(req), [](const CmReq& h) {
    BOOST_TEST(h.local_id.value == 0x01020304U);
    BOOST_TEST(h.vendor_id == 0x00C0DEU);
    BOOST_TEST(h.service_id.value == 0x1122334455667788U);
    BOOST_TEST(h.local_ca_guid.value == 0x99AABBCCDDEEFF00U);
    BOOST_TEST(h.local_q_key.value == 0x0A0B0C0DU);
    BOOST_TEST(h.local_qpn.value == 0x0A1B2CU);
    BOOST_TEST(h.responder_resources == 5);
    BOOST_TEST(h.local_eecn.value == 0x0E0F10U);
    BOOST_TEST(h.initiator_depth == 6);
    BOOST_TEST(h.remote_eecn.value == 0x111213U);
    BOOST_TEST(h.remote_cm_response_timeout == 19);
    BOOST_TEST((h.transport_service == TransportService::rd));
    BOOST_TEST(h.end_to_end_flow_control);
    BOOST_TEST(h.starting_psn.value == 0x141516U);
    BOOST_TEST(h.local_cm_response_timeout == 20);
    BOOST_TEST(h.retry_count == 3);
    BOOST_TEST(h.p_key.value == 0x8001);
    BOOST_TEST(h.path_mtu == 5);
    BOOST_TEST(h.rdc_exists);
    BOOST_TEST(h.rnr_retry_count == 6);
    BOOST_TEST(h.max_cm_retries == 7);
    BOOST_TEST(h.srq);
    BOOST_TEST(static_cast<int>(h.extended_transport) == 3);
    BOOST_TEST(h.primary_local_lid.value == 0x14);
    BOOST_TEST(h.primary_remote_lid.value == 0x15);
    BOOST_TEST((h.primary_local_gid == gid(1)));
    BOOST_TEST((h.primary_remote_gid == gid(2)));
    BOOST_TEST(h.primary_flow_label == 0xABCDEU);
    BOOST_TEST((h.primary_packet_rate == Rate::gbps10));
    BOOST_TEST(h.primary_traffic_class == 0x17);
    BOOST_TEST(h.primary_hop_limit == 0x18);
    BOOST_TEST(h.primary_sl == 9);
    BOOST_TEST(h.primary_subnet_local);
    BOOST_TEST(h.primary_local_ack_timeout == 21);
    BOOST_TEST(h.alternate_local_lid.value == 0x16);
    BOOST_TEST(h.alternate_remote_lid.value == 0x17);
    BOOST_TEST((h.alternate_local_gid == gid(3)));
    BOOST_TEST((h.alternate_remote_gid == gid(4)));
    BOOST_TEST(h.alternate_flow_label == 0x12345U);
    BOOST_TEST((h.alternate_packet_rate == Rate::gbps40));
    BOOST_TEST(h.alternate_traffic_class == 0x19);
    BOOST_TEST(h.alternate_hop_limit == 0x1A);
    BOOST_TEST(h.alternate_sl == 7);
    BOOST_TEST(!h.alternate_subnet_local);
    BOOST_TEST(h.alternate_local_ack_timeout == 13);
    BOOST_TEST(h.sap_supported);
    BOOST_TEST(h.private_data[0] == 0x77);
  });
  // Not an IP CM service: no closer look at the service ID.
  BOOST_TEST(text<CmReq>("infiniband.cm.req.serviceid.dport", req) == "absent");
  BOOST_TEST(text<CmReq>("infiniband.cm.req.prim_flowlabel", req) == "0x000abcde");
  BOOST_TEST(text<CmReq>("infiniband.cm.req.prim_pktrate", req) == "0x00000003");
}

BOOST_AUTO_TEST_CASE(captured_req_over_ipv6) {
  check_header<IpCm6>("0060a52ffd000077000000000000000000000001fd000077000000000000000000000002", [](const IpCm6& h) {
    BOOST_TEST(h.ip_version == 6);
    BOOST_TEST(h.source_port == 0xA52F);
    BOOST_TEST(h.source.octets[0] == 0xFD);
    BOOST_TEST(h.source.octets[15] == 1);
    BOOST_TEST(h.destination.octets[3] == 0x77);
    BOOST_TEST(h.destination.octets[15] == 2);
  });
}

BOOST_AUTO_TEST_CASE(captured_rep) {
  const auto rep = padded<CmRep>("41a9a3f214d81840000000000000110000000000bb08d100010178e0505400fffe770002");
  check_header<CmRep>(Bytes(rep), [](const CmRep& h) {
    BOOST_TEST(h.local_id.value == 0x41A9A3F2U);
    BOOST_TEST(h.remote_id.value == 0x14D81840U);
    BOOST_TEST(h.local_q_key.value == 0U);
    BOOST_TEST(h.local_qpn.value == 0x11U);
    BOOST_TEST(h.local_eecn.value == 0U);
    BOOST_TEST(h.starting_psn.value == 0xBB08D1U);
    BOOST_TEST(h.responder_resources == 1);
    BOOST_TEST(h.initiator_depth == 1);
    BOOST_TEST(h.target_ack_delay == 15);
    BOOST_TEST((h.failover_accepted == FailoverAccepted::accepted));
    BOOST_TEST(!h.end_to_end_flow_control);
    BOOST_TEST(h.rnr_retry_count == 7);
    BOOST_TEST(!h.srq);
    BOOST_TEST(h.local_ca_guid.value == 0x505400FFFE770002U);
    BOOST_TEST(all_zero(h.private_data));
  });
}

BOOST_AUTO_TEST_CASE(each_field_of_a_rep_lies_at_its_own_place) {
  const auto rep =
      padded<CmRep>("01020304 05060708 090a0b0c 0d0e0f c0 101112 c1 131415 c2 16 17 9d b0 1122334455667788 99");
  check_header<CmRep>(Bytes(rep), [](const CmRep& h) {
    BOOST_TEST(h.local_id.value == 0x01020304U);
    BOOST_TEST(h.remote_id.value == 0x05060708U);
    BOOST_TEST(h.local_q_key.value == 0x090A0B0CU);
    BOOST_TEST(h.local_qpn.value == 0x0D0E0FU);
    BOOST_TEST(h.vendor_id_high == 0xC0);
    BOOST_TEST(h.local_eecn.value == 0x101112U);
    BOOST_TEST(h.vendor_id_middle == 0xC1);
    BOOST_TEST(h.starting_psn.value == 0x131415U);
    BOOST_TEST(h.vendor_id_low == 0xC2);
    BOOST_TEST(h.responder_resources == 0x16);
    BOOST_TEST(h.initiator_depth == 0x17);
    BOOST_TEST(h.target_ack_delay == 19);
    BOOST_TEST((h.failover_accepted == FailoverAccepted::rejected));
    BOOST_TEST(h.end_to_end_flow_control);
    BOOST_TEST(h.rnr_retry_count == 5);
    BOOST_TEST(h.srq);
    BOOST_TEST(h.local_ca_guid.value == 0x1122334455667788U);
    BOOST_TEST(h.private_data[0] == 0x99);
  });
}

BOOST_AUTO_TEST_CASE(captured_rtu) {
  const auto rtu = padded<CmRtu>("14d8184041a9a3f2");
  check_header<CmRtu>(Bytes(rtu), [](const CmRtu& h) {
    BOOST_TEST(h.local_id.value == 0x14D81840U);
    BOOST_TEST(h.remote_id.value == 0x41A9A3F2U);
    BOOST_TEST(all_zero(h.private_data));
  });
}

BOOST_AUTO_TEST_CASE(captured_dreq_and_drep) {
  const auto dreq = padded<CmDreq>("14d8184041a9a3f2000011");
  check_header<CmDreq>(Bytes(dreq), [](const CmDreq& h) {
    BOOST_TEST(h.local_id.value == 0x14D81840U);
    BOOST_TEST(h.remote_id.value == 0x41A9A3F2U);
    BOOST_TEST(h.remote_qpn.value == 0x11U);
    BOOST_TEST(all_zero(h.private_data));
  });
  const auto drep = padded<CmDrep>("41a9a3f214d81840");
  check_header<CmDrep>(Bytes(drep), [](const CmDrep& h) {
    BOOST_TEST(h.local_id.value == 0x41A9A3F2U);
    BOOST_TEST(h.remote_id.value == 0x14D81840U);
    BOOST_TEST(all_zero(h.private_data));
  });
}

BOOST_AUTO_TEST_CASE(captured_rej_by_the_consumer) {
  const auto rej = padded<CmRej>("a884c42a1525595b0000001c", 84, "6e6f");
  check_header<CmRej>(Bytes(rej), [](const CmRej& h) {
    BOOST_TEST(h.local_id.value == 0xA884C42AU);
    BOOST_TEST(h.remote_id.value == 0x1525595BU);
    BOOST_TEST((h.message == RejMessage::req));
    BOOST_TEST(h.reject_info_length == 0);
    BOOST_TEST((h.reason == RejReason::consumer_reject));
    BOOST_TEST(all_zero(h.additional_info));
    BOOST_TEST(h.private_data[0] == 'n');
    BOOST_TEST(h.private_data[1] == 'o');
  });
}

BOOST_AUTO_TEST_CASE(rej_with_every_field_set) {
  auto rej = padded<CmRej>("01020304 05060708 7f 91 0018 a1");
  rej[83] = 0xA2;
  rej[84] = 0xB1;
  check_header<CmRej>(Bytes(rej), [](const CmRej& h) {
    BOOST_TEST((h.message == RejMessage::rep));
    BOOST_TEST(h.reserved8 == 0x3F);
    BOOST_TEST(h.reject_info_length == 0x48);
    BOOST_TEST(h.reserved9 == 1);
    BOOST_TEST((h.reason == RejReason::port_and_cm_redirection));
    BOOST_TEST(h.additional_info.front() == 0xA1);
    BOOST_TEST(h.additional_info.back() == 0xA2);
    BOOST_TEST(h.private_data.front() == 0xB1);
  });
}

BOOST_AUTO_TEST_CASE(each_field_of_an_mra_lies_at_its_own_place) {
  const auto mra = padded<CmMra>("01020304 05060708 80 b8 77");
  check_header<CmMra>(Bytes(mra), [](const CmMra& h) {
    BOOST_TEST(h.local_id.value == 0x01020304U);
    BOOST_TEST(h.remote_id.value == 0x05060708U);
    BOOST_TEST((h.message == MraMessage::lap));
    BOOST_TEST(h.service_timeout == 23);
    BOOST_TEST(h.private_data[0] == 0x77);
  });
}

BOOST_AUTO_TEST_CASE(captured_sidr_req_and_rep) {
  const auto req = padded<CmSidrReq>(
      "04d81840ffff00000000000001111c060040edc10000000000000000000000000a4d00010000000000000000000000000a4d0002");
  check_header<CmSidrReq>(Bytes(req), [](const CmSidrReq& h) {
    BOOST_TEST(h.request_id.value == 0x04D81840U);
    BOOST_TEST(h.p_key.value == 0xFFFF);
    BOOST_TEST(h.service_id.value == 0x01111C06U);
    BOOST_TEST(h.private_data[1] == 0x40);
  });
  BOOST_TEST(text<CmSidrReq>("rdma.cm.sidr_req.serviceid.dport", req) == "0x1c06");
  const auto rep = padded<CmSidrRep>("04d8184000000000000049000000000001111c0601234567");
  check_header<CmSidrRep>(Bytes(rep), [](const CmSidrRep& h) {
    BOOST_TEST(h.request_id.value == 0x04D81840U);
    BOOST_TEST((h.status == SidrStatus::valid));
    BOOST_TEST(h.additional_info_length == 0);
    BOOST_TEST(h.qpn.value == 0x49U);
    BOOST_TEST(h.service_id.value == 0x01111C06U);
    BOOST_TEST((h.q_key == udp_port_space_q_key));
    BOOST_TEST(all_zero(h.additional_info));
    BOOST_TEST(all_zero(h.private_data));
  });
}

BOOST_AUTO_TEST_CASE(sidr_rep_with_every_field_set) {
  auto rep = padded<CmSidrRep>("01020304 05 48 c0c1 060708 c2 1122334455667788 090a0b0c a1");
  rep[95] = 0xA2;
  rep[96] = 0xB1;
  check_header<CmSidrRep>(Bytes(rep), [](const CmSidrRep& h) {
    BOOST_TEST((h.status == SidrStatus::version));
    BOOST_TEST(h.additional_info_length == 72);
    BOOST_TEST(h.vendor_id_high == 0xC0C1);
    BOOST_TEST(h.qpn.value == 0x060708U);
    BOOST_TEST(h.vendor_id_low == 0xC2);
    BOOST_TEST(h.service_id.value == 0x1122334455667788U);
    BOOST_TEST(h.q_key.value == 0x090A0B0CU);
    BOOST_TEST(h.additional_info.front() == 0xA1);
    BOOST_TEST(h.additional_info.back() == 0xA2);
    BOOST_TEST(h.private_data.front() == 0xB1);
  });
}

BOOST_AUTO_TEST_CASE(each_field_of_a_lap_lies_at_its_own_place) {
  const auto lap = padded<CmLap>(
      "01020304 05060708 00000000 0a1b2c a8 00000000 0011 0012 fe800000000000000000000000000003"
      "fe800000000000000000000000000004 abcde0 13 14 07 98 68 77");
  check_header<CmLap>(Bytes(lap), [](const CmLap& h) {
    BOOST_TEST(h.local_id.value == 0x01020304U);
    BOOST_TEST(h.remote_id.value == 0x05060708U);
    BOOST_TEST(h.remote_qpn.value == 0x0A1B2CU);
    BOOST_TEST(h.remote_cm_response_timeout == 21);
    BOOST_TEST(h.local_lid.value == 0x11);
    BOOST_TEST(h.remote_lid.value == 0x12);
    BOOST_TEST((h.local_gid == gid(3)));
    BOOST_TEST((h.remote_gid == gid(4)));
    BOOST_TEST(h.flow_label == 0xABCDEU);
    BOOST_TEST(h.traffic_class == 0x13);
    BOOST_TEST(h.hop_limit == 0x14);
    BOOST_TEST((h.packet_rate == Rate::gbps40));
    BOOST_TEST(h.sl == 9);
    BOOST_TEST(h.subnet_local);
    BOOST_TEST(h.local_ack_timeout == 13);
    BOOST_TEST(h.private_data[0] == 0x77);
  });
}

BOOST_AUTO_TEST_CASE(each_field_of_an_apr_lies_at_its_own_place) {
  auto apr = padded<CmApr>("01020304 05060708 48 0d 0000 a1");
  apr[83] = 0xA2;
  apr[84] = 0xB1;
  check_header<CmApr>(Bytes(apr), [](const CmApr& h) {
    BOOST_TEST(h.local_id.value == 0x01020304U);
    BOOST_TEST(h.remote_id.value == 0x05060708U);
    BOOST_TEST(h.additional_info_length == 72);
    BOOST_TEST((h.status == AprStatus::sl));
    BOOST_TEST(h.additional_info.front() == 0xA1);
    BOOST_TEST(h.additional_info.back() == 0xA2);
    BOOST_TEST(h.private_data.front() == 0xB1);
  });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(service_ids)

//= IPC-01 test
BOOST_AUTO_TEST_CASE(ip_cm_service_has_protocol_and_port) {
  constexpr ServiceId id{0x01064853};
  static_assert(is_ip_cm(id) && !is_sdp(id));
  static_assert(ip_protocol(id) == static_cast<std::uint8_t>(PortSpace::tcp));
  static_assert(service_port(id) == 18515);
  static_assert(ip_cm_service_id(PortSpace::tcp, 18515) == id);
  BOOST_TEST(ip_cm_service_id(PortSpace::udp, 7174).value == 0x01111C06U);
  BOOST_TEST(ip_cm_service_id(PortSpace::ib, 0xFFFF).value == 0x013FFFFFU);
}

BOOST_AUTO_TEST_CASE(ranges_end_where_the_prefix_changes) {
  static_assert(is_ip_cm(ServiceId{0x01000000}) && is_ip_cm(ServiceId{0x01FFFFFF}));
  static_assert(!is_ip_cm(ServiceId{0x00FFFFFF}) && !is_ip_cm(ServiceId{0x02000000}));
  static_assert(!is_ip_cm(ServiceId{0x8000000001000000}));
  static_assert(is_sdp(ServiceId{0x10000}) && is_sdp(ServiceId{0x1FFFF}));
  static_assert(!is_sdp(ServiceId{0xFFFF}) && !is_sdp(ServiceId{0x20000}));
  BOOST_TEST(sdp_service_id(80).value == 0x10050U);
}

BOOST_AUTO_TEST_SUITE_END()
