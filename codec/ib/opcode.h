// Operation codes as data: IBTA vol. 1, 9.2.2. No code elsewhere decides by opcode what this table already says.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "codec/base/layer.h"

namespace rdmawire::ib {

// An octet of the wire; any of the 256 values, of which 90 are assigned.
enum class Opcode : std::uint8_t {
#define RDMAWIRE_OPCODE(code, symbol, ...) symbol = code,
#include "codec/ib/opcodes.inc"
};

// Bits 7-5 of the opcode. 6 and 7 are the manufacturer's.
enum class Service : std::uint8_t { rc = 0, uc = 1, rd = 2, ud = 3, cnp = 4, xrc = 5 };

enum class Operation : std::uint8_t { send, write, read, atomic, ack, flush, atomic_write, resync, cnp };
enum class Position : std::uint8_t { first, middle, last, only };
enum class Direction : std::uint8_t { request, response };

// Payload octets, without pad, that the opcode allows (C9-92, C9-94).
enum class PayloadRule : std::uint8_t {
  none,      // 0
  eight,     // 8
  any,       // 0 .. path MTU
  nonempty,  // 1 .. path MTU
  full,      // exactly the path MTU
};

// What a request does to the receive queue.
enum class ReceiveWqe : std::uint8_t { none, takes, continues };
// When a responder answers: requested = if the ACK request bit is set (it may answer unasked).
enum class Acknowledged : std::uint8_t { never, requested, always };
// What the answer is.
enum class Answer : std::uint8_t { none, acknowledge, read_response, atomic_acknowledge, empty_read_response };

struct OpcodeInfo {
  static constexpr std::size_t max_headers = 4;

  Opcode opcode{};
  std::string_view name;
  Service service{};
  Operation operation{};
  Position position{};
  Direction direction{};
  PayloadRule payload{};
  ReceiveWqe receive_wqe{};
  Acknowledged acknowledged{};
  Answer answer{};
  std::array<Layer, max_headers> headers{};  // after the BTH, in wire order
  std::uint8_t num_headers = 0;

  constexpr bool has(Layer layer) const {
    for (std::size_t i = 0; i < num_headers; ++i) {
      if (headers[i] == layer) return true;
    }
    return false;
  }
  constexpr bool starts_message() const { return position == Position::first || position == Position::only; }
  constexpr bool ends_message() const { return position == Position::last || position == Position::only; }
};

namespace detail {

template <class... Headers>
consteval OpcodeInfo opcode_row(Opcode opcode, std::string_view name, Service service, Operation operation,
                                Position position, Direction direction, PayloadRule payload, ReceiveWqe receive_wqe,
                                Acknowledged acknowledged, Answer answer, Headers... headers) {
  static_assert(sizeof...(headers) <= OpcodeInfo::max_headers);
  return {opcode,  name,        service,      operation, position,     direction,
          payload, receive_wqe, acknowledged, answer,    {headers...}, static_cast<std::uint8_t>(sizeof...(headers))};
}

consteval auto make_opcode_table() {
  using enum Layer;
  return std::array{
#define RDMAWIRE_OPCODE_NAMED(code, symbol, name, service, operation, position, direction, payload, wqe, acked,      \
                              answer, ...)                                                                           \
  opcode_row(Opcode::symbol, name, Service::service, Operation::operation, Position::position, Direction::direction, \
             PayloadRule::payload, ReceiveWqe::wqe, Acknowledged::acked, Answer::answer __VA_OPT__(, ) __VA_ARGS__),
#define RDMAWIRE_OPCODE(code, symbol, ...) RDMAWIRE_OPCODE_NAMED(code, symbol, #symbol, __VA_ARGS__)
#include "codec/ib/opcodes.inc"
  };
}

}  // namespace detail

// In the order of the codes.
inline constexpr auto opcode_table = detail::make_opcode_table();

namespace detail {

inline constexpr std::uint8_t no_opcode = 0xFF;

inline constexpr auto opcode_index = [] {
  static_assert(opcode_table.size() < no_opcode);
  std::array<std::uint8_t, 256> index{};
  index.fill(no_opcode);
  for (std::size_t i = 0; i < opcode_table.size(); ++i) {
    index[static_cast<std::size_t>(opcode_table[i].opcode)] = static_cast<std::uint8_t>(i);
  }
  return index;
}();

}  // namespace detail

// The opcode's row; nullptr for a reserved one (the receiver's rule for those: C9-43, HV-14).
//= MPE-09
constexpr const OpcodeInfo* find(Opcode opcode) {
  const std::uint8_t i = detail::opcode_index[static_cast<std::size_t>(opcode)];
  return i == detail::no_opcode ? nullptr : &opcode_table[i];
}

// Empty for a reserved opcode.
constexpr std::string_view name_of(Opcode opcode) {
  const OpcodeInfo* row = find(opcode);
  return row == nullptr ? std::string_view{} : row->name;
}

}  // namespace rdmawire::ib
