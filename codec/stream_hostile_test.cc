// Octets that are no FPDUs, and streams made to cost the search as much as possible.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "codec/stream_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::test;

// All that can be known of a stream whose start was not seen.
std::vector<StreamParams> all_params() {
  std::vector<StreamParams> out;
  for (const Setting crc : {Setting::unknown, Setting::on, Setting::off}) {
    for (const Setting markers : {Setting::unknown, Setting::on, Setting::off}) out.push_back({markers, crc, {}, true});
    out.push_back({Setting::on, crc, 0, true});
  }
  return out;
}

Octets repeated(const Octets& pattern, std::size_t size) {
  Octets out;
  while (out.size() < size) out.insert(out.end(), pattern.begin(), pattern.end());
  return out;
}

Octets text(const std::string& line, std::size_t size) { return repeated(Octets(line.begin(), line.end()), size); }

// What comes out of it when nothing is known about where it begins; the work in *work, if that is wanted.
std::size_t num_found(const Octets& stream, const StreamParams& params, std::uint64_t* work = nullptr) {
  Collector got(params, 0, false);
  for (std::size_t at = 0; at < stream.size(); at += 1460) {
    got.feed(Bytes(stream).subspan(at, std::min<std::size_t>(1460, stream.size() - at)));
  }
  got.finish();
  if (work != nullptr) *work = got.deframer.search_work();
  if (got.fpdus.empty()) {
    BOOST_TEST(got.deframer.lost().skipped_len == stream.size());
    BOOST_TEST(got.deframer.offset() == stream.size());
  }
  return got.fpdus.size();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(false_starts)

BOOST_AUTO_TEST_CASE(there_are_none_in_what_data_often_are) {
  std::mt19937 random(1);
  std::vector<Octets> streams;
  for (const unsigned value : {0x00U, 0xFFU, 0x01U, 0x40U, 0x41U, 0xC1U})
    streams.push_back(Octets(20'000, static_cast<std::uint8_t>(value)));
  for (unsigned step : {1U, 4U, 16U}) {
    Octets little, big;
    for (std::uint32_t i = 0; i < 5'000 * step; i += step) {
      put(big, i, 4);
      for (unsigned octet = 0; octet < 4; ++octet) little.push_back(static_cast<std::uint8_t>(i >> 8 * octet));
    }
    streams.push_back(little);
    streams.push_back(big);
  }
  streams.push_back(text("ACADAEAFAG The quick brown fox jumps over the lazy dog.\r\n", 20'000));
  streams.push_back(text("GET /index.html HTTP/1.1\r\nHost: example\r\nAccept: */*\r\n\r\n", 20'000));
  streams.push_back(random_octets(random, 200'000));
  // A header without CRC, again and again, whole and in every rotation, among zeros, in records of its own length.
  const Octets write = [] {
    Model model;
    model.crc = false;
    model.add(tagged(0, 0x01020304, 0x1000, true, {}));
    return model.stream;
  }();
  const Octets send = [] {
    Model model;
    model.crc = false;
    model.add(untagged(3, 0, 1, 0, true, {}));
    return model.stream;
  }();
  for (const Octets& header : {write, send}) {
    streams.push_back(repeated(header, 20'000));
    for (const std::size_t zeros : {std::size_t{4}, std::size_t{44}, std::size_t{1000}}) {
      Octets record = header;
      record.resize(record.size() + zeros);
      streams.push_back(repeated(record, 20'000));
      record[0] = static_cast<std::uint8_t>((record.size() - 6) >> 8);
      record[1] = static_cast<std::uint8_t>(record.size() - 6);
      streams.push_back(repeated(record, 20'000));
    }
  }
  // A pattern of four octets that is a length and a header's type.
  streams.push_back(repeated({0x00, 0x0E, 0xC1, 0x40}, 20'000));
  streams.push_back(repeated({0x00, 0x1A, 0x81, 0x42}, 20'000));
  std::size_t number = 0;
  for (const Octets& stream : streams) {
    for (const StreamParams& params : all_params()) {
      BOOST_TEST_CONTEXT("stream " << number << ", markers " << static_cast<int>(params.markers) << ", crc "
                                   << static_cast<int>(params.crc) << ", places " << params.seq_start.has_value()) {
        BOOST_TEST(num_found(stream, params) == 0U);
      }
    }
    ++number;
  }
}

BOOST_AUTO_TEST_SUITE_END()

// The bound that detail::Judge documents, counted in octets looked at for each of the stream. RDMAWIRE_ALL_STREAMS=1
// for streams longer than any that can wait for a decision.
BOOST_AUTO_TEST_SUITE(work)

BOOST_AUTO_TEST_CASE(a_hostile_stream_costs_a_bounded_number_of_looks_for_each_octet) {
  const std::size_t size = test_all_streams() ? 400'000 : 20'000;
  std::vector<Octets> streams;
  // An FPDU of the largest sizes may begin at every fourth octet.
  streams.push_back(repeated({0xFF, 0xE4, 0xC1, 0x40}, size));
  streams.push_back(repeated({0x7F, 0xFE, 0xC1, 0x40}, size));
  streams.push_back(repeated({0x04, 0x0E, 0x81, 0x42}, size));
  // The same, each with another length, and at every octet.
  std::mt19937 random(2);
  for (const std::uint32_t most : {1000U, 5000U, 20'000U, 60'000U}) {
    Octets stream;
    while (stream.size() < size) {
      put(stream, 14 + random() % most / 4 * 4, 2);
      put(stream, random() % 2 == 0 ? 0xC140 : 0x8142, 2);
    }
    streams.push_back(stream);
  }
  // Small ones, of which every fourth octet begins a chain.
  Octets small;
  while (small.size() < size) put(small, 0x000EC140 + (random() % 8 << 18), 4);
  streams.push_back(small);
  // Every word a Marker of an FPDU that begins before it.
  Octets marked;
  for (std::uint32_t i = 0; marked.size() < size; ++i) put(marked, i % 128 == 0 ? 0x01FAC140 : i % 128 * 4, 4);
  streams.push_back(marked);
  double most = 0;
  for (const Octets& stream : streams) {
    for (const StreamParams& params : all_params()) {
      std::uint64_t work = 0;
      num_found(stream, params, &work);
      const double for_each = static_cast<double>(work) / static_cast<double>(stream.size());
      most = std::max(most, for_each);
      BOOST_TEST(for_each < 2000.0);
    }
  }
  BOOST_TEST_MESSAGE("at most " << most << " octets looked at for each");
}

BOOST_AUTO_TEST_SUITE_END()
