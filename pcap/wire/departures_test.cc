// What captures of Linux show, as it is told of one side.
#include "pcap/wire/departures.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "pcap/reader.h"

namespace rdmawire::wire {
namespace {

constexpr std::uint8_t requester = 1;  // the last octet of the MAC address of who connects
constexpr std::uint8_t responder = 2;

struct Frame {
  std::vector<std::uint8_t> octets;
  Time at;
};

std::vector<Frame> frames_of(const std::string& name) {
  std::vector<Frame> out;
  auto reader = pcap::Reader::open("testdata/captures/" + name);
  BOOST_REQUIRE(reader.has_value());
  for (;;) {
    const auto packet = reader->next();
    BOOST_REQUIRE(packet.has_value());
    if (!*packet) return out;
    const auto [seconds, nanoseconds] = (*packet)->time;
    out.push_back(
        {{(*packet)->data.begin(), (*packet)->data.end()}, std::chrono::seconds(seconds) + Time(nanoseconds)});
  }
}

using Seen = std::map<std::string, std::uint64_t>;

// What the other side of that one shows in these frames, by the quirk's name, and "" for what is allowed.
Seen seen_by(std::uint8_t side, const std::vector<Frame>& frames) {
  Departures all;
  for (const Frame& frame : frames) {
    if (frame.octets[11] == side) {
      all.on_sent(frame.octets, frame.at);
    } else {
      all.on_received(frame.octets, frame.at);
    }
  }
  Seen out;
  for (const Departure& one : all.seen()) out[one.quirk ? std::string(info(*one.quirk).name) : ""] = one.count;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(departures)

BOOST_AUTO_TEST_CASE(nothing_is_told_of_nothing) {
  Departures none;
  none.on_received({}, {});
  const std::vector<std::uint8_t> garbage(100, 0x5A);
  none.on_sent(garbage, {});
  none.on_received(garbage, {});
  BOOST_TEST(none.seen().empty());
}

BOOST_AUTO_TEST_CASE(a_read_that_is_asked_for_again) {
  const auto lost = frames_of("rxe-drop-read-resp-middle.delivered.pcap");
  BOOST_TEST((seen_by(requester, lost) == Seen{{"m_bit_clear", 12}, {"repeat_read_as_before", 1}}));
  // 291 ms after the last response.
  BOOST_TEST((seen_by(responder, lost) == Seen{{"m_bit_clear", 2}, {"gap_waits_for_timeout", 1}}));
  const auto reordered = frames_of("rxe-reorder-read-resp.delivered.pcap");
  BOOST_TEST((seen_by(requester, reordered) == Seen{{"m_bit_clear", 20}, {"repeat_read_as_before", 1}}));
  BOOST_TEST((seen_by(responder, reordered) == Seen{{"m_bit_clear", 2}, {"gap_waits_for_timeout", 1}}));
}

BOOST_AUTO_TEST_CASE(a_read_that_is_asked_for_again_at_once) {
  auto frames = frames_of("rxe-drop-read-resp-middle.delivered.pcap");
  frames[11].at = frames[10].at + std::chrono::milliseconds(2);
  BOOST_TEST((seen_by(responder, frames) == Seen{{"m_bit_clear", 2}}));
}

BOOST_AUTO_TEST_CASE(a_late_answer_is_no_other_one) {
  auto frames = frames_of("rxe-drop-read-resp-middle.delivered.pcap");
  // The packet that was missing comes late, and then the answer as it must be.
  Frame first = frames[12];
  first.octets[14 + 20 + 8] = 0x0D;
  frames.insert(frames.begin() + 13, first);
  BOOST_TEST((seen_by(requester, frames) == Seen{{"m_bit_clear", 13}}));
}

BOOST_AUTO_TEST_CASE(an_invalidating_send_that_is_acknowledged_and_not_counted) {
  auto frames = frames_of("rxe-rc-sendinv.pcap");
  // The first message of the connection, and the ACK has MSN 0. What the peer does next may be that it disconnects.
  BOOST_TEST((seen_by(requester, frames) == Seen{{"m_bit_clear", 1}, {"acknowledge_bad_invalidate", 1}, {"", 1}}));
  // A SEND before it that was counted.
  constexpr std::size_t bth = 14 + 20 + 8;
  Frame before = frames[3];
  before.octets[bth] = 0x04;
  --before.octets[bth + 11];
  Frame answer = frames[4];
  --answer.octets[bth + 11];
  const std::size_t msn = bth + 12 + 3;
  answer.octets[msn] = 1;
  frames[4].octets[msn] = 1;
  frames.insert(frames.begin() + 3, {before, answer});
  BOOST_TEST((seen_by(requester, frames) == Seen{{"m_bit_clear", 2}, {"acknowledge_bad_invalidate", 1}, {"", 2}}));
  // And the other one counted too, and its ACK repeated.
  frames[6].octets[msn] = 2;
  frames.insert(frames.begin() + 7, {frames[6], frames[5], frames[6]});
  BOOST_TEST((seen_by(requester, frames) == Seen{{"m_bit_clear", 4}, {"", 4}}));
}

BOOST_AUTO_TEST_CASE(invalidating_sends_that_are_counted) {
  const auto frames = frames_of("rxe-nvmeof.pcap.zst");
  BOOST_TEST(seen_by(responder, frames).count("acknowledge_bad_invalidate") == 0U);
  BOOST_TEST(seen_by(requester, frames).count("acknowledge_bad_invalidate") == 0U);
}

BOOST_AUTO_TEST_CASE(naks_behind_an_rnr_nak) {
  BOOST_TEST((seen_by(requester, frames_of("rxe-pipelined-rnr.pcap.zst")) ==
              Seen{{"m_bit_clear", 64}, {"sequence_nak_after_rnr", 26}, {"", 12}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::wire
