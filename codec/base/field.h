// What is known about a header's fields at run time: the table that outputs, filters, fuzzers and docs read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "codec/base/bytes.h"
#include "codec/base/layer.h"

namespace rdmawire {

// How a value is written; the forms are tshark's, so that scripts see the same text.
enum class Display : std::uint8_t {
  dec,
  hex,     // 0x, leading zeros up to whole octets
  flag,    // 1 or 0
  octets,  // hex digits without separators
  mac,     // 02:00:00:00:00:01
  ipv4,    // 10.0.0.1
  ipv6,    // RFC 5952
};

struct FieldInfo {
  std::string_view key;          // Wireshark's filter name where one exists, else rdma.<header>.<field>
  std::string_view label;        // in the specification's words
  std::uint16_t bit_offset = 0;  // from the header's first bit
  std::uint16_t bits = 0;
  Display display = Display::dec;
  bool reserved = false;  // shown only when not zero
  bool part = false;      // bits that other entries cover: a closer look at one field, or several as one number
  std::uint8_t text_octets =
      0;  // hex digits for as many octets as Wireshark's type has; 0 for as many as the bits need
  // The value's name (an opcode, a reason), empty if it has none; null if the field has no names.
  std::string_view (*value_name)(std::uint64_t) = nullptr;
  // For what only some values have; null means always. Takes the whole field's value, for a part that of its field.
  bool (*present)(std::uint64_t) = nullptr;
  std::uint16_t parent_offset = 0;  // of a part: the bits of its field; else its own
  std::uint16_t parent_bits = 0;

  constexpr bool is_number() const {
    return display == Display::dec || display == Display::hex || display == Display::flag;
  }
};

struct HeaderInfo {
  Layer layer = Layer::none;
  std::uint16_t size = 0;  // octets; what follows in the same layer (options) has no fields
  std::span<const FieldInfo> fields;
};

// True if the field is there in this header (parts may depend on their field's value).
constexpr bool is_present(const FieldInfo& field, Bytes header) {
  return field.present == nullptr || field.present(read_bits(header, field.parent_offset, field.parent_bits));
}

// The number a field of at most 64 bits holds.
constexpr std::uint64_t number(const FieldInfo& field, Bytes header) {
  return read_bits(header, field.bit_offset, field.bits);
}

// The octets of a field that is a whole number of them.
constexpr Bytes octets(const FieldInfo& field, Bytes header) {
  return header.subspan(field.bit_offset / 8U, field.bits / 8U);
}

// Writes the field's value as text and returns the characters written: at most out.size(), and never more than
// max_text(field). Nothing is appended after them.
std::size_t format_value(const FieldInfo& field, Bytes header, std::span<char> out);

// An upper bound of what format_value writes.
constexpr std::size_t max_text(const FieldInfo& field) {
  return field.is_number() ? 20U : field.display == Display::octets ? field.bits / 4U : 45U;
}

}  // namespace rdmawire
