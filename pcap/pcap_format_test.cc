#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>

#include "pcap/file_builder.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::pcap;

constexpr std::array orders{std::endian::little, std::endian::big};
constexpr std::array<std::size_t, 5> block_sizes{1, 7, 40, 64, 256 << 10};

// One record, of a file with this header.
ReadPacket only_packet(const FileBuilder& file) {
  const Reading got = read_memory(file.octets());
  BOOST_TEST_REQUIRE(got.packets.size() == 1U);
  BOOST_TEST(got.code() == ErrorCode::none);
  return got.packets[0];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pcap_format)

BOOST_AUTO_TEST_CASE(a_file_octet_by_octet) {
  const Octets file{
      0xD4, 0xC3, 0xB2, 0xA1, 2,    0,    4,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    4,
      0,    0xF7, 0,    0,    0,  // InfiniBand
      0x15, 0xCD, 0x5B, 0x07, 0x3F, 0x42, 0x0F, 0x00, 3, 0, 0, 0, 5, 1, 0, 0, 0xAA, 0xBB, 0xCC,
  };
  const Reading got = read_memory(file);
  BOOST_TEST(got.code() == ErrorCode::none);
  BOOST_TEST_REQUIRE(got.packets.size() == 1U);
  const Packet& packet = got.packets[0].packet;
  BOOST_TEST(packet.number == 1U);
  BOOST_TEST(packet.file_offset == 24U);
  BOOST_TEST(packet.time == (Timestamp{123456789, 999999000}));
  BOOST_TEST(packet.original_length == 261U);
  BOOST_TEST(packet.interface_id == 0U);
  BOOST_TEST(packet.link == LinkType::infiniband);
  BOOST_TEST(!packet.oddities);
  BOOST_TEST(!packet.fcs_length.has_value());
  BOOST_TEST(got.packets[0].data == (Octets{0xAA, 0xBB, 0xCC}));
}

BOOST_AUTO_TEST_CASE(all_magic_numbers_in_both_orders_and_blocks_of_any_size) {
  struct Form {
    std::uint32_t magic;
    std::size_t added_to_file_header;
    std::size_t added_to_record_header;
    std::uint32_t nanoseconds;  // of a fraction of 123456
  };
  constexpr std::array forms{
      Form{0xA1B2C3D4, 0, 0, 123456000}, Form{0xA1B23C4D, 0, 0, 123456},    Form{0xA1B2CD34, 0, 8, 123456000},
      Form{0x1C0001AC, 4, 0, 123456},    Form{0x1C0001AB, 4, 0, 123456000},
  };
  for (const std::endian order : orders) {
    for (const Form& form : forms) {
      FileBuilder file(order);
      file.pcap_header(form.magic).bytes(Octets(form.added_to_file_header, 0xEE));
      std::vector<std::size_t> offsets;
      for (unsigned i = 0; i < 150; ++i) {  // more than a batch
        offsets.push_back(file.size());
        file.u32(4'000'000'000U + i).u32(123456).u32(i).u32(i + 1);
        file.bytes(Octets(form.added_to_record_header, 0xEE)).bytes(filled(i, i));
      }
      for (const std::size_t block_size : block_sizes) {
        BOOST_TEST_CONTEXT("magic " << form.magic << " big-endian " << (order == std::endian::big) << " blocks of "
                                    << block_size) {
          const Reading got = read_memory(file.octets(), block_size);
          BOOST_TEST(got.code() == ErrorCode::none);
          BOOST_TEST_REQUIRE(got.packets.size() == 150U);
          for (unsigned i = 0; i < 150; ++i) {
            const Packet& packet = got.packets[i].packet;
            BOOST_TEST(packet.number == i + 1U);
            BOOST_TEST(packet.file_offset == offsets[i]);
            BOOST_TEST(packet.time == (Timestamp{4'000'000'000 + i, form.nanoseconds}));
            BOOST_TEST(packet.original_length == i + 1U);
            BOOST_TEST(packet.link == LinkType::ethernet);
            BOOST_TEST(!packet.oddities);
            BOOST_TEST(got.packets[i].data == filled(i, i));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_upper_half_of_the_link_type_is_no_part_of_it) {
  const auto packet_of = [](std::uint32_t link) {
    return only_packet(FileBuilder().pcap_header(0xA1B2C3D4, link).record(0, 0, {1})).packet;
  };
  BOOST_TEST(packet_of(0x54000001).link == LinkType::ethernet);
  BOOST_TEST((packet_of(0x54000001).fcs_length == std::uint8_t{10}));
  BOOST_TEST((packet_of(0x24000001).fcs_length == std::uint8_t{4}));
  BOOST_TEST((packet_of(0x04000001).fcs_length == std::uint8_t{0}));
  BOOST_TEST(!packet_of(0x20000001).fcs_length.has_value());
  BOOST_TEST(packet_of(0x03FF0071).link == LinkType::linux_sll);
}

BOOST_AUTO_TEST_CASE(link_types_that_begin_with_an_ip_header_are_raw_ip) {
  for (const std::uint32_t number : {12U, 14U, 101U, 228U, 229U}) {
    BOOST_TEST(only_packet(FileBuilder().pcap_header(0xA1B2C3D4, number).record(0, 0, {1})).packet.link ==
               LinkType::raw_ip);
  }
  static_assert(link_type_of(13) == LinkType{13});
  static_assert(name_of(LinkType::linux_sll2) == "linux_sll2" && name_of(LinkType{13}).empty());
}

BOOST_AUTO_TEST_CASE(old_versions_have_the_lengths_in_another_order) {
  const auto lengths = [](unsigned major, unsigned minor, std::uint32_t first, std::uint32_t second,
                          std::size_t there) {
    FileBuilder file;
    file.pcap_header(0xA1B2C3D4, 1, 65535, major, minor);
    file.u32(0).u32(0).u32(first).u32(second).bytes(filled(there, 1));
    const ReadPacket got = only_packet(file);
    BOOST_TEST(!got.packet.oddities);
    return std::pair(got.data.size(), got.packet.original_length);
  };
  BOOST_TEST((lengths(2, 4, 3, 9, 3) == std::pair<std::size_t, std::uint32_t>(3, 9)));
  BOOST_TEST((lengths(2, 3, 3, 9, 3) == std::pair<std::size_t, std::uint32_t>(3, 9)));
  BOOST_TEST((lengths(2, 3, 9, 3, 3) == std::pair<std::size_t, std::uint32_t>(3, 9)));
  BOOST_TEST((lengths(2, 2, 9, 3, 3) == std::pair<std::size_t, std::uint32_t>(3, 9)));
  BOOST_TEST((lengths(543, 0, 9, 3, 3) == std::pair<std::size_t, std::uint32_t>(3, 9)));
  BOOST_TEST((lengths(7, 1, 3, 9, 3) == std::pair<std::size_t, std::uint32_t>(3, 9)));
}

BOOST_AUTO_TEST_CASE(strange_records_are_given_and_told) {
  FileBuilder file;
  file.pcap_header(0xA1B2C3D4, 1, 4);
  file.record(1, 0, filled(4, 1), 3);
  file.record(1, 0, filled(5, 1), 5);
  file.record(1, 0, {}, 0);
  file.record(1, 2'500'000, {7}, 1);
  file.record(0xFFFFFFFF, 0xFFFFFFFF, {7}, 1);
  file.record(1, 0, filled(4, 1), 0);
  file.record(1, 999'999, {}, 60);
  const Reading got = read_memory(file.octets());
  BOOST_TEST(got.code() == ErrorCode::none);
  BOOST_TEST_REQUIRE(got.packets.size() == 7U);
  const auto oddities = [&](std::size_t i) { return got.packets[i].packet.oddities; };
  BOOST_TEST(oddities(0) == odd({Oddity::captured_exceeds_original}));
  BOOST_TEST(got.packets[0].data == filled(4, 1));
  BOOST_TEST(got.packets[0].packet.original_length == 3U);
  BOOST_TEST(oddities(1) == odd({Oddity::captured_exceeds_snaplen}));
  BOOST_TEST(got.packets[1].data == filled(5, 1));
  BOOST_TEST(oddities(2) == odd({Oddity::original_length_zero}));
  BOOST_TEST(oddities(3) == odd({Oddity::fraction_too_big}));
  BOOST_TEST(got.packets[3].packet.time == (Timestamp{3, 500'000'000}));
  BOOST_TEST(got.packets[4].packet.time == (Timestamp{4294971589, 967'295'000}));
  BOOST_TEST(oddities(5) == odd({Oddity::original_length_zero, Oddity::captured_exceeds_original}));
  BOOST_TEST(!oddities(6));
  BOOST_TEST(text_of(Oddity::no_timestamp) == "no time stamp");
}

BOOST_AUTO_TEST_CASE(a_snaplen_of_zero_is_no_limit) {
  BOOST_TEST(!only_packet(FileBuilder().pcap_header(0xA1B2C3D4, 1, 0).record(1, 0, filled(5, 1))).packet.oddities);
}

BOOST_AUTO_TEST_CASE(a_length_that_no_tool_writes_is_an_error) {
  FileBuilder file;
  file.pcap_header().record(1, 0, {1, 2}).record(1, 0, Octets(262'145));
  const Reading got = read_memory(file.octets());
  BOOST_TEST(got.packets.size() == 1U);
  BOOST_TEST(got.error == file_error(ErrorCode::record_too_big, Layer::pcap, 42, Limit::none, 262'145, 262'144));
  BOOST_TEST(to_string(got.error) ==
             "pcap file at offset 42: record larger than any capture tool writes (needs 262145 octets, 262144 "
             "available)");

  BOOST_TEST(read_memory(FileBuilder().pcap_header().record(1, 0, Octets(262'144)).octets()).packets.size() == 1U);
  // A larger snapshot length announces larger records, up to 128 MiB; a senseless one does not.
  const auto code_with = [](std::uint32_t snaplen, std::uint32_t captured) {
    return read_memory(FileBuilder().pcap_header(0xA1B2C3D4, 1, snaplen).u64(0).u32(captured).u32(captured).octets())
        .code();
  };
  BOOST_TEST(read_memory(FileBuilder().pcap_header(0xA1B2C3D4, 1, 300'000).record(1, 0, Octets(300'000)).octets(), 64)
                 .packets.size() == 1U);
  BOOST_TEST(code_with(300'000, 300'001) == ErrorCode::record_too_big);
  BOOST_TEST(code_with(128 << 20, 128 << 20) == ErrorCode::cut_file);
  BOOST_TEST(code_with((128 << 20) + 1, 262'145) == ErrorCode::record_too_big);
  BOOST_TEST(code_with(0xFFFFFFFF, 0xFFFFFFFF) == ErrorCode::record_too_big);
}

BOOST_AUTO_TEST_CASE(every_cut_gives_the_whole_packets_before_and_then_one_error) {
  for (const std::uint32_t magic : {0xA1B2C3D4U, 0xA1B2CD34U, 0x1C0001ACU}) {
    const std::size_t file_header = magic == 0x1C0001AC ? 28 : 24;
    const std::size_t record_header = magic == 0xA1B2CD34 ? 24 : 16;
    FileBuilder file(std::endian::big);
    file.pcap_header(magic).bytes(Octets(file_header - 24));
    std::vector<std::size_t> ends{file_header};
    for (unsigned i = 0; i < 5; ++i) {
      file.u32(i).u32(i).u32(i).u32(i + 1).bytes(Octets(record_header - 16)).bytes(filled(i, 0));
      ends.push_back(file.size());
    }
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
      const Octets part(file.octets().begin(), file.octets().begin() + static_cast<std::ptrdiff_t>(cut));
      for (const std::size_t block_size : block_sizes) {
        BOOST_TEST_CONTEXT("magic " << magic << " cut at " << cut << " blocks of " << block_size) {
          const Reading got = read_memory(part, block_size);
          const auto left = static_cast<std::uint32_t>(cut);
          if (cut < 4) {
            BOOST_TEST(got.error == file_error(ErrorCode::not_a_capture, Layer::none, 0, Limit::file, 4, left));
          } else if (cut < file_header) {
            BOOST_TEST(got.error == file_error(ErrorCode::cut_file, Layer::pcap, 0, Limit::file,
                                               static_cast<std::uint32_t>(file_header), left));
          } else {
            const auto past = std::upper_bound(ends.begin(), ends.end(), cut);
            const std::size_t start = *(past - 1);
            const auto whole = static_cast<std::size_t>(past - 1 - ends.begin());
            BOOST_TEST(got.packets.size() == whole);
            if (cut == start) {
              BOOST_TEST(got.code() == ErrorCode::none);
            } else {
              const std::size_t needed = record_header + (cut - start < record_header ? 0 : whole);
              BOOST_TEST(got.error == file_error(ErrorCode::cut_file, Layer::pcap, start, Limit::file,
                                                 static_cast<std::uint32_t>(needed),
                                                 static_cast<std::uint32_t>(cut - start)));
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
