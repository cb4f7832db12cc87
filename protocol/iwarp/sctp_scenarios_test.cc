// What a DDP stream session sends and tells, octet by octet.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "protocol/iwarp/sctp_script_test.h"

namespace rdmawire::iwarp::sctp_test {

namespace {

using namespace std::chrono_literals;
using P = net::SctpPayloadProtocol;

// An initiator with an established session.
void establish(Script& s) {
  s.start_initiator();
  s.control("0000 0002");
}

const std::vector<Scenario> all{
    //= SCTP-5043-6.1-02, SCTP-5043-6.2-01, SCTP-5043-6.2-02, SCTP-5043-5.2.1-01 test
    //= SCTP-5043-5.2.3-05, SCTP-5043-5.2.3-06, SCTP-5043-6.2-03, SCTP-5043-6.5-02, SCTP-5043-11.2-01 test
    {"initiator",
     [](Script& s) {
       s.start_initiator("aa01");
       s.control("0000 0002 bb02");
       s.send("4143");
       s.segment("0001 c1c2");
       s.send("4243");
       s.terminate();
       s.segment("0002 c3");
       s.control("0003 0004");
     },
     "C 0000 0001 aa01\n"
     "established bb02\n"
     "S 0001 4143\n"
     "in 0001 c1c2\n"
     "S 0002 4243\n"
     "C 0003 0004\n"
     "in 0002 c3\n"
     "ended terminated bb02\n"},

    //= SCTP-5043-6.2-01, SCTP-5043-6.4-01, SCTP-5043-6.2-03 test
    {"responder_sends_first_and_answers_the_terminate",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0001 aa");
       s.accept("bb");
       s.send("4143");
       s.segment("0001 c1");
       s.control("0002 0004");
       s.segment("0003 c2");
     },
     "request aa\n"
     "established aa\n"
     "C 0000 0002 bb\n"
     "S 0001 4143\n"
     "in 0001 c1\n"
     "ended terminated_by_peer aa\n"
     "C 0002 0004\n"},

    //= SCTP-5043-5.2.3-02, SCTP-5043-5.2.3-03 test
    {"private_data_of_512_octets",
     [](Script& s) {
       s.start_initiator(std::string(1024, 'a'));
       s.control("0000 0003" + std::string(1024, 'b'));
     },
     "C 0000 0001 (512)\n"
     "ended rejected_by_peer (512)\n"},
    //= SCTP-5043-5.2.3-03 test
    {"private_data_of_513_octets_are_refused",
     [](Script& s) {
       s.start_initiator(std::string(1026, 'a'));
       s.start_responder();
       s.control("0000 0001" + std::string(1026, 'b'));
     },
     "refused: address or length out of range\n"
     "ended bad_private_data_len\n"
     "C 0000 0004\n"},
    //= MPA-6581-7-03, MPA-6581-7-04 test
    {"the_enhanced_block_counts_as_private_data",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_initiator(std::string(1018, 'a'));
       s.start_initiator(std::string(1016, 'a'));
       s.control("0000 0006 8010 c010" + std::string(1018, 'b'));
     },
     "refused: address or length out of range\n"
     "C 0000 0005 (512)\n"
     "ended bad_private_data_len\n"
     "C 0001 0004\n"},
    //= SCTP-5043-5.2.3-04, MPA-6581-7-05 test
    {"a_terminate_with_private_data_is_illegal",
     [](Script& s) {
       establish(s);
       s.control("0001 0004 00");
     },
     "C 0000 0001\n"
     "established\n"
     "ended bad_private_data_len\n"
     "C 0001 0004\n"},

    //= SCTP-5043-6.3-01, SCTP-5043-5.2.3-06 test
    {"rejected",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0001 aa");
       s.reject("bb");
     },
     "request aa\n"
     "ended request_rejected aa\n"
     "C 0000 0003 bb\n"},
    {"rejected_by_the_peer",
     [](Script& s) {
       s.start_initiator("aa");
       s.control("0000 0003 bb");
       s.line(s.session().may_restart() ? "may restart" : "may not restart");
       s.acknowledge(0);
       s.line(s.session().may_restart() ? "may restart" : "may not restart");
     },
     "C 0000 0001 aa\n"
     "ended rejected_by_peer bb\n"
     "may not restart\n"
     "may restart\n"},
    //= SCTP-5043-6.3-02 test
    {"a_provider_refuses_by_a_terminate",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0001");
       s.terminate();
     },
     "request\n"
     "ended given_up\n"
     "C 0000 0004\n"},
    //= SCTP-5043-5.2.3-08, SCTP-5043-6.4-03 test
    {"a_request_that_cannot_wait_is_terminated",
     [](Script& s) {
       static SctpListener none(0);
       s.listener = &none;
       s.start_responder();
       s.control("0000 0001 aa");
     },
     "ended too_many_requests\n"
     "C 0000 0004\n"},
    {"refused_by_the_peer",
     [](Script& s) {
       s.start_initiator();
       s.control("0000 0004");
     },
     "C 0000 0001\n"
     "ended refused_by_peer\n"},
    {"the_peer_gives_up",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0001");
       s.control("0001 0004");
       s.accept();
     },
     "request\n"
     "ended terminated_by_peer\n"
     "C 0000 0004\n"
     "refused: not in this state\n"},

    //= SCTP-5043-6.1-03 test
    {"illegal_at_a_responder",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0002");
     },
     "ended out_of_pattern\n"
     "C 0000 0004\n"},
    {"illegal_segment_without_initiate",
     [](Script& s) {
       s.start_responder();
       s.segment("0000 4143");
     },
     "ended out_of_pattern\n"
     "C 0000 0004\n"},
    //= SCTP-5043-6.1-03 test
    {"illegal_segment_before_accept",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0001");
       s.segment("0001 4143");
     },
     "request\n"
     "ended out_of_pattern\n"
     "C 0000 0004\n"},
    //= SCTP-5043-6.1-03 test
    {"illegal_second_initiate",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0001");
       s.accept();
       s.control("0001 0001");
       s.acknowledge(0);
     },
     "request\n"
     "established\n"
     "C 0000 0002\n"
     "ended out_of_pattern\n"
     "C 0001 0004\n"},
    {"illegal_reject_of_an_established_session",
     [](Script& s) {
       establish(s);
       s.control("0001 0003");
     },
     "C 0000 0001\n"
     "established\n"
     "ended out_of_pattern\n"
     "C 0001 0004\n"},
    {"illegal_initiate_to_an_initiator",
     [](Script& s) {
       s.start_initiator();
       s.control("0000 0001");
     },
     "C 0000 0001\n"
     "ended out_of_pattern\n"
     "C 0001 0004\n"},
    {"illegal_segment_in_place_of_accept",
     [](Script& s) {
       s.start_initiator();
       s.segment("0000 4143");
     },
     "C 0000 0001\n"
     "ended out_of_pattern\n"
     "C 0001 0004\n"},
    //= SCTP-5043-6.5-01 test
    {"illegal_experimental_function",
     [](Script& s) {
       establish(s);
       s.control("0001 ffff");
     },
     "C 0000 0001\n"
     "established\n"
     "ended out_of_pattern\n"
     "C 0001 0004\n"},
    {"illegal_unknown_function",
     [](Script& s) {
       establish(s);
       s.control("0001 0008");
     },
     "C 0000 0001\n"
     "established\n"
     "ended unknown_function\n"
     "C 0001 0004\n"},
    {"illegal_too_short_for_a_number",
     [](Script& s) {
       establish(s);
       s.segment("00");
     },
     "C 0000 0001\n"
     "established\n"
     "ended bad_length\n"
     "C 0001 0004\n"},
    {"illegal_too_short_for_a_function",
     [](Script& s) {
       establish(s);
       s.control("0001 00");
     },
     "C 0000 0001\n"
     "established\n"
     "ended bad_length\n"
     "C 0001 0004\n"},
    {"illegal_enhanced_initiate_without_its_block",
     [](Script& s) {
       s.config.mpa.enhanced = true;
       s.start_responder();
       s.control("0000 0005 8010 c0");
     },
     "ended bad_private_data_len\n"
     "C 0000 0004\n"},
    //= SCTP-5043-5.1-02 test
    {"illegal_payload_protocol",
     [](Script& s) {
       establish(s);
       s.chunk(P{18}, "0001 4143");
     },
     "C 0000 0001\n"
     "established\n"
     "ended foreign_chunk\n"
     "C 0001 0004\n"},
    // What was given to send and has not gone does not go any more, and what still comes is dropped.
    //= SCTP-5043-6-02 test
    {"after_an_illegal_chunk",
     [](Script& s) {
       s.config.max_unacknowledged = 2;
       establish(s);
       s.send("a1");
       s.send("a2");
       s.segment("0001 c1");
       s.control("0002 0001");
       s.acknowledge_all();
       s.segment("0003 c2");
       s.send("a3");
       s.control("0004 0004");
       s.segment("0005 c3");
     },
     "C 0000 0001\n"
     "established\n"
     "S 0001 a1\n"
     "in 0001 c1\n"
     "ended out_of_pattern\n"
     "C 0002 0004\n"
     "refused: not in this state\n"},

    //= SCTP-5043-10-02 test
    {"segments_are_given_in_the_order_of_ssn",
     [](Script& s) {
       s.start_initiator();
       s.segment("0002 c2");
       s.control("0000 0002");
       s.segment("0004 c4");
       s.control("0005 0004");
       s.segment("0001 c1");
       s.segment("0003 c3");
     },
     "C 0000 0001\n"
     "established\n"
     "ahead 0002 c2\n"
     "ahead 0004 c4\n"
     "in 0001 c1\n"
     "in 0002 c2 again\n"
     "in 0003 c3\n"
     "in 0004 c4 again\n"
     "ended terminated_by_peer\n"
     "C 0001 0004\n"},
    //= SCTP-5043-10-04 test
    {"a_number_too_far_ahead",
     [](Script& s) {
       s.config.reorder_capacity = 8;
       establish(s);
       s.segment("0001 c1");
       s.segment("0009 c9");
       s.segment("000a ca");
     },
     "C 0000 0001\n"
     "established\n"
     "in 0001 c1\n"
     "ahead 0009 c9\n"
     "ended bad_sequence\n"
     "C 0001 0004\n"},
    //= SCTP-5043-10-04 test
    {"a_number_that_came_before",
     [](Script& s) {
       establish(s);
       s.segment("0001 c1");
       s.segment("0001 c1");
     },
     "C 0000 0001\n"
     "established\n"
     "in 0001 c1\n"
     "ended bad_sequence\n"
     "C 0001 0004\n"},
    {"a_number_that_came_ahead_before",
     [](Script& s) {
       establish(s);
       s.segment("0002 c2");
       s.segment("0002 c2");
     },
     "C 0000 0001\n"
     "established\n"
     "ahead 0002 c2\n"
     "ended bad_sequence\n"
     "C 0001 0004\n"},

    //= SCTP-5043-6.6-01 test
    {"a_terminate_does_not_overtake_the_initiate",
     [](Script& s) {
       s.start_initiator();
       s.terminate();
       s.line("acknowledged");
       s.acknowledge(0);
     },
     "C 0000 0001\n"
     "ended given_up\n"
     "acknowledged\n"
     "C 0001 0004\n"},
    //= SCTP-5043-6.6-01 test
    {"a_terminate_does_not_overtake_the_accept",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0001");
       s.accept();
       s.send("a1");
       s.terminate();
       s.acknowledge(1);
       s.line("the initiator sends");
       s.segment("0001 c1");
     },
     "request\n"
     "established\n"
     "C 0000 0002\n"
     "S 0001 a1\n"
     "the initiator sends\n"
     "in 0001 c1\n"
     "C 0002 0004\n"},
    //= SCTP-5043-6.6-02 test
    {"no_segment_before_the_initiate_is_answered",
     [](Script& s) {
       s.start_initiator();
       s.send("a1");
       s.acknowledge(0);
       s.send("a1");
       s.control("0000 0002");
       s.send("a1");
     },
     "C 0000 0001\n"
     "refused: not in this state\n"
     "refused: not in this state\n"
     "established\n"
     "S 0001 a1\n"},
    //= SCTP-5043-10-03 test
    {"chunks_wait_for_the_oldest_acknowledgment",
     [](Script& s) {
       s.config.max_unacknowledged = 3;
       establish(s);
       for (const char* ulpdu : {"a1", "a2", "a3", "a4"}) s.send(ulpdu);
       s.acknowledge(1);
       s.line("0 is acknowledged");
       s.acknowledge(0);
     },
     "C 0000 0001\n"
     "established\n"
     "S 0001 a1\n"
     "S 0002 a2\n"
     "0 is acknowledged\n"
     "S 0003 a3\n"
     "S 0004 a4\n"},
    //= SCTP-5043-9-04 test
    {"segments_above_the_maximum_are_refused",
     [](Script& s) {
       s.association.max_chunk_len = 600;
       establish(s);
       s.send(std::string(2 * 599, 'a'));
       s.send(std::string(2 * 598, 'a'));
     },
     "C 0000 0001\n"
     "established\n"
     "refused: address or length out of range\n"
     "S 0001 (598)\n"},
    {"as_many_segments_as_there_is_room_for",
     [](Script& s) {
       s.config.send_capacity = 2;
       s.config.max_unacknowledged = 1;
       establish(s);
       s.send("a1");
       s.send("a2");
       s.send("a3");
       s.terminate();
       s.acknowledge_all();
       s.acknowledge_all();
       s.acknowledge_all();
     },
     "C 0000 0001\n"
     "established\n"
     "refused: queue full\n"
     "S 0001 a1\n"
     "S 0002 a2\n"
     "C 0003 0004\n"},

    //= SCTP-5043-6.1-01, SCTP-5043-6.6-03 test
    {"the_next_session_of_the_stream",
     [](Script& s) {
       establish(s);
       s.send("a1");
       s.control("0001 0004");
       s.start_initiator();
       s.acknowledge(0);
       s.acknowledge(2);
       s.start_initiator();
       s.acknowledge(1);
       s.start_initiator();
       s.control("0000 0002");
       s.segment("0001 c1");
     },
     "C 0000 0001\n"
     "established\n"
     "S 0001 a1\n"
     "ended terminated_by_peer\n"
     "C 0002 0004\n"
     "refused: not in this state\n"
     "refused: not in this state\n"
     "C 0000 0001\n"
     "established\n"
     "in 0001 c1\n"},
    //= SCTP-5043-6-02 test
    {"what_is_left_of_the_session_before",
     [](Script& s) {
       s.start_responder();
       s.control("0000 0001 a1");
       s.reject();
       s.acknowledge(0);
       s.start_responder();
       s.control("0001 0004");
       s.control("0000 0001 a2");
     },
     "request a1\n"
     "ended request_rejected a1\n"
     "C 0000 0003\n"
     "request a2\n"},
    {"illegal_number_before_the_initiate",
     [](Script& s) {
       s.start_responder();
       s.control("0001 0004");
     },
     "ended out_of_pattern\n"
     "C 0000 0004\n"},
    //= SCTP-5043-11.1-03, SCTP-5043-11.1-05 test
    {"an_association_without_ddp",
     [](Script& s) {
       s.association.use = use_of_association({.refuse_others = false}, std::nullopt);
       s.start_initiator();
       s.association.use = use_of_association({.refuse_others = false}, 2);
       s.start_responder();
       s.control("0000 0001");
     },
     "refused: not in this state\n"
     "refused: not in this state\n"},
    //= SCTP-5043-11.3-02 test
    {"the_association_is_lost",
     [](Script& s) {
       establish(s);
       s.terminate();
       s.lose_association();
       s.start_initiator();
       s.shut_association_down();
     },
     "C 0000 0001\n"
     "established\n"
     "C 0001 0004\n"
     "ended association_lost\n"
     "C 0000 0001\n"
     "ended association_shut_down\n"},
    {"an_initiate_without_answer",
     [](Script& s) {
       s.start_initiator();
       s.wait(9999ms);
       s.line("10 s");
       s.wait(1ms);
       s.acknowledge(0);
       s.control("0000 0002");
       s.control("0001 0004");
     },
     "C 0000 0001\n"
     "10 s\n"
     "ended timed_out\n"
     "C 0001 0004\n"},
    {"a_terminate_without_answer",
     [](Script& s) {
       establish(s);
       s.terminate();
       s.wait(10s);
     },
     "C 0000 0001\n"
     "established\n"
     "C 0001 0004\n"
     "ended terminate_unanswered\n"},
};

}  // namespace

const std::vector<Scenario>& sctp_scenarios() { return all; }

}  // namespace rdmawire::iwarp::sctp_test
