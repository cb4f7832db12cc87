#include "pcap/reader.h"

#include <fcntl.h>
#include <pcap/pcap.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "pcap/file_builder.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::pcap;

Octets content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  BOOST_TEST_REQUIRE(in.good());
  return Octets(std::istreambuf_iterator<char>(in), {});
}

struct Closing {
  void operator()(pcap_t* handle) const { pcap_close(handle); }
};

// Reads the file with libpcap too, and compares all that it gives.
std::size_t compare_with_libpcap(const std::string& path) {
  const Octets file = content_of(path);
  std::FILE* stream = fmemopen(const_cast<std::uint8_t*>(file.data()), file.size(), "rb");
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  const std::unique_ptr<pcap_t, Closing> peer(
      pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why.data()));
  BOOST_TEST_REQUIRE(peer != nullptr, why.data());

  const Reading ours = read_all(Reader::open(path));
  BOOST_TEST(ours.code() == ErrorCode::none);
  std::size_t num_packets = 0;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  for (; pcap_next_ex(peer.get(), &header, &data) == 1; ++num_packets) {
    BOOST_TEST_REQUIRE(num_packets < ours.packets.size());
    const ReadPacket& packet = ours.packets[num_packets];
    BOOST_TEST(packet.packet.number == num_packets + 1);
    BOOST_TEST(packet.packet.time.seconds == header->ts.tv_sec);
    BOOST_TEST(packet.packet.time.nanoseconds == static_cast<std::uint64_t>(header->ts.tv_usec));  // ns, by precision
    BOOST_TEST(packet.packet.original_length == header->len);
    BOOST_TEST(packet.data == Octets(data, data + header->caplen));
    BOOST_TEST(static_cast<int>(packet.packet.link) == pcap_datalink(peer.get()));
    BOOST_TEST(!packet.packet.oddities);
  }
  BOOST_TEST(num_packets == ours.packets.size());
  return num_packets;
}

struct Pipe {
  Pipe() { BOOST_TEST_REQUIRE(::pipe(ends.data()) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    close_writing();
  }
  void write(const Octets& octets) const {
    BOOST_TEST_REQUIRE(::write(ends[1], octets.data(), octets.size()) == static_cast<ssize_t>(octets.size()));
  }
  void close_writing() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  std::array<int, 2> ends{};
};

// A folder of this test's own.
std::string scratch(const std::string& name) { return std::string(std::getenv("TEST_TMPDIR")) + "/" + name; }

void write_file(const std::string& path, const Octets& octets) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(second_implementation)

BOOST_AUTO_TEST_CASE(real_captures_read_as_with_libpcap) {
  BOOST_TEST(compare_with_libpcap("testdata/captures/rxe-rping.pcap") == 41U);
  BOOST_TEST(compare_with_libpcap("testdata/captures/rxe-rc-write-1.pcap") == 50U);
  BOOST_TEST(compare_with_libpcap("testdata/captures/siw-rping.pcap") == 34U);
}

BOOST_AUTO_TEST_CASE(files_of_editcap_and_mergecap_read_as_with_libpcap) {
  BOOST_TEST(compare_with_libpcap("pcap/testdata/editcap.pcapng") == 41U);
  BOOST_TEST(compare_with_libpcap("pcap/testdata/mergecap.pcapng") == 84U);
}

BOOST_AUTO_TEST_CASE(conversion_to_pcapng_changes_no_packet) {
  const Reading before = read_all(Reader::open("testdata/captures/rxe-rping.pcap"));
  const Reading after = read_all(Reader::open("pcap/testdata/editcap.pcapng"));
  BOOST_TEST_REQUIRE(before.packets.size() == after.packets.size());
  for (std::size_t i = 0; i < before.packets.size(); ++i) {
    BOOST_TEST(before.packets[i].data == after.packets[i].data);
    BOOST_TEST(before.packets[i].packet.time == after.packets[i].packet.time);
  }
}

BOOST_AUTO_TEST_CASE(merged_interfaces_keep_their_clocks) {
  const Reading got = read_all(Reader::open("pcap/testdata/mergecap.pcapng"));
  std::array<std::size_t, 2> num_packets{};
  for (const ReadPacket& packet : got.packets) {
    BOOST_TEST_REQUIRE(packet.packet.interface_id < 2U);
    ++num_packets[packet.packet.interface_id];
  }
  BOOST_TEST(num_packets[0] == 50U);
  BOOST_TEST(num_packets[1] == 34U);
}

BOOST_AUTO_TEST_CASE(files_written_by_libpcap) {
  for (const int precision : {PCAP_TSTAMP_PRECISION_MICRO, PCAP_TSTAMP_PRECISION_NANO}) {
    const std::unique_ptr<pcap_t, Closing> handle(
        pcap_open_dead_with_tstamp_precision(DLT_RAW, 4, static_cast<u_int>(precision)));
    const std::string path = scratch("libpcap.pcap");
    pcap_dumper_t* dumper = pcap_dump_open(handle.get(), path.c_str());
    BOOST_TEST_REQUIRE(dumper != nullptr);
    pcap_pkthdr header{};
    header.ts.tv_sec = 1'700'000'000;
    header.ts.tv_usec = 999'999;
    header.caplen = 4;
    header.len = 1500;
    const Octets data{9, 8, 7, 6};
    pcap_dump(reinterpret_cast<u_char*>(dumper), &header, data.data());
    pcap_dump_close(dumper);
    const Reading got = read_all(Reader::open(path));
    BOOST_TEST(got.code() == ErrorCode::none);
    BOOST_TEST_REQUIRE(got.packets.size() == 1U);
    const std::uint32_t unit = precision == PCAP_TSTAMP_PRECISION_MICRO ? 1000 : 1;
    BOOST_TEST(got.packets[0].packet.time == (Timestamp{1'700'000'000, 999'999 * unit}));
    BOOST_TEST(got.packets[0].packet.original_length == 1500U);
    BOOST_TEST(got.packets[0].packet.link == LinkType::raw_ip);
    BOOST_TEST(got.packets[0].data == data);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(opening)

BOOST_AUTO_TEST_CASE(what_cannot_be_opened_says_why) {
  const auto missing = Reader::open(scratch("missing.pcap"));
  BOOST_TEST_REQUIRE(!missing.has_value());
  BOOST_TEST(missing.error() == (FileError{{ErrorCode::open_failed}, ENOENT}));
  BOOST_TEST(to_string(missing.error()) == "cannot be opened: No such file or directory");

  const auto folder = Reader::open(scratch(""));
  BOOST_TEST_REQUIRE(!folder.has_value());
  BOOST_TEST(folder.error() == (FileError{{ErrorCode::open_failed}, EISDIR}));
  BOOST_TEST(to_string(folder.error()) == "cannot be opened: Is a directory");

  const auto closed = Reader::from_fd(-1);
  BOOST_TEST_REQUIRE(!closed.has_value());
  BOOST_TEST(closed.error() == (FileError{{ErrorCode::open_failed}, EBADF}));
}

BOOST_AUTO_TEST_CASE(what_is_no_capture_is_refused) {
  const auto text_of_memory = [](const std::string& text) {
    return to_string(read_memory(Octets(text.begin(), text.end())).error);
  };
  BOOST_TEST(text_of_memory("") == "neither pcap nor pcapng (needs 4 octets, 0 left by file)");
  BOOST_TEST(text_of_memory("abc") == "neither pcap nor pcapng (needs 4 octets, 3 left by file)");
  BOOST_TEST(text_of_memory("frame,time\n1,0.0\n") == "neither pcap nor pcapng");
  BOOST_TEST(text_of_memory("\xA1\xB2\xC3\xD4") ==
             "pcap file at offset 0: the file ends too early (needs 24 octets, 4 left by file)");
  BOOST_TEST(text_of_memory("\n\r\r\n\x1C") ==
             "pcapng file at offset 0: the file ends too early (needs 28 octets, 5 left by file)");
}

BOOST_AUTO_TEST_CASE(a_file_without_packets_is_no_error) {
  const auto empty = [](const Octets& file) {
    auto reader = Reader::from_memory(file);
    BOOST_TEST_REQUIRE(reader.has_value());
    const auto batch = reader->next_batch();
    return batch.has_value() && batch->empty();
  };
  BOOST_TEST(empty(FileBuilder().pcap_header().octets()));
  BOOST_TEST(empty(FileBuilder().section().octets()));
  BOOST_TEST(empty(FileBuilder().section().interface(1).block(5, Octets(8)).octets()));
}

BOOST_AUTO_TEST_CASE(the_reader_knows_the_format) {
  const auto path = [](const char* name) { return Reader::open(name); };
  BOOST_TEST((path("testdata/captures/rxe-rping.pcap")->format() == Format::pcap));
  BOOST_TEST((path("pcap/testdata/editcap.pcapng")->format() == Format::pcapng));
  BOOST_TEST((path("pcap/testdata/editcap.pcapng")->compression() == Compression::none));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(reading)

BOOST_AUTO_TEST_CASE(a_batch_after_single_packets_goes_on_where_they_ended) {
  FileBuilder file;
  file.pcap_header();
  for (unsigned i = 0; i < 200; ++i) file.record(i, 0, {static_cast<std::uint8_t>(i)});
  auto reader = Reader::from_memory(file.octets());
  std::uint64_t seen = 0;
  for (;;) {
    const auto packet = reader->next();
    if (*packet == nullptr) break;
    BOOST_TEST((*packet)->number == ++seen);
    const auto batch = reader->next_batch();
    for (const Packet& more : *batch) {
      BOOST_TEST(more.number == ++seen);
      BOOST_TEST(more.data[0] == seen - 1);
    }
  }
  BOOST_TEST(seen == 200U);
}

BOOST_AUTO_TEST_CASE(moving_the_reader_leaves_its_packets_valid) {
  const Octets file = FileBuilder().pcap_header().record(1, 0, {1}).record(2, 0, {2}).record(3, 0, {3}).octets();
  auto first = Reader::from_memory(file);
  const Packet* packet = *first->next();
  Reader second = std::move(*first);
  BOOST_TEST(packet->data[0] == 1U);
  BOOST_TEST((*second.next())->data[0] == 2U);
  auto third = Reader::from_memory(file);
  *third = std::move(second);
  BOOST_TEST((*third->next())->data[0] == 3U);
  BOOST_TEST(*third->next() == nullptr);
}

BOOST_AUTO_TEST_CASE(an_error_comes_once_and_then_nothing) {
  const Octets file = FileBuilder().pcap_header().record(1, 0, {1}).u32(0).octets();
  auto reader = Reader::from_memory(file);
  BOOST_TEST(reader->next_batch()->size() == 1U);
  const auto failed = reader->next_batch();
  BOOST_TEST_REQUIRE(!failed.has_value());
  BOOST_TEST(failed.error() == file_error(ErrorCode::cut_file, Layer::pcap, 41, Limit::file, 16, 4));
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(reader->next_batch()->empty());
    BOOST_TEST(*reader->next() == nullptr);
  }
}

BOOST_AUTO_TEST_CASE(a_pipe_gives_each_packet_as_soon_as_it_is_there) {
  for (const bool ng : {false, true}) {
    FileBuilder begin;
    if (ng) {
      begin.section().interface(1);
    } else {
      begin.pcap_header();
    }
    Pipe pipe;
    pipe.write(begin.octets());
    auto reader = Reader::from_fd(pipe.ends[0]);
    BOOST_TEST_REQUIRE(reader.has_value());
    for (unsigned i = 0; i < 3; ++i) {
      // The writer stays, so that a reader that wants more than one packet would wait for ever.
      FileBuilder more;
      if (ng) {
        more.enhanced(0, i, filled(i, 0));
      } else {
        more.record(i, 0, filled(i, 0));
      }
      pipe.write(more.octets());
      const auto batch = reader->next_batch();
      BOOST_TEST_REQUIRE(batch.has_value());
      BOOST_TEST_REQUIRE(batch->size() == 1U);
      BOOST_TEST((*batch)[0].number == i + 1);
    }
    pipe.close_writing();
    BOOST_TEST(reader->next_batch()->empty());
  }
}

BOOST_AUTO_TEST_CASE(a_failing_read_is_told_with_its_errno) {
  Pipe pipe;
  const Octets begin = FileBuilder().pcap_header().record(1, 0, {1}).u32(0).octets();
  pipe.write(begin);
  BOOST_TEST_REQUIRE(fcntl(pipe.ends[0], F_SETFL, O_NONBLOCK) == 0);
  auto reader = Reader::from_fd(pipe.ends[0]);
  BOOST_TEST(reader->next_batch()->size() == 1U);
  const auto failed = reader->next_batch();
  BOOST_TEST_REQUIRE(!failed.has_value());
  BOOST_TEST(failed.error() ==
             (FileError{{ErrorCode::read_failed, Layer::pcap, Limit::none, 0, 0, begin.size()}, EAGAIN}));
  BOOST_TEST(to_string(failed.error()) == "pcap file at offset " + std::to_string(begin.size()) +
                                              ": the operating system could not read on: Resource temporarily "
                                              "unavailable");
}

BOOST_AUTO_TEST_CASE(standard_input_is_a_dash) {
  const std::string path = scratch("stdin.pcap");
  write_file(path, FileBuilder().pcap_header().record(1, 0, {1, 2, 3}).octets());
  const int kept = ::dup(STDIN_FILENO);
  const int file = ::open(path.c_str(), O_RDONLY);
  BOOST_TEST_REQUIRE(::dup2(file, STDIN_FILENO) == STDIN_FILENO);
  const Reading got = read_all(Reader::open("-"));
  BOOST_TEST(got.packets.size() == 1U);
  BOOST_TEST(fcntl(STDIN_FILENO, F_GETFD) >= 0);  // it is the caller's, and stays open
  ::close(file);
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
}

BOOST_AUTO_TEST_CASE(progress_counts_the_octets_of_the_file) {
  const Octets file = FileBuilder().pcap_header().record(1, 0, Octets(100)).record(2, 0, Octets(100)).octets();
  auto reader = Reader::from_memory(file, {64});
  BOOST_TEST(reader->input_offset() >= 24U);
  BOOST_TEST(reader->input_offset() < file.size());
  read_all(*reader);
  BOOST_TEST(reader->input_offset() == file.size());
}

BOOST_AUTO_TEST_SUITE_END()
