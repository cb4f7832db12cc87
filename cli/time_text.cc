#include "cli/time_text.h"

#include <charconv>
#include <chrono>
#include <limits>

namespace rdmawire::cli {
namespace {

constexpr std::uint32_t billion = 1'000'000'000;
constexpr std::int64_t day = 86'400;

// Reads exactly `digits` decimal digits off the front of text.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// The 1 to 9 digits of a fraction of a second, as nanoseconds.
std::optional<std::uint32_t> parse_fraction(std::string_view digits) {
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  const std::size_t missing = 9 - digits.size();
  std::optional<unsigned> value = take_digits(digits, digits.size());
  for (std::size_t i = 0; value && i < missing; ++i) *value *= 10;
  return value;
}

}  // namespace

void TimeText::put(std::uint64_t number, unsigned digits) {
  std::array<char, 20> buffer;
  const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  const auto length = static_cast<std::size_t>(end - buffer.data());
  for (std::size_t i = length; i < digits; ++i) put('0');
  for (std::size_t i = 0; i < length; ++i) put(buffer[i]);
}

TimeText seconds_text(pcap::Timestamp time, unsigned digits) {
  TimeText out;
  auto seconds = static_cast<std::uint64_t>(time.seconds);
  std::uint32_t fraction = time.nanoseconds;
  if (time.seconds < 0) {
    out.put('-');
    seconds = 0 - seconds;
    if (fraction != 0) {
      --seconds;
      fraction = billion - fraction;
    }
  }
  for (unsigned i = digits; i < 9; ++i) fraction /= 10;
  out.put(seconds);
  out.put('.');
  out.put(std::uint64_t{fraction}, digits);
  return out;
}

TimeText utc_text(pcap::Timestamp time) {
  constexpr std::int64_t year_10000 = 253'402'300'800;
  TimeText out;
  if (time.seconds < 0 || time.seconds >= year_10000) {
    out.put('@');
    const TimeText seconds = seconds_text(time);
    for (const char c : seconds.view()) out.put(c);
    return out;
  }
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(time.seconds / day)}}};
  const auto second = static_cast<unsigned>(time.seconds % day);
  out.put(static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out.put('-');
  out.put(static_cast<unsigned>(date.month()), 2);
  out.put('-');
  out.put(static_cast<unsigned>(date.day()), 2);
  out.put('T');
  out.put(second / 3600, 2);
  out.put(':');
  out.put(second / 60 % 60, 2);
  out.put(':');
  out.put(second % 60, 2);
  out.put('.');
  out.put(time.nanoseconds, 9);
  out.put('Z');
  return out;
}

pcap::Timestamp difference(pcap::Timestamp end, pcap::Timestamp start) {
  pcap::Timestamp out;
  if (__builtin_sub_overflow(end.seconds, start.seconds, &out.seconds)) {
    out.seconds = end.seconds < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    return out;
  }
  out.nanoseconds = end.nanoseconds - start.nanoseconds;
  if (end.nanoseconds < start.nanoseconds) {
    out.nanoseconds += billion;
    if (out.seconds != std::numeric_limits<std::int64_t>::min()) --out.seconds;
  }
  return out;
}

std::optional<pcap::Timestamp> parse_seconds(std::string_view text) {
  pcap::Timestamp out;
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), out.seconds);
  if (error != std::errc{} || end != whole.data() + whole.size() || whole.front() == '-') return std::nullopt;
  if (point == std::string_view::npos) return out;
  const auto fraction = parse_fraction(text.substr(point + 1));
  if (!fraction) return std::nullopt;
  out.nanoseconds = *fraction;
  return out;
}

std::optional<pcap::Timestamp> parse_utc(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day_of_month = take_digits(text, 2);
  if (!day_of_month) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)}, std::chrono::month{*month},
                                         std::chrono::day{*day_of_month}};
  if (!date.ok()) return std::nullopt;
  pcap::Timestamp out;
  out.seconds = std::chrono::sys_days{date}.time_since_epoch().count() * day;
  if (text.empty()) return out;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  out.seconds += *hour * 3600 + *minute * 60;
  if (take(text, ':')) {
    const auto second = take_digits(text, 2);
    if (!second || *second > 60) return std::nullopt;
    out.seconds += *second;
    if (take(text, '.')) {
      std::size_t digits = 0;
      while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
      const auto fraction = parse_fraction(text.substr(0, digits));
      if (!fraction) return std::nullopt;
      out.nanoseconds = *fraction;
      text.remove_prefix(digits);
    }
  }
  take(text, 'Z');
  if (!text.empty()) return std::nullopt;
  return out;
}

}  // namespace rdmawire::cli
