// For tests: the records of a capture of testdata/captures.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "cli/record.h"
#include "cli/stream_records.h"
#include "pcap/reader.h"

namespace rdmawire::cli {

template <class Visit>
class RecordVisitor : private StreamRecords::Sink {
 public:
  RecordVisitor(std::string capture, const reassembly::StreamOptions& options, Visit& visit)
      : capture_(std::move(capture)), visit_(visit), streams_(options, {}, *this) {}

  void add(const pcap::Packet& packet) {
    if (!first_) first_ = packet.time;
    const Frame frame = parse_frame(packet.link, packet.data, packet.original_length);
    if (carries_tcp(frame)) {
      streams_.add(packet, frame);
    } else {
      show(packet, frame, nullptr);
    }
  }
  void finish() { streams_.finish(); }

 private:
  void show(const pcap::Packet& packet, const Frame& frame, const reassembly::StreamPdu* stream) {
    visit_(Record{packet, frame, capture_, *first_, previous_, stream != nullptr ? &stream->pdu : nullptr, stream});
    previous_ = packet.time;
  }
  void pdu(const pcap::Packet& packet, const Frame& frame, const reassembly::StreamPdu& pdu) override {
    show(packet, frame, &pdu);
  }
  void no_pdu(const pcap::Packet& packet, const Frame& frame) override { show(packet, frame, nullptr); }
  void lost(std::uint32_t, bool, const Loss&) override {}

  std::string capture_;
  Visit& visit_;
  std::optional<pcap::Timestamp> first_;
  std::optional<pcap::Timestamp> previous_;
  StreamRecords streams_;
};

// Those of whole frames (without RDMA as well) and of PDUs. cut_at: octets captured of a frame at most.
template <class Visit>
void for_each_record(const std::string& capture, Visit&& visit, std::size_t cut_at = 65535,
                     const reassembly::StreamOptions& options = {}) {
  auto reader = pcap::Reader::open("testdata/captures/" + capture);
  BOOST_TEST_REQUIRE(reader.has_value(), capture);
  RecordVisitor visitor(capture, options, visit);
  for (;;) {
    const auto next = reader->next();
    BOOST_TEST_REQUIRE(next.has_value(), capture);
    if (*next == nullptr) break;
    pcap::Packet packet = **next;
    packet.data = packet.data.first(std::min(packet.data.size(), cut_at));
    visitor.add(packet);
  }
  visitor.finish();
}

}  // namespace rdmawire::cli
