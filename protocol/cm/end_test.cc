// More time, other paths, the end of a connection, datagram services.
#include <algorithm>

#include "protocol/cm/host_test.h"

namespace rdmawire::cm {
namespace {

using namespace test;

// 4.096 us * 2^22, and the ACK timeout's 2^19.
constexpr Duration mra_time{17'179'869'184 + 2'147'483'648};

mad::CmMra mra(mad::MraMessage message, std::uint32_t local, std::uint32_t remote) {
  mad::CmMra out;
  out.local_id = {local};
  out.remote_id = {remote};
  out.message = message;
  out.service_timeout = 22;
  return out;
}

mad::CmLap lap() {
  mad::CmLap out;
  out.local_id = {0xA1};
  out.remote_id = {0xB1};
  out.remote_qpn = {0x22};
  out.remote_cm_response_timeout = 20;
  out.local_gid = gid(11);
  out.remote_gid = gid(12);
  out.flow_label = 0x54321;
  out.traffic_class = 0x68;
  out.hop_limit = 9;
  out.sl = 3;
  return out;
}

Config with_paths() {
  Config out;
  out.alternate_paths = true;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_delay)

//= CM-06 test
BOOST_AUTO_TEST_CASE(mra_to_req_extends_its_timeout) {
  Active a;
  a.connect();
  a.receives(mra(mad::MraMessage::rep, 0xB1, 0xA1));  // of another message
  BOOST_TEST(a.state() == State::req_sent);
  a.receives(mra(mad::MraMessage::req, 0xB1, 0xA1));
  BOOST_TEST(a.state() == State::mra_req_received);
  BOOST_TEST(a.pass().count() == mra_time.count());
  a.sent<mad::CmReq>();
  BOOST_TEST(a.state() == State::req_sent);
  BOOST_TEST(a.pass().count() == response_time.count());
  a.sent<mad::CmReq>();
  a.receives(mra(mad::MraMessage::req, 0xB1, 0xA1));
  a.receives(a.rep());
  a.event(EventKind::replied);
}

//= CM-06 test
BOOST_AUTO_TEST_CASE(mra_does_not_renew_the_retries) {
  Active a;
  a.connect();
  for (int i = 0; i < 3; ++i) {
    a.receives(mra(mad::MraMessage::req, 0xB1, 0xA1));
    a.pass();
    a.sent<mad::CmReq>();
  }
  a.receives(mra(mad::MraMessage::req, 0xB1, 0xA1));
  a.pass();
  a.sent<mad::CmRej>();
  a.event(EventKind::timed_out);
}

//= CM-06 test
BOOST_AUTO_TEST_CASE(mra_to_rep_extends_its_timeout) {
  Passive b;
  b.to(State::rep_sent);
  b.receives(mra(mad::MraMessage::rep, 0xA1, 0xB1));
  BOOST_TEST(b.state() == State::mra_rep_received);
  BOOST_TEST(b.pass().count() == mra_time.count());
  b.sent<mad::CmRep>();
  BOOST_TEST(b.state() == State::rep_sent);
  b.receives(mra(mad::MraMessage::rep, 0xA1, 0xB1));
  b.receives(mad::CmRtu{{0xA1}, {0xB1}, {}});
  b.event(EventKind::established);
}

//= CM-06 test
BOOST_AUTO_TEST_CASE(the_consumer_asks_for_time) {
  Passive b;
  b.requested();
  const auto words = octets_of(222);
  BOOST_REQUIRE(b.cm.delay(b.id, {22}, words, b.now).has_value());
  auto sent = b.sent<mad::CmMra>();
  BOOST_TEST(b.transaction() == peer_transaction.value);
  BOOST_TEST(sent.local_id.value == 0xB1U);
  BOOST_TEST(sent.remote_id.value == 0xA1U);
  BOOST_TEST((sent.message == mad::MraMessage::req));
  BOOST_TEST(sent.service_timeout == 22);
  BOOST_TEST(all_are(sent.private_data, 0xC5));

  Active a;
  a.to(State::rep_received);
  BOOST_REQUIRE(a.cm.delay(a.id, {21}, {}, a.now).has_value());
  sent = a.sent<mad::CmMra>();
  BOOST_TEST((sent.message == mad::MraMessage::rep));
  BOOST_TEST(sent.service_timeout == 21);
  a.receives(a.rep());
  a.sent<mad::CmMra>();
  BOOST_REQUIRE(a.cm.establish(a.id, {}, a.now).has_value());
  a.sent<mad::CmRtu>();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cm_disconnect)

//= CM-12 test
//= CM-14 test
BOOST_AUTO_TEST_CASE(dreq_is_sent_until_drep) {
  Active a;
  a.to(State::established);
  const auto words = octets_of(220);
  BOOST_REQUIRE(a.cm.disconnect(a.id, words, a.now).has_value());
  const auto dreq = a.sent<mad::CmDreq>();
  BOOST_TEST(a.transaction() == 0x7001U);
  BOOST_TEST(dreq.local_id.value == 0xA1U);
  BOOST_TEST(dreq.remote_id.value == 0xB1U);
  BOOST_TEST(dreq.remote_qpn.value == 0x22U);
  BOOST_TEST(all_are(dreq.private_data, 0xC5));
  const MadOctets first = a.last.octets;
  BOOST_TEST(a.pass().count() == response_time.count());
  a.sent<mad::CmDreq>();
  BOOST_TEST((a.last.octets == first));
  mad::CmDrep drep{{0xB1}, {0xA1}, {}};
  drep.private_data.fill(0x33);
  a.receives(drep);
  const Event event = a.event(EventKind::disconnected);
  BOOST_TEST(event.private_data().size() == 224U);
  BOOST_TEST(all_are(event.private_data(), 0x33));
  BOOST_TEST(a.state() == State::timewait);
}

//= CM-14 test
BOOST_AUTO_TEST_CASE(dreq_without_an_answer_ends_the_connection_all_the_same) {
  Active a;
  a.to(State::dreq_sent);
  for (int i = 0; i < 3; ++i) {
    a.pass();
    a.sent<mad::CmDreq>();
  }
  a.pass();
  a.event(EventKind::disconnected);
  BOOST_TEST(a.quiet());
  BOOST_TEST(a.state() == State::timewait);
}

//= CM-14 test
BOOST_AUTO_TEST_CASE(a_duplicate_dreq_is_answered_after_the_close_only) {
  Passive b;
  b.to(State::established);
  const mad::CmDreq dreq{{0xA1}, {0xB1}, {0x22}, 0, {}};
  b.receives(dreq, {0xD1});
  b.event(EventKind::disconnect_request);
  b.receives(dreq, {0xD1});
  BOOST_TEST(b.quiet());
  BOOST_TEST(b.no_event());
  const auto words = octets_of(224);
  BOOST_REQUIRE(b.cm.disconnect(b.id, words, b.now).has_value());
  b.event(EventKind::disconnected);
  auto drep = b.sent<mad::CmDrep>();
  BOOST_TEST(b.transaction() == 0xD1U);
  BOOST_TEST(drep.local_id.value == 0xB1U);
  BOOST_TEST(drep.remote_id.value == 0xA1U);
  BOOST_TEST(all_are(drep.private_data, 0xC5));
  b.receives(dreq, {0xD2});
  drep = b.sent<mad::CmDrep>();
  BOOST_TEST(b.transaction() == 0xD2U);
  BOOST_TEST(all_are(drep.private_data, 0xC5));
  BOOST_TEST(b.no_event());
}

//= CM-12 test
BOOST_AUTO_TEST_CASE(a_dreq_for_another_queue_pair_is_ignored) {
  Passive b;
  b.to(State::established);
  for (const std::uint32_t other : {0x21U, 0x23U}) {
    b.receives(mad::CmDreq{{0xA1}, {0xB1}, {other}, 0, {}});
    BOOST_TEST(b.quiet());
  }
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.state() == State::established);
}

//= CM-13 test
BOOST_AUTO_TEST_CASE(a_dreq_of_no_connection_is_answered) {
  Passive b;
  b.receives(mad::CmDreq{{0xA7}, {0xB7}, {0x22}, 0, {}}, {0xD7});
  const auto drep = b.sent<mad::CmDrep>();
  BOOST_TEST(b.transaction() == 0xD7U);
  BOOST_TEST(drep.local_id.value == 0xB7U);
  BOOST_TEST(drep.remote_id.value == 0xA7U);
  BOOST_TEST(b.no_event());
}

//= CM-15 test
BOOST_AUTO_TEST_CASE(timewait_keeps_the_queue_pair_for_the_ack_timeout) {
  Passive b;
  b.to(State::timewait);
  mad::CmReq again = Passive::req();
  again.local_id = {0xA2};
  b.receives(again);
  BOOST_TEST((b.sent<mad::CmRej>().reason == mad::RejReason::stale_connection));
  BOOST_TEST(b.quiet());
  BOOST_TEST(b.pass().count() == 2'147'483'648);  // 4.096 us * 2^19
  b.event(EventKind::timewait_over);
  BOOST_TEST(b.cm.num_connections() == 0U);
  BOOST_TEST(refusal(b.cm.disconnect(b.id, {}, b.now)) == Refusal::unknown_handle);
  b.receives(again);
  b.event(EventKind::connect_request);
}

//= CM-15 test
BOOST_AUTO_TEST_CASE(a_queue_pair_is_not_used_again_before_the_end_of_timewait) {
  Active a;
  a.to(State::timewait);
  BOOST_TEST(refusal(a.cm.connect(connect_params(), a.now)) == Refusal::in_use);
  a.pass();
  a.event(EventKind::timewait_over);
  BOOST_TEST(a.connect().local_qpn.value == 0x11U);

  Passive b;
  b.to(State::timewait);
  mad::CmReq req = Passive::req();
  req.local_id = {0xA2};
  req.local_qpn = {0x12};
  b.receives(req);
  const ConnectionId id = b.event(EventKind::connect_request).connection;
  BOOST_TEST(refusal(b.cm.accept(id, Passive::accept_params(), b.now)) == Refusal::in_use);
  b.pass();
  b.event(EventKind::timewait_over);
  BOOST_REQUIRE(b.cm.accept(id, Passive::accept_params(), b.now).has_value());
}

//= CM-16 test
BOOST_AUTO_TEST_CASE(dreqs_that_cross_are_both_answered) {
  Active a;
  a.to(State::dreq_sent);
  a.receives(mad::CmDreq{{0xB1}, {0xA1}, {0x11}, 0, {}}, {0xD3});
  const auto drep = a.sent<mad::CmDrep>();
  BOOST_TEST(a.transaction() == 0xD3U);
  BOOST_TEST(drep.local_id.value == 0xA1U);
  BOOST_TEST(drep.remote_id.value == 0xB1U);
  a.event(EventKind::disconnected);
  BOOST_TEST(a.state() == State::timewait);
  a.receives(mad::CmDrep{{0xB1}, {0xA1}, {}});
  BOOST_TEST(a.no_event());

  // The peer's DREQ is late.
  Active late;
  late.to(State::timewait);
  late.receives(mad::CmDreq{{0xB1}, {0xA1}, {0x11}, 0, {}}, {0xD4});
  BOOST_TEST(late.sent<mad::CmDrep>().local_id.value == 0xA1U);
}

//= CM-14 test
BOOST_AUTO_TEST_CASE(a_dreq_in_place_of_rtu_ends_the_connection) {
  Passive b;
  b.to(State::rep_sent);
  b.receives(mad::CmDreq{{0xA1}, {0xB1}, {0x22}, 0, {}});
  b.event(EventKind::disconnect_request);
  BOOST_TEST(!b.cm.next_deadline().has_value());
}

//= CM-18 test
BOOST_AUTO_TEST_CASE(a_rej_ends_an_established_connection) {
  Active a;
  a.to(State::established);
  mad::CmRej rej;
  rej.local_id = {0xB1};
  rej.remote_id = {0xA1};
  rej.message = mad::RejMessage::other;
  rej.reason = mad::RejReason::timeout;
  a.receives(rej);
  a.event(EventKind::rejected);
  BOOST_TEST(a.state() == State::timewait);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cm_paths)

//= CM-23 test
BOOST_AUTO_TEST_CASE(an_alternate_path_is_asked_for_and_answered) {
  Active a(with_paths());
  a.to(State::established);
  Path path = connect_params().path;
  path.to.destination_gid = gid(12);
  path.to.flow_label = 0x54321;
  path.to.service_level = 5;
  path.local_gid = gid(11);
  const auto words = octets_of(168);
  BOOST_REQUIRE(a.cm.load_path(a.id, path, words, a.now).has_value());
  const auto sent = a.sent<mad::CmLap>();
  BOOST_TEST(a.transaction() == 0x7001U);
  BOOST_TEST(sent.local_id.value == 0xA1U);
  BOOST_TEST(sent.remote_id.value == 0xB1U);
  BOOST_TEST(sent.remote_qpn.value == 0x22U);
  BOOST_TEST(sent.remote_cm_response_timeout == 20);
  BOOST_TEST((sent.local_gid == gid(11)));
  BOOST_TEST((sent.remote_gid == gid(12)));
  BOOST_TEST(sent.flow_label == 0x54321U);
  BOOST_TEST(sent.sl == 5);
  BOOST_TEST(sent.local_ack_timeout == 19);
  BOOST_TEST(all_are(sent.private_data, 0xC5));
  BOOST_TEST(a.pass().count() == response_time.count());
  a.sent<mad::CmLap>();

  mad::CmApr apr;
  apr.local_id = {0xB1};
  apr.remote_id = {0xA1};
  apr.status = mad::AprStatus::rejected;
  a.receives(apr, {0x7000});  // of another LAP
  BOOST_TEST(a.no_event());
  a.receives(mra(mad::MraMessage::lap, 0xB1, 0xA1), {0x7001});
  BOOST_TEST(a.state() == State::mra_lap_received);
  a.receives(apr, {0x7001});
  const Event event = a.event(EventKind::path_answered);
  BOOST_TEST((event.apr_status == mad::AprStatus::rejected));
  BOOST_TEST((event.attributes.alternate_path.destination_gid == gid(12)));
  BOOST_TEST(a.state() == State::established);
  BOOST_TEST(!a.cm.next_deadline().has_value());
}

//= CM-23 test
BOOST_AUTO_TEST_CASE(an_alternate_path_without_an_answer_leaves_the_connection) {
  Active a;
  a.to(State::established);
  BOOST_REQUIRE(a.cm.load_path(a.id, connect_params().path, {}, a.now).has_value());
  a.sent<mad::CmLap>();
  for (int i = 0; i < 3; ++i) {
    a.pass();
    a.sent<mad::CmLap>();
  }
  a.pass();
  a.event(EventKind::path_timed_out);
  BOOST_TEST(a.quiet());
  BOOST_TEST(a.state() == State::established);
}

//= CM-23 test
BOOST_AUTO_TEST_CASE(a_lap_is_told_and_its_duplicate_answered_by_the_same) {
  Passive b(with_paths());
  b.to(State::established);
  b.receives(lap(), {0xE1});
  const Event event = b.event(EventKind::path_request);
  BOOST_TEST((event.attributes.alternate_path.destination_gid == gid(11)));
  BOOST_TEST(event.attributes.alternate_path.flow_label == 0x54321U);
  BOOST_TEST(event.attributes.alternate_path.traffic_class == 0x68);
  BOOST_TEST(event.attributes.alternate_path.hop_limit == 9);
  BOOST_TEST(event.attributes.alternate_path.service_level == 3);
  BOOST_TEST(event.private_data().size() == 168U);
  b.receives(lap(), {0xE1});
  BOOST_TEST(b.quiet());
  BOOST_REQUIRE(b.cm.delay(b.id, {20}, {}, b.now).has_value());
  BOOST_TEST((b.sent<mad::CmMra>().message == mad::MraMessage::lap));
  BOOST_TEST(b.transaction() == 0xE1U);
  b.receives(lap(), {0xE1});
  b.sent<mad::CmMra>();

  const auto words = octets_of(148);
  const auto info = octets_of(72, 0x21);
  BOOST_REQUIRE(b.cm.answer_path(b.id, {mad::AprStatus::sl, info, words}, b.now).has_value());
  const auto apr = b.sent<mad::CmApr>();
  BOOST_TEST(b.transaction() == 0xE1U);
  BOOST_TEST(apr.local_id.value == 0xB1U);
  BOOST_TEST(apr.remote_id.value == 0xA1U);
  BOOST_TEST((apr.status == mad::AprStatus::sl));
  BOOST_TEST(apr.additional_info_length == 72);
  BOOST_TEST(all_are(apr.additional_info, 0x21));
  BOOST_TEST(all_are(apr.private_data, 0xC5));
  b.receives(lap(), {0xE1});
  b.sent<mad::CmApr>();
  BOOST_TEST(b.no_event());
  b.receives(lap(), {0xE2});
  b.event(EventKind::path_request);
}

//= CM-23 test
BOOST_AUTO_TEST_CASE(laps_that_the_machine_refuses) {
  Passive b;
  b.to(State::established);
  b.receives(lap());
  BOOST_TEST((b.sent<mad::CmApr>().status == mad::AprStatus::unsupported));
  mad::CmLap other = lap();
  other.local_id = {0xA2};
  b.receives(other);
  const auto apr = b.sent<mad::CmApr>();
  BOOST_TEST((apr.status == mad::AprStatus::invalid_comm_id));
  BOOST_TEST(apr.local_id.value == 0xB1U);
  BOOST_TEST(apr.remote_id.value == 0xA2U);

  Passive paths(with_paths());
  paths.to(State::established);
  other = lap();
  other.remote_qpn = {0x23};
  paths.receives(other);
  BOOST_TEST((paths.sent<mad::CmApr>().status == mad::AprStatus::qpn));
  Config config = with_paths();
  config.gids = {gid(2), gid(12)};
  Passive gids(config);
  gids.to(State::established);
  other = lap();
  other.remote_gid = gid(13);
  gids.receives(other, {0xE1});
  const auto refused = gids.sent<mad::CmApr>();
  BOOST_TEST((refused.status == mad::AprStatus::gid));
  BOOST_TEST(refused.additional_info_length == 16);
  BOOST_TEST(std::ranges::equal(Bytes(refused.additional_info).first(16), gid(2).octets));
  gids.receives(lap(), {0xE2});
  gids.event(EventKind::path_request);

  // Both ask at once.
  BOOST_REQUIRE(paths.cm.load_path(paths.id, connect_params().path, {}, paths.now).has_value());
  BOOST_TEST(paths.cm.poll_transmit(paths.last, paths.now));
  paths.receives(lap(), {0xE1});
  BOOST_TEST((paths.sent<mad::CmApr>().status == mad::AprStatus::rejected));
  BOOST_TEST(paths.state() == State::lap_sent);
  BOOST_TEST(paths.no_event());
}

//= CM-23 test
BOOST_AUTO_TEST_CASE(an_alternate_path_in_req_is_accepted_if_supported) {
  for (const bool supported : {false, true}) {
    Config config;
    config.alternate_paths = supported;
    Passive b(config);
    mad::CmReq req = Passive::req();
    req.alternate_local_gid = gid(11);
    req.alternate_remote_gid = gid(12);
    b.receives(req);
    const Event event = b.event(EventKind::connect_request);
    BOOST_TEST((event.attributes.alternate_path.destination_gid == gid(11)));
    b.id = event.connection;
    BOOST_TEST((b.accept().failover_accepted ==
                (supported ? mad::FailoverAccepted::accepted : mad::FailoverAccepted::unsupported)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cm_sidr)

//= CM-22 test
BOOST_AUTO_TEST_CASE(a_service_is_resolved) {
  Active a;
  ResolveParams params;
  params.service = mad::ip_cm_service_id(mad::PortSpace::udp, 7174);
  params.path = to(2);
  params.max_cm_retries = 1;
  params.ip = ip_cm(0xEDC1, gid(1), gid(2));
  const auto id = a.cm.resolve(params, a.now);
  BOOST_REQUIRE(id.has_value());
  const auto req = a.sent<mad::CmSidrReq>();
  BOOST_TEST(a.transaction() == 0x7000U);
  BOOST_TEST(req.request_id.value == 0xA1U);
  BOOST_TEST(req.p_key.value == 0xFFFF);
  BOOST_TEST(req.service_id.value == 0x0000000001111C06U);
  BOOST_TEST(req.private_data[1] == 0x40);
  a.pass();
  a.sent<mad::CmSidrReq>();

  mad::CmSidrRep rep;
  rep.request_id = {0xA2};
  a.receives(rep);
  BOOST_TEST(a.no_event());
  rep.request_id = {0xA1};
  rep.qpn = {0x49};
  rep.q_key = {0x01234567};
  rep.private_data.fill(0x12);
  a.receives(rep);
  const Event event = a.event(EventKind::resolved);
  BOOST_TEST((event.sidr_status == mad::SidrStatus::valid));
  BOOST_TEST(event.qpn.value == 0x49U);
  BOOST_TEST(event.q_key.value == 0x01234567U);
  BOOST_TEST(event.private_data().size() == 136U);
  BOOST_TEST(a.cm.num_connections() == 0U);

  BOOST_REQUIRE(a.cm.resolve(params, a.now).has_value());
  a.pass();
  a.pass();
  a.event(EventKind::resolve_timed_out);
  BOOST_TEST(a.cm.num_connections() == 0U);
}

//= CM-22 test
BOOST_AUTO_TEST_CASE(a_resolution_is_told_once_and_answered) {
  Passive b;
  mad::CmSidrReq req;
  req.request_id = {0xA1};
  req.p_key = {0xFFFF};
  req.service_id = service;
  b.receives(req, {0xF1});
  const Event event = b.event(EventKind::resolve_request);
  BOOST_TEST((event.service_id == service));
  BOOST_TEST(event.private_data().size() == 216U);
  b.receives(req, {0xF1});
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.quiet());
  const auto words = octets_of(136);
  BOOST_REQUIRE(b.cm.answer_resolve(event.connection, {mad::SidrStatus::valid, {0x49}, {0x1234567}, {}, words}, b.now)
                    .has_value());
  auto rep = b.sent<mad::CmSidrRep>();
  BOOST_TEST(b.transaction() == 0xF1U);
  BOOST_TEST(rep.request_id.value == 0xA1U);
  BOOST_TEST((rep.status == mad::SidrStatus::valid));
  BOOST_TEST(rep.qpn.value == 0x49U);
  BOOST_TEST(rep.q_key.value == 0x1234567U);
  BOOST_TEST((rep.service_id == service));
  BOOST_TEST(all_are(rep.private_data, 0xC5));
  BOOST_TEST(b.cm.num_connections() == 0U);

  req.service_id = {0x4321};
  b.receives(req, {0xF2});
  rep = b.sent<mad::CmSidrRep>();
  BOOST_TEST((rep.status == mad::SidrStatus::unsupported));
  BOOST_TEST(rep.request_id.value == 0xA1U);
  BOOST_TEST(rep.qpn.value == 0U);
}

//= CM-20 test
//= CM-22 test
BOOST_AUTO_TEST_CASE(a_resolution_of_another_class_version_is_refused) {
  Passive b;
  MadOctets octets;
  mad::CmSidrReq req;
  req.request_id = {0xA1};
  write(octets, mad::CmAttribute::sidr_req, {0xF1}, req);
  octets[2] = 3;
  b.cm.on_mad(octets, b.reply, b.now);
  const auto rep = b.sent<mad::CmSidrRep>();
  BOOST_TEST((rep.status == mad::SidrStatus::version));
  BOOST_TEST(rep.additional_info_length == 1);
  BOOST_TEST(rep.additional_info[0] == 2);
}

//= IPC-04 test
BOOST_AUTO_TEST_CASE(a_resolution_with_a_strange_ip_header_is_refused) {
  Passive b;
  const ServiceId udp = mad::ip_cm_service_id(mad::PortSpace::udp, 7174);
  BOOST_REQUIRE(b.cm.listen(udp).has_value());
  mad::CmSidrReq req;
  req.service_id = udp;
  req.private_data[1] = 0x50;
  b.receives(req);
  BOOST_TEST((b.sent<mad::CmSidrRep>().status == mad::SidrStatus::rejected));
  req.private_data[1] = 0x60;
  b.receives(req);
  const Event event = b.event(EventKind::resolve_request);
  BOOST_TEST(event.ip->ip_version == 6);
  BOOST_TEST(event.private_data().size() == 180U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cm
