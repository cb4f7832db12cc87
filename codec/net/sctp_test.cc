#include "codec/net/sctp.h"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/header_test.h"

// Packets made with scapy 2.5; tshark 4.0.17 finds their checksums good, and its -T fields gave the texts.

namespace {

using namespace rdmawire;
using namespace rdmawire::net;
using test::check_error;
using test::check_header;
using test::octets;
using test::texts;

// INIT: adaptation indication 1, supported address types, forward TSN supported.
constexpr std::string_view init_chunk =
    "01000028 11223344 0001a000 00080008 01020304 c0060008 00000001 000c0006 00050000 c0000004";
const std::string init = "4e514e52 00000000 11360577" + std::string(init_chunk);

// INIT ACK: state cookie of 7 octets, adaptation indication 1.
const std::string init_ack =
    "4e524e51 11223344 71f09ca6 02000028 55667788 0000ffff 00040800 fffffffe 0007000b 6162636465666700 "
    "c0060008 00000001";

// Two DATA chunks, of 9 and 22 octets of user data, and a SACK.
constexpr std::string_view first_data = "000f0019 01020304 00030007 00000011";
constexpr std::string_view second_data = "00070026 01020305 00030000 00000010";
const std::string data = "4e514e52 55667788 6715a24a" + std::string(first_data) + "00000001 68656c6c 6f000000" +
                         std::string(second_data) + "00014143 00000000 00000000 00000001 00000000 61620000" +
                         "03000010 00000009 000003e8 00000000";

struct Item {
  unsigned type;
  std::uint64_t offset;
  std::size_t size;  // octets that are there

  friend bool operator==(const Item&, const Item&) = default;
};

// What a walk gives.
template <Header T>
std::vector<Item> items(SctpWalk<T>& walk) {
  std::vector<Item> out;
  while (walk.next()) out.push_back({static_cast<unsigned>(walk.header().type), walk.offset(), walk.octets().size()});
  BOOST_TEST(!walk.next());
  return out;
}

// Of a packet that is there whole, at offset 1000 of its frame.
struct Walked {
  std::vector<Item> chunks;
  Error error;

  explicit Walked(Bytes packet) {
    auto walk = sctp_chunks(packet, packet.size(), 1000);
    chunks = items(walk);
    error = walk.error();
  }
};

// A common header and what is given.
Walked walked(std::string_view chunks) { return Walked(octets("00010002 00000000 00000000" + std::string(chunks))); }

}  // namespace

BOOST_AUTO_TEST_SUITE(sctp)

BOOST_AUTO_TEST_CASE(common_header) {
  constexpr std::string_view hex = "4e514e52 55667788 6715a24a";
  check_header<Sctp>(hex, [](const Sctp& sctp) {
    BOOST_TEST((sctp.source_port == SctpPort{20049}));
    BOOST_TEST((sctp.destination_port == SctpPort{20050}));
    BOOST_TEST(sctp.verification_tag == 0x55667788U);
    BOOST_TEST(sctp.checksum == 0x6715A24AU);
  });
  BOOST_TEST(texts<Sctp>(hex) ==
             "sctp.srcport=20049 sctp.dstport=20050 sctp.verification_tag=0x55667788 sctp.checksum=0x6715a24a");
}

BOOST_AUTO_TEST_CASE(chunk_header) {
  check_header<SctpChunk>("03000010", [](const SctpChunk& chunk) {
    BOOST_TEST((chunk.type == SctpChunkType::sack));
    BOOST_TEST(chunk.flags == 0);
    BOOST_TEST(chunk.length == 16);
  });
  BOOST_TEST(texts<SctpChunk>("c00a0008") == "sctp.chunk_type=192 sctp.chunk_flags=0x0a sctp.chunk_length=8");
}

BOOST_AUTO_TEST_CASE(data_chunk) {
  check_header<SctpData>(first_data, [](const SctpData& chunk) {
    BOOST_TEST((chunk.type == SctpChunkType::data));
    BOOST_TEST(chunk.reserved4 == 0);
    BOOST_TEST(chunk.immediate);
    BOOST_TEST(chunk.unordered);
    BOOST_TEST(chunk.beginning);
    BOOST_TEST(chunk.ending);
    BOOST_TEST(chunk.length == 25);
    BOOST_TEST(chunk.tsn == 0x01020304U);
    BOOST_TEST(chunk.stream_id == 3);
    BOOST_TEST(chunk.stream_sequence == 7);
    BOOST_TEST((chunk.payload_protocol == SctpPayloadProtocol::ddp_session_control));
  });
  BOOST_TEST(texts<SctpData>(second_data) ==
             "sctp.chunk_type=0 sctp.chunk_flags=0x07 rdma.sctp_data.reserved4=0 sctp.data_i_bit=0 sctp.data_u_bit=1 "
             "sctp.data_b_bit=1 sctp.data_e_bit=1 sctp.chunk_length=38 sctp.data_tsn_raw=16909061 sctp.data_sid=0x0003 "
             "sctp.data_ssn=0 sctp.data_payload_proto_id=16");
}

BOOST_AUTO_TEST_CASE(init_chunks) {
  check_header<SctpInit>(init_chunk.substr(0, 44), [](const SctpInit& chunk) {
    BOOST_TEST((chunk.type == SctpChunkType::init));
    BOOST_TEST(chunk.flags == 0);
    BOOST_TEST(chunk.length == 40);
    BOOST_TEST(chunk.initiate_tag == 0x11223344U);
    BOOST_TEST(chunk.receiver_window == 106496U);
    BOOST_TEST(chunk.num_outbound_streams == 8);
    BOOST_TEST(chunk.num_inbound_streams == 8);
    BOOST_TEST(chunk.initial_tsn == 16909060U);
  });
  check_header<SctpInitAck>("02000028 55667788 0000ffff 00040800 fffffffe", [](const SctpInitAck& chunk) {
    BOOST_TEST((chunk.type == SctpChunkType::init_ack));
    BOOST_TEST(chunk.flags == 0);
    BOOST_TEST(chunk.length == 40);
    BOOST_TEST(chunk.initiate_tag == 0x55667788U);
    BOOST_TEST(chunk.receiver_window == 65535U);
    BOOST_TEST(chunk.num_outbound_streams == 4);
    BOOST_TEST(chunk.num_inbound_streams == 2048);
    BOOST_TEST(chunk.initial_tsn == 4294967294U);
  });
  BOOST_TEST(texts<SctpInit>(init_chunk.substr(0, 44)) ==
             "sctp.chunk_type=1 sctp.chunk_flags=0x00 sctp.chunk_length=40 sctp.init_initiate_tag=0x11223344 "
             "sctp.init_credit=106496 sctp.init_nr_out_streams=8 sctp.init_nr_in_streams=8 "
             "sctp.init_initial_tsn=16909060");
  BOOST_TEST(texts<SctpInitAck>("02000028 55667788 0000ffff 00040800 fffffffe") ==
             "sctp.chunk_type=2 sctp.chunk_flags=0x00 sctp.chunk_length=40 sctp.initack_initiate_tag=0x55667788 "
             "sctp.initack_credit=65535 sctp.initack_nr_out_streams=4 sctp.initack_nr_in_streams=2048 "
             "sctp.initack_initial_tsn=4294967294");
}

BOOST_AUTO_TEST_CASE(parameter_header) {
  check_header<SctpParameter>("000c0006", [](const SctpParameter& parameter) {
    BOOST_TEST((parameter.type == SctpParameterType::supported_address_types));
    BOOST_TEST(parameter.length == 6);
  });
  BOOST_TEST(texts<SctpParameter>("c0060008") == "sctp.parameter_type=0xc006 sctp.parameter_length=8");
}

//= SCTP-5043-5.2-01 test
BOOST_AUTO_TEST_CASE(names_of_numbers) {
  BOOST_TEST(name_of(SctpChunkType::init_ack) == "INIT ACK");
  BOOST_TEST(name_of(SctpChunkType::i_forward_tsn) == "I-FORWARD-TSN");
  BOOST_TEST(name_of(SctpChunkType{200}) == "");
  BOOST_TEST(name_of(SctpParameterType::adaptation_indication) == "Adaptation layer indication");
  BOOST_TEST(name_of(SctpPayloadProtocol{16}) == "DDP segment");
  BOOST_TEST(name_of(SctpPayloadProtocol{18}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sctp_packet_checksum)

BOOST_AUTO_TEST_CASE(of_known_packets) {
  BOOST_TEST(sctp_checksum(octets(init)) == 0x11360577U);
  BOOST_TEST(sctp_checksum(octets(init_ack)) == 0x71F09CA6U);
  BOOST_TEST(sctp_checksum(octets(data)) == 0x6715A24AU);
  // The two packets of scapy's own tests (test/scapy/layers/sctp.uts): an INIT with an IPv4 address, a SACK.
  BOOST_TEST(sctp_checksum(octets("00000000 00000000 402c0b5f 0100001c 00000000 00000000 00000000 00000000 00050008"
                                  "7f000001")) == 0x402C0B5FU);
  BOOST_TEST(sctp_checksum(octets("00000000 00000000 3b01d404 03000014 00000000 00000000 00010000 0007001c")) ==
             0x3B01D404U);
  BOOST_TEST(sctp_checksum(octets("00010002 00000000 fd988051")) == 0xFD988051U);
}

BOOST_AUTO_TEST_CASE(is_good_only_when_every_bit_is) {
  auto packet = octets(data);
  BOOST_TEST((check_sctp(packet) == ChecksumStatus::good));
  for (std::size_t bit = 0; bit < 8 * packet.size(); ++bit) {
    packet[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    BOOST_REQUIRE_MESSAGE(check_sctp(packet) == ChecksumStatus::bad, "bit " << bit);
    packet[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
  }
}

BOOST_AUTO_TEST_CASE(takes_its_own_field_as_zero) {
  auto packet = octets(data);
  for (std::size_t i = 8; i < 12; ++i) packet[i] = 0xA5;
  BOOST_TEST(sctp_checksum(packet) == 0x6715A24AU);
  BOOST_TEST((check_sctp(packet) == ChecksumStatus::bad));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sctp_walk)

BOOST_AUTO_TEST_CASE(gives_each_chunk_without_its_padding) {
  const Walked all(octets(data));
  BOOST_TEST((all.chunks == std::vector<Item>{{0, 1012, 25}, {0, 1040, 38}, {3, 1080, 16}}));
  BOOST_TEST(!all.error);
}

BOOST_AUTO_TEST_CASE(gives_each_parameter_of_an_init) {
  const auto packet = octets(init);
  auto chunks = sctp_chunks(packet, packet.size(), 1000);
  BOOST_REQUIRE(chunks.next());
  auto walk = sctp_parameters(chunks.octets(), chunks.header(), chunks.offset());
  BOOST_TEST((items(walk) == std::vector<Item>{{0xC006, 1032, 8}, {0x000C, 1040, 6}, {0xC000, 1048, 4}}));
  BOOST_TEST(!walk.error());

  const auto answer = octets(init_ack);
  auto of_answer = sctp_chunks(answer, answer.size());
  BOOST_REQUIRE(of_answer.next());
  auto parameters = sctp_parameters(of_answer.octets(), of_answer.header(), of_answer.offset());
  BOOST_TEST((items(parameters) == std::vector<Item>{{0x0007, 32, 11}, {0xC006, 44, 8}}));
  BOOST_TEST(!parameters.error());
}

BOOST_AUTO_TEST_CASE(other_chunks_have_no_parameters) {
  const auto packet = octets(data);
  auto chunks = sctp_chunks(packet, packet.size());
  BOOST_REQUIRE(chunks.next());
  auto walk = sctp_parameters(chunks.octets(), chunks.header());
  BOOST_TEST(!walk.next());
  BOOST_TEST(!walk.error());
}

BOOST_AUTO_TEST_CASE(a_packet_may_have_no_chunk) {
  const Walked none = walked("");
  BOOST_TEST(none.chunks.empty());
  BOOST_TEST(!none.error);
  // A length on the wire that has no room for the common header has none for chunks either.
  const auto packet = octets(data);
  auto walk = sctp_chunks(packet, 5);
  BOOST_TEST(!walk.next());
  BOOST_TEST(!walk.error());
}

BOOST_AUTO_TEST_CASE(padding_of_the_last_chunk_may_be_missing) {
  const Walked missing = walked("0a000005 61");
  BOOST_TEST((missing.chunks == std::vector<Item>{{10, 1012, 5}}));
  BOOST_TEST(!missing.error);
}

// Each length below the fixed part of its type, in a chunk that has room for more.
BOOST_AUTO_TEST_CASE(length_below_the_fixed_part) {
  struct Kind {
    std::string_view type;
    Layer layer;
    std::uint32_t fixed;
  };
  for (const Kind& kind : {Kind{"00", Layer::sctp_data, 16}, Kind{"01", Layer::sctp_init, 20},
                           Kind{"02", Layer::sctp_init_ack, 20}, Kind{"0a", Layer::sctp_chunk, 4}}) {
    for (std::uint32_t length = 0; length < kind.fixed; ++length) {
      auto packet = octets("00010002 00000000 00000000 0b000004" + std::string(kind.type) + "000000" +
                           "0000000000000000000000000000000000000000");
      packet[19] = static_cast<std::uint8_t>(length);
      const Walked bad(packet);
      BOOST_TEST((bad.chunks == std::vector<Item>{{11, 1012, 4}}));
      check_error(bad.error,
                  {ErrorCode::bad_header_length, kind.layer, Limit::header_length, kind.fixed, length, 1016});
    }
  }
}

// Each length above what the packet has left.
BOOST_AUTO_TEST_CASE(length_beyond_the_packet) {
  for (std::uint32_t length = 17; length <= 0xFFFF; length += length < 300 ? 1 : 97) {
    auto packet = octets("00010002 00000000 00000000 0a000010 00000000 00000000 00000000");
    packet[14] = static_cast<std::uint8_t>(length >> 8);
    packet[15] = static_cast<std::uint8_t>(length);
    const Walked bad(packet);
    BOOST_TEST(bad.chunks.empty());
    check_error(bad.error, {ErrorCode::bad_length, Layer::sctp_chunk, Limit::none, length, 16, 1012});
  }
}

BOOST_AUTO_TEST_CASE(octets_left_that_are_no_chunk_header) {
  for (const std::uint32_t left : {1U, 2U, 3U}) {
    auto packet = octets("00010002 00000000 00000000 0b000004");
    packet.resize(packet.size() + left);
    const Walked bad(packet);
    BOOST_TEST((bad.chunks == std::vector<Item>{{11, 1012, 4}}));
    check_error(bad.error, {ErrorCode::truncated_wire, Layer::sctp_chunk, Limit::none, 4, left, 1016});
  }
}

BOOST_AUTO_TEST_CASE(bad_parameter_lengths) {
  const auto of = [](std::string_view parameters) {
    auto chunk = octets("01000000 11223344 0001a000 00080008 01020304" + std::string(parameters));
    chunk[3] = static_cast<std::uint8_t>(chunk.size());
    const auto header = decode<SctpChunk>(Bytes(chunk).first<4>());
    auto walk = sctp_parameters(chunk, header, 1000);
    BOOST_TEST(items(walk).size() == 1U);
    return walk.error();
  };
  check_error(of("c0000004 c0060003"),
              {ErrorCode::bad_header_length, Layer::sctp_parameter, Limit::header_length, 4, 3, 1024});
  check_error(of("c0000004 c0060008 000000"), {ErrorCode::bad_length, Layer::sctp_parameter, Limit::none, 8, 7, 1024});
  check_error(of("c0000004 c006"), {ErrorCode::truncated_wire, Layer::sctp_parameter, Limit::none, 4, 2, 1024});
}

// A capture that ends at each octet is cut and not wrong: the chunks before are given, the one in which it ends if its
// fixed part is there.
BOOST_AUTO_TEST_CASE(every_prefix_of_a_packet_is_a_cut_capture) {
  const auto packet = octets(data);
  struct Chunk {
    Item whole;
    Layer layer;
    std::size_t fixed;
  };
  const std::vector<Chunk> chunks{
      {{0, 12, 25}, Layer::sctp_data, 16}, {{0, 40, 38}, Layer::sctp_data, 16}, {{3, 80, 16}, Layer::sctp_chunk, 4}};
  for (std::size_t captured = 12; captured < packet.size(); ++captured) {
    auto walk = sctp_chunks(Bytes(packet).first(captured), packet.size());
    std::vector<Item> want;
    Error error;
    for (const Chunk& chunk : chunks) {
      const std::size_t at = chunk.whole.offset;
      const std::size_t there = captured > at ? captured - at : 0;
      if (there >= chunk.whole.size) {
        want.push_back(chunk.whole);
        continue;
      }
      if (there >= chunk.fixed) want.push_back({chunk.whole.type, chunk.whole.offset, there});
      const std::size_t needed = there >= chunk.fixed ? chunk.whole.size : there >= 4 ? chunk.fixed : 4;
      error = {ErrorCode::truncated_capture,
               there >= 4 ? chunk.layer : Layer::sctp_chunk,
               Limit::capture,
               static_cast<std::uint32_t>(needed),
               static_cast<std::uint32_t>(there),
               at};
      break;
    }
    BOOST_TEST_CONTEXT("captured " << captured) {
      BOOST_TEST((items(walk) == want));
      check_error(walk.error(), error);
    }
  }
}

// The same octets as a packet that is no longer than that.
BOOST_AUTO_TEST_CASE(every_prefix_as_a_whole_packet_is_right_only_between_chunks) {
  const auto packet = octets(data);
  for (std::size_t length = 12; length <= packet.size(); ++length) {
    const Walked cut(Bytes(packet).first(length));
    // The second DATA chunk's user data ends at 78, the first's at 37: padding is not asked for.
    const bool right = length == 12 || (length >= 37 && length <= 40) || (length >= 78 && length <= 80) || length == 96;
    BOOST_TEST(!cut.error == right, "length " << length);
    if (!right) BOOST_TEST((cut.error.error_class() != ErrorClass::truncated_capture || length == 0));
  }
}

BOOST_AUTO_TEST_SUITE_END()
