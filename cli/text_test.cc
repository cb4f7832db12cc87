#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <csignal>
#include <limits>
#include <string>
#include <string_view>

#include "cli/json_text.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/test_output.h"
#include "cli/time_text.h"

namespace rdmawire::cli {

using pcap::Timestamp;

BOOST_AUTO_TEST_SUITE(time_text)

BOOST_AUTO_TEST_CASE(seconds_have_nine_digits_or_are_cut_to_fewer) {
  BOOST_TEST(seconds_text({1700000000, 5}).view() == "1700000000.000000005");
  BOOST_TEST(seconds_text({0, 999999999}, 6).view() == "0.999999");
  BOOST_TEST(seconds_text({0, 0}).view() == "0.000000000");
}

BOOST_AUTO_TEST_CASE(times_below_zero_count_backwards) {
  BOOST_TEST(seconds_text({-1, 500000000}).view() == "-0.500000000");
  BOOST_TEST(seconds_text({-2, 0}).view() == "-2.000000000");
  BOOST_TEST(seconds_text({-2, 999999999}).view() == "-1.000000001");
  BOOST_TEST(seconds_text({std::numeric_limits<std::int64_t>::min(), 0}).view() == "-9223372036854775808.000000000");
}

BOOST_AUTO_TEST_CASE(utc_is_iso_8601) {
  BOOST_TEST(utc_text({0, 0}).view() == "1970-01-01T00:00:00.000000000Z");
  BOOST_TEST(utc_text({951782399, 1}).view() == "2000-02-28T23:59:59.000000001Z");
  BOOST_TEST(utc_text({951782400, 0}).view() == "2000-02-29T00:00:00.000000000Z");
  BOOST_TEST(utc_text({253402300799, 0}).view() == "9999-12-31T23:59:59.000000000Z");
  BOOST_TEST(utc_text({253402300800, 0}).view() == "@253402300800.000000000");
  BOOST_TEST(utc_text({-1, 0}).view() == "@-1.000000000");
}

BOOST_AUTO_TEST_CASE(difference_borrows_and_stays_in_range) {
  BOOST_CHECK((difference({5, 100}, {3, 200}) == Timestamp{1, 999999900}));
  BOOST_CHECK((difference({3, 200}, {5, 100}) == Timestamp{-2, 100}));
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  BOOST_TEST(difference({most, 0}, {-1, 0}).seconds == most);
}

BOOST_AUTO_TEST_CASE(seconds_are_read) {
  BOOST_CHECK((parse_seconds("12") == Timestamp{12, 0}));
  BOOST_CHECK((parse_seconds("0.5") == Timestamp{0, 500000000}));
  BOOST_CHECK((parse_seconds("1.000000001") == Timestamp{1, 1}));
  for (const std::string_view wrong :
       {"", ".", "1.", ".5", "-1", "1.0000000001", "1e3", "1,5", "99999999999999999999"}) {
    BOOST_TEST(!parse_seconds(wrong), wrong);
  }
}

BOOST_AUTO_TEST_CASE(utc_is_read_in_whole_or_in_part) {
  BOOST_CHECK((parse_utc("1970-01-02") == Timestamp{86400, 0}));
  BOOST_CHECK((parse_utc("2000-02-29T12:30") == Timestamp{951827400, 0}));
  BOOST_CHECK((parse_utc("2000-02-29 12:30:15") == Timestamp{951827415, 0}));
  BOOST_CHECK((parse_utc("2000-02-29T12:30:15.25Z") == Timestamp{951827415, 250000000}));
  for (const std::string_view wrong :
       {"2001-02-29", "2000-13-01", "2000-02-29T24:00", "2000-02-29T12", "2000-02-29T12:60",
        "2000-02-29T12:30:15+01:00", "2000-02-29T12:30:15.", "20000229", "today"}) {
    BOOST_TEST(!parse_utc(wrong), wrong);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(json_text)

std::string json(std::string_view text) {
  return written([&](Output& out) { append_json_string(out, text); });
}

BOOST_AUTO_TEST_CASE(quotes_backslashes_and_control_characters_are_escaped) {
  BOOST_TEST(json("a\"b\\c/") == R"("a\"b\\c/")");
  BOOST_TEST(json(std::string_view("\n\0\x1f\x7f", 4)) == R"("\u000a\u0000\u001f\u007f")");
}

BOOST_AUTO_TEST_CASE(utf8_stays_and_what_is_not_utf8_is_replaced) {
  BOOST_TEST(json("\u00e9\u20ac\U0001F600") == "\"\u00e9\u20ac\U0001F600\"");
  BOOST_TEST(json("a\xff\xc3") == R"("a\ufffd\ufffd")");
  // Overlong, surrogate, above U+10FFFF.
  BOOST_TEST(json("\xc0\x80") == R"("\ufffd\ufffd")");
  BOOST_TEST(json("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd")");
  BOOST_TEST(json("\xf4\x90\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(suggestions)

constexpr std::array<std::string_view, 4> names{"infiniband.bth.psn", "infiniband.cm.req.psn", "infiniband.bth.opcode",
                                                "rdma.opcode"};

BOOST_AUTO_TEST_CASE(the_nearest_name_is_suggested) {
  BOOST_TEST(did_you_mean("infiniband.bth.pns", names) == " (did you mean infiniband.bth.psn?)");
  BOOST_TEST(did_you_mean("bth.psn", names) == " (did you mean infiniband.bth.psn or infiniband.cm.req.psn?)");
  BOOST_TEST(did_you_mean("RDMA.OPCOD", names) == " (did you mean rdma.opcode?)");
}

BOOST_AUTO_TEST_CASE(nothing_is_suggested_for_what_is_like_no_name) {
  BOOST_TEST(did_you_mean("tcp.flags.syn", names) == "");
  BOOST_TEST(did_you_mean("", names) == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(output)

BOOST_AUTO_TEST_CASE(text_larger_than_the_buffer_arrives_whole) {
  const std::string large(300000, 'x');
  const std::string got = written([&](Output& out) {
    out.push_back('a');
    out.append(large);
    out.push_back('z');
  });
  BOOST_TEST((got == "a" + large + "z"));
}

BOOST_AUTO_TEST_CASE(room_is_there_however_full_the_buffer_is) {
  const std::string got = written([&](Output& out) {
    for (int i = 0; i < 100; ++i) {
      char* begin = out.room(Output::max_room);
      std::fill(begin, begin + Output::max_room, static_cast<char>('a' + i % 26));
      out.commit(Output::max_room);
    }
  });
  BOOST_TEST_REQUIRE(got.size() == 100 * Output::max_room);
  for (std::size_t i = 0; i < got.size(); ++i) {
    BOOST_TEST_REQUIRE(got[i] == static_cast<char>('a' + i / Output::max_room % 26));
  }
}

BOOST_AUTO_TEST_CASE(a_closed_reader_and_a_full_disk_are_told_apart) {
  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  BOOST_TEST_REQUIRE(::pipe(ends.data()) == 0);
  ::close(ends[0]);
  {
    Output out(ends[1]);
    out.append("x");
    BOOST_TEST(out.open());
    out.flush();
    BOOST_TEST(!out.open());
    BOOST_TEST(out.error() == EPIPE);
  }
  ::close(ends[1]);
  const int full = ::open("/dev/full", O_WRONLY);
  BOOST_TEST_REQUIRE(full >= 0);
  {
    Output out(full);
    out.append("x");
    out.flush();
    BOOST_TEST(out.error() == ENOSPC);
  }
  ::close(full);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cli
