#include "pcap/wire/tcp_stream.h"

#include <poll.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

Time soon() { return monotonic_now() + std::chrono::seconds(30); }

struct Connection {
  TcpStream a;
  TcpStream b;

  explicit Connection(const std::string& host = "127.0.0.1", const TcpOptions& options = {}) {
    auto listener = TcpListener::listen(SocketAddress::resolve(host, 0).value(), options);
    if (!listener) return;
    a = TcpStream::connect(listener->address().value(), options).value();
    b = listener->accept_until(soon()).value();
    wait_for(a.descriptor(), POLLOUT, soon());
    BOOST_REQUIRE(a.finish_connect().value());
  }
};

// All that comes until the end or an error.
std::vector<std::uint8_t> read_all(TcpStream& stream, Status& how) {
  std::vector<std::uint8_t> out;
  std::vector<std::uint8_t> buffer(70000);
  while (true) {
    const IoResult got = stream.receive(buffer, monotonic_now());
    how = got.status;
    if (got.status == Status::would_block) {
      if (wait_for(stream.descriptor(), POLLIN, soon()) == 0) return out;
      continue;
    }
    if (got.status != Status::done) return out;
    out.insert(out.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got.size));
  }
}

BOOST_AUTO_TEST_SUITE(tcp_stream)

BOOST_AUTO_TEST_CASE(addresses_are_read_and_written) {
  const auto ipv4 = SocketAddress::parse("127.0.0.1:7174");
  BOOST_REQUIRE(ipv4.has_value());
  BOOST_TEST(ipv4->text() == "127.0.0.1:7174");
  BOOST_TEST(ipv4->port() == 7174);
  BOOST_TEST(!ipv4->is_ipv6());
  const auto ipv6 = SocketAddress::parse("[2001:db8::1]:65535");
  BOOST_REQUIRE(ipv6.has_value());
  BOOST_TEST(ipv6->text() == "[2001:db8::1]:65535");
  BOOST_TEST(ipv6->is_ipv6());
  for (const char* wrong :
       {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:1x", ":1", "[::1:1", "::1:1"}) {
    BOOST_TEST(SocketAddress::parse(wrong).error().os_error == EINVAL, wrong);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_connection_is_an_error_of_the_call) {
  std::optional<SocketAddress> nobody;
  {
    const auto listener = TcpListener::listen(SocketAddress::parse("127.0.0.1:0").value());
    nobody = listener->address().value();
  }
  auto stream = TcpStream::connect(*nobody);
  SocketError error;
  if (stream) {
    wait_for(stream->descriptor(), POLLOUT, soon());
    error = stream->finish_connect().error();
  } else {
    error = stream.error();
  }
  BOOST_TEST(error.os_error == ECONNREFUSED);
  BOOST_TEST(to_string(error) == "connect: Connection refused");
}

BOOST_AUTO_TEST_CASE(octets_go_and_the_end_of_one_direction_is_told) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    Connection c(host);
    if (!c.a.is_open()) {
      BOOST_TEST_MESSAGE("skipped: no " << host);
      continue;
    }
    const std::vector<std::uint8_t> octets{1, 2, 3};
    const IoResult sent = c.a.send(octets, true, monotonic_now());
    BOOST_TEST((sent.status == Status::done && sent.size == 3));
    BOOST_REQUIRE(c.a.shut_down(monotonic_now()).has_value());
    Status how{};
    BOOST_TEST(read_all(c.b, how) == octets);
    BOOST_TEST((how == Status::ended));
    // The other direction goes on.
    BOOST_TEST((c.b.send(octets, true, monotonic_now()).status == Status::done));
    c.b.close(monotonic_now());
    BOOST_TEST(read_all(c.a, how) == octets);
    BOOST_TEST((how == Status::ended));
  }
}

BOOST_AUTO_TEST_CASE(what_the_system_does_not_take_waits) {
  TcpOptions options;
  options.send_buffer_len = options.receive_buffer_len = 8192;
  Connection c("127.0.0.1", options);
  std::vector<std::uint8_t> octets(4 * 1024 * 1024);
  for (std::size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<std::uint8_t>(i * 31 >> 4);
  std::size_t at = 0;
  std::size_t num_blocked = 0;
  std::vector<std::uint8_t> got;
  std::vector<std::uint8_t> buffer(10000);
  while (got.size() < octets.size()) {
    while (at < octets.size()) {
      const IoResult sent = c.a.send(Bytes(octets).subspan(at), true, monotonic_now());
      BOOST_REQUIRE((sent.status != Status::failed));
      at += sent.size;
      if (sent.status == Status::done) continue;
      ++num_blocked;
      break;
    }
    BOOST_REQUIRE(wait_for(c.b.descriptor(), POLLIN, soon()) != 0);
    const IoResult received = c.b.receive(buffer, monotonic_now());
    BOOST_REQUIRE((received.status == Status::done));
    got.insert(got.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(received.size));
  }
  BOOST_TEST(num_blocked > 0U);
  BOOST_TEST((got == octets));
}

BOOST_AUTO_TEST_CASE(an_abort_is_a_reset_to_the_peer_and_raises_no_signal) {
  Connection c;
  c.a.abort(monotonic_now());
  BOOST_TEST(!c.a.is_open());
  wait_for(c.b.descriptor(), POLLIN, soon());
  std::vector<std::uint8_t> buffer(10);
  const IoResult got = c.b.receive(buffer, monotonic_now());
  BOOST_TEST((got.status == Status::failed));
  BOOST_TEST(got.error.os_error == ECONNRESET);
  BOOST_TEST(to_string(got.error) == "receive: Connection reset by peer");
  const IoResult sent = c.b.send(buffer, true, monotonic_now());
  BOOST_TEST((sent.status == Status::failed));
  BOOST_TEST(sent.error.os_error == EPIPE);
}

BOOST_AUTO_TEST_CASE(the_largest_segment_is_that_of_the_connection) {
  TcpOptions options;
  options.max_segment_len = 1000;
  const Connection small("127.0.0.1", options);
  // Less the options that are in every segment.
  BOOST_TEST(small.a.emss().value <= 1000U);
  BOOST_TEST(small.a.emss().value >= 960U);
  BOOST_TEST(Connection().a.emss().value >= 1220U);
}

// Ethernet's MTU of 1500 and loopback's of 65536; no path has less than 576 of IPv4 and 1280 of IPv6.
//= MPA-5044-5.1-01 test
BOOST_AUTO_TEST_CASE(the_largest_segment_follows_the_mtu_where_tcp_does_not_tell_it) {
  BOOST_TEST(largest_segment(1448, 9000, false).value == 1448U);
  for (const std::optional<int> untold : {std::optional<int>(), std::optional(0)}) {
    BOOST_TEST(largest_segment(untold, 1500, false).value == 1448U);
    BOOST_TEST(largest_segment(untold, 1500, true).value == 1428U);
    BOOST_TEST(largest_segment(untold, 65536, false).value == 65484U);
    BOOST_TEST(largest_segment(untold, untold, false).value == 524U);
    BOOST_TEST(largest_segment(untold, untold, true).value == 1208U);
  }
  // What MPA tells DDP of it: no octet is wasted on pad.
  BOOST_TEST(iwarp::mulpdu(largest_segment({}, 1500, false), false) == 1442U);
  BOOST_TEST(iwarp::mulpdu(largest_segment({}, 1500, false), true) == 1430U);
}

BOOST_AUTO_TEST_CASE(nobody_to_accept_is_no_error_and_waiting_ends) {
  auto listener = TcpListener::listen(SocketAddress::parse("127.0.0.1:0").value());
  BOOST_TEST(!listener->accept()->is_open());
  BOOST_TEST(listener->accept_until(Time{}).error().os_error == ETIMEDOUT);
  BOOST_TEST(TcpListener::listen(listener->address().value()).error().os_error == EADDRINUSE);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::wire
