#include "pcap/reassembly/kept_frames.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "pcap/reassembly/frame_map.h"

namespace {

using namespace rdmawire::reassembly;

struct Log {
  std::string text;
  void keep(std::uint64_t frame) { text += "+" + std::to_string(frame); }
  void release(std::uint64_t frame) { text += "-" + std::to_string(frame); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(kept_frames)

BOOST_AUTO_TEST_CASE(a_frame_is_told_once_and_only_if_something_waits) {
  KeptFrames frames;
  Log log;
  frames.refer(1);
  frames.drop(1, log);
  frames.settle(1, log);
  frames.refer(2);
  frames.refer(2);
  frames.settle(2, log);
  frames.settle(2, log);
  frames.refer(4);
  frames.settle(4, log);
  frames.settle(5, log);
  frames.drop(2, log);
  BOOST_TEST(log.text == "+2+4");
  frames.drop(2, log);
  frames.drop(4, log);
  BOOST_TEST(log.text == "+2+4-2-4");
  BOOST_TEST(frames.empty());
}

BOOST_AUTO_TEST_CASE(frames_in_the_middle_may_go_first) {
  KeptFrames frames;
  Log log;
  for (std::uint64_t frame = 1; frame <= 200; ++frame) {
    frames.refer(frame);
    frames.settle(frame, log);
  }
  log.text.clear();
  frames.drop(100, log);
  frames.refer(100);
  frames.drop(100, log);
  BOOST_TEST(log.text == "-100");
  for (std::uint64_t frame = 1; frame <= 200; ++frame) {
    if (frame != 100) frames.drop(frame, log);
  }
  BOOST_TEST(frames.empty());
}

BOOST_AUTO_TEST_CASE(the_map_knows_the_frame_of_each_octet) {
  FrameMap map;
  BOOST_TEST(map.append(0, 5));
  BOOST_TEST(!map.append(10, 5));
  BOOST_TEST(map.append(20, 7));
  BOOST_TEST(map.append(30, 6));
  BOOST_TEST(map.frame_of(0) == 5U);
  BOOST_TEST(map.frame_of(19) == 5U);
  BOOST_TEST(map.frame_of(20) == 7U);
  BOOST_TEST(map.frame_of(35) == 6U);
  std::vector<std::uint64_t> dropped;
  const auto note = [&](std::uint64_t frame) { dropped.push_back(frame); };
  map.forget_before(19, 40, note);
  BOOST_TEST(dropped.empty());
  map.forget_before(30, 40, note);
  BOOST_TEST(dropped == (std::vector<std::uint64_t>{5, 7}), boost::test_tools::per_element());
  map.forget_before(40, 40, note);
  BOOST_TEST(dropped.back() == 6U);
  BOOST_TEST(map.empty());
}

BOOST_AUTO_TEST_SUITE_END()
