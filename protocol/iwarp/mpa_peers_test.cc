// Real devices: the start-up frames of captures in testdata/captures, and the same devices imitated by their quirks.
#include <initializer_list>

#include "protocol/iwarp/mpa_script_test.h"

namespace rdmawire::iwarp::test {
namespace {

MpaConfig imitating(std::initializer_list<Quirk> quirks) {
  MpaConfig out;
  for (const Quirk quirk : quirks) out.quirks.add(quirk);
  return out;
}

MpaConfig siw() {
  return imitating({Quirk::reject_markers, Quirk::echo_crc, Quirk::answer_one_rtr, Quirk::depth_3fff_is_a_number,
                    Quirk::private_data_256, Quirk::take_revision_0, Quirk::take_early_fpdus});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mpa_peers)

// Requests of siw to this responder.
BOOST_AUTO_TEST_CASE(siw_is_answered) {
  // siw-rping.pcap: no CRC, client-server
  BOOST_TEST(run("respond; < req 1002000400010001; accept; terms") ==
             "request rev=2 ird=1 ord=1 | > rep 5002000400100001 | established rev=2 ird=1 ord=1 | "
             "accepted crc enhanced i=1/1 r=16/1 | FULL_OPERATION");
  // siw-p2p-crc-rping.pcap
  BOOST_TEST(run("respond; < req 500200048001c001; accept; terms") ==
             "request rev=2 ird=1 ord=1 | > rep 500200048010c001 | established rev=2 ird=1 ord=1 | "
             "accepted crc enhanced p2p write read i=1/1 r=16/1 | FULL_OPERATION");
  // siw-mpa-reject.pcap
  BOOST_TEST(run("respond; < req 1002000a0004000470726f626500; data; reject 6e6f ird=4 ord=4") ==
             "request rev=2 ird=4 ord=4 | data 70726f626500 | > rep 70020006000400046e6f | "
             "ended: request_rejected, leave TCP to the ULP rev=2 ird=4 ord=4 | LEFT");
  // siw-mpav1-rping.pcap
  BOOST_TEST(run("conf crc=0; respond; < req 00010000; accept; terms") ==
             "request rev=1 | > rep 00010000 | established rev=1 | accepted | FULL_OPERATION");
  // siw-gso-allops.pcap: its own flag in the reserved bits
  BOOST_TEST(run("conf crc=0; respond; < req 1802000a0004000470726f626500; accept; terms") ==
             "request rev=2 ird=4 ord=4 | > rep 1002000400100004 | established rev=2 ird=4 ord=4 | "
             "accepted enhanced i=4/4 r=16/4 | FULL_OPERATION");
  // siw-nvmeof.pcap: IRD 128, ORD 0
  BOOST_TEST(run("respond; < req 1002002400800000000000000020001f 00*24; accept; terms") ==
             "request rev=2 ird=128 ord=0 | > rep 5002000400100010 | established rev=2 ird=128 ord=0 | "
             "accepted crc enhanced i=128/0 r=16/16 | FULL_OPERATION");
}

// Replies of siw to this initiator.
BOOST_AUTO_TEST_CASE(siw_answers) {
  // siw-rping.pcap
  BOOST_TEST(run("conf p2p=0; initiate; < rep 1002000400010001; terms") ==
             "> req 5002000400100010 | established rev=2 ird=1 ord=1 | "
             "accepted crc enhanced i=16/1 r=1/1 | FIRST_FPDU_DUE");
  // siw-p2p-rping.pcap: it names Write alone
  BOOST_TEST(run("initiate; < rep 1002000480018001; terms") ==
             "> req 500200048010c010 | established rev=2 ird=1 ord=1 | "
             "accepted crc enhanced p2p write i=16/1 r=1/1 | FIRST_FPDU_DUE");
  // siw-mpa-reject.pcap
  BOOST_TEST(run("conf p2p=0; initiate; < rep 30020006000400046e6f; data") ==
             "> req 5002000400100010 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=4 ord=4 | data 6e6f | "
             "LEFT");
  // siw-crc-strict-mismatch.pcap, and with markers host-endpoint-siw.pcap: it rejects by itself
  BOOST_TEST(run("initiate; < rep 3002000400000000") ==
             "> req 500200048010c010 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=0 ord=0 | LEFT");
  BOOST_TEST(run("conf markers=1; initiate; < rep 7002000400000000") ==
             "> req d00200048010c010 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=0 ord=0 | LEFT");
  // host-endpoint-siw.pcap, revision 1
  BOOST_TEST(run("conf rev=1 crc=0; initiate; < rep 0001001000007f888501700050ee850000100000; data") ==
             "> req 00010000 | established rev=1 | data 00007f888501700050ee850000100000 | FIRST_FPDU_DUE");
  // siw-nvmeof.pcap: ORD 128
  BOOST_TEST(run("conf p2p=0 ird=128 ord=0; initiate; < rep 1002002400000080000020 00*29; terms") ==
             "> req 5002000400800000 | established rev=2 ird=0 ord=128 | "
             "accepted crc enhanced i=128/0 r=0/128 | FIRST_FPDU_DUE");
  // siw-gso-allops.pcap
  BOOST_TEST(run("conf p2p=0; initiate; < rep 18020014000400 04 00007ffaabdcb000ec62ae0000100000; data") ==
             "> req 5002000400100010 | established rev=2 ird=4 ord=4 | data 00007ffaabdcb000ec62ae0000100000 | "
             "FIRST_FPDU_DUE");
}

// What siw sent in these captures, octet by octet.
BOOST_AUTO_TEST_CASE(siw_is_imitated) {
  // siw-rping.pcap
  BOOST_TEST(run("conf crc=0 p2p=0 ird=1 ord=1; initiate; < rep 1002000400010001", siw()) ==
             "> req 1002000400010001 | established rev=2 ird=1 ord=1 | FIRST_FPDU_DUE");
  BOOST_TEST(run("conf crc=0 ird=1 ord=1; respond; < req 1002000400010001; accept", siw()) ==
             "request rev=2 ird=1 ord=1 | > rep 1002000400010001 | established rev=2 ird=1 ord=1 | FULL_OPERATION");
  // siw-p2p-rping.pcap
  BOOST_TEST(run("conf crc=0 ird=1 ord=1; initiate; < rep 1002000480018001; terms", siw()) ==
             "> req 100200048001c001 | established rev=2 ird=1 ord=1 | "
             "accepted enhanced p2p write i=1/1 r=1/1 | FIRST_FPDU_DUE");
  BOOST_TEST(run("conf crc=0 ird=1 ord=1; respond; < req 100200048001c001; accept", siw()) ==
             "request rev=2 ird=1 ord=1 | > rep 1002000480018001 | established rev=2 ird=1 ord=1 | FULL_OPERATION");
  // siw-crc-client-only.pcap and siw-crc-server-only.pcap: the Reply's C is the Request's
  BOOST_TEST(run("conf crc=0 ird=1 ord=1; respond; < req 500200048001c001; accept; terms", siw()) ==
             "request rev=2 ird=1 ord=1 | > rep 5002000480018001 | established rev=2 ird=1 ord=1 | "
             "accepted crc enhanced p2p write i=1/1 r=1/1 | FULL_OPERATION");
  BOOST_TEST(run("conf crc=1 ird=1 ord=1; respond; < req 100200048001c001; accept; terms", siw()) ==
             "request rev=2 ird=1 ord=1 | > rep 1002000480018001 | established rev=2 ird=1 ord=1 | "
             "accepted enhanced p2p write i=1/1 r=1/1 | FULL_OPERATION");
  // siw-mpa-reject.pcap
  BOOST_TEST(run("conf crc=0 ird=4 ord=4; respond; < req 1002000a0004000470726f626500; reject 6e6f", siw()) ==
             "request rev=2 ird=4 ord=4 | > rep 30020006000400046e6f | "
             "ended: request_rejected, leave TCP to the ULP rev=2 ird=4 ord=4 | LEFT");
  // host-endpoint-siw.pcap: Markers are asked for; revision 1; revision 3
  BOOST_TEST(run("respond; < req d002000400040004", siw()) ==
             "> rep 7002000400000000 | ended: request_rejected, leave TCP to the ULP rev=2 ird=4 ord=4 | LEFT");
  BOOST_TEST(run("respond; < req 00010000; accept 00007f888501700050ee850000100000", siw()) ==
             "request rev=1 | > rep 0001001000007f888501700050ee850000100000 | established rev=1 | FULL_OPERATION");
  BOOST_TEST(run("respond; < req 40030000", siw()) == "ended: bad_revision, close TCP | CLOSED");
  // siw-gso-allops.pcap
  MpaConfig gso = siw();
  gso.quirks.add(Quirk::flag_gso);
  BOOST_TEST(run("conf crc=0 p2p=0 ird=4 ord=4; initiate 70726f626500", gso) ==
             "> req 1802000a0004000470726f626500 | REQUEST_SENT");
  BOOST_TEST(run("conf crc=0 ird=4 ord=4; respond; < req 1802000a0004000470726f626500; "
                 "accept 00007ffaabdcb000ec62ae0000100000",
                 gso) ==
             "request rev=2 ird=4 ord=4 | > rep 180200140004000400007ffaabdcb000ec62ae0000100000 | "
             "established rev=2 ird=4 ord=4 | FULL_OPERATION");
}

// As the sources of their drivers have it.
BOOST_AUTO_TEST_CASE(others_are_met) {
  // Chelsio: one type, and its initiator takes no other
  const MpaConfig chelsio = imitating({Quirk::offer_one_rtr, Quirk::demand_first_rtr, Quirk::rtr_in_revision_1,
                                       Quirk::take_revision_0, Quirk::private_data_256});
  BOOST_TEST(run("initiate; < rep 5002000480104010; terms", chelsio) ==
             "> req 5002000480104010 | established rev=2 ird=16 ord=16 | "
             "accepted crc enhanced p2p read i=16/16 r=16/16 | FIRST_FPDU_DUE");
  BOOST_TEST(run("respond; < req 5002000480104010; accept; terms") ==
             "request rev=2 ird=16 ord=16 | > rep 5002000480104010 | established rev=2 ird=16 ord=16 | "
             "accepted crc enhanced p2p read i=16/16 r=16/16 | FULL_OPERATION");
  // Intel: A always, C and D offered
  const MpaConfig intel =
      imitating({Quirk::always_crc, Quirk::ignore_enhanced_bit, Quirk::demand_peer_to_peer, Quirk::always_peer_to_peer,
                 Quirk::answer_read_rtr, Quirk::depths_3fff_together, Quirk::insufficient_ird_closes});
  BOOST_TEST(run("initiate; < rep 5002000480104010; terms", intel) ==
             "> req 500200048010c010 | established rev=2 ird=16 ord=16 | "
             "accepted crc enhanced p2p read i=16/16 r=16/16 | FIRST_FPDU_DUE");
  BOOST_TEST(run("respond; < req 500200048010c010; accept", intel) ==
             "request rev=2 ird=16 ord=16 | > rep 5002000480104010 | established rev=2 ird=16 ord=16 | FULL_OPERATION");
  // NetEffect: revision 1
  BOOST_TEST(run("respond; < req 40010000; accept; terms") ==
             "request rev=1 | > rep 40010000 | established rev=1 | accepted crc | FULL_OPERATION");
  BOOST_TEST(run("respond; < req 500200048010c010", imitating({Quirk::revision_1_only})) ==
             "ended: not_enhanced, close TCP rev=2 ird=16 ord=16 | CLOSED");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::test
