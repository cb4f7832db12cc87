// The manager allocates when it is constructed, and never after that.
#include "tools/test/allocations.h"
#include "protocol/cm/host_test.h"

namespace rdmawire::cm {
namespace {

using namespace test;

// What one sends, the other gets.
void exchange(Host& from, Host& to) {
  TxMad mad;
  while (from.cm.poll_transmit(mad, from.now)) to.cm.on_mad(mad.octets, to.reply, to.now);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_allocations)

BOOST_AUTO_TEST_CASE(are_made_at_construction_only) {
  Config config;
  config.alternate_paths = true;
  Active a(config);
  Passive b(config);
  const ConnectParams params = connect_params();
  const AcceptParams answer = Passive::accept_params();
  std::uint64_t num_done = 0;
  const std::uint64_t before = num_allocations;
  for (int i = 0; i < 100; ++i) {
    const auto id = a.cm.connect(params, a.now);
    exchange(a, b);
    const auto request = b.cm.poll_event();
    if (!request) break;
    (void)b.cm.accept(request->connection, answer, b.now);
    exchange(b, a);
    (void)a.cm.poll_event();
    (void)a.cm.establish(*id, {}, a.now);
    exchange(a, b);
    (void)b.cm.poll_event();
    (void)a.cm.load_path(*id, params.path, {}, a.now);
    exchange(a, b);
    (void)b.cm.poll_event();
    (void)b.cm.answer_path(request->connection, {}, b.now);
    exchange(b, a);
    (void)a.cm.poll_event();
    (void)b.cm.disconnect(request->connection, {}, b.now);
    exchange(b, a);
    (void)a.cm.poll_event();
    (void)a.cm.disconnect(*id, {}, a.now);
    exchange(a, b);
    for (Host* host : {static_cast<Host*>(&a), static_cast<Host*>(&b)}) {
      host->now += 10s;
      host->cm.on_deadline(host->now);
      while (const auto event = host->cm.poll_event()) num_done += event->kind == EventKind::timewait_over;
    }
  }
  const std::uint64_t after = num_allocations;
  BOOST_TEST(num_done == 200U);
  BOOST_TEST(after == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cm
