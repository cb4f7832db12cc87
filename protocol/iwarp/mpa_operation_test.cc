// MPA in Full Operation at an endpoint: CRCs, Markers, MULPDU, the responder's silence, errors and ends. RFC 5044, 3 to
// 6 and 8; RFC 6581, 9.
#include "codec/crc/crc.h"
#include "protocol/iwarp/connection_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

using verbs::WorkOpcode;

constexpr std::string_view send_1 = "4143 00000000 00000000 00000001 00000000 00";
const std::string crc_terminate = "4147 00000000 00000002 00000001 00000000 20020000";
const std::string marker_terminate = "4147 00000000 00000002 00000001 00000000 20030000";

SegmentOctets joined(std::initializer_list<SegmentOctets> parts) {
  SegmentOctets out;
  for (const SegmentOctets& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}
SegmentOctets flipped(SegmentOctets octets, std::size_t at, std::uint8_t bits = 1) {
  octets.at(at) = static_cast<std::uint8_t>(octets.at(at) ^ bits);
  return octets;
}

BOOST_AUTO_TEST_SUITE(mpa_crc)

//= MPA-5044-1.2-02, MPA-5044-4.4-02, MPA-5044-4.4-03 test
RDMAWIRE_SCENARIO(crcs_are_asked_for_by_default) {
  Connection initiator(script, {});
  initiator.note(initiator.startup(), "40010000");
  Connection responder(script, ConnectionSetup().respond());
  responder.note(responder.startup(), "40010000");
}

// The octets of FPDU-SEND5's kind, with the CRC of another implementation (testdata/reference).
//= MPA-5044-4.4-07 test
RDMAWIRE_SCENARIO(crc_of_an_fpdu_that_is_sent) {
  Connection t(script, {});
  for (std::uint32_t i = 0; i < 5; ++i) t.host.octets[i] = static_cast<std::uint8_t>("hello"[i]);
  t.hold(t.work(1, WorkOpcode::send, 5));
  t.note(t.poll_hex(),
         "0017"
         "4143"
         "00000000"
         "00000000"
         "00000001"
         "00000000"
         "68656c6c6f"
         "000000"
         "b990b10c");
}

//= MPA-5044-1.2-03, MPA-5044-4.4-04, MPA-5044-4.4-08, MPA-5044-4.1-08, MPA-5044-4.4-09 test
RDMAWIRE_SCENARIO(crc_that_nobody_asked_for_is_not_looked_at) {
  Connection t(script, ConnectionSetup().without_crc());
  t.note(t.startup(), "00010000");
  t.receives(1, 1);
  SegmentOctets fpdu = t.framed(Seg(SEND).data(1));
  t.take(flipped(fpdu, fpdu.size() - 1, 0xA5), "RECV 1 SUCCESS 1");
  t.hold(t.work(1, WorkOpcode::send, 2));
  t.note(t.poll_hex(),
         "0014"
         "4143"
         "00000000"
         "00000000"
         "00000001"
         "00000000"
         "0100"
         "0000"
         "00000000");
}

//= MPA-5044-4.4-04, MPA-5044-4.4-07 test
RDMAWIRE_SCENARIO(one_end_is_enough_to_have_crcs) {
  ConnectionSetup own;
  own.peer = "00 01 0000";
  Connection first(script, own);
  const SegmentOctets fpdu = first.framed(Seg(SEND).data(1));
  first.take(flipped(fpdu, fpdu.size() - 1), crc_terminate + ", event QP_FATAL, ERR, TERMINATED, shut down");
  ConnectionSetup peers;
  peers.config.mpa.crc = false;
  Connection second(script, peers);
  second.note(second.startup(), "00010000");
  second.take(flipped(second.framed(Seg(SEND).data(1)), 5),
              crc_terminate + ", event QP_FATAL, ERR, TERMINATED, shut down");
}

//= DDP-5041-3-06, MPA-5044-4.4-14, MPA-5044-6-01, MPA-5044-8-04, MPA-5044-8-01, MPA-5044-8-02 test
RDMAWIRE_SCENARIO(no_octet_of_an_fpdu_with_a_wrong_crc_is_placed) {
  for (const std::size_t at : {2U, 20U, 26U, 31U}) {
    Connection t(script, {});
    t.take(flipped(t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(10)), at),
           crc_terminate + ", event QP_FATAL, ERR, TERMINATED, shut down");
    t.memory(0, 10, "00000000000000000000");
  }
}

//= MPA-5044-4.4-14 test
RDMAWIRE_SCENARIO(marker_is_under_the_crc) {
  Connection t(script, ConnectionSetup().markers(false, true));
  // The reserved bits of the Marker in front of the FPDU.
  t.take(flipped(t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(4)), 0),
         crc_terminate + ", event QP_FATAL, ERR, TERMINATED, shut down");
  t.memory(0, 4, "00000000");
}

//= MPA-5044-8-09, MPA-5044-8-10 test
RDMAWIRE_SCENARIO(nothing_is_handed_up_after_an_error) {
  Connection t(script, {});
  const SegmentOctets bad = flipped(t.framed(Seg(SEND).data(1)), 5);
  const SegmentOctets good = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(4));
  t.take(joined({bad, good}), crc_terminate + ", event QP_FATAL, ERR, TERMINATED, shut down");
  t.take(t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(4)), "");
  t.memory(0, 4, "00000000");
}

//= MPA-5044-4.4-06 test
RDMAWIRE_SCENARIO(consumer_does_not_see_whether_there_are_crcs) {
  for (const bool crc : {true, false}) {
    ConnectionSetup setup;
    if (!crc) setup.without_crc();
    Connection t(script, setup);
    t.receives(1, 1);
    t.take(Seg(SEND).data(7), "RECV 1 SUCCESS 7");
    t.post(t.work(1, WorkOpcode::send, 1), "4143 00000000 00000000 00000001 00000000 01, SEND 1 SUCCESS");
  }
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(mpa_markers)

//= MPA-5044-4.3-01, MPA-5044-4.3-04, MPA-5044-4.2-03, MPA-5044-4.3-12 test
// Markers at 0, 512, 1024 and 1536 of a stream that is one FPDU; they count those before them.
RDMAWIRE_SCENARIO(markers_of_a_long_fpdu) {
  ConnectionSetup setup;
  setup.markers(true, false).silent().config.emss = {9000};
  Connection t(script, setup);
  t.hold(t.work(1, WorkOpcode::rdma_write, 1600));
  const std::string sent = t.poll_hex();
  t.note(std::to_string(sent.size() / 2), "1636");
  t.note(sent.substr(0, 16),
         "00000000"
         "064e"
         "c140");
  for (const auto& [at, marker] : {std::pair{512U, "000001fc"}, {1024U, "000003fc"}, {1536U, "000005fc"}}) {
    t.note(sent.substr(at * 2, 8), marker);
  }
}

//= MPA-5044-4.3-11, MPA-5044-4.3-04, MPA-5044-4.3-12 test
// FPDUs of 48 octets: a Marker points at the one that it is in.
RDMAWIRE_SCENARIO(marker_in_one_of_many_small_fpdus) {
  ConnectionSetup setup;
  setup.markers(true, false).silent().config.emss = {9000};
  Connection t(script, setup);
  for (std::uint64_t id = 0; id < 20; ++id) t.hold(t.work(id, WorkOpcode::rdma_write, 28));
  const std::string sent = t.poll_hex();
  // 4 + 10 x 48 = 484: the eleventh FPDU begins there, and 512 is 28 octets into it.
  t.note(sent.substr(484 * 2, 8), "002ac140");
  t.note(sent.substr(512 * 2, 8), "0000001c");
}

//= MPA-5044-4.3-01, MPA-5044-4.5-03 test
RDMAWIRE_SCENARIO(each_direction_has_its_own_markers) {
  Connection sends(script, ConnectionSetup().markers(true, false));
  sends.note(sends.startup(), "40010000");
  sends.note(std::to_string(sends.qp.mulpdu()), "1442");
  sends.take(Seg(RDMA_WRITE).to(all_stag, at_all).data(4), "");
  sends.memory(0, 4, "01020304");
  Connection receives(script, ConnectionSetup().markers(false, true));
  receives.note(receives.startup(), "c0010000");
  receives.note(std::to_string(receives.qp.mulpdu()), "1454");
  receives.take(Seg(RDMA_WRITE).to(all_stag, at_all).data(4), "");
  receives.memory(0, 4, "01020304");
  receives.hold(receives.work(1, WorkOpcode::send, 0));
  receives.note(receives.poll_hex().substr(0, 8), "00124143");
}

//= MPA-5044-8-05, MPA-5044-8-01, MPA-5044-5.2-02, MPA-5044-8-06 test
// The CRC is good; the Marker at 512 points four octets beside.
RDMAWIRE_SCENARIO(marker_that_points_elsewhere) {
  Connection t(script, ConnectionSetup().markers(false, true));
  const Seg segment = Seg(RDMA_WRITE).to(all_stag, at_all).data(600);
  // As the peer's Framer makes it, but for the Marker and the CRC after it.
  SegmentOctets fpdu = t.framed(segment);
  BOOST_REQUIRE((fpdu.at(514) == 0x01 && fpdu.at(515) == 0xFC));
  fpdu[515] = 0xF8;
  const std::uint32_t crc = crc::crc32c(Bytes(fpdu).first(fpdu.size() - 4));
  for (unsigned i = 0; i < 4; ++i) fpdu[fpdu.size() - 4 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
  t.take(fpdu, marker_terminate + ", event QP_FATAL, ERR, TERMINATED, shut down");
  t.memory(0, 4, "00000000");
}

//= MPA-5044-6-02 test
// What looks like frames or Markers in a payload is payload.
RDMAWIRE_SCENARIO(payload_may_look_like_frames) {
  Connection t(script, ConnectionSetup().markers(false, true));
  Connection other(script, ConnectionSetup().markers(false, true));
  const SegmentOctets inner = other.framed(Seg(RDMA_WRITE).to(all_stag, at_all + 0x4000).data(4));
  SegmentOctets segment = Seg(RDMA_WRITE).to(all_stag, at_all).octets();
  for (unsigned i = 0; i < 20; ++i) segment.insert(segment.end(), inner.begin(), inner.end());
  t.take(t.framed(segment), "");
  t.memory(0x4000, 4, "00000000");
  t.memory(4, 4, "0012c140");
}

// Octets behind a gap.

//= MPA-5044-1.2-01, MPA-5044-2-03, MPA-5044-3-09, MPA-5044-3-10 test
RDMAWIRE_SCENARIO(write_behind_a_gap_is_placed) {
  Connection t(script, ConnectionSetup().markers(false, true));
  t.receives(1, 1, 1000, 0x2000);
  const SegmentOctets first = t.framed(Seg(SEND).data(450));
  const std::uint64_t second_at = t.peer_offset;
  const SegmentOctets second = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(600));
  const SegmentOctets third = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all + 600).data(4, 0x77));
  t.ahead(second_at, joined({second, third}));
  t.memory(0, 4, "01020304");
  t.memory(600, 4, "7778797a");
  t.poll("");
  t.take(first, "RECV 1 SUCCESS 450");
  t.take(joined({second, third}), "");
  t.note(std::to_string(t.qp.stream().counters().num_placed_ahead), "2");
  t.note(std::to_string(t.qp.stream().counters().num_segments), "3");
}

//= MPA-5044-4.3-05, MPA-5044-6-02 test
// The octets there begin in the middle of an FPDU: the Marker says where the next to be found begins.
RDMAWIRE_SCENARIO(write_behind_a_gap_is_found_by_a_marker) {
  Connection t(script, ConnectionSetup().markers(false, true));
  const SegmentOctets first = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(100));
  const SegmentOctets second = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all + 0x1000).data(100));
  const std::uint64_t third_at = t.peer_offset;
  const SegmentOctets third = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all + 0x2000).data(400));
  BOOST_REQUIRE(third_at < 512);
  const SegmentOctets all = joined({first, second, third});
  t.ahead(50, SegmentOctets(all.begin() + 50, all.end()));
  t.memory(0x1000, 2, "0000");
  t.memory(0x2000, 2, "0102");
}

RDMAWIRE_SCENARIO(nothing_is_believed_ahead_without_markers_and_crcs) {
  for (const bool markers : {false, true}) {
    ConnectionSetup setup;
    setup.markers(false, markers);
    if (markers) setup.without_crc();
    Connection t(script, setup);
    const SegmentOctets first = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(4));
    const std::uint64_t at = t.peer_offset;
    t.ahead(at, t.framed(Seg(RDMA_WRITE).to(all_stag, at_all + 4).data(600)));
    t.memory(0, 8, "0000000000000000");
  }
}

RDMAWIRE_SCENARIO(wrong_crc_ahead_is_not_believed) {
  Connection t(script, ConnectionSetup().markers(false, true));
  const SegmentOctets first = t.framed(Seg(SEND).data(4));
  const std::uint64_t at = t.peer_offset;
  t.ahead(at, flipped(t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(600)), 40));
  t.poll("");
  t.memory(0, 4, "00000000");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(mpa_sizes)

//= MPA-5044-3-02, MPA-5044-4.5-06, MPA-5044-5.1-01 test
// EMSS - (6 + 4 x ceil(EMSS / 512) + EMSS mod 4) with Markers, EMSS - (6 + EMSS mod 4) without: RFC 5044, 4.5.
RDMAWIRE_SCENARIO(mulpdu_follows_emss) {
  ConnectionSetup setup;
  Connection plain(script, setup);
  Connection marked(script, setup.markers(true, false));
  const auto both = [&](std::uint32_t emss) {
    plain.qp.set_emss({emss});
    marked.qp.set_emss({emss});
    return std::to_string(plain.qp.mulpdu()) + ' ' + std::to_string(marked.qp.mulpdu());
  };
  plain.note(both(1460), "1454 1442");
  plain.note(both(1448), "1442 1430");
  plain.note(both(8948), "8942 8870");
  plain.note(both(536), "530 522");
}

//= MPA-5044-4.5-08 test
RDMAWIRE_SCENARIO(mulpdu_is_never_below_128) {
  ConnectionSetup setup;
  setup.config.emss = {40};
  Connection t(script, setup);
  t.note(std::to_string(t.qp.mulpdu()), "128");
}

//= MPA-5044-3-03, MPA-5044-4.5-05, MPA-5044-3-07 test
RDMAWIRE_SCENARIO(segments_are_as_long_as_they_may_be) {
  Connection t(script, {});
  t.hold(t.work(1, WorkOpcode::rdma_write, 65536));
  std::array<std::uint8_t, 1460> segment{};
  std::string lens;
  unsigned count = 0;
  while (const std::size_t size = t.qp.poll_octets(segment, t.now)) {
    // Each begins with an FPDU: its length.
    const unsigned len = segment[0] * 256U + segment[1];
    if (count < 45) lens += len == 1454 && size == 1460 ? "" : " " + std::to_string(len);
    if (++count > 45) lens += " last " + std::to_string(len);
  }
  // 45 x 1440 octets of payload, and 736.
  t.note(std::to_string(count) + lens, "46 last 750");
  t.poll("RDMA_WRITE 1 SUCCESS");
}

//= MPA-5044-4.5-06 test
RDMAWIRE_SCENARIO(what_was_framed_is_not_cut_again) {
  Connection t(script, {});
  t.hold(t.work(1, WorkOpcode::rdma_write, 2000));
  std::array<std::uint8_t, 1460> segment{};
  t.note(std::to_string(t.qp.poll_octets(segment, t.now)), "1460");
  t.qp.set_emss({536});
  t.note(std::to_string(t.qp.poll_octets(segment, t.now)), "536");
  t.note(std::to_string(t.qp.poll_octets(segment, t.now)), "64");
}

//= MPA-5044-5.1-02, MPA-5044-5.1-03 test
RDMAWIRE_SCENARIO(small_fpdus_share_a_segment_and_large_ones_begin_one) {
  Connection t(script, {});
  t.hold(t.work(1, WorkOpcode::send, 1));
  t.hold(t.work(2, WorkOpcode::rdma_write, 1));
  t.hold(t.work(3, WorkOpcode::rdma_write, 1440));
  t.hold(t.work(4, WorkOpcode::rdma_write, 1));
  t.poll(std::string(send_1) +
         " + c140 00000055 0000000000007000 00, c140 00000055 0000000000007000 [1440 00..00], "
         "c140 00000055 0000000000007000 00, SEND 1 SUCCESS, RDMA_WRITE 2 SUCCESS, RDMA_WRITE 3 SUCCESS, "
         "RDMA_WRITE 4 SUCCESS");
}

//= MPA-5044-5.1-02 test
RDMAWIRE_SCENARIO(packed_segments_are_full) {
  ConnectionSetup setup;
  setup.config.segmentation = Segmentation::packed;
  setup.config.emss = {536};
  Connection t(script, setup);
  t.hold(t.work(1, WorkOpcode::send, 100));
  t.hold(t.work(2, WorkOpcode::send, 500));
  std::array<std::uint8_t, 536> segment{};
  t.note(std::to_string(t.qp.poll_octets(segment, t.now)), "536");
  // 124 + 524 octets of FPDUs.
  t.note(std::to_string(t.qp.poll_octets(segment, t.now)), "112");
  t.note(std::to_string(t.qp.poll_octets(segment, t.now)), "0");
}

//= MPA-5044-3-06, MPA-5044-3-08, DDP-5041-3-07 test
// Lengths with every number of pad octets; the receiver's is that of the peer exactly.
RDMAWIRE_SCENARIO(every_pad) {
  for (const std::uint32_t size : {0U, 1U, 2U, 3U, 4U, 5U}) {
    Connection t(script, {});
    t.receives(1, 1);
    t.take(Seg(SEND).data(size), size == 0 ? "RECV 1 SUCCESS" : "RECV 1 SUCCESS " + std::to_string(size));
    t.hold(t.work(1, WorkOpcode::send, size, 0x100));
    const std::string sent = t.poll_hex();
    t.note(std::to_string(sent.size() / 2) + ' ' + sent.substr(0, 4),
           std::array{"24 0012", "28 0013", "28 0014", "28 0015", "28 0016", "32 0017"}.at(size));
  }
}

//= MPA-5044-4.1-10 test
RDMAWIRE_SCENARIO(fpdu_without_a_ulpdu) {
  Connection t(script, {});
  t.take(t.framed(SegmentOctets{}),
         "4147 00000000 00000002 00000001 00000000 10008000 0000, event QP_REQ_ERR, ERR, TERMINATED, shut down");
}

//= MPA-5044-4.1-11 test
// Longer than any sender may make one: taken like all others.
RDMAWIRE_SCENARIO(fpdu_of_the_greatest_length) {
  Connection t(script, ConnectionSetup().without_crc());
  t.receives(1, 1, 65517);
  SegmentOctets fpdu = Seg(SEND).data(65517).octets();
  BOOST_REQUIRE(fpdu.size() == 65535U);
  fpdu.insert(fpdu.begin(), {0xFF, 0xFF});
  fpdu.resize(2 + 65535 + 3 + 4);
  t.take(fpdu, "RECV 1 SUCCESS 65517");
  t.memory(65512, 5, "e9eaebeced");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(mpa_order)

//= MPA-5044-7.1.2-14, MPA-6581-9.2-20 test
RDMAWIRE_SCENARIO(responder_waits_for_the_first_fpdu) {
  Connection t(script, ConnectionSetup().respond());
  t.post(t.work(1, WorkOpcode::send, 1), "");
  const SegmentOctets fpdu = t.framed(Seg(RDMA_WRITE).to(1, 0));
  t.take(SegmentOctets(fpdu.begin(), fpdu.end() - 1), "");
  t.take(SegmentOctets(fpdu.end() - 1, fpdu.end()), std::string(send_1) + ", SEND 1 SUCCESS");
}

//= MPA-5044-7.1.2-15 test
RDMAWIRE_SCENARIO(bad_first_fpdu_is_none) {
  Connection t(script, ConnectionSetup().respond());
  t.post(t.work(1, WorkOpcode::send, 1), "");
  t.take(flipped(t.framed(Seg(RDMA_WRITE).to(1, 0)), 5),
         crc_terminate + ", SEND 1 WR_FLUSH_ERR, event QP_FATAL, ERR, TERMINATED, shut down");
}

//= MPA-5044-7.1-01 test
// The first FPDU is right behind the start-up frame, in one piece of the stream with it.
RDMAWIRE_SCENARIO(fpdus_begin_right_after_the_reply) {
  ConnectionSetup setup;
  setup.config.mpa.markers = true;
  Connection t(script, setup);
  const SegmentOctets fpdu = t.framed(Seg(RDMA_WRITE).to(all_stag, at_all).data(600));
  t.note(std::to_string(fpdu[0] + fpdu[1] + fpdu[2] + fpdu[3]), "0");
  t.take(fpdu, "");
  t.memory(0, 4, "01020304");
}

//= MPA-5044-3-11, MPA-5044-7.1-03 test
RDMAWIRE_SCENARIO(queue_pair_is_there_before_full_operation) {
  StreamHost host;
  verbs::CompletionQueue cq(4);
  MpaQueuePair qp({{7}, verbs::Service::iwarp, host.pd, {1, 1, 0}, {1, 1, 0}, true},
                  {host.memory, cq, cq, host.events, nullptr}, {});
  BOOST_TEST((qp.connect({}, Time{}).error() == verbs::VerbsError::bad_state));
  BOOST_TEST((qp.listen(Time{}).error() == verbs::VerbsError::bad_state));
  Connection t(script, {});
  std::string revisions;
  while (const auto event = t.qp.poll_event()) revisions += std::to_string(event->revision) + ' ';
  t.note(revisions, "1 ");
}

// Ready to receive, and depths.

//= MPA-6581-9.2-10, MPA-6581-9.2-11 test
RDMAWIRE_SCENARIO(initiator_sends_what_the_reply_names) {
  const auto sends = [&](std::string_view reply, std::string_view expected) {
    ConnectionSetup setup;
    setup.config.mpa.enhanced = true;
    setup.config.mpa.rtr_send = true;
    setup.peer = reply;
    Connection t(script, setup);
    t.poll(expected);
  };
  // A and C; A and D; A and B; A, C and D.
  sends("50 02 0004 8010 8010", "c140 00000001 0000000000000000");
  sends("50 02 0004 8010 4010",
        "4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001 0000000000000000");
  sends("50 02 0004 c010 0010", "4143 00000000 00000000 00000001 00000000");
  sends("50 02 0004 8010 c010", "c140 00000001 0000000000000000");
}

//= MPA-6581-9.2-12 test
RDMAWIRE_SCENARIO(no_type_of_ready_to_receive_in_common) {
  ConnectionSetup setup;
  setup.config.mpa.enhanced = true;
  setup.config.mpa.rtr_read = false;
  setup.peer = "50 02 0004 8010 4010";
  Connection t(script, setup);
  t.poll("4147 00000000 00000002 00000001 00000000 20070000, event QP_FATAL, TERMINATED, shut down");
}

//= MPA-6581-9.1-09 test
RDMAWIRE_SCENARIO(responder_wants_more_than_there_is) {
  ConnectionSetup setup;
  setup.config.mpa.enhanced = true;
  setup.config.mpa.max_ird = 16;
  setup.peer = "50 02 0004 8010 8020";
  Connection t(script, setup);
  t.poll("4147 00000000 00000002 00000001 00000000 20060000, event QP_FATAL, TERMINATED, shut down");
}

//= MPA-6581-9.1-12, MPA-6581-9.1-14, MPA-6581-9.1-08 test
RDMAWIRE_SCENARIO(depths_of_a_reply) {
  const auto depths = [&](std::string_view reply) {
    ConnectionSetup setup;
    setup.config.mpa.enhanced = true;
    setup.config.mpa.ird = 5;
    setup.config.mpa.ord = 6;
    setup.peer = reply;
    Connection t(script, setup);
    const verbs::QpAttributes& attributes = t.qp.verbs().attributes();
    return std::to_string(attributes.max_dest_rd_atomic) + ' ' + std::to_string(attributes.max_rd_atomic);
  };
  Connection any(script, {});
  // IRD and ORD of the Reply: 2 and 8; both left to the ULP; each of them.
  any.note(depths("50 02 0004 8002 8008"), "8 2");
  any.note(depths("50 02 0004 bfff bfff"), "5 6");
  any.note(depths("50 02 0004 bfff 8008"), "8 6");
  any.note(depths("50 02 0004 8002 bfff"), "5 2");
}

//= MPA-6581-9.3-01 test
RDMAWIRE_SCENARIO(local_error_after_the_reply) {
  Connection t(script, {});
  BOOST_TEST(t.qp.verbs().modify(verbs::QpState::err).has_value());
  t.poll("4147 00000000 00000002 00000001 00000000 00000000, event QP_FATAL, ERR, TERMINATED, shut down");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(mpa_ends)

//= RDMAP-5040-6.2.1-03, RDMAP-5040-6.2.1-04, RDMAP-5040-7-02, DDP-5041-3-10, DDP-5041-6.2-02, MPA-5044-8-10 test
//= SEC-5042-6.1.1-01 test
RDMAWIRE_SCENARIO(terminate_then_fin_then_close) {
  Connection t(script, {});
  const Seg bad = Seg(RDMA_WRITE).to(no_stag, 0).data(4);
  t.take(bad, terminate_text("1100c000", bad.octets()) + ", event QP_ACCESS_ERR, ERR, TERMINATED, shut down");
  // What is still under way is dropped.
  t.take(Seg(RDMA_WRITE).to(all_stag, at_all).data(4), "");
  t.qp.on_peer_closed(t.now);
  t.poll("ENDED, close");
  t.memory(0, 4, "00000000");
}

//= RDMAP-5040-6.2.1-03, RDMAP-5040-7-02 test
RDMAWIRE_SCENARIO(peers_terminate_then_fin) {
  Connection t(script, {});
  t.take(Seg(TERMINATE).about(TerminateReason::mpa_bad_crc), "event PEER_TERMINATED, ERR, TERMINATED, shut down");
  t.qp.on_peer_closed(t.now);
  t.poll("ENDED, close");
}

//= DDP-5041-6.2.1-01, DDP-5041-6.2.1-05, DDP-5041-6.2-02, DDP-5041-3-09 test
RDMAWIRE_SCENARIO(close_then_peers_close) {
  Connection t(script, {});
  t.hold(t.work(1, WorkOpcode::send, 1));
  t.qp.close(t.now);
  t.poll(std::string(send_1) + ", SEND 1 SUCCESS, CLOSING, shut down");
  t.qp.on_peer_closed(t.now);
  t.poll("event PEER_CLOSED, ERR, ENDED, close");
}

RDMAWIRE_SCENARIO(peers_close_then_close) {
  Connection t(script, {});
  t.qp.on_peer_closed(t.now);
  t.poll("event PEER_CLOSED");
  t.qp.close(t.now);
  t.poll("ERR, ENDED, close");
}

// A responder that has nothing to say may end its direction before it has heard anything.
RDMAWIRE_SCENARIO(responder_closes_before_the_first_fpdu) {
  Connection t(script, ConnectionSetup().respond());
  t.qp.close(t.now);
  t.poll("CLOSING, shut down");
}

//= MPA-5044-8-03, MPA-5044-8-01, DDP-5041-6.2.2-01 test
RDMAWIRE_SCENARIO(connection_is_cut_inside_of_an_fpdu) {
  Connection lost(script, {});
  lost.hold(lost.work(1, WorkOpcode::rdma_read, 0));
  lost.poll("4141 00000000 00000001 00000001 00000000 00000100 0000000000100000 00000000 00000055 0000000000007000");
  SegmentOctets fpdu = lost.framed(Seg(SEND).data(1));
  fpdu.resize(10);
  lost.give(fpdu);
  lost.qp.on_connection_lost(lost.now);
  lost.poll("RDMA_READ 1 WR_FLUSH_ERR, event CONNECTION_LOST, ERR, ENDED");
  Connection closed(script, {});
  closed.give(fpdu);
  closed.qp.on_peer_closed(closed.now);
  closed.poll("ERR, ENDED, close");
}

RDMAWIRE_SCENARIO(silent_peer_after_the_own_end_is_left) {
  Connection t(script, {});
  t.qp.close(t.now);
  t.poll("CLOSING, shut down");
  t.now = Time(std::chrono::nanoseconds(4'999'999'999));
  t.qp.on_deadline(t.now);
  t.poll("");
  t.now = Time(std::chrono::seconds(5));
  t.qp.on_deadline(t.now);
  t.poll("event CONNECTION_LOST, ERR, ENDED, abort");
}

//= MPA-5044-8-05, RDMAP-5040-6.1-01 test
RDMAWIRE_SCENARIO(garbage_instead_of_fpdus) {
  Connection t(script, {});
  t.take(SegmentOctets(2000, 0x41), "");
  t.take(SegmentOctets(15000, 0x41), crc_terminate + ", event QP_FATAL, ERR, TERMINATED, shut down");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
