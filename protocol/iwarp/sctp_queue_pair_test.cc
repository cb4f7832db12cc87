// Queue pairs on a stream of SCTP, chunk by chunk.
#include "protocol/iwarp/sctp_queue_pair.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace rdmawire::iwarp {
namespace {

constexpr std::uint64_t base = 0x100000;

std::string hex(Bytes octets) {
  std::string out;
  for (const std::uint8_t octet : octets) {
    out += "0123456789abcdef"[octet >> 4];
    out += "0123456789abcdef"[octet & 15U];
  }
  return out;
}

struct Host {
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(256);
  verbs::MemoryTable memory{{2, 4}};
  verbs::Pd pd = memory.allocate_pd().value();
  verbs::MemoryKey key =
      memory.register_region(pd, octets, base, verbs::rights::local_write | verbs::rights::remote_write).value();
  verbs::CompletionQueue cq{16};
  verbs::EventQueue events{8};
  SctpQueuePair qp;
  std::vector<std::string> sent;  // protocol and octets of each chunk

  explicit Host(std::uint32_t number)
      : qp({{number}, verbs::Service::iwarp, pd, {8, 1, 0}, {8, 1, 0}, true}, {memory, cq, cq, events, nullptr}, {}) {
    verbs::QpAttributes attributes;
    attributes.access = verbs::rights::remote_write;
    BOOST_REQUIRE(qp.modify(verbs::QpState::init, attributes, verbs::attribute::access));
  }
};

// All that both have to say, each chunk acknowledged at once.
void run(Host& a, Host& b) {
  for (bool any = true; any;) {
    any = false;
    for (auto [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
      while (const auto chunk = from->qp.poll_transmit(Time{})) {
        const std::vector<std::uint8_t> octets(chunk->octets.begin(), chunk->octets.end());
        const std::uint16_t ssn = chunk->ssn;
        from->sent.push_back(std::to_string(static_cast<std::uint32_t>(chunk->protocol)) + " " + hex(octets));
        to->qp.on_chunk(chunk->protocol, octets, Time{});
        from->qp.on_acknowledged(ssn, Time{});
        any = true;
      }
      if (const auto event = from->qp.poll_event(); event && event->kind == SctpEventKind::request) {
        BOOST_REQUIRE(from->qp.accept({}, Time{}));
        any = true;
      }
    }
  }
}

struct Connected {
  Host a{1};
  Host b{2};
  Connected() {
    BOOST_REQUIRE(a.qp.connect({}, {}, Time{}));
    BOOST_REQUIRE(b.qp.listen({}, nullptr));
    run(a, b);
    BOOST_REQUIRE((a.qp.verbs().state() == verbs::QpState::rts));
    BOOST_REQUIRE((b.qp.verbs().state() == verbs::QpState::rts));
    a.sent.clear();
    b.sent.clear();
  }
  void write(std::uint32_t stag) {
    const verbs::Sge sge{base, 4, a.key};
    verbs::SendWork work;
    work.opcode = verbs::WorkOpcode::rdma_write;
    work.sges = {&sge, 1};
    work.remote_address = base + 16;
    work.r_key = {stag};
    BOOST_REQUIRE(a.qp.post_send(work));
    run(a, b);
  }
};

BOOST_AUTO_TEST_SUITE(sctp_queue_pair)

BOOST_AUTO_TEST_CASE(a_write_is_a_segment_behind_its_number) {
  Connected pair;
  pair.a.octets = {1, 2, 3, 4};
  pair.a.octets.resize(256);
  pair.write(pair.b.key.value);
  BOOST_REQUIRE_EQUAL(pair.a.sent.size(), 1U);
  // DDP segment chunk, DDP-SSN 2 (after Initiate and the ready-to-receive Write), tagged, last, RDMA Write, STag, TO.
  BOOST_TEST(pair.a.sent[0] == "16 0002c140" +
                                   hex(std::vector<std::uint8_t>{static_cast<std::uint8_t>(pair.b.key.value >> 24),
                                                                 static_cast<std::uint8_t>(pair.b.key.value >> 16),
                                                                 static_cast<std::uint8_t>(pair.b.key.value >> 8),
                                                                 static_cast<std::uint8_t>(pair.b.key.value)}) +
                                   "000000000010001001020304");
  BOOST_TEST(pair.b.octets[16] == 1);
  BOOST_TEST(pair.b.octets[19] == 4);
}

//= SCTP-5043-6.2-02, SCTP-5043-11.3-03 test
BOOST_AUTO_TEST_CASE(the_terminate_of_rdmap_comes_before_that_of_the_session) {
  Connected pair;
  pair.write(0xBAD);
  BOOST_REQUIRE_EQUAL(pair.b.sent.size(), 2U);
  // DDP-SSN 1 (after Accept): untagged, last, Terminate; queue 2, message 1, offset 0; DDP, tagged buffer error,
  // invalid STag, M and D; 18 octets, and the DDP header of the Write.
  BOOST_TEST(pair.b.sent[0] == "16 00014147000000000000000200000001000000001100c0000012c14000000bad0000000000100010");
  // Session control, DDP-SSN 2, Terminate.
  BOOST_TEST(pair.b.sent[1] == "17 00020004");
  BOOST_TEST((pair.b.qp.stream().end().by == StreamEnd::By::error_here));
  BOOST_TEST((pair.a.qp.stream().end().by == StreamEnd::By::peer));
  BOOST_TEST(pair.a.qp.stream().end().error.value == 0x1100);
  BOOST_TEST((pair.a.qp.verbs().state() == verbs::QpState::err));
}

// Another protection domain of the same host is as far away as no memory at all, from the first segment of the session
// to the last.
//= SCTP-5043-6-02 test
BOOST_AUTO_TEST_CASE(a_session_has_one_protection_domain_which_is_its_queue_pairs) {
  Connected pair;
  const verbs::Pd other = pair.b.memory.allocate_pd().value();
  std::vector<std::uint8_t> foreign(256);
  const verbs::MemoryKey key =
      pair.b.memory.register_region(other, foreign, base, verbs::rights::local_write | verbs::rights::remote_write)
          .value();
  BOOST_REQUIRE(key.value == 0x200U);
  pair.a.octets[0] = 0x77;
  pair.write(pair.b.key.value);
  BOOST_TEST(pair.b.octets[16] == 0x77);
  pair.write(key.value);
  BOOST_TEST(foreign[16] == 0);
  BOOST_REQUIRE_EQUAL(pair.b.sent.size(), 2U);
  // DDP, tagged buffer error, STag not associated with the stream.
  BOOST_TEST(pair.b.sent[0] == "16 00014147000000000000000200000001000000001102c0000012c140000002000000000000100010");
}

//= SCTP-5043-11.3-01 test
BOOST_AUTO_TEST_CASE(with_the_association_a_stream_ends_without_a_terminate) {
  Connected pair;
  pair.a.qp.on_association_lost();
  pair.b.qp.on_association_lost();
  run(pair.a, pair.b);
  BOOST_TEST(pair.a.sent.empty());
  BOOST_TEST(pair.b.sent.empty());
  BOOST_TEST((pair.a.qp.stream().state() == StreamState::ended));
  BOOST_TEST((pair.a.qp.verbs().state() == verbs::QpState::err));
  BOOST_TEST((pair.b.qp.stream().end().by == StreamEnd::By::loss));
}

BOOST_AUTO_TEST_CASE(a_close_ends_the_session_behind_what_was_posted) {
  Connected pair;
  const verbs::Sge sge{base, 4, pair.a.key};
  verbs::SendWork work;
  work.opcode = verbs::WorkOpcode::rdma_write;
  work.sges = {&sge, 1};
  work.remote_address = base + 16;
  work.r_key = pair.b.key;
  BOOST_REQUIRE(pair.a.qp.post_send(work));
  pair.a.qp.close(Time{});
  BOOST_TEST((pair.a.qp.post_send(work).error() == verbs::VerbsError::bad_state));
  run(pair.a, pair.b);
  BOOST_REQUIRE_EQUAL(pair.a.sent.size(), 2U);
  BOOST_TEST(pair.a.sent[0].substr(0, 11) == "16 0002c140");
  BOOST_TEST(pair.a.sent[1] == "17 00030004");
  BOOST_TEST((pair.a.qp.stream().state() == StreamState::ended));
  BOOST_TEST((pair.b.qp.stream().state() == StreamState::ended));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp
