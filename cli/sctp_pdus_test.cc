#include "codec/sctp_pdus.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/test_sctp_frame.h"
#include "cli/test_writers.h"
#include "codec/iwarp/sctp.h"

namespace rdmawire::cli {
namespace {

// What a writer makes of the PDUs in the first octets of the frame.
template <class Make>
std::string shown(Make&& make, std::size_t captured = sctp_frame.size()) {
  pcap::Packet packet;
  packet.number = 1;
  packet.data = Bytes(sctp_frame).first(captured);
  packet.original_length = sctp_frame.size();
  packet.link = LinkType::ethernet;
  const Frame frame = parse_frame(packet.link, packet.data, packet.original_length);
  return written([&](Output& out) {
    const auto writer = make(out);
    for_each_sctp_pdu(frame, [&](const iwarp::Pdu& pdu, const LayerRef& chunk) {
      writer->write({packet, frame, "sctp", {}, {}, &pdu, nullptr, &chunk});
    });
  });
}

constexpr auto as_lines = [](Output& out) { return make_line_writer(out, {}); };
constexpr auto as_tree = [](Output& out) { return make_tree_writer(out, {}); };
constexpr auto as_json = [](Output& out) { return make_json_writer(out, {.array = false}); };

}  // namespace

BOOST_AUTO_TEST_SUITE(sctp_pdus)

BOOST_AUTO_TEST_CASE(each_chunk_of_ddp_is_a_pdu) {
  // Stream and TSN stand where queue pair and PSN do.
  BOOST_TEST(shown(as_lines) ==
             "   1 0.000000  10.0.0.1 > 10.0.0.2    s3      100    2 DDP_SESSION_CONTROL DDP Stream Session Initiate\n"
             "   1 0.000000  10.0.0.1 > 10.0.0.2    s3      101    4 SEND msn 1 mo 0 last\n");
}

BOOST_AUTO_TEST_CASE(a_cut_chunk_is_shown_as_far_as_it_goes) {
  const std::string cut = shown(as_lines, 14 + 20 + 12 + 24 + 16 + 10);
  BOOST_TEST(contains(cut, "s3      100    2 DDP_SESSION_CONTROL DDP Stream Session Initiate\n"));
  BOOST_TEST(contains(cut,
                      "s3      101      DDP segment chunk [Direct Data Placement, untagged at offset 2: the "
                      "capture was cut (needs 18 octets, 8 left by captured length)]\n"));
}

BOOST_AUTO_TEST_CASE(the_tree_has_the_chunk_and_then_the_pdu) {
  const std::string tree = shown(as_tree);
  BOOST_TEST(contains(tree, "\n  RDMA: iwarp, SEND\n"));
  BOOST_TEST(contains(tree, R"(
SCTP DATA chunk, offset 70, 16 octets
   70   Chunk type: 0 (DATA)
)"));
  BOOST_TEST(contains(tree, R"(
   82   Payload protocol identifier: 16 (DDP segment)
iWARP in an SCTP chunk
  Offsets from here on: from the chunk's user data
DDP segment chunk, offset 0, 2 octets
    0   DDP stream sequence number: 1
Direct Data Placement, untagged, offset 2, 18 octets
)"));
  BOOST_TEST(contains(tree, "\nPayload, offset 20, 4 octets\n   20   01 02 03 04 "));
}

BOOST_AUTO_TEST_CASE(json_has_the_fields_of_both) {
  const std::string lines = shown(as_json);
  const auto first = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
  BOOST_TEST((first["rdma.layers"] == nlohmann::json{"eth", "ip", "sctp", "sctp_data", "ddp_sctp_control"}));
  BOOST_TEST(first["rdma.family"] == "iwarp");
  BOOST_TEST(first["rdma.opcode"] == "DDP_SESSION_CONTROL");
  BOOST_TEST(first["rdma.ddp_sctp_control.function"] == 1);
  BOOST_TEST(first["rdma.payload_len"] == 2);
  BOOST_TEST(!first.contains("rdma.stream"));
  const auto second = nlohmann::json::parse(lines.substr(lines.find('\n')));
  BOOST_TEST(second["sctp.data_tsn_raw"] == 101);
  BOOST_TEST(second["rdma.ddp_sctp.ssn"] == 1);
  BOOST_TEST(second["iwarp_ddp.msn"] == 1);
  BOOST_TEST(second["rdma.opcode"] == "SEND");
}

BOOST_AUTO_TEST_CASE(a_fragment_of_a_message_is_none) {
  net::SctpData chunk{.beginning = true, .ending = true, .payload_protocol = net::SctpPayloadProtocol::ddp_segment};
  BOOST_CHECK(sctp_pdu_kind(chunk) == iwarp::PduKind::sctp_segment);
  chunk.ending = false;
  BOOST_CHECK(!sctp_pdu_kind(chunk));
  chunk = {.beginning = true, .ending = true, .payload_protocol = net::SctpPayloadProtocol::unspecified};
  BOOST_CHECK(!sctp_pdu_kind(chunk));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cli
