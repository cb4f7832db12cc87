// Setting up a connection, message by message.
#include <algorithm>

#include "protocol/cm/host_test.h"

namespace rdmawire::cm {
namespace {

using namespace test;

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_setup)

//= CM-01 test
//= IPC-01 test
//= IPC-02 test
BOOST_AUTO_TEST_CASE(req_has_the_octets_of_the_captured_one) {
  Active a;
  a.connect(rping_params());
  const auto expected = captured_req();
  BOOST_CHECK_EQUAL_COLLECTIONS(a.last.octets.begin(), a.last.octets.end(), expected.begin(), expected.end());
  BOOST_TEST(a.quiet());
}

//= CM-02 test
BOOST_AUTO_TEST_CASE(req_is_sent_again_and_then_given_up) {
  Active a;
  a.connect();
  const MadOctets first = a.last.octets;
  BOOST_TEST(a.transaction() == 0x7000U);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(a.pass().count() == response_time.count());
    a.sent<mad::CmReq>();
    BOOST_TEST((a.last.octets == first));
    BOOST_TEST(a.no_event());
  }
  BOOST_TEST(a.pass().count() == response_time.count());
  const auto rej = a.sent<mad::CmRej>();
  BOOST_TEST(a.transaction() == 0x7000U);
  BOOST_TEST(rej.local_id.value == 0xA1U);
  BOOST_TEST(rej.remote_id.value == 0U);
  BOOST_TEST((rej.message == mad::RejMessage::other));
  BOOST_TEST((rej.reason == mad::RejReason::timeout));
  BOOST_TEST(rej.reject_info_length == 8);
  BOOST_TEST(load_be<8>(rej.additional_info.data()) == guid_a.value);
  const Event event = a.event(EventKind::timed_out);
  BOOST_TEST(event.reason() == "Timeout");
  BOOST_TEST(a.state() == State::idle);
  BOOST_TEST(!a.cm.next_deadline().has_value());
}

//= CM-07 test
//= CM-11 test
//= CM-26 test
BOOST_AUTO_TEST_CASE(req_is_told_and_answered_by_rep) {
  Passive b;
  mad::CmReq req = Passive::req();
  req.private_data.fill(0x5A);
  b.receives(req);
  const Event event = b.event(EventKind::connect_request);
  b.id = event.connection;
  BOOST_TEST(event.state == State::req_received);
  BOOST_TEST((event.listener == b.listener));
  BOOST_TEST((event.service_id == service));
  BOOST_TEST(!event.ip.has_value());
  BOOST_TEST(event.private_data().size() == 92U);
  BOOST_TEST(all_are(event.private_data(), 0x5A));
  BOOST_TEST((event.service == verbs::Service::rc));
  BOOST_TEST(event.attributes.destination_qp.value == 0x11U);
  BOOST_TEST(event.attributes.sq_psn.value == 0x758F1CU);
  BOOST_TEST(event.attributes.path_mtu.octets() == 1024U);
  BOOST_TEST(event.attributes.max_dest_rd_atomic == 8);
  BOOST_TEST(event.attributes.max_rd_atomic == 4);
  BOOST_TEST(event.attributes.retry_count == 6);
  BOOST_TEST(event.attributes.rnr_retry == 5);
  BOOST_TEST(event.attributes.timeout.value == 19);
  BOOST_TEST((event.attributes.path == b.reply));
  BOOST_TEST(b.quiet());

  const auto rep = b.accept();
  BOOST_TEST(b.transaction() == peer_transaction.value);
  BOOST_TEST(rep.local_id.value == 0xB1U);
  BOOST_TEST(rep.remote_id.value == 0xA1U);
  BOOST_TEST(rep.local_qpn.value == 0x22U);
  BOOST_TEST(rep.starting_psn.value == 0x00BB08U);
  BOOST_TEST(rep.responder_resources == 8);
  BOOST_TEST(rep.initiator_depth == 4);
  BOOST_TEST(rep.target_ack_delay == 15);
  BOOST_TEST((rep.failover_accepted == mad::FailoverAccepted::accepted));
  BOOST_TEST(!rep.end_to_end_flow_control);
  BOOST_TEST(rep.rnr_retry_count == 7);
  BOOST_TEST((rep.local_ca_guid == guid_b));
  BOOST_TEST(all_are(rep.private_data, 0));
  //= PSN-04 test
  BOOST_TEST(b.cm.attributes(b.id).rq_psn.value == 0x00BB08U);
  BOOST_TEST(b.cm.attributes(b.id).sq_psn.value == 0x758F1CU);
}

//= CM-11 test
BOOST_AUTO_TEST_CASE(smaller_depths_are_kept) {
  Passive b;
  b.requested();
  AcceptParams params = Passive::accept_params();
  params.responder_resources = 2;
  params.initiator_depth = 3;
  const auto rep = b.accept(params);
  BOOST_TEST(rep.responder_resources == 2);
  BOOST_TEST(rep.initiator_depth == 3);
  BOOST_TEST(b.cm.attributes(b.id).max_dest_rd_atomic == 2);
  BOOST_TEST(b.cm.attributes(b.id).max_rd_atomic == 3);
}

//= CM-11 test
BOOST_AUTO_TEST_CASE(a_rep_that_asks_for_more_reads_than_offered_is_rejected) {
  Active a;
  a.connect();
  mad::CmRep rep = a.rep();
  rep.initiator_depth = 5;
  a.receives(rep);
  const auto rej = a.sent<mad::CmRej>();
  BOOST_TEST((rej.message == mad::RejMessage::rep));
  BOOST_TEST((rej.reason == mad::RejReason::insufficient_responder_resources));
  BOOST_TEST(rej.remote_id.value == 0xB1U);
  BOOST_TEST(a.event(EventKind::rejected).reason() == "Insufficient responder resources");
  BOOST_TEST(a.state() == State::idle);
}

//= CM-08 test
//= CM-11 test
//= CM-26 test
BOOST_AUTO_TEST_CASE(rep_is_answered_by_rtu_and_a_duplicate_by_the_same) {
  Active a;
  a.connect();
  mad::CmRep rep = a.rep();
  rep.responder_resources = 6;
  rep.initiator_depth = 2;
  rep.private_data.fill(0x66);
  a.receives(rep);
  const Event event = a.event(EventKind::replied);
  BOOST_TEST(event.private_data().size() == 196U);
  BOOST_TEST(all_are(event.private_data(), 0x66));
  BOOST_TEST(event.attributes.destination_qp.value == 0x22U);
  //= PSN-04 test
  BOOST_TEST(event.attributes.rq_psn.value == 0x758F1CU);
  BOOST_TEST(event.attributes.sq_psn.value == 0x00BB08U);
  BOOST_TEST(event.attributes.max_rd_atomic == 6);
  BOOST_TEST(event.attributes.max_dest_rd_atomic == 2);
  BOOST_TEST(event.attributes.rnr_retry == 3);
  BOOST_TEST(event.attributes.retry_count == 7);
  BOOST_TEST(event.attributes.timeout.value == 19);
  BOOST_TEST(a.quiet());
  a.receives(rep);  // not answered yet
  BOOST_TEST(a.quiet());
  BOOST_TEST(!a.cm.next_deadline().has_value());

  BOOST_REQUIRE(a.cm.establish(a.id, octets_of(224), a.now).has_value());
  const auto rtu = a.sent<mad::CmRtu>();
  BOOST_TEST(a.transaction() == 0x7000U);
  BOOST_TEST(rtu.local_id.value == 0xA1U);
  BOOST_TEST(rtu.remote_id.value == 0xB1U);
  const MadOctets first = a.last.octets;
  a.receives(rep);
  a.sent<mad::CmRtu>();
  BOOST_TEST((a.last.octets == first));
  BOOST_TEST(a.state() == State::established);
  BOOST_TEST(a.no_event());
}

//= CM-03 test
BOOST_AUTO_TEST_CASE(a_duplicate_req_is_no_second_connection) {
  Passive b;
  b.requested();
  b.receives(Passive::req());
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.quiet());
  BOOST_TEST(b.cm.num_connections() == 1U);

  BOOST_REQUIRE(b.cm.delay(b.id, {22}, {}, b.now).has_value());
  b.sent<mad::CmMra>();
  const MadOctets mra = b.last.octets;
  b.receives(Passive::req());
  b.sent<mad::CmMra>();
  BOOST_TEST((b.last.octets == mra));

  b.accept();
  b.receives(Passive::req());
  BOOST_TEST(b.quiet());
  b.receives(mad::CmRtu{{0xA1}, {0xB1}, {}});
  b.event(EventKind::established);
  b.receives(Passive::req());
  BOOST_TEST(b.quiet());
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.cm.num_connections() == 1U);
}

//= CM-03 test
BOOST_AUTO_TEST_CASE(a_req_of_a_connection_in_timewait_is_rejected_as_stale) {
  Passive b;
  b.to(State::timewait);
  b.receives(Passive::req(), {0x44});
  const auto rej = b.sent<mad::CmRej>();
  BOOST_TEST(b.transaction() == 0x44U);
  BOOST_TEST(rej.remote_id.value == 0xA1U);
  BOOST_TEST((rej.message == mad::RejMessage::req));
  BOOST_TEST((rej.reason == mad::RejReason::stale_connection));
  BOOST_TEST(b.no_event());
}

//= CM-04 test
BOOST_AUTO_TEST_CASE(an_unknown_service_is_rejected) {
  Passive b;
  mad::CmReq req = Passive::req();
  req.service_id = {0x1235};
  b.receives(req);
  const auto rej = b.sent<mad::CmRej>();
  BOOST_TEST(b.transaction() == peer_transaction.value);
  BOOST_TEST(rej.local_id.value == 0U);
  BOOST_TEST(rej.remote_id.value == 0xA1U);
  BOOST_TEST((rej.message == mad::RejMessage::req));
  BOOST_TEST((rej.reason == mad::RejReason::invalid_service_id));
  BOOST_TEST(rej.reject_info_length == 0);
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.cm.num_connections() == 0U);
}

//= CM-05 test
BOOST_AUTO_TEST_CASE(a_req_with_a_connected_queue_pair_is_stale_and_ends_the_old_connection) {
  Passive b;
  b.to(State::established);
  mad::CmReq req = Passive::req();
  req.local_id = {0xA2};
  b.receives(req);
  const auto rej = b.sent<mad::CmRej>();
  BOOST_TEST(rej.remote_id.value == 0xA2U);
  BOOST_TEST((rej.reason == mad::RejReason::stale_connection));
  const auto dreq = b.sent<mad::CmDreq>();
  BOOST_TEST(b.transaction() == 0x9000U);
  BOOST_TEST(dreq.local_id.value == 0xB1U);
  BOOST_TEST(dreq.remote_id.value == 0xA1U);
  BOOST_TEST(dreq.remote_qpn.value == 0x11U);
  BOOST_TEST(b.state() == State::dreq_sent);
  b.receives(mad::CmDrep{{0xA1}, {0xB1}, {}});
  b.event(EventKind::disconnected);
  // Another queue pair of the same adapter is none of that.
  req.local_qpn = {0x12};
  b.receives(req);
  b.event(EventKind::connect_request);
}

//= CM-09 test
BOOST_AUTO_TEST_CASE(rep_is_sent_again_and_then_given_up) {
  Passive b;
  b.to(State::rep_sent);
  const MadOctets first = b.last.octets;
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(b.pass().count() == response_time.count());
    b.sent<mad::CmRep>();
    BOOST_TEST((b.last.octets == first));
  }
  b.pass();
  const auto rej = b.sent<mad::CmRej>();
  BOOST_TEST(rej.local_id.value == 0xB1U);
  BOOST_TEST(rej.remote_id.value == 0xA1U);
  BOOST_TEST((rej.message == mad::RejMessage::other));
  BOOST_TEST((rej.reason == mad::RejReason::timeout));
  BOOST_TEST(load_be<8>(rej.additional_info.data()) == guid_b.value);
  b.event(EventKind::timed_out);
  BOOST_TEST(b.state() == State::timewait);
}

//= CM-10 test
BOOST_AUTO_TEST_CASE(rtu_counts_once_and_only_after_rep) {
  Passive b;
  b.requested();
  const mad::CmRtu rtu{{0xA1}, {0xB1}, {}};
  b.receives(rtu);
  BOOST_TEST(b.state() == State::req_received);
  b.accept();
  b.receives(rtu);
  const Event event = b.event(EventKind::established);
  BOOST_TEST(event.private_data().size() == 224U);
  BOOST_TEST(event.attributes.rq_psn.value == 0x00BB08U);
  BOOST_TEST(!b.cm.next_deadline().has_value());
  b.receives(rtu);
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.quiet());
  BOOST_TEST(b.cm.counters().num_ignored == 2U);
}

//= CM-24 test
BOOST_AUTO_TEST_CASE(data_in_place_of_rtu_establishes) {
  Passive b;
  b.to(State::rep_sent);
  BOOST_REQUIRE(b.cm.note_communication(b.id, b.now).has_value());
  const Event event = b.event(EventKind::established);
  BOOST_TEST(event.state == State::established);
  BOOST_TEST(event.private_data().empty());
  BOOST_TEST(!b.cm.next_deadline().has_value());
  b.receives(mad::CmRtu{{0xA1}, {0xB1}, {}});
  BOOST_TEST(b.no_event());
  BOOST_TEST(refusal(b.cm.note_communication(b.id, b.now)) == Refusal::bad_state);
}

//= CM-17 test
BOOST_AUTO_TEST_CASE(a_req_for_another_gid_is_rejected_with_ours) {
  Config config;
  config.gids = {gid(2)};
  Passive b(config);
  mad::CmReq req = Passive::req();
  req.primary_remote_gid = gid(3);
  b.receives(req);
  const auto rej = b.sent<mad::CmRej>();
  BOOST_TEST((rej.reason == mad::RejReason::primary_remote_gid));
  BOOST_TEST(rej.reject_info_length == 16);
  BOOST_TEST(std::ranges::equal(Bytes(rej.additional_info).first(16), gid(2).octets));
  b.requested();
}

//= CM-18 test
BOOST_AUTO_TEST_CASE(the_consumer_rejects_a_req) {
  Passive b;
  b.requested();
  const auto words = octets_of(148);
  const auto info = octets_of(72, 0x11);
  BOOST_REQUIRE(b.cm.reject(b.id, {mad::RejReason::consumer_reject, info, words}, b.now).has_value());
  const auto rej = b.sent<mad::CmRej>();
  BOOST_TEST(b.transaction() == peer_transaction.value);
  BOOST_TEST(rej.local_id.value == 0xB1U);
  BOOST_TEST(rej.remote_id.value == 0xA1U);
  BOOST_TEST((rej.message == mad::RejMessage::req));
  BOOST_TEST((rej.reason == mad::RejReason::consumer_reject));
  BOOST_TEST(rej.reject_info_length == 72);
  BOOST_TEST(all_are(rej.additional_info, 0x11));
  BOOST_TEST(all_are(rej.private_data, 0xC5));
  BOOST_TEST(b.state() == State::idle);
  BOOST_TEST(b.cm.num_connections() == 0U);
}

//= CM-18 test
BOOST_AUTO_TEST_CASE(a_rej_ends_the_attempt) {
  Active a;
  a.connect();
  mad::CmRej rej;
  rej.remote_id = {0xA1};
  rej.reason = mad::RejReason::consumer_reject;
  rej.private_data.fill(0x77);
  a.receives(rej);
  const Event event = a.event(EventKind::rejected);
  BOOST_TEST(event.reason() == "Consumer reject");
  BOOST_TEST(event.private_data().size() == 148U);
  BOOST_TEST(all_are(event.private_data(), 0x77));
  BOOST_TEST(a.state() == State::idle);
  BOOST_TEST(a.quiet());
  a.receives(a.rep());
  BOOST_TEST(a.quiet());
}

//= CM-18 test
BOOST_AUTO_TEST_CASE(the_active_side_rejects_a_rep) {
  Active a;
  a.to(State::rep_received);
  BOOST_REQUIRE(a.cm.reject(a.id, {}, a.now).has_value());
  const auto rej = a.sent<mad::CmRej>();
  BOOST_TEST(rej.local_id.value == 0xA1U);
  BOOST_TEST(rej.remote_id.value == 0xB1U);
  BOOST_TEST((rej.message == mad::RejMessage::rep));

  Passive b;
  b.to(State::rep_sent);
  b.receives(rej);
  b.event(EventKind::rejected);
  BOOST_TEST(b.state() == State::idle);
}

//= CM-18 test
BOOST_AUTO_TEST_CASE(a_timeout_of_req_is_found_by_the_ca_guid) {
  Passive b;
  b.requested();
  mad::CmRej rej;
  rej.local_id = {0xA1};
  rej.message = mad::RejMessage::other;
  rej.reason = mad::RejReason::timeout;
  rej.reject_info_length = 8;
  store_be<8>(rej.additional_info.data(), guid_b.value);
  b.receives(rej);
  BOOST_TEST(b.no_event());
  store_be<8>(rej.additional_info.data(), guid_a.value);
  b.receives(rej);
  BOOST_TEST(b.event(EventKind::rejected).reason() == "Timeout");
  BOOST_TEST(b.state() == State::idle);
}

//= CM-19 test
BOOST_AUTO_TEST_CASE(messages_of_other_connections_are_dropped) {
  Active a;
  a.connect();
  mad::CmRep rep = a.rep();
  rep.remote_id = {0xA2};
  a.receives(rep);
  BOOST_TEST(a.no_event());
  BOOST_TEST(a.quiet());
  a.receives(a.rep());
  a.event(EventKind::replied);
  BOOST_REQUIRE(a.cm.establish(a.id, {}, a.now).has_value());
  a.sent<mad::CmRtu>();
  rep = a.rep();
  rep.local_id = {0xB2};
  a.receives(rep);
  BOOST_TEST(a.quiet());
  BOOST_TEST(a.cm.counters().num_unknown == 2U);

  Passive b;
  b.to(State::rep_sent);
  b.receives(mad::CmRtu{{0xA2}, {0xB1}, {}});
  b.receives(mad::CmRtu{{0xA1}, {0xB2}, {}});
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.state() == State::rep_sent);
}

//= CM-20 test
BOOST_AUTO_TEST_CASE(other_versions_are_not_served) {
  Passive b;
  MadOctets octets;
  write(octets, mad::CmAttribute::req, peer_transaction, Passive::req());
  octets[2] = 1;  // class version
  b.cm.on_mad(octets, b.reply, b.now);
  const auto rej = b.sent<mad::CmRej>();
  BOOST_TEST((rej.reason == mad::RejReason::unsupported_class_version));
  BOOST_TEST((rej.message == mad::RejMessage::req));
  BOOST_TEST(rej.reject_info_length == 1);
  BOOST_TEST(rej.additional_info[0] == 2);
  octets[2] = 2;
  octets[0] = 2;  // base version
  b.cm.on_mad(octets, b.reply, b.now);
  octets[0] = 1;
  octets[3] = 1;  // Get
  b.cm.on_mad(octets, b.reply, b.now);
  octets[3] = 3;
  octets[1] = 4;  // PerfMgt
  b.cm.on_mad(octets, b.reply, b.now);
  b.cm.on_mad(Bytes(octets).first(255), b.reply, b.now);
  BOOST_TEST(b.quiet());
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.cm.counters().num_not_cm == 4U);
  BOOST_TEST(b.cm.counters().num_bad_version == 1U);
}

//= CM-25 test
BOOST_AUTO_TEST_CASE(transport_types) {
  struct Case {
    mad::TransportService transport;
    std::uint8_t extended;
    bool xrc;
    bool good;
  };
  using enum mad::TransportService;
  for (const Case& c :
       {Case{rc, 0, false, true}, Case{uc, 0, false, true}, Case{rd, 0, false, false}, Case{extended, 1, false, false},
        Case{extended, 1, true, true}, Case{extended, 7, true, false}}) {
    Config config;
    config.extended_reliable = c.xrc;
    Passive b(config);
    mad::CmReq req = Passive::req();
    req.transport_service = c.transport;
    req.extended_transport = static_cast<mad::ExtendedTransport>(c.extended);
    b.receives(req);
    if (c.good) {
      const Event event = b.event(EventKind::connect_request);
      BOOST_TEST((event.service == (c.transport == uc ? verbs::Service::uc : verbs::Service::rc)));
    } else {
      BOOST_TEST((b.sent<mad::CmRej>().reason == mad::RejReason::invalid_transport_service));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_impossible_path_mtu_is_rejected) {
  Passive b;
  mad::CmReq req = Passive::req();
  req.path_mtu = 6;
  b.receives(req);
  BOOST_TEST((b.sent<mad::CmRej>().reason == mad::RejReason::invalid_path_mtu));
}

//= IPC-01 test
//= IPC-02 test
//= IPC-03 test
BOOST_AUTO_TEST_CASE(ip_cm_addresses_are_read) {
  Passive b;
  BOOST_REQUIRE(b.cm.listen({0x0000000001061C06}).has_value());
  b.cm.on_mad(captured_req(), b.reply, b.now);
  const Event event = b.event(EventKind::connect_request);
  BOOST_REQUIRE(event.ip.has_value());
  BOOST_TEST(event.ip->ip_version == 4);
  BOOST_TEST(event.ip->source_port == 0x9301);
  BOOST_TEST(event.ip->source.octets[15] == 1);
  BOOST_TEST(event.ip->destination.octets[12] == 10);
  BOOST_TEST(event.private_data().size() == 56U);

  Active a;
  ConnectParams params = rping_params();
  const auto data = octets_of(57);
  params.private_data = data;
  BOOST_TEST(refusal(a.cm.connect(params, a.now)) == Refusal::too_much_private_data);
  params.private_data = Bytes(data).first(56);
  const auto req = a.connect(params);
  BOOST_TEST(all_are(Bytes(req.private_data).subspan(36), 0xC5));
  params.ip.reset();
  BOOST_TEST(refusal(a.cm.connect(params, a.now)) == Refusal::inconsistent_ip_addresses);

  const mad::IpCm6 v6 = ip_cm(7, {{0xFE, 0x80}}, {{0xFE, 0x80, 1}});
  BOOST_TEST(v6.ip_version == 6);
  BOOST_TEST(v6.source.octets[0] == 0xFE);
  BOOST_TEST(v6.destination.octets[2] == 1);
}

//= IPC-04 test
BOOST_AUTO_TEST_CASE(ip_cm_headers_that_are_not_ours_are_rejected) {
  Config config;
  config.ip_addresses = {gid(2)};
  Passive b(config);
  BOOST_REQUIRE(b.cm.listen({0x0000000001061C06}).has_value());
  auto octets = captured_req();
  octets[164] = 0x10;  // major version 1
  b.cm.on_mad(octets, b.reply, b.now);
  BOOST_TEST((b.sent<mad::CmRej>().reason == mad::RejReason::consumer_reject));
  octets[164] = 0;
  octets[165] = 0x50;  // IP version 5
  b.cm.on_mad(octets, b.reply, b.now);
  BOOST_TEST((b.sent<mad::CmRej>().reason == mad::RejReason::consumer_reject));
  octets[165] = 0x40;
  octets[199] = 3;  // 10.77.0.3
  b.cm.on_mad(octets, b.reply, b.now);
  BOOST_TEST((b.sent<mad::CmRej>().reason == mad::RejReason::consumer_reject));
  octets[199] = 2;
  b.cm.on_mad(octets, b.reply, b.now);
  b.event(EventKind::connect_request);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cm
