#include "pcap/wire/neighbours.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "pcap/wire/wire.h"

using namespace rdmawire;
using namespace rdmawire::wire;
using namespace std::chrono_literals;

namespace {

constexpr MacAddress own_mac{{0x02, 0, 0x0A, 0x4D, 0, 0x09}};

NeighboursConfig config() {
  NeighboursConfig out;
  out.mac = own_mac;
  out.addresses = {*parse_prefix("10.77.0.9/24"), *parse_prefix("fd00:77::9/64")};
  return out;
}

std::vector<std::uint8_t> octets(std::string_view hex) {
  std::vector<std::uint8_t> out;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    out.push_back(static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return out;
}

std::string hex(Bytes octets) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t o : octets) {
    out += digits[o >> 4];
    out += digits[o & 15U];
  }
  return out;
}

// The next frame, in hexadecimal.
std::string next(Neighbours& neighbours) {
  std::vector<std::uint8_t> out(Wire::max_frame_len);
  return hex(Bytes(out).first(neighbours.poll_transmit(out)));
}

Gid ip(std::string_view text) { return *parse_ip(text); }

}  // namespace

BOOST_AUTO_TEST_SUITE(neighbours)

BOOST_AUTO_TEST_CASE(an_arp_request_for_an_own_address_is_answered_and_its_sender_remembered) {
  Neighbours n(config());
  // As Linux sent it.
  const auto request =
      octets("ffffffffffff 525400770001 0806 0001 0800 06 04 0001 525400770001 0a4d0001 000000000000 0a4d0009");
  BOOST_TEST(n.on_frame(request, 0s));
  BOOST_TEST(next(n) ==
             "52540077000102000a4d000908060001080006040002"
             "02000a4d00090a4d00095254007700010a4d0001");
  BOOST_TEST(next(n).empty());
  BOOST_REQUIRE(n.find(ip("10.77.0.1")).has_value());
  BOOST_TEST(mac_text(*n.find(ip("10.77.0.1"))) == "52:54:00:77:00:01");
}

BOOST_AUTO_TEST_CASE(an_arp_request_for_another_address_is_not) {
  Neighbours n(config());
  const auto request =
      octets("ffffffffffff 525400770001 0806 0001 0800 06 04 0001 525400770001 0a4d0001 000000000000 0a4d0008");
  BOOST_TEST(n.on_frame(request, 0s));
  BOOST_TEST(next(n).empty());
  BOOST_TEST(!n.find(ip("10.77.0.1")).has_value());
}

BOOST_AUTO_TEST_CASE(a_neighbour_is_asked_for_until_it_answers) {
  Neighbours n(config());
  n.look_for(ip("10.77.0.1"), 0s);
  const std::string request =
      "ffffffffffff02000a4d000908060001080006040001"
      "02000a4d00090a4d00090000000000000a4d0001";
  BOOST_TEST(next(n) == request);
  BOOST_TEST(next(n).empty());
  BOOST_REQUIRE(n.next_deadline().has_value());
  BOOST_TEST((*n.next_deadline() == 500ms));
  n.on_deadline(500ms);
  BOOST_TEST(next(n) == request);
  n.on_frame(octets("02000a4d0009 525400770001 0806 0001 0800 06 04 0002 525400770001 0a4d0001 02000a4d0009 0a4d0009"),
             600ms);
  BOOST_TEST(n.find(ip("10.77.0.1")).has_value());
  BOOST_TEST(!n.next_deadline().has_value());
}

BOOST_AUTO_TEST_CASE(nobody_answers) {
  NeighboursConfig c = config();
  c.num_attempts = 3;
  Neighbours n(c);
  n.look_for(ip("10.77.0.1"), 0s);
  for (int i = 1; i <= 2; ++i) {
    BOOST_TEST(!n.failed(ip("10.77.0.1")));
    BOOST_TEST(!next(n).empty());
    n.on_deadline(i * 500ms);
  }
  BOOST_TEST(n.failed(ip("10.77.0.1")));
  BOOST_TEST(next(n).empty());
}

BOOST_AUTO_TEST_CASE(what_lies_in_no_own_network_goes_to_the_gateway) {
  NeighboursConfig c = config();
  c.gateways = {ip("10.77.0.254")};
  Neighbours n(c);
  n.look_for(ip("192.0.2.1"), 0s);
  BOOST_TEST(next(n).substr(76) == "0a4d00fe");
  n.on_frame(octets("02000a4d0009 5254007700fe 0806 0001 0800 06 04 0002 5254007700fe 0a4d00fe 02000a4d0009 0a4d0009"),
             1s);
  BOOST_REQUIRE(n.find(ip("192.0.2.1")).has_value());
  BOOST_TEST(mac_text(*n.find(ip("192.0.2.1"))) == "52:54:00:77:00:fe");
}

// The octets of these are scapy's.
BOOST_AUTO_TEST_CASE(a_neighbour_solicitation_is_answered) {
  Neighbours n(config());
  const std::string solicitation =
      "3333ff00000952540077000186dd6000000000203afffd000077000000000000000000000001ff0200000000000000000001ff00"
      "000987002bd000000000fd0000770000000000000000000000090101525400770001";
  BOOST_TEST(n.on_frame(octets(solicitation), 0s));
  BOOST_TEST(next(n) ==
             "52540077000102000a4d000986dd6000000000203afffd000077000000000000000000000009fd0000770000000000000000"
             "00000001880010d360000000fd000077000000000000000000000009020102000a4d0009");
  BOOST_REQUIRE(n.find(ip("fd00:77::1")).has_value());
  // One that was damaged is not.
  std::vector<std::uint8_t> damaged = octets(solicitation);
  damaged.back() ^= 1;
  n.on_frame(damaged, 0s);
  BOOST_TEST(next(n).empty());
}

BOOST_AUTO_TEST_CASE(an_ipv6_neighbour_is_solicited) {
  Neighbours n(config());
  n.look_for(ip("fd00:77::1"), 0s);
  BOOST_TEST(next(n) ==
             "3333ff00000102000a4d000986dd6000000000203afffd000077000000000000000000000009ff020000000000000000000"
             "1ff0000018700724e00000000fd000077000000000000000000000001010102000a4d0009");
}

BOOST_AUTO_TEST_CASE(a_ping_is_answered) {
  Neighbours n(config());
  BOOST_TEST(n.on_frame(
      octets("02000a4d000952540077000108004500002112340000400154050a4d00010a4d00090800b4250007000168656c6c6f"), 0s));
  BOOST_TEST(next(n) ==
             "52540077000102000a4d000908004500002100004000400126390a4d00090a4d00010000bc250007000168656c6c6f");
}

BOOST_AUTO_TEST_CASE(other_ip_packets_are_for_others) {
  Neighbours n(config());
  // A UDP packet to the own address: the neighbour is learned from it, and that is all.
  const auto packet =
      octets("02000a4d0009 525400770001 0800 4500001c 00000000 40110000 0a4d0001 0a4d0009 c00012b700080000");
  BOOST_TEST(!n.on_frame(packet, 0s));
  BOOST_TEST(next(n).empty());
  BOOST_TEST(n.find(ip("10.77.0.1")).has_value());
}

BOOST_AUTO_TEST_CASE(what_is_cut_does_no_harm) {
  const auto whole = octets(
      "3333ff00000952540077000186dd6000000000203afffd000077000000000000000000000001ff0200000000000000000001ff00"
      "000987002bd000000000fd0000770000000000000000000000090101525400770001");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Neighbours n(config());
    n.on_frame(Bytes(whole).first(size), 0s);
    BOOST_TEST(next(n).empty());
  }
}

BOOST_AUTO_TEST_CASE(neighbours_beyond_the_limit_are_forgotten) {
  NeighboursConfig c = config();
  c.max_neighbours = 2;
  Neighbours n(c);
  for (const std::string_view last : {"01", "02", "03"}) {
    n.on_frame(octets("02000a4d0009 5254007700" + std::string(last) + " 0800 4500001c 00000000 40110000 0a4d00" +
                      std::string(last) + " 0a4d0009 c00012b700080000"),
               0s);
  }
  BOOST_TEST(!n.find(ip("10.77.0.1")).has_value());
  BOOST_TEST(n.find(ip("10.77.0.3")).has_value());
}

BOOST_AUTO_TEST_CASE(addresses_are_read_and_written) {
  BOOST_TEST(ip_text(ip("10.77.0.9")) == "10.77.0.9");
  BOOST_TEST(ip_text(ip("fd00:77::9")) == "fd00:77::9");
  BOOST_TEST(is_ipv4_mapped(ip("10.77.0.9")));
  BOOST_TEST(!parse_ip("10.77.0").has_value());
  BOOST_TEST(!parse_prefix("10.77.0.9/33").has_value());
  BOOST_TEST(!parse_prefix("fd00::1/129").has_value());
  BOOST_TEST(parse_prefix("10.77.0.9/8")->has(ip("10.1.2.3")));
  BOOST_TEST(!parse_prefix("10.77.0.9")->has(ip("10.77.1.9")));
  BOOST_TEST(parse_prefix("fd00:77::9")->has(ip("fd00:77::ffff")));
  BOOST_TEST(mac_text(*parse_mac("02:00:0a:4D:00:09")) == "02:00:0a:4d:00:09");
  BOOST_TEST(mac_text(*parse_mac("02-00-0a-4d-00-09")) == "02:00:0a:4d:00:09");
  BOOST_TEST(!parse_mac("02:00:0a:4d:00").has_value());
  BOOST_TEST(!parse_mac("02:00:0a:4d:00:0g").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
