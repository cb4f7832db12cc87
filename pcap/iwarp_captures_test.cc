// The iWARP in real traffic: every siw capture, as it is and ill-treated.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pcap/reader.h"
#include "pcap/reassembly/conversations.h"
#include "pcap/reassembly/test_sink.h"
#include "tools/test/allocations.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::reassembly;
using test::SeenPdu;
using test::TestStreams;

struct CapturedFrame {
  LinkType link{};
  std::vector<std::uint8_t> octets;
  std::uint32_t wire_len = 0;

  Frame parsed() const { return parse_frame(link, octets, wire_len); }
};
using Capture = std::vector<CapturedFrame>;

Capture load(const std::string& path) {
  Capture out;
  auto reader = pcap::Reader::open(path);
  BOOST_REQUIRE_MESSAGE(reader.has_value(), path);
  for (;;) {
    const auto packet = reader->next();
    BOOST_REQUIRE_MESSAGE(packet.has_value(), path);
    if (*packet == nullptr) return out;
    out.push_back({(*packet)->link, {(*packet)->data.begin(), (*packet)->data.end()}, (*packet)->original_length});
  }
}

// All siw captures, by file name.
const std::map<std::string, Capture>& captures() {
  static const std::map<std::string, Capture> all = [] {
    std::map<std::string, Capture> out;
    for (const auto& entry : std::filesystem::directory_iterator("testdata/captures")) {
      const std::string name = entry.path().filename();
      if (name.find("siw") != std::string::npos) out.emplace(name, load(entry.path()));
    }
    return out;
  }();
  return all;
}

// A direction of a conversation, as text.
std::string direction_of(const CapturedFrame& frame) {
  const auto tcp = tcp_of(frame.parsed());
  if (!tcp) return {};
  std::ostringstream out;
  for (const Endpoint& end : tcp->key.ends) {
    for (const std::uint8_t octet : end.address) out << +octet << '.';
    out << end.port << ' ';
  }
  out << tcp->from_upper;
  return out.str();
}

struct Decoded {
  std::vector<SeenPdu> pdus;
  std::map<std::string, std::vector<const SeenPdu*>> fpdus;  // by direction_of
  std::vector<test::SeenLoss> losses;
  StreamCounts counts;
  std::size_t most_kept = 0;
};

Decoded decode_all(const Capture& capture, const StreamOptions& options = {}) {
  TestStreams streams(options);
  for (std::size_t i = 0; i < capture.size(); ++i) streams.add(capture[i].parsed(), i + 1);
  streams.finish();
  Decoded out;
  out.pdus = std::move(streams.sink.pdus);
  for (const SeenPdu& pdu : out.pdus) {
    if (pdu.kind == iwarp::PduKind::fpdu) out.fpdus[direction_of(capture[pdu.last_frame - 1])].push_back(&pdu);
  }
  out.losses = std::move(streams.sink.losses);
  out.counts = streams.streams.counts();
  out.most_kept = streams.sink.most_kept;
  return out;
}

// The whole capture decoded, as it is.
const Decoded& whole_of(const std::string& name) {
  static std::map<std::string, Decoded> known;
  const auto there = known.find(name);
  return there != known.end() ? there->second : known.emplace(name, decode_all(captures().at(name))).first->second;
}

bool is_prefix(const std::vector<std::uint8_t>& part, const std::vector<std::uint8_t>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// How many FPDUs were found; fails if one of them is none of the whole capture's, in their order.
std::size_t num_found(const Decoded& part, const Decoded& whole, const std::string& what) {
  std::size_t found = 0;
  for (const auto& [direction, fpdus] : part.fpdus) {
    const auto there = whole.fpdus.find(direction);
    BOOST_REQUIRE_MESSAGE(there != whole.fpdus.end(), what << ": FPDUs in a direction without any");
    std::size_t next = 0;
    for (const SeenPdu* fpdu : fpdus) {
      const auto same = [&](const SeenPdu& one) {
        return one.wire_len == fpdu->wire_len && is_prefix(fpdu->octets, one.octets);
      };
      while (next < there->second.size() && !same(*there->second[next])) ++next;
      BOOST_REQUIRE_MESSAGE(next < there->second.size(), what << ": an FPDU that is not there, frames "
                                                              << fpdu->first_frame << " to " << fpdu->last_frame
                                                              << ", length " << fpdu->wire_len);
      if (fpdu->crc == CrcStatus::good) {
        BOOST_REQUIRE_MESSAGE(there->second[next]->octets == fpdu->octets, what << ": other octets, good CRC");
      }
      ++next;
      ++found;
    }
  }
  return found;
}

std::size_t num_fpdus(const Decoded& decoded) {
  std::size_t num = 0;
  for (const auto& [direction, fpdus] : decoded.fpdus) num += fpdus.size();
  return num;
}

// The operation as the reference calls it.
std::string operation_of(const SeenPdu& pdu) {
  static const std::map<std::string, std::string> names{
      {"RDMA_WRITE", "write"},
      {"RDMA_READ_REQUEST", "read_request"},
      {"RDMA_READ_RESPONSE", "read_response"},
      {"SEND", "send"},
      {"SEND_WITH_INVALIDATE", "send_invalidate"},
      {"SEND_WITH_SE", "send_se"},
      {"SEND_WITH_SE_AND_INVALIDATE", "send_se_invalidate"},
      {"TERMINATE", "terminate"},
  };
  const auto there = names.find(pdu.name);
  return there == names.end() ? "other" : there->second;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');) out.push_back(cell);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(captures_of_soft_iwarp)

// testdata/reference/iwarp_counts.tsv, counted by other means.
BOOST_AUTO_TEST_CASE(every_fpdu_is_found_and_none_invented) {
  std::ifstream file("testdata/reference/iwarp_counts.tsv");
  std::string line;
  BOOST_REQUIRE(std::getline(file, line));
  const std::vector<std::string> names = split(line);
  std::size_t rows = 0;
  while (std::getline(file, line)) {
    ++rows;
    const std::vector<std::string> cells = split(line);
    const std::string& capture = cells[0];
    BOOST_REQUIRE_MESSAGE(captures().contains(capture), capture);
    const Decoded& decoded = whole_of(capture);
    std::map<std::string, std::uint64_t> counts;
    for (const SeenPdu& pdu : decoded.pdus) {
      if (pdu.kind == iwarp::PduKind::mpa_request) ++counts["mpa_requests"];
      if (pdu.kind == iwarp::PduKind::mpa_reply) ++counts["mpa_replies"];
      if (pdu.kind != iwarp::PduKind::fpdu) continue;
      BOOST_TEST(pdu.is_whole(), capture);
      BOOST_TEST((pdu.recognition == Recognition::startup), capture);
      ++counts["fpdus"];
      counts["longest_ulpdu"] = std::max<std::uint64_t>(counts["longest_ulpdu"], pdu.ulpdu_len);
      counts["bad_crcs"] += pdu.crc == CrcStatus::bad ? 1U : 0U;
      ++counts[(pdu.from_initiator ? "from_initiator." : "from_responder.") + operation_of(pdu)];
    }
    counts["missing"] = decoded.counts.missing_len;
    for (const auto& lost : decoded.losses) counts["leftover"] += lost.loss.skipped_len;
    // Between two holes in this one lie 24 Writes that are alike, header and all. Repetition is no evidence without
    // CRCs, so they may not be found; the reference knows of them by the capture's twin.
    if (capture == "siw-gro-rx.in-guest.pcap.zst") {
      BOOST_TEST((counts["fpdus"] == 156 || counts["fpdus"] == 156 - 24));
      BOOST_TEST(counts["fpdus"] == counts["from_initiator.write"] + 37);
      BOOST_TEST(counts["missing"] == 2964U);
      continue;
    }
    for (std::size_t i = 1; i < names.size(); ++i) {
      BOOST_TEST(counts[names[i]] == std::stoull(cells[i]), capture << " " << names[i]);
      counts.erase(names[i]);
    }
    for (const auto& [name, count] : counts) BOOST_TEST(count == 0U, capture << " " << name);
  }
  BOOST_TEST(rows == captures().size());
}

// What was sent and what arrived differ by retransmissions only.
BOOST_AUTO_TEST_CASE(loss_and_reordering_change_no_message) {
  std::size_t twins = 0;
  for (const auto& [name, capture] : captures()) {
    const std::size_t at = name.find(".pcap");
    const auto twin = captures().find(name.substr(0, at) + ".delivered" + name.substr(at));
    if (twin == captures().end()) continue;
    ++twins;
    const Decoded& sent = whole_of(name);
    const Decoded& arrived = whole_of(twin->first);
    BOOST_TEST(num_fpdus(sent) == num_fpdus(arrived), name);
    BOOST_TEST(num_found(arrived, sent, name) == num_fpdus(sent), name);
    BOOST_TEST(num_found(sent, arrived, name) == num_fpdus(sent), name);
    BOOST_TEST(arrived.counts.missing_len == 0U, name);
  }
  BOOST_TEST(twins == 5U);
}

// As if each octet had been sent in a segment of its own.
BOOST_AUTO_TEST_CASE(segments_of_one_octet_give_the_same) {
  for (const auto& [name, capture] : captures()) {
    std::size_t octets = 0;
    for (const CapturedFrame& frame : capture) octets += frame.octets.size();
    if (octets > 20'000) continue;
    const Decoded& whole = whole_of(name);
    Capture cut;
    for (const CapturedFrame& frame : capture) {
      const Frame parsed = frame.parsed();
      const auto tcp = tcp_of(parsed);
      if (!tcp || parsed.payload().size() < 2) {
        cut.push_back(frame);
        continue;
      }
      const LayerRef& header = parsed.layers().back();
      for (std::uint32_t i = 0; i < parsed.payload().size(); ++i) {
        CapturedFrame piece = frame;
        piece.octets.resize(parsed.payload_offset + 1);
        piece.octets.back() = parsed.payload()[i];
        piece.wire_len = static_cast<std::uint32_t>(piece.octets.size());
        store_be<4>(piece.octets.data() + header.offset + 4, tcp->tcp.sequence + i);
        if (i + 1 < parsed.payload().size()) piece.octets[header.offset + 13] &= 0xFE;  // FIN is behind the last
        const LayerRef& ip = parsed.layers()[parsed.layers().size() - 2];
        const auto ip_len = static_cast<std::uint16_t>(piece.octets.size() - ip.offset);
        if (tcp->key.ipv6) {
          store_be<2>(piece.octets.data() + ip.offset + 4, ip_len - 40U);
        } else {
          store_be<2>(piece.octets.data() + ip.offset + 2, ip_len);
        }
        cut.push_back(std::move(piece));
      }
    }
    StreamOptions options;
    options.max_held_len = std::size_t{64} << 20;  // each octet is held as a segment
    const Decoded pieces = decode_all(cut, options);
    BOOST_REQUIRE_MESSAGE(pieces.pdus.size() == whole.pdus.size(), name << " " << pieces.pdus.size() << " PDUs");
    BOOST_TEST(num_found(pieces, whole, name) == num_fpdus(whole), name);
  }
}

// Where each FPDU begins a segment, the header of each one is found though its payload is not there.
BOOST_AUTO_TEST_CASE(cut_captures_show_every_header_of_aligned_fpdus) {
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> totals;  // found, all
  for (const auto& [name, capture] : captures()) {
    const Decoded& whole = whole_of(name);
    for (const std::size_t snap_len : {96U, 128U}) {
      Capture cut = capture;
      for (CapturedFrame& frame : cut) frame.octets.resize(std::min(frame.octets.size(), snap_len));
      const Decoded decoded = decode_all(cut);
      const std::size_t found = num_found(decoded, whole, name);
      totals[snap_len].first += found;
      totals[snap_len].second += num_fpdus(whole);
      BOOST_TEST_MESSAGE(name << " cut to " << snap_len << ": " << found << " of " << num_fpdus(whole));
      const auto first_of_frame = [](const Decoded& all) {
        std::map<std::uint64_t, std::size_t> out;
        for (const auto& [direction, fpdus] : all.fpdus) {
          for (const SeenPdu* fpdu : fpdus) ++out[fpdu->first_frame];
        }
        return out;
      };
      bool aligned = true;
      for (const auto& [direction, fpdus] : whole.fpdus) {
        for (const SeenPdu* fpdu : fpdus) aligned = aligned && fpdu->first_frame == fpdu->last_frame;
      }
      for (const auto& [frame, num] : first_of_frame(whole)) aligned = aligned && num == 1;
      for (const CapturedFrame& frame : capture) aligned = aligned && frame.parsed().payload_offset + 20 <= snap_len;
      if (aligned) BOOST_TEST(found == num_fpdus(whole), name << " cut to " << snap_len);
    }
  }
  for (const auto& [snap_len, counts] : totals) {
    BOOST_TEST_MESSAGE("cut to " << snap_len << ": " << counts.first << " of " << counts.second);
    BOOST_TEST(counts.first * 100 >= counts.second * 98);
  }
}

BOOST_AUTO_TEST_CASE(captures_that_begin_in_mid_stream) {
  std::size_t found = 0;
  std::size_t there = 0;
  for (const auto& [name, capture] : captures()) {
    const Decoded& whole = whole_of(name);
    for (const std::size_t tenths : {1U, 3U, 7U}) {
      const std::size_t begin = capture.size() * tenths / 10;
      Capture rest(capture.begin() + static_cast<std::ptrdiff_t>(begin), capture.end());
      const Decoded decoded = decode_all(rest);
      found += num_found(decoded, whole, name + " from " + std::to_string(begin));
      for (const auto& [direction, fpdus] : whole.fpdus) {
        for (const SeenPdu* fpdu : fpdus) there += fpdu->first_frame > begin ? 1U : 0U;
      }
    }
  }
  BOOST_TEST_MESSAGE("mid-stream: " << found << " of " << there);
  BOOST_TEST(found * 100 >= there * 96);
}

BOOST_AUTO_TEST_CASE(captures_of_one_direction) {
  std::size_t found = 0;
  std::size_t there = 0;
  for (const auto& [name, capture] : captures()) {
    const Decoded& whole = whole_of(name);
    for (const auto& [direction, fpdus] : whole.fpdus) {
      Capture one;
      for (const CapturedFrame& frame : capture) {
        if (direction_of(frame) == direction) one.push_back(frame);
      }
      const Decoded decoded = decode_all(one);
      found += num_found(decoded, whole, name);
      there += fpdus.size();
    }
  }
  BOOST_TEST(found == there);
}

// Of those that are captured whole, what lies between two holes may be too little to find it by.
BOOST_AUTO_TEST_CASE(captures_that_lack_frames) {
  for (const auto& [one_in, least_percent] : {std::pair{5U, 70U}, std::pair{20U, 92U}, std::pair{100U, 98U}}) {
    std::size_t found = 0;
    std::size_t there = 0;
    for (unsigned seed = 0; seed < 2; ++seed) {
      std::mt19937 random(seed);
      for (const auto& [name, capture] : captures()) {
        const Decoded& whole = whole_of(name);
        Capture rest;
        for (const CapturedFrame& frame : capture) {
          if (random() % one_in != 0) rest.push_back(frame);
        }
        const Decoded decoded = decode_all(rest);
        found +=
            num_found(decoded, whole, name + " one in " + std::to_string(one_in) + " seed " + std::to_string(seed));
        there += num_fpdus(whole);
      }
    }
    BOOST_TEST_MESSAGE("without one frame in " << one_in << ": " << found << " of " << there);
    BOOST_TEST(found * 100 >= there * least_percent);
  }
}

// The user names the port, and the start-up frames are not there.
BOOST_AUTO_TEST_CASE(ports_of_the_users_choice) {
  StreamOptions options;
  options.iwarp_ports[0] = 1;
  const Decoded decoded = decode_all(captures().at("siw-rping.pcap"), options);
  BOOST_TEST(num_fpdus(decoded) == 21U);  // another port: nothing changes
}

// Frames that carry no iWARP: MPA's keys do not begin their streams.
BOOST_AUTO_TEST_CASE(no_other_traffic_is_taken_for_it) {
  std::size_t segments = 0;
  for (const auto& entry : std::filesystem::directory_iterator("testdata/captures")) {
    const std::string name = entry.path().filename();
    if (name.find("siw") != std::string::npos || name == "BUILD") continue;
    const Capture capture = load(entry.path());
    for (const bool mid_stream : {false, true}) {
      TestStreams streams;
      for (std::size_t i = mid_stream ? 5 : 0; i < capture.size(); ++i) {
        BOOST_TEST(!streams.add(capture[i].parsed(), i + 1), name << " " << i + 1);
      }
      streams.finish();
      BOOST_TEST(streams.sink.pdus.empty(), name);
      BOOST_TEST(streams.sink.losses.empty(), name);
      segments += streams.streams.counts().num_segments;
    }
  }
  BOOST_TEST_MESSAGE(segments << " segments");
  BOOST_TEST(segments > 1000U);
}

BOOST_AUTO_TEST_CASE(the_steady_state_never_allocates) {
  struct Counter : PduSink {
    std::size_t num = 0;
    std::uint64_t last = 0;
    void pdu(const StreamPdu& pdu) override {
      ++num;
      last = pdu.last_frame;
    }
    void keep(std::uint64_t) override {}
    void release(std::uint64_t) override {}
    void lost(std::uint32_t, bool, const Loss&) override {}
  };
  for (const std::string name : {"siw-one-1m-write.pcap.zst", "siw-gso-64k.pcap.zst", "siw-nvmeof.pcap.zst"}) {
    const Capture& capture = captures().at(name);
    Counter sink;
    IwarpStreams streams({}, sink);
    std::size_t counted = 0;
    for (std::size_t i = 0; i < capture.size(); ++i) {
      const Frame frame = capture[i].parsed();
      const std::size_t before = num_allocations;
      streams.add(frame, i + 1);
      if (i > capture.size() / 4 * 3) counted += num_allocations - before;
    }
    streams.finish();
    BOOST_TEST(counted == 0U, name);
    BOOST_TEST(sink.num > 10U, name);
  }
  BOOST_TEST(num_allocations > 0U);  // the counter counts
}

BOOST_AUTO_TEST_SUITE_END()
