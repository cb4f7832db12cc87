// A PduSink for tests: it copies what it is told, and holds the teller to the contract.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pcap/reassembly/iwarp_streams.h"

namespace rdmawire::reassembly::test {

// A StreamPdu of its own.
struct SeenPdu {
  iwarp::PduKind kind{};
  std::string name;  // the opcode's; empty without one
  std::vector<std::uint8_t> octets;
  std::uint64_t stream_offset = 0;
  std::uint32_t wire_len = 0;
  std::uint16_t ulpdu_len = 0;
  std::uint16_t num_markers = 0;
  CrcStatus crc{};
  std::uint64_t first_frame = 0;
  std::uint64_t last_frame = 0;
  std::uint32_t conversation = 0;
  bool from_initiator = false;
  Recognition recognition{};
  Loss lost_before;
  Error error;

  bool is_whole() const { return octets.size() == wire_len; }
};

struct SeenLoss {
  std::uint32_t conversation = 0;
  bool from_initiator = false;
  Loss loss;
};

class TestSink : public PduSink {
 public:
  void pdu(const StreamPdu& pdu) override {
    BOOST_REQUIRE((pdu.last_frame == current || kept.contains(pdu.last_frame)));
    BOOST_REQUIRE(pdu.octets.size() <= pdu.wire_len);
    SeenPdu seen;
    seen.kind = pdu.pdu.kind;
    if (pdu.pdu.opcode != nullptr) seen.name = pdu.pdu.opcode->name;
    seen.octets.assign(pdu.octets.begin(), pdu.octets.end());
    seen.stream_offset = pdu.stream_offset;
    seen.wire_len = pdu.wire_len;
    seen.error = pdu.pdu.error;
    if (pdu.fpdu != nullptr) {
      seen.ulpdu_len = pdu.fpdu->ulpdu_len;
      seen.num_markers = pdu.fpdu->num_markers;
      seen.crc = pdu.fpdu->crc.status;
    }
    seen.first_frame = pdu.first_frame;
    seen.last_frame = pdu.last_frame;
    seen.conversation = pdu.conversation;
    seen.from_initiator = pdu.from_initiator;
    seen.recognition = pdu.recognition;
    seen.lost_before = pdu.lost_before;
    pdus.push_back(std::move(seen));
  }
  void keep(std::uint64_t frame) override {
    BOOST_REQUIRE(frame == current);
    BOOST_REQUIRE(kept.insert(frame).second);
    most_kept = std::max(most_kept, kept.size());
  }
  void release(std::uint64_t frame) override { BOOST_REQUIRE(kept.erase(frame) == 1); }
  void lost(std::uint32_t conversation, bool from_initiator, const Loss& loss) override {
    losses.push_back({conversation, from_initiator, loss});
  }

  std::vector<const SeenPdu*> fpdus() const {
    std::vector<const SeenPdu*> out;
    for (const SeenPdu& pdu : pdus) {
      if (pdu.kind == iwarp::PduKind::fpdu) out.push_back(&pdu);
    }
    return out;
  }

  std::uint64_t current = 0;  // the frame being added
  std::vector<SeenPdu> pdus;
  std::vector<SeenLoss> losses;
  std::set<std::uint64_t> kept;
  std::size_t most_kept = 0;
};

// IwarpStreams with a TestSink.
struct TestStreams {
  TestSink sink;
  IwarpStreams streams;
  std::uint64_t number = 0;  // of the last frame, for those who count here

  explicit TestStreams(const StreamOptions& options = {}) : streams(options, sink) {}

  bool add(const Frame& frame, std::uint64_t frame_number) {
    sink.current = frame_number;
    return streams.add(frame, frame_number);
  }
  void finish() {
    sink.current = 0;
    streams.finish();
    BOOST_TEST(sink.kept.empty());
  }
};

}  // namespace rdmawire::reassembly::test
