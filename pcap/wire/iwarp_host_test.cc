#include "pcap/wire/iwarp_host.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "pcap/wire/impaired_stream.h"
#include "pcap/wire/stream_test.h"

namespace rdmawire::wire {
namespace {

using iwarp::MpaState;
using verbs::CompletionStatus;
using verbs::WorkOpcode;

constexpr std::uint64_t base_address = 0x100000;

Time soon() { return monotonic_now() + std::chrono::seconds(60); }

// Memory, queues, queue pair; the connection comes with host().
struct Node {
  std::vector<std::uint8_t> octets;
  verbs::MemoryTable memory{{1, 4}};
  verbs::Pd pd = memory.allocate_pd().value();
  verbs::MemoryKey key;
  verbs::CompletionQueue send_cq{64};
  verbs::CompletionQueue receive_cq{64};
  verbs::EventQueue events{64};
  iwarp::MpaQueuePair qp;
  std::optional<IwarpHost> host;

  explicit Node(const iwarp::MpaQueuePairConfig& config = {}, std::size_t size = 1U << 20)
      : octets(size),
        key(memory.register_region(pd, octets, base_address, verbs::rights::local_write | verbs::rights::remote)
                .value()),
        qp({{1}, verbs::Service::iwarp, pd, {16, 2, 64}, {16, 2, 0}, true},
           {memory, send_cq, receive_cq, events, nullptr}, config) {
    verbs::QpAttributes attributes;
    attributes.access = verbs::rights::remote;
    BOOST_REQUIRE(qp.modify(verbs::QpState::init, attributes, verbs::attribute::access));
  }
  void fill() {
    for (std::size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<std::uint8_t>(i * 13 + i / 251);
  }
  void post(WorkOpcode opcode, const Node& peer, std::uint32_t len, std::uint64_t from = 0, std::uint64_t to = 0) {
    const verbs::Sge sge{base_address + from, len, key};
    verbs::SendWork work;
    work.opcode = opcode;
    work.sges = {&sge, 1};
    work.remote_address = base_address + to;
    work.r_key = peer.key;
    BOOST_REQUIRE(qp.post_send(work));
  }
  void post_receive(std::uint64_t to, std::uint32_t len) {
    const verbs::Sge sge{base_address + to, len, key};
    BOOST_REQUIRE(qp.post_receive({{}, {&sge, 1}}));
  }
  static std::vector<CompletionStatus> statuses(verbs::CompletionQueue& queue) {
    std::vector<verbs::Completion> some(queue.size());
    queue.poll(some);
    std::vector<CompletionStatus> out;
    for (const verbs::Completion& one : some) out.push_back(one.status);
    return out;
  }
  bool answer() {
    const auto event = qp.poll_event();
    return event && event->kind == iwarp::MpaEventKind::request && qp.accept({}, monotonic_now()).has_value();
  }
};

struct Streams {
  TcpStream connector;
  TcpStream acceptor;

  explicit Streams(const TcpOptions& options = {}, const char* address = "127.0.0.1:0") {
    auto listener = TcpListener::listen(SocketAddress::parse(address).value(), options);
    if (!listener) return;
    connector = TcpStream::connect(listener->address().value(), options).value();
    acceptor = listener->accept_until(soon()).value();
  }
};

// Two of them and their connection.
struct Pair {
  Node a;
  Node b;

  Pair(std::unique_ptr<Stream> connector, std::unique_ptr<Stream> acceptor, const iwarp::MpaQueuePairConfig& of_a = {},
       const iwarp::MpaQueuePairConfig& of_b = {}, IwarpHostConfig config = {})
      : a(of_a), b(of_b) {
    a.host.emplace(a.qp, std::move(connector), config);
    config.role = iwarp::Role::responder;
    b.host.emplace(b.qp, std::move(acceptor), config);
  }
  Pair(Streams streams, const iwarp::MpaQueuePairConfig& of_a = {}, const iwarp::MpaQueuePairConfig& of_b = {},
       const IwarpHostConfig& config = {})
      : Pair(std::make_unique<TcpStream>(std::move(streams.connector)),
             std::make_unique<TcpStream>(std::move(streams.acceptor)), of_a, of_b, config) {}
  template <class Done>
  bool run(Done&& done) {
    const Time until = soon();
    while (!done() && monotonic_now() < until) {
      const bool any_a = a.host->turn(monotonic_now());
      b.answer();
      const bool any_b = b.host->turn(monotonic_now());
      if (!any_a && !any_b) a.host->wait(monotonic_now() + std::chrono::milliseconds(1));
      if (!any_a && !any_b) b.host->wait(monotonic_now());
    }
    return done();
  }
  bool establish() {
    return run(
        [this] { return a.qp.verbs().state() == verbs::QpState::rts && b.qp.verbs().state() == verbs::QpState::rts; });
  }
  void close() {
    a.qp.close(monotonic_now());
    b.qp.close(monotonic_now());
    BOOST_TEST(run([this] { return a.host->is_closed() && b.host->is_closed(); }));
    BOOST_TEST(a.host->end_text() == "RDMAP: closed in order; TCP: closed");
    BOOST_TEST(b.host->end_text() == "RDMAP: closed in order; TCP: closed");
  }
};

// 300,000 octets there by WRITE, back by READ, and 1000 by SEND.
void transfer(Pair& pair) {
  BOOST_REQUIRE(pair.establish());
  pair.a.fill();
  constexpr std::uint32_t len = 300'000;
  pair.b.post_receive(900'000, 1000);
  pair.a.post(WorkOpcode::rdma_write, pair.b, len, 0, 1);
  pair.a.post(WorkOpcode::rdma_read, pair.b, len, 400'000, 1);
  pair.a.post(WorkOpcode::send, pair.b, 1000, 5000);
  BOOST_REQUIRE(pair.run([&] { return pair.a.send_cq.size() == 3 && pair.b.receive_cq.size() == 1; }));
  BOOST_TEST((Node::statuses(pair.a.send_cq) == std::vector(3, CompletionStatus::success)));
  BOOST_TEST((Node::statuses(pair.b.receive_cq) == std::vector(1, CompletionStatus::success)));
  BOOST_TEST(std::equal(pair.a.octets.begin(), pair.a.octets.begin() + len, pair.b.octets.begin() + 1));
  BOOST_TEST(std::equal(pair.a.octets.begin(), pair.a.octets.begin() + len, pair.a.octets.begin() + 400'000));
  BOOST_TEST(std::equal(pair.a.octets.begin() + 5000, pair.a.octets.begin() + 6000, pair.b.octets.begin() + 900'000));
  pair.close();
}

// A host whose peer is a socket that this test speaks for. `initiates`: the host sends the Request.
struct Lone {
  Node node;
  TcpStream peer;
  std::vector<std::uint8_t> heard;

  explicit Lone(bool initiates, const iwarp::MpaQueuePairConfig& config = {}, const IwarpHostConfig& of_host = {})
      : node(config) {
    Streams streams;
    peer = std::move(streams.connector);
    IwarpHostConfig host = of_host;
    host.role = initiates ? iwarp::Role::initiator : iwarp::Role::responder;
    node.host.emplace(node.qp, std::make_unique<TcpStream>(std::move(streams.acceptor)), host);
  }
  void say(Bytes octets) { BOOST_REQUIRE(peer.send(octets, true, monotonic_now()).size == octets.size()); }
  void say(const std::string& hex) { say(Bytes(test::octets(hex))); }
  template <class Done>
  bool run(Done&& done) {
    return node.host->run_until(
        [&] {
          node.answer();
          std::array<std::uint8_t, 4096> buffer;
          for (IoResult got = peer.receive(buffer, monotonic_now());
               peer.is_open() && got.status == IoResult::Status::done; got = peer.receive(buffer, monotonic_now())) {
            heard.insert(heard.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got.size));
          }
          return done();
        },
        monotonic_now() + std::chrono::milliseconds(20));
  }
  template <class Done>
  bool run_long(Done&& done) {
    for (const Time until = soon(); monotonic_now() < until;) {
      if (run(done) || done()) return true;
    }
    return false;
  }
  bool closed() {
    return run_long([this] { return node.host->is_closed(); });
  }
  // As the initiator of revision 1, with CRC and without Markers.
  void establish() {
    say("4d504120494420526571204672616d65"
        "40010000");
    BOOST_REQUIRE(run_long([this] { return heard.size() == 20; }));
  }
};

BOOST_AUTO_TEST_SUITE(iwarp_host)

BOOST_AUTO_TEST_CASE(data_go_over_ipv4_and_ipv6) {
  for (const char* address : {"127.0.0.1:0", "[::1]:0"}) {
    Streams streams({}, address);
    if (!streams.connector.is_open()) {
      BOOST_TEST_MESSAGE("skipped: no " << address);
      continue;
    }
    Pair pair(std::move(streams));
    transfer(pair);
  }
}

BOOST_AUTO_TEST_CASE(markers_and_crc_are_agreed_for_each_direction) {
  for (unsigned which = 0; which < 8; ++which) {
    iwarp::MpaQueuePairConfig of_a;
    iwarp::MpaQueuePairConfig of_b;
    of_a.mpa.markers = (which & 1U) != 0;
    of_b.mpa.markers = (which & 2U) != 0;
    of_a.mpa.crc = of_b.mpa.crc = (which & 4U) == 0;
    Pair pair(Streams(), of_a, of_b);
    transfer(pair);
    BOOST_TEST(pair.a.qp.mpa().receives_markers() == of_a.mpa.markers);
    BOOST_TEST(pair.a.qp.mpa().sends_markers() == of_b.mpa.markers);
    BOOST_TEST(pair.a.qp.mpa().negotiated().crc == of_a.mpa.crc);
  }
}

BOOST_AUTO_TEST_CASE(small_segments_and_buffers_make_partial_writes_and_the_same_data) {
  TcpOptions options;
  options.max_segment_len = 536;
  options.send_buffer_len = options.receive_buffer_len = 4096;
  for (const Segmentation segmentation : {Segmentation::aligned, Segmentation::packed}) {
    iwarp::MpaQueuePairConfig config;
    config.mpa.markers = true;
    config.segmentation = segmentation;
    IwarpHostConfig of_host;
    of_host.receive_len = 100;
    Pair pair(Streams(options), config, config, of_host);
    transfer(pair);
    BOOST_TEST(pair.a.qp.mulpdu() < 536U);
  }
}

BOOST_AUTO_TEST_CASE(who_accepts_the_connection_may_send_the_request) {
  Streams streams;
  std::swap(streams.connector, streams.acceptor);
  Pair pair(std::move(streams));
  transfer(pair);
}

BOOST_AUTO_TEST_CASE(an_impaired_path_brings_the_same_data_and_ends_in_order) {
  link::StreamImpairments bad;
  bad.delay = std::chrono::milliseconds(1);
  bad.jitter = std::chrono::milliseconds(1);
  bad.late = link::Ppm::percent(10);
  bad.late_by = std::chrono::milliseconds(5);
  for (const std::uint64_t seed : {1U, 2U}) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      TcpOptions options;
      options.max_segment_len = 1460;
      Streams streams(options);
      ImpairedCounts counts;
      const TcpRecording nobody(nullptr, OpenedBy::here);
      Pair pair(std::make_unique<ImpairedStream>(std::make_unique<TcpStream>(std::move(streams.connector)), bad, seed,
                                                 counts, nobody),
                std::make_unique<ImpairedStream>(std::make_unique<TcpStream>(std::move(streams.acceptor)), bad, ~seed,
                                                 counts, nobody));
      transfer(pair);
      // 601,000 octets, each through both.
      BOOST_TEST(counts.sent.num_segments >= 2 * 601'000U / 1460 / 2);
      BOOST_TEST(counts.sent.num_late > 10U);
      BOOST_TEST(counts.received.num_late > 10U);
    }
  }
}

// On a clock of the test's: a peer that speaks another protocol, behind a delay of 20 ms, and a system that takes
// everything or nothing.
BOOST_AUTO_TEST_CASE(a_host_is_closed_when_its_stream_has_sent_what_it_holds_back_or_had_its_time) {
  using namespace std::chrono_literals;
  for (const bool takes : {true, false}) {
    stream_test::Script script;
    if (!takes) script.room = 0;
    ImpairedCounts counts;
    link::StreamImpairments delay;
    delay.delay = 20ms;
    Node node;
    node.host.emplace(node.qp, std::make_unique<ImpairedStream>(script.stream(), delay, 1, counts,
                                                                TcpRecording(nullptr, OpenedBy::here)));
    IwarpHost& host = *node.host;
    host.turn(1000ms);
    script.incoming = {stream_test::octets_of("HTTP/1.0 400 Bad Request\r\n")};
    host.turn(1001ms);
    BOOST_TEST((host.next_deadline() == 1020ms));
    host.turn(1021ms);
    BOOST_TEST((host.state() == HostState::closing));
    BOOST_TEST((host.end() == ConnectionEnd::closed));
    BOOST_TEST(!host.is_closed());
    BOOST_TEST(script.all_sent().size() == (takes ? 24U : 0U));
    // When its FIN is due.
    BOOST_TEST((host.next_deadline() == 1041ms));
    BOOST_TEST(host.descriptor() == (takes ? -1 : 99));
    BOOST_TEST(host.events() == (takes ? 0 : POLLOUT));
    BOOST_TEST(!host.turn(1040ms));
    BOOST_TEST(script.ends.empty());
    BOOST_TEST(host.turn(1041ms) == takes);
    if (!takes) {
      BOOST_TEST((host.next_deadline() == 31021ms));
      BOOST_TEST(!host.turn(31020ms));
      BOOST_TEST(host.turn(31021ms));
    }
    BOOST_TEST(host.is_closed());
    BOOST_TEST(script.ends == std::vector<std::string>{takes ? "close" : "RST"});
    BOOST_TEST(host.end_text() == "MPA: the key is that of no start-up frame; TCP: closed");
  }
}

BOOST_AUTO_TEST_CASE(a_refused_connection_is_told) {
  auto listener = TcpListener::listen(SocketAddress::parse("127.0.0.1:0").value());
  const SocketAddress nobody = listener->address().value();
  listener = tl::unexpected(SocketError{});
  auto stream = TcpStream::connect(nobody);
  if (!stream) return;  // told by the call already
  Node node;
  node.host.emplace(node.qp, std::make_unique<TcpStream>(std::move(*stream)));
  BOOST_TEST(!node.host->run_until([] { return false; }, soon()));
  BOOST_TEST((node.host->end() == ConnectionEnd::not_reached));
  BOOST_TEST(node.host->error().os_error == ECONNREFUSED);
  BOOST_TEST(node.host->end_text() == "TCP: connect: Connection refused");
}

BOOST_AUTO_TEST_CASE(a_start_up_without_an_answer_ends_in_time) {
  for (const bool initiates : {true, false}) {
    Lone lone(initiates);
    BOOST_TEST(!lone.run([] { return false; }));
    BOOST_TEST((lone.node.host->state() == HostState::running));
    lone.node.host->turn(monotonic_now() + std::chrono::seconds(11));
    BOOST_TEST((lone.node.host->end() == ConnectionEnd::closed));
    BOOST_TEST(lone.node.host->end_text() == "MPA: the peer's start-up frame was not there whole in time; TCP: closed");
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_does_not_answer_is_given_up) {
  Pair pair{Streams()};
  BOOST_REQUIRE(pair.establish());
  // b is there, and its process stands still.
  pair.a.post(WorkOpcode::rdma_read, pair.b, 1000);
  pair.a.post(WorkOpcode::rdma_write, pair.b, 1000);
  while (pair.a.host->turn(monotonic_now())) {
  }
  pair.a.host->turn(monotonic_now() + std::chrono::seconds(29));
  BOOST_TEST(!pair.a.host->is_closed());
  BOOST_TEST(pair.a.host->next_deadline().has_value());
  pair.a.host->turn(monotonic_now() + std::chrono::seconds(31));
  BOOST_TEST((pair.a.host->end() == ConnectionEnd::stalled));
  BOOST_TEST(pair.a.host->end_text() ==
             "RDMAP: lost; TCP: reset by this side: the peer neither takes nor answers what is sent");
  BOOST_TEST((Node::statuses(pair.a.send_cq) == std::vector(2, CompletionStatus::work_flushed)));
  // And b is told.
  pair.b.post_receive(0, 10);
  BOOST_TEST(pair.run([&] { return pair.b.host->is_closed(); }));
  BOOST_TEST((pair.b.host->end() == ConnectionEnd::lost));
  BOOST_TEST(pair.b.host->end_text().ends_with("Connection reset by peer"), pair.b.host->end_text());
  BOOST_TEST((Node::statuses(pair.b.receive_cq) == std::vector(1, CompletionStatus::work_flushed)));
}

BOOST_AUTO_TEST_CASE(an_idle_connection_is_left_alone_and_closes_in_order_later) {
  Pair pair{Streams()};
  BOOST_REQUIRE(pair.establish());
  BOOST_TEST(!pair.a.host->next_deadline().has_value());
  const Time later = monotonic_now() + std::chrono::hours(1);
  pair.a.host->turn(later);
  BOOST_TEST((pair.a.host->state() == HostState::running));
  // The peer's time to close its own direction begins when this side does.
  pair.a.qp.close(later);
  while (pair.a.host->turn(later)) {
  }
  BOOST_TEST((pair.a.host->state() == HostState::running));
  BOOST_TEST((pair.a.host->next_deadline() == later + std::chrono::seconds(5)));
}

BOOST_AUTO_TEST_CASE(a_reset_flushes_what_is_posted) {
  Lone lone(false);
  lone.establish();
  lone.node.post_receive(0, 100);
  lone.peer.abort(monotonic_now());
  BOOST_REQUIRE(lone.closed());
  BOOST_TEST((lone.node.host->end() == ConnectionEnd::lost));
  BOOST_TEST(lone.node.host->error().os_error == ECONNRESET);
  BOOST_TEST(lone.node.host->end_text() == "RDMAP: lost; TCP: receive: Connection reset by peer");
  BOOST_TEST((Node::statuses(lone.node.receive_cq) == std::vector(1, CompletionStatus::work_flushed)));
}

BOOST_AUTO_TEST_CASE(an_end_within_an_fpdu_flushes_what_is_posted) {
  Lone lone(false);
  lone.establish();
  lone.node.post_receive(0, 100);
  lone.say(
      "0012"
      "8140000000010000");
  BOOST_REQUIRE(lone.peer.shut_down(monotonic_now()).has_value());
  BOOST_REQUIRE(lone.closed());
  BOOST_TEST((lone.node.host->end() == ConnectionEnd::closed));
  BOOST_TEST(lone.node.host->end_text() == "RDMAP: lost; TCP: closed");
  BOOST_TEST((Node::statuses(lone.node.receive_cq) == std::vector(1, CompletionStatus::work_flushed)));
}

BOOST_AUTO_TEST_CASE(octets_of_another_protocol_end_the_start_up) {
  for (const bool initiates : {true, false}) {
    Lone lone(initiates);
    lone.say("474554202f20485454502f312e310d0a");
    BOOST_REQUIRE(lone.closed());
    BOOST_TEST(lone.node.host->end_text() == "MPA: the key is that of no start-up frame; TCP: closed");
  }
}

BOOST_AUTO_TEST_CASE(random_octets_in_full_operation_end_in_a_terminate) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      Lone lone(false);
      lone.establish();
      lone.node.post_receive(0, 100);
      std::mt19937 random(seed);
      std::vector<std::uint8_t> octets(70'000);
      for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random());
      lone.say(octets);
      BOOST_REQUIRE(lone.run_long([&] { return lone.node.qp.stream().end().by == iwarp::StreamEnd::By::error_here; }));
      lone.peer.close(monotonic_now());
      BOOST_REQUIRE(lone.closed());
      BOOST_TEST(lone.node.host->end_text().starts_with("RDMAP: ended by this side, LLP: MPA error: "),
                 lone.node.host->end_text());
      BOOST_TEST((Node::statuses(lone.node.receive_cq) == std::vector(1, CompletionStatus::work_flushed)));
      BOOST_TEST(std::ranges::all_of(lone.node.octets, [](std::uint8_t octet) { return octet == 0; }));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_terminate_goes_before_the_end_and_who_does_not_close_is_reset) {
  Lone lone(false);
  lone.establish();
  // An FPDU of a ULPDU of 14 octets, all zero as its CRC.
  lone.say(
      "000e"
      "0000000000000000000000000000"
      "00000000");
  BOOST_REQUIRE(lone.run_long([&] { return lone.heard.size() > 20; }));
  BOOST_TEST((lone.node.qp.stream().state() == iwarp::StreamState::terminated));
  BOOST_REQUIRE(lone.node.host->next_deadline().has_value());
  // Octets do not put it off.
  lone.say(std::vector<std::uint8_t>(100));
  BOOST_TEST(!lone.run([] { return false; }));
  lone.node.host->turn(monotonic_now() + std::chrono::seconds(6));
  BOOST_TEST((lone.node.host->end() == ConnectionEnd::aborted));
  BOOST_TEST(lone.node.host->end_text() ==
             "RDMAP: ended by this side, LLP: MPA error: received MPA CRC does not match the calculated value; TCP: "
             "reset by this side");
}

BOOST_AUTO_TEST_CASE(a_rejected_request_leaves_the_connection_to_its_owner) {
  Lone lone(true);
  BOOST_REQUIRE(lone.run_long([&] { return lone.heard.size() >= 20; }));
  // A Reply that rejects, and what its owner says beyond.
  lone.say(
      "4d504120494420526570204672616d65"
      "70020004"
      "40104010"
      "0a0b0c");
  BOOST_TEST(!lone.node.host->run_until([] { return false; }, soon()));
  BOOST_TEST((lone.node.host->state() == HostState::left));
  BOOST_TEST(lone.node.host->end_text() == "MPA: the responder rejects the Request");
  const std::vector<std::uint8_t> beyond{0x0a, 0x0b, 0x0c};
  BOOST_TEST(std::ranges::equal(lone.node.host->octets_for_ulp(), beyond));
  BOOST_TEST(lone.node.host->take_stream()->is_open());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::wire
