// Capacities, sizes, handles, and the page made from the table.
#include <fstream>
#include <iterator>

#include "protocol/cm/host_test.h"
#include "protocol/cm/states_page.h"

namespace rdmawire::cm {
namespace {

using namespace test;

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_api)

BOOST_AUTO_TEST_CASE(the_page_is_made_from_the_table) {
  std::ifstream file("docs/cm_states.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  BOOST_TEST(page == states_page());
}

//= CM-21 test
BOOST_AUTO_TEST_CASE(private_data_comes_as_it_was_sent) {
  std::vector<std::uint8_t> data(224);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i + 1);
  const auto same = [&](const Event& event, std::size_t len) {
    BOOST_REQUIRE_EQUAL(event.private_data().size(), len);
    BOOST_TEST(std::ranges::equal(event.private_data(), Bytes(data).first(len)));
  };
  const auto put = [&](auto& field) { std::copy_n(data.begin(), field.size(), field.begin()); };
  Passive b;
  mad::CmReq req = Passive::req();
  put(req.private_data);
  b.receives(req);
  const Event requested = b.event(EventKind::connect_request);
  same(requested, 92);
  b.id = requested.connection;
  b.accept();
  mad::CmRtu rtu{{0xA1}, {0xB1}, {}};
  put(rtu.private_data);
  b.receives(rtu);
  same(b.event(EventKind::established), 224);
  mad::CmDreq dreq{{0xA1}, {0xB1}, {0x22}, 0, {}};
  put(dreq.private_data);
  b.receives(dreq, {0xD1});
  same(b.event(EventKind::disconnect_request), 220);

  Active a;
  a.connect();
  mad::CmRep rep = a.rep();
  put(rep.private_data);
  a.receives(rep, {0x7000});
  same(a.event(EventKind::replied), 196);

  Active refused;
  refused.connect();
  mad::CmRej rej;
  rej.remote_id = {0xA1};
  rej.reason = mad::RejReason::consumer_reject;
  put(rej.private_data);
  refused.receives(rej, {0x7000});
  same(refused.event(EventKind::rejected), 148);
}

//= CM-21 test
BOOST_AUTO_TEST_CASE(private_data_has_the_size_of_its_message) {
  const auto too_much = [](const auto& result) { return refusal(result) == Refusal::too_much_private_data; };
  {
    Active a;
    ConnectParams params = connect_params();
    const auto data = octets_of(93);
    params.private_data = data;
    BOOST_TEST(too_much(a.cm.connect(params, a.now)));
    params.private_data = Bytes(data).first(92);
    BOOST_TEST(all_are(a.connect(params).private_data, 0xC5));
    params.private_data = Bytes(data).first(5);
    params.qpn = {0x12};
    const auto req = a.connect(params);
    BOOST_TEST(all_are(Bytes(req.private_data).first(5), 0xC5));
    BOOST_TEST(all_are(Bytes(req.private_data).subspan(5), 0));
  }
  {
    Passive b;
    b.requested();
    BOOST_TEST(too_much(b.cm.delay(b.id, {20}, octets_of(223), b.now)));
    BOOST_TEST(too_much(b.cm.reject(b.id, {mad::RejReason::consumer_reject, {}, octets_of(149)}, b.now)));
    BOOST_TEST(refusal(b.cm.reject(b.id, {mad::RejReason::consumer_reject, octets_of(73), {}}, b.now)) ==
               Refusal::too_much_additional_info);
    AcceptParams params = Passive::accept_params();
    const auto data = octets_of(197);
    params.private_data = data;
    BOOST_TEST(too_much(b.cm.accept(b.id, params, b.now)));
    params.private_data = Bytes(data).first(196);
    BOOST_TEST(all_are(b.accept(params).private_data, 0xC5));
  }
  {
    Active a;
    a.to(State::rep_received);
    BOOST_TEST(too_much(a.cm.establish(a.id, octets_of(225), a.now)));
    BOOST_REQUIRE(a.cm.establish(a.id, octets_of(224), a.now).has_value());
    BOOST_TEST(all_are(a.sent<mad::CmRtu>().private_data, 0xC5));
    BOOST_TEST(too_much(a.cm.load_path(a.id, connect_params().path, octets_of(169), a.now)));
    BOOST_TEST(too_much(a.cm.disconnect(a.id, octets_of(221), a.now)));
  }
  {
    Passive b;
    b.to(State::dreq_received);
    BOOST_TEST(too_much(b.cm.disconnect(b.id, octets_of(225), b.now)));
  }
  {
    Active a;
    ResolveParams params;
    params.service = service;
    params.path = to(2);
    const auto data = octets_of(217);
    params.private_data = data;
    BOOST_TEST(too_much(a.cm.resolve(params, a.now)));
    params.private_data = Bytes(data).first(216);
    BOOST_REQUIRE(a.cm.resolve(params, a.now).has_value());
    BOOST_TEST(all_are(a.sent<mad::CmSidrReq>().private_data, 0xC5));
  }
}

BOOST_AUTO_TEST_CASE(values_that_do_not_fit_are_refused) {
  Active a;
  const auto refused = [&](auto change) {
    ConnectParams params = connect_params();
    change(params);
    return refusal(a.cm.connect(params, a.now)) == Refusal::bad_value;
  };
  BOOST_TEST(refused([](ConnectParams& p) { p.qpn.value = 1U << 24; }));
  BOOST_TEST(refused([](ConnectParams& p) { p.starting_psn.value = 1U << 24; }));
  BOOST_TEST(refused([](ConnectParams& p) { p.retry_count = 8; }));
  BOOST_TEST(refused([](ConnectParams& p) { p.max_cm_retries = 16; }));
  BOOST_TEST(refused([](ConnectParams& p) { p.path_mtu = {6}; }));
  BOOST_TEST(refused([](ConnectParams& p) { p.remote_cm_response_timeout = {32}; }));
  BOOST_TEST(refused([](ConnectParams& p) { p.path.to.flow_label = 1U << 20; }));
  BOOST_TEST(a.quiet());
  BOOST_TEST(a.cm.num_connections() == 0U);
}

BOOST_AUTO_TEST_CASE(what_has_no_row_is_refused) {
  Passive b;
  BOOST_TEST(refusal(b.cm.accept({0x10000}, Passive::accept_params(), b.now)) == Refusal::unknown_handle);
  b.requested();
  BOOST_TEST(refusal(b.cm.establish(b.id, {}, b.now)) == Refusal::bad_state);
  BOOST_TEST(refusal(b.cm.disconnect(b.id, {}, b.now)) == Refusal::bad_state);
  BOOST_TEST(refusal(b.cm.load_path(b.id, connect_params().path, {}, b.now)) == Refusal::bad_state);
  BOOST_TEST(refusal(b.cm.answer_path(b.id, {}, b.now)) == Refusal::bad_state);
  BOOST_TEST(refusal(b.cm.answer_resolve(b.id, {}, b.now)) == Refusal::bad_state);
  BOOST_TEST(b.quiet());
  BOOST_TEST(b.state() == State::req_received);
}

//= CM-03 test
BOOST_AUTO_TEST_CASE(beyond_the_backlog_requests_are_dropped) {
  ListenParams params;
  params.backlog = 1;
  Passive b({}, params);
  b.requested();
  mad::CmReq other = Passive::req();
  other.local_id = {0xA2};
  other.local_qpn = {0x12};
  b.receives(other);
  BOOST_TEST(b.no_event());
  BOOST_TEST(b.quiet());
  BOOST_TEST(b.cm.counters().num_backlog_full == 1U);
  b.accept();
  b.receives(other);
  b.event(EventKind::connect_request);
}

BOOST_AUTO_TEST_CASE(beyond_the_connections_requests_are_rejected) {
  Config config;
  config.max_connections = 1;
  Passive b(config);
  b.requested();
  mad::CmReq other = Passive::req();
  other.local_id = {0xA2};
  other.local_qpn = {0x12};
  b.receives(other);
  BOOST_TEST((b.sent<mad::CmRej>().reason == mad::RejReason::no_resources));
  BOOST_TEST(refusal(b.cm.connect(connect_params(), b.now)) == Refusal::no_room);
}

BOOST_AUTO_TEST_CASE(while_events_are_not_taken_messages_are_dropped_and_time_stands_still) {
  Config config;
  config.max_events = 1;
  Passive b(config);
  b.receives(Passive::req());
  mad::CmReq other = Passive::req();
  other.local_id = {0xA2};
  other.local_qpn = {0x12};
  b.receives(other);
  BOOST_TEST(b.cm.counters().num_events_full == 1U);
  BOOST_TEST(!b.cm.next_deadline().has_value());
  b.event(EventKind::connect_request);
  b.receives(other);
  b.event(EventKind::connect_request);
}

BOOST_AUTO_TEST_CASE(mads_that_the_host_does_not_take_are_lost) {
  Config config;
  config.max_mads = 1;
  Active a(config);
  ConnectParams params = connect_params();
  BOOST_REQUIRE(a.cm.connect(params, a.now).has_value());
  params.qpn = {0x12};
  BOOST_REQUIRE(a.cm.connect(params, a.now).has_value());
  a.sent<mad::CmReq>();
  BOOST_TEST(a.quiet());
  BOOST_TEST(a.cm.counters().num_mads_full == 1U);
}

BOOST_AUTO_TEST_CASE(listeners) {
  Config config;
  config.max_listeners = 2;
  Passive b(config);
  BOOST_TEST(refusal(b.cm.listen(service)) == Refusal::in_use);
  BOOST_TEST(refusal(b.cm.listen({0}, {.mask = 0})) == Refusal::in_use);
  const auto range = b.cm.listen({0x8000}, {.mask = ~std::uint64_t{0xFF}});
  BOOST_REQUIRE(range.has_value());
  BOOST_TEST(refusal(b.cm.listen({0x9000})) == Refusal::no_room);
  mad::CmReq req = Passive::req();
  req.service_id = {0x80FE};
  b.receives(req);
  BOOST_TEST((b.event(EventKind::connect_request).listener == *range));
  BOOST_REQUIRE(b.cm.stop_listening(*range).has_value());
  BOOST_TEST(refusal(b.cm.stop_listening(*range)) == Refusal::unknown_handle);
  req.local_id = {0xA2};
  req.local_qpn = {0x12};
  b.receives(req);
  BOOST_TEST((b.sent<mad::CmRej>().reason == mad::RejReason::invalid_service_id));
}

BOOST_AUTO_TEST_CASE(a_handle_is_not_that_of_the_next_connection) {
  Config config;
  config.max_connections = 1;
  Passive b(config);
  b.requested();
  const ConnectionId old = b.id;
  BOOST_REQUIRE(b.cm.reject(old, {}, b.now).has_value());
  b.sent<mad::CmRej>();
  b.requested();
  BOOST_TEST((b.id != old));
  BOOST_TEST(b.cm.state(old) == State::idle);
  BOOST_TEST(refusal(b.cm.reject(old, {}, b.now)) == Refusal::unknown_handle);
}

BOOST_AUTO_TEST_CASE(ack_timeouts_are_twice_the_life_time_and_the_delay) {
  static_assert(ack_timeout(15, 18) == 19);
  static_assert(ack_timeout(0, 18) == 19);
  static_assert(ack_timeout(18, 18) == 20);
  static_assert(ack_timeout(19, 18) == 20);
  static_assert(ack_timeout(20, 18) == 21);
  static_assert(ack_timeout(25, 18) == 25);
  static_assert(ack_timeout(31, 31) == 31);
  BOOST_TEST(ack_timeout(15, 18) == 19);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cm
