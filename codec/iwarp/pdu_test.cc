#include "codec/iwarp/pdu.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/iwarp/framing_test.h"
#include "codec/iwarp/headers.h"
#include "codec/iwarp/pdu_build.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using iwarp::test::framed;
using iwarp::test::laid_out;
using rdmawire::test::check_error;
using rdmawire::test::octets;

using Octets = std::vector<std::uint8_t>;

Octets built(const PduSpec& spec) {
  Octets out(pdu_size(spec));
  const auto size = build_pdu(spec, out);
  BOOST_REQUIRE(size.has_value());
  BOOST_TEST(*size == out.size());
  return out;
}

Pdu parsed(const Octets& ulpdu) { return parse_ulpdu(ulpdu, static_cast<std::uint32_t>(ulpdu.size())); }

std::string layer_names(const Pdu& pdu) {
  std::string out;
  for (const LayerRef& ref : pdu.layers()) {
    out += (out.empty() ? "" : " ") + std::string(ref.continued ? "+" : info(ref.layer).name);
  }
  return out;
}

// What first_violation finds, and what a receiver answers.
std::string judged(const Octets& ulpdu) {
  const Pdu pdu = parsed(ulpdu);
  const Error error = first_violation(pdu);
  if (!error) return "none";
  const TerminateInfo* answer = answer_to(pdu, error);
  return std::string(info(error.code).name) + " " + std::string(info(error.layer).name) + "@" +
         std::to_string(error.offset) + " " + std::string(answer == nullptr ? "close" : answer->name);
}

template <class Change>
std::string judged(Opcode opcode, Change&& change) {
  PduSpec spec = segment_spec(opcode);
  if (opcode == Opcode::TERMINATE) spec.terminate->error = info(TerminateReason::mpa_bad_crc).error;
  change(spec);
  return judged(built(spec));
}

// One of each opcode, right in itself.
std::vector<Octets> one_of_each() {
  std::vector<Octets> out;
  for (const OpcodeInfo& row : opcode_table) {
    PduSpec spec = segment_spec(row.opcode);
    static constexpr std::array<std::uint8_t, 5> payload{1, 2, 3, 4, 5};
    if (row.payload == PayloadRule::any) spec.payload = payload;
    if (row.payload == PayloadRule::terminated) spec.terminate->error = info(TerminateReason::mpa_bad_crc).error;
    out.push_back(built(spec));
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pdus)

//= RDMAP-5040-4.1-05 test
BOOST_AUTO_TEST_CASE(a_segment_of_each_opcode) {
  const std::array<std::string, 12> layers{
      "ddp_tagged rdmap",
      "ddp_untagged rdmap + read_request",
      "ddp_tagged rdmap",
      "ddp_untagged rdmap +",
      "ddp_untagged rdmap +",
      "ddp_untagged rdmap +",
      "ddp_untagged rdmap +",
      "ddp_untagged rdmap + terminate",
      "ddp_untagged rdmap + immediate_data",
      "ddp_untagged rdmap + immediate_data",
      "ddp_untagged rdmap + atomic_request",
      "ddp_untagged rdmap + atomic_response",
  };
  const std::vector<Octets> each = one_of_each();
  BOOST_REQUIRE(each.size() == layers.size());
  for (std::size_t i = 0; i < each.size(); ++i) {
    BOOST_TEST_CONTEXT(opcode_table[i].name) {
      const Pdu pdu = parsed(each[i]);
      BOOST_TEST(layer_names(pdu) == layers[i]);
      BOOST_TEST(pdu.opcode == &opcode_table[i]);
      BOOST_TEST(!pdu.error);
      BOOST_TEST(pdu.payload_offset == segment_header_size(opcode_table[i]));
      BOOST_TEST(pdu.payload_len == (opcode_table[i].payload == PayloadRule::any ? 5U : 0U));
      BOOST_TEST(pdu.payload().size() == pdu.payload_len);
      BOOST_TEST((pdu.kind == PduKind::ulpdu));
      BOOST_TEST(judged(each[i]) == "none");
    }
  }
}

//= MPA-5044-4.1-02 test
BOOST_AUTO_TEST_CASE(an_fpdu_has_its_length_first) {
  const Octets octets = framed(one_of_each()[4], {});
  std::array<std::uint8_t, max_pdu_head> scratch;
  const Fpdu fpdu = laid_out(octets, {});
  const Pdu pdu = parse_fpdu(fpdu, scratch);
  BOOST_TEST(layer_names(pdu) == "fpdu ddp_untagged rdmap +");
  BOOST_TEST(pdu.get<FpduHeader>()->ulpdu_len == 23);
  BOOST_TEST(pdu.layers()[1].offset == 2U);
  BOOST_TEST(pdu.layers()[2].offset == 3U);
  BOOST_TEST(pdu.layers()[3].offset == 4U);
  BOOST_TEST(pdu.ulpdu_offset == 2U);
  BOOST_TEST(pdu.payload_offset == 18U);
  BOOST_TEST(pdu.payload().size() == 5U);
  BOOST_TEST(pdu.payload().front() == 1);
  BOOST_TEST(pdu.captured.data() == octets.data());
  BOOST_TEST((pdu.kind == PduKind::fpdu));
}

// At every phase, captured whole or in part: the same headers as without Markers.
BOOST_AUTO_TEST_CASE(markers_do_not_change_what_is_read) {
  std::array<std::uint8_t, max_pdu_head> scratch;
  for (const Octets& ulpdu : one_of_each()) {
    const Pdu plain = parsed(ulpdu);
    for (std::uint32_t phase = 0; phase < 512; phase += 4) {
      const Octets octets = framed(ulpdu, {true, phase});
      const Fpdu fpdu = laid_out(octets, {true, phase});
      scratch.fill(0xA5);
      const Pdu pdu = parse_fpdu(fpdu, scratch);
      BOOST_REQUIRE(layer_names(pdu) == "fpdu " + layer_names(plain));
      for (std::size_t i = 0; i < plain.layers().size(); ++i) {
        BOOST_REQUIRE(std::ranges::equal(pdu.octets(pdu.layers()[i + 1]), plain.octets(plain.layers()[i])));
        BOOST_REQUIRE(pdu.layers()[i + 1].offset == plain.layers()[i].offset + 2);
      }
      BOOST_REQUIRE(pdu.payload_offset == plain.payload_offset);
      BOOST_REQUIRE(pdu.payload_len == plain.payload_len);
      Octets payload;
      fpdu.for_each_span(pdu.payload_offset, pdu.payload_len,
                         [&](Bytes span) { payload.insert(payload.end(), span.begin(), span.end()); });
      BOOST_REQUIRE(std::ranges::equal(payload, plain.payload()));
      BOOST_REQUIRE(!first_violation(pdu, &fpdu));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_cut_capture_is_no_fault) {
  std::array<std::uint8_t, max_pdu_head> scratch;
  for (const Octets& ulpdu : one_of_each()) {
    for (std::size_t n = 0; n < ulpdu.size(); ++n) {
      const Pdu pdu = parse_ulpdu(Bytes(ulpdu).first(n), static_cast<std::uint32_t>(ulpdu.size()));
      const ErrorClass got = pdu.error.error_class();
      BOOST_REQUIRE((got == ErrorClass::none || got == ErrorClass::truncated_capture));
      BOOST_REQUIRE((first_violation(pdu).error_class() == got));
      BOOST_REQUIRE(answer_to(pdu, first_violation(pdu)) == nullptr);
      BOOST_REQUIRE(pdu.payload().size() <= pdu.payload_len);
    }
    for (const std::uint32_t phase : {0U, 4U, 480U, 496U, 508U}) {
      const Octets octets = framed(ulpdu, {true, phase});
      for (std::size_t n = 6; n < octets.size(); ++n) {
        const Fpdu fpdu = laid_out(Bytes(octets).first(n), {true, phase});
        const Error error = first_violation(parse_fpdu(fpdu, scratch), &fpdu);
        BOOST_REQUIRE((!error || error.code == ErrorCode::truncated_capture));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_cut_capture_says_what_is_missing) {
  const Octets read = one_of_each()[1];
  check_error(parse_ulpdu(Bytes(read).first(0), 46).error,
              {ErrorCode::truncated_capture, Layer::ddp_tagged, Limit::capture, 14, 0, 0});
  check_error(parse_ulpdu(Bytes(read).first(17), 46).error,
              {ErrorCode::truncated_capture, Layer::ddp_untagged, Limit::capture, 18, 17, 0});
  check_error(parse_ulpdu(Bytes(read).first(20), 46).error,
              {ErrorCode::truncated_capture, Layer::read_request, Limit::capture, 28, 2, 18});
}

//= DDP-5041-4.4-01 test
BOOST_AUTO_TEST_CASE(a_short_ulpdu_is_the_senders_fault) {
  check_error(parse_ulpdu({}, 0).error, {ErrorCode::truncated_wire, Layer::ddp_tagged, Limit::ulpdu_length, 14, 0, 0});
  const Octets read = one_of_each()[1];
  check_error(parse_ulpdu(read, 40).error,
              {ErrorCode::truncated_wire, Layer::read_request, Limit::ulpdu_length, 28, 22, 18});
  BOOST_TEST(judged(Octets(read.begin(), read.begin() + 17)) == "truncated-wire ddp_untagged@0 ddp_local_catastrophic");
  BOOST_TEST(judged(Octets(read.begin(), read.begin() + 40)) ==
             "truncated-wire read_request@18 rdmap_operation_unspecified");
  BOOST_TEST(judged(octets("c1")) == "truncated-wire ddp_tagged@0 ddp_local_catastrophic");
  // Of a Terminate that promises more than there is.
  BOOST_TEST(judged(octets("4147000000000000000200000001000000001100c0000012c140")) ==
             "truncated-wire ddp_tagged@24 rdmap_operation_unspecified");
}

//= RDMAP-5040-4.1-11, RDMAP-5040-7.2-02 test
BOOST_AUTO_TEST_CASE(reserved_opcodes_keep_their_payload) {
  PduSpec spec = segment_spec(Opcode{0xC});
  const Octets payload = octets("0102");
  spec.payload = payload;
  const Octets ulpdu = built(spec);
  const Pdu pdu = parsed(ulpdu);
  check_error(pdu.error, {ErrorCode::reserved_opcode, Layer::rdmap, Limit::none, 0, 0, 1});
  BOOST_TEST(pdu.opcode == nullptr);
  BOOST_TEST(layer_names(pdu) == "ddp_untagged rdmap +");
  BOOST_TEST(pdu.payload_offset == 18U);
  BOOST_TEST(pdu.payload_len == 2U);
  BOOST_TEST(judged(ulpdu) == "reserved-opcode rdmap@1 rdmap_unexpected_opcode");
}

//= RDMAP-5040-4.1-03 test
BOOST_AUTO_TEST_CASE(an_opcode_of_the_other_model) {
  PduSpec spec = segment_spec(Opcode::SEND);
  spec.rdmap.opcode = Opcode::RDMA_WRITE;
  BOOST_TEST(judged(built(spec)) == "wrong-model ddp_untagged@0 rdmap_unexpected_opcode");
  spec = segment_spec(Opcode::RDMA_WRITE);
  spec.rdmap.opcode = Opcode::SEND;
  BOOST_TEST(judged(built(spec)) == "wrong-model ddp_tagged@0 rdmap_unexpected_opcode");
  BOOST_TEST((parsed(built(spec)).opcode->opcode == Opcode::SEND));
}

// One fault each; then two, of which the first in the order counts.
//= DDP-5041-4.1-09, DDP-5041-7.1-01, RDMAP-5040-4.4-06, RDMAP-5040-4.8-03, RDMAP-5040-7.2-01, RDMAP-5040-7.2-03 test
BOOST_AUTO_TEST_CASE(violations_and_their_answers) {
  using enum Opcode;
  BOOST_TEST(judged(RDMA_WRITE, [](PduSpec& s) { s.tagged->version = 0; }) ==
             "bad-version ddp_tagged@0 ddp_tagged_bad_version");
  BOOST_TEST(judged(SEND, [](PduSpec& s) { s.untagged->version = 2; }) ==
             "bad-version ddp_untagged@0 ddp_untagged_bad_version");
  BOOST_TEST(judged(SEND, [](PduSpec& s) { s.rdmap.version = 0; }) == "bad-version rdmap@1 rdmap_bad_version");
  BOOST_TEST(judged(SEND, [](PduSpec& s) { s.untagged->queue = {1}; }) ==
             "wrong-queue ddp_untagged@6 ddp_untagged_bad_queue");
  BOOST_TEST(judged(ATOMIC_RESPONSE, [](PduSpec& s) { s.untagged->queue = {1}; }) ==
             "wrong-queue ddp_untagged@6 ddp_untagged_bad_queue");
  BOOST_TEST(judged(RDMA_READ_REQUEST, [](PduSpec& s) { s.untagged->message_offset = 4; }) ==
             "bad-value ddp_untagged@14 ddp_untagged_bad_offset");
  BOOST_TEST(judged(RDMA_READ_REQUEST, [](PduSpec& s) { s.untagged->last = false; }) ==
             "bad-value ddp_untagged@0 rdmap_operation_unspecified");
  BOOST_TEST(judged(TERMINATE, [](PduSpec& s) { s.untagged->msn = DdpMsn{2}; }) ==
             "bad-value ddp_untagged@10 ddp_untagged_msn_out_of_range");
  BOOST_TEST(judged(ATOMIC_REQUEST, [](PduSpec& s) { s.atomic_request->opcode = AtomicOpcode{1}; }) ==
             "bad-value atomic_request@21 rdmap_unexpected_opcode");
  static constexpr std::array<std::uint8_t, 2> more{};
  BOOST_TEST(judged(RDMA_READ_REQUEST, [](PduSpec& s) { s.payload = more; }) ==
             "payload-rule read_request@18 ddp_untagged_too_long");
  BOOST_TEST(judged(IMMEDIATE_DATA, [](PduSpec& s) { s.payload = more; }) ==
             "payload-rule immediate_data@18 rdmap_operation_unspecified");
  BOOST_TEST(judged(TERMINATE, [](PduSpec& s) { s.payload = more; }) ==
             "payload-rule terminate@18 rdmap_operation_unspecified");
  BOOST_TEST(judged(TERMINATE, [](PduSpec& s) { s.terminate->error = {0x7777}; }) == "bad-value terminate@18 close");
  // Lenient readings are violations all the same.
  BOOST_TEST(judged(TERMINATE, [](PduSpec& s) { s.terminate->error = {0x2302}; }) == "bad-value terminate@18 close");
  BOOST_TEST(judged(TERMINATE, [](PduSpec& s) { s.terminate->error = {0x0202}; }) == "bad-value terminate@18 close");

  BOOST_TEST(judged(SEND, [](PduSpec& s) {
               s.rdmap.version = 0;
               s.untagged->version = 3;
             }) == "bad-version ddp_untagged@0 ddp_untagged_bad_version");
  BOOST_TEST(judged(SEND, [](PduSpec& s) {
               s.rdmap.version = 0;
               s.untagged->queue = {1};
             }) == "wrong-queue ddp_untagged@6 ddp_untagged_bad_queue");
  BOOST_TEST(judged(SEND, [](PduSpec& s) { s.rdmap = {0, 0, Opcode{0xD}}; }) ==
             "bad-version rdmap@1 rdmap_bad_version");
}

// RFC 5041, 7.1: the last octet decides, and only if there is one.
//= DDP-5041-7.1-07, DDP-5041-7.1-13, DDP-5041-7.1-14 test
BOOST_AUTO_TEST_CASE(offsets_that_wrap) {
  static constexpr std::array<std::uint8_t, 8> payload{};
  const auto write = [](std::uint64_t offset, Bytes data) {
    return judged(Opcode::RDMA_WRITE, [&](PduSpec& s) {
      s.tagged->tagged_offset = {offset};
      s.payload = data;
    });
  };
  BOOST_TEST(write(0xFFFFFFFFFFFFFFF8, payload) == "none");
  BOOST_TEST(write(0xFFFFFFFFFFFFFFF9, payload) == "bad-value ddp_tagged@6 ddp_tagged_offset_wrap");
  BOOST_TEST(write(0xFFFFFFFFFFFFFFFF, {}) == "none");
  const auto send = [](std::uint32_t offset, Bytes data) {
    return judged(Opcode::SEND, [&](PduSpec& s) {
      s.untagged->message_offset = offset;
      s.payload = data;
    });
  };
  BOOST_TEST(send(0xFFFFFFF8, payload) == "none");
  BOOST_TEST(send(0xFFFFFFF9, payload) == "bad-value ddp_untagged@14 ddp_untagged_bad_offset");
}

BOOST_AUTO_TEST_CASE(framing_comes_first) {
  PduSpec spec = segment_spec(Opcode::SEND);
  spec.untagged->version = 3;
  Octets octets = framed(built(spec), {true, 0});
  std::array<std::uint8_t, max_pdu_head> scratch;
  const auto found = [&] {
    const Fpdu fpdu = laid_out(octets, {true, 0});
    const Pdu pdu = parse_fpdu(fpdu, scratch);
    const Error error = first_violation(pdu, &fpdu);
    return std::string(info(error.code).name) + " " + std::string(answer_to(pdu, error)->name);
  };
  BOOST_TEST(found() == "bad-version ddp_untagged_bad_version");
  octets[3] = 8;  // the Marker before it, and so the CRC too
  BOOST_TEST(found() == "bad-mpa-crc mpa_bad_crc");
  const std::uint32_t crc = crc::crc32c(Bytes(octets).first(octets.size() - 4));
  for (std::size_t i = 0; i < 4; ++i) octets[octets.size() - 4 + i] = static_cast<std::uint8_t>(crc >> 8 * i);
  BOOST_TEST(found() == "bad-marker mpa_bad_marker");
  const Fpdu fpdu = laid_out(octets, {true, 0});
  BOOST_TEST((parse_fpdu_strict(fpdu, scratch).error().code == ErrorCode::bad_marker));
}

//= DDP-5041-4.1-07, RDMAP-5040-4.1-08, RDMAP-5040-4.1-10, RDMAP-5040-4.8-05, RDMAP-7306-5.2.1-02 test
BOOST_AUTO_TEST_CASE(reserved_bits_are_told_apart) {
  const auto reserved = [](Opcode opcode, auto&& change) {
    PduSpec spec = segment_spec(opcode);
    change(spec);
    const Octets ulpdu = built(spec);
    const Pdu pdu = parsed(ulpdu);
    BOOST_TEST(!first_violation(pdu));
    const Error error = first_reserved_set(pdu);
    return error ? std::string(info(error.code).name) + " " + std::string(info(error.layer).name) + "@" +
                       std::to_string(error.offset)
                 : std::string("none");
  };
  using enum Opcode;
  BOOST_TEST(reserved(SEND, [](PduSpec&) {}) == "none");
  BOOST_TEST(reserved(SEND, [](PduSpec& s) { s.untagged->reserved4 = 1; }) == "reserved-not-zero ddp_untagged@0");
  BOOST_TEST(reserved(SEND, [](PduSpec& s) { s.rdmap.reserved2 = 2; }) == "reserved-not-zero rdmap@1");
  BOOST_TEST(reserved(SEND, [](PduSpec& s) { s.invalidate_stag = {1}; }) == "reserved-not-zero rdmap@2");
  BOOST_TEST(reserved(SEND_WITH_INVALIDATE, [](PduSpec& s) { s.invalidate_stag = {1}; }) == "none");
  BOOST_TEST(reserved(ATOMIC_REQUEST, [](PduSpec& s) { s.atomic_request->reserved28 = 1; }) ==
             "reserved-not-zero atomic_request@18");
  BOOST_TEST(reserved(TERMINATE, [](PduSpec& s) { s.terminate->reserved = 1; }) == "reserved-not-zero terminate@20");
}

//= RDMAP-7306-10-01 test
BOOST_AUTO_TEST_CASE(atomic_requests_are_named_by_what_they_ask_for) {
  PduSpec spec = segment_spec(Opcode::ATOMIC_REQUEST);
  spec.atomic_request->add_or_swap_data = 7;
  const auto header = [&](std::uint8_t opcode) {
    spec.atomic_request->opcode = AtomicOpcode{opcode};
    const Octets ulpdu = built(spec);
    const Pdu pdu = parsed(ulpdu);
    BOOST_TEST(atomic_request_of(pdu)->add_or_swap_data == 7U);
    return pdu.find(Layer::atomic_request)->header;
  };
  BOOST_TEST(header(0) == &header_info<FetchAdd>);
  BOOST_TEST(header(2) == &header_info<CmpSwap>);
  BOOST_TEST(header(1) == &header_info<AtomicRequest>);
  BOOST_TEST(!atomic_request_of(parsed(one_of_each()[3])).has_value());
  BOOST_TEST(!terminate_of(parsed(one_of_each()[3])).has_value());
}

//= MPA-6581-6-02 test
BOOST_AUTO_TEST_CASE(startup_frames) {
  const Octets request = octets("4d504120494420526571204672616d65500200070008000861626399");
  const Pdu pdu = parse_startup(request);
  BOOST_TEST((pdu.kind == PduKind::mpa_request));
  BOOST_TEST(layer_names(pdu) == "mpa_request mpa_enhanced");
  BOOST_TEST(pdu.get<MpaEnhanced>()->ird == 8);
  BOOST_TEST(pdu.captured.size() == 27U);  // without what follows
  BOOST_TEST(pdu.payload_offset == 24U);
  BOOST_TEST(pdu.payload_len == 3U);
  BOOST_TEST(pdu.payload()[0] == 'a');
  BOOST_TEST(!first_violation(pdu));

  const Octets reply = octets("4d504120494420526570204672616d65600100026e6f");
  const Pdu rejects = parse_startup(reply);
  BOOST_TEST((rejects.kind == PduKind::mpa_reply));
  BOOST_TEST(layer_names(rejects) == "mpa_reply");
  BOOST_TEST(rejects.get<MpaReply>()->rejected);
  BOOST_TEST(rejects.payload_len == 2U);
}

BOOST_AUTO_TEST_CASE(startup_frames_that_are_cut_or_wrong) {
  const Octets request = octets("4d504120494420526571204672616d655002000700080008616263");
  for (std::size_t n = 0; n < request.size(); ++n) {
    const Pdu pdu = parse_startup(Bytes(request).first(n));
    if (n < 20)
      check_error(pdu.error, {ErrorCode::truncated_capture, Layer::mpa_request, Limit::capture, 20,
                              static_cast<std::uint32_t>(n), 0});
    if (n >= 20 && n < 24) BOOST_TEST((pdu.error.code == ErrorCode::truncated_capture));
    if (n >= 24) BOOST_TEST(!pdu.error);
    if (n >= 24) BOOST_TEST(pdu.payload().size() == n - 24);
  }
  Octets wrong = request;
  wrong[17] = 3;
  const Pdu pdu = parse_startup(wrong);
  BOOST_TEST((first_violation(pdu).code == ErrorCode::bad_version));
  BOOST_TEST(answer_to(pdu, first_violation(pdu)) == nullptr);  // closed without a Terminate
  BOOST_TEST(layer_names(pdu) == "mpa_request");
  wrong = octets("4d504120494420526571204672616d6640010000");
  BOOST_TEST(layer_names(parse_startup(wrong)) == "");
  BOOST_TEST((first_violation(parse_startup(wrong)).code == ErrorCode::bad_value));
}

BOOST_AUTO_TEST_CASE(what_a_terminate_quotes_is_not_its_senders) {
  PduSpec quoted = segment_spec(Opcode::SEND);
  quoted.untagged->reserved4 = 3;
  quoted.rdmap.reserved2 = 3;
  quoted.untagged->version = 3;
  const Octets segment = built(quoted);
  Octets ulpdu = built(terminate_spec(info(TerminateReason::ddp_untagged_bad_version), segment));
  BOOST_TEST(layer_names(parsed(ulpdu)) == "ddp_untagged rdmap + terminate terminated_length ddp_untagged rdmap +");
  BOOST_TEST(!first_reserved_set(parsed(ulpdu)));
  BOOST_TEST(judged(ulpdu) == "none");
  ulpdu[20] ^= 1;
  BOOST_TEST((first_reserved_set(parsed(ulpdu)).layer == Layer::terminate));
}

// RFC 5043, 5.2.
BOOST_AUTO_TEST_CASE(segments_in_sctp_chunks) {
  Octets chunk = octets("0007");
  const Octets ulpdu = one_of_each()[3];
  chunk.insert(chunk.end(), ulpdu.begin(), ulpdu.end());
  const auto len = static_cast<std::uint32_t>(chunk.size());
  const Pdu pdu = parse_sctp_segment(chunk, len);
  BOOST_TEST((pdu.kind == PduKind::sctp_segment));
  BOOST_TEST(layer_names(pdu) == "ddp_sctp ddp_untagged rdmap +");
  BOOST_TEST(pdu.get<DdpSctp>()->sequence == 7);
  BOOST_TEST(pdu.payload_offset == 18U);
  BOOST_TEST(pdu.payload().size() == 5U);
  BOOST_TEST(!first_violation(pdu));
  BOOST_TEST(built(*spec_of(pdu)) == chunk, boost::test_tools::per_element());
  for (std::size_t n = 0; n < chunk.size(); ++n) {
    const Error error = first_violation(parse_sctp_segment(Bytes(chunk).first(n), len));
    BOOST_TEST((!error || error.code == ErrorCode::truncated_capture));
  }
  check_error(parse_sctp_segment(chunk, 1).error, {ErrorCode::truncated_wire, Layer::ddp_sctp, Limit::none, 2, 1, 0});
  check_error(parse_sctp_segment(chunk, 10).error,
              {ErrorCode::truncated_wire, Layer::ddp_untagged, Limit::none, 18, 8, 2});
}

BOOST_AUTO_TEST_CASE(session_control_chunks) {
  const auto control = [](const std::string& hex) {
    const Octets chunk = octets(hex);
    const Pdu pdu = parse_sctp_control(chunk, static_cast<std::uint32_t>(chunk.size()));
    const Error error = first_violation(pdu);
    BOOST_TEST(answer_to(pdu, error) == nullptr);
    if (!error) BOOST_TEST(built(*spec_of(pdu)) == chunk, boost::test_tools::per_element());
    return layer_names(pdu) + " +" + std::to_string(pdu.payload_len) + " " + std::string(info(error.code).name);
  };
  BOOST_TEST(control("00000001616263") == "ddp_sctp_control +3 none");
  BOOST_TEST(control("000000058010c020616263") == "ddp_sctp_control mpa_enhanced +3 none");
  BOOST_TEST(control("000000068010c020") == "ddp_sctp_control mpa_enhanced +0 none");
  BOOST_TEST(control("00000007") == "ddp_sctp_control +0 none");
  BOOST_TEST(control("00090004") == "ddp_sctp_control +0 none");
  BOOST_TEST(control("00000005801000") == "ddp_sctp_control +3 bad-length");
  BOOST_TEST(control("0000000461") == "ddp_sctp_control +1 bad-length");
  BOOST_TEST(control("00000008") == "ddp_sctp_control +0 reserved-opcode");
  BOOST_TEST(control("000000") == " +3 truncated-wire");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(building)

BOOST_AUTO_TEST_CASE(what_was_read_is_built_again) {
  for (const Octets& ulpdu : one_of_each()) {
    const auto spec = spec_of(parsed(ulpdu));
    BOOST_REQUIRE(spec.has_value());
    BOOST_TEST(built(*spec) == ulpdu, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_can_be_built_and_read) {
  PduSpec spec = segment_spec(Opcode::SEND);
  spec.untagged->reserved4 = 15;
  spec.untagged->version = 0;
  spec.rdmap = {2, 3, Opcode::SEND};
  spec.invalidate_stag = {0x01020304};
  spec.untagged->tagged = true;  // then it is read as a tagged one
  Octets ulpdu = built(spec);
  BOOST_TEST(ulpdu[0] == 0xFC);
  BOOST_TEST(ulpdu[1] == 0xB3);
  spec.untagged->tagged = false;
  ulpdu = built(spec);
  const auto again = spec_of(parsed(ulpdu));
  BOOST_REQUIRE(again.has_value());
  BOOST_TEST(built(*again) == ulpdu, boost::test_tools::per_element());

  spec.keep_rsvd_ulp = true;
  spec.untagged->rsvd_ulp = {0xFF, 1, 2, 3, 4};
  BOOST_TEST(built(spec)[1] == 0xFF);
  BOOST_TEST(built(spec)[5] == 4);
}

//= MPA-5044-7.1.1-15, MPA-6581-6-08 test
BOOST_AUTO_TEST_CASE(private_data_are_counted) {
  const Octets data = octets("616263");
  PduSpec spec;
  spec.request = MpaRequest();
  spec.request->revision = 2;
  spec.request->enhanced = true;
  spec.enhanced = MpaEnhanced{false, false, 8, false, false, 8};
  spec.payload = data;
  BOOST_TEST(built(spec) == octets("4d504120494420526571204672616d651002000700080008616263"),
             boost::test_tools::per_element());
  spec.keep_private_data_len = true;
  spec.request->private_data_len = 600;
  BOOST_TEST(built(spec)[18] == 2);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  Octets out(200);
  PduSpec spec = segment_spec(Opcode::SEND);
  spec.untagged->reserved4 = 16;
  check_error(build_pdu(spec, out).error(),
              {ErrorCode::value_too_big, Layer::ddp_untagged, Limit::field_width, 5, 4, 0});
  spec = segment_spec(Opcode::SEND);
  spec.rdmap.version = 4;
  check_error(build_pdu(spec, out).error(), {ErrorCode::value_too_big, Layer::rdmap, Limit::field_width, 3, 2, 1});
  spec = segment_spec(Opcode::RDMA_READ_REQUEST);
  check_error(build_pdu(spec, MutableBytes(out).first(45)).error(),
              {ErrorCode::output_too_small, Layer::read_request, Limit::buffer, 28, 27, 18});
  spec = segment_spec(Opcode::SEND);
  spec.payload = Bytes(out).first(10);
  Octets small(27);
  check_error(build_pdu(spec, small).error(), {ErrorCode::output_too_small, Layer::payload, Limit::buffer, 10, 9, 18});
  const Octets much(65536);
  spec = {};
  spec.request = MpaRequest();
  spec.payload = much;
  check_error(build_pdu(spec, out).error(),
              {ErrorCode::value_too_big, Layer::mpa_request, Limit::field_width, 17, 16, 18});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(any_octets)

// All control octets, at the offsets and lengths where the answer changes.
BOOST_AUTO_TEST_CASE(the_short_check_of_tagged_segments_agrees_with_the_long_one) {
  int num_flawless = 0;
  for (const std::uint32_t len : {0U, 13U, 14U, 15U, 30U}) {
    for (const std::uint64_t offset : {std::uint64_t{0}, ~std::uint64_t{0} - 15, ~std::uint64_t{0}}) {
      for (unsigned control = 0; control < 65536; ++control) {
        Octets ulpdu(30);
        ulpdu[0] = static_cast<std::uint8_t>(control >> 8);
        ulpdu[1] = static_cast<std::uint8_t>(control);
        for (unsigned i = 0; i < 8; ++i) ulpdu[6 + i] = static_cast<std::uint8_t>(offset >> (56 - 8 * i));
        const Bytes captured = Bytes(ulpdu).first(len);
        const bool tagged = len != 0 && (ulpdu[0] & 0x80U) != 0;
        const bool flawless = tagged && !first_violation(parse_ulpdu(captured, len));
        num_flawless += flawless ? 1 : 0;
        BOOST_REQUIRE_EQUAL(static_cast<bool>(flawless_tagged(captured, len)), flawless);
      }
    }
  }
  // T, DV and RV are given, of 16 opcodes 2 are tagged; L, four reserved bits and two are free: 2 * 2^7, for lengths
  // and offsets of which one does not fit.
  BOOST_TEST(num_flawless == 2 * 128 * (3 * 3 - 1));
}

// Nothing is read outside of what is there (the sanitizers watch), layers lie inside of it and in order, and what was
// read to its payload is built again.
BOOST_AUTO_TEST_CASE(random_segments) {
  constexpr std::uint32_t seed = 20261130;
  std::mt19937 random(seed);
  int read = 0;
  for (int round = 0; round < 50000; ++round) {
    Octets ulpdu(random() % 90);
    for (auto& octet : ulpdu) octet = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : 0);
    // Most with an opcode and the model that it asks for, so that what follows is reached.
    if (ulpdu.size() > 2 && random() % 4 != 0) {
      const auto opcode = static_cast<std::uint8_t>(random() % 12);
      ulpdu[0] = find(static_cast<Opcode>(opcode))->tagged() ? 0xC1 : 0x41;
      ulpdu[1] = static_cast<std::uint8_t>(0x40 | opcode);
    }
    const auto wire_len = static_cast<std::uint32_t>(ulpdu.size() + (random() % 3 == 0 ? random() % 60 : 0));
    const Pdu pdu = parse_ulpdu(ulpdu, wire_len);
    std::uint32_t last = 0;
    for (const LayerRef& ref : pdu.layers()) {
      BOOST_REQUIRE_MESSAGE(ref.offset + ref.size <= ulpdu.size() && ref.offset >= last, seed << " round " << round);
      last = ref.offset;
    }
    BOOST_REQUIRE(std::uint64_t{pdu.payload_offset} + pdu.payload_len <= wire_len ||
                  (pdu.payload_len == 0 && pdu.payload_offset == 0));
    const Error error = first_violation(pdu);
    static_cast<void>(answer_to(pdu, error));
    static_cast<void>(first_reserved_set(pdu));
    if (const auto spec = spec_of(pdu)) {
      ++read;
      BOOST_REQUIRE_MESSAGE(built(*spec) == ulpdu, seed << " round " << round);
    }
  }
  BOOST_TEST(read > 10000);
}

BOOST_AUTO_TEST_SUITE_END()
