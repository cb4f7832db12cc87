// What two ends agree on: read depths and ready-to-receive types. RFC 6581, 9.
#include <algorithm>
#include <utility>

#include "protocol/iwarp/mpa_script_test.h"

namespace rdmawire::iwarp::test {
namespace {

constexpr std::uint16_t left = 0x3FFF;

struct Pair {
  Pair(const MpaConfig& a, const MpaConfig& b) : initiator(a), responder(b) {
    std::array<std::uint8_t, 600> out;
    BOOST_TEST_REQUIRE(initiator.start_initiator({}, {}).has_value());
    BOOST_TEST_REQUIRE(responder.start_responder({}).has_value());
    const std::size_t len = initiator.poll_octets(out);
    request = decode<MpaEnhanced>(Bytes(out).subspan<20, 4>());
    responder.on_octets(Bytes(out).first(len), {});
    BOOST_TEST_REQUIRE(responder.accept().has_value());
    const std::size_t reply_len = responder.poll_octets(out);
    reply = decode<MpaEnhanced>(Bytes(out).subspan<20, 4>());
    initiator.on_octets(Bytes(out).first(reply_len), {});
  }

  MpaConnection initiator;
  MpaConnection responder;
  MpaEnhanced request;
  MpaEnhanced reply;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(mpa_depths)

// The laws of 9.1 for all small depths, and those at the ends of the range.
//= MPA-6581-9.1-01, MPA-6581-9.1-02, MPA-6581-9.1-04, MPA-6581-9.1-06, MPA-6581-9.1-08, MPA-6581-9.1-11 test
//= MPA-6581-9.1-12, MPA-6581-9.1-13, MPA-6581-9.1-14, MPA-6581-9.1-15, MPA-6581-12-01 test
BOOST_AUTO_TEST_CASE(all_small_depths) {
  const std::array<std::uint16_t, 7> depths{0, 1, 2, 3, 4, 0x3FFE, left};
  unsigned num_established = 0;
  for (const std::uint16_t i_ird : depths) {
    for (const std::uint16_t i_ord : depths) {
      for (const std::uint16_t r_ird : depths) {
        for (const std::uint16_t r_ord : depths) {
          for (const std::uint16_t most : {std::uint16_t{0}, std::uint16_t{3}}) {
            MpaConfig a;
            a.peer_to_peer = false;
            a.ird = i_ird;
            a.ord = i_ord;
            a.max_ird = most;
            MpaConfig b;
            b.ird = r_ird;
            b.ord = r_ord;
            b.max_ird = most;
            const Pair pair(a, b);
            BOOST_TEST_CONTEXT(i_ird << ' ' << i_ord << ' ' << r_ird << ' ' << r_ord << ' ' << most) {
              const auto [ird, ord] = std::pair(pair.reply.ird, pair.reply.ord);
              // The Reply: what is left to the ULP stays so, and the rest fits.
              if (i_ird == left || r_ord == left)
                BOOST_TEST(ord == left);
              else
                BOOST_TEST((ord <= i_ird && (ord == i_ird || ord == r_ord)));
              if (i_ord == left || r_ird == left)
                BOOST_TEST(ird == left);
              else
                BOOST_TEST((ird >= r_ird && ird <= std::max(r_ird, most) && (ird == r_ird || ird <= i_ord)));
              // Depths that there is no room for are not there: the responder never asks for more than it was given.
              BOOST_TEST((pair.initiator.state() == MpaState::first_fpdu_due));
              ++num_established;
              const ReadDepths i = pair.initiator.depths();
              const ReadDepths r = pair.responder.depths();
              BOOST_TEST((pair.initiator.negotiated().responder == r));
              BOOST_TEST((pair.responder.negotiated().initiator == i));
              BOOST_TEST(i.ord.has_value() == (i_ord != left && ird != left));
              BOOST_TEST(i.ird.has_value() == (i_ird != left && ord != left));
              BOOST_TEST(r.ird.has_value() == (ird != left));
              BOOST_TEST(r.ord.has_value() == (ord != left));
              if (i.ord) BOOST_TEST((*i.ord <= *r.ird && *i.ord <= i_ord && (*i.ord == i_ord || *i.ord == ird)));
              if (i.ird && r.ord) BOOST_TEST((*i.ird >= *r.ord && *i.ird == i_ird));
            }
          }
        }
      }
    }
  }
  BOOST_TEST(num_established == 7U * 7 * 7 * 7 * 2);
}

// A Reply that is not one of ours: initiator's IRD, the most that it can be raised to, the Reply's IRD and ORD, and
// what comes of it.
//= MPA-6581-9.1-08, MPA-6581-9.1-09, MPA-6581-9.1-12, MPA-6581-9.1-14 test
BOOST_AUTO_TEST_CASE(an_initiator_fits_its_depths_to_the_reply) {
  const auto terms = [](const std::string& conf, const std::string& block) {
    return run("conf p2p=0 " + conf + "; initiate; < rep 50020004" + block + "; terms").substr(25);
  };
  BOOST_TEST(terms("ird=4 ord=4 max_ird=8", "00020008") ==
             "established rev=2 ird=2 ord=8 | accepted crc enhanced i=8/2 r=2/8 | FIRST_FPDU_DUE");
  BOOST_TEST(terms("ird=4 ord=4 max_ird=8", "00080002") ==
             "established rev=2 ird=8 ord=2 | accepted crc enhanced i=4/4 r=8/2 | FIRST_FPDU_DUE");
  BOOST_TEST(terms("ird=4 ord=4 max_ird=8", "00040009") ==
             "ended: insufficient_ird, Terminate, then close TCP rev=2 ird=4 ord=9 | "
             "accepted crc enhanced i=9/4 r=4/9 | TERMINATING");
  BOOST_TEST(terms("ird=4 ord=4 max_ird=0", "00040005") ==
             "ended: insufficient_ird, Terminate, then close TCP rev=2 ird=4 ord=5 | "
             "accepted crc enhanced i=5/4 r=4/5 | TERMINATING");
  BOOST_TEST(terms("ird=4 ord=4 max_ird=8", "3fff0004") ==
             "established rev=2 ord=4 | accepted crc enhanced i=4/- r=-/4 | FIRST_FPDU_DUE");
  BOOST_TEST(terms("ird=4 ord=4 max_ird=8", "00043fff") ==
             "established rev=2 ird=4 | accepted crc enhanced i=-/4 r=4/- | FIRST_FPDU_DUE");
  // What it left to the ULP itself does not depend on the Reply.
  BOOST_TEST(terms("ird=16383 ord=16383 max_ird=8", "00040009") ==
             "established rev=2 ird=4 ord=9 | accepted crc enhanced i=-/- r=4/9 | FIRST_FPDU_DUE");
}

// Request's block, responder's settings, Reply's block.
//= MPA-6581-9.1-01, MPA-6581-9.1-05, MPA-6581-9.1-11, MPA-6581-9.1-13, MPA-6581-9.1-03, MPA-6581-12-01 test
BOOST_AUTO_TEST_CASE(a_responder_fits_its_depths_to_the_request) {
  struct Row {
    const char* conf;
    const char* request;
    const char* told;
    const char* reply;
  };
  for (const Row& row : {
           Row{"ird=4 ord=16 max_ird=8", "00040004", "ird=4 ord=4", "00040004"},
           Row{"ird=4 ord=16 max_ird=8", "00200003", "ird=32 ord=3", "00040010"},
           Row{"ird=4 ord=16 max_ird=8", "00000008", "ird=0 ord=8", "00080000"},
           Row{"ird=4 ord=16 max_ird=8", "00010009", "ird=1 ord=9", "00080001"},
           Row{"ird=4 ord=16 max_ird=8", "3fff0009", "ord=9", "00083fff"},
           Row{"ird=4 ord=16 max_ird=8", "00093fff", "ird=9", "3fff0009"},
           Row{"ird=4 ord=16 max_ird=8", "3fff3fff", "", "3fff3fff"},
           Row{"ird=16383 ord=16383 max_ird=8", "00090007", "ird=9 ord=7", "3fff3fff"},
           Row{"ird=16 ord=16 max_ird=128", "3ffe3ffe", "ird=16382 ord=16382", "00800010"},
           // A ready-to-receive Read takes a place, but only where it may come.
           Row{"ird=0 ord=0 max_ird=8", "8000c000", "ird=0 ord=0", "8001c000"},
           Row{"ird=0 ord=0 max_ird=0", "8000c000", "ird=0 ord=0", "8000c000"},
           Row{"ird=0 ord=0 max_ird=8", "80008000", "ird=0 ord=0", "80008000"},
       }) {
    BOOST_TEST_CONTEXT(row.conf << ' ' << row.request) {
      const std::string told = *row.told == '\0' ? "rev=2" : "rev=2 " + std::string(row.told);
      BOOST_TEST(run("conf " + std::string(row.conf) + "; respond; < req 50020004" + row.request + "; accept") ==
                 "request " + told + " | > rep 50020004" + row.reply + " | established " + told + " | FULL_OPERATION");
    }
  }
}

//= MPA-6581-9.1-05, MPA-6581-9.1-07, MPA-6581-9.1-06 test
BOOST_AUTO_TEST_CASE(the_ulp_may_name_its_depths) {
  const std::string got = "request rev=2 ird=4 ord=4 | ";
  const std::string respond = "respond; < req 5002000400040004; ";
  const std::string told = " | established rev=2 ird=4 ord=4 | FULL_OPERATION";
  const std::string no = "refused: attribute missing, not allowed or impossible | ";
  BOOST_TEST(run(respond + "accept ird=7 ord=2") == got + "> rep 5002000400070002" + told);
  BOOST_TEST(run(respond + "accept ird=1") == got + "> rep 5002000400010004" + told);
  BOOST_TEST(run(respond + "accept ird=16383 ord=16383") == got + "> rep 500200043fff3fff" + told);
  BOOST_TEST(run(respond + "accept ord=5; accept ird=16384; accept ord=16384; accept ord=4") ==
             got + no + no + no + "> rep 5002000400100004" + told);
  // What the Request leaves to the ULP is answered so.
  BOOST_TEST(run("respond; < req 500200043fff3fff; accept ird=7 ord=2") ==
             "request rev=2 | > rep 500200043fff3fff | established rev=2 | FULL_OPERATION");
  // A rejection that says what would be needed.
  BOOST_TEST(run(respond + "reject 6f7264 ord=8") ==
             got + "> rep 7002000700100008" +
                 "6f7264 | ended: request_rejected, leave TCP to the ULP rev=2 ird=4 ord=4 | LEFT");
  BOOST_TEST(run("respond; < req 40010000; accept ird=3 ord=3") ==
             "request rev=1 | > rep 40010000 | established rev=1 | FULL_OPERATION");
}

// All sets of types on both sides, and with A as 0.
//= MPA-6581-9.2-02, MPA-6581-9.2-03, MPA-6581-9.2-05, MPA-6581-9.2-06, MPA-6581-9.2-07, MPA-6581-9.2-08 test
//= MPA-6581-9.2-09, MPA-6581-9.2-12, MPA-6581-9.2-13, MPA-6581-9.2-14, MPA-6581-9.2-15 test
BOOST_AUTO_TEST_CASE(all_sets_of_ready_to_receive_types) {
  const auto types_of = [](const MpaEnhanced& block) {
    return (block.rtr_send ? 1U : 0U) | (block.rtr_write ? 2U : 0U) | (block.rtr_read ? 4U : 0U);
  };
  for (unsigned offered = 1; offered < 8; ++offered) {
    for (unsigned able = 1; able < 8; ++able) {
      for (const bool peer_to_peer : {true, false}) {
        MpaConfig a;
        a.peer_to_peer = peer_to_peer;
        a.rtr_send = (offered & 1U) != 0;
        a.rtr_write = (offered & 2U) != 0;
        a.rtr_read = (offered & 4U) != 0;
        MpaConfig b;
        b.peer_to_peer = !peer_to_peer;  // it is the initiator that decides
        b.rtr_send = (able & 1U) != 0;
        b.rtr_write = (able & 2U) != 0;
        b.rtr_read = (able & 4U) != 0;
        const Pair pair(a, b);
        BOOST_TEST_CONTEXT(offered << ' ' << able << ' ' << peer_to_peer) {
          BOOST_TEST(pair.request.peer_to_peer == peer_to_peer);
          BOOST_TEST(pair.reply.peer_to_peer == peer_to_peer);
          BOOST_TEST(types_of(pair.request) == (peer_to_peer ? offered : 0U));
          const unsigned both = offered & able;
          BOOST_TEST(types_of(pair.reply) == (!peer_to_peer ? 0U : both != 0 ? both : able));
          const Negotiated& n = pair.initiator.negotiated();
          BOOST_TEST(n.peer_to_peer == peer_to_peer);
          const unsigned agreed = (n.rtr_send ? 1U : 0U) | (n.rtr_write ? 2U : 0U) | (n.rtr_read ? 4U : 0U);
          BOOST_TEST(agreed == (peer_to_peer ? both : 0U));
          const bool fits = !peer_to_peer || both != 0;
          BOOST_TEST((pair.initiator.state() == (fits ? MpaState::first_fpdu_due : MpaState::terminating)));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::test
