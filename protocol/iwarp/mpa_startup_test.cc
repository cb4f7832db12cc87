// What goes out and what comes of what comes in, in a good start-up.
#include "protocol/iwarp/mpa_pair_test.h"

namespace rdmawire::iwarp::test {
namespace {

using namespace std::chrono_literals;

const std::string default_request = request_key + "50020004" + "8010c010";
const std::string default_reply = reply_key + "50020004" + "8010c010";

}  // namespace

BOOST_AUTO_TEST_SUITE(mpa_startup)

BOOST_AUTO_TEST_CASE(both_roles) {
  End a;
  End b;
  a.initiate();
  b.respond();
  BOOST_TEST(b.sent() == "");
  const std::string request = a.sent();
  BOOST_TEST(request == default_request);
  BOOST_TEST(b.give(request) == 24U);
  BOOST_TEST(b.told() == "request rev=2 ird=16 ord=16");
  BOOST_TEST(b.sent() == "");
  BOOST_TEST(b.mpa.accept().has_value());
  const std::string reply = b.sent();
  BOOST_TEST(reply == default_reply);
  BOOST_TEST(b.told() == "established rev=2 ird=16 ord=16");
  BOOST_TEST(a.give(reply) == 24U);
  BOOST_TEST(a.told() == "established rev=2 ird=16 ord=16");
  BOOST_TEST(text(a.mpa.negotiated()) == "accepted crc enhanced p2p write read i=16/16 r=16/16");
  BOOST_TEST(text(b.mpa.negotiated()) == text(a.mpa.negotiated()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::test
