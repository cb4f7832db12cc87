// What the writers make of iWARP: a PDU a record.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/test_writers.h"
#include "codec/iwarp/headers.h"

namespace rdmawire::cli {
namespace {

// The second FPDU of RFC 5044, figure 6: a Send with 24 octets of zeros and a Marker in it, after a hole.
class MarkedSend {
 public:
  MarkedSend() {
    fpdu_.octets = octets_;
    fpdu_.stream_offset = 0x1EC;
    fpdu_.wire_len = 52;
    fpdu_.first_marker = 20;
    fpdu_.num_markers = 1;
    fpdu_.ulpdu_len = 0x2A;
    fpdu_.crc = {CrcStatus::good, 48, 0x84925898, 0x84925898};
  }

  // What a writer makes of it.
  template <class Make>
  std::string shown(Make&& make, const Loss& lost_before = {}, std::size_t captured = 52) {
    fpdu_.octets = Bytes(octets_).first(captured);
    const iwarp::Pdu pdu = iwarp::parse_fpdu(fpdu_, scratch_);
    const reassembly::StreamPdu stream{.pdu = pdu,
                                       .fpdu = &fpdu_,
                                       .octets = fpdu_.octets,
                                       .stream_offset = fpdu_.stream_offset,
                                       .wire_len = fpdu_.wire_len,
                                       .first_frame = 7,
                                       .last_frame = 8,
                                       .conversation = 3,
                                       .from_initiator = true,
                                       .recognition = reassembly::Recognition::mid_stream,
                                       .lost_before = lost_before};
    return written([&](Output& out) {
      const auto writer = make(out);
      for_each_record("siw-rping.pcap", [&](const Record& record) {
        if (record.packet.number != 8) return;
        writer->write({record.packet, record.frame, record.file, record.first, {}, &pdu, &stream});
      });
    });
  }
  iwarp::Fpdu& fpdu() { return fpdu_; }

 private:
  std::array<std::uint8_t, 52> octets_{
      0x00, 0x2A, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0x14, 0,    0,
      0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0x84, 0x92, 0x58, 0x98};
  iwarp::Fpdu fpdu_;
  std::array<std::uint8_t, iwarp::max_pdu_head> scratch_{};
};

constexpr auto as_lines = [](Output& out) { return make_line_writer(out, {}); };
constexpr auto as_tree = [](Output& out) { return make_tree_writer(out, {}); };
constexpr auto as_json = [](Output& out) { return make_json_writer(out, {}); };

// The lines of the PDUs alone.
std::string rdma_lines(const std::string& capture, std::uint64_t first, std::uint64_t last) {
  return written([&](Output& out) {
    const auto writer = make_line_writer(out, {});
    for_each_record(capture, [&](const Record& record) {
      if (record.is_rdma() && record.packet.number >= first && record.packet.number <= last) writer->write(record);
    });
  });
}

// The part of a tree after the frame's own headers.
std::string pdu_tree(const std::string& tree) { return tree.substr(tree.find("iWARP stream")); }

}  // namespace

BOOST_AUTO_TEST_SUITE(iwarp_line_writer)

BOOST_AUTO_TEST_CASE(columns_and_what_tells_most) {
  BOOST_TEST(rdma_lines("siw-rping.pcap", 4, 14) ==
             "   4 0.003971 10.77.0.1 > 10.77.0.2   #0       +0    0 MPA_REQUEST rev 2, no CRC, no Markers, IRD 1 "
             "ORD 1\n"
             "   6 0.018772 10.77.0.2 > 10.77.0.1   #0       +0    0 MPA_REPLY rev 2, no CRC, no Markers, IRD 1 "
             "ORD 1\n"
             "   8 0.021389 10.77.0.1 > 10.77.0.2   #0      +24   16 SEND msn 1 mo 0 last\n"
             "   9 0.023120 10.77.0.2 > 10.77.0.1   #0      +24    0 RDMA_READ_REQUEST msn 1 sink stag 0xefa01600 "
             "to 0x55741220dae0 size 64 source stag 0x93ed2800 to 0x561087d07440\n"
             "  10 0.023899 10.77.0.1 > 10.77.0.2   #0      +64   64 RDMA_READ_RESPONSE stag 0xefa01600 to "
             "0x55741220dae0 last\n"
             "  11 0.024726 10.77.0.2 > 10.77.0.1   #0      +76   16 SEND msn 1 mo 0 last\n"
             "  12 0.025783 10.77.0.1 > 10.77.0.2   #0     +148   16 SEND msn 2 mo 0 last\n"
             "  13 0.026688 10.77.0.2 > 10.77.0.1   #0     +116   64 RDMA_WRITE stag 0xa5552c00 to 0x561087d03ae0 "
             "last\n"
             "  14 0.027198 10.77.0.2 > 10.77.0.1   #0     +200   16 SEND msn 2 mo 0 last\n");
}

BOOST_AUTO_TEST_CASE(several_pdus_of_a_frame_have_a_line_each) {
  BOOST_TEST(rdma_lines("siw-allops.pcap.zst", 18, 19) ==
             "  18 0.034289 10.77.0.1 > 10.77.0.2   #0    +6658   10 SEND_WITH_SE msn 7 mo 0 last\n"
             "  18 0.034289 10.77.0.1 > 10.77.0.2   #0    +6694    0 RDMA_WRITE stag 0x8424a300 to 0x7f67dff5f000 "
             "last\n"
             "  19 0.035851 10.77.0.1 > 10.77.0.2   #0    +6714    1 RDMA_WRITE stag 0x8424a300 to 0x7f67dff5f000 "
             "last\n"
             "  19 0.035851 10.77.0.1 > 10.77.0.2   #0    +6738    2 RDMA_WRITE stag 0x8424a300 to 0x7f67dff5f000 "
             "last\n"
             "  19 0.035851 10.77.0.1 > 10.77.0.2   #0    +6762    3 RDMA_WRITE stag 0x8424a300 to 0x7f67dff5f000 "
             "last\n");
}

BOOST_AUTO_TEST_CASE(a_pdu_is_shown_with_the_frame_in_which_it_ended) {
  BOOST_TEST(rdma_lines("siw-one-1m-read.pcap.zst", 10, 10) ==
             "  10 0.023376 10.77.0.2 > 10.77.0.1   #0      +40 1428 RDMA_READ_RESPONSE stag 0x25f65200 to "
             "0x7feb8d0a5000\n");
}

BOOST_AUTO_TEST_CASE(frames_that_waited_for_one_before_them_keep_their_number_and_time) {
  std::string order;
  for_each_record("siw-loss-write.delivered.pcap", [&](const Record& record) {
    if (record.stream == nullptr || !record.stream->from_initiator) return;
    order += std::to_string(record.packet.number) + "@" + std::to_string(record.stream->stream_offset) + " ";
  });
  // Frames 33 and 34 bring what was lost before 11 and 15.
  BOOST_TEST(order.starts_with("4@0 8@30 9@1478 10@2926 33@4374 11@5822 12@7270 13@8718 14@10166 34@11614 15@13062 "));
  BOOST_TEST(rdma_lines("siw-loss-write.delivered.pcap", 11, 11) ==
             "  11 0.032783 10.77.0.1 > 10.77.0.2   #0    +5822 1428 RDMA_WRITE stag 0x2916b00 to 0x7f2355a27650\n");
}

BOOST_AUTO_TEST_CASE(a_terminate_says_why_and_of_what) {
  BOOST_TEST(rdma_lines("siw-term-read-badstag.pcap", 9, 9) ==
             "   9 0.025844 10.77.0.2 > 10.77.0.1   #0      +40    0 TERMINATE msn 1 by RDMAP: Remote protection "
             "error: invalid STag, of RDMA_READ_REQUEST msn 100 sink stag 0x1cec300 to 0x7f5febd7f000 size 100 "
             "source stag 0x202481a5 to 0x7fa216d2d000\n");
  BOOST_TEST(rdma_lines("siw-term-write-oob.pcap", 9, 9) ==
             "   9 0.032141 10.77.0.2 > 10.77.0.1   #0      +40    0 TERMINATE msn 1 by DDP: Tagged buffer error: "
             "base or bounds violation, of RDMA_WRITE stag 0xd7ac3800 to 0x7f265c873f9c\n");
}

BOOST_AUTO_TEST_CASE(start_up_frames_say_what_was_agreed) {
  BOOST_TEST(rdma_lines("siw-mpa-reject.pcap", 1, 10) ==
             "   4 0.002298 10.77.0.1 > 10.77.0.2   #0       +0    6 MPA_REQUEST rev 2, no CRC, no Markers, IRD 4 "
             "ORD 4\n"
             "   6 0.010490 10.77.0.2 > 10.77.0.1   #0       +0    2 MPA_REPLY rev 2, rejected, no CRC, no "
             "Markers, IRD 4 ORD 4\n");
  BOOST_TEST(rdma_lines("siw-crc-rping.pcap", 5, 5) ==
             "   5 0.982077 10.77.0.1 > 10.77.0.2   #0       +0    0 MPA_REQUEST rev 2, CRC, no Markers, IRD 1 "
             "ORD 1\n");
  BOOST_TEST(rdma_lines("siw-mpav1-rping.pcap", 4, 4) ==
             "   4 0.001978 10.77.0.1 > 10.77.0.2   #0       +0    0 MPA_REQUEST rev 1, no CRC, no Markers\n");
  BOOST_TEST(rdma_lines("siw-p2p-rping.pcap", 6, 6) ==
             "   6 0.058410 10.77.0.2 > 10.77.0.1   #0       +0    0 MPA_REPLY rev 2, no CRC, no Markers, IRD 1 "
             "ORD 1, peer-to-peer, RTR by Write\n");
}

BOOST_AUTO_TEST_CASE(a_hole_before_a_pdu_is_told_in_words) {
  MarkedSend send;
  BOOST_TEST(
      send.shown(as_lines, {2896, 40, 2})
          .ends_with(
              "   #3     +492   24 SEND msn 2 mo 0 last [2896 octets missing, 40 octets skipped, at least 2 FPDUs "
              "lost, resumed at offset 492]\n"));
  BOOST_TEST(send.shown(as_lines, {1, 0, 1})
                 .ends_with(" last [1 octet missing, at least 1 FPDU lost, resumed at offset 492]\n"));
  BOOST_TEST(send.shown(as_lines).ends_with(" SEND msn 2 mo 0 last\n"));
}

BOOST_AUTO_TEST_CASE(a_bad_crc_and_wrong_markers_are_told) {
  MarkedSend send;
  send.fpdu().crc.status = CrcStatus::bad;
  send.fpdu().num_wrong_markers = 1;
  BOOST_TEST(send.shown(as_lines).ends_with(" last CRC bad 1 of 1 Markers wrong\n"));
  send.fpdu().num_wrong_markers = 0;
  send.fpdu().crc.status = CrcStatus::unchecked;
  BOOST_TEST(send.shown(as_lines).ends_with(" last\n"));
  BOOST_TEST(send.shown(as_lines, {}, 30).ends_with(" last CRC unchecked\n"));
  send.fpdu().crc.status = CrcStatus::disabled;
  BOOST_TEST(send.shown(as_lines).ends_with(" last\n"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(iwarp_tree_writer)

BOOST_AUTO_TEST_CASE(a_pdu_follows_the_headers_of_its_frame) {
  const std::string all = tree("siw-crc-rping.pcap", 9);
  BOOST_TEST(all.starts_with("Frame 9: 106 octets on the wire, 106 captured\n"));
  BOOST_TEST(contains(all, "\n  RDMA: iwarp, SEND\nEthernet, offset 0, 14 octets\n"));
  BOOST_TEST(pdu_tree(all) ==
             R"(iWARP stream 0, offset 24, 40 octets, from the initiator
  Recognised: by its MPA start-up
  Offsets from here on: from the PDU's first octet
MPA Framed Protocol Data Unit, offset 0, 2 octets
    0   ULPDU length: 34
Direct Data Placement, untagged, offset 2, 18 octets
    2   Tagged flag: 0
    2.1 Last flag: 1
    2.6 DDP protocol version: 1
    3   Reserved for use by the ULP: 4300000000
    8   Queue number: 0
   12   Message sequence number: 1
   16   Message offset: 0
Remote Direct Memory Access Protocol, offset 3, 1 octet
    3   Version: 1
    3.4 Operation code: 0x03 (SEND)
Payload, offset 20, 16 octets
   20   00 00 56 1d 78 79 64 40  7e 92 fb 00 00 00 00 40  ..V.xyd@~......@
MPA CRC, offset 36, 4 octets
   36   CRC: 0x13aa14a4
        Status: good
)");
}

BOOST_AUTO_TEST_CASE(markers_and_what_lies_behind_them_have_their_places) {
  MarkedSend send;
  BOOST_TEST(pdu_tree(send.shown(as_tree, {2896, 0, 1})) ==
             R"(iWARP stream 3, offset 492, 52 octets, from the first end, begun in frame 7
  Recognised: by its FPDUs, without a start-up
  Before it: 2896 octets missing, at least 1 FPDU lost
  Offsets from here on: from the PDU's first octet, Markers included
MPA Framed Protocol Data Unit, offset 0, 2 octets
    0   ULPDU length: 42
Direct Data Placement, untagged, offset 2, 18 octets
    2   Tagged flag: 0
    2.1 Last flag: 1
    2.6 DDP protocol version: 1
    3   Reserved for use by the ULP: 4300000000
    8   Queue number: 0
   12   Message sequence number: 2
   16   Message offset: 0
Remote Direct Memory Access Protocol, offset 3, 1 octet
    3   Version: 1
    3.4 Operation code: 0x03 (SEND)
MPA Marker, offset 20, 4 octets
   22   FPDU back pointer: 20
Payload, offset 24, 24 octets
   24   00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  ................
   40   00 00 00 00 00 00 00 00                           ........
MPA CRC, offset 48, 4 octets
   48   CRC: 0x84925898
        Status: good
)");
  const std::string cut = send.shown(as_tree, {}, 30);
  BOOST_TEST(contains(cut, "Payload, offset 24, 24 octets, 6 captured\n"));
  BOOST_TEST(contains(cut, "MPA CRC, offset 48, not captured\n"));
}

BOOST_AUTO_TEST_CASE(private_data_are_shown_in_octets) {
  BOOST_TEST(
      contains(tree("siw-mpa-reject.pcap", 4), "Private data, offset 24, 6 octets\n   24   70 72 6f 62 65 00  "));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(iwarp_json_writer)

BOOST_AUTO_TEST_CASE(an_object_has_the_frame_the_place_in_the_stream_and_all_fields) {
  BOOST_TEST(
      json("siw-crc-rping.pcap", 9, 9) ==
      R"({"frame":9,"time":"1795961761.482550702","len":106,"caplen":106,"rdma.family":"iwarp","rdma.layers":["eth","ip","tcp","fpdu","ddp_untagged","rdmap"],"rdma.opcode":"SEND","rdma.payload_len":16,"rdma.stream":0,"rdma.stream.sender":"initiator","rdma.recognition":"startup","rdma.first_frame":9,"rdma.stream_offset":24,"rdma.mpa.crc.status":"good","rdma.mpa.crc.computed":"0x13aa14a4","eth.dst":"52:54:00:77:00:02","eth.src":"52:54:00:77:00:01","eth.type":2048,"ip.version":4,"rdma.ip.ihl":5,"ip.dsfield":0,"ip.dsfield.dscp":0,"ip.dsfield.ecn":0,"ip.len":92,"ip.id":38936,"ip.flags":2,"ip.flags.rb":false,"ip.flags.df":true,"ip.flags.mf":false,"ip.frag_offset":0,"ip.ttl":64,"ip.proto":6,"ip.checksum":36327,"ip.src":"10.77.0.1","ip.dst":"10.77.0.2","tcp.srcport":49312,"tcp.dstport":7174,"tcp.seq_raw":2916903100,"tcp.ack_raw":3394745408,"rdma.tcp.data_offset":8,"tcp.flags":24,"rdma.tcp.reserved3":0,"tcp.flags.ae":false,"tcp.flags.cwr":false,"tcp.flags.ece":false,"tcp.flags.urg":false,"tcp.flags.ack":true,"tcp.flags.push":true,"tcp.flags.reset":false,"tcp.flags.syn":false,"tcp.flags.fin":false,"tcp.window_size_value":1004,"tcp.checksum":48630,"tcp.urgent_pointer":0,"iwarp_mpa.ulpdulength":34,"iwarp_ddp.tagged_flag":false,"iwarp_ddp.last_flag":true,"iwarp_ddp.rsvd":0,"iwarp_ddp.dv":1,"iwarp_ddp.rsvdulp":"4300000000","iwarp_ddp.qn":0,"iwarp_ddp.msn":1,"iwarp_ddp.mo":0,"iwarp_rdma.version":1,"iwarp_rdma.rsv":0,"iwarp_rdma.opcode":3,"iwarp_rdma.reserved":"00000000","iwarp_mpa.crc":329913508})"
      "\n");
}

BOOST_AUTO_TEST_CASE(markers_and_what_was_lost_are_told) {
  MarkedSend send;
  const auto marked = nlohmann::json::parse(send.shown(as_json, {2896, 40, 2}));
  BOOST_TEST((marked["rdma.mpa.markers"] == nlohmann::json{512}));
  BOOST_TEST(marked["iwarp_mpa.marker_fpduptr"] == 20);
  BOOST_TEST(marked["rdma.stream.missing_len"] == 2896);
  BOOST_TEST(marked["rdma.stream.skipped_len"] == 40);
  BOOST_TEST(marked["rdma.stream.fpdus_lost"] == 2);
  BOOST_TEST(marked["rdma.stream.sender"] == "first");
  BOOST_TEST(marked["rdma.recognition"] == "mid_stream");
  BOOST_TEST(marked["rdma.first_frame"] == 7);
  const auto plain = nlohmann::json::parse(send.shown(as_json, {}, 30));
  for (const char* key : {"rdma.stream.missing_len", "iwarp_mpa.crc"}) BOOST_TEST(!plain.contains(key), key);
}

BOOST_AUTO_TEST_CASE(what_only_roce_has_is_absent) {
  const auto pdu = nlohmann::json::parse(json("siw-rping.pcap", 8, 8));
  for (const char* key : {"rdma.icrc.status", "rdma.vcrc.status", "rdma.icrc.computed"}) {
    BOOST_TEST(!pdu.contains(key), key);
  }
  const auto roce = nlohmann::json::parse(json("rxe-rping.pcap", 4, 4));
  for (const auto& [key, value] : roce.items()) BOOST_TEST(!key.starts_with("rdma.mpa."), key);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(iwarp_fields_writer)

BOOST_AUTO_TEST_CASE(values_are_those_of_tshark) {
  FieldsOptions options;
  options.names = {"frame.number",  "iwarp_mpa.ulpdulength", "iwarp_ddp.stag",       "iwarp_ddp.tagged_offset",
                   "iwarp_ddp.msn", "iwarp_rdma.opcode",     "iwarp_mpa.privatedata"};
  // tshark -Y iwarp_mpa -T fields -e ... has the same text.
  BOOST_TEST(fields("siw-crc-rping.pcap", 9, 14, options) ==
             "9\t34\t\t\t1\t0x03\t\n"
             "10\t46\t\t\t1\t0x01\t\n"
             "11\t78\t0x817bd200\t0x0000564975177ae0\t\t0x02\t\n"
             "12\t34\t\t\t1\t0x03\t\n"
             "13\t34\t\t\t2\t0x03\t\n"
             "14\t78\t0x5b5af400\t0x0000561d78792ae0\t\t0x00\t\n");
}

BOOST_AUTO_TEST_CASE(the_crc_is_computed_only_for_fields_that_show_it) {
  const auto needs = [](std::string name) {
    NeededCrcs out;
    written([&](Output& output) {
      FieldsOptions options;
      options.names = {std::move(name)};
      out = make_fields_writer(output, options)->needed_crcs();
    });
    return out;
  };
  BOOST_CHECK((needs("iwarp_mpa.crc") == NeededCrcs{}));
  BOOST_CHECK((needs("rdma.mpa.crc.status") == NeededCrcs{.mpa = true}));
  BOOST_CHECK((needs("rdma.mpa.crc.computed") == NeededCrcs{.mpa = true}));
  BOOST_CHECK((needs("rdma.icrc.status") == NeededCrcs{.ib = true}));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(iwarp_pdus)

BOOST_AUTO_TEST_CASE(markers_move_what_lies_behind_them) {
  iwarp::Fpdu fpdu;
  BOOST_TEST(iwarp::sent_offset(fpdu, 600) == 600U);
  fpdu.num_markers = 2;
  fpdu.first_marker = 0;
  // A Marker, 508 octets, a Marker, the rest.
  BOOST_TEST(iwarp::sent_offset(fpdu, 0) == 4U);
  BOOST_TEST(iwarp::sent_offset(fpdu, 507) == 511U);
  BOOST_TEST(iwarp::sent_offset(fpdu, 508) == 516U);
  BOOST_TEST(iwarp::sent_offset(fpdu, 1100) == 1108U);
  fpdu.first_marker = 20;
  BOOST_TEST(iwarp::sent_offset(fpdu, 19) == 19U);
  BOOST_TEST(iwarp::sent_offset(fpdu, 20) == 24U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cli
