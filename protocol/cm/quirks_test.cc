// Each departure shows with its quirk, and only then.
#include <algorithm>
#include <array>
#include <vector>

#include "protocol/cm/host_test.h"
#include "protocol/vectors/label.h"

namespace rdmawire::cm {
namespace {

using namespace test;
using ib::Quirk;

constexpr mad::CmDreq dreq(std::uint32_t qpn = 0x22) { return {{0xA1}, {0xB1}, {qpn}, 0, {}}; }

mad::CmReq other_req() {
  mad::CmReq out = Passive::req();
  out.local_id = {0xA2};
  return out;
}

// What goes out, as the names of messages: "REJ DREQ".
std::string sends(Host& host) {
  std::string out;
  TxMad next;
  while (host.cm.poll_transmit(next, host.now)) {
    out += (out.empty() ? "" : " ") + std::string(mad::name_of(attribute_of(next.octets)));
  }
  return out;
}

bool is_told(Host& host, EventKind kind) {
  const auto event = host.cm.poll_event();
  return event.has_value() && event->kind == kind;
}

struct Case {
  Quirk quirk;
  bool (*departs)(const Config& config);
};

const Case cases[] = {
    {Quirk::mra_only_after_duplicate,
     [](const Config& config) {
       Passive b(config);
       b.requested();
       (void)b.cm.delay(b.id, {20}, {}, b.now);
       const bool at_once = sends(b) == "MRA";
       b.receives(Passive::req());
       return !at_once && sends(b) == "MRA";
     }},
    {Quirk::reject_beyond_backlog,
     [](const Config& config) {
       ListenParams params;
       params.backlog = 0;
       Passive b(config, params);
       b.receives(Passive::req());
       return sends(b) == "REJ";
     }},
    {Quirk::retry_with_new_transaction,
     [](const Config& config) {
       Active a(config);
       a.connect();
       a.pass();
       a.sent<mad::CmReq>();
       return a.transaction() != 0x7000;
     }},
    {Quirk::connect_duplicate_req,
     [](const Config& config) {
       Config both = config;
       if (config.quirks.has(Quirk::connect_duplicate_req)) both.quirks.add(Quirk::ignore_stale_connections);
       Passive b(both);
       b.requested();
       b.receives(Passive::req());
       return is_told(b, EventKind::connect_request);
     }},
    {Quirk::drop_unknown_service,
     [](const Config& config) {
       Passive b(config);
       mad::CmReq req = Passive::req();
       req.service_id = {1};
       b.receives(req);
       return sends(b).empty();
     }},
    {Quirk::ignore_stale_connections,
     [](const Config& config) {
       Passive b(config);
       b.to(State::established);
       b.receives(other_req());
       return sends(b).empty() && is_told(b, EventKind::connect_request);
     }},
    {Quirk::ignore_mra,
     [](const Config& config) {
       Active a(config);
       a.connect();
       mad::CmMra mra;
       mra.local_id = {0xB1};
       mra.remote_id = {0xA1};
       mra.service_timeout = 25;
       a.receives(mra);
       return a.pass() == response_time;
     }},
    {Quirk::rep_with_new_transaction,
     [](const Config& config) {
       Passive b(config);
       b.to(State::rep_sent);
       return b.transaction() != peer_transaction.value;
     }},
    {Quirk::answer_rep_once,
     [](const Config& config) {
       Active a(config);
       a.to(State::established);
       a.receives(a.rep());
       return sends(a).empty();
     }},
    {Quirk::depths_not_swapped,
     [](const Config& config) {
       Passive b(config);
       b.requested();
       const auto rep = b.accept();
       return rep.responder_resources == 4 && rep.initiator_depth == 8;
     }},
    {Quirk::accept_any_depth,
     [](const Config& config) {
       Active a(config);
       a.connect();
       mad::CmRep rep = a.rep();
       rep.initiator_depth = 5;
       a.receives(rep);
       return is_told(a, EventKind::replied);
     }},
    {Quirk::accept_dreq_for_any_qpn,
     [](const Config& config) {
       Passive b(config);
       b.to(State::established);
       b.receives(dreq(0x23));
       return is_told(b, EventKind::disconnect_request);
     }},
    {Quirk::ignore_unknown_dreq,
     [](const Config& config) {
       Passive b(config);
       b.receives(dreq());
       return sends(b).empty();
     }},
    {Quirk::answer_dreq_once,
     [](const Config& config) {
       Passive b(config);
       b.to(State::timewait);
       b.receives(dreq());
       return sends(b).empty();
     }},
    {Quirk::no_timewait,
     [](const Config& config) {
       Passive b(config);
       b.to(State::timewait);
       return b.pass() == Duration{};
     }},
    {Quirk::ignore_crossing_dreq,
     [](const Config& config) {
       Passive b(config);
       b.to(State::established);
       (void)b.cm.disconnect(b.id, {}, b.now);
       b.sent<mad::CmDreq>();
       b.receives(dreq());
       return sends(b).empty();
     }},
    {Quirk::accept_any_gid,
     [](const Config& config) {
       Config own = config;
       own.gids = {gid(9)};
       Passive b(own);
       b.receives(Passive::req());
       return is_told(b, EventKind::connect_request);
     }},
    {Quirk::accept_any_peer_comm_id,
     [](const Config& config) {
       Passive b(config);
       b.to(State::rep_sent);
       b.receives(mad::CmRtu{{0xA2}, {0xB1}, {}});
       return is_told(b, EventKind::established);
     }},
    {Quirk::accept_any_class_version,
     [](const Config& config) {
       Passive b(config);
       MadOctets octets;
       write(octets, mad::CmAttribute::req, peer_transaction, Passive::req());
       octets[2] = 1;
       b.cm.on_mad(octets, b.reply, b.now);
       return is_told(b, EventKind::connect_request);
     }},
    {Quirk::sidr_wrong_request_id,
     [](const Config& config) {
       Passive b(config);
       mad::CmSidrReq req;
       req.request_id = {0xA1};
       req.service_id = {1};
       b.receives(req);
       return b.sent<mad::CmSidrRep>().request_id.value != 0xA1;
     }},
    {Quirk::accept_any_transport,
     [](const Config& config) {
       Passive b(config);
       mad::CmReq req = Passive::req();
       req.transport_service = mad::TransportService::rd;
       b.receives(req);
       return is_told(b, EventKind::connect_request);
     }},
    {Quirk::own_rnr_retry_count,
     [](const Config& config) {
       Active a(config);
       a.to(State::established);
       return a.cm.attributes(a.id).rnr_retry != 3;
     }},
    {Quirk::ignore_ip_cm_header,
     [](const Config& config) {
       Passive b(config);
       BOOST_REQUIRE(b.cm.listen({0x0000000001061C06}).has_value());
       mad::CmReq req = Passive::req();
       req.service_id = {0x0000000001061C06};
       req.private_data[0] = 0x10;
       b.receives(req);
       return is_told(b, EventKind::connect_request);
     }},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_quirks)

BOOST_AUTO_TEST_CASE(each_departs_and_nothing_does_without) {
  for (const Case& c : cases) {
    const vectors::Label label(ib::info(c.quirk).name, ib::info(c.quirk).requirement);
    BOOST_TEST_CONTEXT(ib::info(c.quirk).name) {
      BOOST_TEST(!c.departs(Config{}));
      BOOST_TEST(c.departs(with(c.quirk)));
    }
  }
}

BOOST_AUTO_TEST_CASE(each_has_its_case) {
  for (const ib::QuirkInfo& row : ib::quirk_table) {
    if (row.machine != ib::QuirkOf::cm) continue;
    BOOST_TEST(std::ranges::count(cases, row.quirk, &Case::quirk) == 1, row.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cm
