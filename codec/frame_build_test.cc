// Whole frames from a spec. The expected octets, CRCs included, come from independent code: the vectors' bitwise CRCs
// in Python.
#include "codec/frame_build.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "codec/base/header_test.h"

namespace {

using namespace rdmawire;

constexpr std::array<std::uint8_t, 5> hello{'h', 'e', 'l', 'l', 'o'};
const Gid link_local1{{0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
const Gid link_local2{{0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}};

// An RC SEND ONLY of five octets over Ethernet and IPv4.
FrameSpec send_spec() {
  FrameSpec spec = rocev2_spec();
  spec.ethernet->destination = {{2, 0, 0, 0, 0, 2}};
  spec.ethernet->source = {{2, 0, 0, 0, 0, 1}};
  spec.ipv4->identification = 0x1234;
  spec.ipv4->source = {{10, 0, 0, 1}};
  spec.ipv4->destination = {{10, 0, 0, 2}};
  spec.bth.dest_qp = {0x12};
  spec.bth.ack_request = true;
  spec.bth.psn = {0x100};
  spec.payload = hello;
  return spec;
}

ib::Grh link_local_grh() {
  ib::Grh grh;
  grh.hop_limit = 64;
  grh.sgid = link_local1;
  grh.dgid = link_local2;
  return grh;
}

std::string built(const FrameSpec& spec) {
  std::vector<std::uint8_t> out(frame_size(spec), 0xA5);
  const auto size = build_frame(spec, out);
  BOOST_REQUIRE(size.has_value());
  BOOST_TEST(*size == out.size());
  std::string hex;
  for (const std::uint8_t octet : out) {
    constexpr std::string_view digits = "0123456789abcdef";
    hex += digits[octet >> 4];
    hex += digits[octet & 15U];
  }
  return hex;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(frames_built)

//= V2-02, V2-05, V2-06, V2-07, V2-09, V2-12, V2-14, LEN-04 test
BOOST_AUTO_TEST_CASE(rocev2_over_ipv4) {
  BOOST_TEST(built(send_spec()) ==
             "020000000002020000000001"
             "08004500003412344000401114830a0000010a000002"
             "c00012b700200000"
             "0470ffff0000001280000100"
             "68656c6c6f000000"
             "4f073210");
}

//= V2-09, V2-11 test
BOOST_AUTO_TEST_CASE(rocev2_over_ipv6) {
  FrameSpec spec = send_spec();
  spec.ipv4.reset();
  spec.ipv6.emplace();
  spec.ipv6->flow_label = 0xBEEF;
  spec.ipv6->hop_limit = 64;
  spec.ipv6->source = {{0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  spec.ipv6->destination = {{0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}};
  BOOST_TEST(built(spec) ==
             "020000000002020000000001"
             "86dd6000beef0020114020010db800000000000000000000000120010db8000000000000000000000002"
             "c00012b700200000"
             "0470ffff0000001280000100"
             "68656c6c6f000000"
             "88cf8d0a");
}

//= V1-01 test
BOOST_AUTO_TEST_CASE(rocev1) {
  FrameSpec spec = send_spec();
  spec.ipv4.reset();
  spec.udp.reset();
  spec.grh = link_local_grh();
  BOOST_TEST(built(spec) ==
             "020000000002020000000001"
             "8915600000000018"
             "1b40fe800000000000000000000000000001fe800000000000000000000000000002"
             "0470ffff0000001280000100"
             "68656c6c6f000000"
             "45474565");
}

BOOST_AUTO_TEST_CASE(native_without_and_with_a_grh) {
  FrameSpec spec = send_spec();
  spec.ethernet.reset();
  spec.ipv4.reset();
  spec.udp.reset();
  spec.lrh.emplace();
  spec.lrh->dlid = {2};
  spec.lrh->slid = {1};
  BOOST_TEST(built(spec) ==
             "0002000200080001"
             "0470ffff0000001280000100"
             "68656c6c6f000000"
             "52f2f7bb"
             "b6f6");
  spec.grh = link_local_grh();
  BOOST_TEST(built(spec) ==
             "0003000200120001"
             "6000000000181b40fe800000000000000000000000000001fe800000000000000000000000000002"
             "0470ffff0000001280000100"
             "68656c6c6f000000"
             "45474565"
             "88e9");
}

BOOST_AUTO_TEST_SUITE_END()
