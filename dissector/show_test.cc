#include "dissector/show.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/frame_build.h"
#include "dissector/recorder.h"

namespace rdmawire::dissector {
namespace {

// What Wireshark 4.0 has: every name of its own prefixes but these.
FieldTable::BuiltIn wireshark_has(const char* name) {
  const std::string_view text(name);
  if (text.starts_with("rdma.") || text.starts_with("infiniband.feth.") || text.starts_with("iwarp_mpa.enhanced")) {
    return FieldTable::BuiltIn::nothing;
  }
  return text == "infiniband.bth.opcode" ? FieldTable::BuiltIn::in_words : FieldTable::BuiltIn::number;
}

const FieldTable& fields() {
  static const FieldTable table(wireshark_has);
  return table;
}

constexpr BuiltIn took{.took_infiniband = true};

using Octets = std::vector<std::uint8_t>;

Octets built(const FrameSpec& spec) {
  Octets out(2048);
  const auto size = build_frame(spec, out);
  BOOST_REQUIRE(size.has_value());
  out.resize(*size);
  return out;
}

FrameSpec packet(ib::Opcode opcode) {
  FrameSpec spec = rocev2_spec();
  spec.bth.opcode = opcode;
  spec.bth.dest_qp = {0x11};
  spec.bth.psn = {100};
  return spec;
}

Recorder shown(const Octets& octets, const BuiltIn& built_in, bool all = false, std::size_t cut = 0) {
  Recorder recorder(fields());
  const Frame frame = parse_frame(LinkType::ethernet, Bytes(octets).first(octets.size() - cut),
                                  static_cast<std::uint32_t>(octets.size()));
  show_frame(recorder, fields(), frame, built_in, all);
  return recorder;
}

using Values = std::vector<std::string>;

std::string info_of(const Octets& octets, bool with_operation = true) {
  std::array<char, 2048> buffer;
  Text text(buffer);
  append_info(text, parse_frame(LinkType::ethernet, octets, static_cast<std::uint32_t>(octets.size())), with_operation);
  return std::string(text.view());
}

BOOST_AUTO_TEST_SUITE(show)

BOOST_AUTO_TEST_CASE(of_a_packet_that_the_built_in_dissector_reads_only_what_it_lacks_is_shown) {
  const Octets payload{1, 2, 3, 4, 5};
  FrameSpec spec = packet(ib::Opcode::RC_SEND_ONLY);
  spec.payload = payload;
  const Recorder tree = shown(built(spec), took);
  std::vector<std::string> names;
  for (const Recorded& item : tree.items) {
    if (!item.name.empty()) names.push_back(item.name + "=" + item.value);
  }
  const Octets octets = built(spec);
  const std::uint64_t icrc = load_be<4>(octets.data() + octets.size() - 4);
  const std::vector<std::string> expected{"rdma.family=rocev2",
                                          "rdma.opcode=RC_SEND_ONLY",
                                          "rdma.bth.fecn=0",
                                          "rdma.bth.becn=0",
                                          "rdma.payload_len=5",
                                          "rdma.pad_len=3",
                                          "rdma.icrc=" + std::to_string(icrc),
                                          "rdma.icrc.status=1",
                                          "rdma.icrc.computed=" + std::to_string(icrc)};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  BOOST_TEST(tree.items.front().value == "RDMA, rocev2, RC_SEND_ONLY");
}

BOOST_AUTO_TEST_CASE(a_wrong_icrc_is_bad_and_has_expert_information) {
  Octets octets = built(packet(ib::Opcode::RC_SEND_ONLY));
  octets.back() ^= 1;
  const Recorder tree = shown(octets, took);
  BOOST_TEST(tree.values("rdma.icrc.status") == Values{"0"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.icrc.bad").size() == 1U);
  const std::uint64_t stored = load_be<4>(octets.data() + octets.size() - 4);
  BOOST_TEST(tree.values("rdma.icrc") == Values{std::to_string(stored)}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.icrc.computed") == Values{std::to_string(stored ^ 1)}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_cut_packet_is_unchecked_and_nothing_is_called_unreadable) {
  const Octets payload(64, 0x5A);
  FrameSpec spec = packet(ib::Opcode::RC_SEND_ONLY);
  spec.payload = payload;
  const Recorder tree = shown(built(spec), took, false, 40);
  BOOST_TEST(tree.values("rdma.icrc.status") == Values{"2"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.payload_len") == Values{"64"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.not_readable").empty());
  BOOST_TEST(tree.values("rdma.icrc.bad").empty());
}

BOOST_AUTO_TEST_CASE(what_another_dissector_took_is_shown_whole) {
  FrameSpec spec = packet(ib::Opcode::RC_RDMA_WRITE_ONLY);
  spec.reth = {{0x1000}, {0x568}, 0};
  const Recorder tree = shown(built(spec), {});
  BOOST_TEST(tree.values("infiniband.bth.psn") == Values{"100"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("infiniband.bth.destqp") == Values{"0x000011"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("infiniband.reth.r_key") == Values{"0x00000568"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_xrc_the_headers_after_the_bth_are_shown_which_the_built_in_dissector_does_not_read) {
  FrameSpec spec = packet(ib::Opcode::XRC_RDMA_WRITE_ONLY);
  spec.reth = {{0x1000}, {0x568}, 0};
  const Recorder tree = shown(built(spec), took);
  BOOST_TEST(tree.values("infiniband.bth.psn").empty());
  BOOST_TEST(tree.values("rdma.xrceth.xrcsrq") == Values{"0x000000"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("infiniband.reth.va") == Values{"0x0000000000001000"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_flush_and_atomic_write_the_reth_is_shown_unless_the_built_in_dissector_knows_them) {
  for (const ib::Opcode opcode : {ib::Opcode::RC_FLUSH, ib::Opcode::RC_ATOMIC_WRITE}) {
    FrameSpec spec = packet(opcode);
    spec.reth = {{0x2000}, {7}, 8};
    const Octets eight(8, 1);
    if (opcode == ib::Opcode::RC_ATOMIC_WRITE) spec.payload = eight;
    BOOST_TEST(shown(built(spec), took).values("infiniband.reth.dmalen") == Values{"8"},
               boost::test_tools::per_element());
    const BuiltIn newer{.took_infiniband = true, .knows_flush = true};
    BOOST_TEST(shown(built(spec), newer).values("infiniband.reth.dmalen").empty());
  }
}

BOOST_AUTO_TEST_CASE(taken_over_everything_is_shown_under_the_built_in_names) {
  FrameSpec spec = packet(ib::Opcode::RC_ACKNOWLEDGE);
  spec.aeth = {ib::Syndrome::rnr_nak(12), {5}};
  const Recorder tree = shown(built(spec), {}, true);
  BOOST_TEST(tree.values("infiniband.bth.opcode") == Values{"17 (RC_ACKNOWLEDGE)"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("infiniband.aeth.msn") == Values{"5"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.aeth.rnr_wait") == Values{"640000"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("infiniband.aeth.syndrome.timer") == Values{"12"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(words_for_numbers_that_wireshark_shows_bare_have_a_field_of_their_own) {
  FrameSpec spec = packet(ib::Opcode::RC_ACKNOWLEDGE);
  spec.aeth = {ib::Syndrome::nak(ib::NakCode::remote_access_error), {5}};
  const Recorder tree = shown(built(spec), took);
  BOOST_TEST(tree.values("rdma.aeth.syndrome.error_code") == Values{"2 (remote access error)"},
             boost::test_tools::per_element());
  BOOST_TEST(own_name("infiniband.cm.rej.reason") == "rdma.cm.rej.reason");
}

BOOST_AUTO_TEST_CASE(credits_are_told_in_numbers_of_receives) {
  FrameSpec spec = packet(ib::Opcode::RC_ACKNOWLEDGE);
  spec.aeth = {ib::Syndrome::ack(13), {5}};
  BOOST_TEST(shown(built(spec), took).values("rdma.aeth.credits") == Values{"96"}, boost::test_tools::per_element());
  spec.aeth = {ib::Syndrome::ack(31), {5}};
  BOOST_TEST(shown(built(spec), took).values("rdma.aeth.credits").empty());
}

BOOST_AUTO_TEST_CASE(octets_after_the_packet_are_told_as_its_trailer) {
  Octets octets = built(packet(ib::Opcode::RC_SEND_ONLY));
  octets.insert(octets.end(), {0xDE, 0xAD, 0xBE, 0xEF});
  const Recorder tree = shown(octets, took);
  BOOST_TEST(tree.values("rdma.trailer_len") == Values{"4"}, boost::test_tools::per_element());
  BOOST_TEST(tree.values("rdma.icrc.status") == Values{"1"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_field_lies_in_the_frame) {
  for (int opcode = 0; opcode < 256; ++opcode) {
    FrameSpec spec = packet(static_cast<ib::Opcode>(opcode));
    const Octets payload(16, 3);
    spec.payload = payload;
    Octets octets(2048);
    const auto size = build_frame(spec, octets);
    if (!size) continue;
    octets.resize(*size);
    for (std::size_t cut = 0; cut < octets.size(); cut += 3) {
      const Recorder tree = shown(octets, {}, true, cut);
      for (const Recorded& item : tree.items) {
        BOOST_REQUIRE_MESSAGE(std::size_t{item.range.offset} + item.range.len <= octets.size() - cut,
                              item.name << " of opcode " << opcode << " cut by " << cut);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_info_column_has_all_that_tells_most) {
  FrameSpec spec = packet(ib::Opcode::RC_RDMA_READ_REQUEST);
  spec.reth = {{0x5652165aa5c0}, {0x568}, 64};
  BOOST_TEST(info_of(built(spec)) ==
             "RC_RDMA_READ_REQUEST QP 0x11 PSN 100 len 0 va 0x5652165aa5c0 rkey 0x568 dmalen 64");
  BOOST_TEST(info_of(built(spec), false) == "PSN 100 len 0 va 0x5652165aa5c0 rkey 0x568 dmalen 64");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(field_table)

BOOST_AUTO_TEST_CASE(names_are_unique_and_no_two_different_fields_share_one) {
  std::set<std::string_view> names;
  for (const FieldTable::Entry& entry : fields().entries()) {
    BOOST_TEST(names.insert(entry.name).second, entry.name);
    BOOST_TEST(!entry.title.empty());
  }
  BOOST_TEST(names.size() > 600U);
}

BOOST_AUTO_TEST_CASE(a_field_under_a_shared_name_has_the_same_kind_of_value_everywhere) {
  for (const HeaderInfo* header : all_headers()) {
    const auto ids = fields().of(*header);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (const FieldId id : {ids[i].name, ids[i].lacking}) {
        if (id == no_field || fields().entries()[id].field == nullptr) continue;
        const FieldInfo& first = *fields().entries()[id].field;
        BOOST_TEST(first.is_number() == header->fields[i].is_number(), fields().entries()[id].name);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::dissector
