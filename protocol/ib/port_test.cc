// Whole frames: what a port drops and why, and what it adds.
#include "protocol/ib/port_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

BOOST_AUTO_TEST_SUITE(port)

//= V2-01 test
//= V1-01 test
//= ACK-13 test
//= CRC-01 test
RDMAWIRE_SCENARIO(each_carrier_is_answered_alike) {
  Net ipv4(script);
  ipv4.take(ipv4.spec(), "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  Net ipv6(script, setup_for(v6));
  ipv6.take(ipv6.spec(), "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  Net grh(script, setup_for(v1));
  grh.take(grh.spec(), "rocev1 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  Net global(script, native());
  global.take(global.spec(), "ib RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  Net local(script, native(false));
  local.take(local.spec(), "ib RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
}

//= HV-01 test
//= CRC-03 test
RDMAWIRE_SCENARIO(wrong_vcrc) {
  Net t(script, native());
  auto spec = t.spec();
  spec.keep.vcrc = true;
  spec.vcrc = {0x1234};
  t.take(spec, "drop: wrong variant CRC");
  t.take(t.spec(), "ib RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
}
//= HV-02 test
//= V2-16 test
RDMAWIRE_SCENARIO(wrong_icrc) {
  for (const std::uint8_t gid : {v4, v6, v1}) {
    Net t(script, setup_for(gid));
    auto octets = Net::octets(t.spec());
    octets.back() ^= 1U;
    t.take(octets, "drop: wrong invariant CRC");
    t.take(t.spec(), gid == v1 ? "rocev1 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M"
                               : "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  }
}
//= CRC-04 test
//= V2-23 test
// TOS, TTL and header checksum; UDP checksum; octet 4 of the BTH; MACs.
RDMAWIRE_SCENARIO(masked_fields_may_change) {
  Net t(script);
  auto octets = Net::octets(t.spec());
  octets[0] ^= 2U;
  octets[15] ^= 0x20U;
  octets[22] ^= 1U;
  octets[24] = octets[25] = 0x77;
  octets[40] = 0x12;
  octets[46] ^= 0xC0U;
  t.take(octets, "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
}
//= V2-22 test
RDMAWIRE_SCENARIO(ip_identification_is_not_masked) {
  Net t(script);
  auto octets = Net::octets(t.spec());
  octets[19] ^= 1U;
  t.take(octets, "drop: wrong invariant CRC");
}
//= HV-03 test
RDMAWIRE_SCENARIO(link_version) {
  Net t(script, native());
  auto spec = t.spec();
  spec.lrh->version = 1;
  t.take(spec, "drop: wrong link or network header");
}
//= HV-04 test
RDMAWIRE_SCENARIO(raw_packets) {
  for (const unsigned next : {0U, 1U}) {
    Net t(script, native(false));
    auto spec = t.spec();
    spec.keep.lrh_next_header = true;
    spec.lrh->next_header = static_cast<LinkNextHeader>(next);
    t.take(spec, "drop: raw packet");
  }
}
//= HV-05 test
RDMAWIRE_SCENARIO(link_length) {
  for (const int words : {-1, 1}) {
    Net t(script, native(false));
    auto spec = t.spec();
    auto octets = Net::octets(spec);
    spec.keep.lrh_length = true;
    spec.lrh->packet_len_words = static_cast<std::uint16_t>((octets.size() - 2) / 4 + static_cast<unsigned>(words));
    t.take(spec, words < 0 ? "drop: wrong variant CRC" : "drop: wrong invariant CRC");
  }
}
//= HV-06 test
RDMAWIRE_SCENARIO(ip_version) {
  Net t(script);
  auto spec = t.spec();
  spec.keep.ip_version = true;
  spec.ipv4->version = 6;
  spec.ipv4->ihl = 5;
  t.take(spec, "drop: not RDMA");
  Net grh(script, setup_for(v1));
  spec = grh.spec();
  spec.keep.ip_version = true;
  spec.grh->ip_version = 4;
  grh.take(spec, "drop: wrong link or network header");
  Net ipv6(script, setup_for(v6));
  spec = ipv6.spec();
  spec.keep.ip_version = true;
  spec.ipv6->version = 4;
  ipv6.take(spec, "drop: not RDMA");
}
//= HV-07 test
RDMAWIRE_SCENARIO(global_route_is_needed_where_the_path_has_one) {
  Net t(script, native());
  auto spec = t.spec();
  spec.grh.reset();
  t.take(spec, "drop: not from the peer's address");
}
//= HV-08 test
RDMAWIRE_SCENARIO(next_header) {
  Net t(script, setup_for(v1));
  auto spec = t.spec();
  spec.keep.ip_protocol = true;
  spec.grh->next_header = 17;
  t.take(spec, "drop: wrong link or network header");
  Net ipv4(script);
  spec = ipv4.spec();
  spec.keep.ip_protocol = true;
  spec.ipv4->protocol = static_cast<net::IpProtocol>(0x1B);
  ipv4.take(spec, "drop: not RDMA");
}
//= HV-09 test
//= V2-10 test
RDMAWIRE_SCENARIO(addresses_of_a_third_host) {
  Net t(script);
  auto spec = t.spec();
  spec.ipv4->source = {{10, 0, 0, 3}};
  t.take(spec, "drop: not from the peer's address");
  spec = t.spec();
  spec.ipv4->destination = {{10, 0, 0, 3}};
  t.take(spec, "drop: not from the peer's address");
  Net ipv6(script, setup_for(v6));
  spec = ipv6.spec();
  spec.ipv6->source.octets[15] = 3;
  ipv6.take(spec, "drop: not from the peer's address");
}
//= HV-10 test
RDMAWIRE_SCENARIO(transport_version) {
  Net t(script);
  auto spec = t.spec();
  spec.bth.version = 1;
  t.take(spec, "drop: unknown transport version");
  t.take(t.spec(), "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
}
//= HV-11 test
//= HV-12 test
RDMAWIRE_SCENARIO(destination_queue_pair) {
  Net t(script);
  auto spec = t.spec();
  spec.bth.dest_qp = {9};
  t.take(spec, "drop: no such queue pair");
  t.take(t.datagram(0), "drop: queue pair 0 on RoCE");
}
//= HV-13 test
//= UC-08 test
//= UD-01 test
RDMAWIRE_SCENARIO(opcode_of_another_service) {
  Net t(script);
  t.take(t.spec(100, UC_SEND_ONLY), "drop: opcode of another service");
  auto spec = t.spec(1, RC_SEND_ONLY);
  spec.bth.dest_qp = {8};
  t.take(spec, "drop: opcode of another service");
  t.take(t.spec(), "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
}
//= HV-16 test
RDMAWIRE_SCENARIO(p_key_of_queue_pair_zero_is_not_checked) {
  Net t(script, native(false));
  vectors::RecordedUd smi(t.end.recording, {{0}, verbs::Service::ud, t.end.pd, t.sizes, t.sizes, false},
                          t.end.resources(), mtu256);
  using namespace verbs::attribute;
  (void)smi.modify(verbs::QpState::init, t.attributes(), p_key_index | verbs::attribute::port | q_key);
  (void)smi.modify(verbs::QpState::rtr);
  t.receives(smi, 1);
  (void)t.port.attach(smi);
  auto spec = t.datagram(0, 0);
  spec.bth.p_key = {0x1234};
  t.take(spec, "RECV 1 SUCCESS 40 from 0x17");
  t.port.detach(smi);
}
//= HV-17 test
RDMAWIRE_SCENARIO(p_key_of_queue_pair_one_is_any_of_the_table) {
  Net t(script);
  t.receives(t.gsi, 3);
  auto spec = t.datagram(1, 0x80010000);
  spec.bth.p_key = {0x1234};
  t.take(spec, "drop: partition key does not match");
  spec.bth.p_key = {0x0001};
  t.take(spec, "RECV 1 SUCCESS 40 from 0x17 GRH");
}
//= HV-18 test
RDMAWIRE_SCENARIO(p_key_of_the_queue_pair) {
  NetSetup setup;
  for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}}) {
    setup.attributes.p_key_index = index;
    Net t(script, setup);
    auto spec = t.spec();
    for (const unsigned key : {0xFFFFU, 0x0001U, 0x0002U, 0x8002U}) {
      spec.bth.p_key = {static_cast<std::uint16_t>(key)};
      t.take(spec, key == 0x0001 && index == 1   ? "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 pkey 0x8001 M"
                   : key == 0x8002 && index == 2 ? "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 pkey 0x2 M"
                                                 : "drop: partition key does not match");
    }
  }
}
//= HV-19 test
RDMAWIRE_SCENARIO(p_key_without_a_partition) {
  NetSetup setup;
  setup.attributes.p_key_index = 3;
  Net t(script, setup);
  auto spec = t.spec();
  spec.bth.p_key = {0x8000};
  t.take(spec, "drop: partition key does not match");
}
//= HV-20 test
RDMAWIRE_SCENARIO(q_key) {
  Net t(script);
  t.receives(t.ud, 2);
  t.receives(t.gsi, 2);
  t.take(t.datagram(8, 0x11111112), "drop: queue key does not match");
  t.take(t.datagram(8), "RECV 1 SUCCESS 40 from 0x17 GRH");
  t.take(t.datagram(1, 0x11111111), "drop: queue key does not match");
  t.take(t.datagram(1, 0x80010000), "RECV 1 SUCCESS 40 from 0x17 GRH");
}
//= HV-21 test
//= HV-22 test
//= V2-13 test
RDMAWIRE_SCENARIO(reserved_bits_and_source_port_do_not_matter) {
  Net t(script);
  auto spec = t.spec();
  spec.bth.reserved6 = 0x3F;
  spec.bth.reserved7 = 0x7F;
  spec.bth.fecn = spec.bth.becn = true;
  spec.udp->source_port = {0};
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  spec = t.spec(101);
  spec.udp->source_port = {1};
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 101 0x00 msn 2 qp 0x17 M");
}
//= HV-23 test
RDMAWIRE_SCENARIO(frame_shorter_than_its_headers) {
  Net t(script);
  auto spec = t.spec();
  spec.extended = std::span<const Layer>{};
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 100 0x61 msn 0 qp 0x17 M, event QP_REQ_ERR, state ERR");
}
//= HV-23 test
RDMAWIRE_SCENARIO(frame_that_is_cut) {
  Net t(script);
  auto octets = Net::octets(t.spec());
  octets.resize(50);
  t.take(octets, "drop: not whole");
}
//= LEN-05 test
RDMAWIRE_SCENARIO(pad_count_larger_than_the_payload) {
  Net t(script);
  auto spec = t.spec();
  spec.keep.pad_count = true;
  spec.bth.pad_count = 3;
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 100 0x61 msn 0 qp 0x17 M, event QP_REQ_ERR, state ERR");
}
//= HV-24 test
RDMAWIRE_SCENARIO(first_drop_cause_counts) {
  Net t(script);
  auto spec = t.spec();
  spec.bth.version = 1;
  spec.bth.dest_qp = {9};
  spec.bth.p_key = {1};
  t.take(spec, "drop: unknown transport version");
  spec.bth.version = 0;
  t.take(spec, "drop: no such queue pair");
  spec.bth.dest_qp = {7};
  spec.ipv4->source = {{10, 0, 0, 3}};
  t.take(spec, "drop: partition key does not match");
}
//= HV-26 test
//= V2-02 test
RDMAWIRE_SCENARIO(ipv4_options) {
  Net t(script);
  auto octets = Net::octets(t.spec());
  // Four NOPs behind the header, and all that counts them.
  octets[14] = 0x46;
  octets[17] = static_cast<std::uint8_t>(octets[17] + 4);
  octets.insert(octets.begin() + 34, 4, 1);
  octets[24] = octets[25] = 0;
  const std::uint16_t checksum = net::ipv4_checksum(Bytes(octets).subspan(14, 24));
  octets[24] = static_cast<std::uint8_t>(checksum >> 8);
  octets[25] = static_cast<std::uint8_t>(checksum);
  const std::size_t end = octets.size() - 4;
  const std::uint32_t crc = icrc(IcrcStart::ipv4, Bytes(octets).subspan(14, end - 14), 32);
  for (std::size_t i = 0; i < 4; ++i) octets[end + i] = static_cast<std::uint8_t>(crc >> (8 * i));
  t.take(octets, "drop: IPv4 options");
}
//= HV-27 test
//= V2-06 test
//= V2-07 test
RDMAWIRE_SCENARIO(fragments) {
  Net t(script);
  auto spec = t.spec();
  spec.ipv4->more_fragments = true;
  t.take(spec, "drop: IP fragment");
  spec = t.spec();
  spec.ipv4->fragment_offset = 1;
  t.take(spec, "drop: IP fragment");
}
//= HV-28 test
//= V2-05 test
//= V2-14 test
RDMAWIRE_SCENARIO(lengths_that_contradict) {
  Net t(script);
  auto spec = t.spec();
  spec.keep.udp_length = true;
  spec.udp->length = static_cast<std::uint16_t>(Net::octets(spec).size() - 34 - 4);
  t.take(spec, "drop: wrong invariant CRC");
}
//= V2-12 test
RDMAWIRE_SCENARIO(another_udp_port) {
  Net t(script);
  auto spec = t.spec();
  spec.udp->destination_port = {4790};
  t.take(spec, "drop: not RDMA");
}
//= V2-15 test
RDMAWIRE_SCENARIO(udp_checksum) {
  Net t(script);
  auto spec = t.spec();
  spec.compute_udp_checksum = true;
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
}
//= V2-18 test
RDMAWIRE_SCENARIO(carrier_of_another_gid) {
  Net t(script);
  Net grh(script, setup_for(v1));
  t.take(grh.spec(), "drop: not the format of the queue pair's GID");
  grh.take(t.spec(), "drop: not the format of the queue pair's GID");
}
//= V2-21 test
//= V1-02 test
RDMAWIRE_SCENARIO(padding_behind_the_icrc) {
  for (const std::uint8_t gid : {v4, v1}) {
    Net t(script, setup_for(gid));
    auto octets = Net::octets(t.spec());
    octets.resize(octets.size() + 10);
    t.take(octets, gid == v1 ? "rocev1 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M"
                             : "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  }
}
//= HV-15 test
//= QPS-01 test
RDMAWIRE_SCENARIO(queue_pair_in_reset_takes_no_frame) {
  Net t(script);
  (void)t.end.qp.modify(verbs::QpState::reset);
  t.take(t.spec(), "state RESET");
}

//= V2-02 test
//= V2-03 test
//= V2-04 test
//= V2-05 test
//= V2-06 test
//= V2-07 test
//= V2-08 test
//= V2-09 test
//= V2-10 test
//= V2-12 test
//= V2-13 test
//= V2-14 test
//= V2-15 test
//= ACK-14 test
RDMAWIRE_SCENARIO(ipv4_header_of_a_response) {
  NetSetup setup;
  setup.attributes.path.traffic_class = 0x68 | 2;
  setup.attributes.path.hop_limit = 5;
  Net t(script, setup);
  for (const std::uint32_t psn : {100U, 101U}) {
    t.take(t.spec(psn), psn == 100 ? "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M"
                                   : "rocev2 RC_ACKNOWLEDGE 101 0x00 msn 2 qp 0x17 M");
    // Ethernet, IPv4 and UDP: DSCP 26 and ECT(0), 48 octets, DF, 5 hops, UDP from 0xC000 to 4791, 28 octets, no
    // checksum.
    t.note(t.part(0, 42),
           "0200000000020200000000010800456a00300000400005116151"
           "0a0000010a000002c00012b7001c0000");
  }
}
//= V2-11 test
//= V2-08 test
RDMAWIRE_SCENARIO(ipv6_header_of_a_response) {
  NetSetup setup = setup_for(v6);
  setup.attributes.path.traffic_class = 0x1A;
  setup.attributes.path.flow_label = 0xBEEF;
  setup.attributes.path.hop_limit = 7;
  Net t(script, setup);
  t.take(t.spec(), "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  t.note(t.part(0, 62),
         "02000000000202000000000186dd61a0beef001c110720010db800000000000000000000000120010db8000000000000000000000002c"
         "00012b7001c0000");
}
//= V2-20 test
RDMAWIRE_SCENARIO(service_level_is_the_priority) {
  NetSetup setup = setup_for(tagged);
  setup.attributes.path.service_level = 3;
  Net t(script, setup);
  t.take(t.spec(), "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  t.note(t.part(0, 18), "020000000002020000000001810060050800");
}

//= UD-04 test
//= UD-08 test
RDMAWIRE_SCENARIO(network_header_in_front_of_a_datagram) {
  for (const std::uint8_t gid : {v4, v6, v1}) {
    Net t(script, setup_for(gid));
    t.receives(t.ud, 1);
    auto spec = t.datagram();
    const std::array<std::uint8_t, 4> payload{0xD1, 0xD2, 0xD3, 0xD4};
    spec.payload = payload;
    t.take(spec, "RECV 1 SUCCESS 44 from 0x17 GRH");
    t.note(hex(t.end.octets.data(), 44),
           gid == v4   ? "0000000000000000000000000000000000000000450000380000400040112"
                         "6b30a0000020a000001d1d2d3d4"
           : gid == v6 ? "6000000000241140"
                         "20010db800000000000000000000000220010db8000000000000000000000001d1d2d3d4"
                       : "60000000001c1b40"
                         "fe800000000000000000000000000002fe800000000000000000000000000001d1d2d3d4");
  }
}
//= UD-10 test
RDMAWIRE_SCENARIO(multicast_goes_to_all_that_joined) {
  Net t(script);
  t.receives(t.ud, 1);
  const std::array sges{t.end.sge(0, 64)};
  (void)t.gsi.post_receive({{33}, sges});
  const Gid group{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 239, 1, 1, 1}};
  auto spec = t.datagram(0xFFFFFF);
  spec.ipv4->destination = {{239, 1, 1, 1}};
  t.take(spec, "drop: no such queue pair");
  (void)t.port.join(t.ud, group);
  (void)t.port.join(t.gsi, group);
  t.take(spec, "drop: queue key does not match, RECV 1 SUCCESS 40 from 0x17 GRH");
}
//= HV-07 test
//= UD-10 test
RDMAWIRE_SCENARIO(native_multicast_needs_a_grh) {
  Net t(script, native());
  t.receives(t.ud, 1);
  (void)t.port.join(t.ud, gid_v1(1));
  auto spec = t.datagram(0xFFFFFF);
  spec.grh.reset();
  t.take(spec, "drop: no such queue pair");
  t.take(t.datagram(0xFFFFFF), "RECV 1 SUCCESS 40 from 0x17 GRH");
}
//= UD-11 test
RDMAWIRE_SCENARIO(datagrams_of_both_formats) {
  Net t(script);
  Net grh(script, setup_for(v1));
  t.receives(t.ud, 2);
  t.take(t.datagram(), "RECV 1 SUCCESS 40 from 0x17 GRH");
  t.take(grh.datagram(), "RECV 2 SUCCESS 40 from 0x17 GRH");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
