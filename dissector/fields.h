// Every field that the dissector shows: those of the headers, as the codec declares them, and the properties.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/base/field.h"
#include "codec/base/layer.h"
#include "codec/properties.h"

namespace rdmawire::dissector {

// What is known of a packet or PDU besides its headers' fields, in the order of property_table.
enum class Property : std::uint8_t {
  family,
  opcode,
  payload_len,
  pad_len,
  trailer_len,
  icrc,
  icrc_status,
  icrc_computed,
  vcrc,
  vcrc_status,
  vcrc_computed,
  lpcrc,
  lpcrc_status,
  lpcrc_computed,
  credits,
  rnr_wait,
  payload,
  stream,
  sender,
  recognition,
  first_frame,
  last_frame,
  stream_offset,
  held,
  missing_len,
  skipped_len,
  fpdus_lost,
  mpa_crc,
  mpa_crc_status,
  mpa_crc_computed,
  num_wrong_markers,
  markers,
  private_data,
  pad,
  error,
  count_,
};

enum class ValueKind : std::uint8_t {
  header,      // a header's field: FieldInfo says the rest
  number,      // in decimal
  crc32,       // in hexadecimal
  crc16,       // in hexadecimal
  text,        //
  octets,      //
  crc_status,  // a status_number, shown in words
  frame,       // a frame's number: a link to it
  duration,    // nanoseconds
};

struct PropertyInfo {
  Property property;
  ValueKind kind;
  std::string_view title;  // in the tree
  property::Property shown;
};

inline constexpr std::array property_table{
    PropertyInfo{Property::family, ValueKind::text, "Family", property::family},
    PropertyInfo{Property::opcode, ValueKind::text, "Operation", property::opcode},
    PropertyInfo{Property::payload_len, ValueKind::number, "Payload length", property::payload_len},
    PropertyInfo{
        Property::pad_len, ValueKind::number, "Pad length", {"rdma.pad_len", "Octets of pad after the payload"}},
    PropertyInfo{Property::trailer_len,
                 ValueKind::number,
                 "Trailer length",
                 {"rdma.trailer_len", "Octets after the packet: padding of the link, or its FCS"}},
    PropertyInfo{Property::icrc, ValueKind::crc32, "ICRC", {"rdma.icrc", "Invariant CRC"}},
    PropertyInfo{Property::icrc_status, ValueKind::crc_status, "ICRC status", property::icrc_status},
    PropertyInfo{Property::icrc_computed, ValueKind::crc32, "ICRC computed", property::icrc_computed},
    PropertyInfo{Property::vcrc, ValueKind::crc16, "VCRC", {"rdma.vcrc", "Variant CRC"}},
    PropertyInfo{Property::vcrc_status, ValueKind::crc_status, "VCRC status", property::vcrc_status},
    PropertyInfo{Property::vcrc_computed,
                 ValueKind::crc16,
                 "VCRC computed",
                 {"rdma.vcrc.computed", "Variant CRC that the packet should have"}},
    PropertyInfo{Property::lpcrc, ValueKind::crc16, "LPCRC", {"rdma.lpcrc", "Link packet CRC"}},
    PropertyInfo{Property::lpcrc_status,
                 ValueKind::crc_status,
                 "LPCRC status",
                 {"rdma.lpcrc.status", "Link packet CRC: good, bad"}},
    PropertyInfo{Property::lpcrc_computed,
                 ValueKind::crc16,
                 "LPCRC computed",
                 {"rdma.lpcrc.computed", "Link packet CRC that the packet should have"}},
    PropertyInfo{Property::credits,
                 ValueKind::number,
                 "Credits",
                 {"rdma.aeth.credits", "Receive WQEs that the credit code stands for"}},
    PropertyInfo{Property::rnr_wait,
                 ValueKind::duration,
                 "RNR wait",
                 {"rdma.aeth.rnr_wait", "Time that the RNR timer stands for"}},
    PropertyInfo{Property::payload, ValueKind::octets, "Payload", {"infiniband.payload", "Payload, without pad"}},
    PropertyInfo{Property::stream, ValueKind::number, "Stream", property::stream},
    PropertyInfo{Property::sender, ValueKind::text, "Sender", property::sender},
    PropertyInfo{Property::recognition, ValueKind::text, "Recognised by", property::recognition},
    PropertyInfo{Property::first_frame, ValueKind::frame, "Begun in frame", property::first_frame},
    PropertyInfo{
        Property::last_frame,
        ValueKind::frame,
        "Ended in frame",
        {"rdma.last_frame",
         "Number of the frame in which the PDU ended; a later one shows it if it waited for what lies before it"}},
    PropertyInfo{Property::stream_offset, ValueKind::number, "Stream offset", property::stream_offset},
    PropertyInfo{
        Property::held,
        ValueKind::text,
        "Held",
        {"rdma.stream.held",
         "Octets of the frame wait for others of the stream: a later frame shows what they are, or none if the "
         "capture ends before"}},
    PropertyInfo{Property::missing_len, ValueKind::number, "Missing before", property::missing_len},
    PropertyInfo{Property::skipped_len, ValueKind::number, "Skipped before", property::skipped_len},
    PropertyInfo{Property::fpdus_lost, ValueKind::number, "FPDUs lost before", property::fpdus_lost},
    PropertyInfo{Property::mpa_crc, ValueKind::crc32, "MPA CRC", {"rdma.mpa.crc", "CRC of the FPDU"}},
    PropertyInfo{Property::mpa_crc_status, ValueKind::crc_status, "MPA CRC status", property::mpa_crc_status},
    PropertyInfo{Property::mpa_crc_computed, ValueKind::crc32, "MPA CRC computed", property::mpa_crc_computed},
    PropertyInfo{Property::num_wrong_markers,
                 ValueKind::number,
                 "Wrong Markers",
                 {"rdma.mpa.markers_wrong", "Markers that do not point to the start of their FPDU"}},
    PropertyInfo{Property::markers, ValueKind::number, "Marker at", property::markers},
    PropertyInfo{Property::private_data, ValueKind::octets, "Private data", property::private_data},
    PropertyInfo{Property::pad, ValueKind::octets, "Pad", property::pad},
    PropertyInfo{Property::error, ValueKind::text, "Error", property::error},
};
static_assert(property_table.size() == static_cast<std::size_t>(Property::count_));
static_assert([] {
  for (std::size_t i = 0; i < property_table.size(); ++i) {
    if (property_table[i].property != static_cast<Property>(i)) return false;
  }
  return true;
}());

// A field's place in FieldTable::entries().
using FieldId = std::uint16_t;
inline constexpr FieldId no_field = 0xFFFF;

// The properties come first.
constexpr FieldId id_of(Property property) { return static_cast<FieldId>(property); }

class FieldTable {
 public:
  struct Entry {
    std::string_view name;   // what filters call it; ends with a 0, as C wants it
    std::string_view title;  // in the tree
    std::string_view label;  // what it is; may be the title again
    ValueKind kind{};
    const FieldInfo* field = nullptr;  // of a header; the first with that name
    bool is_alias = false;             // Wireshark has a field of that name, too
  };

  // A header's field.
  struct Ids {
    FieldId name = no_field;  // as `rdmawire dump` calls it
    // What Wireshark's own dissectors do not tell: the same field if they do not know its name; one under rdma.* if
    // they know it, but have no words for its values; else none.
    FieldId lacking = no_field;
  };

  // What Wireshark's own dissectors have under a name.
  enum class BuiltIn : std::uint8_t { nothing, number, in_words };
  using LookUp = BuiltIn (*)(const char* name);

  explicit FieldTable(LookUp built_in);

  std::span<const Entry> entries() const { return entries_; }
  // In the order of the header's fields.
  std::span<const Ids> of(const HeaderInfo& header) const {
    for (const HeaderIds& each : of_layer_[static_cast<std::size_t>(header.layer)]) {
      if (each.header == &header) return each.ids;
    }
    return {};
  }

 private:
  struct HeaderIds {
    const HeaderInfo* header = nullptr;
    std::vector<Ids> ids;
  };
  using Index = std::unordered_map<std::string_view, FieldId>;

  FieldId add(Index& index, std::string_view name, const FieldInfo& field, bool is_alias);
  std::string_view keep(std::string name) { return names_.emplace_back(std::move(name)); }

  std::deque<std::string> names_;
  std::vector<Entry> entries_;
  std::array<std::vector<HeaderIds>, static_cast<std::size_t>(Layer::count_)> of_layer_;
};

// The field's name under rdma.*: infiniband.cm.rej.reason is rdma.cm.rej.reason.
std::string own_name(std::string_view name);

}  // namespace rdmawire::dissector
