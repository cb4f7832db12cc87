// The 58 vectors of testdata/reference/iwarp_vectors.tsv: published ones (RFC 3720 and 7143, RFC 5044) and those of an
// independent model in Python, in both directions: built from what their descriptions say, and read again.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/iwarp/framing_test.h"
#include "codec/iwarp/headers.h"
#include "codec/iwarp/pdu.h"
#include "codec/iwarp/pdu_build.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using iwarp::test::framed;
using iwarp::test::Framing;
using iwarp::test::laid_out;
using rdmawire::test::octets;

using Octets = std::vector<std::uint8_t>;

struct Vector {
  std::string id;
  std::string description;
  Octets octets;

  bool is(std::string_view kind) const { return id.starts_with(kind); }
  // How the description says that it lies in its stream.
  Framing framing() const {
    static const std::map<std::string, std::uint32_t> phases{
        {"FPDU-5044-fig5", 0}, {"FPDU-5044-fig6-prev", 0}, {"FPDU-5044-fig6", 0x1EC},
        {"MARK-FIRST", 0},     {"MARK-PTR4", 508},         {"MARK-BEFORECRC", 468},
        {"MARK-AFTER", 464},   {"MARK-NEXT", 0},           {"MARK-TWO", 256}};
    const auto found = phases.find(id);
    return found == phases.end() ? Framing{} : Framing{true, found->second};
  }
};

std::vector<Vector> vectors() {
  std::ifstream file("testdata/reference/iwarp_vectors.tsv");
  std::string line;
  BOOST_REQUIRE(std::getline(file, line));
  BOOST_REQUIRE(line == "id\torigin\tdescription\tlength\thex");
  std::vector<Vector> out;
  while (std::getline(file, line)) {
    std::array<std::string, 5> cells;
    std::size_t cell = 0;
    for (const char c : line) {
      if (c == '\t') {
        ++cell;
      } else {
        cells.at(cell) += c;
      }
    }
    out.push_back({cells[0], cells[2], octets(cells[4])});
    BOOST_REQUIRE(std::to_string(out.back().octets.size()) == cells[3]);
  }
  BOOST_REQUIRE(out.size() == 58U);
  return out;
}

std::string hex(Bytes data) {
  std::string out;
  for (const std::uint8_t octet : data) {
    out += "0123456789abcdef"[octet >> 4];
    out += "0123456789abcdef"[octet & 15];
  }
  return out;
}

// What a vector is, in the words of its description. Octets are kept beside the spec that refers to them.
struct Want {
  PduSpec spec;
  Octets payload;
};

Want segment(Opcode opcode, const Octets& payload = {}) { return {segment_spec(opcode), payload}; }

Want send(std::uint32_t msn, const Octets& payload, Opcode opcode = Opcode::SEND, std::uint32_t invalidate = 0) {
  Want want = segment(opcode, payload);
  want.spec.untagged->msn = DdpMsn{msn};
  want.spec.invalidate_stag = {invalidate};
  return want;
}

Want tagged(Opcode opcode, std::uint32_t stag, std::uint64_t offset, const Octets& payload = {}, bool last = true) {
  Want want = segment(opcode, payload);
  want.spec.tagged->stag = {stag};
  want.spec.tagged->tagged_offset = {offset};
  want.spec.tagged->last = last;
  return want;
}

Want read_request(const ReadRequest& header) {
  Want want = segment(Opcode::RDMA_READ_REQUEST);
  want.spec.read_request = header;
  return want;
}

Want terminate(TerminateReason reason, const Want& segment = {}, std::uint32_t done = 0) {
  Octets data(pdu_size(segment.spec) + segment.payload.size());
  PduSpec spec = segment.spec;
  spec.payload = segment.payload;
  BOOST_REQUIRE(build_pdu(spec, data).has_value());
  return {terminate_spec(info(reason), data, done), {}};
}

Want startup(bool request, bool markers, bool crc, bool rejected = false, std::uint8_t revision = 1,
             std::optional<MpaEnhanced> enhanced = std::nullopt, const Octets& data = {}) {
  Want want;
  const auto fill = [&](MpaStartup& frame) {
    frame.markers = markers;
    frame.crc = crc;
    frame.rejected = rejected;
    frame.enhanced = enhanced.has_value();
    frame.revision = revision;
  };
  if (request) {
    fill(want.spec.request.emplace());
  } else {
    fill(want.spec.reply.emplace());
  }
  want.spec.enhanced = enhanced;
  want.payload = data;
  return want;
}

Want atomic(std::uint32_t msn, const AtomicRequest& header) {
  Want want = segment(Opcode::ATOMIC_REQUEST);
  want.spec.untagged->msn = DdpMsn{msn};
  want.spec.atomic_request = header;
  return want;
}

Want immediate(Opcode opcode) {
  Want want = segment(opcode);
  want.spec.immediate->data = {1, 2, 3, 4, 5, 6, 7, 8};
  return want;
}

Octets counting(std::size_t size) {
  Octets out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(i);
  return out;
}

std::map<std::string, Want> wanted() {
  using enum Opcode;
  using enum TerminateReason;
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  const Want read = read_request({{0x01020304}, {0x10}, 4096, {0x0A0B0C0D}, {0x2000}});
  const Octets x{'x'};
  Want response = segment(ATOMIC_RESPONSE);
  response.spec.atomic_response = AtomicResponse{0x55, 41};
  return {
      {"FPDU-5044-fig5", send(1, Octets(24))},
      {"FPDU-5044-fig6-prev", send(1, Octets(464))},
      {"FPDU-5044-fig6", send(2, Octets(24))},
      {"MPA-REQ-M0C1", startup(true, false, true)},
      {"MPA-REP-M0C1", startup(false, false, true)},
      {"MPA-REQ-M1C1", startup(true, true, true)},
      {"MPA-REP-M1C1", startup(false, true, true)},
      {"MPA-REQ-M0C0", startup(true, false, false)},
      {"MPA-REP-M0C0", startup(false, false, false)},
      {"MPA-REQ-M1C0", startup(true, true, false)},
      {"MPA-REP-M1C0", startup(false, true, false)},
      {"MPA-REP-REJ", startup(false, false, true, true, 1, {}, {'n', 'o'})},
      {"MPA-REQ-V2", startup(true, false, true, false, 2, MpaEnhanced{true, false, 16, true, true, 32})},
      {"MPA-REP-V2", startup(false, false, true, false, 2, MpaEnhanced{true, false, 32, true, false, 16})},
      {"MPA-REQ-V2-CS",
       startup(true, false, true, false, 2, MpaEnhanced{false, false, 8, false, false, 8}, {'a', 'b', 'c'})},
      {"MPA-REQ-V2-3FFF",
       startup(true, false, true, false, 2,
               MpaEnhanced{true, true, MpaEnhanced::left_to_ulp, true, true, MpaEnhanced::left_to_ulp})},
      {"FPDU-SEND0", send(1, {})},
      {"FPDU-WRITE0", tagged(RDMA_WRITE, 0, 0)},
      {"FPDU-READ0", read_request({})},
      {"FPDU-RRESP0", tagged(RDMA_READ_RESPONSE, 0, 0)},
      {"FPDU-SEND5", send(1, {'h', 'e', 'l', 'l', 'o'})},
      {"FPDU-SENDINV", send(1, x, SEND_WITH_INVALIDATE, 0x11223344)},
      {"FPDU-SENDSE", send(1, x, SEND_WITH_SE)},
      {"FPDU-SENDSEINV", send(1, x, SEND_WITH_SE_AND_INVALIDATE, 0x11223344)},
      {"FPDU-WRITE8", tagged(RDMA_WRITE, 0xA1B2C3D4, 0x1122334455667788, counting(8))},
      {"FPDU-READREQ", read},
      {"FPDU-RRESP", tagged(RDMA_READ_RESPONSE, 0x01020304, 0x10, {0xDE, 0xAD, 0xBE, 0xEF}, false)},
      {"FPDU-TERM-CRC", terminate(mpa_bad_crc)},
      {"FPDU-TERM-MARK", terminate(mpa_bad_marker)},
      {"FPDU-TERM-IRD", terminate(mpa_insufficient_ird)},
      {"FPDU-TERM-RTR", terminate(mpa_no_matching_rtr)},
      {"FPDU-TERM-LOCAL", terminate(rdmap_local_catastrophic)},
      {"FPDU-TERM-TSTAG", terminate(ddp_tagged_invalid_stag, tagged(RDMA_WRITE, 0xBAD0BAD0, 0x1000, Octets(4)))},
      {"FPDU-TERM-MSN", terminate(ddp_untagged_msn_out_of_range, send(7, Octets(10)))},
      {"FPDU-TERM-RREQ", terminate(rdmap_invalid_stag, read)},
      {"FPDU-TERM-RREQ-MID", terminate(rdmap_out_of_bounds, read, 2048)},
      {"FPDU-IMM", immediate(IMMEDIATE_DATA)},
      {"FPDU-IMMSE", immediate(IMMEDIATE_DATA_WITH_SE)},
      {"FPDU-FADD", atomic(1, {0, AtomicOpcode::fetch_add, 0x55, {0x10}, {8}, 1, 0, 0, ones})},
      {"FPDU-CSWAP", atomic(2, {0, AtomicOpcode::cmp_swap, 0x56, {0x10}, {8}, 2, ones, 1, ones})},
      {"FPDU-ATOMRSP", response},
      {"FPDU-PAD-pad0", tagged(RDMA_WRITE, 1, 0)},
      {"FPDU-PAD-pad3", tagged(RDMA_WRITE, 1, 0, Octets(1, 0xAA))},
      {"FPDU-PAD-pad2", tagged(RDMA_WRITE, 1, 0, Octets(2, 0xAA))},
      {"FPDU-PAD-pad1", tagged(RDMA_WRITE, 1, 0, Octets(3, 0xAA))},
      {"MARK-FIRST", send(1, counting(24))},
      {"MARK-PTR4", send(1, counting(24))},
      {"MARK-BEFORECRC", send(1, counting(24))},
      {"MARK-AFTER", send(1, counting(24))},
      {"MARK-NEXT", send(1, counting(24))},
      {"MARK-TWO", send(1, Octets(1000))},
  };
}

Octets built(PduSpec spec, const Octets& payload) {
  spec.payload = payload;
  Octets out(pdu_size(spec));
  BOOST_REQUIRE(build_pdu(spec, out).has_value());
  return out;
}

// RFC 5044, figure 5: the first FPDU of a stream, with the Marker before it.
constexpr std::array<std::uint8_t, 52> figure5{
    0,    0,    0, 0,                                            // Marker
    0,    0x2A,                                                  // ULPDU_Length
    0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,  // DDP and RDMAP
    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x52, 0x23, 0x99, 0x83};
static_assert(mpa_crc(Bytes(figure5).first(48)) == 0x52239983);
static_assert(decode<MpaCrc>(Bytes(figure5).last<4>()).crc == 0x52239983);
static_assert(decode<Marker>(Bytes(figure5).first<4>()).fpdu_ptr == 0);
static_assert(decode<FpduHeader>(Bytes(figure5).subspan<4, 2>()).ulpdu_len == 42);
static_assert([] {
  const DdpUntagged ddp = decode<DdpUntagged>(Bytes(figure5).subspan<6, 18>());
  return !ddp.tagged && ddp.last && ddp.version == 1 && ddp.queue == send_queue && ddp.msn == DdpMsn{1} &&
         ddp.message_offset == 0;
}());
static_assert(decode<RdmapControl>(Bytes(figure5).subspan<7, 1>()).opcode == Opcode::SEND);
static_assert(num_markers(42, 0) == 1 && unmarked_len(42) + marker_size == figure5.size());

// RFC 5044, figure 6: the second one, 492 octets further, with a Marker inside.
constexpr std::array<std::uint8_t, 52> figure6{
    0, 0x2A, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x14,  // Marker
    0, 0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0x84, 0x92, 0x58, 0x98};
static_assert(mpa_crc(Bytes(figure6).first(48)) == 0x84925898);
static_assert(decode<Marker>(Bytes(figure6).subspan<20, 4>()).fpdu_ptr == 20);
static_assert(decode<DdpUntagged>(Bytes(figure6).subspan<2, 18>()).msn == DdpMsn{2});
static_assert(num_markers(42, 0x1EC) == 1);

// RFC 7143, A.4.
constexpr std::uint32_t crc_of(std::uint8_t first, int step) {
  std::array<std::uint8_t, 32> octets{};
  for (std::size_t i = 0; i < 32; ++i) octets[i] = static_cast<std::uint8_t>(first + static_cast<int>(i) * step);
  return mpa_crc(octets);
}
static_assert(crc_of(0, 0) == 0xAA36918A);
static_assert(crc_of(0xFF, 0) == 0x43ABA862);
static_assert(crc_of(0, 1) == 0x4E79DD46);
static_assert(crc_of(31, -1) == 0x5CDB3F11);
constexpr std::array<std::uint8_t, 48> iscsi_read{0x01, 0xC0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0,    0, 0, 0, 0,
                                                  0x14, 0,    0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
                                                  0x28, 0,    0, 0, 0, 0, 0,    0, 2, 0, 0, 0,    0, 0, 0, 0};
static_assert(mpa_crc(iscsi_read) == 0x563A96D9);

}  // namespace

BOOST_AUTO_TEST_SUITE(vectors_of_the_reference)

//= MPA-5044-4.4-01, MPA-5044-4.4-11 test
BOOST_AUTO_TEST_CASE(crcs) {
  int count = 0;
  for (const Vector& vector : vectors()) {
    if (!vector.is("CRC-")) continue;
    std::array<std::uint8_t, 4> crc;
    encode(MpaCrc{mpa_crc(vector.octets)}, crc);
    BOOST_TEST(vector.description.ends_with("wire CRC " + hex(crc)), vector.id);
    ++count;
  }
  BOOST_TEST(count == 7);
}

//= DDP-5041-4.1-08, RDMAP-5040-4.1-06, RDMAP-5040-4.1-09, RDMAP-7306-4.1-01 test
BOOST_AUTO_TEST_CASE(each_is_built_from_what_it_says) {
  const auto want = wanted();
  std::size_t count = 0;
  for (const Vector& vector : vectors()) {
    if (vector.is("CRC-")) continue;
    BOOST_TEST_CONTEXT(vector.id) {
      const auto found = want.find(vector.id);
      BOOST_REQUIRE(found != want.end());
      const Octets pdu = built(found->second.spec, found->second.payload);
      BOOST_TEST(hex(vector.is("MPA-") ? pdu : framed(pdu, vector.framing())) == hex(vector.octets));
      ++count;
    }
  }
  BOOST_TEST(count == want.size());
}

BOOST_AUTO_TEST_CASE(each_is_read_to_its_end) {
  const auto want = wanted();
  std::array<std::uint8_t, max_pdu_head> scratch;
  for (const Vector& vector : vectors()) {
    if (vector.is("CRC-")) continue;
    BOOST_TEST_CONTEXT(vector.id) {
      const Want& said = want.at(vector.id);
      if (vector.is("MPA-")) {
        const Pdu pdu = parse_startup(vector.octets);
        BOOST_TEST(!first_violation(pdu));
        BOOST_TEST(!first_reserved_set(pdu));
        BOOST_TEST(std::ranges::equal(pdu.payload(), said.payload));
        BOOST_TEST(hex(built(*spec_of(pdu), said.payload)) == hex(vector.octets));
        continue;
      }
      const Fpdu fpdu = laid_out(vector.octets, vector.framing());
      BOOST_TEST(fpdu.is_whole());
      BOOST_TEST((fpdu.crc.status == CrcStatus::good));
      BOOST_TEST(fpdu.num_wrong_markers == 0U);
      const Pdu pdu = parse_fpdu(fpdu, scratch);
      BOOST_TEST(!first_violation(pdu, &fpdu));
      BOOST_TEST(!first_reserved_set(pdu));
      BOOST_REQUIRE(pdu.opcode != nullptr);
      BOOST_TEST((pdu.opcode->opcode == said.spec.rdmap.opcode));
      Octets ulpdu;
      fpdu.for_each_span([&](Bytes span) { ulpdu.insert(ulpdu.end(), span.begin(), span.end()); });
      BOOST_TEST(hex(ulpdu) == hex(built(said.spec, said.payload)));
      Octets payload;
      fpdu.for_each_span(pdu.payload_offset, pdu.payload_len,
                         [&](Bytes span) { payload.insert(payload.end(), span.begin(), span.end()); });
      BOOST_TEST(hex(payload) == hex(said.payload));
      // Headers that were read, whether or not a Marker lies between them, are those that were meant.
      const auto spec = spec_of(parse_ulpdu(ulpdu, static_cast<std::uint32_t>(ulpdu.size())));
      BOOST_REQUIRE(spec.has_value());
      BOOST_TEST(hex(built(*spec, payload)) == hex(ulpdu));
    }
  }
}

// The fields of those whose description names values, as outputs show them.
BOOST_AUTO_TEST_CASE(fields_have_the_values_that_are_described) {
  std::map<std::string, Octets> by_id;
  for (const Vector& vector : vectors()) by_id[vector.id] = vector.octets;
  const auto shown = [&](const std::string& id, Layer layer) {
    const Octets& data = by_id.at(id);
    std::array<std::uint8_t, max_pdu_head> scratch;
    const Pdu pdu = id.starts_with("MPA-") ? parse_startup(data) : parse_fpdu(laid_out(data, {}), scratch);
    std::string out;
    for (const LayerRef& ref : pdu.layers()) {
      if (ref.layer != layer) continue;
      for (const FieldInfo& field : ref.header->fields) {
        if (!is_present(field, pdu.octets(ref)) || field.part) continue;
        std::array<char, 64> text;
        out += std::string(field.key.substr(field.key.rfind('.') + 1)) + "=";
        out += std::string(text.data(), format_value(field, pdu.octets(ref), text)) + " ";
      }
    }
    return out;
  };
  BOOST_TEST(shown("MPA-REQ-V2", Layer::mpa_enhanced) == "a=1 b=0 ird=16 c=1 D=1 ord=32 ");
  BOOST_TEST(shown("MPA-REP-V2", Layer::mpa_enhanced) == "a=1 b=0 ird=32 c=1 D=0 ord=16 ");
  BOOST_TEST(shown("MPA-REQ-V2-3FFF", Layer::mpa_enhanced) == "a=1 b=1 ird=16383 c=1 D=1 ord=16383 ");
  BOOST_TEST(shown("FPDU-SENDINV", Layer::rdmap) == "version=1 rsv=0x00 opcode=0x04 inval_stag=287454020 ");
  BOOST_TEST(shown("FPDU-WRITE8", Layer::ddp_tagged) ==
             "tagged_flag=1 last_flag=1 rsvd=0x00 dv=1 rsvdulp=40 stag=0xa1b2c3d4 tagged_offset=0x1122334455667788 ");
  BOOST_TEST(shown("FPDU-RRESP", Layer::ddp_tagged) ==
             "tagged_flag=1 last_flag=0 rsvd=0x00 dv=1 rsvdulp=42 stag=0x01020304 tagged_offset=0x0000000000000010 ");
  BOOST_TEST(shown("FPDU-READREQ", Layer::read_request) ==
             "sinkstag=0x01020304 sinkto=0x0000000000000010 rdmardsz=4096 srcstag=0x0a0b0c0d "
             "srcto=0x0000000000002000 ");
  BOOST_TEST(shown("FPDU-TERM-MSN", Layer::terminate) ==
             "error=0x1203 term_hdrct_m=1 hdrct_d=1 hdrct_r=0 term_rsvd=0x0000 ");
  BOOST_TEST(shown("FPDU-TERM-MSN", Layer::terminated_length) == "term_ddp_seg_len=001c ");
  BOOST_TEST(shown("FPDU-TERM-RREQ-MID", Layer::read_request) ==
             "sinkstag=0x01020304 sinkto=0x0000000000000810 rdmardsz=2048 srcstag=0x0a0b0c0d "
             "srcto=0x0000000000002800 ");
  BOOST_TEST(shown("FPDU-IMM", Layer::immediate_data) == "data=0102030405060708 ");
  BOOST_TEST(shown("FPDU-FADD", Layer::atomic_request) ==
             "reserved=0 opcode=0 request_identifier=85 remote_stag=16 remote_tagged_offset=8 add_data=1 "
             "add_mask=0x0000000000000000 compare_data=0 compare_mask=0xffffffffffffffff ");
  BOOST_TEST(shown("FPDU-CSWAP", Layer::atomic_request) ==
             "reserved=0 opcode=2 request_identifier=86 remote_stag=16 remote_tagged_offset=8 swap_data=2 "
             "swap_mask=0xffffffffffffffff compare_data=1 compare_mask=0xffffffffffffffff ");
  BOOST_TEST(shown("FPDU-ATOMRSP", Layer::atomic_response) ==
             "original_request_identifier=85 original_remote_data_value=41 ");
}

BOOST_AUTO_TEST_CASE(every_prefix_is_a_cut_capture) {
  std::array<std::uint8_t, max_pdu_head> scratch;
  for (const Vector& vector : vectors()) {
    if (vector.is("CRC-")) continue;
    BOOST_TEST_CONTEXT(vector.id) {
      for (std::size_t n = 0; n < vector.octets.size(); ++n) {
        // A copy of its own size, so that the sanitizers see what is read beyond it.
        const Octets prefix(vector.octets.begin(), vector.octets.begin() + static_cast<std::ptrdiff_t>(n));
        Error error;
        if (vector.is("MPA-")) {
          error = first_violation(parse_startup(prefix));
        } else if (n >= (vector.framing().markers && vector.framing().phase == 0 ? 6U : 2U)) {
          const Fpdu fpdu = laid_out(prefix, vector.framing());
          BOOST_REQUIRE((fpdu.crc.status == CrcStatus::unchecked));
          error = first_violation(parse_fpdu(fpdu, scratch), &fpdu);
        }
        BOOST_REQUIRE((!error || error.code == ErrorCode::truncated_capture));
      }
    }
  }
}

// An FPDU with a wrong bit never has a good CRC: it is too short for its length then, or the CRC is wrong.
BOOST_AUTO_TEST_CASE(every_wrong_bit_is_found) {
  std::array<std::uint8_t, max_pdu_head> scratch;
  std::size_t bad = 0;
  std::size_t cut = 0;
  for (const Vector& vector : vectors()) {
    if (vector.is("CRC-")) continue;
    for (std::size_t bit = 0; bit < 8 * vector.octets.size(); ++bit) {
      Octets wrong = vector.octets;
      wrong[bit / 8] ^= static_cast<std::uint8_t>(0x80U >> bit % 8);
      if (vector.is("MPA-")) {
        const Pdu pdu = parse_startup(wrong);
        static_cast<void>(first_violation(pdu));
        // The last bit of the tenth octet makes a Reply of a Request.
        if (bit < 128) BOOST_REQUIRE_MESSAGE(static_cast<bool>(pdu.error) == (bit != 79), vector.id << " bit " << bit);
        continue;
      }
      const Fpdu fpdu = laid_out(wrong, vector.framing());
      const Pdu pdu = parse_fpdu(fpdu, scratch);
      const Error error = first_violation(pdu, &fpdu);
      if (fpdu.is_whole()) {
        ++bad;
        BOOST_REQUIRE_MESSAGE(error.code == ErrorCode::bad_mpa_crc, vector.id << " bit " << bit);
      } else {
        ++cut;
        BOOST_REQUIRE_MESSAGE((fpdu.crc.status == CrcStatus::unchecked), vector.id << " bit " << bit);
      }
    }
  }
  BOOST_TEST(bad + cut == 8U * 2948);
}

BOOST_AUTO_TEST_SUITE_END()
