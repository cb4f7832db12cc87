// What a DDP stream session sends and tells with the enhanced functions of RFC 6581, octet by octet.
#include <string>
#include <vector>

#include "protocol/iwarp/sctp_script_test.h"

namespace rdmawire::iwarp::sctp_test {

namespace {

const std::vector<Scenario> all{
    //= MPA-6581-7-03, MPA-6581-7-06, MPA-6581-7-07, MPA-6581-7-09 test
    {"enhanced_initiator",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_initiator("aa");
       s.control("0000 0006 8008 4006 bb");
       s.terminate();
     },
     "C 0000 0005 8010c010aa\n"
     "established enhanced, peer 8/6, own 16/8, ready by Read bb\n"
     "C 0001 0004\n"},
    //= MPA-6581-7-03, MPA-6581-7-06, MPA-6581-7-07 test
    {"enhanced_responder",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_responder();
       s.control("0000 0005 c004 8008 aa");
       s.accept("bb");
     },
     "request enhanced, peer 4/8 aa\n"
     "established enhanced, peer 4/8, own 16/4, ready by Write aa\n"
     "C 0000 0006 80108004bb\n"},
    {"enhanced_without_anything_beside_the_block",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.config.mpa.peer_to_peer = false;
       s.config.mpa.ird = 0x3FFF;
       s.start_initiator();
       s.control("0000 0006 3fff 0008");
     },
     "C 0000 0005 3fff0010\n"
     "established enhanced, peer -/8, own -/-\n"},
    //= MPA-6581-7-02 test
    {"enhanced_reject",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_responder();
       s.control("0000 0005 8010 c010");
       s.reject("bb", true);
     },
     "request enhanced, peer 16/16\n"
     "ended request_rejected enhanced, peer 16/16\n"
     "C 0000 0007 bb\n"},
    //= MPA-6581-7-02 test
    {"plain_reject_of_an_enhanced_request",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_responder();
       s.control("0000 0005 8010 c010");
       s.reject("bb");
     },
     "request enhanced, peer 16/16\n"
     "ended request_rejected enhanced, peer 16/16\n"
     "C 0000 0003 bb\n"},
    //= MPA-6581-7-06, MPA-6581-7-07 test
    {"enhanced_reject_by_the_peer",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_initiator();
       s.control("0000 0007 bb");
     },
     "C 0000 0005 8010c010\n"
     "ended rejected_as_enhanced bb\n"},
    {"enhanced_reject_of_a_plain_request",
     [](Script& s) {
       s.start_initiator();
       s.control("0000 0007 bb");
     },
     "C 0000 0001\n"
     "ended wrong_form\n"
     "C 0001 0004\n"},
    {"enhanced_request_answered_plainly",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_initiator();
       s.control("0000 0002 bb");
     },
     "C 0000 0005 8010c010\n"
     "ended wrong_form\n"
     "C 0001 0004\n"},
    {"enhanced_request_to_a_plain_responder",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0005 8010 c010");
     },
     "ended not_enhanced\n"
     "C 0000 0004\n"},
    {"no_ready_to_receive_type_in_common",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_initiator();
       s.control("0000 0006 c010 0010");
     },
     "C 0000 0005 8010c010\n"
     "ended no_matching_rtr enhanced, peer 16/16\n"
     "C 0001 0004\n"},
    {"more_reads_than_there_are_resources_for",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_initiator();
       s.control("0000 0006 8010 c041");
     },
     "C 0000 0005 8010c010\n"
     "ended insufficient_ird enhanced, peer 16/65\n"
     "C 0001 0004\n"},
    {"impossible_answers",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_responder();
       s.control("0000 0005 8004 c010");
       s.accept(SctpAnswer{.ird = 0x4000});
       s.accept(SctpAnswer{.ord = 5});
       s.accept(SctpAnswer{.ird = 2, .ord = 3});
     },
     "request enhanced, peer 4/16\n"
     "refused: attribute missing, not allowed or impossible\n"
     "refused: attribute missing, not allowed or impossible\n"
     "established enhanced, peer 4/16, own 2/3, ready by Write Read\n"
     "C 0000 0006 8002c003\n"},
};

}  // namespace

const std::vector<Scenario>& sctp_enhanced_scenarios() { return all; }

}  // namespace rdmawire::iwarp::sctp_test
