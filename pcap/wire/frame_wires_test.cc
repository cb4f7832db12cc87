// The wires that carry frames, and what is put around them.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "pcap/wire/impaired_wire.h"
#include "pcap/wire/recorder.h"
#include "pcap/wire/stream_test.h"
#include "pcap/wire/wire.h"

namespace rdmawire::wire {
namespace {

using namespace std::chrono_literals;
using Status = IoResult::Status;
using stream_test::Octets;
using stream_test::temporary;

struct Ends {
  std::unique_ptr<Wire> a;
  std::unique_ptr<Wire> b;

  Ends() {
    std::array<int, 2> pair{};
    BOOST_REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair.data()) == 0);
    a = datagram_wire(Descriptor(pair[0]), "a");
    b = datagram_wire(Descriptor(pair[1]), "b");
  }
};

// What comes within a second or two.
Octets receive(Wire& wire) {
  Octets out(Wire::max_frame_len);
  const IoResult got = receive_until(wire, out, monotonic_now() + 2s);
  out.resize(got.status == Status::done ? got.size : 0);
  return out;
}

// A frame of RoCEv2, as far as its headers say; the last octet is `last`.
Octets roce_frame(std::uint8_t last) {
  Octets out(74);
  out[12] = 0x08;
  out[14] = 0x45;
  out[23] = 17;
  out[36] = 0x12;
  out[37] = 0xB7;
  out.back() = last;
  return out;
}

Octets arp_frame() {
  Octets out(42);
  out[12] = 0x08;
  out[13] = 0x06;
  return out;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t num(const std::string& in, const std::string& what) {
  std::size_t out = 0;
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++out;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(frame_wires)

BOOST_AUTO_TEST_CASE(a_datagram_is_a_frame) {
  Ends ends;
  BOOST_TEST((ends.a->send(roce_frame(7), monotonic_now()).status == Status::done));
  BOOST_TEST(receive(*ends.b) == roce_frame(7));
  Octets out(Wire::max_frame_len);
  BOOST_TEST((ends.b->receive(out, monotonic_now()).status == Status::would_block));
}

BOOST_AUTO_TEST_CASE(a_full_wire_takes_no_frame_until_there_is_room) {
  Ends ends;
  std::size_t num_sent = 0;
  while (ends.a->send(roce_frame(0), monotonic_now()).status == Status::done) ++num_sent;
  BOOST_TEST(num_sent > 0U);
  for (std::size_t i = 0; i < num_sent; ++i) receive(*ends.b);
  BOOST_TEST(wait_for(ends.a->descriptor(), POLLOUT, monotonic_now() + 2s) == POLLOUT);
  BOOST_TEST((ends.a->send(roce_frame(0), monotonic_now()).status == Status::done));
}

BOOST_AUTO_TEST_CASE(an_empty_datagram_is_no_frame_and_not_the_end) {
  std::array<int, 2> pair{};
  BOOST_REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair.data()) == 0);
  const Descriptor other(pair[0]);
  const auto wire = datagram_wire(Descriptor(pair[1]), "wire");
  const Octets frame = roce_frame(1);
  for (const std::size_t size : {std::size_t{0}, frame.size(), std::size_t{0}}) {
    BOOST_TEST(write(other.number(), frame.data(), size) == static_cast<ssize_t>(size));
  }
  Octets out(Wire::max_frame_len);
  const IoResult got = wire->receive(out, monotonic_now());
  BOOST_TEST((got.status == Status::done));
  BOOST_TEST(got.size == frame.size());
  BOOST_TEST((wire->receive(out, monotonic_now()).status == Status::would_block));
}

BOOST_AUTO_TEST_CASE(a_wire_of_messages_ends_with_its_other_end) {
  std::array<int, 2> pair{};
  BOOST_REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair.data()) == 0);
  const auto wire = datagram_wire(Descriptor(pair[1]), "wire");
  close(pair[0]);
  Octets out(Wire::max_frame_len);
  BOOST_TEST((wire->receive(out, monotonic_now()).status == Status::failed));
}

BOOST_AUTO_TEST_CASE(a_wire_whose_other_end_is_gone_has_failed) {
  Ends ends;
  ends.b.reset();
  Octets out(Wire::max_frame_len);
  const Status status = ends.a->receive(out, monotonic_now()).status;
  // Systems differ in whether a reader is told; none may give a frame, or never return.
  BOOST_TEST((status == Status::failed || status == Status::would_block));
}

BOOST_AUTO_TEST_CASE(udp_datagrams_by_address) {
  auto a = open_wire("dgram:127.0.0.1:47201,127.0.0.1:47202");
  auto b = open_wire("dgram:127.0.0.1:47202,127.0.0.1:47201");
  BOOST_REQUIRE(a.has_value());
  BOOST_REQUIRE(b.has_value());
  (*a)->send(roce_frame(9), monotonic_now());
  BOOST_TEST(receive(**b) == roce_frame(9));
}

BOOST_AUTO_TEST_CASE(what_names_no_wire_is_said_to) {
  BOOST_TEST(open_wire("eth0").error() == "'eth0' is not KIND:WHICH, as packet:eth0 is");
  BOOST_TEST(open_wire("bus:0").error() == "'bus' is no kind of wire: packet, tap, dgram, fd, ip and udp are");
  BOOST_TEST(open_wire("dgram:127.0.0.1:1").error() ==
             "'dgram:127.0.0.1:1' is not dgram:LOCAL,REMOTE, each ADDRESS:PORT");
  BOOST_TEST(open_wire("fd:x").error() == "'fd:x': not the number of a descriptor");
  BOOST_TEST(open_wire("packet:no-such-thing").error() ==
             "packet:no-such-thing: look for the interface: No such device");
}

// A pair of interfaces of the kernel, if this process may make one.
BOOST_AUTO_TEST_CASE(packet_sockets_on_a_veth_pair) {
  const std::string a = "rwta" + std::to_string(getpid() % 10000);
  const std::string b = "rwtb" + std::to_string(getpid() % 10000);
  const std::string make = "ip link add " + a + " type veth peer name " + b + " 2>/dev/null && ip link set " + a +
                           " up && ip link set " + b + " up";
  if (std::system(make.c_str()) != 0) {
    BOOST_TEST_MESSAGE("SKIPPED: no veth pair can be made here (not root, or no iproute2)");
    return;
  }
  {
    auto one = open_wire("packet:" + a);
    auto other = open_wire("packet:" + b);
    BOOST_REQUIRE_MESSAGE(one.has_value(), (one ? "" : one.error()));
    BOOST_REQUIRE(other.has_value());
    (*one)->send(roce_frame(5), monotonic_now());
    // The kernel has something to say on new interfaces too.
    Octets got;
    for (int i = 0; i < 20 && got != roce_frame(5); ++i) got = receive(**other);
    BOOST_TEST(got == roce_frame(5));
  }
  BOOST_TEST(std::system(("ip link del " + a).c_str()) == 0);
}

BOOST_AUTO_TEST_CASE(what_passes_is_recorded) {
  const std::string path = temporary("recorded.pcapng");
  Ends ends;
  {
    auto recorder = Recorder::open(path, "a test", "b");
    BOOST_REQUIRE(recorder.has_value());
    RecordedWire wire(*ends.b, **recorder);
    ends.a->send(roce_frame(1), monotonic_now());
    BOOST_TEST(receive(wire) == roce_frame(1));
    wire.send(roce_frame(2), monotonic_now());
    BOOST_TEST(receive(*ends.a) == roce_frame(2));
    BOOST_TEST((*recorder)->num_frames() == 2U);
    BOOST_TEST((*recorder)->error().empty());
  }
  const std::string file = contents(path);
  BOOST_TEST(file.substr(0, 12) == std::string("\x0A\x0D\x0D\x0A\x38\x00\x00\x00\x4D\x3C\x2B\x1A", 12));
  BOOST_TEST(num(file, "a test") == 1U);
  BOOST_TEST(num(file, std::string("\x12\xB7", 2)) == 2U);
}

BOOST_AUTO_TEST_CASE(impairments_touch_frames_of_rocev2_only) {
  Ends ends;
  link::Impairments all;
  all.loss = link::Ppm::always();
  const std::string path = temporary("impaired.pcapng");
  {
    auto recorder = Recorder::open(path, "", "a");
    BOOST_REQUIRE(recorder.has_value());
    ImpairedWire wire(*ends.a, all, 1, recorder->get());
    wire.send(roce_frame(1), monotonic_now());
    wire.send(arp_frame(), monotonic_now());
    BOOST_TEST(receive(*ends.b) == arp_frame());
    ends.b->send(roce_frame(2), monotonic_now());
    ends.b->send(arp_frame(), monotonic_now());
    BOOST_TEST(receive(wire) == arp_frame());
    BOOST_TEST(wire.sent().num_dropped() == 1U);
    BOOST_TEST(wire.received().num_dropped() == 1U);
  }
  BOOST_TEST(num(contents(path), "dropped on purpose: lost") == 2U);
}

BOOST_AUTO_TEST_CASE(delayed_and_doubled) {
  Ends ends;
  link::Impairments all;
  all.duplicate = link::Ppm::always();
  all.delay = 5ms;
  ImpairedWire wire(*ends.a, all, 1);
  wire.send(roce_frame(1), monotonic_now());
  Octets out(Wire::max_frame_len);
  BOOST_TEST((ends.b->receive(out, monotonic_now()).status == Status::would_block));
  BOOST_REQUIRE(wire.next_deadline().has_value());
  // What is late goes when the wire is asked again.
  BOOST_TEST((receive_until(wire, out, *wire.next_deadline()).status == Status::would_block));
  BOOST_TEST(receive(*ends.b) == roce_frame(1));
  BOOST_TEST(receive(*ends.b) == roce_frame(1));
}

BOOST_AUTO_TEST_CASE(corrupted_frames_keep_their_mac_addresses) {
  Ends ends;
  link::Impairments all;
  all.corrupt = link::Ppm::always();
  ImpairedWire wire(*ends.a, all, 3);
  const Octets sent = roce_frame(1);
  for (int i = 0; i < 5; ++i) {
    wire.send(sent, monotonic_now());
    const Octets got = receive(*ends.b);
    BOOST_TEST(got != sent);
    BOOST_REQUIRE(got.size() == 74U);
    BOOST_TEST(std::equal(got.begin(), got.begin() + 14, sent.begin()));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::wire
