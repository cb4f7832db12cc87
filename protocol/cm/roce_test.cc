// What differs on RoCE, where no port has a LID.
#include "protocol/cm/host_test.h"

namespace rdmawire::cm {
namespace {

using namespace test;

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_roce)

//= V2-19 test
BOOST_AUTO_TEST_CASE(lids_in_req_do_not_matter) {
  for (const Lid lid : {Lid{0}, Lid{0x17}, Lid{0xC000}, Lid{0xFFFF}}) {
    Config config;
    config.alternate_paths = true;
    config.gids = {gid(2)};
    Passive b(config);
    mad::CmReq req = Passive::req();
    req.primary_local_lid = req.primary_remote_lid = lid;
    req.alternate_local_gid = gid(11);
    req.alternate_remote_gid = gid(12);
    req.alternate_local_lid = req.alternate_remote_lid = lid;
    b.receives(req);
    b.id = b.event(EventKind::connect_request).connection;
    // sent() sees that it goes where the REQ came from.
    BOOST_TEST((b.accept().failover_accepted == mad::FailoverAccepted::accepted));
    b.receives(mad::CmRtu{{0xA1}, {0xB1}, {}});
    b.event(EventKind::established);

    mad::CmLap lap;
    lap.local_id = {0xA1};
    lap.remote_id = {0xB1};
    lap.remote_qpn = {0x22};
    lap.remote_cm_response_timeout = 20;
    lap.local_gid = gid(11);
    lap.remote_gid = gid(2);
    lap.local_lid = lap.remote_lid = lid;
    b.receives(lap);
    b.event(EventKind::path_request);
    BOOST_TEST(b.quiet());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cm
