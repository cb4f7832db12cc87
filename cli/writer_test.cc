#include "cli/writer.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/test_output.h"
#include "cli/test_writers.h"

namespace rdmawire::cli {

BOOST_AUTO_TEST_SUITE(line_writer)

BOOST_AUTO_TEST_CASE(columns_and_what_tells_most) {
  BOOST_TEST(
      lines("rxe-rping.pcap", 1, 7) ==
      "   1 0.000000 10.77.0.1 > 10.77.0.2  0x1        0  256 UD_SEND_ONLY CM request (REQ) QP 0x11 PSN 7704348 "
      "service "
      "0x1061c06\n"
      "   2 0.042240 10.77.0.2 > 10.77.0.1  0x1        0  256 UD_SEND_ONLY CM reply (REP) QP 0x11 PSN 12257489\n"
      "   3 0.053095 10.77.0.1 > 10.77.0.2  0x1        1  256 UD_SEND_ONLY CM ready to use (RTU)\n"
      "   4 0.055324 10.77.0.1 > 10.77.0.2 0x11 12257489   16 RC_SEND_ONLY\n"
      "   5 0.056401 10.77.0.2 > 10.77.0.1 0x11 12257489    0 RC_ACKNOWLEDGE ACK msn 1\n"
      "   6 0.058685 10.77.0.2 > 10.77.0.1 0x11  7704348    0 RC_RDMA_READ_REQUEST va 0x5652165aa5c0 rkey 0x568 dmalen "
      "64\n"
      "   7 0.059915 10.77.0.1 > 10.77.0.2 0x11  7704348   64 RC_RDMA_READ_RESPONSE_ONLY ACK msn 1\n");
}

BOOST_AUTO_TEST_CASE(a_nak_and_a_reject_say_why) {
  BOOST_TEST(lines("rxe-nak-write-badkey.pcap", 11, 11) ==
             "  11 0.035549 10.77.0.2 > 10.77.0.1 0x15 16718970    0 RC_ACKNOWLEDGE NAK remote access error msn 1\n");
  BOOST_TEST(lines("rxe-cm-reject.pcap", 2, 2) ==
             "   2 0.005991 10.77.0.2 > 10.77.0.1  0x1       28  256 UD_SEND_ONLY CM reject (REJ) Consumer reject\n");
}

BOOST_AUTO_TEST_CASE(only_a_crc_that_is_not_good_is_told) {
  const std::string all = lines("rxe-corrupt-icrc.delivered.pcap", 1, 100);
  std::size_t bad = 0;
  for (std::size_t at = 0; (at = all.find("ICRC bad", at)) != std::string::npos; ++at) ++bad;
  BOOST_TEST(bad == 1U);
  BOOST_TEST(lines("rxe-rping.pcap", 4, 4, {}, 60) ==
             "   4 0.055324 10.77.0.1 > 10.77.0.2 0x11 12257489   16 RC_SEND_ONLY ICRC unchecked\n");
}

BOOST_AUTO_TEST_CASE(a_cut_frame_says_where_it_ends) {
  BOOST_TEST(
      lines("rxe-rping.pcap", 6, 6, {}, 60) ==
      "   6 0.058685 10.77.0.2 > 10.77.0.1 0x11  7704348      RC_RDMA_READ_REQUEST ICRC unchecked [RDMA Extended "
      "Transport Header at offset 54: the capture was cut (needs 16 octets, 6 left by captured length)]\n");
}

BOOST_AUTO_TEST_CASE(times_have_three_forms) {
  BOOST_TEST(lines("rxe-nak-write-badkey.pcap", 2, 2, {.time = TimeForm::absolute})
                 .starts_with("   2 2026-11-29T14:13:02.221095303Z 10.77.0.2 > "));
  BOOST_TEST(
      lines("rxe-nak-write-badkey.pcap", 2, 2, {.time = TimeForm::delta}).starts_with("   2 0.026025597 10.77.0.2 > "));
}

BOOST_AUTO_TEST_CASE(titles_stand_over_their_columns) {
  BOOST_TEST(lines("rxe-rping.pcap", 4, 5, {.column_titles = true, .file_titles = true}) ==
             "==> rxe-rping.pcap <==\n"
             "  No     Time    Source > Destination   QP      PSN  Len Operation\n"
             "   4 0.055324 10.77.0.1 > 10.77.0.2   0x11 12257489   16 RC_SEND_ONLY\n"
             "   5 0.056401 10.77.0.2 > 10.77.0.1   0x11 12257489    0 RC_ACKNOWLEDGE ACK msn 1\n");
}

BOOST_AUTO_TEST_CASE(a_frame_without_rdma_is_named_by_its_innermost_header) {
  BOOST_TEST(lines("siw-rping.pcap", 1, 1).ends_with(" Transmission Control Protocol\n"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tree_writer)

BOOST_AUTO_TEST_CASE(every_field_has_its_place_value_and_name) {
  BOOST_TEST(tree("rxe-rping.pcap", 5) ==
             R"(Frame 5: 62 octets on the wire, 62 captured
  Time: 2026-11-29T14:10:00.981664947Z (0.056401390 s since the first frame)
  RDMA: rocev2, RC_ACKNOWLEDGE
Ethernet, offset 0, 14 octets
    0   Destination: 52:54:00:77:00:01
    6   Source: 52:54:00:77:00:02
   12   Type: 0x0800 (IPv4)
Internet Protocol version 4, offset 14, 20 octets
   14   Version: 4
   14.4 Internet header length, in words: 5
   15   Differentiated services field: 0x00
   15     Differentiated services codepoint: 0
   15.6   Explicit congestion notification: 0 (Not-ECT)
   16   Total length: 48
   18   Identification: 0x767a
   20     Flags: 0x02
   20.1 Don't fragment: 1
   20.2 More fragments: 0
   20.3 Fragment offset: 0
   22   Time to live: 64
   23   Protocol: 17 (UDP)
   24   Header checksum: 0xafa6
   26   Source address: 10.77.0.2
   30   Destination address: 10.77.0.1
User Datagram Protocol, offset 34, 8 octets
   34   Source port: 59682
   36   Destination port: 4791
   38   Length: 28
   40   Checksum: 0x0000
Base Transport Header, offset 42, 12 octets
   42   Operation code: 17 (RC_ACKNOWLEDGE)
   43   Solicited event: 0
   43.1 Migration request: 0
   43.2 Pad count: 0
   43.4 Transport header version: 0
   44   Partition key: 65535
   46   Forward explicit congestion notification: 0
   46.1 Backward explicit congestion notification: 0
   47   Destination queue pair: 0x000011
   50   Acknowledge request: 0
   51   Packet sequence number: 12257489
ACK Extended Transport Header, offset 54, 4 octets
   54   Syndrome: 31
   54.1   Kind: 0 (ACK)
   54.3   Credit code: 31
   55   Message sequence number: 1
Invariant CRC, offset 58, 4 octets
   58   Invariant CRC: 0x3233a652
        Status: good
)");
}

BOOST_AUTO_TEST_CASE(long_payloads_are_cut_short_unless_wanted) {
  const std::string shortened = tree("rxe-k612-allops.pcap", 12);
  BOOST_TEST(contains(shortened, "Payload, offset 54, 1024 octets\n"));
  BOOST_TEST(contains(shortened, "        960 more (--hex shows all)\n"));
  const std::string whole = tree("rxe-k612-allops.pcap", 12, {.hex_limit = 100000});
  BOOST_TEST(!contains(whole, "more"));
  BOOST_TEST(contains(whole, "\n 1062   "));
}

BOOST_AUTO_TEST_CASE(pad_and_a_missing_crc_are_told) {
  BOOST_TEST(contains(tree("rxe-k612-allops.pcap", 6), "Payload, offset 54, 1 octet, then pad of 3\n"));
  BOOST_TEST(contains(tree("rxe-rping.pcap", 4, {}, 60), "Payload, offset 54, 16 octets, 6 captured\n"));
  BOOST_TEST(contains(tree("rxe-rping.pcap", 4, {}, 60), "Invariant CRC, offset 70, not captured\n"));
}

BOOST_AUTO_TEST_CASE(a_bad_crc_comes_with_the_right_one) {
  std::string all;
  for (std::uint64_t i = 1; i <= 8; ++i) all += tree("rxe-corrupt-icrc.delivered.pcap", i);
  BOOST_TEST(contains(all, "        Status: bad, should be 0x"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(json_writer)

BOOST_AUTO_TEST_CASE(an_object_has_the_frame_the_packet_and_all_fields) {
  BOOST_TEST(
      json("rxe-rping.pcap", 6, 6) ==
      R"({"frame":6,"time":"1795961400.983948669","len":74,"caplen":74,"rdma.family":"rocev2","rdma.layers":["eth","ip","udp","bth","reth"],"rdma.opcode":"RC_RDMA_READ_REQUEST","rdma.payload_len":0,"rdma.icrc.status":"good","rdma.vcrc.status":"absent","rdma.icrc.computed":"0x600a6933","eth.dst":"52:54:00:77:00:01","eth.src":"52:54:00:77:00:02","eth.type":2048,"ip.version":4,"rdma.ip.ihl":5,"ip.dsfield":0,"ip.dsfield.dscp":0,"ip.dsfield.ecn":0,"ip.len":60,"ip.id":30331,"ip.flags":2,"ip.flags.rb":false,"ip.flags.df":true,"ip.flags.mf":false,"ip.frag_offset":0,"ip.ttl":64,"ip.proto":17,"ip.checksum":44953,"ip.src":"10.77.0.2","ip.dst":"10.77.0.1","udp.srcport":59682,"udp.dstport":4791,"udp.length":40,"udp.checksum":0,"infiniband.bth.opcode":12,"infiniband.bth.se":false,"infiniband.bth.m":false,"infiniband.bth.padcnt":0,"infiniband.bth.tver":0,"infiniband.bth.p_key":65535,"rdma.bth.fecn":false,"rdma.bth.becn":false,"rdma.bth.reserved6":0,"infiniband.bth.destqp":17,"infiniband.bth.a":true,"infiniband.bth.reserved7":0,"infiniband.bth.psn":7704348,"infiniband.reth.va":"0x00005652165aa5c0","infiniband.reth.r_key":1384,"infiniband.reth.dmalen":64,"infiniband.invariant.crc":1611295027})"
      "\n");
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_absent) {
  const auto cut = nlohmann::json::parse(json("rxe-rping.pcap", 6, 6, {}, 60));
  BOOST_TEST(cut["rdma.icrc.status"] == "unchecked");
  BOOST_TEST(!cut.contains("rdma.icrc.computed"));
  BOOST_TEST(!cut.contains("rdma.payload_len"));
  BOOST_TEST(!cut.contains("infiniband.reth.va"));
  BOOST_TEST(!cut.contains("infiniband.invariant.crc"));
  BOOST_TEST(cut["caplen"] == 60);
  BOOST_TEST(cut["len"] == 74);
  BOOST_TEST(cut["rdma.error"] ==
             "RDMA Extended Transport Header at offset 54: the capture was cut (needs 16 octets, 6 left by captured "
             "length)");
}

BOOST_AUTO_TEST_CASE(an_array_is_valid_with_none_one_and_two_objects) {
  BOOST_TEST(json("rxe-rping.pcap", 100, 100, {.array = true}) == "[]\n");
  BOOST_TEST(nlohmann::json::parse(json("rxe-rping.pcap", 1, 1, {.array = true})).size() == 1U);
  BOOST_TEST(nlohmann::json::parse(json("rxe-rping.pcap", 1, 2, {.array = true})).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_frame_without_rdma_has_its_layers_and_no_more_of_rdma) {
  const auto tcp = nlohmann::json::parse(json("siw-rping.pcap", 1, 1, {.file_name = true}));
  BOOST_TEST(tcp["rdma.capture.file"] == "siw-rping.pcap");
  BOOST_TEST((tcp["rdma.layers"] == nlohmann::json{"eth", "ip", "tcp"}));
  for (const char* key : {"rdma.family", "rdma.opcode", "rdma.payload_len", "rdma.icrc.status", "rdma.vcrc.status"}) {
    BOOST_TEST(!tcp.contains(key), key);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(fields_writer)

BOOST_AUTO_TEST_CASE(values_are_those_of_tshark) {
  FieldsOptions options;
  options.names = {"frame.number",
                   "frame.time_relative",
                   "infiniband.bth.psn",
                   "infiniband.bth.destqp",
                   "infiniband.reth.va",
                   "infiniband.bth.a",
                   "ip.src"};
  BOOST_TEST(fields("rxe-rping.pcap", 4, 6, options) ==
             "4\t0.055324270\t12257489\t0x000011\t\t1\t10.77.0.1\n"
             "5\t0.056401390\t12257489\t0x000011\t\t0\t10.77.0.2\n"
             "6\t0.058685112\t7704348\t0x000011\t0x00005652165aa5c0\t1\t10.77.0.2\n");
}

BOOST_AUTO_TEST_CASE(header_separator_and_quotes) {
  FieldsOptions options;
  options.names = {"frame", "infiniband.reth.va", "rdma.opcode"};
  options.header = true;
  options.separator = ';';
  options.quote = '"';
  BOOST_TEST(fields("rxe-rping.pcap", 4, 4, options) ==
             "\"frame\";\"infiniband.reth.va\";\"rdma.opcode\"\n\"4\";;\"RC_SEND_ONLY\"\n");
}

BOOST_AUTO_TEST_CASE(several_values_are_joined_or_one_is_chosen) {
  FieldsOptions options;
  options.names = {"rdma.layers"};
  BOOST_TEST(fields("rxe-rping.pcap", 4, 4, options) == "eth,ip,udp,bth\n");
  options.aggregator = ' ';
  BOOST_TEST(fields("rxe-rping.pcap", 4, 4, options) == "eth ip udp bth\n");
  options.occurrence = Occurrence::first;
  BOOST_TEST(fields("rxe-rping.pcap", 4, 4, options) == "eth\n");
  options.occurrence = Occurrence::last;
  BOOST_TEST(fields("rxe-rping.pcap", 4, 4, options) == "bth\n");
}

BOOST_AUTO_TEST_CASE(crcs_are_computed_only_for_fields_that_show_them) {
  const auto needs = [](std::string name) {
    bool out = false;
    written([&](Output& output) {
      FieldsOptions options;
      options.names = {std::move(name)};
      out = make_fields_writer(output, options)->needed_crcs().ib;
    });
    return out;
  };
  BOOST_TEST(!needs("infiniband.bth.psn"));
  BOOST_TEST(!needs("infiniband.invariant.crc"));
  BOOST_TEST(needs("rdma.icrc.status"));
  BOOST_TEST(needs("rdma.icrc.computed"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(catalog)

BOOST_AUTO_TEST_CASE(a_key_is_found_in_all_headers_that_have_it) {
  const Catalog& all = Catalog::instance();
  BOOST_TEST(all.places_of(all.find("infiniband.reth.va").value()).size() == 2U);  // RETH, AtomicETH
  BOOST_TEST(!all.find("infiniband.reth").has_value());
}

BOOST_AUTO_TEST_CASE(no_field_has_the_name_of_a_property) {
  for (const Catalog::Key& key : Catalog::instance().keys()) BOOST_TEST(!find_property(key.name), key.name);
}

BOOST_AUTO_TEST_CASE(no_value_is_longer_than_its_buffer) {
  for (const HeaderInfo* header : all_headers()) {
    for (const FieldInfo& field : header->fields) BOOST_TEST(max_text(field) <= 512U, field.key);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cli
