// What the codec makes of real traffic: every capture in testdata/captures.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codec/frame.h"
#include "codec/frame_build.h"
#include "pcap/reader.h"
#include "tools/test/allocations.h"

namespace {

using namespace rdmawire;

std::vector<std::string> captures() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("testdata/captures")) {
    if (entry.path().filename() != "BUILD") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// "rxe-rping" of "testdata/captures/rxe-rping.pcap.zst".
std::string short_name(const std::string& path) {
  const std::string file = std::filesystem::path(path).filename();
  return file.substr(0, file.find(".pcap"));
}

template <class Use>
void for_each_packet(const std::string& path, Use&& use) {
  auto reader = pcap::Reader::open(path);
  BOOST_REQUIRE_MESSAGE(reader.has_value(), path);
  for (;;) {
    const auto packet = reader->next();
    BOOST_REQUIRE_MESSAGE(packet.has_value(), path);
    if (*packet == nullptr) return;
    use(**packet);
  }
}

Frame parse(const pcap::Packet& packet, const ParseOptions& options = {}) {
  return parse_frame(packet.link, packet.data, packet.original_length, options);
}

std::string name(const std::string& path, const pcap::Packet& packet) {
  return short_name(path) + " " + std::to_string(packet.number);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(captures_of_soft_roce)

// All that is not good, with the reason.
BOOST_AUTO_TEST_CASE(every_icrc_is_good_but_those_that_were_made_bad) {
  const std::set<std::string> made_bad{
      "rxe-corrupt-icrc.delivered 4",     // an ICRC octet flipped on the way
      "rxe-corrupt-payload.delivered 5",  // a payload octet flipped on the way
      "host-endpoint-fd 15",              // sent so by the test's own endpoint
      "host-endpoint-fd-flush 15",        // the same
      "host-endpoint-fd-flush 25",        // a FLUSH as Linux 6.12 computes it: BTH to RETH counted twice
  };
  std::set<std::string> bad;
  std::map<std::string, std::size_t> frames;
  for (const std::string& path : captures()) {
    for_each_packet(path, [&](const pcap::Packet& packet) {
      const Frame frame = parse(packet);
      ++frames[std::string(name_of(frame.family))];
      if (frame.family == Family::none) return;
      if (frame.error) BOOST_TEST(!frame.error, name(path, packet) << ": " << to_string(frame.error).view());
      if (frame.icrc.status == CrcStatus::bad) {
        bad.insert(name(path, packet));
      } else if (frame.icrc.status != CrcStatus::good) {
        BOOST_TEST(false, name(path, packet) << ": ICRC " << name_of(frame.icrc.status));
      }
    });
  }
  BOOST_TEST(bad == made_bad, boost::test_tools::per_element());
  // As many as tshark 4.0.17 counts with -Y infiniband.
  BOOST_TEST(frames["rocev2"] == 15443U);
}

BOOST_AUTO_TEST_CASE(strict_finds_nothing_else_wrong) {
  for (const std::string& path : captures()) {
    for_each_packet(path, [&](const pcap::Packet& packet) {
      const Frame frame = parse(packet);
      if (frame.family == Family::none || frame.icrc.status == CrcStatus::bad) return;
      const Error error = first_violation(frame);
      if (error) BOOST_TEST(!error, name(path, packet) << ": " << to_string(error).view());
    });
  }
}

BOOST_AUTO_TEST_CASE(every_frame_is_built_again_octet_by_octet) {
  std::size_t built = 0;
  std::vector<std::uint8_t> out;
  for (const std::string& path : captures()) {
    for_each_packet(path, [&](const pcap::Packet& packet) {
      const Frame frame = parse(packet);
      if (frame.family == Family::none) return;
      const auto spec = spec_of(frame);
      BOOST_REQUIRE_MESSAGE(spec.has_value(), name(path, packet));
      out.assign(frame_size(*spec), 0xA5);
      const auto size = build_frame(*spec, out);
      BOOST_REQUIRE_MESSAGE(size.has_value(), name(path, packet));
      BOOST_REQUIRE_MESSAGE(std::ranges::equal(out, packet.data.first(frame.packet_end)), name(path, packet));
      ++built;
    });
  }
  BOOST_TEST(built == 15443U);
}

// Each frame cut at each octet, as a capture with a snapshot length would have it. Cuts inside a payload are all alike,
// so of those only the first and last sixteen are made, unless RDMAWIRE_ALL_PREFIXES is set.
BOOST_AUTO_TEST_CASE(every_prefix_is_cut_never_bad) {
  const bool all = std::getenv("RDMAWIRE_ALL_PREFIXES") != nullptr;
  std::size_t prefixes = 0;
  for (const std::string& path : captures()) {
    for_each_packet(path, [&](const pcap::Packet& packet) {
      const Frame whole = parse(packet);
      if (whole.family == Family::none) return;
      for (std::size_t cut = 0; cut < whole.packet_end; ++cut) {
        if (!all && cut == whole.payload_offset + 16U && cut + 16 < whole.packet_end) cut = whole.packet_end - 16;
        // Octets of its own, so that a sanitizer sees a read past the end.
        const std::vector<std::uint8_t> data(packet.data.begin(),
                                             packet.data.begin() + static_cast<std::ptrdiff_t>(cut));
        const Frame frame = parse_frame(packet.link, data, packet.original_length);
        const bool fine = !frame.error || frame.error.error_class() == ErrorClass::truncated_capture;
        const bool judged = frame.icrc.status == CrcStatus::bad || frame.icrc.status == CrcStatus::good;
        if (!fine || judged) {
          BOOST_TEST(false, name(path, packet) << " cut at " << cut << ": " << to_string(frame.error).view());
        }
        ++prefixes;
      }
    });
  }
  BOOST_TEST((all || prefixes == 1'309'098U), prefixes << " prefixes");
}

BOOST_AUTO_TEST_CASE(codec_never_allocates) {
  std::array<std::uint8_t, 1 << 16> out;
  std::size_t counted = 0;
  std::size_t frames = 0;
  for (const std::string& path : captures()) {
    for_each_packet(path, [&](const pcap::Packet& packet) {
      const std::size_t before = num_allocations;
      const Frame frame = parse(packet);
      std::array<char, 2048> text;
      std::size_t written = 0;
      for (const LayerRef& ref : frame.layers()) {
        for (const FieldInfo& field : ref.header->fields) {
          if (is_present(field, frame.octets(ref))) written += format_value(field, frame.octets(ref), text);
        }
      }
      written += to_string(first_violation(frame)).view().size();
      if (const auto spec = spec_of(frame)) written += build_frame(*spec, out).value_or(0);
      counted += num_allocations - before;
      frames += written != 0;
    });
  }
  BOOST_TEST(counted == 0U);
  BOOST_TEST(frames > 10'000U);
  BOOST_TEST(num_allocations > 0U);  // the counter counts
}

BOOST_AUTO_TEST_SUITE_END()
