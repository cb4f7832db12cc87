#include "pcap/wire/impaired_stream.h"

#include <bit>
#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "pcap/wire/stream_test.h"
#include "protocol/link/random.h"

namespace rdmawire::wire {
namespace {

using namespace std::chrono_literals;
using Status = IoResult::Status;
using stream_test::Octets;
using stream_test::octets_of;
using stream_test::recorded;
using stream_test::RecordedFrame;
using stream_test::Script;

// Octets of a direction on the link; see impaired_stream.cc.
constexpr std::size_t capacity = 256 * 1024;

Octets made_up(std::size_t len, std::uint64_t seed) {
  Octets out(len);
  link::SplitMix64(seed).fill(out);
  return out;
}

std::size_t num_different_bits(const Octets& a, const Octets& b) {
  BOOST_REQUIRE(a.size() == b.size());
  std::size_t out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out += static_cast<std::size_t>(std::popcount(unsigned(a[i] ^ b[i])));
  return out;
}

// A stream of the script, on a clock of the test.
struct Impaired {
  Script script;
  ImpairedCounts counts;
  std::string path;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<ImpairedStream> stream;
  Time now = 1s;

  explicit Impaired(const link::StreamImpairments& impairments, std::uint64_t seed = 1,
                    const std::string& recording = {}, std::uint32_t emss = 1460) {
    script.emss = emss;
    if (!recording.empty()) {
      path = stream_test::temporary(recording);
      recorder = Recorder::open(path, "", TcpRecording::interface).value();
    }
    stream = std::make_unique<ImpairedStream>(script.stream(), impairments, seed, counts,
                                              TcpRecording(recorder.get(), OpenedBy::here));
    BOOST_REQUIRE(stream->finish_connect().value());
  }
  IoResult send(const Octets& octets) { return stream->send(octets, true, now); }
  IoResult send(const std::string& text) { return send(octets_of(text)); }
  Octets receive(Status* status = nullptr, std::size_t len = 100'000) {
    Octets out(len);
    const IoResult got = stream->receive(out, now);
    if (status != nullptr) *status = got.status;
    out.resize(got.size);
    return out;
  }
  Status status() {
    Status out{};
    receive(&out);
    return out;
  }
  void turn_at(Time time) {
    now = time;
    stream->turn(now);
  }
  std::vector<RecordedFrame> frames() {
    stream.reset();
    recorder.reset();
    return recorded(path);
  }
};

link::StreamImpairments delay_of(Time delay) {
  link::StreamImpairments out;
  out.delay = delay;
  return out;
}

// All but the kind's own.
link::StreamImpairments always_corrupt() {
  link::StreamImpairments out;
  out.corrupt = link::Ppm::always();
  return out;
}

BOOST_AUTO_TEST_SUITE(impaired_stream)

BOOST_AUTO_TEST_CASE(without_impairments_octets_go_and_come_at_once) {
  Impaired s({});
  BOOST_TEST(s.send("hello").size == 5U);
  BOOST_TEST(s.script.sent == std::vector<Octets>{octets_of("hello")});
  s.script.incoming = {octets_of("abc")};
  BOOST_TEST(s.receive() == octets_of("abc"));
  BOOST_TEST((s.status() == Status::would_block));
  BOOST_TEST(!s.stream->next_deadline().has_value());
}

BOOST_AUTO_TEST_CASE(a_delay_holds_back_both_directions_and_says_until_when) {
  Impaired s(delay_of(20ms));
  s.send("hello");
  s.script.incoming = {octets_of("abc")};
  BOOST_TEST((s.status() == Status::would_block));
  BOOST_TEST(s.script.sent.empty());
  BOOST_TEST((s.stream->next_deadline() == 1020ms));
  s.turn_at(1019ms);
  BOOST_TEST(s.script.sent.empty());
  s.turn_at(1020ms);
  BOOST_TEST(s.script.sent == std::vector<Octets>{octets_of("hello")});
  BOOST_TEST(s.receive() == octets_of("abc"));
  BOOST_TEST(!s.stream->next_deadline().has_value());
}

BOOST_AUTO_TEST_CASE(all_octets_arrive_once_and_in_order_whatever_the_path_does) {
  link::StreamImpairments bad;
  bad.delay = 5ms;
  bad.jitter = 10ms;
  bad.late = link::Ppm::percent(20);
  bad.late_by = 50ms;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      Impaired s(bad, seed);
      const Octets out = made_up(100'000, seed);
      const Octets in = made_up(70'000, ~seed);
      std::size_t sent = 0;
      std::size_t come = 0;
      Octets got;
      link::SplitMix64 random(seed);
      for (s.now = 1s; s.now < 60s && (s.script.all_sent().size() < out.size() || got.size() < in.size());
           s.now += 1ms) {
        const std::size_t len = std::min<std::size_t>(random.below(1460) + 1, out.size() - sent);
        if (len != 0) {
          const auto at = out.begin() + static_cast<std::ptrdiff_t>(sent);
          sent += s.send(Octets(at, at + static_cast<std::ptrdiff_t>(len))).size;
        }
        const std::size_t more = std::min<std::size_t>(random.below(3000) + 1, in.size() - come);
        if (more != 0) {
          const auto at = in.begin() + static_cast<std::ptrdiff_t>(come);
          s.script.incoming.emplace_back(at, at + static_cast<std::ptrdiff_t>(more));
          come += more;
        }
        s.stream->turn(s.now);
        for (Octets some = s.receive(); !some.empty(); some = s.receive())
          got.insert(got.end(), some.begin(), some.end());
      }
      BOOST_TEST((s.script.all_sent() == out));
      BOOST_TEST((got == in));
      // About every fifth of 130 and 80 segments.
      BOOST_TEST(s.counts.sent.num_late >= 10U);
      BOOST_TEST(s.counts.received.num_late >= 5U);
      BOOST_TEST(s.counts.sent.num_corrupted == 0U);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_waits_behind_a_late_segment_comes_with_it) {
  link::StreamImpairments late;
  late.late = link::Ppm::percent(50);
  late.late_by = 200ms;
  // Of the seeds one makes the first segment late alone.
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    Impaired s(late, seed, "late.pcapng");
    s.send("one");
    s.now = 1010ms;
    s.send("two");
    if (!s.script.sent.empty() || s.stream->next_deadline() != 1200ms) continue;
    s.turn_at(1200ms);
    if (s.counts.sent.num_late != 1) continue;
    BOOST_TEST(s.script.sent == (std::vector<Octets>{octets_of("one"), octets_of("two")}));
    BOOST_TEST(s.counts.sent.num_segments == 2U);
    const std::vector<RecordedFrame> frames = s.frames();
    BOOST_REQUIRE(frames.size() == 5U);
    BOOST_TEST(frames[3].comment == "on purpose: 200 ms late");
    BOOST_TEST(frames[4].comment.empty());
    return;
  }
  BOOST_ERROR("no seed makes the first segment late alone");
}

BOOST_AUTO_TEST_CASE(one_bit_of_a_segment_is_inverted_and_the_recording_has_it_and_says_so) {
  Impaired s(always_corrupt(), 7, "corrupt.pcapng");
  std::vector<Octets> out;
  for (std::uint64_t i = 0; i < 50; ++i) {
    out.push_back(made_up(1 + 20 * i, i));
    s.send(out.back());
  }
  const Octets in = made_up(1000, 99);
  s.script.incoming = {in};
  const Octets got = s.receive();
  BOOST_TEST(num_different_bits(in, got) == 1U);
  BOOST_REQUIRE(s.script.sent.size() == 50U);
  for (std::size_t i = 0; i < 50; ++i) BOOST_TEST(num_different_bits(out[i], s.script.sent[i]) == 1U);
  BOOST_TEST(s.counts.sent.num_segments == 50U);
  BOOST_TEST(s.counts.sent.num_corrupted == 50U);
  BOOST_TEST(s.counts.received.num_corrupted == 1U);
  const std::vector<RecordedFrame> frames = s.frames();
  BOOST_REQUIRE(frames.size() == 54U);
  for (std::size_t i = 0; i < 50; ++i) {
    BOOST_TEST(frames[3 + i].payload() == s.script.sent[i]);
    BOOST_TEST(frames[3 + i].comment == "on purpose: 1 bit inverted");
  }
  BOOST_TEST(frames[53].payload() == got);
  BOOST_TEST(!frames[53].out);
  BOOST_TEST(frames[53].comment == "on purpose: 1 bit inverted");
  BOOST_TEST(frames[2].comment.empty());
}

BOOST_AUTO_TEST_CASE(the_same_seed_does_the_same) {
  const auto run = [](std::uint64_t seed) {
    Impaired s(always_corrupt(), seed);
    for (std::uint64_t i = 0; i < 20; ++i) s.send(made_up(500, i));
    return s.script.all_sent();
  };
  BOOST_TEST((run(5) == run(5)));
  BOOST_TEST((run(5) != run(6)));
}

BOOST_AUTO_TEST_CASE(what_comes_is_impaired_by_segments_of_the_connections_size) {
  Impaired s(always_corrupt(), 1, "cut.pcapng");
  s.script.incoming = {made_up(3000, 1)};
  for (const std::size_t size : {1460U, 1460U, 80U, 0U}) BOOST_TEST(s.receive().size() == size);
  BOOST_TEST(s.counts.received.num_segments == 3U);
  BOOST_TEST(s.counts.received.num_corrupted == 3U);
  BOOST_TEST(s.frames().size() == 6U);
}

BOOST_AUTO_TEST_CASE(a_segment_is_taken_in_pieces_and_counted_once) {
  Impaired s({}, 1, "pieces.pcapng");
  s.script.incoming = {octets_of("hello")};
  Octets got;
  for (int i = 0; i < 5; ++i) {
    const Octets some = s.receive(nullptr, 2);
    got.insert(got.end(), some.begin(), some.end());
  }
  BOOST_TEST(got == octets_of("hello"));
  BOOST_TEST(s.counts.received.num_segments == 1U);
  BOOST_TEST(s.frames().size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_system_that_takes_nothing_makes_the_sender_wait) {
  Impaired s({});
  s.script.room = 0;
  const Octets segment = made_up(1024, 1);
  std::size_t taken = 0;
  while (s.send(segment).status == Status::done) ++taken;
  // One waits for the system, the others on the link.
  BOOST_TEST(taken == capacity / 1024 + 1);
  s.stream->turn(s.now);
  BOOST_TEST(s.stream->events(POLLIN) == (POLLIN | POLLOUT));
  BOOST_TEST(s.stream->descriptor() == 99);
  s.script.room = 1500;
  s.stream->turn(s.now);
  BOOST_TEST(s.script.all_sent().size() == 1500U);
  BOOST_TEST((s.send(segment).status == Status::done));
  BOOST_TEST((s.send(segment).status == Status::would_block));
  s.script.room = ~std::size_t{0};
  s.stream->turn(s.now);
  BOOST_TEST(s.script.all_sent().size() == (taken + 1) * 1024);
  BOOST_TEST(s.stream->events(POLLIN) == POLLIN);
}

BOOST_AUTO_TEST_CASE(many_small_segments_make_the_sender_wait_too) {
  Impaired s(delay_of(1s));
  std::size_t taken = 0;
  while (s.send("x").status == Status::done) ++taken;
  BOOST_TEST(taken == 1024U);
  s.turn_at(2s);
  BOOST_TEST(s.script.all_sent().size() == 1024U);
}

BOOST_AUTO_TEST_CASE(who_does_not_receive_makes_the_peer_wait) {
  Impaired s(delay_of(1ms), 1, {}, 65000);
  const Octets in = made_up(4 * capacity, 1);
  s.script.incoming = {in};
  s.stream->turn(s.now);
  BOOST_REQUIRE(s.script.incoming.size() == 1U);
  BOOST_TEST(s.script.incoming.front().size() == 3 * capacity);
  BOOST_TEST(s.stream->events(POLLIN) == 0);
  Octets got;
  for (int i = 0; i < 100; ++i) {
    s.turn_at(s.now + 1ms);
    const Octets some = s.receive();
    got.insert(got.end(), some.begin(), some.end());
  }
  BOOST_TEST((got == in));
  BOOST_TEST(s.stream->events(POLLIN) == POLLIN);
}

BOOST_AUTO_TEST_CASE(the_end_comes_after_what_is_held_back) {
  Impaired s(delay_of(20ms), 1, "end.pcapng");
  s.send("hello");
  s.now = 1010ms;
  BOOST_REQUIRE(s.stream->shut_down(s.now).has_value());
  BOOST_TEST(s.script.ends.empty());
  BOOST_TEST((s.send("more").status == Status::would_block));
  s.turn_at(1020ms);
  BOOST_TEST(s.script.sent == std::vector<Octets>{octets_of("hello")});
  BOOST_TEST(s.script.ends.empty());
  BOOST_TEST((s.stream->next_deadline() == 1030ms));
  s.turn_at(1030ms);
  BOOST_TEST(s.script.ends == std::vector<std::string>{"FIN"});
  s.stream->close(s.now);
  BOOST_TEST(!s.stream->is_open());
  const std::vector<RecordedFrame> frames = s.frames();
  BOOST_REQUIRE(frames.size() == 5U);
  BOOST_TEST(frames[3].payload() == octets_of("hello"));
  BOOST_TEST(frames[4].flags() == 0x11U);
}

BOOST_AUTO_TEST_CASE(a_stream_that_is_closed_stays_open_until_all_has_gone) {
  Impaired s(delay_of(20ms));
  s.send("hello");
  s.stream->close(s.now);
  BOOST_TEST(s.stream->is_open());
  BOOST_TEST(s.stream->descriptor() == -1);
  // Nobody wants what comes now.
  s.script.incoming = {octets_of("abc")};
  s.turn_at(1020ms);
  BOOST_TEST(s.script.sent == std::vector<Octets>{octets_of("hello")});
  BOOST_TEST(s.script.ends == std::vector<std::string>{"close"});
  BOOST_TEST(!s.stream->is_open());
  BOOST_TEST(s.script.incoming.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_reset_comes_after_what_is_held_back_and_a_second_one_at_once) {
  for (const bool twice : {false, true}) {
    Impaired s(delay_of(20ms), 1, "rst.pcapng");
    s.send("hello");
    s.stream->abort(s.now);
    BOOST_TEST(s.stream->is_open());
    if (twice) s.stream->abort(s.now);
    s.turn_at(1020ms);
    BOOST_TEST(s.script.sent.size() == (twice ? 0U : 1U));
    BOOST_TEST(s.script.ends == std::vector<std::string>{"RST"});
    BOOST_TEST(!s.stream->is_open());
    BOOST_TEST(s.frames().back().flags() == 0x14U);
  }
}

BOOST_AUTO_TEST_CASE(the_peers_end_comes_after_its_octets) {
  Impaired s(delay_of(20ms), 1, "peers_end.pcapng");
  s.script.incoming = {octets_of("abc")};
  s.script.ended = true;
  BOOST_TEST((s.status() == Status::would_block));
  // There is nothing to poll for.
  BOOST_TEST(s.stream->descriptor() == -1);
  s.now = 1020ms;
  BOOST_TEST(s.receive() == octets_of("abc"));
  BOOST_TEST((s.status() == Status::ended));
  BOOST_TEST((s.status() == Status::ended));
  // But for a reset.
  BOOST_TEST(s.stream->descriptor() == 99);
  BOOST_TEST(s.stream->events(POLLIN) == 0);
  const std::vector<RecordedFrame> frames = s.frames();
  BOOST_REQUIRE(frames.size() == 5U);
  BOOST_TEST(frames[4].flags() == 0x11U);
  BOOST_TEST(!frames[4].out);
}

BOOST_AUTO_TEST_CASE(the_peers_reset_comes_after_its_octets) {
  Impaired s(delay_of(20ms), 1, "peers_rst.pcapng");
  s.script.incoming = {octets_of("abc")};
  s.script.error = SocketError{"receive", ECONNRESET};
  BOOST_TEST((s.status() == Status::would_block));
  BOOST_TEST(s.stream->descriptor() == -1);
  BOOST_TEST((s.stream->next_deadline() == 1020ms));
  s.now = 1020ms;
  BOOST_TEST(s.receive() == octets_of("abc"));
  Octets out(10);
  const IoResult got = s.stream->receive(out, s.now);
  BOOST_TEST((got.status == Status::failed));
  BOOST_TEST(got.error.os_error == ECONNRESET);
  BOOST_TEST((s.send("more").status == Status::failed));
  BOOST_TEST(!s.stream->next_deadline().has_value());
  const std::vector<RecordedFrame> frames = s.frames();
  BOOST_REQUIRE(frames.size() == 5U);
  BOOST_TEST(frames[4].flags() == 0x14U);
  BOOST_TEST(!frames[4].out);
}

BOOST_AUTO_TEST_CASE(what_the_peer_said_before_its_reset_met_a_write_is_not_lost) {
  Impaired s({}, 1, "said.pcapng");
  s.script.incoming = {octets_of("abc")};
  s.script.send_error = SocketError{"send", EPIPE};
  s.send("hello");
  BOOST_TEST((s.stream->next_deadline() == Time{}));
  BOOST_TEST(s.receive() == octets_of("abc"));
  BOOST_TEST((s.status() == Status::failed));
  BOOST_TEST(!s.stream->next_deadline().has_value());
  const std::vector<RecordedFrame> frames = s.frames();
  BOOST_REQUIRE(frames.size() == 6U);
  BOOST_TEST(frames[4].payload() == octets_of("abc"));
  BOOST_TEST(frames[5].flags() == 0x14U);
  BOOST_TEST(!frames[5].out);
}

BOOST_AUTO_TEST_CASE(a_reset_after_the_peers_end_is_told_as_poll_would) {
  Impaired s({});
  s.script.ended = true;
  BOOST_TEST((s.status() == Status::ended));
  s.script.send_error = SocketError{"send", ECONNRESET};
  s.send("hello");
  BOOST_TEST((s.stream->turn(s.now) & POLLHUP) != 0);
  BOOST_TEST(s.stream->take_error()->os_error == ECONNRESET);
  BOOST_TEST((s.send("more").status == Status::failed));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::wire
