// Times of packets as text, and back. Nothing here depends on the locale or the time zone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "pcap/packet.h"

namespace rdmawire::cli {

// A short text without a heap.
class TimeText {
 public:
  std::string_view view() const { return {text_.data(), size_}; }
  operator std::string_view() const { return view(); }

  void put(char c) { text_[size_++] = c; }
  // The number in decimal, with leading zeros up to that many digits.
  void put(std::uint64_t number, unsigned digits = 1);

 private:
  std::array<char, 48> text_{};
  std::size_t size_ = 0;
};

// "seconds.fraction" with 1 to 9 digits of the fraction, of which the rest is cut off; a minus sign before times below
// zero.
TimeText seconds_text(pcap::Timestamp time, unsigned digits = 9);

// "2026-11-29T14:56:32.123456789Z"; seconds_text with an @ in front for years that have no four digits.
TimeText utc_text(pcap::Timestamp time);

// The time from start to end; at the end of the representable range if it does not fit.
pcap::Timestamp difference(pcap::Timestamp end, pcap::Timestamp start);

// "seconds" or "seconds.fraction", both in decimal, at most 9 digits of fraction.
std::optional<pcap::Timestamp> parse_seconds(std::string_view text);

// "2026-11-29", "2026-11-29T14:56", "2026-11-29T14:56:32" or with up to 9 digits of fraction; a space may stand for
// the T and a Z may follow. Always UTC.
std::optional<pcap::Timestamp> parse_utc(std::string_view text);

}  // namespace rdmawire::cli
