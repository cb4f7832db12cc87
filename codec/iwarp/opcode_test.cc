#include "codec/iwarp/opcode.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "codec/iwarp/errors.h"
#include "codec/iwarp/headers.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;

// What RFC 5040, figure 4, and RFC 7306, figures 2 and 3, say of an opcode.
struct Wanted {
  std::uint8_t code;
  std::string_view name;
  bool tagged;
  std::uint32_t queue;
  bool invalidates;
  std::size_t header_size;  // of the whole ULPDU, without payload
  bool payload;
  bool takes_receive;
  bool solicited_event;
  bool answered;
};

constexpr std::array wanted{
    Wanted{0x0, "RDMA_WRITE", true, 0, false, 14, true, false, false, false},
    Wanted{0x1, "RDMA_READ_REQUEST", false, 1, false, 46, false, false, false, true},
    Wanted{0x2, "RDMA_READ_RESPONSE", true, 0, false, 14, true, false, false, false},
    Wanted{0x3, "SEND", false, 0, false, 18, true, true, false, false},
    Wanted{0x4, "SEND_WITH_INVALIDATE", false, 0, true, 18, true, true, false, false},
    Wanted{0x5, "SEND_WITH_SE", false, 0, false, 18, true, true, true, false},
    Wanted{0x6, "SEND_WITH_SE_AND_INVALIDATE", false, 0, true, 18, true, true, true, false},
    Wanted{0x7, "TERMINATE", false, 2, false, 22, false, false, false, false},
    Wanted{0x8, "IMMEDIATE_DATA", false, 0, false, 26, false, true, false, false},
    Wanted{0x9, "IMMEDIATE_DATA_WITH_SE", false, 0, false, 26, false, true, true, false},
    Wanted{0xA, "ATOMIC_REQUEST", false, 1, false, 70, false, false, false, true},
    Wanted{0xB, "ATOMIC_RESPONSE", false, 3, false, 30, false, false, false, false},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rdmap_opcodes)

//= RDMAP-5040-3.1-02, RDMAP-5040-4.1-03, RDMAP-5040-4.1-04, RDMAP-5040-4.2-01, RDMAP-5040-4.3-01 test
//= RDMAP-5040-4.5-01, RDMAP-7306-4.1-02, RDMAP-7306-4.1-04, RDMAP-7306-6.2-01, RDMAP-7306-10-01 test
//= IANA-6580-3.4-01 test
BOOST_AUTO_TEST_CASE(the_table_says_what_the_rfcs_say) {
  BOOST_REQUIRE(opcode_table.size() == wanted.size());
  for (const Wanted& want : wanted) {
    BOOST_TEST_CONTEXT(want.name) {
      const OpcodeInfo* row = find(static_cast<Opcode>(want.code));
      BOOST_REQUIRE(row != nullptr);
      BOOST_TEST(row->name == want.name);
      BOOST_TEST(name_of(row->opcode) == want.name);
      BOOST_TEST(row->tagged() == want.tagged);
      BOOST_TEST(row->queue.value == want.queue);
      BOOST_TEST(row->invalidates == want.invalidates);
      BOOST_TEST(segment_header_size(*row) == want.header_size);
      BOOST_TEST((row->payload == PayloadRule::any) == want.payload);
      BOOST_TEST((row->segments == Segments::many) == want.payload);
      BOOST_TEST(row->takes_receive == want.takes_receive);
      BOOST_TEST(row->solicited_event == want.solicited_event);
      BOOST_TEST((row->answer != Answer::none) == want.answered);
    }
  }
}

BOOST_AUTO_TEST_CASE(answers_are_responses_of_the_same_operation) {
  const auto answered_by = [](Opcode request) {
    const OpcodeInfo& row = *find(request);
    for (const OpcodeInfo& other : opcode_table) {
      if (other.direction == Direction::response && other.operation == row.operation) return other.opcode;
    }
    return request;
  };
  BOOST_TEST((answered_by(Opcode::RDMA_READ_REQUEST) == Opcode::RDMA_READ_RESPONSE));
  BOOST_TEST((answered_by(Opcode::ATOMIC_REQUEST) == Opcode::ATOMIC_RESPONSE));
  BOOST_TEST((find(Opcode::ATOMIC_REQUEST)->answer == Answer::atomic_response));
  BOOST_TEST((find(Opcode::RDMA_READ_REQUEST)->answer == Answer::read_response));
}

//= RDMAP-5040-4.1-11, IANA-6580-3.4-01 test
BOOST_AUTO_TEST_CASE(the_rest_of_the_four_bits_is_reserved) {
  for (unsigned code = 0xC; code < 16; ++code) {
    BOOST_TEST(find(static_cast<Opcode>(code)) == nullptr);
    BOOST_TEST(name_of(static_cast<Opcode>(code)).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(terminate_errors)

// Layer, type, code and headers of every registered error: RFC 6580's registries, RFC 5040, figure 10.
//= RDMAP-5040-4.8-03, RDMAP-5040-4.8-06, RDMAP-5040-4.8-17, IANA-6580-3.1-01, IANA-6580-3.2-01, IANA-6580-3.3-01 test
//= DDP-5041-7.2-01, DDP-5041-7.2-02, DDP-5041-7.2-03, MPA-6581-8-01, MPA-6581-8-02 test
BOOST_AUTO_TEST_CASE(the_table_has_every_registered_error) {
  std::string got;
  for (const TerminateInfo& row : terminate_table) {
    constexpr std::array<std::string_view, 4> headers{"-", "M", "MD", "MDR"};
    const auto hex = [](unsigned v) { return std::string(1, "0123456789ABCDEF"[v]); };
    const unsigned value = row.error.value;
    got += hex(value >> 12) + "/" + hex(value >> 8 & 15) + "/" +
           (row.any_code ? "**" : hex(value >> 4 & 15) + hex(value & 15)) + " " +
           std::string(headers[static_cast<std::size_t>(row.headers)]) + "\n";
    BOOST_TEST(&info(row.reason) == &row);
    BOOST_TEST(!row.text.empty());
  }
  BOOST_TEST(got ==
             "0/0/** -\n"
             "0/1/00 MDR\n0/1/01 MDR\n0/1/02 MDR\n0/1/03 MDR\n0/1/04 MDR\n0/1/09 MDR\n0/1/FF MDR\n"
             "0/2/05 MD\n0/2/06 MD\n0/2/07 MD\n0/2/08 MD\n0/2/09 MD\n0/2/FF MD\n"
             "1/0/00 M\n"
             "1/1/00 MD\n1/1/01 MD\n1/1/02 MD\n1/1/03 MD\n1/1/04 MD\n"
             "1/2/01 MD\n1/2/02 MD\n1/2/03 MD\n1/2/04 MD\n1/2/05 MD\n1/2/06 MD\n"
             "2/0/01 -\n2/0/02 -\n2/0/03 -\n2/0/04 -\n2/0/05 -\n2/0/06 -\n2/0/07 -\n");
}

//= RDMAP-5040-4.8-16, IANA-6580-3.1-02, IANA-6580-3.3-01 test
BOOST_AUTO_TEST_CASE(errors_are_found) {
  const auto reason = [](std::uint16_t value) {
    const TerminateInfo* row = find(TerminateError{value});
    return row == nullptr ? std::string_view("none") : row->name;
  };
  BOOST_TEST(reason(0x0100) == "rdmap_invalid_stag");
  BOOST_TEST(reason(0x0104) == "rdmap_offset_wrap");
  BOOST_TEST(reason(0x0206) == "rdmap_unexpected_opcode");
  BOOST_TEST(reason(0x1103) == "ddp_tagged_offset_wrap");
  BOOST_TEST(reason(0x1203) == "ddp_untagged_msn_out_of_range");
  BOOST_TEST(reason(0x2002) == "mpa_bad_crc");
  // A local catastrophic error may have any code.
  BOOST_TEST(reason(0x0000) == "rdmap_local_catastrophic");
  BOOST_TEST(reason(0x005A) == "rdmap_local_catastrophic");
  // Type 3 of the LLP, as Chelsio's, Intel's and NetEffect's devices have it.
  BOOST_TEST(reason(0x2302) == "mpa_bad_crc");
  BOOST_TEST(reason(0x2303) == "mpa_bad_marker");
  for (const unsigned value : {0x0105U, 0x0200U, 0x0300U, 0x1001U, 0x1105U, 0x1200U, 0x1300U, 0x2000U, 0x2008U, 0x2102U,
                               0x2300U, 0x3000U, 0xF000U}) {
    BOOST_TEST(reason(static_cast<std::uint16_t>(value)) == "none", value);
  }
}

BOOST_AUTO_TEST_CASE(an_error_has_three_parts) {
  constexpr TerminateError error = terminate_error(TerminateLayer::ddp, 2, 5);
  static_assert(error.value == 0x1205);
  static_assert(error.layer() == TerminateLayer::ddp && error.type() == 2 && error.code() == 5);
  BOOST_TEST(name_of(error) == "Untagged buffer error: DDP message too long for available buffer");
  BOOST_TEST(name_of(TerminateError{0x3000}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
