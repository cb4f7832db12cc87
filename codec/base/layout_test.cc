#include "codec/base/layout.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "codec/base/header_test.h"

namespace {

using namespace rdmawire;

enum class Kind : std::uint8_t { plain = 1, fancy = 2 };
constexpr std::string_view name_of(Kind kind) {
  return kind == Kind::plain ? "plain" : kind == Kind::fancy ? "fancy" : "";
}

// Words that cross octets, octets in between, an odd number of octets at the end.
struct Sample {
  Kind kind{};
  bool mark{};
  std::uint16_t wide{};
  Psn psn{};
  MacAddress mac{};
  std::uint64_t big{};
  std::uint8_t tail{};
  std::uint32_t rest{};
};

constexpr auto layout(std::type_identity<Sample>) {
  return Layout(
      Layer::frame, field<&Sample::kind, 3>("rdma.sample.kind", "Kind"),
      part("rdma.sample.low", "Low bit of the kind", 2, 1).when([](std::uint64_t v) { return v != 2; }),
      whole("rdma.sample.both", "Mark and wide", 13).as(Display::hex, 4),
      field<&Sample::mark, 1>("rdma.sample.mark", "Mark"), field<&Sample::wide, 12>("rdma.sample.wide", "Wide"),
      field<&Sample::psn, 24>("rdma.sample.psn", "Sequence"), field<&Sample::mac, 48>("rdma.sample.mac", "Address"),
      field<&Sample::big, 64>("rdma.sample.big", "Big").as(Display::hex),
      field<&Sample::tail, 2>("rdma.sample.tail", "Tail").reserved(),
      field<&Sample::rest, 22>("rdma.sample.rest", "Rest").when([](std::uint64_t v) { return v != 5; }));
}
static_assert(header_size<Sample> == 22);

constexpr std::array<std::uint8_t, 22> wire{0x5A, 0xBC, 0x12, 0x34, 0x56, 0x02, 0x00, 0x00, 0x00, 0x00, 0x09,
                                            0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xBF, 0xFF, 0xFE};

static_assert(decode<Sample>(wire).kind == Kind::fancy);
static_assert(decode<Sample>(wire).mark);
static_assert(decode<Sample>(wire).wide == 0xABC);
static_assert(decode<Sample>(wire).psn == Psn{0x123456});
static_assert(decode<Sample>(wire).mac.octets[5] == 9);
static_assert(decode<Sample>(wire).big == 0x0123456789ABCDEF);
static_assert(decode<Sample>(wire).tail == 2);
static_assert(decode<Sample>(wire).rest == 0x3FFFFE);
static_assert(peek<&Sample::psn>(wire).value == 0x123456);
static_assert([] {
  std::array<std::uint8_t, 22> out{};
  encode(decode<Sample>(wire), out);
  return out == wire;
}());

// One field of each kind replaced, what is around it as it was.
constexpr auto poked = [] {
  auto out = wire;
  poke<&Sample::wide>(out, std::uint16_t{0xF123});  // its high bits do not fit
  poke<&Sample::psn>(out, Psn{0xABCDEF});
  poke<&Sample::mac>(out, MacAddress{{1, 2, 3, 4, 5, 6}});
  poke<&Sample::big>(out, std::uint64_t{0x1122334455667788});
  poke<&Sample::rest>(out, 0x200001U);
  return out;
}();
static_assert(poked == std::array<std::uint8_t, 22>{0x51, 0x23, 0xAB, 0xCD, 0xEF, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,
                                                    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0xA0, 0x00, 0x01});

std::string text(const FieldInfo& field, Bytes header) {
  std::array<char, 64> out;
  return std::string(out.data(), format_value(field, header, out));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layout_of_a_header)

BOOST_AUTO_TEST_CASE(passes_the_stock_tests_of_a_header) {
  test::check_header<Sample>(wire, [](const Sample& sample) { BOOST_TEST(sample.wide == 0xABC); });
}

BOOST_AUTO_TEST_CASE(run_time_table_has_offsets_and_names) {
  const auto fields = header_info<Sample>.fields;
  BOOST_TEST(fields.size() == 10U);
  BOOST_TEST(header_info<Sample>.size == 22U);
  BOOST_TEST(fields[0].key == "rdma.sample.kind");
  BOOST_TEST(fields[0].value_name(1) == "plain");
  BOOST_TEST(fields[1].part);
  BOOST_TEST(fields[1].bit_offset == 2U);
  BOOST_TEST(!is_present(fields[1], wire));
  BOOST_TEST(fields[2].part);
  BOOST_TEST(fields[2].bit_offset == 3U);
  BOOST_TEST(text(fields[2], wire) == "0x00001abc");
  BOOST_TEST(fields[4].bit_offset == 4U);
  BOOST_TEST(text(fields[4], wire) == "2748");
  BOOST_TEST(text(fields[5], wire) == "1193046");
  BOOST_TEST(text(fields[6], wire) == "02:00:00:00:00:09");
  BOOST_TEST(text(fields[7], wire) == "0x0123456789abcdef");
  BOOST_TEST(fields[8].reserved);
  BOOST_TEST(is_present(fields[9], wire));
  auto five = wire;
  write_bits(five, fields[9].bit_offset, fields[9].bits, 5);
  BOOST_TEST(!is_present(fields[9], five));
}

BOOST_AUTO_TEST_CASE(bits_read_and_written_at_run_time_agree_with_decode) {
  std::array<std::uint8_t, 22> copy = wire;
  for (const FieldInfo& field : header_info<Sample>.fields) {
    if (field.part || !field.is_number()) continue;
    const std::uint64_t before = number(field, copy);
    write_bits(copy, field.bit_offset, field.bits, ~before);
    BOOST_TEST(number(field, copy) == (~before & detail::low_mask(field.bits)));
    write_bits(copy, field.bit_offset, field.bits, before);
  }
  BOOST_TEST(copy == wire);
}

BOOST_AUTO_TEST_CASE(short_input_is_an_error_with_counts) {
  const auto result = try_decode<Sample>(Bytes(wire).first(21), 100);
  BOOST_REQUIRE(!result);
  BOOST_TEST(to_string(result.error()).view() ==
             "Frame at offset 100: the capture was cut (needs 22 octets, 21 left by captured length)");
}

BOOST_AUTO_TEST_CASE(value_wider_than_its_field_is_refused_and_nothing_is_written) {
  std::array<std::uint8_t, 22> out;
  out.fill(0xA5);
  const auto untouched = out;
  Sample sample;
  sample.psn.value = 0x1000000;
  const auto result = try_encode(sample, out, 40);
  BOOST_REQUIRE(!result);
  BOOST_TEST((result.error().code == ErrorCode::value_too_big));
  BOOST_TEST(result.error().offset == 42U);
  BOOST_TEST(out == untouched);
  sample.psn.value = 0xFFFFFF;
  BOOST_TEST(try_encode(sample, out).value() == 22U);
}

BOOST_AUTO_TEST_CASE(output_too_small_is_an_error) {
  std::array<std::uint8_t, 21> out{};
  BOOST_TEST((try_encode(Sample{}, out).error().code == ErrorCode::output_too_small));
}

BOOST_AUTO_TEST_CASE(each_member_is_visited_in_wire_order) {
  std::vector<std::string> keys;
  for_each_field(decode<Sample>(wire), [&](const FieldInfo& field, const auto&) { keys.emplace_back(field.key); });
  BOOST_TEST(keys.size() == 8U);
  BOOST_TEST(keys.front() == "rdma.sample.kind");
  BOOST_TEST(keys.back() == "rdma.sample.rest");
}

BOOST_AUTO_TEST_SUITE_END()
