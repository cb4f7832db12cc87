// Codes that stand for quantities: path MTU, timeouts, RNR timers, credits.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>

namespace rdmawire::ib {

// Path MTU code, IBTA vol. 1, 11.2.4.2: 1 to 5 for 256 to 4096 octets of payload.
struct PathMtu {
  std::uint8_t value{};
  friend constexpr auto operator<=>(PathMtu, PathMtu) = default;

  constexpr bool valid() const { return value >= 1 && value <= 5; }
  // Only for a valid code.
  constexpr std::uint32_t octets() const { return 128U << value; }
  // Of a message of that many octets; one that is empty takes a packet too. Only for a valid code.
  //= PSN-05
  //= LEN-12
  constexpr std::uint32_t num_packets(std::uint32_t message_len) const {
    return message_len == 0 ? 1 : static_cast<std::uint32_t>((std::uint64_t{message_len} + octets() - 1) / octets());
  }
};

inline constexpr PathMtu mtu256{1}, mtu512{2}, mtu1024{3}, mtu2048{4}, mtu4096{5};

// A 5-bit timeout code: 4.096 us * 2^code (local ACK timeout C9-140, CM response and service timeouts).
struct TimeoutCode {
  std::uint8_t value{};
  friend constexpr auto operator<=>(TimeoutCode, TimeoutCode) = default;

  constexpr std::chrono::nanoseconds duration() const { return std::chrono::nanoseconds(std::int64_t{4096} << value); }
};

// Local ACK timeout: as TimeoutCode, but 0 means that the timer is off.
//= TMO-01
struct AckTimeout {
  std::uint8_t value{};
  friend constexpr auto operator<=>(AckTimeout, AckTimeout) = default;

  constexpr std::optional<std::chrono::nanoseconds> duration() const {
    if (value == 0) return std::nullopt;
    return TimeoutCode{value}.duration();
  }
};

namespace detail {

// Hundredths of a millisecond, IBTA vol. 1, table 45. Code 0 is the longest.
inline constexpr std::array<std::uint32_t, 32> rnr_10us{
    65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,   192,
    256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

// IBTA vol. 1, table 43; code 31 says that credits are not used.
inline constexpr std::array<std::uint16_t, 31> credits{
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

}  // namespace detail

// RNR NAK timer, 5 bits: how long the requester waits before it tries again.
//= RNR-10
struct RnrTimer {
  std::uint8_t value{};
  friend constexpr auto operator<=>(RnrTimer, RnrTimer) = default;

  constexpr std::chrono::nanoseconds duration() const {
    return std::chrono::microseconds(std::int64_t{10} * detail::rnr_10us[value & 31U]);
  }
};

// End-to-end flow control credits in an ACK, 5 bits.
struct CreditCode {
  static constexpr std::uint8_t not_used = 31;

  std::uint8_t value{not_used};
  friend constexpr auto operator<=>(CreditCode, CreditCode) = default;

  // The receive WQEs that the code stands for; nothing if credits are not used.
  constexpr std::optional<std::uint32_t> receive_wqes() const {
    if (value >= not_used) return std::nullopt;
    return detail::credits[value];
  }
  // The largest code that promises no more than there is.
  //= CRD-01
  static constexpr CreditCode for_receive_wqes(std::uint32_t free) {
    std::uint8_t code = 0;
    while (code + 1U < detail::credits.size() && detail::credits[code + 1U] <= free) ++code;
    return {code};
  }
};

}  // namespace rdmawire::ib
