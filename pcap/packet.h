// One packet of a capture file, as its record says.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/base/bytes.h"
#include "codec/link_type.h"

namespace rdmawire::pcap {

// Time since 1970-01-01 00:00 UTC; before it, seconds is negative and nanoseconds counts forward from there.
struct Timestamp {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;  // below 10^9
  friend constexpr auto operator<=>(Timestamp, Timestamp) = default;
};

// What is strange about a packet's record. The packet is given all the same, with what was captured.
enum class Oddity : std::uint8_t {
  captured_exceeds_original,  // more octets were captured than the packet is said to have had
  captured_exceeds_snaplen,   // more octets were captured than the file says it captures
  original_length_zero,
  fraction_too_big,   // the fraction of the time stamp is a second or more: carried into the seconds
  time_out_of_range,  // the time stamp does not fit: the nearest that fits is given
  no_timestamp,       // pcapng Simple Packet Block: the time is given as 0
  count_,
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Oddity::count_)> oddity_texts{
    "captured length exceeds the original length",
    "captured length exceeds the snapshot length",
    "original length is zero",
    "fraction of the time stamp is a second or more",
    "time stamp out of range",
    "no time stamp",
};

constexpr std::string_view text_of(Oddity oddity) { return oddity_texts[static_cast<std::size_t>(oddity)]; }

// A set of them.
struct Oddities {
  std::uint8_t bits = 0;

  constexpr bool has(Oddity oddity) const { return (bits >> static_cast<unsigned>(oddity) & 1U) != 0; }
  constexpr void add(Oddity oddity, bool present = true) {
    bits = static_cast<std::uint8_t>(bits | static_cast<unsigned>(present) << static_cast<unsigned>(oddity));
  }
  constexpr explicit operator bool() const { return bits != 0; }
  friend constexpr bool operator==(Oddities, Oddities) = default;
};

struct Packet {
  std::uint64_t number = 0;       // 1 for the first of the file
  std::uint64_t file_offset = 0;  // octets from the file's start to the record; of the decompressed file
  Timestamp time;
  Bytes data;                         // what was captured
  std::uint32_t original_length = 0;  // octets on the wire, as the record says
  std::uint32_t interface_id = 0;     // within its pcapng section; 0 in pcap
  LinkType link{};
  Oddities oddities;
  std::optional<std::uint8_t> fcs_length;  // octets of FCS at a whole frame's end, if the file says
};
static_assert(sizeof(Packet) <= 64);

}  // namespace rdmawire::pcap
