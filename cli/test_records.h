// For tests: the records of a capture of testdata/captures.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>

#include "cli/record.h"
#include "pcap/reader.h"

namespace rdmawire::cli {

template <class Visit>
void for_each_record(const std::string& capture, Visit&& visit, std::size_t cut_at = 65535) {
  auto reader = pcap::Reader::open("testdata/captures/" + capture);
  BOOST_TEST_REQUIRE(reader.has_value(), capture);
  std::optional<pcap::Timestamp> first;
  std::optional<pcap::Timestamp> previous;
  for (;;) {
    const auto next = reader->next();
    BOOST_TEST_REQUIRE(next.has_value(), capture);
    if (*next == nullptr) return;
    pcap::Packet packet = **next;
    packet.data = packet.data.first(std::min(packet.data.size(), cut_at));
    if (!first) first = packet.time;
    const Frame frame = parse_frame(packet.link, packet.data, packet.original_length);
    visit(Record{packet, frame, capture, *first, previous});
    previous = packet.time;
  }
}

}  // namespace rdmawire::cli
