// RDMAP messages as data: RFC 5040, 4; RFC 7306, 4. No code elsewhere decides by opcode what this table already says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/layer.h"
#include "codec/base/types.h"

namespace rdmawire::iwarp {

// Four bits of the RDMAP control octet; any of the 16 values, of which 12 are assigned. 15 is experimental.
enum class Opcode : std::uint8_t {
#define RDMAWIRE_RDMAP_OPCODE(code, symbol, ...) symbol = code,
#include "codec/iwarp/opcodes.inc"
};
inline constexpr std::size_t num_opcodes = 16;

// Which buffers a DDP segment is for (RFC 5041, 3.2): those an STag names, or those of a queue.
enum class Model : std::uint8_t { tagged, untagged };

enum class Operation : std::uint8_t { write, read, send, terminate, immediate, atomic };
enum class Direction : std::uint8_t { request, response };

// How many DDP segments make one message.
enum class Segments : std::uint8_t { one, many };

// What may follow the headers.
enum class PayloadRule : std::uint8_t {
  none,
  any,         // 0 and more
  terminated,  // what the Terminate header says (RFC 5040, 4.8)
};

// What comes back for it, and so whether it takes one of the Read Requests that the other end allows (IRD, ORD).
enum class Answer : std::uint8_t { none, read_response, atomic_response };

// DDP's untagged queues (RFC 5040, 4.1; RFC 7306, 4.1).
//= RDMAP-5040-3.1-02, RDMAP-7306-4.1-04, RDMAP-7306-10-01
inline constexpr QueueNumber send_queue{0};
inline constexpr QueueNumber read_request_queue{1};
inline constexpr QueueNumber terminate_queue{2};
inline constexpr QueueNumber atomic_response_queue{3};

struct OpcodeInfo {
  Opcode opcode{};
  std::string_view name;
  Operation operation{};
  Direction direction{};
  Model model{};
  QueueNumber queue;  // only untagged
  Segments segments{};
  PayloadRule payload{};
  Layer header = Layer::none;  // after the DDP header
  Answer answer{};
  bool takes_receive = false;    // completes a receive of the other end
  bool solicited_event = false;  // and raises an event there, if it asked for those
  bool invalidates = false;      // names an STag that the other end invalidates

  constexpr bool tagged() const { return model == Model::tagged; }
};

namespace detail {

consteval auto make_opcode_table() {
  using enum Layer;
  return std::array{
#define RDMAWIRE_RDMAP_OPCODE(code, symbol, operation, direction, model, queue, segments, payload, header, answer, \
                              receive, event, invalidates)                                                         \
  OpcodeInfo{Opcode::symbol,                                                                                       \
             #symbol,                                                                                              \
             Operation::operation,                                                                                 \
             Direction::direction,                                                                                 \
             Model::model,                                                                                         \
             queue,                                                                                                \
             Segments::segments,                                                                                   \
             PayloadRule::payload,                                                                                 \
             header,                                                                                               \
             Answer::answer,                                                                                       \
             receive,                                                                                              \
             event,                                                                                                \
             invalidates},
#include "codec/iwarp/opcodes.inc"
  };
}

}  // namespace detail

// In the order of the codes, which have no gap.
inline constexpr auto opcode_table = detail::make_opcode_table();
static_assert([] {
  for (std::size_t i = 0; i < opcode_table.size(); ++i) {
    if (opcode_table[i].opcode != static_cast<Opcode>(i)) return false;
  }
  return opcode_table.size() <= num_opcodes;
}());

// The opcode's row; nullptr for a reserved or experimental one (the receiver's rule for those: RFC 5040, 7.2).
//= RDMAP-5040-4.1-11
constexpr const OpcodeInfo* find(Opcode opcode) {
  const auto i = static_cast<std::size_t>(opcode);
  return i < opcode_table.size() ? &opcode_table[i] : nullptr;
}

// Empty for one without a row.
constexpr std::string_view name_of(Opcode opcode) {
  const OpcodeInfo* row = find(opcode);
  return row == nullptr ? std::string_view{} : row->name;
}

}  // namespace rdmawire::iwarp
