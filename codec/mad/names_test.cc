#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/mad/headers.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::mad;

// The values from 0 to last that have a name.
template <class Enum>
std::vector<int> named_values(int last) {
  std::vector<int> out;
  for (int i = 0; i <= last; ++i) {
    if (!name_of(static_cast<Enum>(i)).empty()) out.push_back(i);
  }
  return out;
}

std::vector<int> range(int first, int last) {
  std::vector<int> out;
  for (int i = first; i <= last; ++i) out.push_back(i);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(names_of_values)

BOOST_AUTO_TEST_CASE(every_rej_reason_has_a_name_of_its_own) {
  std::vector<int> want = range(1, 33);
  want.push_back(35);
  BOOST_TEST(named_values<RejReason>(0xFFFF) == want, boost::test_tools::per_element());
  for (const auto& one : rej_reason_names) {
    int same = 0;
    for (const auto& other : rej_reason_names) same += one.name == other.name ? 1 : 0;
    BOOST_TEST(same == 1, one.name);
  }
  BOOST_TEST(name_of(RejReason{8}) == "Invalid service ID");
  BOOST_TEST(name_of(RejReason{10}) == "Stale connection");
  BOOST_TEST(name_of(RejReason{13}) == "Primary remote port LID rejected");
  BOOST_TEST(name_of(RejReason{19}) == "Alternate remote port LID rejected");
  BOOST_TEST(name_of(RejReason{28}) == "Consumer reject");
  BOOST_TEST(name_of(RejReason{31}) == "Unsupported class version");
  BOOST_TEST(name_of(RejReason{33}) == "Invalid alternate flow label");
  BOOST_TEST(name_of(RejReason{35}) == "Vendor option not supported");
}

//= CM-06, CM-22, CM-23, CM-25 test
BOOST_AUTO_TEST_CASE(cm_codes) {
  BOOST_TEST(named_values<AprStatus>(255) == range(0, 13), boost::test_tools::per_element());
  BOOST_TEST(named_values<SidrStatus>(255) == range(0, 5), boost::test_tools::per_element());
  BOOST_TEST(named_values<MraMessage>(3) == range(0, 2), boost::test_tools::per_element());
  BOOST_TEST(named_values<RejMessage>(3) == range(0, 2), boost::test_tools::per_element());
  BOOST_TEST(named_values<FailoverAccepted>(3) == range(0, 2), boost::test_tools::per_element());
  BOOST_TEST(named_values<TransportService>(3) == range(0, 3), boost::test_tools::per_element());
  BOOST_TEST(name_of(AprStatus{9}) == "Flow label rejected");
  BOOST_TEST(name_of(SidrStatus{4}) == "Redirect");
  BOOST_TEST(name_of(MraMessage{2}) == "LAP");
}

BOOST_AUTO_TEST_CASE(rates_have_the_codes_of_the_specification) {
  BOOST_TEST(named_values<Rate>(63) == range(2, 23), boost::test_tools::per_element());
  BOOST_TEST(name_of(Rate{2}) == "2.5 Gb/s");
  BOOST_TEST(name_of(Rate{5}) == "5 Gb/s");
  BOOST_TEST(name_of(Rate{16}) == "100 Gb/s");
  BOOST_TEST(name_of(Rate{23}) == "800 Gb/s");
}

BOOST_AUTO_TEST_CASE(methods_and_classes) {
  BOOST_TEST(name_of(Method{0x01}) == "Get");
  BOOST_TEST(name_of(Method{0x92}) == "GetTableResp");
  BOOST_TEST(name_of(Method{0x04}).empty());
  BOOST_TEST(name_of(ManagementClass{0x81}) == "SubnDR");
  BOOST_TEST(name_of(ManagementClass{0x30}).empty());
}

BOOST_AUTO_TEST_CASE(status_of_a_mad) {
  constexpr Status status{0x071F};
  static_assert(!status.ok() && status.busy() && status.redirect());
  BOOST_TEST(status.code() == 7);
  BOOST_TEST(status.class_specific() == 7);
  BOOST_TEST(status_code_name(status.code()) == "invalid value in attribute or attribute modifier");
  BOOST_TEST(name_of(SaStatus{status.class_specific()}) == "request denied");
}

BOOST_AUTO_TEST_CASE(rmpp_codes) {
  BOOST_TEST(named_values<RmppType>(255) == range(0, 4), boost::test_tools::per_element());
  BOOST_TEST(name_of(RmppStatus{118}) == "Total time too long");
  BOOST_TEST(name_of(RmppStatus{127}) == "Unspecified");
  constexpr RmppFlags flags{5};
  static_assert(flags.last() && !flags.first() && flags.active());
}

BOOST_AUTO_TEST_SUITE_END()
