// The peer's pieces change nothing, and nothing allocates.
#include "protocol/iwarp/mpa_script_test.h"
#include "tools/test/allocations.h"

namespace rdmawire::iwarp::test {
namespace {

using Pieces = std::vector<std::size_t>;

// Events, state, what was taken and what was sent, when these octets come in pieces that end at the given places.
std::string seen_with(Role role, Bytes stream, const Pieces& ends) {
  MpaConnection mpa{MpaConfig{}};
  std::array<std::uint8_t, 600> out;
  if (role == Role::initiator) {
    BOOST_TEST_REQUIRE(mpa.start_initiator({}, {}).has_value());
    (void)mpa.poll_octets(out);
  } else {
    BOOST_TEST_REQUIRE(mpa.start_responder({}).has_value());
  }
  std::string seen;
  std::size_t taken = 0;
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    taken += mpa.on_octets(stream.subspan(at, end - at), {});
    at = end;
  }
  while (const auto event = mpa.poll_event()) seen += text(*event) + " | ";
  return seen + "took " + std::to_string(taken) + " | " + hex(mpa.peer_private_data()) + " | " +
         std::string(name_of(mpa.state()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mpa_pieces)

//= MPA-5044-7.1.1-20, MPA-5044-7.1.5-03, MPA-6581-10-08 test
BOOST_AUTO_TEST_CASE(every_split_of_a_frame) {
  const std::string pd = "0102030405060708090a0b0c0d0e0f";
  struct Row {
    Role role;
    std::string frame;
    std::string seen;
  };
  for (const Row& row : {
           Row{Role::responder, request_key + "500200138010c010" + pd,
               "request rev=2 ird=16 ord=16 | took 39 | " + pd + " | REQUEST_RECEIVED"},
           Row{Role::responder, request_key + "4001000f" + pd,
               "request rev=1 | took 35 | " + pd + " | REQUEST_RECEIVED"},
           Row{Role::initiator, reply_key + "500200138010c010" + pd,
               "established rev=2 ird=16 ord=16 | took 39 | " + pd + " | FIRST_FPDU_DUE"},
           Row{Role::initiator, reply_key + "700200138010c010" + pd,
               "ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=16 ord=16 | took 39 | " + pd + " | LEFT"},
           Row{Role::responder, request_key + "500200138010c010" + pd + "00",
               "request rev=2 ird=16 ord=16 | ended: early_octets, close TCP rev=2 ird=16 ord=16 | took 39 | " + pd +
                   " | CLOSED"},
           Row{Role::initiator, reply_key + "40020000", "ended: wrong_form, close TCP rev=2 | took 20 |  | CLOSED"},
       }) {
    const auto frame = octets(row.frame);
    const std::size_t len = frame.size();
    BOOST_TEST_CONTEXT(row.frame) {
      Pieces single;
      for (std::size_t a = 1; a <= len; ++a) {
        single.push_back(a);
        for (std::size_t b = a; b <= len; ++b) BOOST_TEST(seen_with(row.role, frame, {a, b, len}) == row.seen);
      }
      BOOST_TEST(seen_with(row.role, frame, {len}) == row.seen);
      BOOST_TEST(seen_with(row.role, frame, single) == row.seen);
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_allocates) {
  const auto request = octets(request_key + "500200048010c010");
  const auto reply = octets(reply_key + "500200048010c010");
  std::array<std::uint8_t, 600> out;
  const MpaConfig config;
  unsigned num_done = 0;
  const std::uint64_t before = num_allocations;
  for (int i = 0; i < 10; ++i) {
    MpaConnection a(config);
    MpaConnection b(config);
    (void)a.start_initiator(Bytes(out).first(100), {});
    (void)b.start_responder({});
    a.on_octets(reply, {});
    a = MpaConnection(config);
    (void)a.start_initiator({}, {});
    b.on_octets(Bytes(out).first(a.poll_octets(out)), {});
    while (b.poll_event()) ++num_done;
    (void)b.accept();
    a.on_octets(Bytes(out).first(b.poll_octets(out)), {});
    while (a.poll_event()) ++num_done;
    while (b.poll_event()) ++num_done;
    a.on_deadline(std::chrono::hours(1));
    MpaConnection c(config);
    (void)c.start_responder({});
    c.on_octets(request, {});
    (void)c.reject();
    (void)c.poll_octets(out);
    while (c.poll_event()) ++num_done;
  }
  const std::uint64_t after = num_allocations;
  BOOST_TEST(after == before);
  BOOST_TEST(num_done == 50U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::test
