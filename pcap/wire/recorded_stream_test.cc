#include "pcap/wire/recorded_stream.h"

#include <cerrno>
#include <string>
#include <vector>

#include "pcap/wire/stream_test.h"

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;
using stream_test::octets_of;
using stream_test::recorded;
using stream_test::RecordedFrame;
using stream_test::Script;

std::vector<std::string> hex_of(const std::vector<RecordedFrame>& frames) {
  std::vector<std::string> out;
  for (const RecordedFrame& frame : frames) out.push_back(frame.hex());
  return out;
}

// A stream of the script, and the file that it is recorded in.
struct Recorded {
  Script script;
  std::string path;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<RecordedStream> stream;

  explicit Recorded(const std::string& name, OpenedBy opened_by = OpenedBy::here) : path(stream_test::temporary(name)) {
    recorder = Recorder::open(path, "", TcpRecording::interface).value();
    begin(opened_by);
  }
  void begin(OpenedBy opened_by) { stream = std::make_unique<RecordedStream>(script.stream(), *recorder, opened_by); }
  void connect() { BOOST_TEST(stream->finish_connect().value()); }
  std::size_t send(const std::string& text) { return stream->send(octets_of(text), true, Time{}).size; }
  Status receive() {
    std::vector<std::uint8_t> buffer(100'000);
    return stream->receive(buffer, Time{}).status;
  }
  std::vector<RecordedFrame> frames() {
    stream.reset();
    recorder.reset();
    return recorded(path);
  }
};

// 5 octets a segment: "hello you" goes as two, "abc" comes, and both sides end.
void exchange(Recorded& r) {
  r.script.emss = 5;
  r.connect();
  BOOST_TEST(r.send("hello you") == 9U);
  r.script.incoming = {octets_of("abc")};
  BOOST_TEST((r.receive() == Status::done));
  BOOST_TEST((r.receive() == Status::would_block));
  BOOST_REQUIRE(r.stream->shut_down(Time{}).has_value());
  r.script.ended = true;
  BOOST_TEST((r.receive() == Status::ended));
  r.stream->close(Time{});
}

BOOST_AUTO_TEST_SUITE(recorded_stream)

// The frames are those that scapy 2.5 makes of the same fields, its checksums included.
BOOST_AUTO_TEST_CASE(octets_over_ipv4_become_frames) {
  Recorded r("stream4.pcapng");
  exchange(r);
  BOOST_TEST(r.script.all_sent() == octets_of("hello you"));
  BOOST_TEST(r.script.ends == (std::vector<std::string>{"FIN", "close"}));
  const std::vector<RecordedFrame> frames = r.frames();
  const std::vector<std::string> wanted{
      "0200000000fe0200000000fd08004500002c000040004006b6c8c0000201c0000202c0001c0600000000000000006002ffff3bc30000"
      "0103030e",
      "0200000000fd0200000000fe08004500002c000040004006b6c8c0000202c00002011c06c00000000000000000016012ffff3bb20000"
      "0103030e",
      "0200000000fe0200000000fd080045000028000040004006b6ccc0000201c0000202c0001c0600000001000000015010ffff4fc80000",
      "0200000000fe0200000000fd08004500002d000040004006b6c7c0000201c0000202c0001c0600000001000000015010ffff0bf10000"
      "68656c6c6f",
      "0200000000fe0200000000fd08004500002c000040004006b6c8c0000201c0000202c0001c0600000006000000015018ffffbfc80000"
      "20796f75",
      "0200000000fd0200000000fe08004500002b000040004006b6c9c0000202c00002011c06c000000000010000000a5018ffff8b510000"
      "616263",
      "0200000000fe0200000000fd080045000028000040004006b6ccc0000201c0000202c0001c060000000a000000045011ffff4fbb0000",
      "0200000000fd0200000000fe080045000028000040004006b6ccc0000202c00002011c06c000000000040000000b5011ffff4fba0000",
      "0200000000fe0200000000fd080045000028000040004006b6ccc0000201c0000202c0001c060000000b000000055010ffff4fba0000"};
  BOOST_TEST(hex_of(frames) == wanted, boost::test_tools::per_element());
  const std::vector<bool> out{true, false, true, true, true, false, true, false, true};
  BOOST_REQUIRE(frames.size() == out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    BOOST_TEST(frames[i].out == out[i]);
    BOOST_TEST(frames[i].comment.empty());
  }
}

BOOST_AUTO_TEST_CASE(octets_over_ipv6_become_frames) {
  Recorded r("stream6.pcapng");
  r.script.own = SocketAddress::parse("[2001:db8::1]:49152").value();
  r.script.peers = SocketAddress::parse("[2001:db8::2]:7174").value();
  exchange(r);
  const std::string there = "0200000000fe0200000000fd86dd60000000";
  const std::string here = "0200000000fd0200000000fe86dd60000000";
  const std::string from = "064020010db800000000000000000000000120010db8000000000000000000000002c0001c06";
  const std::string back = "064020010db800000000000000000000000220010db80000000000000000000000011c06c000";
  const std::vector<std::string> wanted{there + "0018" + from + "00000000000000006002ffff645200000103030e",
                                        here + "0018" + back + "00000000000000016012ffff644100000103030e",
                                        there + "0014" + from + "00000001000000015010ffff78570000",
                                        there + "0019" + from + "00000001000000015010ffff3480000068656c6c6f",
                                        there + "0018" + from + "00000006000000015018ffffe857000020796f75",
                                        here + "0017" + back + "000000010000000a5018ffffb3e00000616263",
                                        there + "0014" + from + "0000000a000000045011ffff784a0000",
                                        here + "0014" + back + "000000040000000b5011ffff78490000",
                                        there + "0014" + from + "0000000b000000055010ffff78490000"};
  BOOST_TEST(hex_of(r.frames()) == wanted, boost::test_tools::per_element());
}

// Linux shows an IPv4 peer so to a socket of both families.
BOOST_AUTO_TEST_CASE(ipv4_in_addresses_of_ipv6_is_ipv4_on_the_wire) {
  Recorded r("stream46.pcapng");
  r.script.own = SocketAddress::parse("[::ffff:192.0.2.1]:49152").value();
  r.script.peers = SocketAddress::parse("[::ffff:192.0.2.2]:7174").value();
  r.connect();
  BOOST_TEST(r.frames().front().hex() ==
             "0200000000fe0200000000fd08004500002c000040004006b6c8c0000201c0000202c0001c0600000000000000006002ffff3bc3"
             "00000103030e");
}

BOOST_AUTO_TEST_CASE(who_was_called_answers_the_handshake) {
  Recorded r("called.pcapng", OpenedBy::peer);
  r.connect();
  r.script.incoming = {octets_of("abc")};
  r.receive();
  const std::vector<RecordedFrame> frames = r.frames();
  BOOST_REQUIRE(frames.size() == 4U);
  // SYN, SYN and ACK, ACK, and what comes after.
  const std::vector<unsigned> flags{0x02, 0x12, 0x10, 0x18};
  const std::vector<bool> out{false, true, false, false};
  for (std::size_t i = 0; i < flags.size(); ++i) {
    BOOST_TEST(frames[i].flags() == flags[i]);
    BOOST_TEST(frames[i].out == out[i]);
  }
}

BOOST_AUTO_TEST_CASE(only_what_the_system_took_is_recorded) {
  Recorded r("partial.pcapng");
  r.connect();
  r.script.room = 3;
  BOOST_TEST(r.send("hello") == 3U);
  BOOST_TEST(r.send("lo") == 0U);
  const std::vector<RecordedFrame> frames = r.frames();
  BOOST_REQUIRE(frames.size() == 4U);
  BOOST_TEST(frames[3].payload() == octets_of("hel"));
}

BOOST_AUTO_TEST_CASE(a_reset_of_this_side_ends_the_recording) {
  Recorded r("reset.pcapng");
  exchange(r);
  // And once more, without the end.
  Recorded other("reset2.pcapng");
  other.script.emss = 5;
  other.connect();
  other.send("hello you");
  other.script.incoming = {octets_of("abc")};
  other.receive();
  other.stream->abort(Time{});
  BOOST_TEST(other.script.ends == std::vector<std::string>{"RST"});
  const std::vector<RecordedFrame> frames = other.frames();
  BOOST_REQUIRE(frames.size() == 7U);
  BOOST_TEST(frames[6].hex() ==
             "0200000000fe0200000000fd080045000028000040004006b6ccc0000201c0000202c0001c060000000a000000045014ffff4fb8"
             "0000");
  // After both ends nothing is reset.
  r.stream->abort(Time{});
  BOOST_TEST(r.frames().size() == 9U);
}

BOOST_AUTO_TEST_CASE(a_reset_of_the_peer_is_recorded_once_and_nothing_after_it) {
  Recorded r("lost.pcapng");
  r.connect();
  r.script.error = SocketError{"receive", ECONNRESET};
  BOOST_TEST((r.receive() == Status::failed));
  BOOST_TEST((r.receive() == Status::failed));
  r.stream->abort(Time{});
  const std::vector<RecordedFrame> frames = r.frames();
  BOOST_REQUIRE(frames.size() == 4U);
  BOOST_TEST(!frames[3].out);
  BOOST_TEST(frames[3].flags() == 0x14U);
}

// The system's own verdict is no packet of the peer's.
BOOST_AUTO_TEST_CASE(a_connection_that_the_system_gives_up_is_reset_by_this_side) {
  Recorded r("given_up.pcapng");
  r.connect();
  r.script.error = SocketError{"receive", ETIMEDOUT};
  BOOST_TEST((r.receive() == Status::failed));
  r.stream->abort(Time{});
  const std::vector<RecordedFrame> frames = r.frames();
  BOOST_REQUIRE(frames.size() == 4U);
  BOOST_TEST(frames[3].out);
  BOOST_TEST(frames[3].flags() == 0x14U);
}

// A reader knows by the SYN's number that it is another connection.
BOOST_AUTO_TEST_CASE(connections_of_the_same_ports_have_other_sequence_numbers) {
  Recorded r("again.pcapng");
  exchange(r);
  r.script.ended = false;
  r.begin(OpenedBy::here);
  r.connect();
  const std::vector<RecordedFrame> frames = r.frames();
  BOOST_REQUIRE(frames.size() == 12U);
  BOOST_TEST(frames[0].sequence() == 0U);
  BOOST_TEST(frames[9].flags() == 0x02U);
  BOOST_TEST(frames[9].sequence() == 9U << 16);
}

BOOST_AUTO_TEST_CASE(a_write_of_any_length_fits_into_packets) {
  Recorded r("long.pcapng");
  r.script.emss = 1U << 20;
  r.connect();
  r.send(std::string(70'000, 'x'));
  const std::vector<RecordedFrame> frames = r.frames();
  BOOST_REQUIRE(frames.size() == 5U);
  BOOST_TEST(frames[3].octets.size() == 14U + 65535U);
  BOOST_TEST(frames[3].payload().size() == 65495U);
  BOOST_TEST(frames[4].payload().size() == 4505U);
  BOOST_TEST(frames[4].sequence() == 65496U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::wire
