// What captures of Linux show, as it is told of one side.
#include "pcap/wire/departures.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "pcap/reader.h"

namespace rdmawire::wire {
namespace {

using Lines = std::vector<std::string>;

constexpr std::uint8_t requester = 1;  // the last octet of the MAC address of who connects

// The lines that side has after that capture.
Lines lines_of(const std::string& name) {
  Departures out;
  auto reader = pcap::Reader::open("testdata/captures/" + name);
  BOOST_REQUIRE(reader.has_value());
  for (;;) {
    const auto packet = reader->next();
    BOOST_REQUIRE(packet.has_value());
    if (!*packet) break;
    const Bytes frame = (*packet)->data;
    if (frame[11] == requester) {
      out.on_sent(frame);
    } else {
      out.on_received(frame);
    }
  }
  return out.lines();
}

const std::string m_bit = "the M bit is clear in packets of a connection, as Linux rxe has it (MIG-01)";
const std::string credits = "ACKs carry no credits (code 31), as Linux rxe has it";

}  // namespace

BOOST_AUTO_TEST_SUITE(departures)

BOOST_AUTO_TEST_CASE(nothing_is_told_of_nothing) {
  Departures none;
  none.on_received({});
  const std::vector<std::uint8_t> garbage(100, 0x5A);
  none.on_sent(garbage);
  none.on_received(garbage);
  BOOST_TEST(none.lines().empty());
}

BOOST_AUTO_TEST_CASE(a_read_that_is_asked_for_again) {
  BOOST_TEST(lines_of("rxe-drop-read-resp-middle.delivered.pcap") ==
                 (Lines{m_bit,
                        "1 READs that were asked for again were answered with a middle packet first, as Linux "
                        "rxe has it"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(naks_behind_an_rnr_nak) {
  const Lines lines = lines_of("rxe-pipelined-rnr.pcap.zst");
  BOOST_TEST_REQUIRE(lines.size() == 3U);
  BOOST_TEST(lines[0] == m_bit);
  BOOST_TEST(lines[1] == credits);
  BOOST_TEST(lines[2].ends_with(" RNR NAKs were followed by a NAK for the packets behind, as Linux rxe has it"));
}

BOOST_AUTO_TEST_CASE(a_late_answer_is_no_other_one) {
  BOOST_TEST(lines_of("rxe-reorder-read-resp.delivered.pcap").size() <= 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::wire
