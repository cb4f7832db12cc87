// Values: IBTA vol. 1 as listed in the reference tables; not computed here.
#include "codec/ib/encodings.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace rdmawire::ib;
using namespace std::chrono_literals;

}  // namespace

BOOST_AUTO_TEST_SUITE(encodings)

BOOST_AUTO_TEST_CASE(path_mtu) {
  BOOST_TEST(mtu256.octets() == 256U);
  BOOST_TEST(mtu512.octets() == 512U);
  BOOST_TEST(mtu1024.octets() == 1024U);
  BOOST_TEST(mtu2048.octets() == 2048U);
  BOOST_TEST(mtu4096.octets() == 4096U);
  BOOST_TEST(!PathMtu{0}.valid());
  BOOST_TEST(PathMtu{5}.valid());
  BOOST_TEST(!PathMtu{6}.valid());
}

//= TMO-01 test
BOOST_AUTO_TEST_CASE(timeouts) {
  BOOST_TEST((TimeoutCode{0}.duration() == 4096ns));
  BOOST_TEST((TimeoutCode{1}.duration() == 8192ns));
  BOOST_TEST((TimeoutCode{9}.duration() == 2'097'152ns));  // pib's table has a typing error here
  BOOST_TEST((TimeoutCode{14}.duration() == 67'108'864ns));
  BOOST_TEST((TimeoutCode{31}.duration() == 8'796'093'022'208ns));
  BOOST_TEST(!AckTimeout{0}.duration().has_value());
  BOOST_TEST((AckTimeout{14}.duration() == 67'108'864ns));
  BOOST_TEST((AckTimeout{18}.duration() == 1'073'741'824ns));
}

//= RNR-10 test
BOOST_AUTO_TEST_CASE(rnr_timers) {
  BOOST_TEST((RnrTimer{0}.duration() == 655'360us));
  BOOST_TEST((RnrTimer{1}.duration() == 10us));
  BOOST_TEST((RnrTimer{12}.duration() == 640us));
  BOOST_TEST((RnrTimer{25}.duration() == 61'440us));  // rxe's table says 61.41 ms
  BOOST_TEST((RnrTimer{31}.duration() == 491'520us));
}

//= CRD-01 test
BOOST_AUTO_TEST_CASE(credits) {
  BOOST_TEST((CreditCode{0}.receive_wqes() == 0U));
  BOOST_TEST((CreditCode{13}.receive_wqes() == 96U));
  BOOST_TEST((CreditCode{30}.receive_wqes() == 32768U));
  BOOST_TEST(!CreditCode{31}.receive_wqes().has_value());
  BOOST_TEST(CreditCode::for_receive_wqes(0).value == 0);
  BOOST_TEST(CreditCode::for_receive_wqes(5).value == 4);
  BOOST_TEST(CreditCode::for_receive_wqes(6).value == 5);
  BOOST_TEST(CreditCode::for_receive_wqes(95).value == 12);
  BOOST_TEST(CreditCode::for_receive_wqes(100).value == 13);
  BOOST_TEST(CreditCode::for_receive_wqes(1000000).value == 30);
}

BOOST_AUTO_TEST_SUITE_END()
