// The errors that a Terminate reports, as data: RFC 5040, 4.8; RFC 5041, 7.2; RFC 5044, 8; RFC 6581, 8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rdmawire::iwarp {

enum class TerminateLayer : std::uint8_t { rdmap = 0, ddp = 1, llp = 2 };

constexpr std::string_view name_of(TerminateLayer layer) {
  constexpr std::array<std::string_view, 3> names{"RDMAP", "DDP", "LLP"};
  const auto i = static_cast<std::size_t>(layer);
  return i < names.size() ? names[i] : std::string_view{};
}

// The first two octets of the Terminate Control: Layer 4 bits, Error Type 4, Error Code 8.
struct TerminateError {
  std::uint16_t value{};
  friend constexpr bool operator==(TerminateError, TerminateError) = default;

  constexpr TerminateLayer layer() const { return static_cast<TerminateLayer>(value >> 12); }
  constexpr std::uint8_t type() const { return static_cast<std::uint8_t>(value >> 8 & 0xFU); }
  constexpr std::uint8_t code() const { return static_cast<std::uint8_t>(value); }
};

constexpr TerminateError terminate_error(TerminateLayer layer, std::uint8_t type, std::uint8_t code) {
  return {static_cast<std::uint16_t>(static_cast<unsigned>(layer) << 12 | (type & 0xFU) << 8 | code)};
}

// What a Terminate adds of the segment to blame: see errors.inc.
enum class TerminatedHeaders : std::uint8_t { none, length, ddp, read };

enum class TerminateReason : std::uint8_t {
#define RDMAWIRE_TERMINATE(symbol, ...) symbol,
#define RDMAWIRE_TERMINATE_ANY_CODE(symbol, ...) symbol,
#include "codec/iwarp/errors.inc"
};

struct TerminateInfo {
  TerminateReason reason{};
  TerminateError error;
  bool any_code = false;  // whatever error.code() is
  TerminatedHeaders headers{};
  std::string_view name;
  std::string_view text;
};

inline constexpr std::array terminate_table{
#define RDMAWIRE_TERMINATE(symbol, layer, type, code, headers, text) \
  TerminateInfo{TerminateReason::symbol,                             \
                terminate_error(TerminateLayer::layer, type, code),  \
                false,                                               \
                TerminatedHeaders::headers,                          \
                #symbol,                                             \
                text},
#define RDMAWIRE_TERMINATE_ANY_CODE(symbol, layer, type, headers, text) \
  TerminateInfo{TerminateReason::symbol,                                \
                terminate_error(TerminateLayer::layer, type, 0),        \
                true,                                                   \
                TerminatedHeaders::headers,                             \
                #symbol,                                                \
                text},
#include "codec/iwarp/errors.inc"
};

constexpr const TerminateInfo& info(TerminateReason reason) {
  return terminate_table[static_cast<std::size_t>(reason)];
}

// The row of an error; nullptr for an unregistered one. LLP errors of type 3 count as those of type 0, which the
// registry has and Chelsio's, Intel's and NetEffect's devices do not send.
//= RDMAP-5040-4.8-16, IANA-6580-3.1-02
constexpr const TerminateInfo* find(TerminateError error) {
  if (error.layer() == TerminateLayer::llp && error.type() == 3) {
    error = terminate_error(TerminateLayer::llp, 0, error.code());
  }
  for (const TerminateInfo& row : terminate_table) {
    if (row.error == error || (row.any_code && row.error.value >> 8 == error.value >> 8)) return &row;
  }
  return nullptr;
}

// Empty for an unregistered one.
constexpr std::string_view name_of(TerminateError error) {
  const TerminateInfo* row = find(error);
  return row == nullptr ? std::string_view{} : row->text;
}

}  // namespace rdmawire::iwarp
