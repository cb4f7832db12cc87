#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <limits>

#include "pcap/file_builder.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::pcap;

constexpr std::array orders{std::endian::little, std::endian::big};
constexpr std::array<std::size_t, 5> block_sizes{1, 7, 44, 100, 256 << 10};

constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t min64 = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t max_u64 = std::numeric_limits<std::uint64_t>::max();

Octets resolution(const FileBuilder& file, std::uint8_t value) {
  return file.sub().option(2, {'e', 't', 'h', '0', '1'}).option(9, {value}).option(0, {}).octets();
}

// A file of one section, one interface with these options, and one packet with time stamp time.
Octets one_packet(const Octets& options, std::uint64_t time = 0) {
  return FileBuilder().section().interface(1, 0, options).enhanced(0, time, {1}).octets();
}

FileError error_behind_section(const Octets& blocks) {
  return read_memory(FileBuilder().section().bytes(blocks).octets()).error;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pcapng_format)

BOOST_AUTO_TEST_CASE(a_file_octet_by_octet) {
  const Octets file{
      // Section Header Block, big-endian
      0x0A,
      0x0D,
      0x0D,
      0x0A,
      0,
      0,
      0,
      28,
      0x1A,
      0x2B,
      0x3C,
      0x4D,
      0,
      1,
      0,
      0,
      0xFF,
      0xFF,
      0xFF,
      0xFF,
      0xFF,
      0xFF,
      0xFF,
      0xFF,
      0,
      0,
      0,
      28,
      // Interface Description Block: ERF, snaplen 3
      0,
      0,
      0,
      1,
      0,
      0,
      0,
      20,
      0,
      197,
      0,
      0,
      0,
      0,
      0,
      3,
      0,
      0,
      0,
      20,
      // Enhanced Packet Block: 0x00056789'00000001 us
      0,
      0,
      0,
      6,
      0,
      0,
      0,
      36,
      0,
      0,
      0,
      0,
      0,
      5,
      0x67,
      0x89,
      0,
      0,
      0,
      1,
      0,
      0,
      0,
      3,
      0,
      0,
      0,
      9,
      0xAA,
      0xBB,
      0xCC,
      0,
      0,
      0,
      0,
      36,
  };
  const Reading got = read_memory(file);
  BOOST_TEST(got.code() == ErrorCode::none);
  BOOST_TEST_REQUIRE(got.packets.size() == 1U);
  const Packet& packet = got.packets[0].packet;
  BOOST_TEST(packet.number == 1U);
  BOOST_TEST(packet.file_offset == 48U);
  BOOST_TEST(packet.time == (Timestamp{1521212991, 733761000}));
  BOOST_TEST(packet.original_length == 9U);
  BOOST_TEST(packet.interface_id == 0U);
  BOOST_TEST(packet.link == LinkType::erf);
  BOOST_TEST(!packet.oddities);
  BOOST_TEST(got.packets[0].data == (Octets{0xAA, 0xBB, 0xCC}));
}

BOOST_AUTO_TEST_CASE(three_interfaces_with_their_own_link_types_and_clocks) {
  for (const std::endian order : orders) {
    FileBuilder file(order);
    file.section();
    file.interface(1, 0, resolution(file, 9)).interface(247, 4, resolution(file, 0x94)).interface(276);
    std::vector<std::size_t> offsets;
    for (unsigned i = 0; i < 150; ++i) {  // more than a batch
      offsets.push_back(file.size());
      const std::array<std::uint64_t, 3> times{1'700'000'000'123'456'789U + i, (std::uint64_t{1'700'000'000} << 20) + i,
                                               1'700'000'000'123'456U + i};
      file.enhanced(i % 3, times[i % 3], filled(i % 9, i), 9,
                    i % 2 == 0 ? Octets{} : file.sub().option(2, {1, 2, 3, 4}).octets());
    }
    for (const std::size_t block_size : block_sizes) {
      BOOST_TEST_CONTEXT("big-endian " << (order == std::endian::big) << " blocks of " << block_size) {
        const Reading got = read_memory(file.octets(), block_size);
        BOOST_TEST(got.code() == ErrorCode::none);
        BOOST_TEST_REQUIRE(got.packets.size() == 150U);
        for (unsigned i = 0; i < 150; ++i) {
          const Packet& packet = got.packets[i].packet;
          BOOST_TEST(packet.number == i + 1U);
          BOOST_TEST(packet.file_offset == offsets[i]);
          BOOST_TEST(packet.interface_id == i % 3);
          constexpr std::array links{LinkType::ethernet, LinkType::infiniband, LinkType::linux_sll2};
          BOOST_TEST(packet.link == links[i % 3]);
          BOOST_TEST(packet.original_length == 9U);
          BOOST_TEST(packet.oddities ==
                     (i % 3 == 1 && i % 9 > 4 ? odd({Oddity::captured_exceeds_snaplen}) : Oddities{}));
          BOOST_TEST(packet.time.seconds == 1'700'000'000);
          BOOST_TEST(got.packets[i].data == filled(i % 9, i));
        }
        BOOST_TEST(got.packets[0].packet.time.nanoseconds == 123'456'789U);
        BOOST_TEST(got.packets[1].packet.time.nanoseconds == 953U);
        BOOST_TEST(got.packets[2].packet.time.nanoseconds == 123'458'000U);
        BOOST_TEST(got.packets[148].packet.time.nanoseconds == 141'143U);  // 148 / 2^20 s
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(time_stamps_of_any_resolution) {
  struct Case {
    std::uint8_t resolution;
    std::uint64_t time_stamp;
    std::int64_t offset;
    Timestamp time;
    bool out_of_range = false;
  };
  const std::array cases{
      Case{6, 1'700'000'000'123'456, 0, {1'700'000'000, 123'456'000}},
      Case{6, max_u64, 0, {18'446'744'073'709, 551'615'000}},
      Case{9, 1'700'000'000'123'456'789, 0, {1'700'000'000, 123'456'789}},
      Case{9, max_u64, 0, {18'446'744'073, 709'551'615}},
      Case{0, 5, 0, {5, 0}},
      Case{0, max_u64, 0, {max64, 999'999'999}, true},
      Case{1, max_u64, 0, {1'844'674'407'370'955'161, 500'000'000}},
      Case{3, 1'234, 0, {1, 234'000'000}},
      Case{12, 1'234'567'890'123, 0, {1, 234'567'890}},
      Case{18, max_u64, 0, {18, 446'744'073}},
      Case{19, max_u64, 0, {1, 844'674'407}},
      Case{20, max_u64, 0, {0, 184'467'440}},
      Case{28, max_u64, 0, {0, 1}},
      Case{29, max_u64, 0, {0, 0}},
      Case{127, max_u64, 0, {0, 0}},
      Case{0x80, 7, 0, {7, 0}},
      Case{0x80, max_u64, 0, {max64, 999'999'999}, true},
      Case{0x81, max_u64, 0, {max64, 500'000'000}},
      Case{0x94, (5U << 20) + (1U << 19), 0, {5, 500'000'000}},
      Case{0xBF, std::uint64_t{3} << 62, 0, {1, 500'000'000}},
      Case{0xC0, std::uint64_t{1} << 63, 0, {0, 500'000'000}},
      Case{0xC0, max_u64, 0, {0, 999'999'999}},
      Case{0xC1, std::uint64_t{1} << 63, 0, {0, 250'000'000}},
      Case{0xFF, max_u64, 0, {0, 0}},
      Case{6, 1'000'000, 100, {101, 0}},
      Case{6, 1'000'001, -5, {-4, 1'000}},
      Case{6, 1'000'000, max64 - 1, {max64, 0}},
      Case{6, 1'000'000, max64, {max64, 999'999'999}, true},
      Case{6, 1'000'000, min64, {min64 + 1, 0}},
      Case{0, std::uint64_t{1} << 63, -1, {max64, 0}},
      Case{0, std::uint64_t{1} << 63, 0, {max64, 999'999'999}, true},
      Case{0, max_u64, min64, {max64, 0}},
      Case{0, max_u64, min64 + 1, {max64, 999'999'999}, true},
  };
  for (const Case& c : cases) {
    BOOST_TEST_CONTEXT("resolution " << unsigned{c.resolution} << " time stamp " << c.time_stamp << " offset "
                                     << c.offset) {
      const Octets options = FileBuilder()
                                 .option(9, {c.resolution})
                                 .option(14, FileBuilder().u64(static_cast<std::uint64_t>(c.offset)).octets())
                                 .octets();  // without the end of options, which is not required
      const Reading got = read_memory(one_packet(options, c.time_stamp));
      BOOST_TEST_REQUIRE(got.packets.size() == 1U);
      BOOST_TEST(got.packets[0].packet.time == c.time);
      BOOST_TEST(got.packets[0].packet.oddities.has(Oddity::time_out_of_range) == c.out_of_range);
    }
  }
}

BOOST_AUTO_TEST_CASE(options_end_with_the_end_of_options) {
  const Octets options = FileBuilder().option(13, {32}).option(0, {}).option(9, {9}).octets();
  const Reading got = read_memory(one_packet(options, 1'500'000));
  BOOST_TEST_REQUIRE(got.packets.size() == 1U);
  BOOST_TEST(got.packets[0].packet.time == (Timestamp{1, 500'000'000}));
  BOOST_TEST((got.packets[0].packet.fcs_length == std::uint8_t{4}));
}

BOOST_AUTO_TEST_CASE(each_section_has_its_own_order_and_interfaces) {
  FileBuilder file;
  file.section(1, FileBuilder().option(4, filled(21, 'a')).octets()).interface(1).interface(113).enhanced(1, 1, {1});
  file.set_order(std::endian::big);
  file.section().interface(247, 0, resolution(file, 9)).enhanced(0, 1, {2}).section();
  file.set_order(std::endian::little);
  file.section().interface(197).enhanced(0, 1, {3});
  const std::size_t last = file.size();
  file.enhanced(1, 1, {4});
  for (const std::size_t block_size : block_sizes) {
    const Reading got = read_memory(file.octets(), block_size);
    BOOST_TEST_REQUIRE(got.packets.size() == 3U);
    BOOST_TEST(got.packets[0].packet.link == LinkType::linux_sll);
    BOOST_TEST(got.packets[0].packet.interface_id == 1U);
    BOOST_TEST(got.packets[1].packet.link == LinkType::infiniband);
    BOOST_TEST(got.packets[1].packet.time == (Timestamp{0, 1}));
    BOOST_TEST(got.packets[2].packet.link == LinkType::erf);
    BOOST_TEST(got.packets[2].packet.time == (Timestamp{0, 1000}));
    BOOST_TEST(got.packets[2].packet.number == 3U);
    BOOST_TEST(got.error == file_error(ErrorCode::undefined_interface, Layer::pcapng, last + 8));
    BOOST_TEST(to_string(got.error) == "pcapng file at offset " + std::to_string(last + 8) +
                                           ": packet of an interface that its section does not describe");
  }
}

BOOST_AUTO_TEST_CASE(simple_packets_are_cut_at_the_snaplen) {
  FileBuilder file;
  file.section().interface(1, 5);
  file.block(3, FileBuilder().u32(9).bytes(filled(5, 1)).octets());
  file.block(3, FileBuilder().u32(4).bytes(filled(4, 1)).octets());
  file.block(3, FileBuilder().u32(0).octets());
  file.section().interface(1, 0);
  file.block(3, FileBuilder().u32(9).bytes(filled(9, 1)).octets());
  const std::size_t last = file.size();
  file.block(3, FileBuilder().u32(9).bytes(filled(8, 1)).octets());
  const Reading got = read_memory(file.octets());
  BOOST_TEST_REQUIRE(got.packets.size() == 4U);
  BOOST_TEST(got.packets[0].data == filled(5, 1));
  BOOST_TEST(got.packets[0].packet.original_length == 9U);
  BOOST_TEST(got.packets[0].packet.time == Timestamp{});
  BOOST_TEST(got.packets[0].packet.oddities == odd({Oddity::no_timestamp}));
  BOOST_TEST(got.packets[1].data == filled(4, 1));
  BOOST_TEST(got.packets[2].data == Octets{});
  BOOST_TEST(got.packets[2].packet.oddities == odd({Oddity::no_timestamp, Oddity::original_length_zero}));
  BOOST_TEST(got.packets[3].data == filled(9, 1));
  BOOST_TEST(got.error == file_error(ErrorCode::damaged_file, Layer::pcapng, last + 12, Limit::block_length, 9, 8));

  BOOST_TEST(error_behind_section(FileBuilder().block(3, FileBuilder().u32(0).octets()).octets()) ==
             file_error(ErrorCode::undefined_interface, Layer::pcapng, 28));
}

BOOST_AUTO_TEST_CASE(obsolete_packet_blocks) {
  for (const std::endian order : orders) {
    FileBuilder file(order);
    file.section().interface(1).interface(101, 0, resolution(file, 9));
    // Interface 1, drop count 0xFFFF
    file.block(2, file.sub().u16(1).u16(0xFFFF).u32(1).u32(2).u32(3).u32(2).bytes(filled(3, 1)).octets());
    const Reading got = read_memory(file.octets());
    BOOST_TEST(got.code() == ErrorCode::none);
    BOOST_TEST_REQUIRE(got.packets.size() == 1U);
    BOOST_TEST(got.packets[0].packet.interface_id == 1U);
    BOOST_TEST(got.packets[0].packet.link == LinkType::raw_ip);
    BOOST_TEST(got.packets[0].packet.time == (Timestamp{4, 294'967'298}));
    BOOST_TEST(got.packets[0].packet.oddities == odd({Oddity::captured_exceeds_original}));
    BOOST_TEST(got.packets[0].data == filled(3, 1));
  }
}

BOOST_AUTO_TEST_CASE(other_blocks_are_skipped_even_those_larger_than_the_buffer) {
  FileBuilder file;
  file.section().block(0xBAD, Octets(1'000'000)).interface(1).block(5, filled(20, 1)).enhanced(0, 1, {1});
  file.block(0x80000001, {}).enhanced(0, 2, {2}).block(4, filled(3, 1));
  for (const std::size_t block_size : block_sizes) {
    const Reading got = read_memory(file.octets(), block_size);
    BOOST_TEST(got.code() == ErrorCode::none);
    BOOST_TEST_REQUIRE(got.packets.size() == 2U);
    BOOST_TEST(got.packets[1].data == Octets{2});
  }
}

BOOST_AUTO_TEST_CASE(damage_is_told_with_its_offset) {
  const auto damaged = [](std::uint64_t offset, Limit limit = Limit::none, std::uint32_t needed = 0,
                          std::uint32_t available = 0) {
    return file_error(ErrorCode::damaged_file, Layer::pcapng, offset, limit, needed, available);
  };
  const Octets interface = FileBuilder().interface(1).octets();  // 20 octets behind the section header's 28
  const auto behind_interface = [&](const Octets& block) {
    return error_behind_section(FileBuilder().bytes(interface).bytes(block).octets());
  };
  // Lengths of blocks.
  BOOST_TEST(behind_interface(FileBuilder().u32(6).u32(28).bytes(Octets(16)).u32(28).octets()) ==
             damaged(52, Limit::block_length, 32, 28));
  BOOST_TEST(behind_interface(FileBuilder().u32(9).u32(8).u32(8).octets()) == damaged(52, Limit::block_length, 12, 8));
  BOOST_TEST(behind_interface(FileBuilder().u32(9).u32(0).u32(0).octets()) == damaged(52, Limit::block_length, 12, 0));
  BOOST_TEST(behind_interface(FileBuilder().u32(9).u32(13).bytes(Octets(9)).octets()) == damaged(52));
  BOOST_TEST(behind_interface(FileBuilder().u32(9).u32(16).u32(0).u32(20).octets()) == damaged(60));
  BOOST_TEST(behind_interface(FileBuilder().u32(6).u32(32).bytes(Octets(20)).u32(36).octets()) == damaged(76));
  BOOST_TEST(error_behind_section(FileBuilder().u32(1).u32(20).u32(1).u32(0).u32(24).octets()) == damaged(44));
  BOOST_TEST(error_behind_section(FileBuilder().u32(1).u32(16).u32(1).u32(16).octets()) ==
             damaged(32, Limit::block_length, 20, 16));
  BOOST_TEST(behind_interface(FileBuilder().u32(6).u32(0x10000000).u64(0).octets()) ==
             file_error(ErrorCode::record_too_big, Layer::pcapng, 52, Limit::none, 0x10000000, 128 << 20));
  // A packet longer than its block.
  BOOST_TEST(
      behind_interface(
          FileBuilder().block(6, FileBuilder().u32(0).u64(0).u32(5).u32(5).bytes(filled(4, 0)).octets()).octets()) ==
      damaged(76, Limit::block_length, 5, 4));
  // Options.
  const auto behind_options = [](const Octets& options) { return read_memory(one_packet(options)).error; };
  BOOST_TEST(behind_options(FileBuilder().u16(2).u16(5).u32(0).octets()) == damaged(44, Limit::block_length, 8, 4));
  BOOST_TEST(behind_options(FileBuilder().u16(9).u16(2).u32(0).octets()) == damaged(46, Limit::block_length, 1, 2));
  BOOST_TEST(behind_options(FileBuilder().u16(14).u16(0).octets()) == damaged(46, Limit::block_length, 8, 0));
  // Section headers.
  BOOST_TEST(read_memory(FileBuilder().u32(0x0A0D0D0A).u32(28).u32(0x1A2B3C4E).bytes(Octets(16)).octets()).error ==
             damaged(8));
  BOOST_TEST(read_memory(FileBuilder().u32(0x0A0D0D0A).u32(24).u32(0x1A2B3C4D).bytes(Octets(16)).octets()).error ==
             damaged(4, Limit::block_length, 28, 24));
  BOOST_TEST(read_memory(FileBuilder().section(2).octets()).error ==
             file_error(ErrorCode::bad_version, Layer::pcapng, 12));
  const Reading later =
      read_memory(FileBuilder().bytes(one_packet({})).u32(0x0A0D0D0A).u32(28).u32(0).bytes(Octets(16)).octets());
  BOOST_TEST(later.packets.size() == 1U);
  BOOST_TEST(later.error == damaged(84 + 8));
}

BOOST_AUTO_TEST_CASE(interfaces_are_limited) {
  FileBuilder file;
  file.section();
  for (unsigned i = 0; i < 65'536; ++i) file.interface(i & 0xFFU);
  file.enhanced(65'535, 1, {1});
  const std::size_t last = file.size();
  file.interface(1);
  const Reading got = read_memory(file.octets());
  BOOST_TEST_REQUIRE(got.packets.size() == 1U);
  BOOST_TEST(got.packets[0].packet.interface_id == 65'535U);
  BOOST_TEST(got.packets[0].packet.link == LinkType{0xFF});
  BOOST_TEST(got.error == file_error(ErrorCode::too_many_interfaces, Layer::pcapng, last));
}

BOOST_AUTO_TEST_CASE(every_cut_gives_the_whole_packets_before_and_then_one_error) {
  for (const std::endian order : orders) {
    FileBuilder file(order);
    std::vector<std::size_t> ends{0};     // of blocks
    std::vector<std::size_t> packets{0};  // up to there
    const auto block_done = [&](std::size_t num_packets) {
      ends.push_back(file.size());
      packets.push_back(packets.back() + num_packets);
    };
    file.section();
    block_done(0);
    file.interface(1, 0, resolution(file, 9));
    block_done(0);
    file.enhanced(0, 1, filled(5, 1));
    block_done(1);
    file.block(3, file.sub().u32(3).bytes(filled(3, 1)).octets());
    block_done(1);
    file.block(5, filled(9, 0));
    block_done(0);
    file.block(2, file.sub().u32(0).u64(0).u32(1).u32(1).u8(7).octets());
    block_done(1);
    file.section();
    block_done(0);
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
      const Octets part(file.octets().begin(), file.octets().begin() + static_cast<std::ptrdiff_t>(cut));
      for (const std::size_t block_size : block_sizes) {
        BOOST_TEST_CONTEXT("big-endian " << (order == std::endian::big) << " cut at " << cut << " blocks of "
                                         << block_size) {
          const Reading got = read_memory(part, block_size);
          const auto past = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin());
          const std::size_t start = ends[past - 1];
          BOOST_TEST(got.packets.size() == packets[past - 1]);
          if (cut < 4) {
            BOOST_TEST(got.code() == ErrorCode::not_a_capture);
          } else if (cut == start) {
            BOOST_TEST(got.code() == ErrorCode::none);
          } else {
            BOOST_TEST(got.code() == ErrorCode::cut_file);
            BOOST_TEST(got.error.error.offset == start);
            BOOST_TEST(got.error.error.available == cut - start);
            // Within a block's first 12 octets its length may not be known yet.
            if (cut - start >= 12) BOOST_TEST(got.error.error.needed == ends[past] - start);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
