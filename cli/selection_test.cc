#include "cli/selection.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "cli/test_records.h"

namespace rdmawire::cli {
namespace {

using pcap::Timestamp;

// The numbers of the frames of a capture whose records are selected, as "1 2 5".
std::string selected(const std::string& capture, const Selection& selection) {
  std::string out;
  for_each_record(capture, [&](const Record& record) {
    if (!selection.may_match(record.packet, record.first) || !selection.matches(record)) return;
    if (!out.empty()) out += ' ';
    out += std::to_string(record.packet.number);
  });
  return out;
}

template <class Value>
Value good(const Parsed<Value>& parsed) {
  BOOST_TEST_REQUIRE(parsed.has_value(), (parsed ? "" : parsed.error()));
  return *parsed;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(selection_values)

BOOST_AUTO_TEST_CASE(bounds_are_frames_or_times) {
  BOOST_TEST(good(parse_bound("120")).frame == 120U);
  BOOST_CHECK(good(parse_bound("120")).kind == Bound::Kind::frame);
  BOOST_CHECK(good(parse_bound("1.5s")).kind == Bound::Kind::relative);
  BOOST_CHECK((good(parse_bound("1.5s")).time == Timestamp{1, 500000000}));
  BOOST_CHECK(good(parse_bound("@1700000000.25")).kind == Bound::Kind::absolute);
  BOOST_CHECK((good(parse_bound("@1700000000.25")).time == Timestamp{1700000000, 250000000}));
  BOOST_CHECK((good(parse_bound("2023-11-14T22:13:20.25Z")).time == Timestamp{1700000000, 250000000}));
  for (const std::string_view wrong : {"", "-1", "1.5", "1.5m", "s", "@", "@x", "12:00", "0x10"}) {
    BOOST_TEST(!parse_bound(wrong), wrong);
  }
}

BOOST_AUTO_TEST_CASE(psn_ranges_may_wrap) {
  const PsnRange wrapping = good(parse_psn_range("0xfffffe-1"));
  for (const std::uint32_t inside : {0xFFFFFEU, 0xFFFFFFU, 0U, 1U}) BOOST_TEST(wrapping.contains(Psn{inside}), inside);
  for (const std::uint32_t outside : {0xFFFFFDU, 2U, 0x800000U}) BOOST_TEST(!wrapping.contains(Psn{outside}), outside);
  const PsnRange one = good(parse_psn_range("5"));
  BOOST_TEST((one.contains(Psn{5}) && !one.contains(Psn{4}) && !one.contains(Psn{6})));
  const PsnRange all = good(parse_psn_range("1-0"));
  BOOST_TEST((all.contains(Psn{0}) && all.contains(Psn{1}) && all.contains(Psn{0xFFFFFF})));
}

BOOST_AUTO_TEST_CASE(wrong_psns_are_refused_with_the_reason) {
  BOOST_TEST(parse_psn_range("0x1000000").error() == "0x1000000 is too large for a PSN: at most 16777215");
  BOOST_TEST(parse_psn_range("1-").error() == "'' is not a PSN (decimal, or hexadecimal with 0x)");
  for (const std::string_view wrong : {"", "-", "-5", "1-2-3", "x", "1 ", "0x"})
    BOOST_TEST(!parse_psn_range(wrong), wrong);
}

BOOST_AUTO_TEST_CASE(opcodes_have_names_patterns_and_numbers) {
  const auto codes = [](std::string_view text) {
    std::string out;
    const std::bitset<256> set = good(parse_operations(text)).ib;
    for (std::size_t i = 0; i < 256; ++i) {
      if (set.test(i)) out += (out.empty() ? "" : " ") + std::to_string(i);
    }
    return out;
  };
  BOOST_TEST(codes("RC_SEND_ONLY") == "4");
  BOOST_TEST(codes("rc_send_only") == "4");
  BOOST_TEST(codes("rc_send*") == "0 1 2 3 4 5 22 23");
  BOOST_TEST(codes("?C_SEND_FIRST") == "0 32");
  BOOST_TEST(codes("*acknowledge") == "17 18 81 82 177 178");
  BOOST_TEST(codes("CNP*") == "128 129");
  BOOST_TEST(codes("0xfe") == "254");
  BOOST_TEST(codes("17") == "17");
  BOOST_TEST(codes("*").size() > codes("rc*").size());
}

BOOST_AUTO_TEST_CASE(operations_of_iwarp_have_names_and_numbers_too) {
  const auto rdmap = [](std::string_view text) {
    std::string out;
    const auto set = good(parse_operations(text)).rdmap;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (set.test(i)) out += (out.empty() ? "" : " ") + std::to_string(i);
    }
    return out;
  };
  BOOST_TEST(rdmap("SEND") == "3");
  BOOST_TEST(rdmap("send*") == "3 4 5 6");
  BOOST_TEST(rdmap("RDMA_*") == "0 1 2");
  BOOST_TEST(rdmap("terminate") == "7");
  BOOST_TEST(rdmap("*atomic*") == "10 11");
  BOOST_TEST(rdmap("15") == "15");
  BOOST_TEST(rdmap("16") == "");
  BOOST_TEST(rdmap("MPA_*") == "");
  BOOST_TEST(good(parse_operations("MPA_*")).others.to_string() == "000011");
  BOOST_TEST(good(parse_operations("SEND*")).ib.none());
  BOOST_TEST(parse_operations("RDMA_WRIET").error() == "no opcode is called 'RDMA_WRIET' (did you mean RDMA_WRITE?)");
}

BOOST_AUTO_TEST_CASE(unknown_opcodes_get_suggestions) {
  BOOST_TEST(parse_operations("RC_SEND_ONYL").error() ==
             "no opcode is called 'RC_SEND_ONYL' (did you mean RC_SEND_ONLY, UC_SEND_ONLY or RD_SEND_ONLY?)");
  BOOST_TEST(parse_operations("256").error() == "256 is too large for an opcode: at most 255");
  BOOST_TEST(!parse_operations(""));
}

BOOST_AUTO_TEST_CASE(addresses_are_told_apart_by_their_form) {
  using Kind = AddressPattern::Kind;
  BOOST_CHECK(good(parse_address("10.0.0.1")).kind == Kind::ip);
  BOOST_CHECK(good(parse_address("10.0.0.1")).octets == good(parse_address("::ffff:10.0.0.1")).octets);
  BOOST_CHECK(good(parse_address("FE80::1")).octets == good(parse_address("fe80:0:0:0:0:0:0:1")).octets);
  BOOST_CHECK(good(parse_address("02:00:00:00:00:01")).kind == Kind::mac);
  BOOST_CHECK(good(parse_address("0x11")).kind == Kind::lid);
  BOOST_TEST(good(parse_address("17")).lid == 17);
  for (const std::string_view wrong : {"", "10.0.0", "10.0.0.256", "65536", "02:00:00:00:00", "host", "fe80::1%eth0"}) {
    BOOST_TEST(!parse_address(wrong), wrong);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(selection)

const std::string rping = "rxe-rping.pcap";

BOOST_AUTO_TEST_CASE(without_conditions_all_rdma_is_selected) {
  BOOST_TEST(selected("rxe-cm-reject.pcap", {}) == "1 2");
  // TCP and no PDU in it.
  BOOST_TEST(selected("siw-no-listener.pcap", {}) == "");
  Selection all;
  all.all_frames = true;
  BOOST_TEST(selected("siw-no-listener.pcap", all) == "1 2");
}

BOOST_AUTO_TEST_CASE(queue_pairs_are_destinations_or_sources_of_datagrams) {
  Selection selection;
  selection.queue_pairs = {Qpn{1}};
  BOOST_TEST(selected(rping, selection) == "1 2 3 40 41");
  selection.queue_pairs = {Qpn{2}};
  BOOST_TEST(selected(rping, selection) == "");
}

BOOST_AUTO_TEST_CASE(conditions_must_all_hold) {
  Selection selection;
  selection.psns = {{Psn{12257489}, Psn{12257490}}};
  BOOST_TEST(selected(rping, selection) == "4 5 10 11");
  selection.operations = *parse_operations("RC_ACKNOWLEDGE");
  BOOST_TEST(selected(rping, selection) == "5 11");
  selection.sources = {*parse_address("10.77.0.2")};
  BOOST_TEST(selected(rping, selection) == "5 11");
  selection.destinations = {*parse_address("10.77.0.2")};
  BOOST_TEST(selected(rping, selection) == "");
}

BOOST_AUTO_TEST_CASE(addresses_of_every_layer_count) {
  Selection selection;
  selection.psns = {{Psn{12257489}, Psn{12257489}}};
  for (const std::string_view from_client : {"10.77.0.1", "::ffff:10.77.0.1", "52:54:00:77:00:01"}) {
    selection.sources = {*parse_address(from_client)};
    BOOST_TEST(selected(rping, selection) == "4", from_client);
  }
  selection.sources = {*parse_address("77")};
  BOOST_TEST(selected(rping, selection) == "");
}

BOOST_AUTO_TEST_CASE(pdus_are_selected_by_operation_and_stream_and_have_no_queue_pair) {
  const std::string siw = "siw-rping.pcap";
  const auto by = [&](std::string_view operation) {
    Selection selection;
    selection.operations = *parse_operations(operation);
    return selected(siw, selection);
  };
  BOOST_TEST(by("MPA_*") == "4 6");
  BOOST_TEST(by("rdma_write") == "13 21 29");
  BOOST_TEST(by("RDMA_READ*") == "9 10 17 18 25 26");
  BOOST_TEST(by("SEND*") == "8 11 12 14 16 19 20 22 24 27 28 30");
  BOOST_TEST(by("0") == "13 21 29");
  BOOST_TEST(by("RC_*") == "");
  Selection selection;
  selection.streams = {1};
  BOOST_TEST(selected(siw, selection) == "");
  selection.streams = {0, 1};
  BOOST_TEST(selected(siw, selection).starts_with("4 6 8 9 "));
  BOOST_TEST(selected(rping, selection) == "");
  selection = {};
  selection.queue_pairs = {Qpn{0}, Qpn{1}};
  BOOST_TEST(selected(siw, selection) == "");
  selection = {};
  selection.psns = {{Psn{0}, Psn{0xFFFFFF}}};
  BOOST_TEST(selected(siw, selection) == "");
  selection = {};
  selection.sources = {*parse_address("10.77.0.2")};
  selection.from = *parse_bound("9");
  selection.to = *parse_bound("14");
  BOOST_TEST(selected(siw, selection) == "9 11 13 14");
}

BOOST_AUTO_TEST_CASE(conditions_that_iwarp_cannot_meet_are_known) {
  Selection selection;
  BOOST_TEST(selection.may_select_iwarp());
  selection.operations = *parse_operations("RC_*");
  BOOST_TEST(!selection.may_select_iwarp());
  selection.operations = *parse_operations("*WRITE*");
  BOOST_TEST(selection.may_select_iwarp());
  selection.queue_pairs = {Qpn{1}};
  BOOST_TEST(!selection.may_select_iwarp());
}

BOOST_AUTO_TEST_CASE(from_and_to_include_their_bounds) {
  Selection selection;
  selection.from = *parse_bound("4");
  selection.to = *parse_bound("6");
  BOOST_TEST(selected(rping, selection) == "4 5 6");
  selection.from = *parse_bound("0.055s");
  selection.to = *parse_bound("0.057s");
  BOOST_TEST(selected(rping, selection) == "4 5");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cli
