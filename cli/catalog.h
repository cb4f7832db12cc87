// Every name that an output can show: those of the headers' fields, as the codec declares them, and those of the
// record itself. The names are looked up here once, before the first packet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cli/record.h"
#include "codec/base/field.h"
#include "codec/properties.h"

namespace rdmawire::cli {

// What is known of a record besides its headers' fields.
enum class Property : std::uint8_t {
  frame,
  time,
  time_relative,
  time_delta,
  len,
  caplen,
  file,
  oddities,
  family,
  layers,
  opcode,
  payload_len,
  icrc_status,
  vcrc_status,
  icrc_computed,
  stream,
  sender,
  recognition,
  first_frame,
  stream_offset,
  missing_len,
  skipped_len,
  fpdus_lost,
  mpa_crc_status,
  mpa_crc_computed,
  markers,
  private_data,
  pad,
  error,
  count_,
};

enum class PropertyKind : std::uint8_t { number, text, numbers, texts };

// True if it may have several values: JSON shows it as an array.
constexpr bool is_list(PropertyKind kind) { return kind == PropertyKind::numbers || kind == PropertyKind::texts; }

struct PropertyInfo {
  Property property;
  PropertyKind kind;
  bool in_json;
  std::string_view name;
  std::string_view tshark_name;  // empty if tshark has none
  std::string_view label;
};

// One that the codec names.
constexpr PropertyInfo named(Property property, PropertyKind kind, bool in_json, const property::Property& shown,
                             std::string_view tshark_name = {}) {
  return {property, kind, in_json, shown.name, tshark_name, shown.label};
}

// In the order in which JSON shows them.
inline constexpr std::array property_table{
    PropertyInfo{Property::frame, PropertyKind::number, true, "frame", "frame.number", "Number of the frame, from 1"},
    PropertyInfo{Property::time, PropertyKind::text, true, "time", "frame.time_epoch",
                 "Time since 1970 in seconds, to the nanosecond"},
    PropertyInfo{Property::time_relative, PropertyKind::text, false, "frame.time_relative", "",
                 "Time since the file's first frame in seconds"},
    PropertyInfo{Property::time_delta, PropertyKind::text, false, "frame.time_delta_displayed", "",
                 "Time since the frame shown before in seconds"},
    PropertyInfo{Property::len, PropertyKind::number, true, "len", "frame.len", "Octets of the frame on the wire"},
    PropertyInfo{Property::caplen, PropertyKind::number, true, "caplen", "frame.cap_len",
                 "Octets of the frame that were captured"},
    PropertyInfo{Property::file, PropertyKind::text, false, "rdma.capture.file", "", "Name of the capture file"},
    PropertyInfo{Property::oddities, PropertyKind::texts, true, "rdma.capture.oddities", "",
                 "What is strange about the frame's record in the file"},
    named(Property::family, PropertyKind::text, true, property::family),
    PropertyInfo{Property::layers, PropertyKind::texts, true, "rdma.layers", "", "The headers, outermost first"},
    named(Property::opcode, PropertyKind::text, true, property::opcode),
    named(Property::payload_len, PropertyKind::number, true, property::payload_len),
    named(Property::icrc_status, PropertyKind::text, true, property::icrc_status),
    named(Property::vcrc_status, PropertyKind::text, true, property::vcrc_status),
    named(Property::icrc_computed, PropertyKind::text, true, property::icrc_computed),
    named(Property::stream, PropertyKind::number, true, property::stream, "tcp.stream"),
    named(Property::sender, PropertyKind::text, true, property::sender),
    named(Property::recognition, PropertyKind::text, true, property::recognition),
    named(Property::first_frame, PropertyKind::number, true, property::first_frame),
    named(Property::stream_offset, PropertyKind::number, true, property::stream_offset),
    named(Property::missing_len, PropertyKind::number, true, property::missing_len),
    named(Property::skipped_len, PropertyKind::number, true, property::skipped_len),
    named(Property::fpdus_lost, PropertyKind::number, true, property::fpdus_lost),
    named(Property::mpa_crc_status, PropertyKind::text, true, property::mpa_crc_status),
    named(Property::mpa_crc_computed, PropertyKind::text, true, property::mpa_crc_computed),
    named(Property::markers, PropertyKind::numbers, true, property::markers),
    named(Property::private_data, PropertyKind::text, true, property::private_data),
    named(Property::pad, PropertyKind::text, true, property::pad),
    named(Property::error, PropertyKind::text, true, property::error),
};
static_assert(property_table.size() == static_cast<std::size_t>(Property::count_));
static_assert([] {
  for (std::size_t i = 0; i < property_table.size(); ++i) {
    if (property_table[i].property != static_cast<Property>(i)) return false;
  }
  return true;
}());

constexpr const PropertyInfo& info(Property property) { return property_table[static_cast<std::size_t>(property)]; }

// Whose CRCs must be computed.
struct NeededCrcs {
  bool ib = false;   // ICRC and VCRC
  bool mpa = false;  // of FPDUs

  friend constexpr NeededCrcs operator|(NeededCrcs a, NeededCrcs b) { return {a.ib || b.ib, a.mpa || b.mpa}; }
  friend constexpr bool operator==(NeededCrcs, NeededCrcs) = default;
};

// Those without which the property can't be told.
constexpr NeededCrcs needed_crcs(Property property) {
  using enum Property;
  return {.ib = property == icrc_status || property == vcrc_status || property == icrc_computed,
          .mpa = property == mpa_crc_status || property == mpa_crc_computed};
}

// The keys of all fields of all headers.
class Catalog {
 public:
  struct Key {
    std::string_view name;
    std::string_view label;
    Display display{};
    std::uint16_t bits = 0;
  };
  // A field with that key.
  struct Place {
    const HeaderInfo* header = nullptr;
    const FieldInfo* field = nullptr;
  };

  static const Catalog& instance();

  // By index; the order is that of the headers.
  std::span<const Key> keys() const { return keys_; }
  // The index of the key of each of the header's fields, in their order.
  std::span<const std::uint16_t> keys_of(const HeaderInfo& header) const {
    // Few layers have more than one kind of header.
    for (const Entry& entry : of_layer_[static_cast<std::size_t>(header.layer)]) {
      if (entry.header == &header) return entry.keys;
    }
    return {};
  }
  std::optional<std::uint16_t> find(std::string_view name) const;
  std::vector<Place> places_of(std::uint16_t key) const;

 private:
  struct Entry {
    const HeaderInfo* header = nullptr;
    std::vector<std::uint16_t> keys;
  };

  Catalog();
  std::vector<Key> keys_;
  std::array<std::vector<Entry>, static_cast<std::size_t>(Layer::count_)> of_layer_;
};

// The property of that name, its own or tshark's.
std::optional<Property> find_property(std::string_view name);

// All names that -e takes, properties first.
std::vector<std::string_view> all_names();

}  // namespace rdmawire::cli
